import type { Translator } from '../../i18n/translate.ts';
import { MAX_ADDRESS_CHARS } from '../../media/extract/find-addresses.ts';
import { type Clip, MAX_CLIP_MS, momentText, parseMoment } from '../../media/files/clip.ts';
import { indexAt, itemCount, type Post } from '../../media/post.ts';
import { type CommandContext, defineCommand, usageError, type Values } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';
import { hidden, reply } from '../contract/reply-parts.ts';
import type { Services } from '../contract/services.ts';
import { type ChatSettings, VIEWS, type View } from '../contract/settings.ts';
import { chatSettingsOf, showsSensitive } from '../stores/settings-store.ts';
import { notice } from '../views/notice.ts';
import { type CardSite, hasSound, postSite, renderCover, renderPost, renderWithheld } from '../views/post.ts';

const MAX_ITEM = 100;
/** The longest text of a range, such as `1:02:03.500-1:02:10.250`. */
const MAX_CLIP_CHARS = 32;
/** How far a requested part may end behind the stated length of a video, because sites state lengths inexactly. */
const END_TOLERANCE_MS = 1_000;

const OPTIONS = {
  link: { type: 'string', form: 'link', required: true, maxLength: MAX_ADDRESS_CHARS },
  item: { type: 'integer', min: 1, max: MAX_ITEM },
  audio: { type: 'boolean' },
  clip: { type: 'string', form: 'word', named: true, maxLength: MAX_CLIP_CHARS },
  view: { type: 'choice', named: true, choices: VIEWS },
  spoiler: { type: 'boolean' },
  private: { type: 'boolean', only: 'group', hidesAnswer: true },
} as const;

type Asked = Values<typeof OPTIONS>;

/** Shows a post: all its files, or only the one that the link or the caller names, its audio, or a part of a video. */
export function createDownload({ sources }: { readonly sources: readonly CardSite[] }) {
  return defineCommand({
    name: 'download',
    options: OPTIONS,
    visibility: 'chat',
    cost: 2,
    accepts: 'link',
    async run(asked: Asked, { caller, services, signal, progress, t }: CommandContext): Promise<Reply> {
      // A private answer in a group is refused on a platform that cannot show it to one person alone.
      if (asked.private === true && caller.chatKind === 'group' && caller.answersAlone !== true) {
        throw usageError('notPrivate');
      }
      const range = asked.clip === undefined ? undefined : parseClip(asked.clip);
      const chat = await chatSettingsOf(services, caller);
      progress('fetching');
      const { post, itemIndex, reason } = await services.extractor.extract(asked.link, { signal });
      const site = postSite(post, sources, t);
      if (post.sensitive && !showsSensitive(chat, caller)) return seenBy(asked, renderWithheld(post, chat, t));
      if (reason !== undefined) {
        const cover = renderCover(post, site, reason, t);
        return seenBy(asked, post.sensitive ? hidden(cover) : cover);
      }
      progress('preparing');
      const chosen = chosenOf(post, asked, itemIndex);
      const isAll = asked.item === undefined && itemIndex === null && asked.audio !== true && range === undefined;
      const quotedSite = isAll && post.quoted !== null ? postSite(post.quoted, sources, t) : undefined;
      const shown = renderPost(post, t, {
        ...{ site, captions: chat.captions, cap: chat.albumCap, missing: chosen.missing },
        ...{ view: viewOf(asked, chat), spoiler: asked.spoiler, quotedSite },
        form: asked.audio === true ? 'audio' : 'original',
        indexes: shownIndexes(post, asked, chosen.indexes, range),
        clip: range && { range, isRough: services.cutsExactly !== true },
        translateToken: translateToken(post, services, t),
      });
      return seenBy(asked, shown);
    },
  });
}

/** Matches a range such as `0:05-0:20`, `5-20` or `1:02:03.5-1:02:10`. */
const RANGE = /^([\d:.]{1,12})\s*(?:-|\u2013|\u2014|\.\.)\s*([\d:.]{1,12})$/;

/** Reads a range of time. @throws AppError `invalid_request` with a hint that says what is wrong */
export function parseClip(text: string): Clip {
  const [, from = '', to = ''] = RANGE.exec(text.trim()) ?? [];
  const startMs = parseMoment(from);
  const endMs = parseMoment(to);
  if (startMs === undefined || endMs === undefined) throw usageError('clipForm');
  if (endMs <= startMs) throw usageError('clipOrder');
  if (endMs - startMs > MAX_CLIP_MS) throw usageError('clipLong', { minutes: MAX_CLIP_MS / 60_000 });
  return { startMs, endMs };
}

/** The token of a button that translates the post; undefined if its caption is in the reader's language. */
function translateToken({ caption, url }: Post, { actions, translation }: Services, t: Translator) {
  if (caption === null || translation?.isForeign(caption, t.locale) !== true) return undefined;
  return actions.encode({ command: 'translate', values: { link: url } });
}

/** The items that are to be shown. @throws AppError with a hint for people when the post has no such item */
function chosenOf(post: Post, { item }: Asked, itemIndex: number | null) {
  const count = itemCount(post);
  if (item !== undefined && item > count) throw usageError('itemRange', { count });
  const place = item === undefined ? itemIndex : item - 1;
  const chosen = place === null ? undefined : indexAt(post, place);
  return {
    indexes: chosen === undefined ? post.items.map((_, index) => index) : [chosen],
    /** The index, from 0, of the requested item, if that could not be fetched. */
    missing: place !== null && chosen === undefined ? place : undefined,
  };
}

/** The indexes of the items that fit the request. @throws AppError with a hint for people when no item does */
function shownIndexes(post: Post, { audio }: Asked, indexes: readonly number[], range: Clip | undefined) {
  if (range !== undefined) return [clippedIndex(post, indexes, range.endMs)];
  if (audio !== true) return indexes;
  const sounding = indexes.filter(index => {
    const media = post.items[index];
    return media !== undefined && hasSound(media);
  });
  if (sounding.length === 0) throw usageError('noSound');
  return sounding;
}

/** The index of the video to cut. @throws AppError with a hint if there is not exactly one video, or it is too short */
function clippedIndex({ items }: Post, indexes: readonly number[], endMs: number): number {
  const [index, ...others] = indexes.filter(each => items[each]?.kind === 'video');
  if (index === undefined) throw usageError('clipNoVideo');
  if (others.length > 0) throw usageError('clipWhich');
  const durationMs = items[index]?.durationMs ?? null;
  if (durationMs !== null && endMs > durationMs + END_TOLERANCE_MS)
    throw usageError('clipBeyond', { length: momentText(durationMs) });
  return index;
}

/**
 * How to show the post. A person who asks for its audio or a part of it wants the file, even in a chat that shows only
 * text.
 */
function viewOf({ view, audio, clip }: Asked, chat: Pick<ChatSettings, 'view'>): View {
  if (view !== undefined) return view;
  return chat.view === 'text' && (audio === true || clip !== undefined) ? 'card' : chat.view;
}

function seenBy({ private: isPrivate }: Asked, shown: Reply): Reply {
  if (isPrivate !== true) return shown;
  const { quoted } = shown;
  return { ...shown, visibility: 'caller', ...(quoted && { quoted: { ...quoted, visibility: 'caller' } }) };
}

/** Translates a post's caption for the person who pressed the button. */
export const translate = defineCommand({
  name: 'translate',
  options: { link: { type: 'string', form: 'link', required: true, maxLength: MAX_ADDRESS_CHARS } },
  visibility: 'caller',
  cost: 2,
  listed: false,
  async run({ link }, { caller, services, signal, t }: CommandContext): Promise<Reply> {
    const words = t.messages.post;
    const { post } = await services.extractor.extract(link, { signal });
    const chat = await chatSettingsOf(services, caller);
    if (post.sensitive && !showsSensitive(chat, caller)) return renderWithheld(post, chat, t);
    const text = [post.title, post.caption].flatMap(part => part?.trim() || []).join('\n\n');
    if (text === '' || services.translation === undefined) return notice(words.noWords);
    const translated = await services.translation.translate(text, t.locale, signal);
    return reply({
      blocks: [
        { kind: 'text', text: [translated] },
        { kind: 'text', text: [words.translated], small: true },
      ],
      actions: [{ kind: 'link', label: words.openOriginal, url: post.url }],
      visibility: 'caller',
      isBeside: true,
    });
  },
});
