import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { actFor } from '../../../src/infra/concurrency/running-work.ts';
import { createOutgoing } from '../../../src/infra/http/outgoing.ts';
import { createMemoryRateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { COOLDOWNS, type Cooldowns } from '../../../src/media/extract/cooldowns.ts';
import { openSite } from '../../../src/media/extract/site-breaker.ts';
import type { MediaSource, PostRef } from '../../../src/media/extract/source.ts';
import { createStrategyChain } from '../../../src/media/extract/strategy-chain.ts';
import type { Post } from '../../../src/media/post.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { makePhoto, makePost } from '../../fakes/post.ts';
import { embeddedRecords } from '../../records.ts';

type Answer = 'post' | AppError;

const EXAMPLE = 'https://toy.example/t/example';
const wall = new AppError('login_required', 'redirected to the login page', { params: { refused: 1 } });
const slow = new AppError('upstream_rate_limited', 'please wait', { retryAfterMs: 600_000 });

function refOf(id: string): PostRef {
  return { source: 'toy', id, form: 't', url: `https://toy.example/t/${id}`, itemIndex: null, parts: {} };
}

/** A site with two endpoints that both answer so, and who was asked for what. */
function openToybox(answerOf: (id: string, strategy: string) => Answer, store: Store = openStore(':memory:')) {
  onTestFinished(() => store.close());
  let now = Date.now();
  const asked: string[] = [];
  const log = createRecordingLog();
  const strategies = ['query/plain', 'page/crawler'].map(name => ({
    name,
    isAvailable: () => true,
    async run({ id, url }: PostRef): Promise<Post> {
      asked.push(`${id} ${name}`);
      const answer = answerOf(id, name);
      if (answer !== 'post') throw answer;
      return makePost({ source: 'toy', id, url, items: [makePhoto()], strategy: name });
    },
  }));
  const collection = embeddedRecords(store).groupedCollection(COOLDOWNS);
  const limiter = createMemoryRateLimiter();
  const start = () => {
    const states: Cooldowns[] = [];
    const create = (cooldowns: Cooldowns): MediaSource => {
      states.push(cooldowns);
      return {
        id: 'toy',
        match: ({ pathname }) => ({ kind: 'post', ref: refOf(pathname.replace('/t/', '')) }),
        refOf,
        async resolveShort(url, { isSingle }) {
          asked.push(isSingle ? `${url} once` : url);
          const answer = answerOf(url, 'short');
          if (answer !== 'post') throw answer;
          return url;
        },
        fetch: createStrategyChain({ source: 'toy', strategies, cooldowns, log, now: () => now }),
        strategies,
        examples: [EXAMPLE],
        canFetchStories: false,
        mediaHosts: [],
      };
    };
    const descriptor = { id: 'toy', name: 'Toybox', example: EXAMPLE };
    const { source } = openSite({
      ...{ descriptor, outgoing: createOutgoing(), limiter, collection, log, create },
      now: () => now,
    });
    const [cooldowns] = states;
    if (cooldowns === undefined) throw new Error('no source was made');
    return { cooldowns, source };
  };
  const running = start();
  const ask = (client: string, id: string, { source } = running): Promise<Post | AppError> =>
    actFor(client, () => source.fetch(refOf(id), { signal: AbortSignal.timeout(20_000) })).catch(error => error);
  return {
    ...running,
    asked,
    log,
    ask,
    start,
    pass: (ms: number) => {
      now += ms;
    },
    /** Three chats ask for a post each, and the example is judged. */
    async refuse() {
      for (const client of ['a', 'b', 'c']) await ask(client, `of-${client}`);
      await expect.poll(() => asked.filter(each => each.startsWith('example')).length).toBeGreaterThan(0);
      await expect.poll(() => running.cooldowns.until('site')).toBeGreaterThan(0);
    },
  };
}

describe('a site that refuses this address', () => {
  it('is asked once in five seconds in all, and people are told so by its name and when it is asked next', async () => {
    const { ask, asked, refuse } = openToybox(() => wall);
    await refuse();
    expect(asked).toEqual(
      ['of-a', 'of-b', 'of-c', 'example'].flatMap(id => [`${id} query/plain`, `${id} page/crawler`]),
    );
    asked.length = 0;
    for (let post = 0; post < 20; post += 1) {
      const error = await ask(`${post}`, `later-${post}`);
      expect(error).toMatchObject({ code: 'upstream_rate_limited', params: { what: 'silent', site: 'Toybox' } });
      if (!(error instanceof AppError)) throw new Error('it came');
      const t = createTranslator(['en']);
      const sentence = t.error(error.code, { ...error.params, wait: t.wait(error.retryAfterMs ?? 0) });
      expect(sentence).toMatch(/^Toybox does not answer me at the moment\. .* in \d seconds?\.$/);
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(1_000);
      expect(error.retryAfterMs).toBeLessThanOrEqual(5_000);
    }
    expect(asked).toEqual(['later-0 query/plain']);
  });

  it('is not asked by others while its example is', async () => {
    const { ask, asked } = openToybox(() => wall);
    for (const client of ['a', 'b', 'c']) await ask(client, `of-${client}`);
    await Promise.all(['d', 'e'].map(client => ask(client, `of-${client}`)));
    expect(asked.slice(6)).toEqual(['example query/plain', 'example page/crawler', 'of-d query/plain']);
  });

  it('is asked as always after its first answer', async () => {
    let answer: Answer = wall;
    const { ask, asked, refuse, source } = openToybox(() => answer);
    expect(source.isRefused?.()).toBe(false);
    await refuse();
    expect(source.isRefused?.()).toBe(true);
    answer = 'post';
    asked.length = 0;
    expect(await ask('a', 'first')).toMatchObject({ id: 'first' });
    expect(await ask('a', 'second')).toMatchObject({ id: 'second' });
    expect(asked).toHaveLength(2);
    expect(source.isRefused?.()).toBe(false);
  });

  it('answers too where it says for certain that the one post asked for is private', async () => {
    let answer: Answer = wall;
    const { ask, refuse, cooldowns } = openToybox(() => answer);
    await refuse();
    answer = new AppError('private', 'only its followers see it');
    expect(await ask('a', 'first')).toMatchObject({ code: 'private' });
    expect(cooldowns.until('site')).toBe(0);
  });

  it('is the same for other processes, and after a restart', async () => {
    const { ask, asked, refuse, cooldowns, start } = openToybox(() => wall);
    await refuse();
    await cooldowns.close();
    const other = start();
    await ask('x', 'of-x', other);
    asked.length = 0;
    expect(await ask('y', 'of-y', other)).toMatchObject({ params: { what: 'silent' } });
    expect(asked).toEqual([]);
  });

  it('is asked no more for the targets of short links, nor one strategy at a time', async () => {
    const { ask, asked, refuse, source } = openToybox(() => wall);
    await refuse();
    await ask('a', 'the one');
    asked.length = 0;
    const { signal } = new AbortController();
    await expect(source.resolveShort('https://toy.example/s/1', { signal })).rejects.toMatchObject({
      params: { what: 'silent' },
    });
    for (const strategy of source.strategies)
      await expect(strategy.run(refOf('example'), signal)).rejects.toMatchObject({ params: { unasked: 1 } });
    expect(asked).toEqual([]);
  });
});

it('tells its source that a refused site is to be asked once for the target of a short link', async () => {
  const { asked, refuse, source } = openToybox(() => wall);
  await refuse();
  const resolving = source.resolveShort('https://toy.example/s/1', { signal: new AbortController().signal });
  await expect(resolving).rejects.toMatchObject({ params: { what: 'silent' } });
  expect(asked.at(-1)).toBe('https://toy.example/s/1 once');
});

describe('a site that does not refuse this address', () => {
  const isWalled = (id: string) => id.startsWith('walled');

  it('goes on when one person asks for private posts, of which nobody asks the example', async () => {
    const { ask, asked } = openToybox(id => (isWalled(id) ? wall : 'post'));
    for (let post = 0; post < 5; post += 1) {
      expect(await ask('a', `walled-${post}`)).toMatchObject({ code: 'login_required' });
      expect(await ask('b', `good-${post}`)).toMatchObject({ id: `good-${post}` });
    }
    for (let post = 5; post < 10; post += 1) await ask('a', `walled-${post}`);
    expect(await ask('b', 'good')).toMatchObject({ id: 'good' });
    expect(asked.filter(each => each.startsWith('example'))).toEqual([]);
  });

  it('goes on when several do and the example comes', async () => {
    const { ask, asked } = openToybox(id => (isWalled(id) ? wall : 'post'));
    for (const client of ['a', 'b', 'c']) await ask(client, `walled-${client}`);
    await expect.poll(() => asked.filter(each => each.startsWith('example'))).toEqual(['example query/plain']);
    expect(await ask('d', 'walled-d')).toMatchObject({ code: 'login_required' });
    expect(await ask('e', 'good')).toMatchObject({ id: 'good' });
  });

  it('goes on when refusals lie far apart', async () => {
    const { ask, asked, pass } = openToybox(() => wall);
    for (const client of ['a', 'b', 'c', 'd']) {
      await ask(client, client);
      pass(90_000);
    }
    expect(asked.filter(each => each.startsWith('example'))).toEqual([]);
  });

  it.each(['upstream_unavailable', 'upstream_changed'] as const)('goes on when all is %s', async code => {
    const { ask, asked } = openToybox(() => new AppError(code, 'trouble of its own'));
    for (const client of ['a', 'b', 'c', 'd']) expect(await ask(client, client)).toMatchObject({ code });
    expect(asked).toHaveLength(8);
  });
});

it('is not asked for the target of any short link while it wants a pause there, but for posts', async () => {
  const { ask, asked, pass, source } = openToybox((_, strategy) => (strategy === 'short' ? slow : 'post'));
  const { signal } = new AbortController();
  for (const link of ['1', '2', '3'].map(name => `https://toy.example/s/${name}`))
    await expect(source.resolveShort(link, { signal })).rejects.toMatchObject({
      code: 'upstream_rate_limited',
      retryAfterMs: expect.closeTo(600_000, -3),
    });
  expect(asked).toEqual(['https://toy.example/s/1']);
  expect(await ask('a', 'post')).toMatchObject({ id: 'post' });
  pass(601_000);
  await expect(source.resolveShort('https://toy.example/s/4', { signal })).rejects.toMatchObject({ params: {} });
  expect(asked).toHaveLength(3);
});

it('has an endpoint left alone by posts when a strategy that was asked alone meets its limit, and the other way round', async () => {
  const { ask, asked, source } = openToybox((_, strategy) => (strategy === 'query/plain' ? slow : 'post'));
  const { signal } = new AbortController();
  const query = source.strategies.find(({ name }) => name === 'query/plain');
  await expect(query?.run(refOf('example'), signal)).rejects.toMatchObject({ retryAfterMs: 600_000 });
  expect(await ask('a', 'post')).toMatchObject({ strategy: 'page/crawler' });
  await expect(query?.run(refOf('example'), signal)).rejects.toMatchObject({
    code: 'upstream_rate_limited',
    params: { unasked: 1 },
  });
  expect(asked).toEqual(['example query/plain', 'post page/crawler']);
});

it('says by its name that a site is silent where every endpoint of it is left alone', async () => {
  const { ask, asked } = openToybox(() => slow);
  expect(await ask('a', 'first')).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs: 600_000 });
  asked.length = 0;
  const error = await ask('a', 'second');
  expect(error).toMatchObject({ code: 'upstream_rate_limited', params: { what: 'silent', site: 'Toybox' } });
  expect(asked).toEqual([]);
});
