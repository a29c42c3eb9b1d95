import type { Action, Block, Card, GalleryItem, Image, Reply } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DeliveredLink } from '../../../media/delivery/delivery.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button, Keyboard, LinkPreview } from '../api/methods.ts';
import { ownNumber, renderBlocks } from './block-text.ts';
import { EMPTY, type FormattedText, isWebAddress, plain, type Voice } from './formatted-text.ts';
import { type NumberButton, renderKeyboard } from './keyboard.ts';
import { pagesOf } from './people.ts';

export interface TextPayload {
  readonly kind: 'text';
  readonly content: FormattedText;
  readonly preview: LinkPreview;
  readonly keyboard: Keyboard | undefined;
}

/** A photo at an address, or one that is drawn. */
export type Photo = Image | Extract<Block, { kind: 'picture' }>;

export interface PhotoPayload {
  readonly kind: 'photo';
  readonly photo: Photo;
  readonly isHidden: boolean;
  readonly caption: FormattedText;
  readonly keyboard: Keyboard | undefined;
  /** Where there is no photo to be had. */
  readonly instead: TextPayload;
}

/** One file, or up to ten that may stand in one album. */
export interface MediaPayload {
  readonly kind: 'media';
  readonly items: readonly GalleryItem[];
  readonly caption: FormattedText;
  /** For a single file; albums have none. */
  readonly keyboard: Keyboard | undefined;
}

/** Comes after albums: what they hold, and the buttons that they cannot have. */
export interface FollowUpPayload {
  readonly kind: 'followUp';
  readonly content: FormattedText;
  readonly keyboard: Keyboard | undefined;
}

export type Payload = TextPayload | PhotoPayload | MediaPayload | FollowUpPayload;

export interface RenderContext {
  readonly t: Translator;
  /** Buttons of this platform's own, under a single file. */
  readonly extra?: readonly Button[];
}

/** How a reply is written. */
export type Wording = Translator & Voice;

export function wordingOf(reply: Reply, t: Translator): Wording {
  return { ...t, pageOf: pagesOf(reply), isHidden: reply.isHidden === true };
}

/**
 * Reply -> messages. Pure. The words go under the first file. Albums take no buttons: their links stand in the caption, and buttons
 * that do something come in a message of their own.
 */
export function render(reply: Reply, { t: translator, extra = [] }: RenderContext): readonly Payload[] {
  const { blocks, gallery, actions } = reply;
  const t = wordingOf(reply, translator);
  if (gallery.length === 0) return renderWords(blocks, actions, t);
  const groups = grouped(gallery);
  const [first] = groups;
  if (groups.length === 1 && first?.length === 1) {
    const caption = renderBlocks(blocks, t, MESSAGE_LIMITS.caption);
    return [{ kind: 'media', items: first, caption, keyboard: renderKeyboard(actions, { extra }) }];
  }
  const links = actions.filter(({ kind }) => kind === 'link');
  const buttons = actions.filter(({ kind }) => kind !== 'link');
  const caption = renderBlocks([...blocks, ...linkBlock(links)], t, MESSAGE_LIMITS.caption);
  const albums = groups.map(
    (items, index): Payload => ({ kind: 'media', items, caption: index === 0 ? caption : EMPTY, keyboard: undefined }),
  );
  return [...albums, { kind: 'followUp', content: plain(contentsOf(gallery, t)), keyboard: renderKeyboard(buttons) }];
}

/** The words under a file. */
export function renderCaption(reply: Reply, t: Translator): FormattedText {
  return renderBlocks(reply.blocks, wordingOf(reply, t), MESSAGE_LIMITS.caption);
}

/** Words, under a photo where there is one and they fit. */
function renderWords(blocks: readonly Block[], actions: readonly Action[], t: Wording): readonly Payload[] {
  const photo = photoOf(blocks);
  if (photo === undefined) return [renderText(blocks, actions, t)];
  const words = blocks.filter(block => block !== photo);
  const { isHidden = false } = t;
  const { said, buttons, numbers } = arranged(words, actions);
  const whole = renderBlocks(said, t, Number.POSITIVE_INFINITY, numbers.length > 0);
  const instead = renderText(blocks, actions, t);
  if (whole.text.length <= MESSAGE_LIMITS.caption) {
    return [
      { kind: 'photo', photo, isHidden, caption: whole, keyboard: renderKeyboard(buttons, { numbers }), instead },
    ];
  }
  if (photo.kind === 'image') return [instead];
  const caption = renderBlocks(said.slice(0, 1), t, MESSAGE_LIMITS.caption);
  const alone = renderText([{ kind: 'text', text: [photo.alt] }], [], t);
  return [
    { kind: 'photo', photo, isHidden, caption, keyboard: undefined, instead: alone },
    renderText(said.length > 1 && said[0]?.kind === 'heading' ? words.slice(1) : words, actions, t),
  ];
}

/** What is drawn cannot be shown in any other way; of images the first. */
function photoOf(blocks: readonly Block[]): Photo | undefined {
  const drawn = blocks.find(block => block.kind === 'picture');
  const first = blocks.find(({ kind }) => kind !== 'divider');
  return drawn ?? (isImage(first) ? first : undefined);
}

function isImage(block: Block | undefined): block is Image {
  return block?.kind === 'image' && isWebAddress(block.url);
}

/** A text message. Its first image, or the cover of its first card, is the preview above it. */
export function renderText(blocks: readonly Block[], actions: readonly Action[], t: Wording): TextPayload {
  // A preview cannot be hidden.
  const image = t.isHidden === true ? undefined : previewOf(blocks);
  const { said, buttons, numbers } = arranged(
    blocks.filter(block => block !== image),
    actions,
  );
  const content = renderBlocks(said, t, MESSAGE_LIMITS.text, numbers.length > 0);
  return {
    kind: 'text',
    content: content.text.trim() === '' ? plain('…') : content,
    preview: image ? { url: image.url, prefer_large_media: true, show_above_text: true } : { is_disabled: true },
    keyboard: renderKeyboard(buttons, { numbers }),
  };
}

function previewOf(blocks: readonly Block[]): Image | undefined {
  const first = blocks.find(({ kind }) => kind !== 'divider');
  if (isImage(first)) return first;
  const covers = blocks.flatMap(block => (block.kind === 'card' && block.image ? [block.image] : []));
  return covers.find(({ url }) => isWebAddress(url));
}

interface Arranged {
  readonly said: readonly Block[];
  readonly buttons: readonly Action[];
  /** Of the cards, in order. Empty when cards have no numbers. */
  readonly numbers: readonly NumberButton[];
}

/** Sounds become buttons. Cards are opened by their numbers, and a menu of the same things is left out. */
function arranged(blocks: readonly Block[], actions: readonly Action[]): Arranged {
  const sounds = blocks.flatMap((block): Action[] =>
    block.kind === 'sound' && isWebAddress(block.url) ? [{ kind: 'link', label: block.label, url: block.url }] : [],
  );
  const said = blocks.filter(block => block.kind !== 'sound' || !isWebAddress(block.url));
  const cards = blocks.filter(block => block.kind === 'card');
  const openers = openersOf(cards, actions);
  const opened = new Set(openers);
  const others = actions.filter(
    action => action.kind !== 'menu' || !action.choices.every(({ token }) => opened.has(token)),
  );
  if (cards.length > 1 && openers.some(token => token !== undefined)) {
    const numbers = cards.map((card, index) => ({ number: ownNumber(card) ?? `${index + 1}`, token: openers[index] }));
    return { said, buttons: [...others, ...sounds], numbers };
  }
  const known = new Set(actions.flatMap(action => (action.kind === 'button' ? [action.token] : [])));
  const own = cards.flatMap(({ action }) => (action?.kind === 'button' && !known.has(action.token) ? [action] : []));
  return { said, buttons: [...own, ...(own.length > 0 ? others : actions), ...sounds], numbers: [] };
}

/** Their own button, or their place in a menu with as many choices. */
function openersOf(cards: readonly Card[], actions: readonly Action[]): readonly (string | undefined)[] {
  const menu = actions.find(action => action.kind === 'menu' && action.choices.length === cards.length);
  const choices = menu?.kind === 'menu' ? menu.choices : [];
  return cards.map(({ action }, index) => (action?.kind === 'button' ? action.token : choices[index]?.token));
}

/** What is said instead of files that could not be sent: why, and where they are. `blocks` are the words that would have been theirs. */
export function renderMissing(
  { blocks, actions }: Pick<Reply, 'blocks' | 'actions'>,
  missing: readonly DeliveredLink[],
  t: Wording,
): TextPayload {
  const said = [...new Set(missing.map(link => reasonOf(link, t)))].map(
    (text): Block => ({ kind: 'text', text: [text] }),
  );
  const known = actions.flatMap(action => (action.kind === 'link' ? [action.url] : []));
  const addresses = [...new Set(missing.map(({ url }) => url))].filter(url => !known.includes(url));
  const links = addresses.map((url): Block => ({ kind: 'text', text: [url] }));
  const text = renderText([...blocks, ...said, ...links], actions, t);
  const page = missing.find(({ leadsTo }) => leadsTo === 'page')?.url;
  if (page === undefined || t.isHidden === true) return text;
  return { ...text, preview: { url: page, prefer_large_media: true, show_above_text: true } };
}

function reasonOf({ reason, leadsTo }: DeliveredLink, t: Translator): string {
  return leadsTo === 'page' && reason === 'too_large' ? t.messages.post.tooLargeHere : t.error(reason);
}

function linkBlock(links: readonly Action[]): readonly Block[] {
  const shown = links.flatMap(action => (action.kind === 'link' && isWebAddress(action.url) ? [action] : []));
  const text = shown.flatMap(({ label, url }, index) => [
    ...(index === 0 ? [] : [' · ']),
    { kind: 'link' as const, url, children: [label] },
  ]);
  return text.length === 0 ? [] : [{ kind: 'text', text }];
}

/** `3 photos, 2 videos` */
function contentsOf(gallery: readonly GalleryItem[], t: Translator): string {
  const { photos, videos, audios } = t.messages.telegram;
  const kinds = gallery.map(item => (isSound(item) ? 'audio' : (item.post.items[item.index]?.kind ?? 'image')));
  const count = (kind: (typeof kinds)[number]) => kinds.filter(each => each === kind).length;
  const counts = [
    [count('image'), photos],
    [count('video'), videos],
    [count('audio'), audios],
  ] as const;
  return counts.flatMap(([n, words]) => (n === 0 ? [] : [words({ n })])).join(', ');
}

/** Photos and videos go together, audio with audio, in order. */
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

export function isSound({ post, index, form }: GalleryItem): boolean {
  return form === 'audio' || post.items[index]?.kind === 'audio';
}
