import * as z from 'zod';
import { AppError } from '../../../errors.ts';
import { createMemoryCache } from '../../../infra/cache/cache.ts';
import { hostsBelow } from '../../../infra/http/host-list.ts';
import { headerValue, type MediaSource, type PostRef, textLike } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { child, parseJson } from '../../parse/json.ts';
import { parseDashManifest } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import type { MediaItem, Post } from '../../post.ts';
import { BROWSER, CHROME, ENGLISH, PLAIN } from '../kit/constants.ts';
import { EMPTY_DRAFT, toPost, withCompleted } from '../kit/draft.ts';
import { failureOfStatus } from '../kit/failures.ts';
import { type Ask, type AskEndpoint, askRenditions, definePageSite } from '../kit/page-site.ts';
import { imageOf, MANIFEST, namedVideo, REDDIT_MEDIA_HOSTS, readAddress } from './items.ts';
import { matchRedditLink, REDDIT_HOSTS, redditRefOf } from './link.ts';
import { REDDIT_LOGIN_PATH, readRedditAnswer } from './parse.ts';

const MANIFEST_HOSTS = ['v.redd.it'];
/** A token is renewed this long before it expires. */
const EARLY_MS = 60_000;

const site = definePageSite({
  id: 'reddit',
  name: 'Reddit',
  colour: '#ff4500',
  hosts: REDDIT_HOSTS,
  cdnHosts: REDDIT_MEDIA_HOSTS,
  // The first post is a video, the second a gallery.
  examples: [
    'https://www.reddit.com/r/KidsAreFuckingStupid/comments/1sklidt/',
    'https://www.reddit.com/r/IllegallySmolCats/comments/1skft63/',
  ],
  authorPage: ['https://www.reddit.com/user/NAME/', /^[\w-]{2,40}$/, 'username'],
  match: matchRedditLink,
  refOf: redditRefOf,
  askedHosts: hostsBelow(['reddit.com']),
  maxBytes: 8 * 1024 * 1024,
  ids: z.strictObject({
    userAgent: headerValue.default(CHROME),
    /** The site wants feeds to be requested with a user agent that says which program asks. */
    feedAgent: headerValue.default('linux:medley:1.0 (a chat bot that shows single posts)'),
    /** The client id of an app that the operator registered at Reddit: an "installed" app, which has no secret. */
    clientId: textLike(/^[\w-]{10,60}$/).optional(),
  }),
  /** Embeds and pages are requested with a browser's user agent (2026-10), feeds with Medley's own. */
  profiles({ userAgent, feedAgent }) {
    const plain = { ...PLAIN, userAgent, timeoutMs: 8_000 };
    const browser = { ...plain, ...BROWSER };
    const headers = { accept: 'application/atom+xml', 'accept-language': ENGLISH };
    return {
      'embed/plain': plain,
      'page/plain': plain,
      'card/feed': { ...plain, userAgent: feedAgent, headers },
      'embed/browser': browser,
      'page/browser': browser,
      'app/plain': { ...plain, userAgent: feedAgent, headers: { accept: 'application/json' } },
      'short-link': plain,
    };
  },
  endpoints: (options, { clientId }) => ({
    embed: ({ parts }) => `https://embed.reddit.com/${parts.embed}`,
    page: ({ url }) => url,
    card: ({ url }) => `${url}.rss`,
    ...(clientId !== undefined && { app: createAppEndpoint(options, clientId) }),
  }),
  read: readRedditAnswer,
  wall: REDDIT_LOGIN_PATH,
  completer: createTrackFinder,
});

export const reddit: typeof site = { ...site, create: options => withFiles(site.create(options), options) };

/** Adds the links to single files. A link to a video's file gives the video's post, if the site redirects to it. */
function withFiles(source: MediaSource, options: SourceOptions): MediaSource {
  return {
    ...source,
    fetch: (ref, context) =>
      ref.form === 'file' ? fetchFile(ref, options, context.signal) : source.fetch(ref, context),
    resolveShort: (url, context) =>
      source.resolveShort(url, context).catch(error => {
        const name = /\/video\/([a-z0-9]{6,24})$/.exec(url)?.[1];
        if (name === undefined || context.signal.aborted) throw error;
        return `https://v.redd.it/${name}/DASHPlaylist.mpd`;
      }),
  };
}

/** Makes a post of a single file. It is marked as sensitive, because its real post is unknown. @throws AppError */
async function fetchFile(ref: PostRef, { http, now = Date.now }: SourceOptions, signal: AbortSignal): Promise<Post> {
  const image = imageOf(ref.url);
  if (image !== null) {
    const hosts = ['i.redd.it'];
    const head = await http.request({ url: ref.url, method: 'HEAD', hosts, signal, maxRedirects: 0, retries: 0 });
    if (head.status !== 200) throw failureOfStatus(head, now()) ?? new AppError('not_found', 'no such image');
  }
  const draft = { ...EMPTY_DRAFT, sensitive: true, items: [image ?? namedVideo(ref.url)] };
  const complete = createTrackFinder({ http, now });
  return withCompleted(toPost(draft, { ref, strategy: 'file', now: now() }), item => complete(item, signal));
}

/** Adds a video's tracks from its manifest, else from its playlist. */
function createTrackFinder({ http, now = Date.now }: Pick<SourceOptions, 'http' | 'now'>) {
  async function askTracks(url: string, signal: AbortSignal) {
    const bounds = { maxBytes: 256 * 1024, maxRedirects: 0, retries: 0, timeoutMs: 3_000 };
    const answer = await http.request({ url, hosts: MANIFEST_HOSTS, signal, ...bounds });
    const { durationMs, variants: listed } = parseDashManifest(answer.text);
    // A gif has no audio, so its only track is the whole file.
    const adaptive = listed.some(({ hasAudio }) => hasAudio === true);
    const variants = listed.flatMap(variant => {
      const address = URL.canParse(variant.url, url) ? readAddress(new URL(variant.url, url).href) : null;
      return address === null ? [] : [{ ...variant, url: address, adaptive }];
    });
    if (answer.status < 400 && variants.some(({ hasVideo }) => hasVideo)) return { durationMs, variants };
    throw failureOfStatus(answer, now()) ?? new AppError('upstream_changed', 'no tracks in the manifest of a video');
  }

  return async (item: MediaItem, signal: AbortSignal): Promise<MediaItem> => {
    const url = item.variants[0]?.url ?? '';
    if (!MANIFEST.test(url)) return item;
    const { durationMs, variants } = await askTracks(url, signal).catch(async error => {
      const playlist = { url: new URL('HLSPlaylist.m3u8', url).href, hosts: MANIFEST_HOSTS, signal };
      const renditions = await askRenditions(http, playlist).catch(() => Promise.reject(error));
      return { durationMs: null, variants: renditions };
    });
    const best = variants.find(({ hasVideo }) => hasVideo);
    const size = { width: item.width ?? best?.width ?? null, height: item.height ?? best?.height ?? null };
    return { ...item, ...size, durationMs: item.durationMs ?? durationMs, variants };
  };
}

/** Asks Reddit's API with the operator's app. The API returns whole posts, but limits the requests. */
function createAppEndpoint({ now = Date.now }: SourceOptions, clientId: string): AskEndpoint {
  const tokens = createMemoryCache<{ readonly token: string; readonly lifeMs: number }>({ maxEntries: 1, now });

  async function askToken(ask: Ask, signal: AbortSignal) {
    const headers = {
      authorization: `Basic ${Buffer.from(`${clientId}:`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const grant = 'https://oauth.reddit.com/grants/installed_client';
    const body = new URLSearchParams({ grant_type: grant, device_id: 'DO_NOT_TRACK_THIS_DEVICE' }).toString();
    const answer = await ask('https://www.reddit.com/api/v1/access_token', { method: 'POST', headers, body, signal });
    const made = parseJson(answer.text);
    const token = read.text(child(made, 'access_token'));
    if (token === null) throw failureOfStatus(answer, now()) ?? new AppError('upstream_changed', 'no token in it');
    const seconds = read.count(child(made, 'expires_in')) ?? 3_600;
    return { token, lifeMs: seconds * 1_000 - EARLY_MS };
  }

  return async ({ id }, ask, signal) => {
    const { value } = await tokens.wrap('', own => askToken(ask, own), { ttlMs: ({ lifeMs }) => lifeMs }, signal);
    const headers = { authorization: `Bearer ${value.token}` };
    const answer = await ask(`https://oauth.reddit.com/comments/${id}?raw_json=1&limit=1`, { headers });
    if (answer.status === 401) await tokens.delete('');
    return answer;
  };
}
