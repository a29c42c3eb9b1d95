/** Posts in the shapes of Bluesky's answers. People and posts are made up. */
import { AppError } from '../../../../src/errors.ts';
import { siteAnswer } from '../../../../src/media/parse/body.ts';
import type { Post } from '../../../../src/media/post.ts';
import { blueskyRefOf } from '../../../../src/media/sources/bluesky/link.ts';
import { readBlueskyAnswer } from '../../../../src/media/sources/bluesky/parse.ts';

export type Shape = Readonly<Record<string, unknown>>;
export const DID = 'did:plc:pierlightsaaaaaaaaaaaaaa';
export const OTHER = 'did:plc:ferrybellaaaaaaaaaaaaaaa';
export const KEY = '3pierlamp2222';
const CID = (name: string) => `bafkrei${name}aaaaaaaaaaaaaaaaaaaa`;

export function photo(name: string, did = DID): Shape {
  const address = (size: string) => `https://cdn.bsky.app/img/${size}/plain/${did}/${CID(name)}@jpeg`;
  const aspectRatio = { width: 3000, height: 2000 };
  return {
    thumb: address('feed_thumbnail'),
    fullsize: address('feed_fullsize'),
    alt: `A photo called ${name}`,
    aspectRatio,
  };
}

export const blob = (name: string, mimeType = 'image/jpeg'): Shape => ({
  $type: 'blob',
  ref: { $link: CID(name) },
  mimeType,
  size: 963_604,
});

export function video(did = DID): Shape {
  const root = `https://video.bsky.app/watch/${encodeURIComponent(did)}/${CID('wave')}`;
  const aspectRatio = { width: 1080, height: 1920 };
  return {
    $type: 'app.bsky.embed.video#view',
    cid: CID('wave'),
    playlist: `${root}/playlist.m3u8`,
    thumbnail: `${root}/thumbnail.jpg`,
    aspectRatio,
  };
}

export const images = (...list: readonly Shape[]): Shape => ({ $type: 'app.bsky.embed.images#view', images: list });

export const view = (more: Shape = {}, record: Shape = {}): Shape => ({
  uri: `at://${DID}/app.bsky.feed.post/${KEY}`,
  cid: 'bafyreipier',
  author: {
    did: DID,
    handle: 'pier-lights.example',
    displayName: 'Pier Lights',
    avatar: `https://cdn.bsky.app/img/avatar/plain/${DID}/${CID('face')}@jpeg`,
    labels: [],
    verification: { verifiedStatus: 'valid' },
  },
  record: {
    $type: 'app.bsky.feed.post',
    text: 'Lamps and fog #pier',
    createdAt: '2025-09-22T20:00:00.000Z',
    ...record,
  },
  embed: images(photo('lamp')),
  replyCount: 12,
  repostCount: '68',
  likeCount: 226,
  quoteCount: 1,
  indexedAt: '2025-09-22T20:00:01.000Z',
  labels: [],
  ...more,
});

/** A post of another person, as a quote shows it. */
export const quote = (more: Shape = {}): Shape => ({
  $type: 'app.bsky.embed.record#viewRecord',
  uri: `at://${OTHER}/app.bsky.feed.post/3ferry2222222`,
  author: { did: OTHER, handle: 'ferry.bsky.social', displayName: 'Ferry Bell', labels: [] },
  value: { text: 'Not mine', createdAt: '2025-09-20T20:00:00.000Z' },
  embeds: [images(photo('ferry', OTHER))],
  labels: [],
  ...more,
});

export const thread = (post: unknown): Shape => ({ thread: { $type: 'app.bsky.feed.defs#threadViewPost', post } });

interface Given {
  readonly kind?: 'thread' | 'posts';
  readonly status?: number;
  readonly actor?: string;
}

/** The post, whose videos have the addresses that lead to their files; or the code of the failure, with a mark where it is a guess. */
export function outcome(answer: unknown, { kind = 'thread', status = 200, actor = DID }: Given = {}): Post | string {
  const ref = blueskyRefOf(`${actor}_${KEY}`);
  if (ref === undefined) throw new Error('no id');
  const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  try {
    const from = siteAnswer({ status, headers: {}, url: 'https://public.api.bsky.app/', bytes });
    return readBlueskyAnswer(from, { ref, kind, strategy: kind, now: 1_000 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code}${error.params.weak ? ' (guess)' : ''}${error.params.what ? ` ${error.params.what}` : ''}`;
  }
}
