/**
 * Who asks Facebook at which address, and whether the site shows the page to such a caller. As public notes of 2026-08 to
 * 2026-10 have it; what was not measured is marked.
 */
import type { Ask } from '../answer.ts';

/** `browser` sends client hints, `plain` the headers of a navigation without them. */
export type Caller = 'browser' | 'plain' | 'crawler' | 'search' | 'other';
export type PageKind = 'reel' | 'watch' | 'video' | 'photo' | 'photo-php' | 'post' | 'group' | 'story';

export type FacebookEndpoint =
  | `facebook.page.${PageKind}.${Caller}`
  | `facebook.embed.${Caller}`
  | `facebook.share.${Caller}`
  | 'facebook.fb-watch'
  | 'facebook.oembed';

const CALLERS: readonly Caller[] = ['browser', 'plain', 'crawler', 'search', 'other'];
const KINDS: readonly PageKind[] = ['reel', 'watch', 'video', 'photo', 'photo-php', 'post', 'group', 'story'];

export const FACEBOOK_ENDPOINTS: readonly FacebookEndpoint[] = [
  ...KINDS.flatMap(kind => CALLERS.map(caller => `facebook.page.${kind}.${caller}` as const)),
  ...CALLERS.map(caller => `facebook.embed.${caller}` as const),
  ...CALLERS.map(caller => `facebook.share.${caller}` as const),
  'facebook.fb-watch',
  'facebook.oembed',
];

export function callerOf({ headers }: Ask): Caller {
  const agent = headers['user-agent'] ?? '';
  if (agent.startsWith('facebookexternalhit/1.1')) return 'crawler';
  if (agent.includes('Googlebot/')) return 'search';
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && /^Mozilla\/5\.0 \(.*Chrome\/\d/.test(agent);
  if (!isNavigation) return 'other';
  return headers['sec-ch-ua'] === undefined ? 'plain' : 'browser';
}

export function pageKindOf(path: string): PageKind {
  if (path.startsWith('/reel/')) return 'reel';
  if (/^\/watch\/?$/.test(path)) return 'watch';
  if (/^\/[^/]+\/videos\//.test(path)) return 'video';
  if (path === '/photo.php') return 'photo-php';
  if (/^\/photo\/?$/.test(path)) return 'photo';
  if (path === '/story.php') return 'story';
  return /^\/groups\/[^/]+\/permalink\//.test(path) ? 'group' : 'post';
}

/** Which endpoint a request is for; undefined for the rest of the site. */
export function facebookEndpoint(ask: Ask): FacebookEndpoint | undefined {
  if (ask.host === 'fb.watch') return 'facebook.fb-watch';
  const path = ask.url.pathname;
  if (ask.host === 'graph.facebook.com') {
    return /^\/v\d+\.\d\/oembed_(?:video|post)$/.test(path) ? 'facebook.oembed' : undefined;
  }
  const caller = callerOf(ask);
  if (path.startsWith('/share/')) return `facebook.share.${caller}`;
  if (path.startsWith('/plugins/video.php')) return `facebook.embed.${caller}`;
  if (path === '/' || path.startsWith('/login')) return undefined;
  return `facebook.page.${pageKindOf(path)}.${caller}`;
}

/** `head`: title and picture for a link preview, no media. `error`: status 400. */
export type Showing = 'page' | 'head' | 'login' | 'error';

/** From data centres visitors see posts of pages and people only. */
const OPEN_TO_ALL: ReadonlySet<PageKind> = new Set(['post', 'story']);

/** What the site shows to a caller at an address. */
export function showingOf(ask: Ask, isDataCentre: boolean): Showing {
  const kind = pageKindOf(ask.url.pathname);
  switch (callerOf(ask)) {
    case 'browser':
    case 'plain':
      return isDataCentre && !OPEN_TO_ALL.has(kind) ? 'login' : 'page';
    case 'crawler':
      return 'head';
    case 'search':
      // The page has the size of the whole one; that the media are in it was not measured.
      return kind === 'post' || (kind === 'reel' && !isDataCentre) ? 'page' : 'login';
    case 'other':
      return (ask.headers['user-agent'] ?? '').startsWith('Mozilla/') ? 'error' : 'login';
  }
}
