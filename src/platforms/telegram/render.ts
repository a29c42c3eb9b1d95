import { type PlainBlock, plainActions, plainBlocks } from '../../bot/plain-blocks.ts';
import type { Action, Block, GalleryItem, Reply } from '../../bot/reply.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { DeliveredLink } from '../../media/delivery.ts';
import {
  concat,
  covered,
  EMPTY,
  type FormattedText,
  formatText,
  isWebAddress,
  plain,
  shorten,
} from './formatted-text.ts';
import { renderKeyboard } from './keyboard.ts';
import { MESSAGE_LIMITS } from './limits.ts';
import type { Button, Keyboard } from './methods.ts';

export interface TextPayload {
  readonly kind: 'text';
  readonly content: FormattedText;
  readonly keyboard: Keyboard | undefined;
}

/** One file, or up to ten that may stand in one album. */
export interface MediaPayload {
  readonly kind: 'media';
  readonly items: readonly GalleryItem[];
  readonly caption: FormattedText;
  /** For a single file; albums have none. */
  readonly keyboard: Keyboard | undefined;
}

export type Payload = TextPayload | MediaPayload;

export interface RenderContext {
  readonly t: Translator;
  /** Buttons of this platform's own, under what can be taken away by a press. */
  readonly extra?: readonly Button[];
}

/**
 * Reply -> messages. Pure. The words go under the first file. Albums take no buttons: their links stand in the caption, and only
 * buttons that do something come in a message of their own.
 */
export function render(reply: Reply, { t, extra = [] }: RenderContext): readonly Payload[] {
  const { blocks, gallery, actions } = reply;
  if (gallery.length === 0) return [renderText(blocks, actions, t)];
  const groups = grouped(gallery);
  const [first] = groups;
  if (groups.length === 1 && first?.length === 1) {
    const caption = renderBlocks(blocks, t, MESSAGE_LIMITS.caption);
    return [{ kind: 'media', items: first, caption, keyboard: renderKeyboard(actions, extra) }];
  }
  const links = actions.filter(({ kind }) => kind === 'link');
  const buttons = actions.filter(({ kind }) => kind !== 'link');
  const caption = renderBlocks([...blocks, ...linkBlock(links)], t, MESSAGE_LIMITS.caption);
  const albums = groups.map(
    (items, index): Payload => ({ kind: 'media', items, caption: index === 0 ? caption : EMPTY, keyboard: undefined }),
  );
  return buttons.length === 0 ? albums : [...albums, renderText(blocks.slice(0, 1), buttons, t)];
}

export function renderText(blocks: readonly Block[], actions: readonly Action[], t: Translator): TextPayload {
  const content = renderBlocks(blocks, t, MESSAGE_LIMITS.text);
  return {
    kind: 'text',
    content: content.text.trim() === '' ? plain('…') : content,
    keyboard: renderKeyboard(plainActions(blocks, actions)),
  };
}

/** What is said instead of files that could not be sent: why, and where they are. `blocks` are the words that would have been theirs. */
export function renderMissing(
  { blocks, actions }: Pick<Reply, 'blocks' | 'actions'>,
  missing: readonly DeliveredLink[],
  t: Translator,
): TextPayload {
  const reasons = [...new Set(missing.map(({ reason }) => reason))];
  const said = reasons.map((reason): Block => ({ kind: 'text', text: [t.messages.errors[reason]({})] }));
  const known = actions.flatMap(action => (action.kind === 'link' ? [action.url] : []));
  const addresses = [...new Set(missing.map(({ url }) => url))].filter(url => !known.includes(url));
  const links = addresses.map((url): Block => ({ kind: 'text', text: [url] }));
  return renderText([...blocks, ...said, ...links], actions, t);
}

function linkBlock(links: readonly Action[]): readonly Block[] {
  const shown = links.flatMap(action => (action.kind === 'link' && isWebAddress(action.url) ? [action] : []));
  const text = shown.flatMap(({ label, url }, index) => [
    ...(index === 0 ? [] : [' · ']),
    { kind: 'link' as const, url, children: [label] },
  ]);
  return text.length === 0 ? [] : [{ kind: 'text', text }];
}

/** Photos and films go together, sounds with sounds, in order. */
function grouped(gallery: readonly GalleryItem[]): readonly (readonly GalleryItem[])[] {
  const groups: GalleryItem[][] = [];
  for (const item of gallery) {
    const group = groups.at(-1);
    const like = group?.[0];
    const fits = group !== undefined && group.length < MESSAGE_LIMITS.album;
    if (fits && like !== undefined && isSound(like) === isSound(item)) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

function isSound({ post, index, form }: GalleryItem): boolean {
  return form === 'audio' || post.items[index]?.kind === 'audio';
}

interface Part {
  readonly content: FormattedText;
  readonly folded: boolean;
  /** What stands between it and the part before. */
  readonly before: string;
}

/** Blocks as one text of at most `max` units. What may be folded gives way first. */
export function renderBlocks(blocks: readonly Block[], t: Translator, max: number): FormattedText {
  const parts = partsOf(blocks, t);
  const total = parts.reduce((sum, { content, before }) => sum + before.length + content.text.length, 0);
  let excess = total - max;
  const fitted = parts.map(part => {
    const { content, folded, before } = part;
    const cut = folded && excess > 0 ? shorten(content, Math.max(1, content.text.length - excess)) : content;
    excess -= content.text.length - cut.text.length;
    return concat([plain(before), folded ? quoted(cut) : cut]);
  });
  return shorten(concat(fitted), max);
}

function partsOf(blocks: readonly Block[], t: Translator): readonly Part[] {
  const parts: Part[] = [];
  let before = '';
  for (const block of plainBlocks(blocks)) {
    const content = renderBlock(block, t);
    if (content.text.trim() === '') {
      if (before !== '') before = '\n\n';
      continue;
    }
    const folded = block.kind === 'text' && block.folded === true;
    parts.push({ content, folded, before });
    before = block.kind === 'heading' || folded ? '\n' : '\n\n';
  }
  return parts;
}

function renderBlock(block: PlainBlock, t: Translator): FormattedText {
  switch (block.kind) {
    case 'heading':
      return covered(formatText(block.text, t), 'bold');
    case 'text':
      return formatText(block.text, t);
    case 'fields':
      return concat(
        block.fields.map(({ label, value }, index) =>
          concat([
            plain(index === 0 ? '' : '\n'),
            covered(plain(`${label}:`), 'bold'),
            plain(' '),
            formatText(value, t),
          ]),
        ),
      );
    case 'image':
      return formatText([{ kind: 'link', url: block.url, children: [block.alt === '' ? block.url : block.alt] }], t);
    case 'divider':
      return EMPTY;
  }
}

const LONG_QUOTE = 280;
const LONG_QUOTE_LINES = 5;

/** Long ones are folded by Telegram itself. */
function quoted(content: FormattedText): FormattedText {
  const isLong = content.text.length > LONG_QUOTE || content.text.split('\n').length > LONG_QUOTE_LINES;
  return isLong ? covered(content, 'expandable_blockquote') : content;
}
