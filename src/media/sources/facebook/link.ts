import { isVideoLink, type LinkMatch, type PostRef } from '../../extract/source.ts';
import { linkMatcher, PAGE, type PathShape, pagesOf, postIdBy, unsupported, wrapper } from '../kit/link-match.ts';

const SITE = 'https://www.facebook.com';
/** Facebook's onion service, which has the paths of facebook.com. */
const ONION = 'facebookwkhpilnemxj7asaniu7vnjjbiltxjqhye3mhbshg7kx5tfyd.onion';
const SITE_HOST = new RegExp(`(?:^|\\.)(?:facebook\\.com|fb\\.com|${ONION.replace('.', '\\.')})$`);
/** Mirrors of Facebook, with its paths, that people pasted in chats in 2026 for a better preview. */
const MIRROR = /^(?:www\.)?(?:facebed|facebookez)\.com$/;

/** A post's id: a number of at most 20 digits, or its encoded form (about 70 characters in 2026). */
const POST_ID = /^(?:\d{1,20}|pfbid[A-Za-z0-9]{10,120})$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;

const SITE_PAGES =
  /^(?:about|bookmarks|business|checkpoint|directory|friends|games|help|home\.php|login|login\.php|messages|notifications|onthisday|policies|policy|privacy|recover|reg|saved|settings|share|sharer|share\.php|sharer\.php|signup|terms|watch|help\.php|legal|careers)$/;

function refTo(id: string, form: string, path: string, parts: PostRef['parts'] = {}): PostRef {
  return { source: 'facebook', id, form, url: `${SITE}${path}`, itemIndex: null, parts };
}

function post(...parts: Parameters<typeof refTo>): LinkMatch {
  return { kind: 'post', ref: refTo(...parts) };
}

/** `{ owner }` if the owner's name can be used in an address, else an empty object. */
function ownerPart(owner: string | undefined): PostRef['parts'] {
  const isName = owner !== undefined && NAME.test(owner) && !SITE_PAGES.test(owner);
  return isName && owner !== 'i' && owner !== 'pages' ? { owner } : {};
}

function isNumericId(text: string | null | undefined): text is string {
  return typeof text === 'string' && /^\d{1,20}$/.test(text);
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

/** A post of a person or page. Without the owner's name, its address has the id alone, by which the site finds it. */
function postMatch(id: string, owner: string | undefined): LinkMatch {
  const parts = ownerPart(owner);
  return post(id, 'post', parts.owner === undefined ? `/${id}` : `/${parts.owner}/posts/${id}`, parts);
}

function storyMatch(owner: string): LinkMatch {
  const ref = refTo(`story-${owner}`, 'story', `/stories/${owner}/`, { owner });
  return NAME.test(owner) ? { kind: 'story', ref } : unsupported('story');
}

function queriedVideo(id: string | null): LinkMatch | undefined {
  return isNumericId(id) ? videoMatch(id, 'watch') : undefined;
}

function groupMatch([, group, word, ...ids]: readonly string[], query: URLSearchParams): LinkMatch {
  if (group === undefined || !NAME.test(group)) return unsupported('group');
  const multi = query.get('multi_permalinks')?.split(',', 1)[0];
  const permalink = query.get('view') === 'permalink' ? query.get('id') : null;
  const path = word === 'posts' || word === 'permalink' ? ids.slice(0, 2).findLast(isPostId) : undefined;
  const id = [path, multi, permalink].find(isPostId);
  return id === undefined ? unsupported('group') : post(id, 'group', `/groups/${group}/posts/${id}`, { group });
}

/**
 * A short link `/share/v/ID`, `/share/ID`, `fb.watch/ID`, `fb.watch/v/ID`, whose target only the site knows. Words that
 * were written right behind the link are left out.
 */
function shortMatch(origin: string, place: string, rest: string): LinkMatch {
  const path = /^((?:[a-z]\/|(?![a-z]\/))[\w-]{1,40})(?![\w-])/.exec(rest)?.[1];
  return path === undefined ? PAGE : { kind: 'short', url: `${origin}${place}/${path}/`, key: `${place}/${path}` };
}

/** A path with a title, an album or `vb.N` before the id. The owner may be missing or be written in any alphabet. */
function ownedMatch(owner: string | undefined, word: string, rest: string): LinkMatch {
  const id = rest.split('/', 4).findLast(word === 'posts' ? isPostId : isNumericId);
  if (word.startsWith('photos')) return id === undefined ? unsupported('album') : photoMatch(id);
  if (id === undefined) return unsupported('profile');
  return word === 'posts' ? postMatch(id, owner) : videoMatch(id, word === 'videos' ? 'video' : 'reel', owner);
}

/** A path of the embed code, which may begin with an API version. */
const afterVersion = (path: string) => new RegExp(`^(?:v\\d{1,3}\\.\\d{1,3}/)?(?:${path})`, 'i');

/** Shapes of paths, without the slashes at both ends. The first shape that matches and gives a result counts. */
const PATHS: readonly PathShape[] = [
  // Pages with another address in their query.
  [afterVersion('(?:l|share|sharer|sharer/sharer)\\.php$|flx/warn$'), (_, query) => wrapper(query.get('u'))],
  [afterVersion('plugins/(?:video|post)(?:\\.php)?$'), (_, query) => wrapper(query.get('href'))],
  [afterVersion('login(?:\\.php)?$'), (_, query) => wrapper(query.get('next'))],
  [
    afterVersion(
      '(?:watch(?:/live)?|video\\.php|video/(?:video\\.php|embed|embed\\.php)|photo|photo\\.php|photos|photo/viewer|)$',
    ),
    (_, query) => queriedVideo(query.get('v') ?? query.get('video_id')),
  ],
  [
    afterVersion('(?:photo|photo\\.php|photos|photo/viewer)$'),
    (_, query) => {
      const id = query.get('fbid') ?? query.get('photo_id');
      return isNumericId(id) ? photoMatch(id) : unsupported('album');
    },
  ],
  [
    afterVersion('(?:story|permalink)\\.php$'),
    (_, query) => {
      const [id, owner] = [query.get('story_fbid'), query.get('id')];
      if (!isPostId(id) || !isNumericId(owner)) return PAGE;
      return post(id, 'permalink', `/permalink.php?story_fbid=${id}&id=${owner}`, { owner });
    },
  ],
  [afterVersion('media/set'), () => unsupported('album')],
  [/^reels?\/audio(?:\/|$)/i, () => unsupported('audio')],
  [/^reels?(?:\/([^/]*)|$)/i, ([, id]) => (isNumericId(id) ? videoMatch(id, 'reel') : PAGE)],
  [/^share(?:\/(.*)|$)/i, ([, rest = '']) => shortMatch(`${SITE}/`, 'share', rest)],
  [/^groups(?:\/.*|$)/i, ([path = ''], query) => groupMatch(path.split('/'), query)],
  [/^stories(?:\/([^/]*)|$)/i, ([, owner = '']) => storyMatch(owner)],
  [/^photo\/(\d{1,20})(?:\/|$)/i, ([, id = '']) => photoMatch(id)],
  [/^video\/(\d{1,20})(?:\/|$)/i, ([, id = '']) => videoMatch(id, 'watch')],
  ...pagesOf({
    event: 'events|event\\.php',
    watch_party: 'watchparty',
    ad: 'ads',
    tag: 'hashtag',
    marketplace: 'marketplace',
    audio: 'music',
    search: 'search',
    place: 'places',
    live: 'live|watch/live',
    page: 'gaming',
    profile: 'profile\\.php|people',
  }),
  // Up to three segments may stand before `videos`, `posts` and so on. A single one is the owner.
  [
    /^(?:([^/]*)\/|(?:[^/]*\/){2,3}?)??(videos|posts|photos|reels?|photos_albums)(?:\/(.*)|$)/i,
    ([, owner, word = '', rest = '']) => ownedMatch(owner, word.toLowerCase(), rest),
  ],
  // All other paths: a video in the query, an encoded id, a page of the site, or a profile.
  [/^/, (_, query) => queriedVideo(query.get('v'))],
  [/^pfbid[^/]*/, ([id]) => (isPostId(id) ? postMatch(id, undefined) : undefined)],
  [/^([^/]*)/, ([, word = '']) => (word === '' || SITE_PAGES.test(word.toLowerCase()) ? PAGE : unsupported('profile'))],
];

export const matchFacebookLink = linkMatcher([
  [
    /^(?:www\.)?fb\.(?:watch|me)$/,
    [[/^.*/, ([rest = ''], _, host) => shortMatch('https://', host.replace(/^www\./, ''), rest)]],
  ],
  [/^(?:www\.)?lm?\.(?:facebook|fb)\.com$/, [[/^/, (_, query) => wrapper(query.get('u'))]]],
  [SITE_HOST, PATHS],
  [MIRROR, PATHS],
]);

/** Makes the reference of a post from its id alone, which is enough for Facebook to find the post. */
export function facebookRefOf(id: string): PostRef | undefined {
  return isPostId(id) ? refTo(id, 'id', `/${id}`) : undefined;
}

export const idOfAddress = postIdBy(matchFacebookLink);

/** Says whether the post may be a video; a link with only a numeric id may lead to any kind of post. */
function mayBeVideo(ref: PostRef): boolean {
  return isVideoLink(ref) || (ref.form === 'id' && isNumericId(ref.id));
}

/** A video's permanent address. The embedded player and the Graph API accept no other. */
function videoAddress(ref: PostRef): string {
  const { owner } = ref.parts;
  return ref.form !== 'reel' && owner ? `${SITE}/${owner}/videos/${ref.id}/` : `${SITE}/reel/${ref.id}/`;
}

export function facebookLinkOf(ref: PostRef): string {
  return ref.form === 'video' ? videoAddress(ref) : ref.url;
}

/** For each endpoint, the address that shows a post; null if the endpoint cannot show that kind of post. */
export const ADDRESSES: Readonly<Record<string, (ref: PostRef) => string | null>> = {
  'post-page': ref => (/^(?:post|permalink|group|id)$/.test(ref.form) ? ref.url : null),
  'photo-page': ref => (ref.form === 'photo' ? ref.url : null),
  'photo-php': ref => (ref.form === 'photo' ? `${SITE}/photo.php?fbid=${ref.id}` : null),
  // Every video is requested as a reel: pages under `/watch` and `/videos` sometimes show another video's files (seen
  // 2026-06).
  'reel-page': ref => (isVideoLink(ref) ? `${SITE}/reel/${ref.id}` : null),
  // The embedded player states few facts, but it is shown where the page has a login wall.
  embed: ref => (mayBeVideo(ref) ? `${SITE}/plugins/video.php?href=${encodeURIComponent(videoAddress(ref))}` : null),
  'watch-page': ref => (mayBeVideo(ref) ? `${SITE}/watch/?v=${ref.id}` : null),
  'video-page': ref => (isVideoLink(ref) && ref.parts.owner ? `${SITE}/${ref.parts.owner}/videos/${ref.id}/` : null),
  'group-page': ref => (ref.form === 'group' ? `${SITE}/groups/${ref.parts.group}/permalink/${ref.id}/` : null),
  'owner-page': ref => (ref.form === 'permalink' ? `${SITE}/${ref.parts.owner}/posts/${ref.id}` : null),
  'story-page'({ id, form, parts: { owner } }) {
    const isOwnerKnown = form === 'permalink' || (form === 'post' && isNumericId(owner));
    return isOwnerKnown ? `${SITE}/story.php?story_fbid=${id}&id=${owner}` : null;
  },
};

/** The path and query of the request that asks the Graph API for the post. */
export function oembedQuestion(ref: PostRef): string {
  const url = isVideoLink(ref) ? videoAddress(ref) : ref.url;
  return `${isVideoLink(ref) ? 'oembed_video' : 'oembed_post'}?${new URLSearchParams({ url, omitscript: 'true' })}`;
}
