/** Reads a media in the shape of the mobile API's `product`, as in Instagram and Threads (seen in 2026-08). Pure. */
import {
  child,
  firstOf,
  isJsonObject,
  type JsonObject,
  readCount,
  readFlag,
  readId,
  readInstant,
  readList,
  readSeconds,
  readSize,
  readText,
} from '../../parse/json.ts';
import { type Author, NO_STATS, type Stats, type UnplacedItem } from '../../post.ts';
import { readAddress, sizeOf } from './cdn-address.ts';
import type { PostDraft } from './draft.ts';
import { imageItem, type ListedFile, videoItem } from './media-files.ts';

/** The paths of each count; the first that exists is used. */
type StatPaths = Readonly<Partial<Record<keyof Stats, readonly string[]>>>;

/** A carousel has at most 20 items (2026). */
export const MAX_CHILDREN = 60;
const PHOTO = 1;
const VIDEO = 2;
const CAROUSEL = 8;

/** The files in a list of objects with their address and size. */
export function listed(list: unknown, url = 'url', width = 'width', height = 'height'): readonly ListedFile[] {
  return readList(list).map(file => {
    return { url: child(file, url), ...sizeOf(file, width, height), bitrate: readSize(child(file, 'bandwidth')) };
  });
}

function isCarousel(product: JsonObject): boolean {
  if (readList(product.carousel_media).length > 0) return true;
  const type = readCount(product.media_type);
  if (type === PHOTO || type === VIDEO) return false;
  if (type === CAROUSEL || product.product_type === 'carousel_container') return true;
  return /Carousel/.test(readText(product.__typename) ?? '') || (readCount(product.carousel_media_count) ?? 0) > 1;
}

const PRODUCT_STATS: StatPaths = {
  likes: ['like_count'],
  comments: ['comment_count'],
  plays: ['play_count', 'ig_play_count'],
  views: ['view_count'],
  shares: ['share_count', 'reshare_count'],
  saves: ['save_count'],
  crosspostLikes: ['fb_like_count'],
  crosspostPlays: ['fb_play_count'],
  authorFollowers: ['user.follower_count', 'owner.follower_count'],
  authorPosts: ['user.media_count', 'owner.media_count'],
};

/** The shape of the mobile API's product: in `media/info`, `web_info.items[0]` and `xig_polaris_media.if_not_gated_logged_out`. */
export const PRODUCT = {
  /** An object of this shape has at least one of these properties. */
  keys: ['media_type', 'video_versions', 'image_versions2', 'carousel_media'],
  /** A pattern for the name of a media's type; its first group is `Video` for a video. */
  typename: /(Video|Image|Photo)(?:Media)?$/,
  publishedAt: 'taken_at',
  stats: PRODUCT_STATS,
  original: (media: JsonObject) => sizeOf(media, 'original_width', 'original_height'),
  images: (media: JsonObject): readonly ListedFile[] => [
    ...listed(child(media.image_versions2, 'candidates')),
    { url: media.display_uri },
  ],
  videos: (media: JsonObject) => listed(media.video_versions),
  manifest: (media: JsonObject) => media.video_dash_manifest,
  /** True when the media states that it is a video, false when it states that it is a photo, else null. */
  saysVideo({ media_type }: JsonObject): boolean | null {
    const type = readCount(media_type);
    return type === PHOTO || type === VIDEO ? type === VIDEO : null;
  },
  /** True when the media has a property that only videos have. */
  hasVideoSign: (media: JsonObject) => media.has_audio === true,
  /** The items of a carousel, else null. The carousel's own file repeats one of its items, so it is left out. */
  children(media: JsonObject): readonly unknown[] | null {
    if (!isCarousel(media)) return null;
    const listed = readList(media.carousel_media, MAX_CHILDREN);
    const stated = Math.min(readCount(media.carousel_media_count) ?? 0, MAX_CHILDREN);
    return [...listed, ...Array<null>(Math.max(0, stated - listed.length)).fill(null)];
  },
  users: (media: JsonObject): readonly unknown[] => [media.user, media.owner],
  caption: (media: JsonObject) => readText(child(media.caption, 'text')) ?? readText(media.caption),
};

export type MediaShape = typeof PRODUCT;

/**
 * Says whether a media is a video: by its own statement, else by any sign of one. A video whose files are withheld must
 * not be shown as its still image.
 */
function isVideo(media: JsonObject, shape: MediaShape, isReel: boolean): boolean {
  const said = shape.saysVideo(media);
  if (said !== null) return said;
  const type = shape.typename.exec(readText(media.__typename) ?? '')?.[1];
  if (type !== undefined) return type === 'Video';
  const isVideoProduct = media.product_type === 'clips' || media.product_type === 'igtv';
  return isVideoProduct || readSize(media.video_duration) !== null || shape.hasVideoSign(media) || isReel;
}

function toItem(media: JsonObject, shape: MediaShape, isReel: boolean): UnplacedItem | null {
  const original = shape.original(media);
  const images = shape.images(media);
  const alt = readText(media.accessibility_caption);
  const videos = shape.videos(media);
  const dashManifest = readText(shape.manifest(media));
  if (videos.length === 0 && dashManifest === null && !isVideo(media, shape, isReel)) {
    return imageItem({ files: images, original, alt });
  }
  const durationMs = readSeconds(media.video_duration);
  const hasAudio = readFlag(media.has_audio);
  return videoItem({ files: videos, covers: images, original, dashManifest, durationMs, hasAudio, alt });
}

export function readUsers(users: readonly unknown[]): Author {
  const first = <Read>(read: (value: unknown) => Read | null, key: string) =>
    firstOf(users, user => read(child(user, key)));
  return {
    id: first(readId, 'pk') ?? first(readId, 'id'),
    username: first(readText, 'username'),
    name: first(readText, 'full_name'),
    verified: first(readFlag, 'is_verified'),
    avatarUrl: first(readAddress, 'profile_pic_url') ?? first(readAddress, 'profile_image_uri'),
  };
}

/** Reads the counts; an author can hide some of them. */
function readStats(media: JsonObject, paths: StatPaths): Stats {
  const isHidden = media.like_and_view_counts_disabled === true;
  const shown = Object.entries(paths).filter(([key]) => !isHidden || !/^(?:likes|plays|views)$/.test(key));
  const read = shown.map(([key, where]) => [key, firstOf(where, path => readCount(child(media, ...path.split('.'))))]);
  return { ...NO_STATS, ...Object.fromEntries(read) };
}

/** Reads a media; null stands for everything that it does not state. `isReel`: the link leads to a video. */
export function parseMedia(media: JsonObject, shape: MediaShape, isReel: boolean): PostDraft {
  const children = shape.children(media);
  return {
    author: readUsers(shape.users(media)),
    title: readText(media.title),
    caption: shape.caption(media),
    publishedAt: readInstant(media[shape.publishedAt]),
    stats: readStats(media, shape.stats),
    items: children?.map(one => (isJsonObject(one) ? toItem(one, shape, false) : null)) ?? [
      toItem(media, shape, isReel),
    ],
    coverUrl: firstOf(shape.images(media), file => readAddress(file.url)),
    sensitive: [media, ...(children ?? [])].some(
      one => readFlag(child(one, 'sensitivity_friction_info', 'should_have_sensitivity_friction')) === true,
    ),
  };
}
