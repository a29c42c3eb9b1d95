import type { Block, GalleryItem, Reply } from '../../../bot/contract/reply.ts';
import { joined, link, textBlock } from '../../../bot/contract/reply-parts.ts';
import { linkReason } from '../../../bot/views/post.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { DeliveredLink } from '../../../media/delivery/delivery.ts';
import { MESSAGE_LIMITS, type TelegramLimits } from '../api/limits.ts';
import type { Button, Keyboard } from '../api/methods.ts';
import type { PressedButton } from '../api/reply-to.ts';
import { renderCaption } from './file-fields.ts';
import { EMPTY, type FormattedText, isWebAddress, plainText, styleOf } from './formatted-text.ts';
import { renderKeyboard } from './keyboard.ts';
import { type PhotoPayload, previewOf, renderText, renderWords, type TextPayload } from './text-message.ts';

/** One file, or up to ten that may share an album. */
export interface MediaPayload {
  readonly kind: 'media';
  readonly items: readonly GalleryItem[];
  readonly caption: FormattedText;
  /** The keyboard of a single file; undefined for an album, for which Telegram allows none. */
  readonly keyboard: Keyboard | undefined;
}

/** A message that follows albums: it counts their files, and has the buttons that albums cannot have. */
export interface FollowUpPayload {
  readonly kind: 'followUp';
  readonly content: FormattedText;
  readonly keyboard: Keyboard | undefined;
}

export type Payload = TextPayload | PhotoPayload | MediaPayload | FollowUpPayload;

/**
 * Renders a reply as messages. Pure. The text becomes the first file's caption. Albums cannot have buttons: links go
 * into the caption, other buttons into a message behind the albums.
 * @param extra buttons that only Telegram has, for a single file
 */
export function renderReply(reply: Reply, t: Translator, extra: readonly Button[] = []): readonly Payload[] {
  const { blocks, gallery, actions } = reply;
  const style = styleOf(reply, t);
  if (gallery.length === 0) return renderWords(blocks, actions, style);
  if (gallery.length === 1) {
    const keyboard = renderKeyboard(actions, { extra });
    return [{ kind: 'media', items: gallery, caption: renderCaption(blocks, style), keyboard }];
  }
  const links = actions.filter(action => action.kind === 'link').filter(({ url }) => isWebAddress(url));
  const buttons = actions.filter(({ kind }) => kind !== 'link');
  const below = textBlock(joined(links.map(({ url, label }) => [link(url, label)])));
  const caption = renderCaption(links.length === 0 ? blocks : [...blocks, below], style);
  const albums = albumsOf(gallery).map(
    (items, index): Payload => ({ kind: 'media', items, caption: index === 0 ? caption : EMPTY, keyboard: undefined }),
  );
  return [
    ...albums,
    { kind: 'followUp', content: plainText(contentsOf(gallery, t)), keyboard: renderKeyboard(buttons) },
  ];
}

/** Says why files were not sent, and where they are. @param blocks the text that would have been their caption */
export function renderMissing(
  reply: Reply,
  blocks: readonly Block[],
  missing: readonly DeliveredLink[],
  t: Translator,
): TextPayload {
  const { actions } = reply;
  const reasons = new Set(missing.map(file => linkReason(file, t)));
  const known = actions.flatMap(action => (action.kind === 'link' ? [action.url] : []));
  const addresses = new Set(missing.map(({ url }) => url).filter(url => !known.includes(url)));
  const sentences = [...reasons, ...addresses].map(text => textBlock([text]));
  const style = styleOf(reply, t);
  const text = renderText([...blocks, ...sentences], actions, style);
  const page = missing.find(({ leadsTo }) => leadsTo === 'page')?.url;
  // A preview would show what a spoiler hides; a sensitive post's files are hidden even where its text is not.
  const isHidden = style.isHidden === true || reply.gallery.some(({ spoiler }) => spoiler);
  return page === undefined || isHidden ? text : { ...text, preview: previewOf(page) };
}

/** The contents of a gallery in words such as `3 photos, 2 videos`. */
function contentsOf(gallery: readonly GalleryItem[], t: Translator): string {
  const { photos, videos, audios } = t.messages.telegram;
  const kinds = gallery.map(item => (isAudio(item) ? 'audio' : (item.post.items[item.index]?.kind ?? 'image')));
  const count = (kind: (typeof kinds)[number]) => kinds.filter(each => each === kind).length;
  const counts = [
    [count('image'), photos],
    [count('video'), videos],
    [count('audio'), audios],
  ] as const;
  return counts.flatMap(([n, words]) => (n === 0 ? [] : [words({ n })])).join(t.comma);
}

/** Divides a gallery into albums, in order. Photos and videos may share an album; audio files have their own. */
function albumsOf(gallery: readonly GalleryItem[]): readonly (readonly GalleryItem[])[] {
  const albums: GalleryItem[][] = [];
  for (const item of gallery) {
    const album = albums.at(-1);
    const [like] = album ?? [];
    const fits = album !== undefined && album.length < MESSAGE_LIMITS.album;
    if (fits && like !== undefined && isAudio(like) === isAudio(item)) album.push(item);
    else albums.push([item]);
  }
  return albums;
}

export function isAudio({ post, index, form }: GalleryItem): boolean {
  return form === 'audio' || post.items[index]?.kind === 'audio';
}

/** One message may be needed to say that files could not be sent. */
const CLOSING = 1;
/** The most messages that follow the albums: one FollowUpPayload. */
const FOLLOW_UP = 1;

/**
 * The most messages that a reply takes of a group's rate limit: each file of an album counts as 1, an edit as 0.
 * @param mayBeRich false for a gallery whose rich message Telegram is known to refuse
 */
export function messagesOf(
  { press }: { readonly press?: PressedButton | undefined },
  reply: Reply | undefined,
  { richFrom }: Pick<TelegramLimits, 'richFrom'>,
  mayBeRich: (gallery: readonly GalleryItem[]) => boolean,
): number {
  if (reply === undefined) return press === undefined ? 1 : 0;
  const { gallery, blocks } = reply;
  if (gallery.length === 0) {
    if (press !== undefined) return 0;
    // If the text is too long for an image card's caption, it follows in a second message.
    return blocks.some(({ kind }) => kind === 'picture') ? 2 : 1;
  }
  const isRich = gallery.length >= Math.max(2, richFrom) && gallery.length <= MESSAGE_LIMITS.richMedia;
  if (gallery.length === 1 || (isRich && !gallery.some(isAudio) && mayBeRich(gallery))) return 1 + CLOSING;
  return gallery.length + FOLLOW_UP + CLOSING;
}
