/** A post as syndication and as the query for it state it. */
import type { Media, MediaFile } from '../media.ts';
import { X_POSTS, type XPerson, type XPost } from './posts.ts';

export type Files = ReadonlyMap<string, MediaFile>;
type Shape = Readonly<Record<string, unknown>>;

function keyOf(name: string, files: Files): string {
  return files.get(name)?.key.slice(0, 15) ?? '';
}

function image(name: string, files: Files, folder = 'media'): string {
  return `https://pbs.twimg.com/${folder}/${keyOf(name, files)}.jpg`;
}

function mediaOf(post: XPost, media: Media, index: number, files: Files): Shape {
  const kind = media.kind === 'image' ? 'photo' : 'video';
  const place = `https://x.com/${post.author.username}/status/${post.id}/${kind}/${index + 1}`;
  const common = {
    display_url: 'pic.x.com/SandMedia1',
    expanded_url: place,
    url: 'https://t.co/SandMedia1',
    ext_media_availability: { status: 'Available' },
    original_info: { width: media.width, height: media.height, focus_rects: [] },
  };
  if (media.kind === 'image') {
    const small = { w: 480, h: Math.round((480 * media.height) / media.width), resize: 'fit' };
    const sizes = { large: { w: media.width, h: media.height, resize: 'fit' }, medium: small, small };
    const alt = { ext_alt_text: media.alt };
    return { ...common, ...alt, type: 'photo', media_url_https: image(media.best, files), sizes };
  }
  const video = (name: string, side: number, bitrate: number) => {
    const scale = side / Math.min(media.width, media.height);
    const frame = `${Math.round(media.width * scale)}x${Math.round(media.height * scale)}`;
    const path = post.isLoop ? 'tweet_video' : `ext_tw_video/${post.id}/pu/vid/avc1/${frame}`;
    const url = `https://video.twimg.com/${path}/${keyOf(name, files)}.mp4${post.isLoop ? '' : '?tag=12'}`;
    return { bitrate: post.isLoop ? 0 : bitrate, content_type: 'video/mp4', url };
  };
  const best = video(media.best, Math.min(media.width, media.height), 2_176_000);
  const list = {
    content_type: 'application/x-mpegURL',
    url: `https://video.twimg.com/ext_tw_video/${post.id}/pu/pl/l.m3u8`,
  };
  const variants = [
    ...(post.isLoop ? [] : [list]),
    ...(media.small === null ? [] : [video(media.small, 360, 832_000)]),
    best,
  ];
  const poster = image(media.cover, files, `ext_tw_video_thumb/${post.id}/pu/img`);
  const info = { aspect_ratio: [9, 16], variants, ...(!post.isLoop && { duration_millis: media.durationMs }) };
  return { ...common, type: post.isLoop ? 'animated_gif' : 'video', media_url_https: poster, video_info: info };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function wordsOf({ text, media }: XPost): Shape {
  const words = escaped(text);
  const full = media.length === 0 ? words : `${words} https://t.co/SandMedia1`;
  const entities = { hashtags: [], urls: [], user_mentions: [], symbols: [] };
  return { full, range: [0, Array.from(words).length], entities };
}

const quotedBy = ({ quotes }: XPost) => X_POSTS.find(({ id }) => id === quotes);
const avatarOf = ({ avatar, id }: XPerson, files: Files) =>
  image(avatar, files, `profile_images/${id}`).replace('.jpg', '_normal.jpg');

export function syndicated(post: XPost, files: Files): Shape {
  const { full, range, entities } = wordsOf(post);
  const { author } = post;
  const quoted = quotedBy(post);
  return {
    __typename: 'Tweet',
    lang: 'en',
    favorite_count: 1_204,
    possibly_sensitive: post.isSensitive === true,
    created_at: '2025-10-20T06:12:00.000Z',
    display_text_range: range,
    entities,
    id_str: post.id,
    text: full,
    user: {
      id_str: author.id,
      name: author.name,
      screen_name: author.username,
      profile_image_url_https: avatarOf(author, files),
      verified: false,
      is_blue_verified: author.verified,
    },
    edit_control: { edit_tweet_ids: [post.id], edits_remaining: '5' },
    ...(post.media.length > 0 && { mediaDetails: post.media.map((one, index) => mediaOf(post, one, index, files)) }),
    ...(post.longText !== undefined && { note_tweet: { id: 'Tm90ZTox' } }),
    ...(quoted !== undefined && { quoted_tweet: syndicated(quoted, files) }),
    conversation_count: 17,
    news_action_type: 'conversation',
  };
}

export function queried(post: XPost, files: Files): Shape {
  const { full, range, entities } = wordsOf(post);
  const { author } = post;
  const quoted = quotedBy(post);
  const media = post.media.map((one, index) => mediaOf(post, one, index, files));
  const note = { text: escaped(post.longText ?? ''), entity_set: { urls: [] } };
  const user = {
    __typename: 'User',
    rest_id: author.id,
    is_blue_verified: author.verified,
    avatar: { image_url: avatarOf(author, files) },
    core: { name: author.name, screen_name: author.username, created_at: 'Mon May 06 02:40:47 +0000 2024' },
    legacy: { followers_count: 3_310, statuses_count: 812 },
  };
  return {
    __typename: 'Tweet',
    rest_id: post.id,
    core: { user_results: { result: user } },
    views: { count: '48210', state: 'EnabledWithCount' },
    ...(post.longText !== undefined && { note_tweet: { is_expandable: true, note_tweet_results: { result: note } } }),
    ...(quoted !== undefined && { quoted_status_result: { result: queried(quoted, files) } }),
    legacy: {
      id_str: post.id,
      created_at: 'Mon Oct 20 06:12:00 +0000 2025',
      full_text: full,
      display_text_range: range,
      entities: { ...Object(entities), media },
      ...(media.length > 0 && { extended_entities: { media } }),
      favorite_count: 1_204,
      reply_count: 17,
      retweet_count: 96,
      quote_count: 4,
      bookmark_count: 31,
      possibly_sensitive: post.isSensitive === true,
      ...(quoted !== undefined && { quoted_status_id_str: quoted.id }),
    },
  };
}
