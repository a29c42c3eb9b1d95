import * as z from 'zod';
import { AppError } from '../../../errors.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import {
  isUsable,
  type MediaSource,
  type PostRef,
  profileRequest,
  type RequestProfile,
  type Strategy,
} from '../../extract/source.ts';
import type { SourceDescriptor, SourceOptions } from '../../extract/source-descriptor.ts';
import { type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, parseJson, readList, readText } from '../../parse/json-fields.ts';
import type { Variant } from '../../post.ts';
import { PLAIN, readConstants } from '../kit/constants.ts';
import { type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { listedFile } from '../kit/media-files.ts';
import { failureBySign, failureOfStatus, plainWords, type Sign, weakNotFound } from '../kit/refusal.ts';
import { askRenditions } from '../kit/renditions.ts';
import { createSource } from '../kit/source.ts';
import { blueskyRefOf, matchBlueskyLink } from './link.ts';
import {
  BLUESKY_MEDIA_HOSTS,
  draftOf,
  findView,
  frameOf,
  isForMembers,
  isTakenDown,
  type PostView,
  playlistOf,
} from './post.ts';

/** Public posts with videos that have existed for years: one link with the author's id, one with the author's name. */
const EXAMPLES: readonly [string, ...string[]] = [
  'https://bsky.app/profile/did:plc:z72i7hdynmk6r22z27h6tvur/post/3l3vgf77uco2g',
  'https://bsky.app/profile/blu3blue.bsky.social/post/3l4omssdl632g',
];

export const bluesky: SourceDescriptor = {
  id: 'bluesky',
  name: 'Bluesky',
  colour: '#1185fe',
  hosts: ['bsky.app'],
  cdnHosts: BLUESKY_MEDIA_HOSTS,
  example: EXAMPLES[0],
  profileUrl: ({ username, id }) =>
    [username, id].flatMap(name =>
      name !== null && /^[\w.:-]{3,253}$/.test(name) ? [`https://bsky.app/profile/${name}`] : [],
    )[0],
  create: createBlueskySource,
};

type Endpoint = 'thread' | 'posts' | 'identity';

/** The profile of requests to the API, which answered any caller in 2026-11. */
const CALLER = { ...PLAIN, userAgent: 'Mozilla/5.0', headers: { accept: 'application/json', 'accept-language': 'en' } };
const CONSTANTS = {
  source: 'bluesky',
  schema: z.strictObject({}),
  profiles(): Readonly<Record<Endpoint, RequestProfile>> {
    const caller = { ...CALLER, timeoutMs: 6_000 };
    return { thread: caller, posts: caller, identity: { ...caller, timeoutMs: 3_000 } };
  },
  sessions: ['none'],
} as const;

/** The longest wait for the list of a video's renditions. */
const RENDITIONS_MS = 3_000;

function createBlueskySource(options: SourceOptions): MediaSource {
  const { http, log, extraStrategies = [], now = Date.now } = options;
  const constants = readConstants(CONSTANTS, options.upstreamConstants);
  const client = createBlueskyClient(http, constants.profiles);

  /** The files of a video: the original if a server of Bluesky has it, and the renditions on the CDN. */
  async function filesOf({ media: { video }, did }: PostView, signal: AbortSignal): Promise<readonly Variant[]> {
    if (video === null) return [];
    const original = async (): Promise<readonly Variant[]> => {
      const server = video.cid === null || video.mime !== 'video/mp4' ? undefined : await client.serverOf(did, signal);
      if (server === undefined) return [];
      const url = `https://${server}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams({ did, cid: video.cid ?? '' })}`;
      return [listedFile(url, { mime: 'video/mp4', hasVideo: true, bytes: video.bytes, ...frameOf(video.view) })];
    };
    const [url, hosts] = [playlistOf(video), BLUESKY_MEDIA_HOSTS];
    const inTime = joinSignals([signal], RENDITIONS_MS);
    const renditions = url === null ? [] : askRenditions(http, { url, hosts, signal: inTime.signal });
    const found = await Promise.allSettled([original(), renditions]).finally(inTime.release);
    const reasons = found.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
    const files = found.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    if (files.length === 0 && reasons.length > 0) throw reasons[0];
    for (const err of reasons) log.info({ source: 'bluesky', err }, 'some files of a video are not known');
    return files;
  }

  function strategy(
    name: 'thread' | 'posts',
    ask: (ref: PostRef, signal: AbortSignal) => Promise<HttpResponse>,
  ): Strategy {
    const profile = constants.profiles[name];
    return {
      name,
      profile,
      isAvailable: () => isUsable(profile, http),
      async run(ref, signal) {
        const kind = name === 'posts' ? 'query' : 'page';
        const post = readBlueskyAnswer(siteAnswer(await ask(ref, signal)), { ref, kind, now: now() });
        const { quoted } = post;
        const ofQuoted = async () => (quoted === null ? [] : filesOf(quoted, signal));
        const [own, others] = await Promise.all([
          filesOf(post, signal),
          ofQuoted().catch(err => {
            log.info({ source: 'bluesky', id: ref.id, err }, 'the video of a quoted post is not known');
            return [];
          }),
        ]);
        const draft = draftOf(post, new Map([[post, own], ...(quoted === null ? [] : [[quoted, others] as const])]));
        if (draft.items.length > 0 && readableItems(draft) === 0) {
          throw new AppError('upstream_changed', 'the post came without a file that we know');
        }
        return toPost(draft, { ref, strategy: name, now: now() });
      },
    };
  }

  return createSource(options, {
    id: 'bluesky',
    match: matchBlueskyLink,
    refOf: blueskyRefOf,
    resolveShort: () => Promise.reject(new AppError('unsupported_link', 'Bluesky has no short links of posts')),
    strategies: [
      strategy('thread', client.thread),
      strategy('posts', client.posts),
      ...extraStrategies.map(one => ({ ...one, isLastResort: true })),
    ],
    examples: EXAMPLES,
    mediaHosts: BLUESKY_MEDIA_HOSTS,
    canFetchStories: false,
  });
}

// Requests to Bluesky. Only its own hosts and the directory of ids are asked.

const API = 'public.api.bsky.app';
const DIRECTORY = 'plc.directory';
/** A file server of Bluesky itself. Servers of other people are never asked. */
const OWN_SERVER = /^https:\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\.host\.bsky\.network)\/?$/;
const MAX_BYTES = 384 * 1024;
const KNOWN_MS = 3_600_000;

function createBlueskyClient(http: HttpClient, profiles: Readonly<Record<Endpoint, RequestProfile>>) {
  /** The file server of each id that was looked up; empty when it is not Bluesky's own. */
  const servers = createLru<string, string>({ max: 2_000, ttl: KNOWN_MS });

  function ask(name: Endpoint, url: string, signal: AbortSignal): Promise<HttpResponse> {
    const bounds = { hosts: [new URL(url).hostname], maxBytes: MAX_BYTES, maxRedirects: 0, retries: 0 };
    return http.request({ ...profileRequest(profiles[name], {}), ...bounds, url, signal });
  }

  function query(
    name: 'thread' | 'posts',
    method: string,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) {
    return ask(name, `https://${API}/xrpc/${method}?${new URLSearchParams(parameters)}`, signal);
  }

  return {
    thread({ parts }: PostRef, signal: AbortSignal): Promise<HttpResponse> {
      const uri = `at://${parts.actor}/app.bsky.feed.post/${parts.key}`;
      return query('thread', 'app.bsky.feed.getPostThread', { uri, depth: '0', parentHeight: '0' }, signal);
    },

    /** The API needs an id, so a name is looked up first. If the lookup fails, its answer is returned. */
    async posts({ parts: { actor = '', key } }: PostRef, signal: AbortSignal): Promise<HttpResponse> {
      const isId = actor.startsWith('did:');
      const named = isId ? null : await query('posts', 'com.atproto.identity.resolveHandle', { handle: actor }, signal);
      const did = isId ? actor : readText(child(parseJson(named?.text ?? ''), 'did'));
      if (named !== null && did === null) return named;
      return query('posts', 'app.bsky.feed.getPosts', { uris: `at://${did}/app.bsky.feed.post/${key}` }, signal);
    },

    /** The Bluesky server that has a person's files; undefined when another server has them. */
    async serverOf(did: string, signal: AbortSignal): Promise<string | undefined> {
      if (!/^did:plc:[a-z2-7]{24}$/.test(did)) return undefined;
      const known = servers.get(did);
      if (known !== undefined) return known || undefined;
      const answer = await ask('identity', `https://${DIRECTORY}/${did}`, signal);
      const services = readList(child(parseJson(answer.text), 'service')).filter(isJsonObject);
      const server = services.find(({ id }) => readText(id)?.endsWith('#atproto_pds'));
      const host = OWN_SERVER.exec(readText(server?.serviceEndpoint) ?? '')?.[1];
      if (answer.status === 200) servers.set(did, host ?? '');
      return host;
    },
  };
}

// Turns an answer of Bluesky's API into the post, or into an AppError.

/** Texts in an error's name and message, in lower case; for a wrong name the API only calls the request invalid. */
const SIGNS: readonly Sign[] = [
  [/^(?:blockedby|blockedactor|auth)/, 'login_required'],
  [/^(?:\w*notfound|account|repo)|(?:unable to|could not) (?:resolve|find)|not found/, 'not_found'],
];
const ACCOUNT = /^(?:account|repo)|suspended|taken ?down|deactivated/;

function failureOfError(json: unknown): AppError | null {
  const words = plainWords(`${readText(child(json, 'error')) ?? ''}: ${readText(child(json, 'message')) ?? ''}`);
  const failure = failureBySign(words, SIGNS);
  const isAccount = failure?.code === 'not_found' && ACCOUNT.test(words);
  return isAccount ? new AppError('not_found', failure.message, { params: { what: 'account' } }) : failure;
}

/** @throws AppError by the answer's error, when the post is not in it, or is not for everyone */
export function readBlueskyAnswer(
  answer: SiteAnswer,
  { ref, kind, now }: Pick<ReadContext, 'ref' | 'kind' | 'now'>,
): PostView {
  const json = parseJson(answer.body.text.trim());
  const failure = failureOfStatus(answer, now);
  if (failure !== null) throw (answer.status === 429 ? null : failureOfError(json)) ?? failure;
  const post = findView(json, ref.parts);
  if (post === undefined) throw new AppError('upstream_changed', 'the answer is about another post');
  if (post === null) throw failureWithoutPost(json, kind);
  if (isTakenDown(post)) throw new AppError('not_found', 'taken down');
  if (isForMembers(post)) throw new AppError('login_required', 'its author shows it to nobody who is not logged in');
  return post;
}

function failureWithoutPost(json: unknown, kind: ReadContext['kind']): AppError {
  const thread = child(json, 'thread');
  const type = readText(child(thread, '$type')) ?? '';
  if (type.endsWith('#notFoundPost') || child(thread, 'notFound') === true)
    return new AppError('not_found', 'no such post');
  if (type.endsWith('#blockedPost') || child(thread, 'blocked') === true) {
    return new AppError('login_required', 'blocked between its author and whom it answers');
  }
  const posts = child(json, 'posts');
  if (kind === 'query' && Array.isArray(posts) && posts.length === 0) return weakNotFound('no post of this id');
  return (
    failureOfError(json) ?? new AppError('upstream_changed', isJsonObject(json) ? 'of an unknown kind' : 'no JSON')
  );
}
