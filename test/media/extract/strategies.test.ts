import { describe, expect, it } from 'vitest';
import { AppError, ERROR_CODES, type ErrorCode } from '../../../src/errors.ts';
import type { Logger } from '../../../src/infra/log.ts';
import type { PostRef } from '../../../src/media/extract/source.ts';
import {
  createStrategyChain,
  type Strategy,
  type StrategyChainOptions,
} from '../../../src/media/extract/strategies.ts';
import { NO_STATS, type Post } from '../../../src/media/post.ts';
import { silentLog } from '../../fakes/instagram-upstream.ts';

const REF: PostRef = {
  source: 'facebook',
  id: '1',
  form: 'reel',
  url: 'https://www.facebook.com/reel/1',
  itemIndex: null,
  parts: {},
};
const POST: Post = {
  source: 'facebook',
  id: '1',
  url: REF.url,
  author: { id: null, username: null, name: null, verified: null, avatarUrl: null },
  title: null,
  caption: null,
  hashtags: [],
  mentions: [],
  publishedAt: null,
  stats: NO_STATS,
  items: [
    {
      kind: 'image',
      position: 0,
      width: null,
      height: null,
      durationMs: null,
      thumbnailUrl: null,
      alt: null,
      variants: [],
    },
  ],
  missingItems: 0,
  coverUrl: null,
  fetchedAt: 0,
  expiresAt: null,
  strategy: '',
};

type Run = (signal: AbortSignal) => Promise<Post>;

function strategy(name: string, run: Run | AppError, isAvailable = true): Strategy {
  return {
    name,
    isAvailable: () => isAvailable,
    run: async (_, signal) => {
      if (run instanceof AppError) throw run;
      return { ...(await run(signal)), strategy: name };
    },
  };
}

const ok: Run = async () => POST;
const hang: Run = () => new Promise(() => {});
const fail = (code: ErrorCode, options = {}) => new AppError(code, `it is ${code}`, options);
const weak = fail('not_found', { params: { weak: 1 } });

function chain(strategies: readonly Strategy[], options: Partial<StrategyChainOptions> = {}) {
  const asked: string[] = [];
  const watched = strategies.map(one => ({
    ...one,
    run: (ref: PostRef, signal: AbortSignal) => {
      asked.push(one.name);
      return one.run(ref, signal);
    },
  }));
  const fetch = createStrategyChain({ source: 'facebook', strategies: watched, log: silentLog, ...options });
  const run = (signal = new AbortController().signal) => fetch(REF, { signal });
  return { asked, run };
}

describe('isolation', () => {
  const odd: readonly [string, Run | AppError][] = [
    ['an AppError', fail('upstream_changed')],
    ['a TypeError', () => Promise.reject(new TypeError('x is undefined'))],
    ['no error at all', () => Promise.reject('a string')],
    [
      'a synchronous throw',
      () => {
        throw new Error('at once');
      },
    ],
    ['an answer without media', async () => ({ ...POST, items: [] })],
    ['a weak not_found', weak],
  ];
  it.each(odd)('goes on after %s', async (_, run) => {
    const { asked, run: go } = chain([strategy('a', run), strategy('b', ok)]);
    expect((await go()).strategy).toBe('b');
    expect(asked).toEqual(['a', 'b']);
  });

  it('goes on when a strategy answers nothing or throws before it begins', async () => {
    const nothing: Strategy = {
      name: 'nothing',
      isAvailable: () => true,
      run: () => Promise.resolve(JSON.parse('null')),
    };
    const early: Strategy = {
      name: 'early',
      isAvailable: () => true,
      run: () => {
        throw new RangeError('before any promise');
      },
    };
    expect((await chain([nothing, early, strategy('b', ok)]).run()).strategy).toBe('b');
  });

  it('passes over what is not available', async () => {
    const { asked, run } = chain([strategy('a', ok, false), strategy('b', ok)]);
    await run();
    expect(asked).toEqual(['b']);
  });

  it.each(['not_found', 'private', 'age_restricted', 'region_blocked'] as const)(
    'ends at a definitive %s',
    async code => {
      const { asked, run } = chain([
        strategy('a', fail('login_required')),
        strategy('b', fail(code)),
        strategy('c', ok),
      ]);
      await expect(run()).rejects.toMatchObject({ code });
      expect(asked).toEqual(['a', 'b']);
    },
  );

  it('counts what happened', async () => {
    const outcomes: string[] = [];
    const { run } = chain(
      [strategy('a', hang), strategy('b', () => Promise.reject(new Error('x'))), strategy('c', ok)],
      {
        deadlineMs: 300,
        onOutcome: (name, outcome) => outcomes.push(`${name} ${outcome}`),
      },
    );
    await run();
    expect(outcomes).toEqual(['a timeout', 'b upstream_changed', 'c ok']);
  });

  it('logs once what was passed over, louder when our reading broke', async () => {
    const lines: string[] = [];
    const line = (level: string) => (details: object, message: string) =>
      void lines.push(`${level} ${message} ${JSON.stringify(details)}`);
    const log: Logger = {
      debug: line('debug'),
      info: line('info'),
      warn: line('warn'),
      error: line('error'),
      child: () => log,
    };
    await chain([strategy('a', fail('upstream_rate_limited')), strategy('b', ok)], { log }).run();
    await chain([strategy('a', () => Promise.reject(new Error('x'))), strategy('b', ok)], { log }).run();
    await chain([strategy('a', ok)], { log }).run();
    expect(lines.map(text => text.split(' ')[0])).toEqual(['info', 'warn']);
    expect(lines[0]).toContain('upstream_rate_limited');
  });
});

describe('time', () => {
  it('leaves time for the others when the first hang, and ends with the deadline', async () => {
    const start = performance.now();
    const { asked, run } = chain([strategy('a', hang), strategy('b', hang), strategy('c', ok)], { deadlineMs: 600 });
    expect((await run()).strategy).toBe('c');
    const all = chain([strategy('a', hang), strategy('b', hang), strategy('c', hang)], { deadlineMs: 300 });
    await expect(all.run()).rejects.toMatchObject({ code: 'timeout' });
    expect([...asked, ...all.asked]).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(performance.now() - start).toBeLessThan(9_000);
  });

  it('tells a strategy when its share is over', async () => {
    let reason: unknown;
    const listening: Run = signal =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('told'));
        });
      });
    await chain([strategy('a', listening), strategy('b', ok)], { deadlineMs: 200 }).run();
    expect(reason).toMatchObject({ code: 'timeout' });
  });

  it('stops at once when the caller gives up', async () => {
    const caller = new AbortController();
    const { asked, run } = chain([strategy('a', hang), strategy('b', ok)]);
    const going = run(caller.signal);
    caller.abort(new AppError('timeout', 'enough'));
    await expect(going).rejects.toMatchObject({ code: 'timeout', message: 'enough' });
    expect(asked).toEqual(['a']);
    const late = chain([strategy('a', ok)]);
    await expect(late.run(AbortSignal.abort())).rejects.toMatchObject({ code: 'timeout' });
    expect(late.asked).toEqual([]);
  });
});

describe('the error when all fail', () => {
  it('is the one that tells most, with every cause in order', async () => {
    const { run } = chain([
      strategy('a', fail('timeout')),
      strategy('b', fail('login_required')),
      strategy('c', () => Promise.reject(new TypeError('x is undefined'))),
    ]);
    const error = await run().catch((one: unknown) => one);
    if (!(error instanceof AppError) || !(error.cause instanceof AggregateError)) throw new Error('no causes');
    expect(error.code).toBe('login_required');
    expect(error.cause.errors.map((one: AppError) => [one.code, one.message])).toEqual([
      ['timeout', 'a: it is timeout'],
      ['login_required', 'b: it is login_required'],
      ['upstream_changed', 'c: x is undefined'],
    ]);
    expect(error.cause.errors[2].cause.cause).toBeInstanceOf(TypeError);
  });

  it.each<[ErrorCode, readonly AppError[]]>([
    ['not_found', [weak, fail('upstream_changed'), fail('upstream_unavailable'), fail('timeout')]],
    ['login_required', [weak, fail('login_required'), fail('upstream_unavailable')]],
    ['upstream_rate_limited', [fail('login_required'), fail('upstream_rate_limited'), weak]],
    ['upstream_changed', [fail('upstream_unavailable'), fail('upstream_changed'), fail('too_large')]],
    ['upstream_unavailable', [fail('timeout'), fail('upstream_unavailable'), fail('internal')]],
  ])('%s', async (code, errors) => {
    for (const order of [errors, [...errors].reverse()]) {
      const error = await chain(order.map((one, i) => strategy(`s${i}`, one)))
        .run()
        .catch((one: unknown) => one);
      expect(error).toMatchObject({ code });
      expect(error).not.toHaveProperty('params.weak');
    }
  });

  it('keeps the longest wait of its own kind', async () => {
    const errors = [
      fail('upstream_rate_limited', { retryAfterMs: 5_000 }),
      fail('upstream_unavailable', { retryAfterMs: 900_000 }),
      fail('upstream_rate_limited', { retryAfterMs: 60_000 }),
    ];
    await expect(chain(errors.map((one, i) => strategy(`s${i}`, one))).run()).rejects.toMatchObject({
      retryAfterMs: 60_000,
    });
  });

  it('is an AppError for every code, and when there is nobody to ask', async () => {
    // What our own bounds refused is told as the upstream's trouble: the person who asked can do nothing about it.
    const told: Partial<Record<ErrorCode, ErrorCode>> = {
      forbidden: 'upstream_unavailable',
      too_large: 'upstream_changed',
    };
    for (const code of ERROR_CODES) {
      await expect(chain([strategy('a', fail(code))]).run()).rejects.toMatchObject({ code: told[code] ?? code });
    }
    await expect(chain([]).run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

describe('diagnose', () => {
  const counting = (answer: () => Promise<void>) => {
    const calls: string[] = [];
    const diagnose = (ref: PostRef) => {
      calls.push(ref.id);
      return answer();
    };
    return { calls, diagnose };
  };

  it('is asked once, after the first empty or gated answer, and its definitive word ends the chain', async () => {
    const { calls, diagnose } = counting(() => Promise.reject(fail('private')));
    const { asked, run } = chain(
      [strategy('a', fail('upstream_unavailable')), strategy('b', fail('login_required')), strategy('c', ok)],
      { diagnose },
    );
    await expect(run()).rejects.toMatchObject({ code: 'private' });
    expect(asked).toEqual(['a', 'b']);
    expect(calls).toEqual(['1']);
  });

  it.each<[string, () => Promise<void>]>([
    ['finds nothing', async () => {}],
    ['fails', () => Promise.reject(fail('upstream_rate_limited'))],
    ['breaks', () => Promise.reject(new TypeError('x'))],
    ['guesses', () => Promise.reject(weak)],
    ['hangs', () => new Promise(() => {})],
  ])('does not keep the next from running when it %s', async (_, answer) => {
    const { calls, diagnose } = counting(answer);
    const { run } = chain([strategy('a', weak), strategy('b', fail('login_required')), strategy('c', ok)], {
      diagnose,
      deadlineMs: 500,
    });
    expect((await run()).strategy).toBe('c');
    expect(calls).toHaveLength(1);
  });

  it('is not asked when nothing is gated', async () => {
    const { calls, diagnose } = counting(async () => {});
    await chain([strategy('a', fail('timeout')), strategy('b', ok)], { diagnose }).run();
    expect(calls).toEqual([]);
  });
});

describe('the order', () => {
  it('puts last what failed three times where a later one worked, and tries it again after the cool-down', async () => {
    let now = 1_000_000;
    let isBroken = true;
    const a = strategy('a', async () => {
      if (isBroken) throw fail('upstream_changed');
      return POST;
    });
    const { asked, run } = chain([a, strategy('b', ok)], { now: () => now });
    const order = async () => {
      asked.length = 0;
      await run();
      return asked.join('');
    };
    expect([await order(), await order(), await order(), await order()]).toEqual(['ab', 'ab', 'ab', 'b']);
    now += 5 * 60_000;
    expect([await order(), await order()]).toEqual(['ab', 'b']);
    now += 5 * 60_000;
    isBroken = false;
    expect([await order(), await order()]).toEqual(['a', 'a']);
  });

  it('does not blame anyone when all fail, or when one tells why', async () => {
    const strategies = [strategy('a', fail('login_required')), strategy('b', fail('private')), strategy('c', ok)];
    const { asked, run } = chain(strategies);
    for (let i = 0; i < 5; i += 1) await expect(run()).rejects.toMatchObject({ code: 'private' });
    expect(asked.join('')).toBe('ab'.repeat(5));
  });

  it('asks the one that rests when the others fail', async () => {
    let isBroken = true;
    const a = strategy('a', async () => {
      if (isBroken) throw fail('upstream_changed');
      return POST;
    });
    const b = strategy('b', async () => {
      if (!isBroken) throw fail('upstream_unavailable');
      return POST;
    });
    const { asked, run } = chain([a, b]);
    for (let i = 0; i < 3; i += 1) await run();
    isBroken = false;
    asked.length = 0;
    expect((await run()).strategy).toBe('a');
    expect(asked.join('')).toBe('ba');
    asked.length = 0;
    await run();
    expect(asked.join('')).toBe('a');
  });
});
