import * as z from 'zod';
import { AppError } from '../../../errors.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { profileRequest, type RequestProfile } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { isPlaylist } from '../../files/cdn.ts';
import { child, isJsonObject, parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { Variant } from '../../post.ts';
import { PLAIN } from '../kit/constants.ts';
import { type AskEndpoint, askRenditions, type CompleteItem, definePageSite } from '../kit/page-site.ts';
import { blueskyRefOf, matchBlueskyLink } from './link.ts';
import { BLUESKY_MEDIA_HOSTS, OWN_SERVERS, readBlueskyAnswer } from './parse.ts';

const API = 'public.api.bsky.app';
const MAX_BYTES = 384 * 1024;

export const bluesky = definePageSite({
  id: 'bluesky',
  name: 'Bluesky',
  colour: '#1185fe',
  hosts: ['bsky.app'],
  cdnHosts: BLUESKY_MEDIA_HOSTS,
  // Two posts with videos. The first link contains its author's id, the second one its author's name.
  examples: [
    'https://bsky.app/profile/did:plc:z72i7hdynmk6r22z27h6tvur/post/3l3vgf77uco2g',
    'https://bsky.app/profile/blu3blue.bsky.social/post/3l4omssdl632g',
  ],
  authorPage: ['https://bsky.app/profile/NAME', /^[\w.:-]{3,253}$/, 'username', 'id'],
  match: matchBlueskyLink,
  refOf: blueskyRefOf,
  askedHosts: [API],
  maxBytes: MAX_BYTES,
  postMs: 10_000,
  ids: z.strictObject({}),
  /** The profile of requests to the API. The API answered every kind of caller in 2026-11. */
  profiles() {
    const headers = { accept: 'application/json', 'accept-language': 'en' };
    const caller = { ...PLAIN, userAgent: 'Mozilla/5.0', headers, timeoutMs: 6_000 };
    return { thread: caller, posts: caller, identity: { ...caller, timeoutMs: 3_000 } };
  },
  endpoints: () => ({
    thread({ parts }, ask) {
      const uri = `at://${parts.actor}/app.bsky.feed.post/${parts.key}`;
      return ask(queryOf('app.bsky.feed.getPostThread', { uri, depth: '0', parentHeight: '0' }));
    },
    posts: askPosts,
  }),
  read: readBlueskyAnswer,
  completer: (options, { profiles }) => createFileFinder(options, profiles.identity),
});

function queryOf(method: string, parameters: Readonly<Record<string, string>>): string {
  return `https://${API}/xrpc/${method}?${new URLSearchParams(parameters)}`;
}

/** The API needs the author's id, so a name is looked up first. If that fails, the look-up's answer is returned. */
const askPosts: AskEndpoint = async ({ parts: { actor = '', key } }, ask) => {
  const isId = actor.startsWith('did:');
  const named = isId ? null : await ask(queryOf('com.atproto.identity.resolveHandle', { handle: actor }));
  const did = isId ? actor : read.text(child(parseJson(named?.text ?? ''), 'did'));
  if (named !== null && did === null) return named;
  return ask(queryOf('app.bsky.feed.getPosts', { uris: `at://${did}/app.bsky.feed.post/${key}` }));
};

const DIRECTORY = 'plc.directory';
/**
 * The address of a file server that Bluesky itself runs. Other servers are never asked, because any person can run one
 * at any address.
 */
const OWN_SERVER = /^https:\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\.host\.bsky\.network)\/?$/;
const KNOWN_MS = 3_600_000;
/** The longest wait for the list of a video's renditions. */
const RENDITIONS_MS = 3_000;

/** Finds a video's files: the original, if it is on a server of Bluesky, and the renditions on the CDN. */
function createFileFinder({ http, log }: SourceOptions, profile: RequestProfile): CompleteItem {
  /** For each author's id that was looked up, the file server; empty when Bluesky does not run that server. */
  const servers = createLru<string, string>({ max: 2_000, ttl: KNOWN_MS });

  async function serverOf(did: string, signal: AbortSignal): Promise<string> {
    const known = servers.get(did);
    if (known !== undefined) return known;
    const bounds = { hosts: [DIRECTORY], maxBytes: MAX_BYTES, maxRedirects: 0, retries: 0, signal };
    const url = `https://${DIRECTORY}/${did}`;
    const answer = await http.request({ ...profileRequest(profile, {}), ...bounds, url });
    const services = read.list(child(parseJson(answer.text), 'service')).filter(isJsonObject);
    const server = services.find(({ id }) => read.text(id)?.endsWith('#atproto_pds'));
    const host = OWN_SERVER.exec(read.text(server?.serviceEndpoint) ?? '')?.[1] ?? '';
    if (answer.status === 200) servers.set(did, host);
    return host;
  }

  async function filesOf(stated: Variant, signal: AbortSignal): Promise<readonly Variant[]> {
    const { url } = stated;
    if (!isPlaylist(stated)) {
      const server = await serverOf(new URL(url).searchParams.get('did') ?? '', signal);
      return server === '' ? [] : [{ ...stated, url: url.replace(OWN_SERVERS, server) }];
    }
    const inTime = joinSignals([signal], RENDITIONS_MS);
    const asked = askRenditions(http, { url, hosts: BLUESKY_MEDIA_HOSTS, signal: inTime.signal });
    return asked.finally(inTime.release);
  }

  return async (item, signal) => {
    if (item.kind !== 'video') return item;
    const found = await Promise.allSettled(item.variants.map(stated => filesOf(stated, signal)));
    const reasons = found.flatMap(one => (one.status === 'rejected' ? [one.reason] : []));
    for (const err of reasons) log.info({ source: 'bluesky', err }, 'some files of a video are not known');
    const variants = found.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    const [best] = variants;
    if (best === undefined) throw reasons[0] ?? new AppError('upstream_changed', 'a video without a file that we know');
    return { ...item, width: item.width ?? best.width, height: item.height ?? best.height, variants };
  };
}
