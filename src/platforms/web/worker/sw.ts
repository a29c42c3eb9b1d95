/**
 * The service worker: it opens the page without a connection. Chat content, files and the API do not pass through it
 * and are not stored.
 */
declare const self: ServiceWorkerGlobalScope;

const CACHE = 'medley-page-1';
const PAGE: readonly string[] = [
  '/',
  '/assets/main.js',
  '/assets/static/page.css',
  '/assets/static/figtree-latin.woff2',
  '/assets/static/mark.svg',
];

self.addEventListener('install', event => {
  event.waitUntil(install());
});
self.addEventListener('activate', event => {
  event.waitUntil(activate());
});
self.addEventListener('fetch', event => {
  const path = pathOf(event.request);
  if (path !== undefined) event.respondWith(answer(event, path));
});

/** Stores the page's files, which the browser's cache has already, since the page was just loaded. */
async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(PAGE.map(path => new Request(path, { cache: 'force-cache' })));
  await self.skipWaiting();
}

async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name !== CACHE).map(name => caches.delete(name)));
  await self.clients.claim();
}

/** The path under which a file of the page is stored; undefined for all other requests. */
function pathOf({ method, url, mode }: Request): string | undefined {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== self.location.origin) return undefined;
  if (mode === 'navigate') return pathname === '/' ? '/' : undefined;
  return pathname !== '/' && PAGE.includes(pathname) ? pathname : undefined;
}

/** The server's answer if the server can be reached, else the stored answer. */
async function answer(event: FetchEvent, path: string): Promise<Response> {
  let fresh: Response;
  try {
    fresh = await fetch(event.request);
  } catch (error) {
    const kept = await caches.match(path, { cacheName: CACHE });
    if (kept === undefined) throw error;
    return kept;
  }
  if (fresh.ok) event.waitUntil(keep(path, fresh.clone()));
  return fresh;
}

/** Stores a file. Without storage space the page works only with a connection. */
async function keep(path: string, response: Response): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.put(path, response);
}
