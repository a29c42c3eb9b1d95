/** Reads a post's embed by its class names (as seen from 2026-09 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import { weakNotFound } from '../../extract/refusal.ts';
import type { PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { type Attributes, readMarkup, visibleMarkup } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import { NO_STATS } from '../../post.ts';
import { readAddress } from '../kit/cdn-address.ts';
import { type DraftItem, EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { imageItem, videoItem } from '../kit/media-files.ts';
import { threadsIdOf, threadsRefOf } from './link.ts';

/** The places in an embed, by class name; the first match counts. A `slot` contains one file. */
const REGIONS = [
  ['avatar', /^AvatarContainer$/],
  // The link of a topic also has the class `HeaderLink`. Inside this region, that class is ignored.
  ['topic', /^TopicTagWrapper$/],
  ['link', /^LinkContainer$/],
  ['name', /^HeaderLink$/],
  ['text', /^BodyTextContainer$/],
  ['count', /^ActionBarCount$/],
  ['time', /^Timestamp$/],
  ['video-slot', /^SingleInnerMediaContainerVideo$/],
  ['slot', /^(?:MediaScrollImage|SingleInnerMedia)Container$/],
  ['media', /^(?:Solo|)Media(?:Scroll|)Container$/],
] as const;
type Region = (typeof REGIONS)[number][0] | null;
const isSlot = (region: Region) => region === 'slot' || region === 'video-slot';

/** A post in the embed: the requested one, its parent above it, or one that it quotes. */
class DrawnPost {
  /** True for a post that is shown in full: the requested one, and sometimes a quoted one. */
  isFull = false;
  isParent = false;
  id: string | null = null;
  hasHeader = false;
  isVerified = false;
  avatar: unknown;
  readonly words = { name: '', text: '', time: '' };
  /** The counts in the order of their icons: likes, replies, reposts, shares. */
  readonly counts: string[] = [];
  readonly items: DraftItem[] = [];
  quoted: DrawnPost | null = null;

  get isBlank(): boolean {
    return this.words.name === '' && this.words.text === '' && this.items.length === 0;
  }

  /** Reads the count beside an icon. The embed leaves out a 0, and shortens counts from 1,000 on. */
  #count(icon: number): number | null {
    const shown = this.counts[icon]?.trim();
    return shown === '' ? 0 : read.shownCount(shown);
  }

  toDraft(): PostDraft {
    const caption = this.words.text.replaceAll('\ufffc', '').replaceAll('\u00a0', ' ').trim() || null;
    const username = /^[\w.]{1,30}$/.exec(this.words.name.trim())?.[0] ?? null;
    // A badge beside the name means a verified author. Without a header, it is unknown if the author is verified.
    const verified = this.hasHeader ? this.isVerified : null;
    const quotedRef = threadsRefOf(this.quoted?.id ?? '');
    return {
      ...EMPTY_DRAFT,
      author: { ...UNKNOWN_AUTHOR, username, verified, avatarUrl: readAddress(this.avatar) },
      caption,
      publishedAt: pacificInstant(this.words.time),
      stats: { ...NO_STATS, likes: this.#count(0), comments: this.#count(1), shares: this.#count(3) },
      items: this.items,
      isWordsOnly: caption !== null || this.quoted !== null,
      quoted: this.quoted && quotedRef ? { ref: quotedRef, draft: this.quoted.toDraft() } : null,
    };
  }
}

class EmbedMarkup {
  /** The posts that are not inside other posts, from top to bottom. */
  readonly posts: DrawnPost[] = [];
  /** The open elements. `slotAt` is set for a slot: how many items the post had before it. */
  readonly #frames: { readonly post: DrawnPost | null; readonly region: Region; readonly slotAt?: number }[] = [];
  #video: Attributes | null = null;
  #sources: unknown[] = [];

  constructor(html: string) {
    // An embed without scripts is under 100 KB.
    readMarkup(visibleMarkup(html, 512 * 1024), this, { xml: false });
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
    // A quote may lack the usual link. Then any link outside its text leads to its post.
    const isLink = region === 'link' || (region !== 'text' && !this.posts.includes(post));
    const href = attributes.href?.replace(/^\//, 'https://www.threads.com/');
    if (isLink) post.id ??= threadsIdOf(href);
    if (region !== 'avatar' && region !== 'topic') this.#readFile(name, attributes, post, region);
  }

  ontext(text: string): void {
    const { post, region } = this.#frames.at(-1) ?? {};
    const count = region === 'count' ? post?.counts.pop() : undefined;
    if (count !== undefined) post?.counts.push(count + text);
    if (post && (region === 'name' || region === 'text' || region === 'time')) post.words[region] += text;
  }

  /** The parser calls this for elements without an end tag too, so every frame is removed again. */
  onclosetag(name: string): void {
    const { post, slotAt } = this.#frames.pop() ?? {};
    if (name === 'video' && this.#video !== null) {
      const files = this.#sources.map(url => ({ url }));
      post?.items.push(videoItem({ files, covers: [{ url: this.#video.poster }] }));
      this.#video = null;
    }
    // A slot in which no file was found is an item that could not be read.
    if (post?.items.length === slotAt) post?.items.push(null);
  }

  #postOf(classes: readonly string[], post: DrawnPost | null): DrawnPost | null {
    if (!classes.includes('QuotePostContainer') && !classes.includes('OuterContainer')) {
      if (post === null || !classes.includes('BodyContainerParent')) return post;
      post.isParent = !post.isFull;
      // The markup of a reply contains the markup of its parent, which is another post.
      return post.isFull ? new DrawnPost() : post;
    }
    // A quote has two frames, one inside the other, for the same post.
    if (post !== null && !this.posts.includes(post) && post.isBlank) return post;
    const drawn = new DrawnPost();
    drawn.isFull = classes.includes('OuterContainerFull');
    if (post === null) this.posts.push(drawn);
    else post.quoted ??= drawn;
    return drawn;
  }

  #readFile(name: string, { src, alt, ...attributes }: Attributes, post: DrawnPost, region: Region): void {
    if (name === 'source') this.#sources.push(src);
    if (name === 'video') {
      this.#video = attributes;
      this.#sources = [src];
    }
    if (name !== 'img' || region === 'video-slot' || this.#video !== null || !isMedia(src, region)) return;
    post.items.push(imageItem({ files: [{ url: src }], alt: alt?.trim() || null }));
  }
}

function regionOf(classes: readonly string[], outer: Region, post: DrawnPost | null): Region {
  if (outer === 'avatar' || outer === 'topic' || outer === 'video-slot') return outer;
  const own = REGIONS.find(([, pattern]) => classes.some(one => pattern.test(one)))?.[0] ?? outer;
  // Only the first link in a post's header is the author's.
  return own === 'name' && outer !== 'name' && post?.hasHeader ? null : own;
}

/** Says whether an image belongs to the post, by its region or a 15 in its path. A 19 there means an avatar. */
function isMedia(src: string | undefined, region: Region): boolean {
  const type = /\/t51\.[\d-]{1,20}-(\d+)\//.exec(src ?? '')?.[1];
  return type !== '19' && (type === '15' || region === 'media' || isSlot(region));
}

/** @throws AppError when the embed does not show the post, or shows it in an unknown way. */
export function parseEmbed(page: Body, ref: PostRef): PostDraft {
  const own = new EmbedMarkup(page.text).posts.filter(post => !post.isParent);
  const asked = own.findLast(({ id }) => id === ref.id) ?? own.findLast(({ id, isFull }) => id === null && isFull);
  if (asked === undefined) {
    // The embed does not tell apart removed posts, private posts and posts for members.
    if (page.includes('Thread not available'))
      throw new AppError('not_found', 'the embed says that the post is not available', { params: { what: 'hidden' } });
    throw new AppError('upstream_changed', 'the embed does not show the asked post');
  }
  if (asked.isBlank && asked.id === null) throw weakNotFound('the embed is a frame with an avatar at most');
  return asked.toDraft();
}

const TIMESTAMP = /^(\d{1,2}):(\d{2})\s?([AP]M)\s?[^\w\s]?\s?([A-Z][a-z]{2} \d{1,2}, \d{4})$/;
const PACIFIC = new Intl.DateTimeFormat('en-US', { timeZone: 'America/Los_Angeles', timeZoneName: 'shortOffset' });
const HOUR_MS = 3_600_000;

/** Reads `12:26 PM · Sep 2, 2026` (US Pacific time, as in embeds) as unix milliseconds; else null. */
export function pacificInstant(text: string): number | null {
  const [, hour, minute, half, day] = TIMESTAMP.exec(text.trim().replace(/\s+/g, ' ')) ?? [];
  const local = Date.parse(`${day} ${hour}:${minute} ${half} UTC`);
  if (Number.isNaN(local)) return null;
  // Pacific time is 7 or 8 hours behind UTC. The moment 7.5 hours later is close enough to find the right offset.
  const parts = PACIFIC.formatToParts(local + 7.5 * HOUR_MS);
  const behind = /^GMT-(\d)$/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '')?.[1];
  return behind === undefined ? null : local + Number(behind) * HOUR_MS;
}
