/** Reads a media in the shape of the mobile API's `product`, as in Instagram and Threads (seen in 2026-08). Pure. */
import { child, firstOf, isJsonObject, type JsonObject } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { Author, Stats, UnplacedItem } from '../../post.ts';
import { readAddress } from './cdn-address.ts';
import type { PostDraft } from './draft.ts';
import { imageItem, type ListedFile, videoItem } from './media-files.ts';

/** The most items of a carousel that are read. The sites allow 20 (2026). */
export const MAX_CHILDREN = 60;
const PHOTO = 1;
const VIDEO = 2;
const CAROUSEL = 8;

/** The files in a list of objects with their address and size. */
export function listed(list: unknown, url = 'url', width = 'width', height = 'height'): readonly ListedFile[] {
  const files = read.list(list).map(file => [file, read.dimensions(file, width, height)] as const);
  return files.map(([file, size]) => ({
    url: child(file, url),
    ...size,
    bitrate: read.positive(child(file, 'bandwidth')),
  }));
}

function isCarousel(product: JsonObject): boolean {
  if (read.list(product.carousel_media).length > 0) return true;
  const type = read.count(product.media_type);
  if (type === PHOTO || type === VIDEO) return false;
  if (type === CAROUSEL || product.product_type === 'carousel_container') return true;
  return /Carousel/.test(read.text(product.__typename) ?? '') || (read.count(product.carousel_media_count) ?? 0) > 1;
}

/** The items of a carousel; null for a single item. The carousel's own file repeats an item, so it is left out. */
function childrenOf(product: JsonObject): readonly unknown[] | null {
  if (!isCarousel(product)) return null;
  const items = read.list(product.carousel_media, MAX_CHILDREN);
  const stated = Math.min(read.count(product.carousel_media_count) ?? 0, MAX_CHILDREN);
  return [...items, ...Array<null>(Math.max(0, stated - items.length)).fill(null)];
}

const PRODUCT_STATS: read.StatPaths = {
  likes: 'like_count',
  comments: 'comment_count',
  plays: ['play_count', 'ig_play_count'],
  views: 'view_count',
  shares: ['share_count', 'reshare_count'],
  saves: 'save_count',
  crosspostLikes: 'fb_like_count',
  crosspostPlays: 'fb_play_count',
  authorFollowers: ['user.follower_count', 'owner.follower_count'],
  authorPosts: ['user.media_count', 'owner.media_count'],
};

/** The mobile API's shape: in `media/info`, `web_info.items[0]`, `xig_polaris_media.if_not_gated_logged_out`. */
export const PRODUCT = {
  /** An object of this shape has at least one of these properties. */
  keys: ['media_type', 'video_versions', 'image_versions2', 'carousel_media'],
  stats: PRODUCT_STATS,
  factsOf(media: JsonObject) {
    const type = read.count(media.media_type);
    return {
      original: read.dimensions(media, 'original_width', 'original_height'),
      images: [...listed(child(media.image_versions2, 'candidates')), { url: media.display_uri }],
      videos: listed(media.video_versions),
      manifest: media.video_dash_manifest,
      /** True for a video and false for a photo, as the media state it; null if they do not. */
      saysVideo: type === PHOTO || type === VIDEO ? type === VIDEO : null,
      /** True when the media has a property that only videos have. */
      hasVideoSign: media.has_audio === true,
      children: childrenOf(media),
      users: [media.user, media.owner],
      caption: read.text(child(media.caption, 'text')) ?? read.text(media.caption),
      publishedAt: media.taken_at,
    };
  },
};

export type MediaShape = typeof PRODUCT;
type MediaFacts = ReturnType<MediaShape['factsOf']>;

/**
 * Says whether media are a video: they state it, or have any sign of one. A video without readable files must not be
 * shown as its still image.
 */
function isVideo(media: JsonObject, { saysVideo, hasVideoSign }: MediaFacts, isReel: boolean): boolean {
  if (saysVideo !== null) return saysVideo;
  const type = /(Video|Image|Photo)(?:Media)?$/.exec(read.text(media.__typename) ?? '')?.[1];
  if (type !== undefined) return type === 'Video';
  const isVideoProduct = media.product_type === 'clips' || media.product_type === 'igtv';
  return isVideoProduct || read.positive(media.video_duration) !== null || hasVideoSign || isReel;
}

function toItem(media: JsonObject, facts: MediaFacts, isReel: boolean): UnplacedItem | null {
  const { original, images, videos } = facts;
  const alt = read.text(media.accessibility_caption);
  const dashManifest = read.text(facts.manifest);
  if (videos.length === 0 && dashManifest === null && !isVideo(media, facts, isReel)) {
    return imageItem({ files: images, original, alt });
  }
  const durationMs = read.seconds(media.video_duration);
  const hasAudio = read.boolean(media.has_audio);
  return videoItem({ files: videos, covers: images, original, dashManifest, durationMs, hasAudio, alt });
}

export function readUsers(users: readonly unknown[]): Author {
  return {
    id:
      firstOf(users, user => read.numericId(child(user, 'pk'))) ??
      firstOf(users, user => read.numericId(child(user, 'id'))),
    username: firstOf(users, user => read.text(child(user, 'username'))),
    name: firstOf(users, user => read.text(child(user, 'full_name'))),
    verified: firstOf(users, user => read.boolean(child(user, 'is_verified'))),
    avatarUrl:
      firstOf(users, user => readAddress(child(user, 'profile_pic_url'))) ??
      firstOf(users, user => readAddress(child(user, 'profile_image_uri'))),
  };
}

/**
 * The counts of media. A video that people have liked or commented on has been watched, so 0 plays or views are then
 * unknown (seen in embeds of 2026).
 */
function statsOf(media: JsonObject, paths: read.StatPaths): Stats {
  const stats = read.stats([media], paths);
  // The author can hide the counts of likes, plays and views. The numbers in the answer are then ignored.
  if (media.like_and_view_counts_disabled === true) return { ...stats, likes: null, plays: null, views: null };
  const isWatched = Boolean(stats.likes) || Boolean(stats.comments);
  return isWatched ? { ...stats, plays: stats.plays || null, views: stats.views || null } : stats;
}

/** Turns media into a draft, with null for all that they do not state. `isReel`: the link leads to a video. */
export function parseMedia(media: JsonObject, shape: MediaShape, isReel: boolean): PostDraft {
  const facts = shape.factsOf(media);
  const { children, images } = facts;
  const itemOf = (one: unknown) => (isJsonObject(one) ? toItem(one, shape.factsOf(one), false) : null);
  return {
    author: readUsers(facts.users),
    title: read.text(media.title),
    caption: facts.caption,
    publishedAt: read.instant(facts.publishedAt),
    stats: statsOf(media, shape.stats),
    items: children?.map(itemOf) ?? [toItem(media, facts, isReel)],
    coverUrl: firstOf(images, file => readAddress(file.url)),
    sensitive: [media, ...(children ?? [])].some(
      one => read.boolean(child(one, 'sensitivity_friction_info', 'should_have_sensitivity_friction')) === true,
    ),
  };
}
