/** Finds the post to which an address on Bluesky leads. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { linkMatcher, matchPath, type PathShape, pathOf, postMatch, unsupported } from '../kit/link-match.ts';

/**
 * The site, and other sites that show its posts under the same paths: readers, and mirrors that people paste in chats
 * for a better preview (known in 2026-11).
 */
const HOST = /(?:^|\.)(?:(?:bsky|fxbsky|bskx|bsyy|vxbsky|bskyx|xbsky|cbsky)\.app|deer\.social|pdsls\.dev)$/;
/** An author's handle, which is a domain and may change, or the author's id, which never changes. */
const ACTOR = 'did:plc:[a-z2-7]{24}|did:web:[a-z0-9.-]{3,200}|(?:[a-z0-9-]{1,63}\\.){1,8}[a-z][a-z0-9-]{0,62}';
const KEY = '[\\w~-]{1,64}';
/** Medley's id of a post, `ACTOR_KEY`. It can be split again, because handles and ids contain no `_`. */
const ID = new RegExp(`^(${ACTOR})_(${KEY})$`);

export function blueskyRefOf(id: string): PostRef | undefined {
  const [, actor, key] = ID.exec(id) ?? [];
  if (actor === undefined || key === undefined) return undefined;
  const url = `https://bsky.app/profile/${actor}/post/${key}`;
  return { source: 'bluesky', id, form: 'post', url, itemIndex: null, parts: { actor, key } };
}

function readPost([, actor = '', key]: readonly string[], query: URLSearchParams): LinkMatch | undefined {
  const ref = blueskyRefOf(`${actor.toLowerCase()}_${key}`);
  const place = query.get('img_index') ?? '';
  const itemIndex = /^[1-9]\d?$/.test(place) ? Number(place) - 1 : null;
  return ref && postMatch({ ...ref, itemIndex });
}

const PATHS: readonly PathShape[] = [
  [new RegExp(`^profile/(${ACTOR})/post/(${KEY})(?:/|$)`, 'i'), readPost],
  // Paths of embed code, and of sites whose paths contain the `at://` address of the record that they show.
  [new RegExp(`^(?:embed/|at:/)?(${ACTOR})/app\\.bsky\\.feed\\.post/(${KEY})(?:/|$)`, 'i'), readPost],
  [/^profile\/[^/]+$/i, () => unsupported('profile')],
  [/^hashtag\//i, () => unsupported('tag')],
  [/^search(?:\/|$)/i, () => unsupported('search')],
];

const matchWebLink = linkMatcher([[HOST, PATHS]]);

export function matchBlueskyLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'at:') return matchWebLink(address);
  return matchPath(PATHS, pathOf(address), address.searchParams);
}
