/**
 * Shape A: the product of the mobile API, which `media/info`, `web_info.items[0]` and
 * `xig_polaris_media.if_not_gated_logged_out` all answer with (2026-08).
 */

import { readCount, readFlag, readId, readInstant, readList, readSize, readText } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../../parse/json-search.ts';
import type { Author, UnplacedItem } from '../../../post.ts';
import { readAddress } from '../../kit/cdn-address.ts';
import type { PostDraft } from '../../kit/draft.ts';
import { type CoverFile, imageItem, type ListedFile, videoItem } from '../../kit/media-files.ts';

const PHOTO = 1;
const VIDEO = 2;
const CAROUSEL = 8;
/** A carousel has 20 at most (2026). */
const MAX_CHILDREN = 60;

/** Keys of which a product has at least one, whatever else it lacks. */
export const PRODUCT_KEYS: readonly string[] = ['media_type', 'video_versions', 'image_versions2', 'carousel_media'];

/** Forms of links and types of products that say video, whatever else the product says. */
const VIDEO_PRODUCTS: ReadonlySet<unknown> = new Set(['clips', 'igtv']);

function filesOf(list: unknown): readonly ListedFile[] {
  return readList(list).flatMap(entry =>
    isJsonObject(entry)
      ? {
          url: readAddress(entry.url),
          width: readSize(entry.width),
          height: readSize(entry.height),
          bitrate: readSize(entry.bandwidth),
        }
      : [],
  );
}

function coversOf(media: JsonObject): readonly CoverFile[] {
  return [
    ...readList(child(media.image_versions2, 'candidates')).flatMap(entry =>
      isJsonObject(entry) ? { url: entry.url, width: readSize(entry.width), height: readSize(entry.height) } : [],
    ),
    { url: media.display_uri, width: null, height: null },
  ];
}

function imagesOf(media: JsonObject): readonly ListedFile[] {
  return coversOf(media).map(file => ({ ...file, url: readAddress(file.url) }));
}

function firstImage(media: JsonObject): string | null {
  for (const cover of coversOf(media)) {
    const url = readAddress(cover.url);
    if (url !== null) return url;
  }
  return null;
}

/** By its files, then by its own word, else by any sign of a video: the still of a video whose files are withheld is not the post. */
function isVideo(media: JsonObject, isReel: boolean): boolean {
  if (readList(media.video_versions).length > 0 || readText(media.video_dash_manifest) !== null) return true;
  const type = readCount(media.media_type);
  if (type === PHOTO || type === VIDEO) return type === VIDEO;
  const typename = readText(media.__typename) ?? '';
  if (/(?:Video|Image|Photo)(?:Media)?$/.test(typename)) return /Video(?:Media)?$/.test(typename);
  return (
    VIDEO_PRODUCTS.has(media.product_type) ||
    readSize(media.video_duration) !== null ||
    media.has_audio === true ||
    isReel
  );
}

function toItem(media: JsonObject, isReel: boolean): UnplacedItem | null {
  const original = { width: readSize(media.original_width), height: readSize(media.original_height) };
  const alt = readText(media.accessibility_caption);
  if (!isVideo(media, isReel)) return imageItem({ files: imagesOf(media), original, alt });
  const seconds = readSize(media.video_duration);
  return videoItem({
    files: filesOf(media.video_versions),
    covers: coversOf(media),
    original,
    dashManifest: readText(media.video_dash_manifest),
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
    hasAudio: readFlag(media.has_audio),
    alt,
  });
}

function isCarousel(product: JsonObject): boolean {
  if (readList(product.carousel_media).length > 0) return true;
  const type = readCount(product.media_type);
  if (type === PHOTO || type === VIDEO) return false;
  if (type === CAROUSEL || product.product_type === 'carousel_container') return true;
  return /Carousel/.test(readText(product.__typename) ?? '') || (readCount(product.carousel_media_count) ?? 0) > 1;
}

/** A carousel's own files are one of its items over again, in another size: only its children count. */
function toItems(product: JsonObject, isReel: boolean): readonly (UnplacedItem | null)[] {
  if (!isCarousel(product)) return [toItem(product, isReel)];
  const children = readList(product.carousel_media, MAX_CHILDREN);
  const stated = Math.min(readCount(product.carousel_media_count) ?? 0, MAX_CHILDREN);
  const unlisted = Array<null>(Math.max(0, stated - children.length)).fill(null);
  return [...children.map(one => (isJsonObject(one) ? toItem(one, false) : null)), ...unlisted];
}

/** The author by everything that an answer says of them, the first word counts. */
export function readUsers(users: readonly unknown[]): Author {
  const objects = users.filter(isJsonObject);
  const first = <Value>(read: (user: JsonObject) => Value | null): Value | null => {
    for (const user of objects) {
      const value = read(user);
      if (value !== null) return value;
    }
    return null;
  };
  return {
    id: first(user => readId(user.pk)) ?? first(user => readId(user.id)),
    username: first(user => readText(user.username)),
    name: first(user => readText(user.full_name)),
    verified: first(user => readFlag(user.is_verified)),
    avatarUrl: first(user => readAddress(user.profile_pic_url)) ?? first(user => readAddress(user.profile_image_uri)),
  };
}

function firstCount(objects: readonly unknown[], key: string): number | null {
  for (const object of objects) {
    const count = readCount(child(object, key));
    if (count !== null) return count;
  }
  return null;
}

/**
 * Reads a product; what it does not say is null. `isReel`: the link says that this is a video. The items are empty for a carousel
 * whose children are nowhere.
 */
export function parseProduct(product: JsonObject, isReel: boolean): PostDraft {
  const users = [product.user, product.owner];
  const isHidden = product.like_and_view_counts_disabled === true;
  const shown = (value: unknown) => (isHidden ? null : readCount(value));
  return {
    author: readUsers(users),
    title: readText(product.title),
    caption: readText(child(product.caption, 'text')) ?? readText(product.caption),
    publishedAt: readInstant(product.taken_at),
    stats: {
      likes: shown(product.like_count),
      comments: readCount(product.comment_count),
      plays: shown(product.play_count) ?? shown(product.ig_play_count),
      views: shown(product.view_count),
      shares: readCount(product.share_count) ?? readCount(product.reshare_count),
      saves: readCount(product.save_count),
      crosspostLikes: readCount(product.fb_like_count),
      crosspostPlays: readCount(product.fb_play_count),
      authorFollowers: firstCount(users, 'follower_count'),
      authorPosts: firstCount(users, 'media_count'),
    },
    items: toItems(product, isReel),
    coverUrl: firstImage(product),
  };
}
