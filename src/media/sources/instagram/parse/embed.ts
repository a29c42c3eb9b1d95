/** The captioned embed (`/p/CODE/embed/captioned/`): its context JSON, and its markup where that is null (2026-09). */

import { AppError } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import type { Body } from '../../../parse/body.ts';
import { parseJson } from '../../../parse/json-search.ts';
import { readMarkup } from '../../../parse/markup.ts';
import { visibleMarkup } from '../../../parse/visible-markup.ts';
import type { UnplacedItem } from '../../../post.ts';
import { readAddress } from '../../kit/cdn-address.ts';
import { EMPTY_DRAFT, type PostDraft, UNKNOWN_AUTHOR } from '../../kit/draft.ts';
import { imageItem, type ListedFile, videoItem } from '../../kit/media-files.ts';
import { gatedAnswer } from '../failures.ts';
import { isReelLink } from './find-media.ts';
import { saysVideo } from './open-graph.ts';

const MAX_CONTEXT_CHARS = 8 * 1024 * 1024;

/** End of the JSON string that begins behind `start`; -1 when it never ends. */
function endOfString(text: string, start: number): number {
  for (let index = start; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === 0x5c) index += 1;
    else if (character === 0x22) return index;
  }
  return -1;
}

/** Whether the owner allows the video on the site alone: a picture that the embed then has is its cover. */
export function isSwitchedOff(page: Body): boolean {
  return page.includes('WatchOnInstagram') && /\sclass\s*=\s*["'][^"']{0,200}\bWatchOnInstagram\b/.test(page.text);
}

/** The parsed `contextJSON` of an embed page's script; undefined when there is none or it is null. */
export function embedContext(page: Body): unknown {
  if (!page.includes('"contextJSON"')) return undefined;
  const html = page.text;
  const found = /"contextJSON"\s{0,20}:\s{0,20}"/.exec(html);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const end = endOfString(html, start);
  if (end === -1 || end - start > MAX_CONTEXT_CHARS) return undefined;
  const inner = parseJson(`"${html.slice(start, end)}"`);
  return typeof inner === 'string' ? parseJson(inner) : undefined;
}

interface Markup {
  image: Record<string, string> | null;
  video: Record<string, string> | null;
  /** `GraphVideo` and the like; empty when the embed does not say. */
  mediaType: string;
  username: string;
  caption: string;
  isBroken: boolean;
  /** The owner allows the video on the site alone. */
  isWithheld: boolean;
  hasPlayButton: boolean;
}

/** Parts of a caption block that are not the caption. */
const NOT_CAPTION = ['CaptionComments', 'CaptionUsername'];
const MAX_TEXT_CHARS = 50_000;
/** An embed's markup, scripts apart, is under 100 KB. */
const MAX_MARKUP_CHARS = 512 * 1024;

type Region = 'username' | 'caption' | 'skipped' | null;

function regionOf(classes: readonly string[], outer: Region): Region {
  if (outer === 'skipped') return outer;
  if (NOT_CAPTION.some(name => classes.includes(name))) return 'skipped';
  if (classes.includes('UsernameText')) return 'username';
  return classes.includes('Caption') ? 'caption' : outer;
}

function readEmbed(html: string): Markup {
  const markup: Markup = {
    image: null,
    video: null,
    mediaType: '',
    username: '',
    caption: '',
    isBroken: false,
    isWithheld: false,
    hasPlayButton: false,
  };
  const regions: Region[] = [];
  readMarkup(
    visibleMarkup(html, MAX_MARKUP_CHARS),
    {
      onopentag(name, attributes) {
        const classes = (attributes.class ?? '').split(/\s+/);
        if (classes.includes('EmbeddedMediaImage')) markup.image ??= attributes;
        if (classes.includes('EmbeddedMediaVideo')) markup.video ??= attributes;
        if (name === 'source' && markup.video !== null) markup.video.src ??= attributes.src ?? '';
        if (classes.some(one => one.includes('PlayButton'))) markup.hasPlayButton = true;
        markup.mediaType ||= attributes['data-media-type'] ?? '';
        if (classes.includes('EmbedBrokenMedia')) markup.isBroken = true;
        if (classes.includes('WatchOnInstagram')) markup.isWithheld = true;
        const region = regionOf(classes, regions.at(-1) ?? null);
        if (name === 'br' && region === 'caption') markup.caption += '\n';
        regions.push(region);
      },
      ontext(text) {
        const region = regions.at(-1) ?? null;
        if (region === 'username' && markup.username.length < 100) markup.username += text;
        if (region === 'caption' && markup.caption.length < MAX_TEXT_CHARS) markup.caption += text;
      },
      // Void elements are closed by the parser too.
      onclosetag() {
        regions.pop();
      },
    },
    { xml: false },
  );
  return markup;
}

function fileOf(url: string | undefined, width: number | null = null): ListedFile {
  return { url: readAddress(url), width, height: null };
}

/** `srcset="ADDRESS 640w, ADDRESS 750w"`, largest first, then `src`. */
function imageFiles(attributes: Record<string, string> | null): readonly ListedFile[] {
  if (attributes === null) return [];
  const listed = (attributes.srcset ?? '').split(/,\s/, 50).map(entry => {
    const [url, width] = entry.trim().split(/\s+/, 2);
    const pixels = /^(\d{2,5})w$/.exec(width ?? '')?.[1];
    return fileOf(url, pixels === undefined ? null : Number(pixels));
  });
  return [...listed.sort((a, b) => (b.width ?? 0) - (a.width ?? 0)), fileOf(attributes.src)];
}

const UNKNOWN_SIZE = { width: null, height: null };

function toItem(markup: Markup): UnplacedItem | null {
  const covers = imageFiles(markup.image);
  if (markup.video === null) return imageItem({ files: covers, original: UNKNOWN_SIZE, alt: null });
  return videoItem({
    files: [fileOf(markup.video.src)],
    covers: [...covers, fileOf(markup.video.poster)],
    original: UNKNOWN_SIZE,
    dashManifest: null,
    durationMs: null,
    hasAudio: null,
    alt: null,
  });
}

/** Whether the page speaks of another post only. */
function isOfAnother(html: string, ref: PostRef): boolean {
  return !html.includes(ref.id) && /\/(?:p|reel|tv)\/[A-Za-z0-9_-]{5,48}/.test(html);
}

/** Whether the post is a video, by anything that says so; the embed's own word for a photo counts first. */
function isVideo(markup: Markup, page: Body, ref: PostRef): boolean {
  if (/Video|Clips|Reel/.test(markup.mediaType) || markup.hasPlayButton) return true;
  if (/Image|Photo/.test(markup.mediaType)) return false;
  return isReelLink(ref) || saysVideo(page);
}

function isSidecar(markup: Markup, html: string): boolean {
  return /Sidecar|Carousel/.test(markup.mediaType) || /"isSidecar"\s{0,20}:\s{0,20}true/.test(html);
}

/**
 * Reads the visible part of an embed; null when it is no embed of this post.
 * @throws AppError `login_required` when the embed cannot show the post (`private` for private links), withholds its video or
 * shows the first of several items; `upstream_changed` for the still of a video without its file.
 */
export function parseEmbedMarkup(page: Body, ref: PostRef): PostDraft | null {
  const html = page.text;
  if (!/Embed(?:dedMedia|BrokenMedia|Simple)/.test(html)) return null;
  const markup = readEmbed(html);
  if (markup.isBroken) throw gatedAnswer(ref, 'the embed is broken');
  if (isOfAnother(html, ref)) return null;
  if (markup.isWithheld && markup.video === null) throw new AppError('login_required', 'the embed withholds the video');
  if (isSidecar(markup, html)) throw new AppError('login_required', 'the embed shows the first item only');
  if (markup.video === null && markup.image !== null && isVideo(markup, page, ref)) {
    throw new AppError('upstream_changed', 'the embed shows the still of a video without its file');
  }
  const item = toItem(markup);
  if (item === null) return null;
  const username = markup.username.trim();
  const caption = markup.caption.trim();
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username: /^[A-Za-z0-9._]{1,30}$/.test(username) ? username : null },
    caption: caption === '' ? null : caption,
    items: [item],
    coverUrl: item.thumbnailUrl,
  };
}
