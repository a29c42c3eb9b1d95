/** People, photos and videos as Facebook's pages describe them. */

import { dashManifest } from '../dash.ts';
import type { RenderContext } from '../instagram/product.ts';
import type { Clip, Media, Photo } from '../media.ts';
import type { FacebookPost, Person } from '../world.ts';

export type Json = Readonly<Record<string, unknown>>;

export const SITE = 'https://www.facebook.com';
const VIDEO_HOST = 'video-lhr8-1.xx.fbcdn.net';
const IMAGE_HOST = 'scontent-lhr8-2.xx.fbcdn.net';

/** Where a post lives. */
export function facebookUrl({ id, form, owner, group, pfbid }: FacebookPost): string {
  if (form === 'reel') return `${SITE}/reel/${id}/`;
  if (form === 'watch') return `${SITE}/watch/?v=${id}`;
  if (form === 'photo') return `${SITE}/photo/?fbid=${id}`;
  return form === 'group' ? `${SITE}/groups/${group}/posts/${id}/` : `${SITE}/${owner.username}/posts/${pfbid ?? id}`;
}

/** Ids of the photos and videos that hang on a post. */
export function facebookMediaId(post: FacebookPost, index: number): string {
  return (BigInt(post.id) + BigInt(index + 1) * 1_009n).toString();
}

/** Facebook's ids of people are not those of Instagram. */
export function personId(person: Person): string {
  return `1000${person.id}`;
}

export function actor(person: Person, { addresses }: RenderContext): Json {
  const picture = { uri: addresses.of(person.avatar, { host: IMAGE_HOST, transform: 'cp0_dst-jpg_s40x40_tt6' }) };
  const url = `${SITE}/${person.username}`;
  const id = personId(person);
  return {
    __typename: 'User',
    id,
    __isActor: 'User',
    name: person.name,
    is_verified: person.verified,
    url,
    displayPicture: picture,
    profile_picture: picture,
  };
}

function image(name: string, width: number, height: number, { addresses }: RenderContext): Json {
  return { uri: addresses.of(name, { host: IMAGE_HOST, transform: 'dst-jpg_s960x960_tt6' }), width, height };
}

export function progressive(
  clip: Clip,
  hasHd: boolean,
  { addresses }: RenderContext,
): { readonly hd: string | null; readonly sd: string | null } {
  const at = (name: string, side: number) =>
    addresses.of(name, {
      host: VIDEO_HOST,
      tag: {
        vencode_tag: `xpv_progressive.FACEBOOK..C3.${side}.progressive_h264-basic-gen2_${side}p`,
        xpv_asset_id: 621_648_600_513_974,
        urlgen_source: 'www',
      },
    });
  if (!clip.hasWholeFile) return { hd: null, sd: null };
  const full = at(clip.best, Math.min(clip.width, clip.height));
  if (!hasHd) return { hd: null, sd: full };
  return { hd: full, sd: clip.small === null ? null : at(clip.small, 360) };
}

export type Fields = 'direct' | 'legacy' | 'response';

/** The three places where pages of 2023, of early 2025 and of today keep the addresses. */
function fileFields(clip: Clip, id: string, hasHd: boolean, fields: Fields, context: RenderContext): Json {
  const { hd, sd } = progressive(clip, hasHd, context);
  const manifest = dashManifest(clip, { ...context, host: VIDEO_HOST });
  if (fields === 'direct')
    return {
      browser_native_hd_url: hd,
      browser_native_sd_url: sd,
      ...(manifest === null ? {} : { dash_manifest: manifest }),
    };
  const legacy = {
    browser_native_hd_url: hd,
    browser_native_sd_url: sd,
    dash_manifest_url: `${SITE}/dash_mpd_debug.mpd?v=${id}&dummy=.mpd`,
    id,
  };
  if (fields === 'legacy') return { videoDeliveryLegacyFields: legacy, videoDeliveryResponseFragment: null };
  const urls = [
    { progressive_url: sd, failure_reason: null, metadata: { quality: 'SD' } },
    { progressive_url: hd, failure_reason: null, metadata: { quality: 'HD' } },
  ];
  const result = {
    dash_manifest_urls: [],
    dash_manifests: manifest === null ? [] : [{ manifest_xml: manifest, failure_reason: null }],
    progressive_urls: urls.filter(one => one.progressive_url !== null),
    hls_playlist_urls: [],
    id,
  };
  return {
    videoDeliveryResponseFragment: { __typename: 'VideoDeliveryResponse', videoDeliveryResponseResult: result },
  };
}

export function video(post: FacebookPost, clip: Clip, id: string, fields: Fields, context: RenderContext): Json {
  const cover = image(clip.cover, clip.width, clip.height, context);
  return {
    __typename: 'Video',
    id,
    videoId: id,
    width: clip.width,
    height: clip.height,
    length_in_second: clip.durationMs / 1000,
    playable_duration_in_ms: clip.durationMs,
    thumbnailImage: { uri: cover.uri },
    preferred_thumbnail: { image: { uri: cover.uri }, image_preview_payload: null, id: `9${id}` },
    is_live_streaming: false,
    is_looping: false,
    is_video_broadcast: false,
    loop_count: 0,
    is_spherical: false,
    broadcast_status: null,
    permalink_url: facebookUrl(post),
    captions_url: null,
    video_available_captions_locales: [],
    video_status_type: 'OK',
    can_use_oz: true,
    audio_availability: clip.hasAudio ? 'AVAILABLE' : 'UNAVAILABLE',
    muted_segments: [],
    drm_info: '{"video_license_uri_map":{}}',
    owner: actor(post.owner, context),
    publish_time: post.createdAt,
    __isNode: 'Video',
    ...fileFields(clip, id, post.hasHd, fields, context),
  };
}

export function photo(one: Photo, id: string, post: FacebookPost, context: RenderContext): Json {
  return {
    __typename: 'Photo',
    __isNode: 'Photo',
    __isMedia: 'Photo',
    id,
    url: `${SITE}/photo/?fbid=${id}`,
    image: image(one.small, 480, 600, context),
    viewer_image: image(one.best, one.width, one.height, context),
    accessibility_caption: one.alt,
    owner: actor(post.owner, context),
    creation_time: post.createdAt,
  };
}

export function media(one: Media, post: FacebookPost, index: number, context: RenderContext): Json {
  const id = facebookMediaId(post, index);
  return one.kind === 'image' ? photo(one, id, post, context) : video(post, one, id, 'response', context);
}
