import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { DeliveredLink, Reduction } from '../../media/delivery/delivery.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';
import { type Clip, momentText } from '../../media/files/clip.ts';
import { authorAddress, itemCount, type MediaItem, type Post, playableVariants } from '../../media/post.ts';
import type { Block, Colour, GalleryItem, Heading, Inline, Reply, Text } from '../contract/reply.ts';
import { button, headingBlock, labelled, reply, strong, textBlock } from '../contract/reply-parts.ts';
import type { ChatSettings, Site, View } from '../contract/settings.ts';
import { errorSentence } from './notice.ts';

/** A source as a post's card shows it. */
export type CardSite = Site & Pick<SourceDescriptor, 'colour' | 'authorPage'>;

/** The site of a post, as the post's card names it. */
interface PostSite {
  readonly name: string;
  readonly colour?: Colour;
  /** The address of the author's page on the site. */
  readonly authorUrl?: string;
}

/** The site of a post; a source that no longer exists is named by its id. */
export function postSite({ source, author }: Post, sites: readonly CardSite[], t: Translator): PostSite {
  const site = sites.find(({ id }) => id === source);
  if (site === undefined) return { name: source };
  const authorUrl = site.authorPage && authorAddress(site.authorPage, author);
  return { name: t.site(site), colour: site.colour, ...(authorUrl !== undefined && { authorUrl }) };
}

export interface PostViewOptions {
  /** The indexes in `post.items` of the items to show, in order. */
  readonly indexes: readonly number[];
  readonly form: GalleryItem['form'];
  readonly site: PostSite;
  /** True to quote the caption. Default true. */
  readonly captions?: boolean | undefined;
  /** How the post is shown. Default: `card`, with text and files. */
  readonly view?: View;
  /** The part of a video to show; `isRough` when it can only begin and end near the requested times. */
  readonly clip?: { readonly range: Clip; readonly isRough: boolean } | undefined;
  /** True to show files behind a spoiler, as a sensitive post's files always are. */
  readonly spoiler?: boolean | undefined;
  /** The most files to show. Default: all. */
  readonly cap?: number | null;
  /** Zero-based index of the requested item, if it could not be fetched. */
  readonly missing?: number | undefined;
  /** The site of the quoted post, if that is shown below the post. */
  readonly quotedSite?: PostSite | undefined;
  /** The token of a button that translates the post, if the post is not in the reader's language. */
  readonly translateToken?: string | undefined;
  /** True for a post that is only shown because another one quotes it. */
  readonly isQuoted?: boolean;
}

const SEPARATOR = ' · ';

/** Renders a post: its author and site, the known counts, its text, its files and a link to the original. */
export function renderPost(post: Post, t: Translator, options: PostViewOptions): Reply {
  const { form, site, captions = true, view = 'card', cap = null } = options;
  const { clip, translateToken } = options;
  const spoiler = options.spoiler === true || post.sensitive;
  const indexes = options.indexes.slice(0, cap ?? options.indexes.length);
  const notes = notesOf(post, t, options).map(text => textBlock([text]));
  const gallery = indexes.map((index): GalleryItem => {
    return { kind: 'media', post, index, form, spoiler, ...(clip && { clip: clip.range }) };
  });
  const original = { kind: 'link' as const, label: t.messages.post.openOriginal, url: post.url };
  if (view === 'media' && gallery.length > 0) {
    // The notes say which files are missing, so a link to the original is needed: the pasted message may be deleted.
    const actions = notes.length > 0 ? [original] : [];
    return reply({ blocks: notes, gallery, actions, ...quotedOf(post, t, options) });
  }
  const blocks: Block[] = [postHeading(post, site, t)];
  const details = detailsLine(post, t, options);
  if (details.length > 0) blocks.push({ kind: 'text', text: details, small: true });
  const title = distinctTitle(post);
  if (title) blocks.push(textBlock([strong(title)]));
  const caption = post.caption?.trim();
  const isWords = isWordsOnly(post);
  const isSaid = (captions || isWords) && caption !== undefined && caption !== '';
  if (isSaid) blocks.push({ kind: 'text', text: [caption], folded: true });
  const translation = isSaid && translateToken !== undefined ? [button(t.messages.post.translate, translateToken)] : [];
  return reply({
    blocks: [...blocks, ...notes],
    gallery: view === 'text' ? [] : gallery,
    actions: [original, ...translation],
    ...(isWords && { onlyWhenAsked: true }),
    ...(site.colour && { colour: site.colour }),
    ...quotedOf(post, t, options),
  });
}

/** Renders a sentence and a link, instead of a sensitive post in a chat that does not show them. */
export function renderWithheld(post: Post, { sensitive }: Pick<ChatSettings, 'sensitive'>, t: Translator): Reply {
  const { withheld, openOriginal } = t.messages.post;
  return reply({
    blocks: [textBlock([sensitive === 'never' ? withheld.never : withheld.restricted])],
    actions: [{ kind: 'link', label: openOriginal, url: post.url }],
    ...(isWordsOnly(post) && { onlyWhenAsked: true }),
  });
}

/**
 * The quoted post under its own author's name, with as many files as the quoting post leaves of the limit. All files are
 * behind a spoiler if either post is sensitive: the site may mark only the quoting one because of what it quotes.
 */
function quotedOf({ quoted, sensitive }: Post, t: Translator, options: PostViewOptions): Pick<Reply, 'quoted'> {
  const { quotedSite, indexes, form, cap = null, view, captions } = options;
  if (quoted === null || quotedSite === undefined) return {};
  const left = cap === null ? null : Math.max(0, cap - indexes.length);
  const shown = renderPost(quoted, t, {
    ...{ form, cap: left, captions, site: quotedSite, isQuoted: true },
    spoiler: options.spoiler === true || sensitive,
    indexes: quoted.items.map((_, index) => index),
    view: view === 'text' || left === 0 ? 'text' : 'card',
  });
  return { quoted: shown };
}

/** True when neither the post nor the one that it quotes has files. */
function isWordsOnly(post: Post): boolean {
  return itemCount(post) === 0 && (post.quoted === null || itemCount(post.quoted) === 0);
}

/** The mark is behind a no-break space, so that it stays on the line on which the name ends. */
const VERIFIED_MARK = '\u00a0✓';

/** The author with avatar and link; if the author is unknown, the site. */
function postHeading({ author }: Post, { name: site, colour, authorUrl }: PostSite, t: Translator): Heading {
  const { untitled, avatar } = t.messages.post;
  const name = unspoofed(author.name);
  const username = unspoofed(author.username);
  const who: Inline[] = [];
  if (name && name !== username) who.push(strong(name));
  if (username) who.push(`${who.length > 0 ? ' ' : ''}@${username}`);
  const mark = colour === undefined ? {} : { site: { name: site, colour } };
  if (who.length === 0) return { ...headingBlock([untitled({ site })]), ...mark };
  const led: Text = authorUrl === undefined ? who : [{ kind: 'link', url: authorUrl, children: who }];
  return {
    kind: 'heading',
    text: author.verified === true ? [...led, VERIFIED_MARK] : led,
    ...mark,
    ...(author.avatarUrl !== null && {
      image: { kind: 'image', url: author.avatarUrl, alt: avatar({ name: name || username }), ratio: 1 },
    }),
  };
}

/** The name in one line, without characters that turn the text around or imitate a verified mark. */
function unspoofed(name: string | null): string {
  return (name ?? '')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u2713\u2714]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/**
 * A title that contains this many characters of the caption's beginning is a copy of it. A shorter caption counts only
 * if it is at least half as long as the title, because a single word of the title is often the whole caption.
 */
const COPIED = 40;

/** The title, unless it only repeats the caption: often it is the caption's beginning with the author's name. */
function distinctTitle({ title, caption }: Post): string | undefined {
  const shown = title?.trim();
  if (!shown) return undefined;
  const words = folded(shown);
  const written = folded(caption ?? '');
  const beginning = written.slice(0, COPIED);
  const isMost = beginning.length >= Math.min(COPIED, words.length / 2);
  const isCopy = written !== '' && (written.startsWith(words) || (isMost && words.includes(beginning)));
  return isCopy ? undefined : shown;
}

function folded(text: string): string {
  return text
    .replace(/(?:\u2026|\.\.\.)\s*$/u, '')
    .replace(/\s+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** The site, the date and the known counts; an unknown count is left out, never shown as 0. */
function detailsLine(post: Post, t: Translator, { indexes, form, site, isQuoted }: PostViewOptions): Text {
  const words = t.messages.post;
  const { likes, comments, plays, views, shares } = post.stats;
  const counts = [
    [plays, words.plays],
    [views === plays ? null : views, words.views],
    [likes, words.likes],
    [comments, words.comments],
    [shares, words.shares],
  ] as const;
  // If the author's name is not known, the heading names the site, so this line does not.
  const isNamed = [post.author.name, post.author.username].some(name => unspoofed(name) !== '');
  const parts: Inline[] = [...(isQuoted ? [words.quoted] : []), ...(isNamed ? [site.name] : [])];
  for (const [count, word] of counts) if (count !== null) parts.push(word(t.counted(count)));
  if (post.publishedAt !== null) parts.push({ kind: 'time', at: post.publishedAt, style: 'date' });
  const [first, ...others] = indexes;
  if (first !== undefined && others.length === 0) {
    const count = itemCount(post);
    const item = post.items[first];
    if (count > 1) parts.push(words.itemOf({ n: (item?.position ?? first) + 1, total: count }));
    if (form === 'audio') parts.push(words.audioOnly);
    else if (item?.kind === 'video' && !hasSound(item) && playableVariants(item).length > 0) parts.push(words.silent);
  }
  return parts.flatMap((part, index) => (index === 0 ? [part] : [SEPARATOR, part]));
}

/** Notes about the files, which every view of a post shows: a cut, a limit, and which items could not be fetched. */
function notesOf(post: Post, t: Translator, options: PostViewOptions): readonly string[] {
  const words = t.messages.post;
  const { indexes, cap = null, clip, view, missing } = options;
  const total = itemCount(post);
  const notes: string[] = [];
  if (clip !== undefined) {
    const { startMs, endMs } = clip.range;
    notes.push(words.clip({ from: momentText(startMs), to: momentText(endMs) }));
    if (clip.isRough) notes.push(words.clipRough);
  }
  if (view !== 'text' && cap !== null && cap < indexes.length) notes.push(words.capped({ n: cap, total }));
  const lines = missing === undefined ? [] : [words.itemMissing({ n: missing + 1, total })];
  const isOnlyOne = missing !== undefined && post.missingItems === 1;
  if (post.missingItems > 0 && indexes.length === post.items.length && !isOnlyOne) {
    lines.push(words.missing({ n: post.missingItems, total }));
  }
  return lines.length === 0 ? notes : [...notes, lines.join(SEPARATOR)];
}

/** True unless it is certain that the item has no audio. */
export function hasSound(item: MediaItem): boolean {
  return item.kind !== 'image' && item.variants.some(variant => variant.hasAudio !== false);
}

/**
 * Renders a post whose files could not be fetched: its cover and author, and the reason for which the files are
 * missing.
 */
export function renderCover(post: Post, site: PostSite, reason: AppError, t: Translator): Reply {
  const { coverOnly, authorOnly, openOriginal } = t.messages.post;
  const caption = post.caption?.trim();
  // The cover is put first, because some platforms show only the first image.
  const cover: readonly Block[] =
    post.coverUrl === null ? [] : [{ kind: 'image', url: post.coverUrl, alt: t.messages.post.cover }];
  return reply({
    tone: 'notice',
    blocks: [
      ...cover,
      postHeading(post, site, t),
      ...(caption ? [{ kind: 'text', text: [caption], folded: true } as const] : []),
      textBlock([
        { kind: 'emphasis', children: [post.coverUrl === null ? authorOnly : coverOnly] },
        ' ',
        errorSentence(reason, t),
      ]),
    ],
    actions: [{ kind: 'link', label: openOriginal, url: post.url }],
    ...(site.colour && { colour: site.colour }),
  });
}

const MEGABYTE = 1_000_000;

/** The reason, as a sentence, for which a link is sent in place of a file. */
export function linkReason({ reason, leadsTo }: Pick<DeliveredLink, 'reason' | 'leadsTo'>, t: Translator): string {
  if (reason === 'stream') return t.error('upstream_unavailable', { what: 'stream' });
  return leadsTo === 'page' && reason === 'too_large' ? t.messages.post.tooLargeHere : t.error(reason);
}

/**
 * Says that the sent video is a smaller version, and links to the site's own. `which`: the sent video's name if there
 * are several.
 */
export function reductionText({ bytes, url, leadsTo }: Reduction, t: Translator, which?: string): Text {
  const { reduced, playWhole, openOriginal } = t.messages.post;
  const said = reduced({ size: t.megabytes(Math.max(bytes / MEGABYTE, 0.1)) });
  const label = leadsTo === 'original' ? openOriginal : playWhole;
  const words: Text = [`${said} `, { kind: 'link', url, children: [label] }];
  return which === undefined ? words : labelled([which], words, t);
}
