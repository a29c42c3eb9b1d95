/** The requests that Bluesky is asked with: its own hosts alone, and the directory of ids. */

import { createLru } from '../../../infra/cache/cache.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import { profileRequest } from '../../extract/request-profile.ts';
import type { PostRef } from '../../extract/source.ts';
import { readList, readText } from '../../parse/fields.ts';
import { child, isJsonObject, parseJson } from '../../parse/json-search.ts';
import type { BlueskyConstants } from './constants.ts';

const API = 'public.api.bsky.app';
const DIRECTORY = 'plc.directory';
/** Servers of Bluesky itself. Those of others are whoever's, and never asked. */
const OWN_SERVER = /^https:\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,3}\.host\.bsky\.network)\/?$/;
const MAX_BYTES = 384 * 1024;
const KNOWN_MS = 3_600_000;

export function createBlueskyClient(http: HttpClient, { profiles }: BlueskyConstants) {
  /** The server of each id that was looked up; empty where it is another's. */
  const servers = createLru<string, string>({ max: 2_000, ttl: KNOWN_MS });

  function ask(name: keyof typeof profiles, url: string, signal: AbortSignal): Promise<HttpResponse> {
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

    /** It knows ids alone; the answer is that about the name where that leads to none. */
    async posts({ parts: { actor = '', key } }: PostRef, signal: AbortSignal): Promise<HttpResponse> {
      const isId = actor.startsWith('did:');
      const named = isId ? null : await query('posts', 'com.atproto.identity.resolveHandle', { handle: actor }, signal);
      const did = isId ? actor : readText(child(parseJson(named?.text ?? ''), 'did'));
      if (named !== null && did === null) return named;
      return query('posts', 'app.bsky.feed.getPosts', { uris: `at://${did}/app.bsky.feed.post/${key}` }, signal);
    },

    /** The server of Bluesky that keeps a person's files; undefined where they are kept elsewhere. */
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
