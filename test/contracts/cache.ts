import { describe, expect, it } from 'vitest';
import type { Cache, CachePolicy } from '../../src/infra/cache/cache.ts';

export interface CacheUnderTest {
  readonly cache: Cache<string>;
  /** Lets that much of the cache's time pass. */
  advance(ms: number): Promise<void>;
  close?(): Promise<void>;
}

const MINUTE: CachePolicy<string> = { ttlMs: () => 60_000 };
const TOLERANT: CachePolicy<string> = { ttlMs: () => 1_000, staleIfErrorMs: () => 60_000 };

/** What every Cache promises. Keys differ by test, so one shared backend will do. */
export function cacheContract(name: string, create: () => CacheUnderTest | Promise<CacheUnderTest>): void {
  const withCache = (run: (under: CacheUnderTest) => Promise<void>) => async () => {
    const under = await create();
    try {
      await run(under);
    } finally {
      await under.close?.();
    }
  };

  describe(`${name} keeps values`, () => {
    it(
      'until their time is over',
      withCache(async ({ cache, advance }) => {
        expect(await cache.get('keep')).toBeUndefined();
        await cache.set('keep', 'value', 1_000);
        expect(await cache.get('keep')).toBe('value');
        await advance(1_001);
        expect(await cache.get('keep')).toBeUndefined();
      }),
    );

    it(
      'by key, the last one set, until deleted',
      withCache(async ({ cache }) => {
        await cache.set('last', 'old', 60_000);
        await cache.set('last', 'new', 60_000);
        await cache.set('last:other', 'other', 60_000);
        expect(await cache.get('last')).toBe('new');
        await cache.delete('last');
        expect(await cache.get('last')).toBeUndefined();
        expect(await cache.get('last:other')).toBe('other');
      }),
    );

    it(
      'not at all when the time is 0, negative or no number',
      withCache(async ({ cache }) => {
        for (const ttlMs of [0, -1, Number.NaN]) {
          await cache.set('never', 'value', 60_000);
          await cache.set('never', 'value', ttlMs);
          expect(await cache.get('never')).toBeUndefined();
        }
      }),
    );
  });

  describe(`${name} wraps a load`, () => {
    it(
      'that runs once while its value is fresh',
      withCache(async ({ cache, advance }) => {
        let loads = 0;
        const load = async () => `value ${++loads}`;
        expect(await cache.wrap('fresh', load, MINUTE)).toEqual({ value: 'value 1', from: 'load' });
        expect(await cache.wrap('fresh', load, MINUTE)).toEqual({ value: 'value 1', from: 'cache' });
        expect(await cache.get('fresh')).toBe('value 1');
        await advance(60_001);
        expect(await cache.wrap('fresh', load, MINUTE)).toEqual({ value: 'value 2', from: 'load' });
      }),
    );

    it(
      'that is shared by all who ask at once, also when it fails',
      withCache(async ({ cache }) => {
        let loads = 0;
        const gate = createGate();
        const load = () => {
          loads++;
          return gate.promise;
        };
        const ask = () => cache.wrap('shared', load, MINUTE);
        const answers = [ask(), ask(), ask()];
        await settle();
        gate.resolve('value');
        expect((await Promise.all(answers)).map(hit => hit.value)).toEqual(['value', 'value', 'value']);
        expect(loads).toBe(1);

        const failing = () => cache.wrap('shared:failing', async () => fail(`failure ${++loads}`), MINUTE);
        const failures = await Promise.allSettled([failing(), failing()]);
        expect(failures.map(outcome => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
          'Error: failure 2',
          'Error: failure 2',
        ]);
      }),
    );

    it(
      'whose value is kept as long as the policy says for that value',
      withCache(async ({ cache, advance }) => {
        const policy: CachePolicy<string> = { ttlMs: value => (value === 'short' ? 1_000 : 0) };
        await cache.wrap('policy:short', async () => 'short', policy);
        await cache.wrap('policy:none', async () => 'none', policy);
        expect(await cache.get('policy:short')).toBe('short');
        expect(await cache.get('policy:none')).toBeUndefined();
        await advance(1_001);
        expect(await cache.get('policy:short')).toBeUndefined();
      }),
    );

    it(
      'that fails: not remembered by default',
      withCache(async ({ cache }) => {
        await expect(cache.wrap('failing', async () => fail('down'), MINUTE)).rejects.toThrow('down');
        expect(await cache.wrap('failing', async () => 'value', MINUTE)).toEqual({ value: 'value', from: 'load' });
      }),
    );

    it(
      'that throws before it returns a promise',
      withCache(async ({ cache }) => {
        await expect(cache.wrap('throwing', () => fail('at once'), MINUTE)).rejects.toThrow('at once');
      }),
    );
  });

  describe(`${name} answers when loading fails`, () => {
    it(
      'with the old value for as long as the policy allows',
      withCache(async ({ cache, advance }) => {
        await cache.wrap('stale', async () => 'old', TOLERANT);
        await advance(1_001);
        expect(await cache.get('stale')).toBeUndefined();
        expect(await cache.wrap('stale', async () => fail('down'), TOLERANT)).toEqual({ value: 'old', from: 'stale' });
        expect(await cache.wrap('stale', async () => 'new', TOLERANT)).toEqual({ value: 'new', from: 'load' });
        await advance(61_002);
        await expect(cache.wrap('stale', async () => fail('down'), TOLERANT)).rejects.toThrow('down');
      }),
    );

    it(
      'not with an old value that the failure makes wrong, now or later',
      withCache(async ({ cache, advance }) => {
        const policy: CachePolicy<string> = { ...TOLERANT, staleOnError: error => !String(error).includes('gone') };
        await cache.wrap('gone', async () => 'old', policy);
        await advance(1_001);
        await expect(cache.wrap('gone', async () => fail('gone'), policy)).rejects.toThrow('gone');
        await expect(cache.wrap('gone', async () => fail('down'), policy)).rejects.toThrow('down');
      }),
    );

    it(
      'with the remembered failure, without asking, while its time lasts',
      withCache(async ({ cache, advance }) => {
        let loads = 0;
        const policy: CachePolicy<string> = { ...MINUTE, errorTtlMs: () => 1_000 };
        const failing = async () => fail(`failure ${++loads}`);
        await expect(cache.wrap('negative', failing, policy)).rejects.toThrow('failure 1');
        await expect(cache.wrap('negative', failing, policy)).rejects.toThrow('failure 1');
        expect(loads).toBe(1);
        await advance(1_001);
        await expect(cache.wrap('negative', failing, policy)).rejects.toThrow('failure 2');
      }),
    );

    it(
      'and forgets the failure on set and on delete',
      withCache(async ({ cache }) => {
        const policy: CachePolicy<string> = { ...MINUTE, errorTtlMs: () => 60_000 };
        await expect(cache.wrap('forget', async () => fail('down'), policy)).rejects.toThrow('down');
        await cache.delete('forget');
        await expect(cache.wrap('forget', async () => fail('again'), policy)).rejects.toThrow('again');
        await cache.set('forget', 'value', 60_000);
        expect(await cache.wrap('forget', async () => fail('down'), policy)).toEqual({ value: 'value', from: 'cache' });
      }),
    );

    it(
      'with the old value, without asking, while the failure is remembered',
      withCache(async ({ cache, advance }) => {
        let loads = 0;
        const policy: CachePolicy<string> = { ...TOLERANT, errorTtlMs: () => 5_000 };
        await cache.wrap('both', async () => 'old', policy);
        await advance(1_001);
        const failing = async () => fail(`failure ${++loads}`);
        for (let i = 0; i < 3; i++) {
          expect(await cache.wrap('both', failing, policy)).toEqual({ value: 'old', from: 'stale' });
        }
        expect(loads).toBe(1);
      }),
    );
  });

  describe(`${name} lets callers give up`, () => {
    it(
      'at once, with their reason, while the others get the value',
      withCache(async ({ cache }) => {
        const gate = createGate();
        const leaving = new AbortController();
        let loadSignal: AbortSignal | undefined;
        const load = (signal: AbortSignal) => {
          loadSignal = signal;
          return gate.promise;
        };
        const first = cache.wrap('leave', load, MINUTE, leaving.signal);
        const second = cache.wrap('leave', load, MINUTE, new AbortController().signal);
        const third = cache.wrap('leave', load, MINUTE);
        await expect.poll(() => loadSignal).toBeDefined();
        leaving.abort(new Error('had enough'));
        await expect(first).rejects.toThrow('had enough');
        expect(loadSignal?.aborted).toBe(false);
        gate.resolve('value');
        expect((await second).value).toBe('value');
        expect((await third).value).toBe('value');
      }),
    );

    it(
      'and aborts the load when none is left; the next one starts anew and nothing is remembered',
      withCache(async ({ cache }) => {
        const policy: CachePolicy<string> = { ...MINUTE, errorTtlMs: () => 60_000 };
        const callers = [new AbortController(), new AbortController()];
        const load = (signal: AbortSignal) =>
          new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        const waiting = callers.map(caller => cache.wrap('abandon', load, policy, caller.signal));
        await settle();
        for (const caller of callers) caller.abort(new Error('left'));
        for (const outcome of await Promise.allSettled(waiting)) expect(outcome.status).toBe('rejected');
        await settle();
        expect(await cache.wrap('abandon', async () => 'value', policy)).toEqual({ value: 'value', from: 'load' });
      }),
    );

    it(
      'before they begin: even a fresh value is refused then',
      withCache(async ({ cache }) => {
        await cache.set('before', 'value', 60_000);
        const signal = AbortSignal.abort(new Error('too late'));
        await expect(cache.wrap('before', async () => 'other', MINUTE, signal)).rejects.toThrow('too late');
      }),
    );
  });
}

/** A promise that is resolved from outside. */
export function createGate() {
  let resolve: (value: string) => void = () => {};
  const promise = new Promise<string>(done => {
    resolve = done;
  });
  return { promise, resolve };
}

function fail(message: string): never {
  throw new Error(message);
}

/** Lets everything that is ready run. */
function settle(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 5));
}
