import { describe, expect, it } from 'vitest';
import { AppError, ERROR_CODES, type ErrorCode } from '../../../src/errors.ts';
import { createLogger } from '../../../src/infra/log.ts';
import type { PostRef, Strategy } from '../../../src/media/extract/source.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { chain, fail, hang, ok, type Run, strategy, weak } from './chain-fixture.ts';

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
    const { asked, run } = chain([strategy('a', ok, { isAvailable: () => false }), strategy('b', ok)]);
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
        deadlineMs: 4_000,
        onOutcome: (_, name, outcome) => outcomes.push(`${name} ${outcome}`),
      },
    );
    await run();
    expect(outcomes.toSorted()).toEqual(['a timeout', 'b upstream_changed', 'c ok']);
  });

  it('logs once what was passed over, louder when our reading broke', async () => {
    const log = createRecordingLog();
    await chain([strategy('a', fail('upstream_rate_limited')), strategy('b', ok)], { log }).run();
    await chain([strategy('a', () => Promise.reject(new Error('x'))), strategy('b', ok)], { log }).run();
    await chain([strategy('a', ok)], { log }).run();
    expect(log.lines.map(({ level }) => level)).toEqual(['info', 'warn']);
    expect(JSON.stringify(log.lines[0])).toContain('upstream_rate_limited');
  });

  it('leaves it to who asked to say in one short line which strategies failed with what, when all did', async () => {
    const log = createRecordingLog();
    const names = Array.from({ length: 12 }, (_, index) => `endpoint-number-${index}/caller`);
    const story = 'a very long story of what went wrong '.repeat(9);
    for (const code of ['upstream_unavailable', 'upstream_changed'] as const) {
      const failing = names.map(name => strategy(name, new AppError(code, story)));
      const error = await chain(failing, { log })
        .run()
        .catch(failure => failure);
      const lines: string[] = [];
      createLogger({ level: 'info', destination: { write: line => void lines.push(line) } }).warn(
        { err: error },
        'failed',
      );
      expect(lines.join('').length).toBeLessThan(1_024);
      expect(lines.join('')).toContain('facebook 1: every strategy failed');
      for (const name of names) expect(lines.join('')).toContain(`${code}: ${name}`);
    }
    expect(log.at('info', 'warn', 'error')).toEqual([]);
  });

  it('says nothing in the log when one knows for certain', async () => {
    const log = createRecordingLog();
    await chain([strategy('a', fail('private'))], { log }).round();
    expect(log.at('info', 'warn', 'error')).toEqual([]);
  });
});

describe('time', () => {
  it('leaves time for the others when the first hang, and ends with the deadline', async () => {
    const { asked, run } = chain([strategy('a', hang), strategy('b', hang), strategy('c', ok)], { deadlineMs: 4_000 });
    expect((await run()).strategy).toBe('c');
    const all = chain([strategy('a', hang), strategy('b', hang), strategy('c', hang)], { deadlineMs: 4_000 });
    await expect(all.run()).rejects.toMatchObject({ code: 'timeout' });
    expect([...asked, ...all.asked]).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('aborts a strategy when its share is over', async () => {
    let reason: unknown;
    const listening: Run = signal =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('aborted'));
        });
      });
    await chain([strategy('a', listening), strategy('b', ok)], { deadlineMs: 200 }).run();
    expect(reason).toMatchObject({ code: 'timeout' });
  });

  it('stops at once when the caller gives up', async () => {
    const caller = new AbortController();
    const { asked, run } = chain([strategy('a', hang), strategy('b', ok)]);
    const going = run(caller.signal);
    await new Promise(setImmediate);
    caller.abort(new AppError('timeout', 'enough'));
    await expect(going).rejects.toMatchObject({ code: 'timeout', message: 'enough' });
    expect(asked).toEqual(['a']);
    const late = chain([strategy('a', ok)]);
    await expect(late.run(AbortSignal.abort())).rejects.toMatchObject({ code: 'timeout' });
    expect(late.asked).toEqual([]);
  });
});

describe('the error when all fail', () => {
  it('is the one that says most, with every cause in order', async () => {
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
    ['timeout', [weak, weak, fail('timeout')]],
    ['upstream_unavailable', [weak, fail('upstream_unavailable'), fail('timeout')]],
    ['upstream_changed', [weak, fail('upstream_changed')]],
    ['not_found', [weak, weak, fail('upstream_changed')]],
    ['private', [fail('private', { params: { weak: 1 } }), fail('timeout')]],
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

  it('is an AppError for every code, and when there is none to ask', async () => {
    // What our own bounds refused is the upstream's trouble to the person who asked, who can do nothing about it.
    const shown: Partial<Record<ErrorCode, ErrorCode>> = {
      forbidden: 'upstream_unavailable',
      too_large: 'upstream_changed',
    };
    for (const code of ERROR_CODES) {
      await expect(chain([strategy('a', fail(code))]).run()).rejects.toMatchObject({ code: shown[code] ?? code });
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

  it('is asked once, when two endpoints withheld the post, and its definitive word ends the chain', async () => {
    const { calls, diagnose } = counting(() => Promise.reject(fail('private')));
    const withheld = fail('login_required');
    const { asked, run } = chain(
      [strategy('a/x', withheld), strategy('a/y', withheld), strategy('b', weak), strategy('c', ok)],
      { diagnose },
    );
    await expect(run()).rejects.toMatchObject({ code: 'private' });
    expect(asked).toEqual(['a/x', 'a/y', 'b']);
    expect(calls).toEqual(['1']);
  });

  it.each<ErrorCode>(['login_required', 'upstream_changed'])(
    'is asked when nothing else is left after %s',
    async code => {
      const { calls, diagnose } = counting(() => Promise.reject(fail('age_restricted')));
      const { run } = chain([strategy('a', fail('timeout')), strategy('b', fail(code))], { diagnose });
      await expect(run()).rejects.toMatchObject({ code: 'age_restricted' });
      expect(calls).toEqual(['1']);
    },
  );

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
      deadlineMs: 4_000,
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
