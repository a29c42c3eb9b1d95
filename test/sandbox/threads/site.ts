/** Threads, strict as public notes of 2026-09 and 2026-10 have it: each endpoint answers its callers and shows the rest a shell. */
import { type Ask, html, plain, redirect } from '../answer.ts';
import type { SandboxSite } from '../site.ts';
import { pkOf } from '../world.ts';
import { appShell, embedPage, postPage, threadsUrl, unavailableEmbed } from './pages.ts';
import { THREADS_POSTS, type ThreadsPost } from './posts.ts';

const SHARES: ReadonlyMap<string, string> = new Map([
  ['BAsandBowl1', 'DTkilnfull1'],
  // It leads to the home page with the number of the post.
  ['BAsandHome2', 'DTtramshed1'],
]);

function find(code: string | undefined): ThreadsPost | undefined {
  return THREADS_POSTS.find(post => post.code === code);
}

function wantsPage({ headers }: Ask): boolean {
  return headers.accept?.includes('text/html') === true;
}

/** A browser with its version in it, or none of what is known, gets the shell. */
function maySeeEmbed(ask: Ask): boolean {
  const agent = ask.headers['user-agent'] ?? '';
  if (/(?:Chrome|Firefox|Version|Edg)\/\d/.test(agent)) return false;
  return wantsPage(ask) && (agent.startsWith('Mozilla/5.0 (') || agent.startsWith('facebookexternalhit/'));
}

function maySeePage(ask: Ask): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = ask.headers;
  return wantsPage(ask) && mode === 'navigate' && destination === 'document';
}

function share(ask: Ask) {
  const token = ask.url.pathname.split('/')[2] ?? '';
  const post = find(SHARES.get(token));
  if (post === undefined) return redirect('https://www.threads.com/');
  const home = new URLSearchParams({ xmt: 'AQ', injected_media_ids: `["${pkOf(post.code)}"]` });
  return redirect(token === 'BAsandHome2' ? `https://www.threads.com/?${home}` : `${threadsUrl(post)}?xmt=AQ`);
}

export const threadsSite: SandboxSite = {
  hosts: ['threads.com', '*.threads.com', 'threads.net', '*.threads.net'],
  endpoints: ['threads.embed', 'threads.page', 'threads.share'],
  links: [
    ...THREADS_POSTS.filter(({ about }) => about !== 'an example').map(
      post => ({ url: threadsUrl(post), about: post.about, shows: post.isGone ? 'notice' : 'media' }) as const,
    ),
    { url: 'https://www.threads.com/share/BAsandBowl1', about: 'a share link of the album on Threads', shows: 'media' },
  ],
  endpointOf({ url: { pathname } }) {
    if (pathname.startsWith('/share/')) return 'threads.share';
    if (!/^\/(?:@[\w.]+\/post|t)\/[\w-]+(?:\/embed)?\/?$/.test(pathname)) return undefined;
    return /\/embed\/?$/.test(pathname) ? 'threads.embed' : 'threads.page';
  },
  answer(endpoint, ask, { addresses, isNull }) {
    if (ask.method !== 'GET') return plain(405, 'Method Not Allowed');
    if (endpoint === 'threads.share') return share(ask);
    const code = /\/(?:post|t)\/([\w-]+)/.exec(ask.url.pathname)?.[1];
    const asked = isNull ? undefined : find(code);
    const post = asked?.isGone ? undefined : asked;
    if (endpoint === 'threads.embed') {
      if (!maySeeEmbed(ask)) return html(appShell());
      return html(post === undefined ? unavailableEmbed() : embedPage(post, addresses));
    }
    const canonical = post && new URL(threadsUrl(post));
    if (canonical && canonical.pathname !== ask.url.pathname) return redirect(canonical.href);
    return html(maySeePage(ask) ? postPage(post, addresses) : appShell());
  },
};
