/** Addresses on Reddit -> the post that they name. Pure. */
import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { matchPath, PAGE, type PathShape, pagesOf, pathOf, unsupported, wrapper } from '../kit/link-match.ts';

export const REDDIT_HOSTS: readonly [string, ...string[]] = [
  ...(['www.reddit.com', 'reddit.com', 'old.reddit.com', 'new.reddit.com', 'np.reddit.com', 'sh.reddit.com'] as const),
  ...['m.reddit.com', 'amp.reddit.com', 'embed.reddit.com', 'redd.it', 'www.redd.it', 'v.redd.it', 'i.redd.it'],
  ...['preview.redd.it', 'rxddit.com', 'vxreddit.com', 'fxreddit.com', 'rxyddit.com', 'redditez.com'],
];
const FIXER = /^(?:www\.|old\.)?(?:rxddit|vxreddit|fxreddit|rxyddit|redditez)\.com$/;
const SITE = /^(?:(?:www|old|new|np|sh|m|amp|embed|i)\.)?reddit\.com$/;

/** @param community `r/NAME` or `user/NAME`, if the address has it: the site then answers without a redirect */
function refTo(id: string, community?: string): PostRef {
  const path = `${community === undefined ? '' : `${community}/`}comments/${id.toLowerCase()}/`;
  const url = `https://www.reddit.com/${path}`;
  return { source: 'reddit', id: id.toLowerCase(), form: 'post', url, itemIndex: null, parts: { path } };
}

/** The name of a file whose post is unknown: an image, or the manifest of a video. */
const FILE = /^([a-z0-9]{6,24})\.(?:jpe?g|png|webp|gif|mpd)$/;

function fileRefOf(id: string): PostRef | undefined {
  const name = FILE.exec(id)?.[1];
  if (name === undefined) return undefined;
  const url = id.endsWith('.mpd') ? `https://v.redd.it/${name}/DASHPlaylist.mpd` : `https://i.redd.it/${id}`;
  return { source: 'reddit', id, form: 'file', url, itemIndex: null, parts: {} };
}

export function redditRefOf(id: string): PostRef | undefined {
  return /^[a-z0-9]{4,12}$/.test(id) ? refTo(id) : fileRefOf(id);
}

function postMatch(ref: PostRef | undefined): LinkMatch {
  return ref === undefined ? PAGE : { kind: 'post', ref };
}

/** A short link, whose target only the site knows. */
function shortMatch(path: string): LinkMatch {
  return { kind: 'short', url: `https://www.reddit.com/${path}`, key: path };
}

const ID = '([a-z0-9]{4,12})';
const PATHS: readonly PathShape[] = [
  [
    new RegExp(`^(?:((?:r|u|user)/[\\w-]{2,40})/)?(?:comments|gallery|duplicates)/${ID}(?:/|$)`, 'i'),
    ([, community, id = '']) => postMatch(refTo(id, community?.replace(/^u\//, 'user/'))),
  ],
  [/^((?:r|u|user)\/[\w-]{2,40}\/s\/[A-Za-z0-9]{6,24})(?:\/|$)/, ([, path = '']) => shortMatch(path)],
  [/^video\/([a-z0-9]{6,24})(?:\/|$)/, ([, id = '']) => shortMatch(`video/${id}`)],
  [/^(?:media|login)(?:\/|$)/, (_, query) => wrapper(query.get('url') ?? query.get('dest'))],
  [/^r\/[\w-]{2,40}(?:\/(?:hot|new|top|best|rising|about|wiki)(?:\/|$)|\/?$)/i, () => unsupported('page')],
  [/^(?:u|user)\/[\w-]{2,40}(?:\/|$)/i, () => unsupported('profile')],
  ...pagesOf({
    search: 'search',
    page: 'r|t|best|hot|new|top|popular|settings|message|notifications|chat|submit|media|login',
  }),
];

/** Undefined for addresses on other hosts. Pure, never throws, and takes only checked ids from the address. */
export function matchRedditLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  const path = pathOf(address, 6);
  if (SITE.test(host) || FIXER.test(host)) return matchPath(PATHS, path, address.searchParams);
  if (host === 'redd.it' || host === 'www.redd.it') {
    const [, id] = /^([a-z0-9]{4,12})(?:\/|$)/i.exec(path) ?? [];
    return postMatch(id === undefined ? id : refTo(id));
  }
  if (host === 'v.redd.it') {
    const [, id = '', file] = /^([a-z0-9]{6,24})(?:\/(DASHPlaylist\.mpd)?|$)/.exec(path) ?? [];
    if (file !== undefined) return postMatch(fileRefOf(`${id}.mpd`));
    return id === '' ? PAGE : shortMatch(`video/${id}`);
  }
  // In the name of a smaller copy, the title of its post comes first.
  const isFile = host === 'i.redd.it' || host === 'preview.redd.it';
  return isFile ? postMatch(fileRefOf(path.toLowerCase().replace(/^.*-v0-/, ''))) : undefined;
}
