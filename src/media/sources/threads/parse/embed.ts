/** The embed of a post, by the names of its classes (2026-09 to 2026-10). Pure. */
import { AppError } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import { readMarkup, visibleMarkup } from '../../../parse/markup.ts';
import { NO_STATS, type UnplacedItem } from '../../../post.ts';
import { readAddress, UNKNOWN_SIZE } from '../../kit/cdn-address.ts';
import { type PostDraft, UNKNOWN_AUTHOR } from '../../kit/draft.ts';
import { imageItem, videoItem } from '../../kit/media-files.ts';
import { weakNotFound } from '../../kit/refusal.ts';
import { threadsIdOf, threadsRefOf } from '../link.ts';
import { pacificInstant } from './timestamp.ts';

type Region = 'avatar' | 'topic' | 'link' | 'name' | 'text' | 'count' | 'time' | 'media' | 'slot' | 'video-slot';

/** Of several classes of an element the first of the table counts. */
const REGIONS: readonly (readonly [string, Region])[] = [
  ['AvatarContainer', 'avatar'],
  // The link of a topic is a `HeaderLink` too.
  ['TopicTagWrapper', 'topic'],
  ['LinkContainer', 'link'],
  ['HeaderLink', 'name'],
  ['BodyTextContainer', 'text'],
  ['ActionBarCount', 'count'],
  ['Timestamp', 'time'],
  // Each holds one file.
  ['SingleInnerMediaContainerVideo', 'video-slot'],
  ['MediaScrollImageContainer', 'slot'],
  ['SingleInnerMediaContainer', 'slot'],
  ['SoloMediaContainer', 'media'],
  ['MediaContainer', 'media'],
  ['MediaScrollContainer', 'media'],
];
const isSlot = (region: Region | null) => region === 'slot' || region === 'video-slot';

/** A post as the page draws it: the asked one, its parent above it, or one that it quotes within it. */
class DrawnPost {
  isParent = false;
  id: string | null = null;
  hasHeader = false;
  isVerified = false;
  avatar: unknown;
  readonly words = { name: '', text: '', time: '' };
  /** By icon: likes, replies, reposts, shares. */
  readonly counts: string[] = [];
  readonly items: (UnplacedItem | null)[] = [];
  quoted: DrawnPost | null = null;
  /** The page marks the asked post so, and at times what that quotes. */
  readonly isFull: boolean;

  constructor(isFull: boolean) {
    this.isFull = isFull;
  }

  get isBlank(): boolean {
    return this.words.name === '' && this.words.text === '' && this.items.length === 0;
  }

  /** The number is missing where it is 0; from 1,000 on it is shortened, and then not known. */
  #count(icon: number): number | null {
    const shown = this.counts[icon]?.trim().replaceAll(',', '') ?? '-';
    return /^\d{0,12}$/.test(shown) ? Number(shown) : null;
  }

  toDraft(): PostDraft {
    const { name, text, time } = this.words;
    const caption = text.replaceAll('\ufffc', '').replaceAll('\u00a0', ' ').trim() || null;
    const username = /^[\w.]{1,30}$/.exec(name.trim())?.[0] ?? null;
    // A name without the badge beside it is not verified.
    const verified = this.hasHeader ? this.isVerified : null;
    const quotedRef = threadsRefOf(this.quoted?.id ?? '');
    return {
      author: { ...UNKNOWN_AUTHOR, username, verified, avatarUrl: readAddress(this.avatar) },
      title: null,
      caption,
      publishedAt: pacificInstant(time),
      stats: { ...NO_STATS, likes: this.#count(0), comments: this.#count(1), shares: this.#count(3) },
      items: this.items,
      coverUrl: this.items[0]?.thumbnailUrl ?? null,
      isWordsOnly: caption !== null || this.quoted !== null,
      quoted: this.quoted && quotedRef ? { ref: quotedRef, draft: this.quoted.toDraft() } : null,
    };
  }
}

interface Frame {
  readonly post: DrawnPost | null;
  readonly region: Region | null;
  /** How many items the post had before the element, which is the place of one. */
  readonly slotAt?: number;
}

type Attributes = Readonly<Record<string, string>>;

/** An embed's markup, scripts apart, is under 100 KB. */
const MAX_MARKUP_CHARS = 512 * 1024;
const MAX_TEXT_CHARS = 50_000;
const MAX_ITEMS = 60;

class EmbedMarkup {
  /** The outermost, from above. */
  readonly posts: DrawnPost[] = [];
  readonly #frames: Frame[] = [];
  #video: Attributes | null = null;
  #sources: unknown[] = [];

  constructor(html: string) {
    readMarkup(visibleMarkup(html, MAX_MARKUP_CHARS), this, { xml: false });
  }

  onopentag(name: string, attributes: Attributes): void {
    const classes = (attributes.class ?? '').split(/\s+/);
    const outer = this.#frames.at(-1) ?? { post: null, region: null };
    const post = this.#postOf(classes, outer.post);
    const region = post === outer.post ? regionOf(classes, outer.region, post) : null;
    const opensSlot = isSlot(region) && !isSlot(outer.region);
    this.#frames.push({ post, region, ...(opensSlot && post && { slotAt: post.items.length }) });
    if (post === null) return;
    if (region === 'name') post.hasHeader = true;
    if (region === 'text' && name === 'br') post.words.text += '\n';
    if (region === 'avatar' && name === 'img') post.avatar ??= attributes.src;
    if (classes.includes('VerifiedBadge')) post.isVerified = true;
    if (classes.includes('ActionBarIcon')) post.counts.push('');
    // Where a quote has no link of its own kind, any that is not in its text is to its post.
    const isLink = region === 'link' || (region !== 'text' && !this.posts.includes(post));
    if (isLink && name === 'a') post.id ??= threadsIdOf(attributes.href);
    if (region !== 'avatar' && region !== 'topic') this.#readFile(name, attributes, post, region);
  }

  ontext(text: string): void {
    const { post, region } = this.#frames.at(-1) ?? {};
    if (!post) return;
    if (region === 'count') post.counts.push((post.counts.pop() ?? '') + text.slice(0, 20));
    if (region !== 'name' && region !== 'text' && region !== 'time') return;
    if (post.words[region].length < MAX_TEXT_CHARS) post.words[region] += text;
  }

  /** Void elements are closed by the parser too. */
  onclosetag(name: string): void {
    const { post, slotAt } = this.#frames.pop() ?? {};
    if (name === 'video' && this.#video !== null) {
      const files = this.#sources.map(url => ({ url, ...UNKNOWN_SIZE }));
      const covers = [{ url: this.#video.poster, ...UNKNOWN_SIZE }];
      post?.items.push(videoItem({ files, covers, alt: altOf(this.#video) }));
      this.#video = null;
    }
    // A place without a file is an item that could not be read.
    if (post?.items.length === slotAt) post?.items.push(null);
  }

  #postOf(classes: readonly string[], post: DrawnPost | null): DrawnPost | null {
    if (!classes.includes('QuotePostContainer') && !classes.includes('OuterContainer')) {
      if (post === null || !classes.includes('BodyContainerParent')) return post;
      post.isParent = !post.isFull;
      // Drawn within the frame of its reply, the parent is another post all the same.
      return post.isFull ? new DrawnPost(false) : post;
    }
    // The frame of a quote holds the frame of its post.
    if (post !== null && !this.posts.includes(post) && post.isBlank) return post;
    const drawn = new DrawnPost(classes.includes('OuterContainerFull'));
    if (post === null) this.posts.push(drawn);
    else post.quoted ??= drawn;
    return drawn;
  }

  #readFile(name: string, attributes: Attributes, post: DrawnPost, region: Region | null): void {
    if (name === 'source') this.#sources.push(attributes.src);
    if (post.items.length >= MAX_ITEMS) return;
    if (name === 'video') {
      this.#video = attributes;
      this.#sources = [attributes.src];
    } else if (name === 'img' && region !== 'video-slot' && this.#video === null && isMedia(attributes.src, region)) {
      post.items.push(imageItem({ files: [{ url: attributes.src, ...UNKNOWN_SIZE }], alt: altOf(attributes) }));
    }
  }
}

function regionOf(classes: readonly string[], outer: Region | null, post: DrawnPost | null): Region | null {
  if (outer === 'avatar' || outer === 'topic' || outer === 'video-slot') return outer;
  const own = REGIONS.find(([name]) => classes.includes(name))?.[1];
  // The first link of the header names the author.
  if (own === 'name' && post?.hasHeader) return null;
  return own ?? outer;
}

function altOf({ alt, 'aria-label': label }: Attributes): string | null {
  return alt?.trim() || label?.trim() || null;
}

/** Files of posts, unlike avatars and pictures of linked pages, are known by their path where the name of their place is new. */
function isMedia(src: string | undefined, region: Region | null): boolean {
  const type = /\/t51\.[\d-]{1,20}-(\d+)\//.exec(src?.slice(0, 1_000) ?? '')?.[1];
  return type !== '19' && (type === '15' || region === 'media' || isSlot(region));
}

/** @throws AppError where the post is not shown, or not in a way that is known. */
export function parseEmbed(page: Body, ref: PostRef): PostDraft {
  const { posts } = new EmbedMarkup(page.text);
  const own = posts.filter(post => !post.isParent);
  const asked = own.findLast(({ id }) => id === ref.id) ?? own.findLast(({ id, isFull }) => id === null && isFull);
  // Gone, private and for members alone look the same.
  if (asked === undefined && page.includes('Thread not available')) {
    throw new AppError('not_found', 'the embed says that the thread is not available');
  }
  if (asked === undefined) throw new AppError('upstream_changed', 'an embed that does not mark the asked post');
  if (asked.isBlank && asked.id === null) throw weakNotFound('the embed is a frame with an avatar at most');
  return asked.toDraft();
}
