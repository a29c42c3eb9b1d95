/** Finds the post to which an address on Reddit leads. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { linkMatcher, type PathShape, pagesOf, postMatch, unsupported, wrapper } from '../kit/link-match.ts';

export const REDDIT_HOSTS: readonly [string, ...string[]] = [
  ...(['www.reddit.com', 'reddit.com', 'old.reddit.com', 'new.reddit.com', 'np.reddit.com', 'sh.reddit.com'] as const),
  ...['m.reddit.com', 'amp.reddit.com', 'embed.reddit.com', 'redd.it', 'www.redd.it', 'v.redd.it', 'i.redd.it'],
  ...['preview.redd.it', 'rxddit.com', 'vxreddit.com', 'fxreddit.com', 'rxyddit.com', 'redditez.com'],
];
/** The site, and mirrors with its paths that people paste in chats for a better preview. */
const SITE =
  /^(?:(?:(?:www|old|new|np|sh|m|amp|embed|i)\.)?reddit|(?:www\.|old\.)?(?:rxddit|vxreddit|fxreddit|rxyddit|redditez))\.com$/;

/**
 * A community for the embed of a post whose own community is unknown. An embed's address has to contain a community,
 * but the site only checks that it exists, and finds the post by its id (2026-10).
 */
const ANY_COMMUNITY = 'r/pics';

/** @param community `r/NAME` or `user/NAME`. An address that contains it is answered without a redirect */
function refTo(id: string, community?: string): PostRef {
  const path = `comments/${id.toLowerCase()}/`;
  const url = `https://www.reddit.com/${community === undefined ? '' : `${community}/`}${path}`;
  const parts = { embed: `${community ?? ANY_COMMUNITY}/${path}` };
  return { source: 'reddit', id: id.toLowerCase(), form: 'post', url, itemIndex: null, parts };
}

/** @param id the name of a file whose post is unknown: an image, or the manifest of a video */
function fileRefOf(id: string): PostRef | undefined {
  const [, name, type] = /^([a-z0-9]{6,24})\.(jpe?g|png|webp|gif|mpd)$/.exec(id) ?? [];
  if (name === undefined) return undefined;
  const url = type === 'mpd' ? `https://v.redd.it/${name}/DASHPlaylist.mpd` : `https://i.redd.it/${id}`;
  return { source: 'reddit', id, form: 'file', url, itemIndex: null, parts: {} };
}

export function redditRefOf(id: string): PostRef | undefined {
  return /^[a-z0-9]{4,12}$/.test(id) ? refTo(id) : fileRefOf(id);
}

function shortMatch(path: string): LinkMatch {
  return { kind: 'short', url: `https://www.reddit.com/${path}`, key: path };
}

const ID = '([a-z0-9]{4,12})';
const PATHS: readonly PathShape[] = [
  [
    new RegExp(`^(?:((?:r|u|user)/[\\w-]{2,40})/)?(?:comments|gallery|duplicates|link|tb)/${ID}(?:/|$)`, 'i'),
    ([, community, id = '']) => postMatch(refTo(id, community?.replace(/^u\//, 'user/'))),
  ],
  [/^((?:r|u|user)\/[\w-]{2,40}\/s\/[A-Za-z0-9]{6,24})(?:\/|$)/, ([, path = '']) => shortMatch(path)],
  [/^(video\/[a-z0-9]{6,24})(?:\/|$)/, ([, path = '']) => shortMatch(path)],
  [/^(?:media|login)(?:\/|$)/, (_, query) => wrapper(query.get('url') ?? query.get('dest'))],
  [/^(?:u|user)\/[\w-]{2,40}(?:\/|$)/i, () => unsupported('profile')],
  ...pagesOf({ search: 'search' }),
];

const VIDEO_PATHS: readonly PathShape[] = [
  [/^([a-z0-9]{6,24})\/DASHPlaylist\.mpd/, ([, name]) => postMatch(fileRefOf(`${name}.mpd`))],
  [/^([a-z0-9]{6,24})(?:\/|$)/, ([, name]) => shortMatch(`video/${name}`)],
];

export const matchRedditLink = linkMatcher([
  [SITE, PATHS],
  [/^(?:www\.)?redd\.it$/, [[/^([a-z0-9]{4,12})(?:\/|$)/i, ([, id = '']) => postMatch(refTo(id))]]],
  [/^v\.redd\.it$/, VIDEO_PATHS],
  // The name of a smaller copy begins with the title of its post, which is left out here.
  [/^(?:i|preview)\.redd\.it$/, [[/^(?:.*-v0-)?(.+)$/i, ([, name = '']) => postMatch(fileRefOf(name.toLowerCase()))]]],
]);
