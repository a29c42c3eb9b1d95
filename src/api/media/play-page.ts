import { createHash } from 'node:crypto';
import { escapeHtml } from '../../infra/server/html.ts';
import type { PlayerLink, PlayerLinkState } from '../../media/tunnel/player-links.ts';

/** The web chat's colours and sizes, described in `docs/develop/design.md`. */
const STYLE =
  '@font-face{font-family:Figtree;src:url(/assets/static/figtree-latin.woff2) format("woff2");font-weight:300 900;font-display:swap}' +
  ':root{color-scheme:dark light}*{box-sizing:border-box}body{margin:0;min-height:100vh;min-height:100dvh;display:grid;' +
  'grid-template-rows:1fr auto;font:16px/1.5 Figtree,system-ui,sans-serif;background:#0e1614;color:#e9f1ee}' +
  'main{display:grid;place-items:center;min-height:0;padding:1rem}video{width:auto;height:auto;max-width:100%;max-height:calc(100dvh - 8rem);' +
  'border-radius:.75rem;background:#0a100f}footer{padding:.5rem 1rem 1.25rem;text-align:center}h1{font-size:1.125rem;font-weight:650;line-height:1.3;' +
  'margin:0;overflow-wrap:anywhere}p{margin:.25rem 0;color:#a3b6ae}a{display:inline-block;padding-block:.625rem;color:#63d3bd}' +
  'section{max-width:32rem;text-align:center}section h1{font-size:1.375rem;font-weight:750}:focus-visible{outline:2px solid;outline-offset:2px}' +
  '@media (prefers-color-scheme:light){body{background:#f4f6f3;color:#12201c}p{color:#4b5c55}a{color:#0b6a5e}}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The page may load its own style and fonts, and this server's video and cover: no script, no other site. */
export const PLAY_PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; font-src 'self'; media-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'`;

/** File names that are appended to the page's path. */
export const VIDEO_NAME = '/film.mp4';
export const POSTER_NAME = '/poster.jpg';

const MAX_TITLE_CHARS = 100;
const MAX_DESCRIPTION_CHARS = 200;

/**
 * A page with a video and the metadata by which chats show a player (Open Graph, Twitter's player card). `path` is the
 * page's own path at `origin`.
 */
export function renderPlayPage(
  { post, mime, width, height, hasPoster }: PlayerLink,
  origin: string,
  path: string,
): string {
  const { author, url } = post;
  const title = titleOf(post);
  const description = shorten((post.caption ?? '').replace(/\s+/g, ' ').trim(), MAX_DESCRIPTION_CHARS);
  const address = `${origin}${path}`;
  const video = `${address}${VIDEO_NAME}`;
  const poster = hasPoster ? `${address}${POSTER_NAME}` : undefined;
  const size = width === null || height === null ? undefined : { width: `${width}`, height: `${height}` };
  const tags: readonly (readonly [property: string, content: string | undefined])[] = [
    ['og:type', 'video.other'],
    ['og:site_name', 'Medley'],
    ['og:title', title],
    ['og:url', address],
    ['og:description', description],
    ['og:video', video],
    ['og:video:url', video],
    ['og:video:secure_url', video],
    ['og:video:type', mime],
    ['og:video:width', size?.width],
    ['og:video:height', size?.height],
    ['og:image', poster],
    ['twitter:card', 'player'],
    ['twitter:title', title],
    ['twitter:image', poster],
    ['twitter:player', address],
    ['twitter:player:width', size?.width],
    ['twitter:player:height', size?.height],
    ['twitter:player:stream', video],
    ['twitter:player:stream:content_type', mime],
  ];
  const metas = tags.flatMap(([property, content = '']) => {
    if (content === '') return [];
    const attribute = property.startsWith('twitter:') ? 'name' : 'property';
    return `<meta ${attribute}="${property}" content="${escapeHtml(content)}">`;
  });
  const name = author.name ?? author.username;
  const shape = size === undefined ? '' : ` width="${size.width}" height="${size.height}"`;
  const cover = poster === undefined ? '' : ` poster="${escapeHtml(`${path}${POSTER_NAME}`)}"`;
  return page(
    title,
    metas.join('\n'),
    `<main><video controls playsinline preload="metadata"${shape}${cover} src="${escapeHtml(`${path}${VIDEO_NAME}`)}"></video></main>
<footer><h1>${escapeHtml(title)}</h1>
<p>${name === null || name === title ? '' : `${escapeHtml(name)} · `}${linkTo(url)}</p></footer>`,
  );
}

const SENTENCES = {
  expired: ['This link has ended', 'Links to videos end after some days. The post may still be there.'],
  gone: ['There is no video here', 'The post was removed, or the address is not complete.'],
  unavailable: ['The video is not available right now', 'Please try again in a few minutes, or open the post itself.'],
} as const;

/** The page that is shown when the video cannot be played; it says why. */
export function renderNoPlayPage({ state, url }: Exclude<PlayerLinkState, { state: 'ready' }>): string {
  const [title, sentence] = SENTENCES[state];
  return sentencePage(title, sentence, url === undefined ? WAYS_ON : linkTo(url));
}

const NOTHING = {
  path: ['There is nothing here', 'Perhaps the address is not complete.'],
  file: ['This file has expired', 'Addresses of files end after some time. Ask for the post again to get a new one.'],
} as const;

/** The page for an address that never existed or that has expired. */
export function renderNothingPage(what: keyof typeof NOTHING): string {
  const [title, sentence] = NOTHING[what];
  return sentencePage(title, sentence, WAYS_ON);
}

const WAYS_ON = '<a href="/">Paste a link</a> · <a href="/docs">See the API</a>';

function sentencePage(title: string, sentence: string, way: string): string {
  return page(title, '', `<main><section><h1>${title}</h1><p>${sentence}</p><p>${way}</p></section></main>`);
}

function page(title: string, head: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
${head}
<style>${STYLE}</style></head>
<body>${body}</body></html>
`;
}

function titleOf({ title, author }: PlayerLink['post']): string {
  const words = title ?? author.name ?? author.username ?? '';
  return shorten(words.replace(/\s+/g, ' ').trim(), MAX_TITLE_CHARS) || 'A video';
}

function linkTo(url: string): string {
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer nofollow">Open the original post</a>`;
}

function shorten(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`;
}
