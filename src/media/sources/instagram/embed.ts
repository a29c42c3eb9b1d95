/** Reads the captioned embed (`/p/CODE/embed/captioned/`): its context JSON, or its markup when that is null (2026-09). Pure. */
import { AppError } from '../../../errors.ts';
import { refusal } from '../../extract/refusal.ts';
import { isVideoLink, type PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { parseJson } from '../../parse/json-fields.ts';
import { readMarkup, visibleMarkup } from '../../parse/markup.ts';
import type { UnplacedItem } from '../../post.ts';
import { EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { imageItem, type ListedFile, videoItem } from '../kit/media-files.ts';
import { saysVideo, userNameOf } from './card.ts';
import { gatedAnswer } from './find-media.ts';

/** True when the owner allows the video only on the site: an image in the embed is then its cover. */
export function isSwitchedOff(page: Body): boolean {
  return page.includes('WatchOnInstagram') && /\sclass\s*=\s*["'][^"']{0,200}\bWatchOnInstagram\b/.test(page.text);
}

export function embedContext(page: Body): unknown {
  if (!page.includes('"contextJSON"')) return undefined;
  const html = page.text;
  const found = /"contextJSON"\s{0,20}:\s{0,20}"/.exec(html);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  let end = start;
  // The loop avoids a regular expression, whose stack would grow with the length of the string.
  while (end < html.length && html[end] !== '"') end += html[end] === '\\' ? 2 : 1;
  if (end >= html.length) return undefined;
  const inner = parseJson(`"${html.slice(start, end)}"`);
  return typeof inner === 'string' ? parseJson(inner) : undefined;
}

type Attributes = Readonly<Record<string, string>>;
type Region = 'username' | 'caption' | 'skipped' | null;

const MAX_TEXT_CHARS = 50_000;
/** An embed's markup without scripts is under 100 KB. */
const MAX_MARKUP_CHARS = 512 * 1024;

function regionOf(classes: readonly string[], outer: Region): Region {
  // These parts of a caption block are not the caption itself.
  const isOther = classes.includes('CaptionComments') || classes.includes('CaptionUsername');
  if (outer === 'skipped' || isOther) return 'skipped';
  if (classes.includes('UsernameText')) return 'username';
  return classes.includes('Caption') ? 'caption' : outer;
}

class EmbedMarkup {
  image: Attributes | null = null;
  video: Attributes | null = null;
  source: string | undefined;
  /** The kind of media, such as `GraphVideo`; empty when the embed does not state it. */
  mediaType = '';
  username = '';
  caption = '';
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
    const region = regionOf(classes, this.#regions.at(-1) ?? null);
    if (name === 'br' && region === 'caption') this.caption += '\n';
    this.#regions.push(region);
  }

  ontext(text: string): void {
    const region = this.#regions.at(-1);
    if (region === 'username' && this.username.length < 100) this.username += text;
    if (region === 'caption' && this.caption.length < MAX_TEXT_CHARS) this.caption += text;
  }

  /** The parser calls this for void elements too. */
  onclosetag(): void {
    this.#regions.pop();
  }

  /** Says whether the post is a video: as the embed states, else by any sign of one in the page. */
  isVideo(page: Body, ref: PostRef): boolean {
    const hasPlayButton = [...this.classes].some(one => one.includes('PlayButton'));
    if (/Video|Clips|Reel/.test(this.mediaType) || hasPlayButton) return true;
    return !/Image|Photo/.test(this.mediaType) && (isVideoLink(ref) || saysVideo(page));
  }

  get item(): UnplacedItem | null {
    const files = imageFiles(this.image);
    if (this.video === null) return imageItem({ files });
    const { src = this.source, poster } = this.video;
    const covers = [...files, { url: poster }];
    return videoItem({ files: [{ url: src }], covers });
  }
}

/** The files of `srcset="ADDRESS 640w, ADDRESS 750w"`, largest first, then the one of `src`. */
function imageFiles(attributes: Attributes | null): readonly ListedFile[] {
  if (attributes === null) return [];
  const listed = (attributes.srcset ?? '').split(/,\s/, 50).map(entry => {
    const [url, width] = entry.trim().split(/\s+/, 2);
    const pixels = /^(\d{2,5})w$/.exec(width ?? '')?.[1];
    return { url, width: pixels === undefined ? null : Number(pixels), height: null };
  });
  return [...listed.sort((a, b) => (b.width ?? 0) - (a.width ?? 0)), { url: attributes.src }];
}

/**
 * Null when it is not an embed of this post.
 * @throws AppError when the embed withholds the post, its video or its other items.
 */
export function parseEmbedMarkup(page: Body, ref: PostRef): PostDraft | null {
  const html = page.text;
  if (!/Embed(?:dedMedia|BrokenMedia|Simple)/.test(html)) return null;
  const markup = new EmbedMarkup(html);
  if (markup.classes.has('EmbedBrokenMedia')) throw gatedAnswer(ref, 'the embed is broken');
  const isOfAnother = !html.includes(ref.id) && /\/(?:p|reel|tv)\/[A-Za-z0-9_-]{5,48}/.test(html);
  if (isOfAnother) return null;
  if (markup.classes.has('WatchOnInstagram') && markup.video === null) {
    throw refusal('login', 'the embed withholds the video');
  }
  if (/Sidecar|Carousel/.test(markup.mediaType) || /"isSidecar"\s{0,20}:\s{0,20}true/.test(html)) {
    throw refusal('login', 'the embed shows the first item only');
  }
  if (markup.video === null && markup.image !== null && markup.isVideo(page, ref)) {
    throw new AppError('upstream_changed', 'the embed shows the still of a video without its file');
  }
  const { item } = markup;
  if (item === null) return null;
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username: userNameOf(markup.username.trim()) },
    caption: markup.caption.trim() || null,
    items: [item],
    coverUrl: item.thumbnailUrl,
  };
}
