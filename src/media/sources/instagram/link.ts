/** Finds the post, story or page to which an address on Instagram leads. Pure. */
import { isVideoLink, type LinkMatch, type PostRef } from '../../extract/source.ts';
import {
  linkMatcher,
  mediaIdOfCode,
  PAGE,
  type PathShape,
  PUBLIC_CODE_LENGTH,
  pagesOf,
  postIdBy,
  shortcodeOf,
  splitCode,
  unsupported,
  wrapper,
} from '../kit/link-match.ts';

export const INSTAGRAM_HOSTS: readonly string[] = ['www.', '', 'i.', 'm.'].map(part => `${part}instagram.com`);
export const SHARE_LINK_HOSTS: readonly string[] = [...INSTAGRAM_HOSTS, 'ig.me'];

const SITE = /^(?:(?:www|[im])\.)?instagram\.com$|^(?:www\.)?instagr\.am$/;
/**
 * Mirrors that people paste in chats for a better preview; they have the site's paths (known in 2026-08). Under `d.` a
 * mirror answers with the file itself, under `g.` with a gallery.
 */
const MIRROR =
  /^(?:(?:www|[dgm])\.)?(?:(?:(?:dd|kk|vx|fx|uu|ee|zz|gg|rx|bb|tt|to)instagram|fxstagram|instagramez|instagrambed)\.com|instafix\.io)$/;

const PROFILE = unsupported('profile');

/** The index of an item from its number, 1 to 100; else null. Carousels have at most 20 items (2026). */
function itemIndexOf(text: string | null): number | null {
  return /^(?:[1-9]\d?|100)$/.test(text ?? '') ? Number(text) - 1 : null;
}

function postMatch(form: string, text: string, itemIndex: number | null): LinkMatch {
  const { code, isPrivate } = splitCode(text);
  const mediaId = mediaIdOfCode(code);
  if (mediaId === null) return PAGE;
  const parts = isPrivate ? { mediaId, private: '1', suffix: text.slice(code.length) } : { mediaId };
  const url = `https://www.instagram.com/p/${code}/`;
  return { kind: 'post', ref: { source: 'instagram', id: code, form, url, itemIndex, parts } };
}

/** A story or highlight. Its id contains a dot, as no shortcode does, so it is never mistaken for a post's id. */
function storyMatch(id: string, path: string, parts: PostRef['parts']): LinkMatch {
  const url = `https://www.instagram.com/stories/${path}`;
  return { kind: 'story', ref: { source: 'instagram', id, form: 'story', url, itemIndex: null, parts } };
}

/** Takes the media id from `MEDIAID_OWNERID`, such as `3881689364048676894_65`; null for other text. */
function numericId(text: string | null): string | null {
  return /^(\d{1,24})(?:_|$)/.exec(text ?? '')?.[1] ?? null;
}

function highlightMatch(highlightId: string, query: URLSearchParams): LinkMatch {
  const mediaId = numericId(query.get('story_media_id'));
  const path = `highlights/${highlightId}/`;
  if (mediaId === null) return storyMatch(`highlight.${highlightId}`, path, { highlightId });
  // Medley passes links on in their canonical form, so that form must contain the item too.
  const ofItem = `${path}?story_media_id=${mediaId}`;
  return storyMatch(`highlight.${highlightId}.${mediaId}`, ofItem, { highlightId, mediaId });
}

function userStory(owner: string, mediaId: string | null): LinkMatch {
  const username = owner.toLowerCase();
  if (mediaId === null) return storyMatch(`stories.${username}`, `${username}/`, { username });
  return storyMatch(`story.${username}.${mediaId}`, `${username}/${mediaId}/`, { username, mediaId });
}

/** The author's name. It may stand before the segment of the post. */
const AUTHOR = '(?:(?!(?:p|reels?|tv|live)/)[\\w.]{1,30}/)?';

/** Shapes of paths, without the slashes at both ends. The first shape that matches counts. */
const PATHS: readonly PathShape[] = [
  [/^stories\/highlights\/(\d{1,24})(?:_[^/]*)?(?:\/|$)/i, ([, id = ''], query) => highlightMatch(id, query)],
  [/^stories\/([\w.]{1,30})\/(\d{1,24})(?:_[^/]*)?(?:\/|$)/i, ([, owner = '', id = '']) => userStory(owner, id)],
  [/^stories\/(?!highlights$)([\w.]{1,30})$/i, ([, owner = '']) => userStory(owner, null)],
  // The segment after `s/` is base64 of `highlight:ID`.
  [
    /^s\/([^/]{1,100})(?:\/|$)/i,
    ([, text = ''], query) => {
      const id = /^highlight:(\d{1,24})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))?.[1];
      return id === undefined ? PAGE : highlightMatch(id, query);
    },
  ],
  // A share link may state the kind of post in its path, but only the site knows which post it is.
  [
    /^share\/((?:p|reels?|tv)\/|(?!(?:reels?|tv)(?:\/|$)))([\w-]{2,24})(?:\/|$)/i,
    ([, form = '', id = '']) => {
      const key = `share/${form.toLowerCase()}${id}`;
      return { kind: 'short', url: `https://www.instagram.com/${key}/`, key };
    },
  ],
  // The query of the login page contains the address of the requested page.
  [
    /^accounts\/login(?:\/|$)/i,
    (_, query) => wrapper(query.get('next')?.replace(/^(?=\/)/, 'https://www.instagram.com')) ?? PAGE,
  ],
  // Pages that are not posts; their first segment cannot be a user name.
  ...pagesOf({
    tag: 'explore/tags',
    place: 'explore/locations',
    search: 'explore/search',
    page: 'about|accounts|api|ar|archive|business|challenge|data|developer|direct|directory|download|emails|explore|graphql|invites|legal|lite|login|oauth|press|privacy|push|qr|s|safety|session|share|signup|stories|terms|web|your_activity',
    audio: `${AUTHOR}reels/audio`,
  }),
  // The number of an item, `embed`, `captioned` or a comment may follow the shortcode.
  [
    new RegExp(`^${AUTHOR}(p|reels?|tv)/([\\w-]{1,48})(?:/([^/]*)|$)`, 'i'),
    ([, form = '', code = '', next = ''], query) =>
      postMatch(form.toLowerCase(), code, itemIndexOf(query.get('img_index')) ?? itemIndexOf(next)),
  ],
  [/^(?:[\w.]{1,30}\/)?live(?:\/|$)/i, () => unsupported('live')],
  [/^(?:p|reels?|tv)(?:\/|$)|^[\w.]{1,30}\/(?:p|reels?|tv)\/./i, () => PAGE],
  // `/USER/reels/` without a shortcode is the page with all reels of the user.
  [/^[\w.]{1,30}(?:\/|$)/, () => PROFILE],
];

/** A link that opens the site's app: `instagram://media?id=MEDIAID` or `?id=MEDIAID_OWNERID`. */
function matchAppLink(address: URL): LinkMatch {
  const target = address.hostname || address.pathname.replace(/^\/+/, '');
  if (target.startsWith('user')) return PROFILE;
  const id = target.startsWith('media') ? numericId(address.searchParams.get('id')) : null;
  const code = id === null ? null : shortcodeOf(id);
  return code === null || code.length > PUBLIC_CODE_LENGTH ? PAGE : postMatch('p', code, null);
}

/** Paths of `ig.me`. `m/USER` opens a chat, `j/ID` invites to a chat; any other single word is a short link. */
const SHORTENER_PATHS: readonly PathShape[] = [
  [/^[mj](?:\/|$)/, () => PAGE],
  [/^[\w-]{2,24}$/, ([path = '']) => ({ kind: 'short', url: `https://ig.me/${path}`, key: `ig.me/${path}` })],
  [/^[^/]*$/, () => PAGE],
  ...PATHS,
];

const matchWebLink = linkMatcher([
  [SITE, PATHS],
  [MIRROR, PATHS],
  [/^l\.instagram\.com$/, [[/^/, (_, query) => wrapper(query.get('u'))]]],
  [/^(?:www\.)?ig\.me$/, SHORTENER_PATHS],
  [/\.instagram\.com$/, []],
]);

export function matchInstagramLink(address: URL): LinkMatch | undefined {
  return address.protocol === 'instagram:' ? matchAppLink(address) : matchWebLink(address);
}

const ID_ADDRESSES: readonly (readonly [RegExp, string])[] = [
  [/^([A-Za-z0-9_-]{1,11})$/, 'p/$1/'],
  [/^stories\.([a-z0-9._]{1,30})$/, 'stories/$1/'],
  [/^story\.([a-z0-9._]{1,30})\.(\d{1,24})$/, 'stories/$1/$2/'],
  [/^highlight\.(\d{1,24})$/, 'stories/highlights/$1/'],
  [/^highlight\.(\d{1,24})\.(\d{1,24})$/, 'stories/highlights/$1/?story_media_id=$2'],
];

/** The reference of a canonical id: a shortcode, or the id that Medley makes for a story or highlight. */
export function instagramRefOf(id: string): PostRef | undefined {
  const known = ID_ADDRESSES.find(([pattern]) => pattern.test(id));
  if (known === undefined) return undefined;
  const match = matchInstagramLink(new URL(id.replace(known[0], known[1]), 'https://www.instagram.com/'));
  return match !== undefined && 'ref' in match && match.ref.id === id ? match.ref : undefined;
}

export function instagramLinkOf({ id, form, url, parts: { suffix = '' } }: PostRef): string {
  if (form === 'story') return url;
  return `https://www.instagram.com/${isVideoLink({ form }) ? 'reel' : 'p'}/${id}${suffix}/`;
}

export const instagramIdOf = postIdBy(matchInstagramLink);
