/** Shape B: the older GraphQL media (`xdt_shortcode_media`, and `shortcode_media` in embeds), as of 2026-08. */
import { z } from 'zod';
import { address, count, flag, instant, listOf, numericId, objectOf, size, text } from '../../parse/fields.ts';
import type { JsonObject } from '../../parse/json-search.ts';
import { imageItem, videoItem } from '../../parse/media-files.ts';
import type { UnplacedItem } from '../../post.ts';
import type { PostDraft } from './draft.ts';

const total = objectOf({ count });

const node = z.object({
  __typename: text,
  is_video: flag,
  video_url: address,
  display_url: address,
  display_src: address,
  thumbnail_src: address,
  display_resources: listOf(z.object({ src: address, config_width: size, config_height: size })),
  dimensions: objectOf({ width: size, height: size }),
  dash_info: objectOf({ video_dash_manifest: text }),
  video_duration: size,
  has_audio: flag,
  accessibility_caption: text,
});

const media = node.extend({
  owner: objectOf({
    id: numericId,
    pk: numericId,
    username: text,
    full_name: text,
    is_verified: flag,
    profile_pic_url: address,
    edge_followed_by: total,
    edge_owner_to_timeline_media: total,
  }),
  title: text,
  edge_media_to_caption: objectOf({ edges: listOf(z.object({ node: objectOf({ text }) })) }),
  edge_sidecar_to_children: objectOf({ edges: listOf(z.object({ node: node.nullable().catch(null) })) }),
  taken_at_timestamp: instant,
  edge_media_preview_like: total,
  edge_liked_by: total,
  edge_media_to_parent_comment: total,
  edge_media_to_comment: total,
  edge_media_preview_comment: total,
  video_play_count: count,
  video_view_count: count,
  like_and_view_counts_disabled: flag,
});

type Node = z.infer<typeof node>;

const MEDIA_KEYS = ['display_url', 'display_src', 'display_resources', 'video_url', 'edge_sidecar_to_children'];

/** Whether an object is such a media, however sparse. */
export function isGraphMedia(object: JsonObject): boolean {
  return MEDIA_KEYS.some(key => key in object) && ('shortcode' in object || 'id' in object);
}

function toItem(source: Node): UnplacedItem | null {
  const original = source.dimensions ?? { width: null, height: null };
  const images = [
    { url: source.display_url ?? source.display_src, ...original },
    ...source.display_resources.map(({ src, config_width, config_height }) => ({
      url: src,
      width: config_width,
      height: config_height,
    })),
    { url: source.thumbnail_src, width: null, height: null },
  ];
  const isVideo = source.is_video ?? source.__typename?.endsWith('Video') ?? source.video_url !== null;
  if (!isVideo) return imageItem({ files: images, original, alt: source.accessibility_caption });
  return videoItem({
    files: [{ url: source.video_url, width: null, height: null }],
    covers: images,
    original,
    dashManifest: source.dash_info?.video_dash_manifest ?? null,
    durationMs: source.video_duration === null ? null : Math.round(source.video_duration * 1000),
    hasAudio: source.has_audio,
    alt: source.accessibility_caption,
  });
}

/** Reads such a media. What it does not say is null; items may be empty. */
export function parseGraphMedia(object: JsonObject): PostDraft | null {
  const result = media.safeParse(object);
  if (!result.success) return null;
  const { data } = result;
  const children = data.edge_sidecar_to_children?.edges.flatMap(edge => edge.node ?? []) ?? [];
  const parts: readonly Node[] = children.length > 0 ? children : [data];
  const isHidden = data.like_and_view_counts_disabled === true;
  const comments = data.edge_media_to_parent_comment ?? data.edge_media_to_comment ?? data.edge_media_preview_comment;
  return {
    author: {
      id: data.owner?.id ?? data.owner?.pk ?? null,
      username: data.owner?.username ?? null,
      name: data.owner?.full_name ?? null,
      verified: data.owner?.is_verified ?? null,
      avatarUrl: data.owner?.profile_pic_url ?? null,
    },
    title: data.title,
    caption: data.edge_media_to_caption?.edges[0]?.node?.text ?? null,
    publishedAt: data.taken_at_timestamp,
    stats: {
      likes: isHidden ? null : (data.edge_media_preview_like?.count ?? data.edge_liked_by?.count ?? null),
      comments: comments?.count ?? null,
      plays: isHidden ? null : data.video_play_count,
      views: isHidden ? null : data.video_view_count,
      shares: null,
      saves: null,
      facebookLikes: null,
      facebookPlays: null,
      authorFollowers: data.owner?.edge_followed_by?.count ?? null,
      authorPosts: data.owner?.edge_owner_to_timeline_media?.count ?? null,
    },
    items: parts.flatMap(part => toItem(part) ?? []),
  };
}
