import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';

const SOURCE = new URL('../../../src/platforms/web/worker/sw.ts', import.meta.url);
const CODE = transformSync(readFileSync(SOURCE, 'utf8'), { loader: 'ts' }).code;

interface Far {
  readonly fetch: () => Promise<Response>;
  readonly put: () => Promise<void>;
  readonly match: () => Promise<Response | undefined>;
}

/** The worker of the page, asked for the page itself; `undefined`: it leaves that to the browser. */
function ask({ fetch, put, match }: Far, request: { mode: string; url: string }) {
  const handlers = new Map<string, (event: object) => void>();
  const self = {
    location: { origin: 'http://127.0.0.1:3000' },
    addEventListener: (name: string, handle: (event: object) => void) => handlers.set(name, handle),
  };
  const caches = { open: async () => ({ put, match }), match };
  runInContext(CODE, createContext({ self, caches, fetch, URL, Request }));
  let answer: Promise<Response> | undefined;
  const aside: Promise<unknown>[] = [];
  handlers.get('fetch')?.({
    request: { method: 'GET', ...request },
    respondWith: (given: Promise<Response>) => {
      answer = given;
    },
    waitUntil: (work: Promise<unknown>) => void aside.push(work),
  });
  return { answer, aside };
}

const page = { mode: 'navigate', url: 'http://127.0.0.1:3000/?text=hello' };
const online: Far = {
  fetch: async () => new Response('new'),
  put: async () => undefined,
  match: async () => new Response('old'),
};

it('answers with the page of the server, and with the kept one only where there is no connection', async () => {
  expect(await (await ask(online, page).answer)?.text()).toBe('new');
  const offline = { ...online, fetch: () => Promise.reject(new TypeError('no connection')) };
  expect(await (await ask(offline, page).answer)?.text()).toBe('old');
  await expect(ask({ ...offline, match: async () => undefined }, page).answer).rejects.toThrow('no connection');
});

it('answers with the page of the server, too, where there is no space to keep it', async () => {
  const full = { ...online, put: () => Promise.reject(new Error('quota exceeded')) };
  const { answer, aside } = ask(full, page);
  expect(await (await answer)?.text()).toBe('new');
  expect((await Promise.allSettled(aside)).map(({ status }) => status)).toEqual(['rejected']);
});

it('leaves everything else to the browser', () => {
  for (const url of ['/docs', '/picture/abc.png', '/media/abc', '/api/search?q=a']) {
    expect(ask(online, { mode: 'navigate', url: `http://127.0.0.1:3000${url}` }).answer).toBeUndefined();
    expect(ask(online, { mode: 'no-cors', url: `http://127.0.0.1:3000${url}` }).answer).toBeUndefined();
  }
  expect(ask(online, { ...page, url: 'http://elsewhere.test/' }).answer).toBeUndefined();
});
