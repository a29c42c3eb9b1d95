import type { LinkMatch, PostRef } from '../../extract/source.ts';

const SITE = 'https://www.facebook.com';
/** Facebook's onion service keeps the site's paths. */
const ONION = 'facebookwkhpilnemxj7asaniu7vnjjbiltxjqhye3mhbshg7kx5tfyd.onion';
/** Preview mirrors that keep Facebook's paths; pasted in chats in 2026. */
const MIRROR_HOSTS: ReadonlySet<string> = new Set([
  'facebed.com',
  'www.facebed.com',
  'facebookez.com',
  'www.facebookez.com',
]);
const SHORTENER_HOSTS: ReadonlySet<string> = new Set(['fb.watch', 'www.fb.watch', 'fb.me', 'www.fb.me']);
const SITE_SUFFIXES: readonly string[] = ['facebook.com', 'fb.com', ONION];
const WRAPPER_HOST = /^lm?\.(?:facebook|fb)\.com$/;

/** A number of at most 20 digits, or the form that hides it (about 70 characters in 2026). */
const POST_ID = /^(?:\d{1,20}|pfbid[A-Za-z0-9]{10,120})$/;
const NUMERIC_ID = /^\d{1,20}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;
const SHORT_ID = /^[A-Za-z0-9_-]{1,40}$/;
const MAX_SEGMENTS = 12;

/** Whole pages of the site that hold no single post, by their first word. */
const OTHER_PAGES: ReadonlyMap<string, string> = new Map([
  ['events', 'event'],
  ['event.php', 'event'],
  ['watchparty', 'watch_party'],
  ['ads', 'ad'],
  ['hashtag', 'tag'],
  ['marketplace', 'marketplace'],
  ['music', 'audio'],
  ['search', 'search'],
  ['places', 'place'],
  ['live', 'live'],
  ['gaming', 'page'],
  ['profile.php', 'profile'],
  ['people', 'profile'],
  ['pages', 'profile'],
  ['pg', 'profile'],
]);
const SITE_PAGES: ReadonlySet<string> = new Set(
  'about ads bookmarks business checkpoint directory friends games help home.php login login.php messages notifications onthisday pages policies policy privacy recover reg saved settings share sharer share.php sharer.php signup terms watch help.php legal careers'.split(
    ' ',
  ),
);
/** Pages around another address, with the parameter that holds it. */
const WRAPPERS: ReadonlyMap<string, string> = new Map([
  ['l.php', 'u'],
  ['flx/warn', 'u'],
  ['plugins/video.php', 'href'],
  ['plugins/post.php', 'href'],
  ['plugins/video', 'href'],
  ['plugins/post', 'href'],
  ['sharer/sharer.php', 'u'],
  ['sharer.php', 'u'],
  ['share.php', 'u'],
  ['login', 'next'],
  ['login.php', 'next'],
]);

function unsupported(what: string): LinkMatch {
  return { kind: 'unsupported', what };
}

const PAGE = unsupported('page');

function post(id: string, form: string, path: string, parts: PostRef['parts'] = {}): LinkMatch {
  return { kind: 'post', ref: { source: 'facebook', id, form, url: `${SITE}${path}`, itemIndex: null, parts } };
}

/** `{ owner }` when it is a plain name that may go into an address again. */
function ownerPart(owner: string | undefined): PostRef['parts'] {
  return owner !== undefined && NAME.test(owner) && !SITE_PAGES.has(owner) && owner !== 'i' ? { owner } : {};
}

function isNumericId(text: string | null | undefined): text is string {
  return typeof text === 'string' && NUMERIC_ID.test(text);
}

function isPostId(text: string | null | undefined): text is string {
  return typeof text === 'string' && POST_ID.test(text);
}

function videoMatch(id: string, form: 'reel' | 'watch' | 'video', owner?: string): LinkMatch {
  return post(id, form, form === 'reel' ? `/reel/${id}` : `/watch/?v=${id}`, ownerPart(owner));
}

function photoMatch(id: string): LinkMatch {
  return post(id, 'photo', `/photo/?fbid=${id}`);
}

/** A post of a person or page; without its owner's name the site finds it by the bare id. */
function postMatch(id: string, owner: string | undefined): LinkMatch {
  const parts = ownerPart(owner);
  return post(id, 'post', parts.owner === undefined ? `/${id}` : `/${parts.owner}/posts/${id}`, parts);
}

function storyPhpMatch(query: URLSearchParams): LinkMatch {
  const [id, owner] = [query.get('story_fbid'), query.get('id')];
  if (!isPostId(id) || !isNumericId(owner)) return PAGE;
  return post(id, 'permalink', `/permalink.php?story_fbid=${id}&id=${owner}`, { owner });
}

function groupMatch(rest: readonly string[], query: URLSearchParams): LinkMatch {
  const [group, word, ...ids] = rest;
  if (group === undefined || !NAME.test(group)) return unsupported('group');
  const multi = query.get('multi_permalinks')?.split(',', 1)[0];
  const permalink = query.get('view') === 'permalink' ? query.get('id') : null;
  const path = word === 'posts' || word === 'permalink' ? ids.slice(0, 2).findLast(isPostId) : undefined;
  const id = [path, multi, permalink].find(isPostId);
  if (id === undefined) return unsupported('group');
  return post(id, 'group', `/groups/${group}/posts/${id}`, { group });
}

/** `/share/v/ID`, `/share/ID`: only the site knows what is behind the id. */
function shareMatch(rest: readonly string[]): LinkMatch {
  const [first, second] = rest;
  const path = second !== undefined && /^[a-z]$/.test(first ?? '') ? `${first}/${second}` : first;
  const id = path?.split('/').at(-1);
  if (path === undefined || id === undefined || !SHORT_ID.test(id)) return PAGE;
  return { kind: 'short', url: `${SITE}/share/${path}/`, key: `share/${path}` };
}

function storiesMatch(rest: readonly string[]): LinkMatch {
  const owner = rest[0];
  if (owner === undefined || !NAME.test(owner)) return unsupported('story');
  const url = `${SITE}/stories/${owner}/`;
  const ref: PostRef = {
    source: 'facebook',
    id: `story-${owner}`,
    form: 'story',
    url,
    itemIndex: null,
    parts: { owner },
  };
  return { kind: 'story', ref };
}

/** Under `/USER/videos/`, `/USER/photos/` and the like a title, an album or `vb.N` may stand before the id. */
function idAmong(segments: readonly string[], isId: (text: string) => boolean): string | undefined {
  return segments.slice(0, 4).findLast(isId);
}

/** `/USER/videos/..`, `/USER/posts/..`, `/USER/photos/..`; the owner may be missing or written in any script. */
function ownedMatch(segments: readonly string[]): LinkMatch | undefined {
  const at = segments.findIndex(segment => /^(?:videos|posts|photos|reels?|photos_albums)$/i.test(segment));
  if (at === -1 || at > 3) return undefined;
  const owner = at === 1 ? segments[0] : undefined;
  const rest = segments.slice(at + 1);
  const word = segments[at]?.toLowerCase() ?? '';
  if (word === 'posts') {
    const id = idAmong(rest, isPostId);
    return id === undefined ? unsupported('profile') : postMatch(id, owner);
  }
  const id = idAmong(rest, isNumericId);
  if (word === 'photos' || word === 'photos_albums') return id === undefined ? unsupported('album') : photoMatch(id);
  if (id === undefined) return unsupported('profile');
  return videoMatch(id, word === 'videos' ? 'video' : 'reel', owner);
}

/** Addresses whose id is in the query. */
function queryMatch(path: string, query: URLSearchParams): LinkMatch | undefined {
  const video = query.get('v') ?? query.get('video_id');
  if (/^(?:watch(?:\/live)?|video\.php|video\/(?:video\.php|embed|embed\.php)|)$/.test(path)) {
    if (isNumericId(video)) return videoMatch(video, 'watch');
    return path.startsWith('watch/live') ? unsupported('live') : undefined;
  }
  if (/^(?:photo|photo\.php|photos|photo\/viewer)$/.test(path)) {
    if (isNumericId(video)) return videoMatch(video, 'watch');
    const photo = query.get('fbid') ?? query.get('photo_id');
    return isNumericId(photo) ? photoMatch(photo) : unsupported('album');
  }
  if (/^(?:story|permalink)\.php$/.test(path)) return storyPhpMatch(query);
  if (path.startsWith('media/set')) return unsupported('album');
  return undefined;
}

function reelMatch(rest: readonly string[]): LinkMatch {
  const [id] = rest;
  if (id?.toLowerCase() === 'audio') return unsupported('audio');
  return isNumericId(id) ? videoMatch(id, 'reel') : PAGE;
}

function matchFirstWord(segments: readonly string[], query: URLSearchParams): LinkMatch | undefined {
  const word = segments[0]?.toLowerCase() ?? '';
  const rest = segments.slice(1);
  if (word === 'reel' || word === 'reels') return reelMatch(rest);
  if (word === 'share') return shareMatch(rest);
  if (word === 'groups') return groupMatch(rest, query);
  if (word === 'stories') return storiesMatch(rest);
  if (word === 'photo' && isNumericId(rest[0])) return photoMatch(rest[0]);
  if (word === 'video' && isNumericId(rest[0])) return videoMatch(rest[0], 'watch');
  return undefined;
}

function matchPath(segments: readonly string[], query: URLSearchParams): LinkMatch {
  // The embed code's addresses may begin with an API version.
  const path = segments
    .join('/')
    .toLowerCase()
    .replace(/^v\d{1,3}\.\d{1,3}\//, '');
  const parameter = WRAPPERS.get(path);
  const target = parameter === undefined ? null : query.get(parameter);
  if (target) return { kind: 'wrapper', target };
  const match = queryMatch(path, query) ?? matchFirstWord(segments, query);
  if (match !== undefined) return match;
  const word = segments[0]?.toLowerCase() ?? '';
  const other = OTHER_PAGES.get(word);
  if (word !== 'pages' && word !== 'pg' && other !== undefined) return unsupported(other);
  const owned = ownedMatch(segments);
  if (owned !== undefined) return owned;
  const video = query.get('v');
  if (isNumericId(video)) return videoMatch(video, 'watch');
  if (segments[0] !== undefined && POST_ID.test(segments[0]) && segments[0].startsWith('pfbid')) {
    return postMatch(segments[0], undefined);
  }
  if (word === '' || SITE_PAGES.has(word)) return other === undefined ? PAGE : unsupported(other);
  return unsupported('profile');
}

/** `fb.watch/ID`, `fb.watch/v/ID`, `fb.me/ID`. */
function matchShortener(host: string, segments: readonly string[]): LinkMatch {
  const [first, second] = segments;
  const path = second !== undefined && /^[a-z]$/.test(first ?? '') ? `${first}/${second}` : first;
  const id = path?.split('/').at(-1);
  if (path === undefined || id === undefined || !SHORT_ID.test(id)) return PAGE;
  const name = host.replace(/^www\./, '');
  return { kind: 'short', url: `https://${name}/${path}/`, key: `${name}/${path}` };
}

/**
 * What an address on Facebook, one of its short hosts or a known mirror names; undefined on any other host. Pure, never
 * throws, and takes nothing from the address but checked ids and names.
 */
export function matchFacebookLink(address: URL): LinkMatch | undefined {
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  const segments = address.pathname.split('/', 2 * MAX_SEGMENTS).filter(segment => segment !== '');
  if (segments.length > MAX_SEGMENTS) segments.length = MAX_SEGMENTS;
  if (SHORTENER_HOSTS.has(host)) return matchShortener(host, segments);
  if (WRAPPER_HOST.test(host)) {
    const target = address.searchParams.get('u');
    return target ? { kind: 'wrapper', target } : PAGE;
  }
  const isSite = SITE_SUFFIXES.some(suffix => host === suffix || host.endsWith(`.${suffix}`));
  return isSite || MIRROR_HOSTS.has(host) ? matchPath(segments, address.searchParams) : undefined;
}

/** The reference of a bare id; the site itself finds the post behind it. */
export function facebookRefOf(id: string): PostRef | undefined {
  const match = isPostId(id) ? post(id, 'id', `/${id}`) : undefined;
  return match?.kind === 'post' ? match.ref : undefined;
}
