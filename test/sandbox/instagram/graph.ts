/** Shape B: the older GraphQL media. Today only embeds still carry it, as `shortcode_media`. */

import type { Media } from '../media.ts';
import { type InstagramPost, pkOf, takenAt } from '../world.ts';
import { altOf, bestVideoUrl, childPk, type RenderContext } from './product.ts';

type Json = Readonly<Record<string, unknown>>;

function node(media: Media, id: string, context: RenderContext): Json {
  const { addresses } = context;
  const display = addresses.of(media.kind === 'video' ? media.cover : media.best, { cacheKey: id });
  const resources = [{ src: display, config_width: media.width, config_height: media.height }];
  if (media.kind === 'image') {
    const src = addresses.of(media.small, { cacheKey: id, transform: 'dst-jpg_e35_p480x480_tt6' });
    resources.unshift({ src, config_width: 480, config_height: 600 });
  }
  const square = addresses.of(media.kind === 'video' ? media.cover : media.small, {
    transform: 'c0.120.480.480a_dst-jpg_e15_tt6',
  });
  return {
    __typename: media.kind === 'video' ? 'GraphVideo' : 'GraphImage',
    id,
    is_video: media.kind === 'video',
    dimensions: { width: media.width, height: media.height },
    display_url: display,
    display_resources: resources,
    thumbnail_src: square,
    accessibility_caption: altOf(media),
    gating_info: null,
    media_overlay_info: null,
    ...(media.kind === 'video'
      ? {
          video_url: bestVideoUrl(media, context),
          has_audio: media.hasAudio,
          video_duration: media.durationMs / 1000,
          dash_info: { is_dash_eligible: false, video_dash_manifest: null },
        }
      : {}),
  };
}

export function renderGraphMedia(post: InstagramPost, context: RenderContext): Json {
  const pk = pkOf(post.code);
  const { author, counts, media } = post;
  const first = media[0];
  if (first === undefined) throw new Error('a post without media');
  const isCarousel = media.length > 1;
  const edges = media.map((one, index) => ({ node: node(one, childPk(pk, index), context) }));
  return {
    ...node(first, pk, context),
    ...(isCarousel ? { __typename: 'GraphSidecar', is_video: false, edge_sidecar_to_children: { edges } } : {}),
    shortcode: post.code,
    owner: {
      id: author.id,
      username: author.username,
      full_name: author.name,
      is_verified: author.verified,
      is_private: false,
      profile_pic_url: context.addresses.of(author.avatar, { transform: 'dst-jpg_s150x150_tt6' }),
    },
    edge_media_to_caption: { edges: post.caption === null ? [] : [{ node: { text: post.caption } }] },
    taken_at_timestamp: takenAt(pk),
    like_and_view_counts_disabled: counts === null,
    edge_liked_by: { count: counts?.likes ?? -1 },
    edge_media_to_comment: counts === null ? null : { count: counts.comments },
    video_play_count: counts?.plays ?? null,
    edge_media_to_tagged_user: { edges: [] },
    coauthor_producers: [],
    location: null,
  };
}
