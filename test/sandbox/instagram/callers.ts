/**
 * Who asks Instagram at which endpoint, and whether the site answers such a caller. As public notes of 2026-06 to 2026-10 have it:
 * each endpoint answers one kind of caller, and shows its login page or an empty shell to all others.
 */
import type { Ask } from '../answer.ts';

/**
 * `browser` sends client hints, as a browser's TLS comes with; `hintless` is a browser's user agent without them; `plain` is
 * `Mozilla/5.0` and nothing more.
 */
export type InstagramCaller = 'browser' | 'hintless' | 'plain' | 'crawler' | 'search' | 'app' | 'other';

export type InstagramEndpoint =
  | 'instagram.home'
  | 'instagram.graphql-media-id'
  | `instagram.graphql-shortcode.${InstagramCaller}`
  | `instagram.page.${InstagramCaller}`
  | `instagram.embed.${InstagramCaller}`
  | 'instagram.oembed'
  | 'instagram.media-info'
  | 'instagram.ruling'
  | 'instagram.route'
  | 'instagram.share';

const CALLERS: readonly InstagramCaller[] = ['browser', 'hintless', 'plain', 'crawler', 'search', 'app', 'other'];

export const INSTAGRAM_ENDPOINTS: readonly InstagramEndpoint[] = [
  'instagram.home',
  'instagram.graphql-media-id',
  ...CALLERS.map(caller => `instagram.graphql-shortcode.${caller}` as const),
  ...CALLERS.map(caller => `instagram.page.${caller}` as const),
  ...CALLERS.map(caller => `instagram.embed.${caller}` as const),
  'instagram.oembed',
  'instagram.media-info',
  'instagram.ruling',
  'instagram.route',
  'instagram.share',
];

const APP_ID = '936619743392459';
const MEDIA_ID_DOC = '27130156389949648';

function instagramCallerOf({ headers }: Ask): InstagramCaller {
  const agent = headers['user-agent'] ?? '';
  if (agent === 'Mozilla/5.0') return 'plain';
  if (agent.startsWith('facebookexternalhit/1.1')) return 'crawler';
  if (agent.includes('Googlebot/')) return 'search';
  if (agent.startsWith('Instagram ')) return 'app';
  if (!/^Mozilla\/5\.0 \(.*(?:Chrome|Firefox|Version)\/\d/.test(agent)) return 'other';
  return headers['sec-ch-ua'] === undefined ? 'hintless' : 'browser';
}

/** Which endpoint a request is for; undefined for the rest of the site. */
export function instagramEndpoint(ask: Ask): InstagramEndpoint | undefined {
  const path = ask.url.pathname;
  const caller = instagramCallerOf(ask);
  if (path === '/') return 'instagram.home';
  if (path.startsWith('/share/')) return 'instagram.share';
  if (/^\/(?:api\/graphql|graphql\/query)\/?$/.test(path)) {
    const isMediaId = ask.form.get('doc_id') === MEDIA_ID_DOC;
    return isMediaId ? 'instagram.graphql-media-id' : `instagram.graphql-shortcode.${caller}`;
  }
  if (/^\/(?:p|reel|tv)\/[\w-]+\/embed(?:\/captioned)?\/?$/.test(path)) return `instagram.embed.${caller}`;
  if (/^\/(?:[\w.]+\/)?(?:p|reel|reels|tv)\/[\w-]+\/?$/.test(path)) return `instagram.page.${caller}`;
  if (/^\/api\/v1\/oembed\/?$/.test(path)) return 'instagram.oembed';
  if (/^\/api\/v1\/media\/[\d_]+\/info\/?$/.test(path)) return 'instagram.media-info';
  if (path.startsWith('/api/v1/web/get_ruling_for_')) return 'instagram.ruling';
  if (path.startsWith('/ajax/bulk-route-definitions')) return 'instagram.route';
  return undefined;
}

/** A GraphQL request with its LSD twice: in the form and as a header. */
function hasLsd({ form, headers }: Ask): boolean {
  const lsd = form.get('lsd');
  return lsd !== null && lsd !== '' && headers['x-fb-lsd'] === lsd;
}

/** The csrf cookie as a header too, which only a script of the site can. */
function hasCsrf({ cookies, headers }: Ask): boolean {
  const csrf = cookies.get('csrftoken');
  return csrf !== undefined && headers['x-csrftoken'] === csrf;
}

function isScript({ headers }: Ask): boolean {
  return headers['x-ig-app-id'] === APP_ID && headers['sec-fetch-site'] === 'same-origin';
}

/** By shortcode: a caller without any traits, or a page's script in a browser with its csrf cookie. */
export function mayQueryByShortcode(ask: Ask): boolean {
  switch (instagramCallerOf(ask)) {
    case 'plain':
      return (
        hasLsd(ask) &&
        ask.headers.accept === '*/*' &&
        ask.cookies.size === 0 &&
        ask.headers['x-csrftoken'] === undefined &&
        ask.headers['x-fb-friendly-name'] !== undefined
      );
    case 'browser':
    case 'hintless':
      return hasLsd(ask) && hasCsrf(ask) && isScript(ask);
    default:
      return false;
  }
}

/** By media id: a browser's TLS with a session of the home page, and the LSD that the home page gave. */
export function mayQueryByMediaId(ask: Ask, lsdOfHome: string): boolean {
  const hasSession = ask.cookies.has('mid') && hasCsrf(ask);
  return instagramCallerOf(ask) === 'browser' && isScript(ask) && hasSession && ask.headers['x-fb-lsd'] === lsdOfHome;
}

/** A navigation of a browser that visited the home page, or a search engine. */
export function maySeePage(ask: Ask): boolean {
  const caller = instagramCallerOf(ask);
  if (caller === 'search') return ask.cookies.size === 0;
  return caller === 'browser' && ask.headers['sec-fetch-mode'] === 'navigate' && ask.cookies.has('csrftoken');
}

export function maySeeEmbed(ask: Ask): boolean {
  return instagramCallerOf(ask) === 'crawler' && ask.cookies.size === 0;
}

/** The app, by its id or its user agent. */
export function mayAskOembed(ask: Ask): boolean {
  return ask.headers['x-ig-app-id'] === APP_ID || instagramCallerOf(ask) === 'app';
}

/** A script of a page, for the visitor whose cookies it has. */
export function mayAskQuestions(ask: Ask): boolean {
  return isScript(ask) && hasCsrf(ask);
}
