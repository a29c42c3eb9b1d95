/**
 * Shape A: the product of the mobile API, which `media/info`, `web_info.items[0]` and
 * `xig_polaris_media.if_not_gated_logged_out` all answer with (2026-08).
 */
import { z } from 'zod';
import { address, count, flag, instant, listOf, numericId, objectOf, size, text } from '../../parse/fields.ts';
import type { JsonObject } from '../../parse/json-search.ts';
import { imageItem, videoItem } from '../../parse/media-files.ts';
import type { UnplacedItem } from '../../post.ts';
import type { PostDraft } from './draft.ts';

const file = z.object({ url: address, width: size, height: size, bandwidth: size });

const user = objectOf({
  pk: numericId,
  id: numericId,
  username: text,
  full_name: text,
  is_verified: flag,
  profile_pic_url: address,
  profile_image_uri: address,
  follower_count: count,
  media_count: count,
});

const media = {
  __typename: text,
  media_type: count,
  original_width: size,
  original_height: size,
  video_versions: listOf(file),
  video_dash_manifest: text,
  video_duration: size,
  has_audio: flag,
  image_versions2: objectOf({ candidates: listOf(file) }),
  display_uri: address,
  accessibility_caption: text,
};

const child = z.object(media);

const product = z.object({
  ...media,
  carousel_media: listOf(child),
  user,
  owner: user,
  caption: z.union([z.object({ text }).transform(caption => caption.text), text]),
  title: text,
  taken_at: instant,
  like_count: count,
  comment_count: count,
  play_count: count,
  ig_play_count: count,
  view_count: count,
  share_count: count,
  reshare_count: count,
  save_count: count,
  fb_like_count: count,
  fb_play_count: count,
  like_and_view_counts_disabled: flag,
});

type Child = z.infer<typeof child>;
type Product = z.infer<typeof product>;
type User = z.infer<typeof user>;

const PHOTO = 1;
const VIDEO = 2;
const CAROUSEL = 8;

/** Keys of which a product has at least one, whatever else it lacks. */
const MEDIA_KEYS = ['media_type', 'video_versions', 'image_versions2', 'carousel_media'];

/** Whether an object is a product, however sparse. */
export function isProduct(object: JsonObject): boolean {
  return MEDIA_KEYS.some(key => key in object) && ('pk' in object || 'code' in object || 'id' in object);
}

/** By its own word first: a still of a video whose files are withheld is not the post. */
function isVideo(source: Child): boolean {
  if (source.media_type === PHOTO || source.media_type === VIDEO) return source.media_type === VIDEO;
  const hasFiles = source.video_versions.length > 0 || source.video_dash_manifest !== null;
  return hasFiles || source.__typename?.endsWith('VideoMedia') === true;
}

function toItem(source: Child): UnplacedItem | null {
  const original = { width: source.original_width, height: source.original_height };
  const images = [
    ...(source.image_versions2?.candidates ?? []),
    { url: source.display_uri, width: null, height: null },
  ];
  if (isVideo(source)) {
    return videoItem({
      files: source.video_versions.map(({ bandwidth, ...rest }) => ({ ...rest, bitrate: bandwidth })),
      covers: images,
      original,
      dashManifest: source.video_dash_manifest,
      durationMs: source.video_duration === null ? null : Math.round(source.video_duration * 1000),
      hasAudio: source.has_audio,
      alt: source.accessibility_caption,
    });
  }
  return imageItem({ files: images, original, alt: source.accessibility_caption });
}

/** A carousel's own files are one of its items over again, in another size: only the children count. */
function toItems(source: Product): readonly UnplacedItem[] {
  const isCarousel = source.media_type === CAROUSEL || source.carousel_media.length > 0;
  const parts: readonly Child[] = isCarousel ? source.carousel_media : [source];
  return parts.flatMap(part => toItem(part) ?? []);
}

function pick<Key extends keyof NonNullable<User>>(key: Key, users: readonly User[]): NonNullable<User>[Key] | null {
  for (const one of users) if (one !== null && one[key] !== null) return one[key];
  return null;
}

/** Reads a product. What it does not say is null; items may be empty. */
export function parseProduct(object: JsonObject): PostDraft | null {
  const result = product.safeParse(object);
  if (!result.success) return null;
  const { data } = result;
  const users = [data.user, data.owner];
  const isHidden = data.like_and_view_counts_disabled === true;
  return {
    author: {
      id: pick('pk', users) ?? pick('id', users),
      username: pick('username', users),
      name: pick('full_name', users),
      verified: pick('is_verified', users),
      avatarUrl: pick('profile_pic_url', users) ?? pick('profile_image_uri', users),
    },
    title: data.title,
    caption: data.caption,
    publishedAt: data.taken_at,
    stats: {
      likes: isHidden ? null : data.like_count,
      comments: data.comment_count,
      plays: isHidden ? null : (data.play_count ?? data.ig_play_count),
      views: isHidden ? null : data.view_count,
      shares: data.share_count ?? data.reshare_count,
      saves: data.save_count,
      facebookLikes: data.fb_like_count,
      facebookPlays: data.fb_play_count,
      authorFollowers: pick('follower_count', users),
      authorPosts: pick('media_count', users),
    },
    items: toItems(data),
  };
}
