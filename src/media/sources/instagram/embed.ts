/**
 * Reads what Instagram makes for other sites: the head of a page (`og:`, as of 2026-08), oEmbed (2026-07 to 2026-09),
 * and the embed (`/p/CODE/embed/captioned/`): its JSON, or its markup if the JSON is null (2026-09). Pure.
 */
import { AppError } from '../../../errors.ts';
import { refusal } from '../../extract/refusal.ts';
import { isVideoLink, type PostRef } from '../../extract/source.ts';
import type { Body } from '../../parse/body.ts';
import { firstOf, type JsonObject, parseJson } from '../../parse/json.ts';
import { classesOf, elementsIn, parseMarkup, readMeta, readSrcset, textIn, visibleMarkup } from '../../parse/markup.ts';
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
  const words = textIn(parseMarkup(html.slice(0, 50_000)));
  return /A post shared by (.{1,100}?) \(@/.exec(words)?.[1]?.trim() || null;
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

/** True when the owner lets people watch the video only on the site. An image in the embed is then its cover. */
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

const MAX_TEXT_CHARS = 50_000;
/** The most characters of markup that are read. An embed has under 100 KB without scripts. */
const MAX_MARKUP_CHARS = 512 * 1024;
/** The block of the caption also contains comments and the user's name, which are no part of the caption. */
const NO_CAPTION = ['CaptionComments', 'CaptionUsername'];
const REGIONS = [...NO_CAPTION, 'UsernameText', 'Caption'];

/** Reads all that an embed shows of its post. */
function readEmbed(html: string) {
  const nodes = parseMarkup(visibleMarkup(html, MAX_MARKUP_CHARS));
  const elements = elementsIn(nodes);
  const isAny = (names: readonly string[]) => (element: (typeof elements)[number]) =>
    classesOf(element.attribs).some(one => names.includes(one));
  const classes = new Set(elements.flatMap(({ attribs }) => classesOf(attribs)));
  const video = elements.findIndex(isAny(['EmbeddedMediaVideo']));
  const shown = elementsIn(nodes, isAny(NO_CAPTION));
  /** The text in the elements with this class, without that of other regions in them. */
  const textOf = (name: string) =>
    shown
      .filter(element => REGIONS.find(region => classesOf(element.attribs).includes(region)) === name)
      .map(({ children }) => textIn(children, isAny(REGIONS)))
      .join('')
      .slice(0, MAX_TEXT_CHARS);
  const inside = (name: string) => elements.filter(isAny([name])).flatMap(({ children }) => children);
  const likes = elements.filter(({ attribs }) => Object.values(attribs).includes('likeCountClick'));
  return {
    classes,
    /** Texts such as `1,234 likes`, and `View all 56 comments` before some of the comments. */
    likes: textIn(likes),
    comments: textIn(inside('CaptionComments')),
    avatar: elementsIn(inside('Avatar')).find(({ name }) => name === 'img')?.attribs.src,
    image: elements.find(isAny(['EmbeddedMediaImage']))?.attribs,
    video: elements[video]?.attribs,
    source: video === -1 ? undefined : elements.slice(video).find(({ name }) => name === 'source')?.attribs.src,
    /** The kind of media, such as `GraphVideo`; empty when the embed does not state it. */
    mediaType: elements.map(({ attribs }) => attribs['data-media-type']).find(Boolean) ?? '',
    username: textOf('UsernameText'),
    caption: textOf('Caption'),
  };
}

type Embed = ReturnType<typeof readEmbed>;

/** Says whether the post is a video: the embed states it, or the page contains any sign of one. */
function isVideo({ classes, mediaType }: Embed, page: Body, ref: PostRef): boolean {
  const hasPlayButton = [...classes].some(one => one.includes('PlayButton'));
  if (/Video|Clips|Reel/.test(mediaType) || hasPlayButton) return true;
  if (/Image|Photo/.test(mediaType)) return false;
  const { og } = readMeta(page.head);
  const isPlayer = og.has('og:video') || og.get('twitter:card') === 'player';
  return isVideoLink(ref) || isPlayer || /^video/.test(og.get('og:type') ?? '');
}

function itemOf({ image, video, source }: Embed): UnplacedItem | null {
  // The image in all sizes, largest first. The address in `src` comes last.
  const files = image === undefined ? [] : [...readSrcset(image.srcset), { url: image.src }];
  if (video === undefined) return imageItem({ files });
  return videoItem({ files: [{ url: video.src ?? source }], covers: [...files, { url: video.poster }] });
}

/**
 * Reads an embed's markup; null when it is not an embed of this post.
 * @throws AppError when the embed withholds the post, its video or its other items.
 */
export function parseEmbedMarkup(page: Body, ref: PostRef): PostDraft | null {
  const html = page.text;
  if (!/Embed(?:dedMedia|BrokenMedia|Simple)/.test(html)) return null;
  const embed = readEmbed(html);
  if (embed.classes.has('EmbedBrokenMedia')) throw gatedAnswer(ref, 'the embed is broken');
  const isOfAnother = !html.includes(ref.id) && /\/(?:p|reel|tv)\/[A-Za-z0-9_-]{5,48}/.test(html);
  if (isOfAnother) return null;
  if (embed.classes.has('WatchOnInstagram') && embed.video === undefined) throw withheldVideo();
  if (/Sidecar|Carousel/.test(embed.mediaType) || /"isSidecar"\s{0,20}:\s{0,20}true/.test(html)) {
    throw refusal('login', 'the embed shows the first item only');
  }
  if (embed.video === undefined && embed.image !== undefined && isVideo(embed, page, ref)) {
    if (isCopyrightBlocked(page)) throw withheldVideo();
    throw new AppError('upstream_changed', 'the embed shows the still of a video without its file');
  }
  const item = itemOf(embed);
  if (item === null) return null;
  return {
    ...EMPTY_DRAFT,
    author: {
      ...UNKNOWN_AUTHOR,
      username: userNameOf(embed.username.trim()),
      avatarUrl: readAddress(embed.avatar),
    },
    caption: embed.caption.trim() || null,
    stats: {
      ...NO_STATS,
      likes: read.shownCount(/^\s*([\d.,]+[KMB]?) likes?\s*$/.exec(embed.likes)?.[1]),
      comments: read.shownCount(/^\s*View all ([\d.,]+[KMB]?) comments?\b/.exec(embed.comments)?.[1]),
    },
    items: [item],
    coverUrl: item.thumbnailUrl,
  };
}
