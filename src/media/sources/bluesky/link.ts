/** Finds the post that an address on Bluesky names. Pure. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { matchPath, type PathShape, pathOf, unsupported } from '../kit/link-match.ts';

/** The site, and the preview mirrors and readers that keep its paths (known in 2026-11). */
const SUFFIXES: readonly string[] = [
  ...['bsky.app', 'fxbsky.app', 'bskx.app', 'bsyy.app', 'vxbsky.app', 'bskyx.app', 'xbsky.app', 'cbsky.app'],
  ...['deer.social', 'pdsls.dev'],
];
/** An author's handle, which is a domain, or the id that stays when the handle changes. */
const ACTOR = 'did:plc:[a-z2-7]{24}|did:web:[a-z0-9.-]{3,200}|(?:[a-z0-9-]{1,63}\\.){1,8}[a-z][a-z0-9-]{0,62}';
const KEY = '[\\w~-]{1,64}';
/** `ACTOR_KEY`: the separator `_` does not occur in handles or ids. */
const ID = new RegExp(`^(${ACTOR})_(${KEY})$`);

export function blueskyRefOf(id: string): PostRef | undefined {
  const [, actor, key] = ID.exec(id) ?? [];
  if (actor === undefined || key === undefined) return undefined;
  const url = `https://bsky.app/profile/${actor}/post/${key}`;
  return { source: 'bluesky', id, form: 'post', url, itemIndex: null, parts: { actor, key } };
}

function postMatch([, actor = '', key]: readonly string[], query: URLSearchParams): LinkMatch | undefined {
  const ref = blueskyRefOf(`${actor.toLowerCase()}_${key}`);
  const place = query.get('img_index') ?? '';
  const itemIndex = /^[1-9]\d?$/.test(place) ? Number(place) - 1 : null;
  return ref && { kind: 'post', ref: { ...ref, itemIndex } };
}

const PATHS: readonly PathShape[] = [
  [new RegExp(`^profile/(${ACTOR})/post/(${KEY})(?:/|$)`, 'i'), postMatch],
  // Paths of the embed code, and of sites that show any record by its `at://` address.
  [new RegExp(`^(?:embed/|at:/)?(${ACTOR})/app\\.bsky\\.feed\\.post/(${KEY})(?:/|$)`, 'i'), postMatch],
  [/^profile\/[^/]+$/i, () => unsupported('profile')],
  [/^hashtag\//i, () => unsupported('tag')],
  [/^search(?:\/|$)/i, () => unsupported('search')],
];

/** Undefined for addresses on other hosts. Pure, never throws, and takes only checked names and ids from the address. */
export function matchBlueskyLink(address: URL): LinkMatch | undefined {
  const host = address.hostname.toLowerCase();
  const path = pathOf(address, 8).replace(/%3a/gi, ':');
  if (address.protocol === 'at:') return matchPath(PATHS, `${host}/${path}`, address.searchParams);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const isKnown = SUFFIXES.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
  return isKnown ? matchPath(PATHS, path, address.searchParams) : undefined;
}
