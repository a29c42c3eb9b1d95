import { createHash } from 'node:crypto';
import type { Card, GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DeliveredLink } from '../../../media/delivery/delivery.ts';
import { itemCount } from '../../../media/post.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { InlineResult } from '../api/methods.ts';
import { renderBlocks, renderCard } from '../render/block-text.ts';
import { captionFields, type FileCandidate, reductionNote, renderCaption, withNote } from '../render/file-fields.ts';
import {
  concat,
  formatText,
  isWebAddress,
  plainText,
  shorten,
  styleOf,
  withinEntities,
} from '../render/formatted-text.ts';
import { renderKeyboard } from '../render/keyboard.ts';
import { previewOf, renderText } from '../render/text-message.ts';

function titleOf({ blocks }: Reply, count: number, index: number, t: Translator): string {
  const [text] = blocks.flatMap(block =>
    block.kind === 'heading' ? [block.text] : block.kind === 'card' ? [block.title] : [],
  );
  const name = text === undefined ? 'Medley' : formatText(text, t).text;
  const place = count > 1 ? ` · ${t.messages.post.itemOf({ n: index + 1, total: count })}` : '';
  return shorten(plainText(`${name}${place}`), MESSAGE_LIMITS.inlineTitle).text;
}

/** A result with a file that Telegram has; undefined for a kind of file that no result can have. */
function cached(
  id: string,
  { type, media, reduced }: FileCandidate,
  title: string,
  reply: Reply,
  t: Translator,
): InlineResult | undefined {
  if (typeof media !== 'string') return undefined;
  const note = reductionNote([{ candidate: { reduced } }], t);
  const caption = captionFields(withNote(renderCaption(reply.blocks, styleOf(reply, t)), note));
  const keyboard = renderKeyboard(reply.actions.filter(({ kind }) => kind === 'link'));
  const common = { id, ...caption, reply_markup: keyboard };
  switch (type) {
    case 'video':
      return { type: 'video', title, video_file_id: media, ...common };
    case 'photo':
      return { type: 'photo', title, photo_file_id: media, ...common };
    case 'animation':
      return { type: 'mpeg4_gif', title, mpeg4_file_id: media, ...common };
    case 'audio':
      return { type: 'audio', audio_file_id: media, ...common };
    case 'document':
      return { type: 'document', title, document_file_id: media, ...common };
  }
}

/** A file that can be put into an inline message; undefined for one that must be uploaded first. */
export function inlineFile(candidate: FileCandidate | DeliveredLink) {
  if (candidate.kind === 'link' || typeof candidate.media !== 'string') return undefined;
  const { type, media, spoiler, width, height, duration } = candidate;
  if (type === 'audio' || type === 'document') return { type, media };
  const hidden = { has_spoiler: spoiler || undefined };
  if (type !== 'video') return { type, media, ...hidden };
  return { type, media, ...hidden, width, height, duration, supports_streaming: true };
}

/** A result whose file is added later by an edit. Telegram allows that edit only if the message has a keyboard. */
export function placeholder(
  id: string,
  link: string,
  about: { readonly title: string; readonly thumbnail: string | null } | undefined,
  t: Translator,
): InlineResult {
  const { post, progress } = t.messages;
  const thumbnail = about?.thumbnail ?? null;
  return {
    type: 'article',
    id,
    title: about?.title ?? shorten(plainText(link), MESSAGE_LIMITS.inlineTitle).text,
    description: shorten(plainText(link), MESSAGE_LIMITS.inlineDescription).text,
    ...(thumbnail?.startsWith('https://') === true ? { thumbnail_url: thumbnail } : {}),
    input_message_content: {
      message_text: `${progress.preparing}\n${link}`,
      link_preview_options: { is_disabled: true },
    },
    reply_markup: { inline_keyboard: [[{ text: post.openOriginal, url: link }]] },
  };
}

/** A result for a link that has no file; if chosen, the description is sent as a message. */
function described(reply: Reply, t: Translator): InlineResult {
  const { blocks, actions } = reply;
  const links = actions.filter(({ kind }) => kind === 'link');
  const { content, preview, keyboard } = renderText(blocks, links, t);
  const about = blocks.filter(({ kind }) => kind === 'text' || kind === 'fields' || kind === 'card');
  return {
    type: 'article',
    id: 'told',
    title: titleOf(reply, 1, 0, t),
    description: shorten(renderBlocks(about, t, MESSAGE_LIMITS.text), MESSAGE_LIMITS.inlineDescription).text,
    ...('url' in preview ? { thumbnail_url: preview.url } : {}),
    input_message_content: { message_text: content.text, entities: content.entities, link_preview_options: preview },
    reply_markup: keyboard,
  };
}

/** A result that says why there is no file; if chosen, only the link is sent. */
function remark({ blocks }: Reply, link: string, t: Translator): InlineResult {
  const sentence = renderBlocks(blocks, t, MESSAGE_LIMITS.text);
  return {
    type: 'article',
    id: 'remark',
    title: shorten(sentence, MESSAGE_LIMITS.inlineTitle).text,
    description: shorten(sentence, MESSAGE_LIMITS.inlineDescription).text,
    input_message_content: { message_text: link },
    reply_markup: { inline_keyboard: [[{ text: t.messages.post.openOriginal, url: link }]] },
  };
}

/** A result for a beatmap or a person that was found; if chosen, it is sent as a message. */
export function found({ action: opens, sound, ...card }: Card, t: Translator): InlineResult {
  const { title, lines, image } = card;
  const name = formatText(title, t);
  const message = withinEntities(shorten(renderCard(card, t), MESSAGE_LIMITS.text));
  const address = opens?.kind === 'link' ? opens.url : name.entities.find(entity => entity.type === 'text_link')?.url;
  const below = concat(lines.map((line, index) => concat([plainText(index === 0 ? '' : '\n'), formatText(line, t)])));
  const cover = image !== undefined && isWebAddress(image.url) ? image.url : undefined;
  const links = [
    ...(address === undefined
      ? []
      : [{ kind: 'link' as const, label: opens?.label ?? t.messages.post.openOriginal, url: address }]),
    ...(sound === undefined ? [] : [{ kind: 'link' as const, ...sound }]),
  ];
  return {
    type: 'article',
    id: `card:${createHash('sha256').update(`${address} ${message.text}`).digest('base64url').slice(0, 24)}`,
    title: shorten(plainText(name.text.trim() === '' ? '…' : name.text), MESSAGE_LIMITS.inlineTitle).text,
    description: shorten(below, MESSAGE_LIMITS.inlineDescription).text,
    ...(cover === undefined ? {} : { thumbnail_url: cover }),
    input_message_content: {
      message_text: message.text,
      entities: message.entities,
      link_preview_options: previewOf(cover),
    },
    reply_markup: renderKeyboard(links),
  };
}

/** Makes a result for each file. If Telegram does not have the file yet, the result is a placeholder, edited later. */
export async function resultsOf(
  reply: Reply,
  link: string,
  t: Translator,
  fileOf: (item: GalleryItem) => Promise<FileCandidate | undefined>,
): Promise<readonly InlineResult[]> {
  const hasFailed = reply.tone === 'notice' || reply.tone === 'error';
  if (reply.gallery.length === 0) return [hasFailed ? remark(reply, link, t) : described(reply, t)];
  const items = reply.gallery.slice(0, MESSAGE_LIMITS.inlineResults);
  const results: InlineResult[] = [];
  for (const [index, item] of items.entries()) {
    // A file in a spoiler needs a placeholder too, because only an edit can send a hidden file.
    const file = item.spoiler ? undefined : await fileOf(item);
    const { position = index, thumbnailUrl = null } = item.post.items[item.index] ?? {};
    const thumbnail = item.spoiler ? null : thumbnailUrl;
    const title = titleOf(reply, items.length > 1 ? itemCount(item.post) : 1, position, t);
    const sendable = file && cached(`file:${index}`, file, title, reply, t);
    results.push(sendable ?? placeholder(`post:${index}`, link, { title, thumbnail }, t));
  }
  return results;
}
