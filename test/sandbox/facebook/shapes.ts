/** Facebook's posts as its pages carry them: the queries' answers inside `data-sjs` scripts. */

import type { RenderContext } from '../instagram/product.ts';
import type { Clip } from '../media.ts';
import type { FacebookPost } from '../world.ts';
import {
  actor,
  type Fields,
  facebookMediaId,
  facebookUrl,
  type Json,
  media,
  personId,
  photo,
  progressive,
  SITE,
  video,
} from './media.ts';

function feedbackId(post: FacebookPost): string {
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

/** The player's own record of its video. */
export function playerData(post: FacebookPost, context: RenderContext): readonly Json[] {
  const clip = onlyClip(post);
  const { hd, sd } = progressive(clip, post.hasHd, context);
  return [
    {
      video_id: post.id,
      stream_type: 'progressive',
      hd_src: hd,
      sd_src: sd,
      hd_src_no_ratelimit: hd,
      sd_src_no_ratelimit: sd,
      dash_manifest: null,
      is_hls: false,
      is_broadcast: false,
      original_width: clip.width,
      original_height: clip.height,
      subtitles_src: null,
    },
  ];
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
  const shortForm = { video: { id, creation_story: { post_id: id, id: storyId(post) } }, video_owner: owner };
  return [
    { video: { id, creation_story: { tracking, short_form_video_context: shown, id: storyId(post) } } },
    {
      short_form_video_context: shortForm,
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
