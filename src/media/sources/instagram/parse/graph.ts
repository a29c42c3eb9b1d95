/** Shape B: the older GraphQL media (`xdt_shortcode_media`, and `shortcode_media` in embeds), as of 2026-08. */

import { readCount, readFlag, readId, readInstant, readList, readSize, readText } from '../../../parse/fields.ts';
import { child, isJsonObject, type JsonObject } from '../../../parse/json-search.ts';
import type { UnplacedItem } from '../../../post.ts';
import { readAddress, type Size } from '../../kit/cdn-address.ts';
import type { PostDraft } from '../../kit/draft.ts';
import { imageItem, type ListedFile, videoItem } from '../../kit/media-files.ts';

const MAX_CHILDREN = 60;

/** Keys of which such a media has at least one, whatever else it lacks. */
export const GRAPH_KEYS: readonly string[] = [
  'display_url',
  'display_src',
  'display_resources',
  'video_url',
  'edge_sidecar_to_children',
];

function originalOf(media: JsonObject): Size {
  return {
    width: readSize(child(media.dimensions, 'width')),
    height: readSize(child(media.dimensions, 'height')),
  };
}

function imagesOf(media: JsonObject): readonly ListedFile[] {
  return [
    { url: readAddress(media.display_url) ?? readAddress(media.display_src), ...originalOf(media) },
    ...readList(media.display_resources).map(entry => ({
      url: readAddress(child(entry, 'src')),
      width: readSize(child(entry, 'config_width')),
      height: readSize(child(entry, 'config_height')),
    })),
    { url: readAddress(media.thumbnail_src), width: null, height: null },
  ];
}

/** By its files, then by its own word, else by any sign of a video. */
function isVideo(media: JsonObject, isReel: boolean): boolean {
  if (readText(media.video_url) !== null || readText(child(media.dash_info, 'video_dash_manifest')) !== null)
    return true;
  const said = readFlag(media.is_video);
  if (said !== null) return said;
  const typename = readText(media.__typename) ?? '';
  if (/(?:Video|Image)$/.test(typename)) return typename.endsWith('Video');
  return (
    media.product_type === 'clips' ||
    media.product_type === 'igtv' ||
    readSize(media.video_duration) !== null ||
    readCount(media.video_view_count) !== null ||
    isReel
  );
}

function toItem(media: JsonObject, isReel: boolean): UnplacedItem | null {
  const original = originalOf(media);
  const images = imagesOf(media);
  const alt = readText(media.accessibility_caption);
  if (!isVideo(media, isReel)) return imageItem({ files: images, original, alt });
  const seconds = readSize(media.video_duration);
  return videoItem({
    files: [{ url: readAddress(media.video_url), width: null, height: null }],
    covers: images,
    original,
    dashManifest: readText(child(media.dash_info, 'video_dash_manifest')),
    durationMs: seconds === null ? null : Math.round(seconds * 1000),
    hasAudio: readFlag(media.has_audio),
    alt,
  });
}

/** What a sidecar shows of itself is its first item over again: only its children count. */
function toItems(media: JsonObject, isReel: boolean): readonly (UnplacedItem | null)[] {
  const children = media.edge_sidecar_to_children;
  const isSidecar = isJsonObject(children) || /Sidecar$/.test(readText(media.__typename) ?? '');
  if (!isSidecar) return [toItem(media, isReel)];
  return readList(child(children, 'edges'), MAX_CHILDREN).map(edge => {
    const node = child(edge, 'node');
    return isJsonObject(node) ? toItem(node, false) : null;
  });
}

/**
 * Reads such a media; what it does not say is null. `isReel`: the link says that this is a video. The items are empty for a
 * sidecar whose children are nowhere.
 */
export function parseGraphMedia(media: JsonObject, isReel: boolean): PostDraft {
  const { owner } = media;
  const isHidden = media.like_and_view_counts_disabled === true;
  const total = (...keys: readonly string[]): number | null => {
    for (const key of keys) {
      const count = readCount(child(media[key], 'count'));
      if (count !== null) return count;
    }
    return null;
  };
  const caption = readList(child(media.edge_media_to_caption, 'edges'))[0];
  return {
    author: {
      id: readId(child(owner, 'id')) ?? readId(child(owner, 'pk')),
      username: readText(child(owner, 'username')),
      name: readText(child(owner, 'full_name')),
      verified: readFlag(child(owner, 'is_verified')),
      avatarUrl: readAddress(child(owner, 'profile_pic_url')),
    },
    title: readText(media.title),
    caption: readText(child(caption, 'node', 'text')),
    publishedAt: readInstant(media.taken_at_timestamp),
    stats: {
      likes: isHidden ? null : total('edge_media_preview_like', 'edge_liked_by'),
      comments: total('edge_media_to_parent_comment', 'edge_media_to_comment', 'edge_media_preview_comment'),
      plays: isHidden ? null : readCount(media.video_play_count),
      views: isHidden ? null : readCount(media.video_view_count),
      shares: null,
      saves: null,
      crosspostLikes: null,
      crosspostPlays: null,
      authorFollowers: readCount(child(owner, 'edge_followed_by', 'count')),
      authorPosts: readCount(child(owner, 'edge_owner_to_timeline_media', 'count')),
    },
    items: toItems(media, isReel),
    coverUrl: imagesOf(media).find(file => file.url !== null)?.url ?? null,
  };
}
