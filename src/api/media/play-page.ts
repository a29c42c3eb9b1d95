import { escapeHtml, renderSmallPage, SMALL_PAGE_STYLE } from '../../infra/server/html.ts';
import type { PlayerLink, PlayerLinkState } from '../../media/tunnel/player-links.ts';

/** The page may load its own style and fonts, and this server's video and cover: no script, no other site. */
export const PLAY_PAGE_POLICY = `default-src 'none'; style-src ${SMALL_PAGE_STYLE}; font-src 'self'; media-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'`;

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
  return renderSmallPage(
    title,
    `<main><video controls playsinline preload="metadata"${shape}${cover} src="${escapeHtml(`${path}${VIDEO_NAME}`)}"></video></main>
<footer><h1>${escapeHtml(title)}</h1>
<p>${name === null || name === title ? '' : `${escapeHtml(name)} · `}${linkTo(url)}</p></footer>`,
    { head: metas.join('\n') },
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
  return renderSmallPage(title, `<main><section><h1>${title}</h1><p>${sentence}</p><p>${way}</p></section></main>`);
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
