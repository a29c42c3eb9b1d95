/**
 * Reads what Instagram makes for other sites: the head of a page (`og:`, as of 2026-08), oEmbed (2026-07 to 2026-09),
 * and the embed (`/p/CODE/embed/captioned/`): its JSON, or its markup if the JSON is null (2026-09). Pure.
 */
import { AppError } from '../../../errors.ts';
import { refusal } from '../../extract/refusal.ts';
import { isVideoLink, type PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { firstOf, type JsonObject, parseJson } from '../../parse/json.ts';
import { type Attributes, readMarkup, readMeta, readSrcset, visibleMarkup } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import { NO_STATS, type UnplacedItem } from '../../post.ts';
import { readAddress } from '../kit/cdn-address.ts';
import { EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { imageItem, videoItem } from '../kit/media-files.ts';
import { gatedAnswer } from './failures.ts';
import { instagramIdOf } from './link.ts';

function userNameOf(text: string | null): string | null {
  return text !== null && /^[A-Za-z0-9._]{1,30}$/.test(text) ? text : null;
}

/** Titles such as `Marla Quill on Instagram: "Kite day"`, with any quotation marks. */
const TITLE = /^(.{1,200}?) on Instagram(?:: ?["\u201c]([\s\S]*)["\u201d])?\s*$/u;
/** Descriptions such as `1,234 likes, 56 comments - marla.quill on April 24, 2026: "Kite day"`. */
const DESCRIPTION = /^([\d.,]+[KMB]?) likes?, ([\d.,]+[KMB]?) comments? - ([A-Za-z0-9._]{1,30}) on /;
const QUOTATION = /^[^"\u201c]{1,200}: ?["\u201c]([\s\S]*)["\u201d]\.?\s*$/u;

/** Reads the tags of a page's head; null when they show no video or are about another post. */
export function readOpenGraph(page: Body, ref: PostRef): PostDraft | null {
  const { canonical, og } = readMeta(page.head);
  const given = [canonical, og.get('og:url'), og.get('al:ios:url'), og.get('al:android:url')];
  const stated = given.filter(text => text && URL.canParse(text));
  // A page that states no address is believed to be about the post if it contains the post's id.
  const isAbout = stated.length === 0 ? page.includes(ref.id) : stated.some(text => instagramIdOf(text) === ref.id);
  if (!isAbout) return null;
  const tag = (property: string) => og.get(property) ?? '';
  const addressOf = (...properties: readonly string[]) => firstOf(properties, property => readAddress(tag(property)));
  const url = addressOf('og:video:secure_url', 'og:video:url', 'og:video');
  const coverUrl = addressOf('og:image:secure_url', 'og:image');
  const size = read.dimensions({ width: tag('og:video:width'), height: tag('og:video:height') });
  const item = videoItem({ files: [{ url, ...size }], covers: [{ url: coverUrl }] });
  if (item === null) return null;
  const [, name, titled] = TITLE.exec(tag('og:title')) ?? [];
  const [, likes, comments, username = null] = DESCRIPTION.exec(tag('og:description')) ?? [];
  const described = QUOTATION.exec(tag('og:description'))?.[1];
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username, name: name?.trim() || null },
    caption: titled?.trim() || described?.trim() || null,
    stats: { ...NO_STATS, likes: read.shownCount(likes), comments: read.shownCount(comments) },
    items: [item],
    coverUrl,
  };
}

function nameIn(html: string): string | null {
  const words: string[] = [];
  readMarkup(html.slice(0, 50_000), { ontext: text => words.push(text) }, { xml: false });
  return /A post shared by (.{1,100}?) \(@/.exec(words.join(''))?.[1]?.trim() || null;
}

/** Reads an oEmbed answer; null when it has neither author nor cover. */
export function readCard(answer: JsonObject, ref: PostRef): PostDraft | null {
  const mediaId = read.numericId(answer.media_id);
  if (mediaId !== null && mediaId !== ref.parts.mediaId) {
    throw new AppError('upstream_changed', 'oEmbed: an answer about another post');
  }
  const username = userNameOf(read.text(answer.author_name));
  const coverUrl = readAddress(answer.thumbnail_url);
  if (username === null && coverUrl === null) return null;
  return {
    ...EMPTY_DRAFT,
    author: {
      ...UNKNOWN_AUTHOR,
      id: read.numericId(answer.author_id),
      username,
      name: nameIn(read.text(answer.html) ?? ''),
    },
    caption: read.text(answer.title),
    // The cover image is not an item. The post has at least one item, which this answer does not contain.
    items: [null],
    coverUrl,
  };
}

/** True when the owner lets people watch the video only on the site. The embed's image is then the video's cover. */
export function isSwitchedOff(page: Body): boolean {
  return page.includes('WatchOnInstagram') && /\sclass\s*=\s*["'][^"']{0,200}\bWatchOnInstagram\b/.test(page.text);
}

/** True when the embed's data say that it has no video, because the music in it may not be played on other sites. */
export function isCopyrightBlocked(page: Body): boolean {
  return page.includes('copyright_blocked') && /copyright_blocked\\?"\s{0,9}:\s{0,9}true/.test(page.text);
}

export function withheldVideo(): AppError {
  return refusal('login', 'the embed withholds the video');
}

export function embedContext(page: Body): unknown {
  if (!page.includes('"contextJSON"')) return undefined;
  const html = page.text;
  const found = /"contextJSON"\s{0,20}:\s{0,20}"/.exec(html);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  let end = start;
  // A regular expression would use more stack the longer the string is, so the end is found by a loop.
  while (end < html.length && html[end] !== '"') end += html[end] === '\\' ? 2 : 1;
  if (end >= html.length) return undefined;
  const inner = parseJson(`"${html.slice(start, end)}"`);
  return typeof inner === 'string' ? parseJson(inner) : undefined;
}

type Region = 'username' | 'caption' | 'likes' | 'comments' | 'avatar' | 'skipped' | null;

const MAX_TEXT_CHARS = 50_000;
/** The most characters of markup that are read. An embed has under 100 KB without scripts. */
const MAX_MARKUP_CHARS = 512 * 1024;

function regionOf(classes: readonly string[], attributes: Attributes, outer: Region): Region {
  // The block of the caption also contains comments and the user's name, which are no part of the caption.
  if (outer === 'skipped' || outer === 'comments') return outer;
  if (classes.includes('CaptionComments')) return 'comments';
  if (classes.includes('CaptionUsername')) return 'skipped';
  if (Object.values(attributes).includes('likeCountClick')) return 'likes';
  if (classes.includes('Avatar')) return 'avatar';
  if (classes.includes('UsernameText')) return 'username';
  return classes.includes('Caption') ? 'caption' : outer;
}

class EmbedMarkup {
  image: Attributes | null = null;
  video: Attributes | null = null;
  source: string | undefined;
  /** The kind of media, such as `GraphVideo`; empty when the embed does not state it. */
  mediaType = '';
  avatar: string | undefined;
  username = '';
  caption = '';
  /** Texts such as `1,234 likes`, and `View all 56 comments` before some of the comments. */
  likes = '';
  comments = '';
  readonly classes = new Set<string>();
  readonly #regions: Region[] = [];

  constructor(html: string) {
    readMarkup(visibleMarkup(html, MAX_MARKUP_CHARS), this, { xml: false });
  }

  onopentag(name: string, attributes: Attributes): void {
    const classes = (attributes.class ?? '').split(/\s+/);
    for (const one of classes) this.classes.add(one);
    if (classes.includes('EmbeddedMediaImage')) this.image ??= attributes;
    if (classes.includes('EmbeddedMediaVideo')) this.video ??= attributes;
    if (name === 'source' && this.video !== null) this.source ??= attributes.src ?? '';
    this.mediaType ||= attributes['data-media-type'] ?? '';
    const region = regionOf(classes, attributes, this.#regions.at(-1) ?? null);
    if (name === 'br' && region === 'caption') this.caption += '\n';
    if (name === 'img' && region === 'avatar') this.avatar ??= attributes.src;
    this.#regions.push(region);
  }

  ontext(text: string): void {
    const region = this.#regions.at(-1) ?? null;
    if (region === null || region === 'avatar' || region === 'skipped') return;
    if (this[region].length < MAX_TEXT_CHARS) this[region] += text;
  }

  /** The parser calls this for elements without an end tag too, so each region is removed again. */
  onclosetag(): void {
    this.#regions.pop();
  }

  /** Says whether the post is a video: the embed states it, or the page contains any sign of one. */
  isVideo(page: Body, ref: PostRef): boolean {
    const hasPlayButton = [...this.classes].some(one => one.includes('PlayButton'));
    if (/Video|Clips|Reel/.test(this.mediaType) || hasPlayButton) return true;
    if (/Image|Photo/.test(this.mediaType)) return false;
    const { og } = readMeta(page.head);
    const isPlayer = og.has('og:video') || og.get('twitter:card') === 'player';
    return isVideoLink(ref) || isPlayer || /^video/.test(og.get('og:type') ?? '');
  }

  get item(): UnplacedItem | null {
    // The image in all sizes, largest first. The address in `src` comes last.
    const files = this.image === null ? [] : [...readSrcset(this.image.srcset), { url: this.image.src }];
    if (this.video === null) return imageItem({ files });
    const { src = this.source, poster } = this.video;
    return videoItem({ files: [{ url: src }], covers: [...files, { url: poster }] });
  }
}

/**
 * Reads an embed's markup; null when it is not an embed of this post.
 * @throws AppError when the embed withholds the post, its video or its other items.
 */
export function parseEmbedMarkup(page: Body, ref: PostRef): PostDraft | null {
  const html = page.text;
  if (!/Embed(?:dedMedia|BrokenMedia|Simple)/.test(html)) return null;
  const markup = new EmbedMarkup(html);
  if (markup.classes.has('EmbedBrokenMedia')) throw gatedAnswer(ref, 'the embed is broken');
  const isOfAnother = !html.includes(ref.id) && /\/(?:p|reel|tv)\/[A-Za-z0-9_-]{5,48}/.test(html);
  if (isOfAnother) return null;
  if (markup.classes.has('WatchOnInstagram') && markup.video === null) throw withheldVideo();
  if (/Sidecar|Carousel/.test(markup.mediaType) || /"isSidecar"\s{0,20}:\s{0,20}true/.test(html)) {
    throw refusal('login', 'the embed shows the first item only');
  }
  if (markup.video === null && markup.image !== null && markup.isVideo(page, ref)) {
    if (isCopyrightBlocked(page)) throw withheldVideo();
    throw new AppError('upstream_changed', 'the embed shows the still of a video without its file');
  }
  const { item } = markup;
  if (item === null) return null;
  return {
    ...EMPTY_DRAFT,
    author: {
      ...UNKNOWN_AUTHOR,
      username: userNameOf(markup.username.trim()),
      avatarUrl: readAddress(markup.avatar),
    },
    caption: markup.caption.trim() || null,
    stats: {
      ...NO_STATS,
      likes: read.shownCount(/^\s*([\d.,]+[KMB]?) likes?\s*$/.exec(markup.likes)?.[1]),
      comments: read.shownCount(/^\s*View all ([\d.,]+[KMB]?) comments?\b/.exec(markup.comments)?.[1]),
    },
    items: [item],
    coverUrl: item.thumbnailUrl,
  };
}
