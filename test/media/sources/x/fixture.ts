/** Posts in the shapes of X's answers. People and posts are made up. */
import { AppError } from '../../../../src/errors.ts';
import { siteAnswer } from '../../../../src/media/parse/body.ts';
import type { Post } from '../../../../src/media/post.ts';
import { xRefOf } from '../../../../src/media/sources/x/link.ts';
import { readXAnswer } from '../../../../src/media/sources/x/parse.ts';

export const ID = '1970000000000000001';
export type Shape = Readonly<Record<string, unknown>>;

const VIDEO = 'https://video.twimg.com/ext_tw_video/1/pu';
export const photo = (name: string, more: Shape = {}): Shape => ({
  type: 'photo',
  media_url_https: `https://pbs.twimg.com/media/${name}.jpg`,
  url: 'https://t.co/PierMedia1',
  expanded_url: `https://x.com/pier_lights/status/${ID}/photo/1`,
  ext_alt_text: `A photo called ${name}`,
  ext_media_availability: { status: 'Available' },
  original_info: { width: 3000, height: 2000 },
  sizes: { large: { w: 2048, h: 1365 }, medium: { w: 1200, h: 800 }, small: { w: 680, h: 453 } },
  ...more,
});

export const video = (more: Shape = {}): Shape => ({
  type: 'video',
  media_url_https: 'https://pbs.twimg.com/ext_tw_video_thumb/1/pu/img/cover.jpg',
  url: 'https://t.co/PierMedia1',
  expanded_url: `https://twitter.com/pier_lights/status/${ID}/video/1`,
  original_info: { width: 1920, height: 1080 },
  video_info: {
    duration_millis: 29_626,
    variants: [
      { content_type: 'application/x-mpegURL', url: `${VIDEO}/pl/list.m3u8?tag=12` },
      { bitrate: 256_000, content_type: 'video/mp4', url: `${VIDEO}/vid/avc1/480x270/low.mp4?tag=12` },
      { bitrate: '2176000', content_type: 'video/mp4', url: `${VIDEO}/vid/avc1/1280x720/best.mp4?tag=12` },
    ],
  },
  ...more,
});

/** As syndication states it. */
export const tweet = (more: Shape = {}): Shape => ({
  __typename: 'Tweet',
  id_str: ID,
  text: 'Lamps &amp; fog https://t.co/PierLink01 #pier https://t.co/PierMedia1',
  display_text_range: [0, 45],
  entities: {
    urls: [{ url: 'https://t.co/PierLink01', expanded_url: 'https://pier.example/lamps?from=x' }],
    media: [{ url: 'https://t.co/PierMedia1' }],
  },
  created_at: '2025-09-22T20:00:00.000Z',
  user: {
    id_str: '880',
    name: 'Pier Lights',
    screen_name: 'pier_lights',
    is_blue_verified: true,
    verified: false,
    profile_image_url_https: 'https://pbs.twimg.com/profile_images/1/lamp_normal.jpg',
  },
  favorite_count: 226,
  conversation_count: '12',
  possibly_sensitive: false,
  mediaDetails: [photo('lamp')],
  ...more,
});

export const OTHER = '1970000000000000777';
/** A post of another person. */
export const other = (more: Shape = {}): Shape =>
  tweet({
    id_str: OTHER,
    text: 'Not mine',
    display_text_range: [0, 8],
    user: { id_str: '990', name: 'Ferry Bell', screen_name: 'ferry_bell' },
    mediaDetails: [photo('ferry', { expanded_url: `https://x.com/ferry_bell/status/${OTHER}/photo/1` })],
    ...more,
  });

/** The same as the query states it. */
export function queried({ id_str, user, mediaDetails, text, quoted_tweet, note_tweet, ...rest }: Shape): Shape {
  const { name, screen_name, id_str: userId } = Object(user);
  const legacy = { followers_count: 40, statuses_count: 7 };
  const result = { __typename: 'User', id: 'VXNlcjo4', rest_id: userId, core: { name, screen_name }, legacy };
  return {
    __typename: 'Tweet',
    rest_id: id_str,
    core: { user_results: { result } },
    views: { count: '4186' },
    note_tweet,
    ...(quoted_tweet !== undefined && { quoted_status_result: { result: queried(Object(quoted_tweet)) } }),
    legacy: { ...rest, id_str, full_text: text, extended_entities: { media: mediaDetails }, retweet_count: 68 },
  };
}

export const asResult = (result: unknown): Shape => ({ data: { tweetResult: { result } } });

interface Given {
  readonly kind?: 'embed' | 'query';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: string;
}

export function read(answer: unknown, { kind = 'embed', status = 200, headers = {}, id = ID }: Given = {}) {
  const ref = xRefOf(id);
  if (ref === undefined) throw new Error(`${id} is no id`);
  const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const from = siteAnswer({ status, headers, url: 'https://x.com/', bytes });
  return readXAnswer(from, { ref, kind, strategy: kind, now: 1_000 });
}

/** The post, or the code of the failure with a mark where it is a guess. */
export function outcome(answer: unknown, given: Given = {}): Post | string {
  try {
    return read(answer, given).post;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}${error.params.weak ? ' (guess)' : ''}${error.params.what ? ` ${error.params.what}` : ''}`;
  }
}
