/** TikTok, strict as public notes of 2026-08 to 2026-10 have it: programs are asked for proof of a person, files want their page's mark. */
import { type Answer, type Ask, html, redirect } from '../answer.ts';
import type { SandboxSite } from '../site.ts';
import { answerFileOf, CHAIN_TOKEN } from './files.ts';
import { challengePage, embedPage, postPage } from './pages.ts';
import { TIKTOK_POSTS, TIKTOK_SHORT_LINKS, type TiktokPost } from './posts.ts';

const SITE = 'https://www.tiktok.com';
const CDN = ['v16-webapp-prime.tiktok.com', 'p16-sign-va.tiktokcdn.com'];
const COOKIE = `tt_chain_token=${CHAIN_TOKEN}; Path=/; Domain=.tiktok.com; Secure; HttpOnly`;

function urlOf({ id, username, slides }: TiktokPost): string {
  return `${SITE}/@${username}/${slides.length > 0 ? 'photo' : 'video'}/${id}`;
}

/** A browser that opens a page; the newest version of Chrome is refused. */
function isNavigation({ headers }: Ask): boolean {
  const agent = headers['user-agent'] ?? '';
  const isBrowser = /^Mozilla\/5\.0 \(.*(?:Chrome|Firefox)\/\d/.test(agent) && !/Chrome\/150/.test(agent);
  return isBrowser && headers['sec-fetch-mode'] === 'navigate' && headers.accept?.includes('text/html') === true;
}

function short(ask: Ask): Answer {
  const code = ask.url.pathname.split('/').findLast(part => part !== '');
  const post = TIKTOK_POSTS.find(({ id }) => id === TIKTOK_SHORT_LINKS.get(`${ask.host}/${code}`));
  if (post === undefined) return redirect(`${SITE}/?_r=1`);
  const target = `${urlOf(post)}?_r=1&_t=sandbox`;
  if (ask.host === 'vt.tiktok.com') return html(`<a href="${target.replaceAll('&', '&amp;')}">Moved Permanently</a>.`);
  return redirect(ask.host === 'vm.tiktok.com' ? target : `${SITE}/login?redirect_url=${encodeURIComponent(target)}`);
}

export const tiktokSite: SandboxSite = {
  hosts: ['tiktok.com', '*.tiktok.com', 'tiktokv.com', '*.tiktokv.com', '*.tiktokcdn.com'],
  endpoints: ['tiktok.page', 'tiktok.embed', 'tiktok.short', 'tiktok.cdn'],
  links: [
    ...TIKTOK_POSTS.filter(({ about }) => about !== 'an example').map(
      post => ({ url: urlOf(post), about: post.about, shows: post.state === 'public' ? 'media' : 'notice' }) as const,
    ),
    { url: 'https://vm.tiktok.com/ZMsandbowl/', about: 'a short link of the video on TikTok', shows: 'media' },
  ],
  endpointOf({ host, url: { pathname } }) {
    if (CDN.includes(host)) return 'tiktok.cdn';
    if (/^v[mt]\./.test(host) || pathname.startsWith('/t/')) return 'tiktok.short';
    if (pathname.startsWith('/embed/v2/')) return 'tiktok.embed';
    return /^\/@[^/]*\/(?:video|photo)\/\d+/.test(pathname) ? 'tiktok.page' : undefined;
  },
  answer(endpoint, ask, stage) {
    if (endpoint === 'tiktok.cdn') return answerFileOf(ask, stage);
    if (endpoint === 'tiktok.short') return short(ask);
    if (!isNavigation(ask)) return html(challengePage());
    const id = /\/(\d+)/.exec(ask.url.pathname)?.[1] ?? '';
    const post = stage.isNull ? undefined : TIKTOK_POSTS.find(one => one.id === id);
    const page = endpoint === 'tiktok.embed' ? embedPage(id, post, stage) : postPage(post, stage);
    return html(page, 200, { 'set-cookie': [COOKIE] });
  },
};
