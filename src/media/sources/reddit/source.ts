import { AppError } from '../../../errors.ts';
import { createSingleFlight } from '../../../infra/concurrency/abortable.ts';
import { hostsBelow } from '../../../infra/http/host-list.ts';
import { type MediaSource, type PostRef, profileRequest, type Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { child, parseJson, readCount, readText } from '../../parse/json-fields.ts';
import { parseDashManifest } from '../../parse/markup.ts';
import type { MediaItem, Post } from '../../post.ts';
import { EMPTY_DRAFT, toPost, withCompleted } from '../kit/draft.ts';
import { createPageSource } from '../kit/page-site.ts';
import { failureOfStatus } from '../kit/refusal.ts';
import { askRenditions } from '../kit/renditions.ts';
import { createStrategy } from '../kit/source.ts';
import { readRedditAnswer, WALL } from './answer.ts';
import { createRedditConstants, REDDIT_EXAMPLES, REDDIT_MEDIA_HOSTS } from './constants.ts';
import { imageOf, MANIFEST, namedVideo, readAddress } from './items.ts';
import { matchRedditLink, redditRefOf } from './link.ts';

const HOSTS = hostsBelow(['reddit.com']);
const MANIFEST_HOSTS = ['v.redd.it'];
const MAX_MANIFEST_BYTES = 256 * 1024;
const MANIFEST_MS = 3_000;
/** A token is asked for anew a minute before it ends. */
const EARLY_MS = 60_000;
const TOKEN_ADDRESS = 'https://www.reddit.com/api/v1/access_token';
const TOKEN_BODY = new URLSearchParams({
  grant_type: 'https://oauth.reddit.com/grants/installed_client',
  device_id: 'DO_NOT_TRACK_THIS_DEVICE',
}).toString();

export function createRedditSource(options: SourceOptions): MediaSource {
  const constants = createRedditConstants(options.upstreamConstants);
  const { profiles } = constants;
  const byApp = createAppStrategy(options, constants);
  const source = createPageSource(
    { ...options, extraStrategies: [...byApp, ...(options.extraStrategies ?? [])] },
    {
      id: 'reddit',
      match: matchRedditLink,
      refOf: redditRefOf,
      hosts: HOSTS,
      mediaHosts: REDDIT_MEDIA_HOSTS,
      examples: REDDIT_EXAMPLES,
      maxBytes: 8 * 1024 * 1024,
      endpoints: {
        embed: ({ parts }: PostRef) => `https://embed.reddit.com/${parts.path}`,
        page: ({ url }: PostRef) => url,
        card: ({ url }: PostRef) => `${url}.rss`,
      },
      profiles,
      read: readRedditAnswer,
      wall: WALL,
      finish: (post, { signal }) => withCompleted(post, item => withTracks(item, options.http, signal)),
    },
  );
  return {
    ...source,
    fetch: (ref, context) =>
      ref.form === 'file' ? fetchFile(ref, options, context.signal) : source.fetch(ref, context),
    /** A video whose post the site does not name is there by itself. */
    resolveShort: (url, context) =>
      source.resolveShort(url, context).catch(error => {
        const name = /\/video\/([a-z0-9]{6,24})$/.exec(url)?.[1];
        if (name === undefined || context.signal.aborted) throw error;
        return `https://v.redd.it/${name}/DASHPlaylist.mpd`;
      }),
  };
}

/** A file without its post. Nothing says that it is for everyone. @throws AppError */
async function fetchFile(ref: PostRef, { http, now = Date.now }: SourceOptions, signal: AbortSignal): Promise<Post> {
  const image = imageOf(ref.url);
  if (image !== null) {
    const hosts = ['i.redd.it'];
    const head = await http.request({ url: ref.url, method: 'HEAD', hosts, signal, maxRedirects: 0, retries: 0 });
    if (head.status !== 200) throw failureOfStatus(head, now()) ?? new AppError('not_found', 'no such image');
  }
  const draft = { ...EMPTY_DRAFT, sensitive: true, items: [image ?? namedVideo(ref.url)] };
  const post = toPost(draft, { ref, strategy: 'file', now: now() });
  return withCompleted(post, item => withTracks(item, http, signal));
}

/** The manifest of a video that is known by its name alone lists its tracks, else its playlist does. @throws AppError */
async function withTracks(item: MediaItem, http: SourceOptions['http'], signal: AbortSignal): Promise<MediaItem> {
  const url = item.variants[0]?.url ?? '';
  if (!MANIFEST.test(url)) return item;
  const { durationMs, variants } = await askTracks(url, http, signal).catch(async error => {
    const playlist = { url: new URL('HLSPlaylist.m3u8', url).href, hosts: MANIFEST_HOSTS, signal };
    const renditions = await askRenditions(http, playlist).catch(() => Promise.reject(error));
    return { durationMs: null, variants: renditions };
  });
  const best = variants.find(({ hasVideo }) => hasVideo);
  const size = { width: item.width ?? best?.width ?? null, height: item.height ?? best?.height ?? null };
  return { ...item, ...size, durationMs: item.durationMs ?? durationMs, variants };
}

async function askTracks(url: string, http: SourceOptions['http'], signal: AbortSignal) {
  const bounds = { maxBytes: MAX_MANIFEST_BYTES, maxRedirects: 0, retries: 0, timeoutMs: MANIFEST_MS };
  const answer = await http.request({ url, hosts: MANIFEST_HOSTS, signal, ...bounds });
  const failure = failureOfStatus(answer, Date.now());
  if (failure !== null) throw failure;
  const { durationMs, variants: listed } = parseDashManifest(answer.text);
  // The video of a gif is all there is, and not half of it.
  const hasAudio = listed.some(variant => variant.hasAudio === true);
  const variants = listed.flatMap(variant => {
    const address = URL.canParse(variant.url, url) ? readAddress(new URL(variant.url, url).href) : null;
    return address === null ? [] : [{ ...variant, url: address, adaptive: hasAudio }];
  });
  if (!variants.some(({ hasVideo }) => hasVideo))
    throw new AppError('upstream_changed', 'no tracks in the manifest of a video');
  return { durationMs, variants };
}

type Constants = ReturnType<typeof createRedditConstants>;

/** By the host's own app, where one is configured: the whole post, in the limits of that app. */
function createAppStrategy(
  { http, now = Date.now }: SourceOptions,
  { clientId, profiles }: Constants,
): readonly Strategy[] {
  if (clientId === undefined) return [];
  const profile = profiles['app/plain'];
  const request = profileRequest(profile, {});
  const flights = createSingleFlight<string>();
  let held: { readonly token: string; readonly until: number } | undefined;

  /** @throws AppError */
  async function askToken(signal: AbortSignal): Promise<string> {
    const answer = await http.request({
      ...{ ...request, url: TOKEN_ADDRESS, method: 'POST', hosts: HOSTS, signal, maxRedirects: 0, retries: 0 },
      headers: {
        ...request.headers,
        authorization: `Basic ${Buffer.from(`${clientId}:`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: TOKEN_BODY,
    });
    const made = parseJson(answer.text);
    const token = readText(child(made, 'access_token'));
    if (token === null)
      throw failureOfStatus(answer, now()) ?? new AppError('upstream_changed', 'no token for the app');
    const seconds = readCount(child(made, 'expires_in')) ?? 3_600;
    held = { token, until: now() + seconds * 1_000 - EARLY_MS };
    return token;
  }

  async function token(signal: AbortSignal): Promise<string> {
    if (held !== undefined && held.until > now()) return held.token;
    return flights.run('token', flight => askToken(flight.signal), signal);
  }

  const strategy = createStrategy(
    { http, read: readRedditAnswer, now },
    {
      ...{ name: 'app/plain', kind: 'query', profile, timeoutMs: profile.timeoutMs, fits: () => true },
      async ask({ id }, signal) {
        const headers = { ...request.headers, authorization: `Bearer ${await token(signal)}` };
        const url = `https://oauth.reddit.com/comments/${id}?raw_json=1&limit=1`;
        const bounds = { hosts: HOSTS, signal, maxRedirects: 0, retries: 0 };
        const answer = await http.request({ ...request, ...bounds, headers, url });
        if (answer.status === 401) held = undefined;
        return answer;
      },
    },
  );
  const finish = (post: Post, signal: AbortSignal) => withCompleted(post, item => withTracks(item, http, signal));
  return [{ ...strategy, run: async (ref, signal) => finish(await strategy.run(ref, signal), signal) }];
}
