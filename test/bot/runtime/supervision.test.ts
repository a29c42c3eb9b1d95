import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Runtime } from '../../../src/bot/runtime/runtime.ts';
import { createEcho } from './echo.ts';
import { createScriptedPlatform, createWorld, linksDraft, tokenRefused, unreachable } from './scripted-platform.ts';
import { openStage, type Stage, type StageOptions } from './stage.ts';

const MINUTE = 60_000;

let stage: Stage;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 9, 1) });
});

afterEach(async () => {
  await stage.close();
  vi.useRealTimers();
});

async function open(options: StageOptions): Promise<void> {
  stage = await openStage(options);
}

async function status() {
  const { platforms } = await stage.runtime.status();
  return platforms[0];
}

describe('a platform', () => {
  it('is connected, and says since when', async () => {
    await open({});
    expect(await status()).toEqual({ platform: 'scripted', state: 'connected', since: Date.now() });
    await stage.pass(MINUTE);
    expect(await status()).toEqual({ platform: 'scripted', state: 'connected', since: Date.now() - MINUTE });
  });

  it('that cannot be reached at the start is tried again with growing pauses, while others work', async () => {
    const attempts: number[] = [];
    await open({
      async connect(_, attempt) {
        attempts.push(Date.now());
        if (attempt < 8) throw unreachable();
      },
    });
    expect(await status()).toMatchObject({ state: 'away', reason: 'the call was away' });
    await stage.pass(10 * MINUTE);
    expect(await status()).toMatchObject({ state: 'connected' });
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThan(30_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(MINUTE);
  });

  it('that is lost is closed and connected anew', async () => {
    const connect = vi.fn(async () => undefined);
    await open({ connect });
    stage.platform.host()?.lost(new Error('closed with 1006'));
    await stage.pass(100);
    expect(await status()).toMatchObject({ state: 'away', reason: 'closed with 1006' });
    expect(stage.platform.log).toContain('closed');
    await stage.pass(5_000);
    expect(await status()).toEqual({ platform: 'scripted', state: 'connected', since: expect.any(Number) });
    expect(connect).toHaveBeenCalledTimes(2);
    for (let n = 0; n < 30; n += 1) {
      stage.platform.host()?.lost(new Error('again'));
      await stage.pass(2 * MINUTE);
    }
    expect(await status()).toMatchObject({ state: 'connected' });
  });

  it('that refuses the token is asked again slowly, in case something on the way refused it', async () => {
    let attempts = 0;
    let isRefused = true;
    await open({
      async connect() {
        attempts += 1;
        if (isRefused) throw tokenRefused();
      },
    });
    expect(await status()).toMatchObject({ state: 'away' });
    await stage.pass(5_000);
    expect(await status()).toMatchObject({ state: 'refused' });
    expect(stage.log.at('error')).toHaveLength(1);
    const before = attempts;
    await stage.pass(60 * MINUTE);
    expect(attempts - before).toBeGreaterThan(4);
    expect(attempts - before).toBeLessThan(12);
    isRefused = false;
    await stage.pass(10 * MINUTE);
    expect(await status()).toMatchObject({ state: 'connected' });
  });

  it('that refuses the token once, while something is sent, is asked and goes on', async () => {
    const verify = vi.fn(async () => undefined);
    await open({ world: createWorld(['token']), verify });
    const accepting = stage.platform.host()?.accept(linksDraft('1', ['a']));
    await stage.settle();
    await accepting;
    expect(verify).toHaveBeenCalled();
    expect(stage.said()).toEqual(['answer of a']);
    expect(await status()).toMatchObject({ state: 'connected' });
    expect(stage.log.at('error')).toEqual([]);
  });

  it('that cannot be asked about its refused token any more is asked until it can, and is then no longer refused', async () => {
    const asked: ('refused' | 'unreachable' | 'accepted')[] = ['refused', 'refused', 'unreachable', 'accepted'];
    const verify = async () => {
      const next = asked.shift();
      if (next === 'refused') throw tokenRefused();
      if (next === 'unreachable') throw unreachable();
    };
    await open({ world: createWorld(['token']), verify });
    await stage.platform.host()?.accept(linksDraft('1', ['a']));
    await stage.pass(5_000);
    expect(await status()).toMatchObject({ state: 'refused' });
    await stage.pass(30 * MINUTE);
    expect(stage.said()).toEqual(['answer of a']);
    expect(await status()).toMatchObject({ state: 'connected' });
  });

  it('whose token is refused for real is left alone, and what was asked is answered when it is taken again', async () => {
    let isRefused = true;
    const verify = async () => {
      if (isRefused) throw tokenRefused();
    };
    await open({ world: createWorld(Array.from({ length: 3 }, () => 'token' as const)), verify });
    const accepting = stage.platform.host()?.accept(linksDraft('1', ['a']));
    await stage.pass(MINUTE);
    await accepting;
    expect(await status()).toMatchObject({ state: 'refused' });
    const { calls } = stage.world;
    stage.world.fates.length = 0;
    await stage.pass(20_000);
    expect(stage.world.calls).toBe(calls);
    isRefused = false;
    await stage.settle();
    expect(stage.said()).toEqual(['answer of a']);
    expect(await status()).toMatchObject({ state: 'connected' });
  });

  it('is not listened to by a process that only answers', async () => {
    const connect = vi.fn(async () => undefined);
    await open({ connect, runtime: { hears: () => false } });
    await stage.pass(MINUTE);
    expect(connect).not.toHaveBeenCalled();
    expect(await status()).toMatchObject({ state: 'idle' });
  });

  it('that is stopped while it connects does not keep its start waiting', async () => {
    await open({ runtime: { hears: () => false } });
    const connect = () => new Promise<never>(() => undefined);
    const platform = createScriptedPlatform({ world: createWorld(), connect });
    const { queue, log } = stage;
    const { dispatcher } = createEcho({});
    const runtime = new Runtime({ platforms: [platform], queue, dispatcher, log, works: false });
    let isStarted = false;
    void runtime.start().then(() => {
      isStarted = true;
    });
    const stopping = runtime.stop();
    await stage.pass(10_000);
    await stopping;
    expect(isStarted).toBe(true);
  });

  it('that never connects does not keep a stop waiting', async () => {
    let tries = 0;
    const connect = () => {
      tries += 1;
      return tries === 1 ? Promise.reject(unreachable()) : new Promise<void>(() => undefined);
    };
    await open({ connect });
    await stage.pass(MINUTE);
    const since = Date.now();
    const stopping = stage.runtime.stop();
    await stage.pass(20_000);
    await stopping;
    expect(Date.now() - since).toBeLessThanOrEqual(20_000);
    expect(stage.platform.log).toContain('let go');
  });
});
