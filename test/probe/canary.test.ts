import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient, type HttpClient } from '../../src/infra/http/http-client.ts';
import { createOutgoing } from '../../src/infra/http/outgoing.ts';
import { createMemoryRateLimiter } from '../../src/infra/rate-limit/rate-limit.ts';
import type { Cooldowns } from '../../src/media/extract/cooldowns.ts';
import { openSite } from '../../src/media/extract/site-breaker.ts';
import type { MediaSource } from '../../src/media/extract/source.ts';
import { createStrategyChain } from '../../src/media/extract/strategy-chain.ts';
import type { Post } from '../../src/media/post.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { type BrokenStrategy, type CanaryRecord, canaryRecord, createCanary } from '../../src/probe/canary.ts';
import { createProbe } from '../../src/probe/probe-strategy.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { makePost } from '../fakes/post.ts';
import { embeddedRecords } from '../records.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { openCdn } from './open-cdn.ts';

const EXAMPLE = 'https://toy.example/p/1';

/** A source of one strategy that ends as it is told. */
function toySource(endings: (() => Promise<ReturnType<typeof makePost>>)[]): MediaSource {
  const last = endings.at(-1);
  const run = () => (endings.length > 1 ? endings.shift() : last)?.() ?? Promise.reject(new Error('no ending'));
  const ref = { source: 'toy', id: '1', form: 'p', url: EXAMPLE, itemIndex: null, parts: {} };
  return {
    id: 'toy',
    match: ({ hostname }) => (hostname === 'toy.example' ? { kind: 'post', ref } : undefined),
    refOf: () => ref,
    resolveShort: async url => url,
    fetch: run,
    strategies: [{ name: 'page', isAvailable: () => true, run }],
    examples: [EXAMPLE],
    canFetchStories: false,
    mediaHosts: ['cdninstagram.com'],
  };
}

const works = async () => makePost();
const fails =
  (code: 'timeout' | 'upstream_changed', params = {}) =>
  async () => {
    throw new AppError(code, 'as it was told', { params });
  };

function memory() {
  return embeddedRecords().collection<CanaryRecord>({ name: 'canary', schema: canaryRecord });
}

async function watch(source: MediaSource, collection = memory(), isOurs = () => true, http?: HttpClient) {
  const told: string[] = [];
  const canary = createCanary({
    sources: [source],
    probe: createProbe({ http: http ?? (await openCdn()).http }),
    memory: collection,
    onBroken: ({ strategy, cause }) => told.push(`broken ${strategy} ${cause}`),
    onBack: ({ strategy }) => told.push(`back ${strategy}`),
    isOurs,
    log: createRecordingLog(),
    intervalMs: 10,
  });
  onTestFinished(() => canary.stop());
  canary.start();
  return { canary, told };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('the canary', () => {
  it('tells of a strategy that worked and failed three times, once, and again when it is back', async () => {
    const broken = times(8, fails('upstream_changed'));
    const { told } = await watch(
      toySource([works, fails('timeout'), works, ...broken, works, works, fails('timeout'), works]),
    );
    await expect.poll(() => told).toHaveLength(2);
    expect(told).toEqual(['broken page upstream_changed: as it was told', 'back page']);
  });

  it('says nothing of what never worked, nor of what is our own doing', async () => {
    let asked = 0;
    const counting = (ending: ReturnType<typeof fails>) => () => {
      asked += 1;
      return ending();
    };
    const never = await watch(toySource([counting(fails('upstream_changed'))]));
    const offline = counting(fails('timeout', { what: 'offline' }));
    const own = await watch(toySource([works, ...times(20, offline), works]));
    await expect.poll(() => asked).toBeGreaterThan(25);
    expect([never.told, own.told]).toEqual([[], []]);
    expect(never.canary.broken()).toEqual([]);
  });

  it('knows what another process has told, without asking itself', async () => {
    const collection = memory();
    const asking = await watch(toySource([works, fails('upstream_changed')]), collection);
    const other = await watch(toySource([works]), collection, () => false);
    await expect.poll(() => other.canary.broken()).toHaveLength(1);
    expect(other.canary.broken()[0]?.strategy).toBe(asking.canary.broken()[0]?.strategy);
    expect([asking.told.length, other.told]).toEqual([1, []]);
  });

  it('remembers over a restart what it has told', async () => {
    const collection = memory();
    const first = await watch(toySource([works, fails('upstream_changed')]), collection);
    await expect.poll(() => first.told).toHaveLength(1);
    await first.canary.stop();
    const second = await watch(toySource([fails('upstream_changed')]), collection);
    await expect.poll(() => second.canary.broken()).toHaveLength(1);
    await second.canary.stop();
    const third = await watch(toySource([works]), collection);
    await expect.poll(() => third.told).toEqual(['back page']);
    expect(second.told).toEqual([]);
  });

  it('leaves it to another process where that one asks', async () => {
    let asked = 0;
    const counting = async () => {
      asked += 1;
      return makePost();
    };
    const { canary } = await watch(toySource([counting]), memory(), () => false);
    await new Promise(resolve => setTimeout(resolve, 100));
    await canary.stop();
    expect(asked).toBe(0);
  });
});

/** A source of two endpoints as the bot asks it: with a record, and bound by what the site wants. */
function openToy(endings: Readonly<Record<'query' | 'page', () => Promise<Post>>>) {
  const log = createRecordingLog();
  const strategies = (['query', 'page'] as const).map(name => ({
    name,
    isAvailable: () => true,
    run: () => endings[name](),
  }));
  const create = (cooldowns: Cooldowns): MediaSource => {
    const fetch = createStrategyChain({ source: 'toy', strategies, cooldowns, log });
    return { ...toySource([]), strategies, fetch, figures: fetch.figures, learn: fetch.learn };
  };
  const descriptor = { id: 'toy', name: 'Toybox', example: EXAMPLE };
  return openSite({ descriptor, outgoing: createOutgoing(), limiter: createMemoryRateLimiter(), log, create }).source;
}

describe('over what the bot asks by', () => {
  it('asks no endpoint that the site wants left alone, and says nothing of it', async () => {
    const asked = { query: 0, page: 0 };
    const source = openToy({
      async query() {
        asked.query += 1;
        if (asked.query === 1) return makePost();
        throw new AppError('upstream_rate_limited', 'please wait', { retryAfterMs: 600_000 });
      },
      async page() {
        asked.page += 1;
        return makePost();
      },
    });
    const { told } = await watch(source);
    await expect.poll(() => asked.page).toBeGreaterThan(8);
    expect(asked.query).toBe(2);
    expect(told).toEqual([]);
  });

  it('has what it learns counted: what it found broken is asked last, until it works again', async () => {
    let isBroken = false;
    const source = openToy({
      async query() {
        if (isBroken) throw new AppError('upstream_changed', 'other keys');
        return makePost();
      },
      page: works,
    });
    const { told } = await watch(source);
    const query = () => source.figures?.().find(({ strategy }) => strategy === 'query');
    await expect.poll(() => query()?.successRate).toBe(1);
    isBroken = true;
    await expect.poll(() => query()?.coolsUntil ?? 0).toBeGreaterThan(Date.now());
    await expect.poll(() => told).toEqual(['broken query upstream_changed: other keys']);
    expect(source.figures?.().find(({ strategy }) => strategy === 'page')).toMatchObject({ coolsUntil: null });
    isBroken = false;
    await expect.poll(() => query()?.coolsUntil).toBeNull();
  });

  it('tells of a way whose post still comes and whose file does not', async () => {
    const cdn: { status: number } = { status: 200 };
    const { http } = await openCdn(cdn);
    const collection = memory();
    const { told } = await watch(toySource([works]), collection, () => true, http);
    await expect.poll(async () => (await collection.get('toy page'))?.hasWorked).toBe(true);
    cdn.status = 403;
    await expect.poll(() => told).toEqual(['broken page no_file: the CDN answers 403']);
    cdn.status = 200;
    await expect.poll(() => told).toHaveLength(2);
  });
});

describe('over the sandbox', () => {
  it('tells of one broken strategy after three failures in a row, and of none else', async () => {
    const sandbox = await createSandbox();
    const overrides = sandbox.overrides.split(',').map(entry => {
      const [host = '', origin = ''] = entry.split('=');
      return { host, origin };
    });
    const http = createHttpClient({ overrides: createOverrides(overrides) });
    const log = createRecordingLog();
    const sources = sourceDescriptors.map(({ create }) => create({ http, log }));
    const told: { readonly what: string; readonly broken: BrokenStrategy }[] = [];
    const collection = memory();
    const intervalMs = 1_500;
    const note = (what: string) => (broken: BrokenStrategy) => told.push({ what, broken });
    const canary = createCanary({
      ...{ sources, probe: createProbe({ http }), memory: collection, log, intervalMs },
      ...{ onBroken: note('broken'), onBack: note('back') },
    });
    onTestFinished(async () => {
      await canary.stop();
      await http.close();
      await sandbox.close();
    });
    canary.start();
    const knows = async (strategy: string) => (await collection.get(`instagram ${strategy}`))?.hasWorked ?? false;
    const watched = ['shortcode-query/plain', 'page/crawler', 'embed/crawler', 'page/browser'];
    await expect.poll(async () => (await Promise.all(watched.map(knows))).every(Boolean)).toBe(true);
    const askedBefore = sandbox.count('instagram.embed');
    sandbox.faults.set('instagram.embed', 'status:500');
    await expect.poll(() => told.length).toBe(1);
    // The one that was under way when it broke may have been answered before.
    const asked = sandbox.count('instagram.embed') - askedBefore;
    expect([3, 4]).toContain(asked);
    expect(canary.broken()).toEqual([told[0]?.broken]);
    const figures = sources.find(({ id }) => id === 'instagram')?.figures?.() ?? [];
    const cooling = figures.filter(({ coolsUntil }) => coolsUntil !== null).map(({ strategy }) => strategy);
    expect(cooling).toEqual(['embed/crawler']);
    await new Promise(resolve => setTimeout(resolve, 2 * intervalMs));
    sandbox.faults.clear();
    await expect.poll(() => told.length).toBe(2);
    expect(told.map(({ what, broken: { source, strategy } }) => [what, source, strategy])).toEqual([
      ['broken', 'instagram', 'embed/crawler'],
      ['back', 'instagram', 'embed/crawler'],
    ]);
    expect(canary.broken()).toEqual([]);
  });
});
