/** Facebook's posts as its pages carry them: the queries' answers inside `data-sjs` scripts. */

import { dashManifest } from './dash.ts';
import type { RenderContext } from './instagram-product.ts';
import type { Clip, Media, Photo } from './media.ts';
import type { FacebookPost, Person } from './world.ts';

type Json = Readonly<Record<string, unknown>>;

const SITE = 'https://www.facebook.com';
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
function personId(person: Person): string {
  return `1000${person.id}`;
}

function actor(person: Person, { addresses }: RenderContext): Json {
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

function progressive(
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
  const full = at(clip.best, Math.min(clip.width, clip.height));
  if (!hasHd) return { hd: null, sd: full };
  return { hd: full, sd: clip.small === null ? null : at(clip.small, 360) };
}

type Fields = 'direct' | 'legacy' | 'response';

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

function video(post: FacebookPost, clip: Clip, id: string, fields: Fields, context: RenderContext): Json {
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

function photo(one: Photo, id: string, post: FacebookPost, context: RenderContext): Json {
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

function media(one: Media, post: FacebookPost, index: number, context: RenderContext): Json {
  const id = facebookMediaId(post, index);
  return one.kind === 'image' ? photo(one, id, post, context) : video(post, one, id, 'response', context);
}

export function feedbackId(post: FacebookPost): string {
  return Buffer.from(`feedback:${post.id}`).toString('base64');
}

function storyId(post: FacebookPost): string {
  const kind = post.form === 'reel' || post.form === 'watch' ? 'VK:' : '';
  return Buffer.from(`S:_I${personId(post.owner)}:${kind}${post.id}`).toString('base64');
}

function feedback(post: FacebookPost): Json {
  return {
    id: feedbackId(post),
    associated_group: null,
    likers: { count: post.reactions - 3 },
    unified_reactors: { count: post.reactions },
    reaction_count: { count: post.reactions, is_empty: false },
    i18n_reaction_count: String(post.reactions),
    total_comment_count: post.comments,
    top_level_comments: { totalCountIncludingReplies: post.comments },
    share_count_reduced: post.shares,
    i18n_share_count: post.shares,
  };
}

function message({ text }: FacebookPost): Json | null {
  return text === null ? null : { text, ranges: [] };
}

function onlyClip(post: FacebookPost): Clip {
  const clip = post.media.find(one => one.kind === 'video');
  if (clip === undefined) throw new Error(`${post.id} has no video`);
  return clip;
}

/** A reel is spread over several answers that only its ids hold together. */
export function reelAnswers(post: FacebookPost, fields: Fields, context: RenderContext): readonly Json[] {
  const { id } = post;
  const clip = onlyClip(post);
  const owner = actor(post.owner, context);
  const tracking = JSON.stringify({ top_level_post_id: id, content_owner_id_new: personId(post.owner) });
  const { owner: _owner, publish_time: _time, ...playback } = video(post, clip, id, fields, context);
  const shareable_url = `${SITE}/reel/${id}`;
  const shown = {
    video: { __typename: 'Video', id, playable_duration_in_ms: clip.durationMs, embeddable: true },
    shareable_url,
    playback_video: playback,
    video_owner: owner,
    video_owner_type: 'FACEBOOK_USER',
  };
  const told = { video: { id, creation_story: { post_id: id, id: storyId(post) } }, video_owner: owner };
  return [
    { video: { id, creation_story: { tracking, short_form_video_context: shown, id: storyId(post) } } },
    {
      short_form_video_context: told,
      tracking,
      creation_time: post.createdAt,
      post_id: id,
      message: message(post),
      feedback: { id: feedbackId(post), associated_group: null },
    },
    {
      id: storyId(post),
      video: { id },
      short_form_video_context: { video: { id }, shareable_url },
      tracking,
      feedback: feedback(post),
      url: `${SITE}/reel/${id}/`,
      __isEntity: 'Story',
    },
  ];
}

export function watchAnswers(post: FacebookPost, fields: Fields, context: RenderContext): readonly Json[] {
  const url = `${SITE}/${post.owner.username}/videos/${post.id}/`;
  const one = {
    ...video(post, onlyClip(post), post.id, fields, context),
    url,
    permalink_url: url,
    name: post.title ?? '',
    savable_description: { text: post.text ?? '' },
  };
  const story = {
    shareable: { __typename: 'Video', id: post.id, url },
    feedback_context: { feedback_target_with_context: { ...feedback(post), url } },
    attachments: [{ media: one }],
    comet_sections: { message: { story: { message: message(post) } } },
    id: storyId(post),
  };
  return [{ video: { id: post.id, creation_story: story } }];
}

export function photoAnswers(post: FacebookPost, context: RenderContext): readonly Json[] {
  const shown = post.media.find(one => one.kind === 'image');
  if (shown === undefined) throw new Error(`${post.id} has no photo`);
  const { viewer_image, ...rest } = photo(shown, post.id, post, context);
  const current = { ...rest, image: viewer_image, created_time: post.createdAt };
  const story = {
    id: storyId(post),
    creation_time: post.createdAt,
    message: message(post),
    actors: [actor(post.owner, context)],
    attachments: [{ media: { __typename: 'Photo', id: post.id } }],
  };
  return [
    {
      currMedia: current,
      mediaset: { __typename: 'PhotosOfAlbum', id: `a.${post.id}` },
      nextMediaAfterNodeId: { __typename: 'Photo', id: facebookMediaId(post, 6) },
    },
    {
      media: { __typename: 'Photo', id: post.id, creation_story: story, message: message(post) },
      feedback: feedback(post),
      id: post.id,
    },
  ];
}

/** A post of a person or in a group: photos and videos hang on its story, several as subattachments. */
export function storyAnswers(post: FacebookPost, context: RenderContext): readonly Json[] {
  const nodes = post.media.map((one, index) => ({ media: media(one, post, index, context) }));
  const [first] = nodes;
  const attachment =
    nodes.length === 1
      ? { media: first?.media }
      : { mediaset_token: `pcb.${post.id}`, all_subattachments: { count: nodes.length, nodes } };
  const content = {
    actors: [actor(post.owner, context)],
    message: message(post),
    creation_time: post.createdAt,
    attachments: [{ styles: { __typename: 'StoryAttachmentPhotoStyleRenderer', attachment } }],
    id: storyId(post),
  };
  const node = {
    __typename: 'Story',
    id: storyId(post),
    post_id: post.id,
    url: facebookUrl(post),
    creation_time: post.createdAt,
    comet_sections: {
      content: { story: content },
      feedback: { story: { feedback_context: { feedback_target_with_context: feedback(post) } } },
    },
    feedback: { id: feedbackId(post) },
  };
  return [post.form === 'group' ? { node_v2: node } : { node }];
}
