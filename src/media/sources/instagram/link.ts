import type { LinkMatch, PostRef } from '../../extract/source.ts';
import { mediaIdOf, PUBLIC_CODE_LENGTH, shortcodeOf, splitCode } from './shortcode.ts';

const SITE_HOSTS: ReadonlySet<string> = new Set([
  'instagram.com',
  'www.instagram.com',
  'm.instagram.com',
  'i.instagram.com',
  'instagr.am',
  'www.instagr.am',
]);
const WRAPPER_HOST = 'l.instagram.com';
const SHORTENER_HOSTS: ReadonlySet<string> = new Set(['ig.me', 'www.ig.me']);

/** Preview mirrors that people paste in chats; they keep Instagram's paths. Known in 2026-08. */
const MIRROR_DOMAINS: readonly string[] = [
  'ddinstagram.com',
  'kkinstagram.com',
  'vxinstagram.com',
  'fxinstagram.com',
  'fxstagram.com',
  'uuinstagram.com',
  'eeinstagram.com',
  'zzinstagram.com',
  'gginstagram.com',
  'rxinstagram.com',
  'bbinstagram.com',
  'ttinstagram.com',
  'toinstagram.com',
  'instagramez.com',
  'instagrambed.com',
  'instafix.io',
];
/** `d.` answers with the file itself, `g.` with a gallery. */
const MIRROR_PREFIXES: readonly string[] = ['', 'www.', 'd.', 'g.', 'm.'];
const MIRROR_HOSTS: ReadonlySet<string> = new Set(
  MIRROR_DOMAINS.flatMap(domain => MIRROR_PREFIXES.map(prefix => prefix + domain)),
);

/** Words for a single post in a path; all lead to the same media. */
const POST_FORMS: ReadonlySet<string> = new Set(['p', 'reel', 'reels', 'tv']);
const SHARE_FORMS: ReadonlySet<string> = new Set(['p', 'reel', 'reels', 'tv']);

/** First words of paths that are no user names. */
const SITE_PAGES: ReadonlySet<string> = new Set(
  'about accounts api archive business challenge data developer direct directory download emails graphql invites legal lite login oauth press privacy push qr safety session signup terms web your_activity'.split(
    ' ',
  ),
);

const MAX_SEGMENTS = 16;
const CODE = /^[A-Za-z0-9_-]{1,48}$/;
const USER_NAME = /^[A-Za-z0-9._]{1,30}$/;
const NUMERIC_ID = /^\d{1,24}$/;
const SHARE_ID = /^[A-Za-z0-9_-]{2,24}$/;
/** More items than any carousel has (20 in 2026); an index beyond is ignored. */
const MAX_ITEMS = 100;

const PROFILE: LinkMatch = { kind: 'unsupported', what: 'profile' };
const PAGE: LinkMatch = { kind: 'unsupported', what: 'page' };

/** The canonical address of a post, whatever its form. */
function postUrl(code: string): string {
  return `https://www.instagram.com/p/${code}/`;
}

function itemIndexOf(text: string | null | undefined): number | null {
  if (!text || !/^\d{1,3}$/.test(text)) return null;
  const position = Number(text);
  return position >= 1 && position <= MAX_ITEMS ? position - 1 : null;
}

function postMatch(form: string, text: string, itemIndex: number | null): LinkMatch {
  if (!CODE.test(text)) return PAGE;
  const { code, isPrivate } = splitCode(text);
  const mediaId = mediaIdOf(code);
  if (mediaId === null) return PAGE;
  const parts = isPrivate ? { mediaId, private: '1' } : { mediaId };
  return { kind: 'post', ref: { source: 'instagram', id: code, form, url: postUrl(code), itemIndex, parts } };
}

/** `/p/CODE` and what may follow: an index, `embed`, `captioned`, a comment. */
function matchPost(form: string, rest: readonly string[], query: URLSearchParams): LinkMatch {
  const [code, next] = rest;
  if (code === undefined) return PAGE;
  if (form === 'reels' && code.toLowerCase() === 'audio') return { kind: 'unsupported', what: 'audio' };
  return postMatch(form, code, itemIndexOf(query.get('img_index')) ?? itemIndexOf(next));
}

/** Ids of stories hold a dot, which no shortcode has. */
function story(id: string, path: string, parts: PostRef['parts']): LinkMatch {
  const url = `https://www.instagram.com/stories/${path}/`;
  return { kind: 'story', ref: { source: 'instagram', id, form: 'story', url, itemIndex: null, parts } };
}

function highlight(id: string, mediaId: string | null): LinkMatch {
  const parts = mediaId === null ? { highlightId: id } : { highlightId: id, mediaId };
  return story(mediaId === null ? `highlight.${id}` : `highlight.${id}.${mediaId}`, `highlights/${id}`, parts);
}

/** `3881689364048676894_65` -> `3881689364048676894`: the owner's id may follow a media id. */
function numericId(text: string | null | undefined): string | null {
  const id = text?.split('_', 1)[0] ?? '';
  return NUMERIC_ID.test(id) ? id : null;
}

/** `/stories/USER`, `/stories/USER/ID`, `/stories/highlights/ID`. */
function matchStory(rest: readonly string[], query: URLSearchParams): LinkMatch {
  const [owner, idText] = rest;
  if (owner === undefined || !USER_NAME.test(owner)) return PAGE;
  const username = owner.toLowerCase();
  if (idText === undefined) {
    return username === 'highlights' ? PAGE : story(`stories.${username}`, username, { username });
  }
  const id = numericId(idText);
  if (id === null) return PAGE;
  if (username === 'highlights') return highlight(id, numericId(query.get('story_media_id')));
  return story(`story.${username}.${id}`, `${username}/${id}`, { username, mediaId: id });
}

/** `/s/BASE64` holds `highlight:ID`. */
function matchEncodedStory(rest: readonly string[], query: URLSearchParams): LinkMatch {
  const encoded = rest[0] ?? '';
  if (encoded.length > 100) return PAGE;
  const id = /^highlight:(\d{1,24})$/.exec(Buffer.from(encoded, 'base64url').toString('latin1'))?.[1];
  return id === undefined ? PAGE : highlight(id, numericId(query.get('story_media_id')));
}

/** `/share/ID`, `/share/reel/ID`: only the site knows the code behind the id. */
function matchShare(rest: readonly string[]): LinkMatch {
  const [first, second] = rest;
  if (first === undefined) return PAGE;
  const form = SHARE_FORMS.has(first.toLowerCase()) ? first.toLowerCase() : null;
  const id = form === null ? first : second;
  if (id === undefined || !SHARE_ID.test(id)) return PAGE;
  const path = form === null ? `share/${id}` : `share/${form}/${id}`;
  return { kind: 'short', url: `https://www.instagram.com/${path}/`, key: path };
}

function matchExplore(rest: readonly string[]): LinkMatch {
  const what = { tags: 'tag', locations: 'place', search: 'search' }[rest[0]?.toLowerCase() ?? ''];
  return { kind: 'unsupported', what: what ?? 'page' };
}

/** The login page names the page that was asked for. */
function matchLogin(query: URLSearchParams): LinkMatch {
  const next = query.get('next');
  if (!next) return PAGE;
  return { kind: 'wrapper', target: next.startsWith('/') ? `https://www.instagram.com${next}` : next };
}

function matchPath(segments: readonly string[], query: URLSearchParams): LinkMatch {
  const [first, second] = segments;
  if (first === undefined) return PAGE;
  const word = first.toLowerCase();
  const rest = segments.slice(1);
  if (POST_FORMS.has(word)) return matchPost(word, rest, query);
  if (word === 'stories') return matchStory(rest, query);
  if (word === 's') return matchEncodedStory(rest, query);
  if (word === 'share') return matchShare(rest);
  if (word === 'explore') return matchExplore(rest);
  if (word === 'accounts' && second?.toLowerCase() === 'login') return matchLogin(query);
  if (word === 'live') return { kind: 'unsupported', what: 'live' };
  if (word === 'ar' || SITE_PAGES.has(word) || !USER_NAME.test(first)) return PAGE;
  const form = second?.toLowerCase();
  if (form === 'live') return { kind: 'unsupported', what: 'live' };
  // `/USER/reels/` alone is the user's page of reels.
  if (form !== undefined && POST_FORMS.has(form) && segments.length > 2)
    return matchPost(form, segments.slice(2), query);
  return PROFILE;
}

/** `instagram://media?id=PK` or `PK_OWNER`, as the app's own links write it. */
function matchAppLink(address: URL): LinkMatch {
  const target = address.hostname || address.pathname.replace(/^\/+/, '');
  if (target.startsWith('user')) return PROFILE;
  const id = target.startsWith('media') ? numericId(address.searchParams.get('id')) : null;
  const code = id === null ? null : shortcodeOf(id);
  return code === null || code.length > PUBLIC_CODE_LENGTH ? PAGE : postMatch('p', code, null);
}

/** Paths of `ig.me`: `m/USER` opens a chat, `j/ID` invites to one; the rest are short links. */
function matchShortener(segments: readonly string[], query: URLSearchParams): LinkMatch {
  const [first, second] = segments;
  if (first === undefined || first === 'm' || first === 'j') return PAGE;
  if (second !== undefined) return matchPath(segments, query);
  return SHARE_ID.test(first) ? { kind: 'short', url: `https://ig.me/${first}`, key: `ig.me/${first}` } : PAGE;
}

function matchWrapper(address: URL): LinkMatch {
  const target = address.searchParams.get('u');
  return target ? { kind: 'wrapper', target } : PAGE;
}

/**
 * What an address on Instagram, one of its short hosts or a known mirror names; undefined on any other host. Pure, never
 * throws, and takes nothing from the address but checked ids.
 */
export function matchInstagramLink(address: URL): LinkMatch | undefined {
  if (address.protocol === 'instagram:') return matchAppLink(address);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return undefined;
  const host = address.hostname.toLowerCase();
  const segments = address.pathname.split('/', MAX_SEGMENTS).filter(segment => segment !== '');
  if (SITE_HOSTS.has(host) || MIRROR_HOSTS.has(host)) return matchPath(segments, address.searchParams);
  if (host === WRAPPER_HOST) return matchWrapper(address);
  if (SHORTENER_HOSTS.has(host)) return matchShortener(segments, address.searchParams);
  return host.endsWith('.instagram.com') ? PAGE : undefined;
}

const ID_ADDRESSES: readonly (readonly [RegExp, string])[] = [
  [/^([A-Za-z0-9_-]{1,11})$/, 'p/$1/'],
  [/^stories\.([a-z0-9._]{1,30})$/, 'stories/$1/'],
  [/^story\.([a-z0-9._]{1,30})\.(\d{1,24})$/, 'stories/$1/$2/'],
  [/^highlight\.(\d{1,24})$/, 'stories/highlights/$1/'],
  [/^highlight\.(\d{1,24})\.(\d{1,24})$/, 'stories/highlights/$1/?story_media_id=$2'],
];

/** The reference that a canonical id stands for: a shortcode, or the id that a story's or highlight's link was given. */
export function instagramRefOf(id: string): PostRef | undefined {
  const known = ID_ADDRESSES.find(([pattern]) => pattern.test(id));
  if (known === undefined) return undefined;
  const match = matchInstagramLink(new URL(id.replace(known[0], known[1]), 'https://www.instagram.com/'));
  return match !== undefined && 'ref' in match && match.ref.id === id ? match.ref : undefined;
}
