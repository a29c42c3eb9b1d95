import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../../src/errors.ts';
import { waitInQueue } from '../../../src/infra/concurrency/running-work.ts';
import { CoverOnlyError } from '../../../src/media/extract/strategy-failures.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { chain, delayed, fail, hang, ok, POST, partial, type Run, strategy, weak } from './chain-fixture.ts';

const own = (code: ErrorCode) => fail(code, { params: { own: 1 } });

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error;
}

/** Resolves with why its run was given up. */
function watched(): { readonly run: Run; readonly reason: Promise<unknown> } {
  let report = (_: unknown) => {};
  const reason = new Promise(resolve => {
    report = resolve;
  });
  const run: Run = signal =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        report(signal.reason);
        reject(signal.reason);
      });
    });
  return { run, reason };
}

describe('hedging', () => {
  it('answers within three seconds when the first choice hangs, and ends it', async () => {
    const slow = watched();
    const { asked, run } = chain([strategy('a', slow.run), strategy('b', delayed(300, ok)), strategy('c', ok)]);
    const startedAt = performance.now();
    expect((await run()).strategy).toBe('b');
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(asked).toEqual(['a', 'b']);
    expect(await slow.reason).toMatchObject({ message: 'another strategy was done before' });
  });

  it('asks one alone when it answers in its usual time', async () => {
    const { round } = chain([strategy('a', delayed(300, ok)), strategy('b', ok)]);
    for (let post = 0; post < 4; post += 1) expect(await round()).toEqual(['a']);
  });

  it('starts the next beside one that takes longer than it usually does, and takes whichever is done first', async () => {
    let delayMs = 20;
    const { asked, round, run } = chain([
      strategy('a', signal => delayed(delayMs, ok)(signal)),
      strategy('b', delayed(20_000, ok)),
    ]);
    for (let post = 0; post < 3; post += 1) await round();
    delayMs = 4_000;
    asked.length = 0;
    expect((await run()).strategy).toBe('a');
    expect(asked).toEqual(['a', 'b']);
  });

  it('lets the next start at once when one fails, also beside a slow one', async () => {
    const startedAt = performance.now();
    const { asked, run } = chain(
      [strategy('a', hang), strategy('b', fail('timeout')), strategy('c', fail('timeout')), strategy('d', ok)],
      { deadlineMs: 15_000 },
    );
    expect((await run()).strategy).toBe('d');
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    // Patience with the first, of one and a half seconds, and none with the others.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it('asks three at once at most', async () => {
    let running = 0;
    let most = 0;
    const names = ['a', 'b', 'c', 'd', 'e'];
    const counted: Run = async signal => {
      running += 1;
      most = Math.max(most, running);
      try {
        return await delayed(10_000, ok)(signal);
      } finally {
        running -= 1;
      }
    };
    const { asked, run } = chain(
      names.map(name => strategy(name, counted)),
      { deadlineMs: 4_000 },
    );
    expect((await failureOf(run())).code).toBe('timeout');
    expect(most).toBe(3);
    expect(asked).toEqual(expect.arrayContaining(['a', 'b', 'c']));
  });

  it('ends those that run when one says for certain why there is no post', async () => {
    const slow = watched();
    const { run } = chain([strategy('a', slow.run), strategy('b', fail('private'))], { deadlineMs: 8_000 });
    expect((await failureOf(run())).code).toBe('private');
    expect(await slow.reason).toBeInstanceOf(AppError);
  });

  it('keeps last resorts for when nothing else is left, and never beside another', async () => {
    const last = { isLastResort: true };
    const slow = [
      strategy('last', ok, last),
      strategy(
        'a',
        delayed(4_000, async () => Promise.reject(fail('timeout'))),
      ),
    ];
    const { asked, run } = chain([...slow, strategy('b', fail('timeout'))], { deadlineMs: 15_000 });
    expect((await run()).strategy).toBe('last');
    expect(asked).toEqual(['a', 'b', 'last']);
  });
});

describe('a post of words alone', () => {
  const words = async () => ({ ...POST, items: [] });

  it('is a whole answer, for which no other is asked', async () => {
    const { asked, run } = chain([strategy('a', fail('login_required')), strategy('b', words), strategy('c', ok)]);
    expect(await run()).toMatchObject({ strategy: 'b', items: [], missingItems: 0 });
    expect(asked).toEqual(['a', 'b']);
  });
});

describe('an incomplete post', () => {
  it('is kept while the next is asked, which may have all of it', async () => {
    const { asked, run } = chain([strategy('a', partial(3, 5)), strategy('b', partial(5, 5)), strategy('c', ok)]);
    expect(await run()).toMatchObject({ strategy: 'b', missingItems: 0 });
    expect(asked).toEqual(['a', 'b']);
  });

  it('is the answer when none is complete: the one with the fewest missing', async () => {
    const { run } = chain([
      strategy('a', partial(3, 5)),
      strategy('b', partial(4, 5)),
      strategy('c', fail('login_required')),
      strategy('d', partial(1, 2)),
    ]);
    expect(await run()).toMatchObject({ strategy: 'b', missingItems: 1 });
  });

  it('is worth more than a reason why others could not read it', async () => {
    const { run } = chain([strategy('a', partial(3, 5)), strategy('b', fail('private'))]);
    expect(await run()).toMatchObject({ strategy: 'a', missingItems: 2 });
  });

  it('of which only the cover is known is thrown with what says most', async () => {
    const explains = { isLastResort: true, explains: true };
    const { run } = chain([
      strategy('a', fail('upstream_changed')),
      strategy('b', fail('upstream_rate_limited', { retryAfterMs: 9_000 })),
      strategy('cover', partial(0, 1), explains),
    ]);
    const error = await failureOf(run());
    expect(error).toBeInstanceOf(CoverOnlyError);
    expect(error).toMatchObject({
      code: 'upstream_rate_limited',
      retryAfterMs: 9_000,
      post: { strategy: 'cover', items: [], missingItems: 1 },
    });
  });

  it('never makes a cover of a post that has items', async () => {
    const explains = { isLastResort: true, explains: true };
    const { asked, run } = chain([strategy('a', partial(1, 4)), strategy('cover', partial(0, 1), explains)]);
    expect(await run()).toMatchObject({ strategy: 'a', missingItems: 3 });
    expect(asked).toEqual(['a']);
  });
});

describe('a strategy that explains', () => {
  const explains = { isLastResort: true, explains: true };

  it('is asked as soon as two endpoints withheld the post, and its reason is the answer', async () => {
    const { asked, run } = chain([
      strategy('a', fail('login_required')),
      strategy('b', weak),
      strategy('c', delayed(50, ok)),
      strategy('oracle', fail('age_restricted'), explains),
    ]);
    expect((await failureOf(run())).code).toBe('age_restricted');
    expect(asked).toEqual(['a', 'b', 'oracle']);
  });

  it('delays the others no longer than its question takes', async () => {
    const { asked, run } = chain(
      [strategy('a', weak), strategy('b', weak), strategy('oracle', hang, explains), strategy('c', ok)],
      { deadlineMs: 8_000 },
    );
    expect((await run()).strategy).toBe('c');
    expect(asked).toEqual(['a', 'b', 'oracle', 'c']);
  });
});

describe('a weak word', () => {
  /** Strategies that bring one post, so that their word weighs, and then say this. */
  const turning = (name: string, then: AppError) => {
    let posts = 0;
    return strategy(name, async () => {
      posts += 1;
      if (posts > 1) throw then;
      return name === 'a/x' ? POST : { ...POST, missingItems: 1 };
    });
  };
  const bothProven = async (first: string, second: string, then = weak) => {
    const made = chain([turning(second, then), turning(first, then), strategy('z', ok)]);
    await made.round();
    return made;
  };

  it('counts when a second strategy of another endpoint says the same', async () => {
    let isGone = false;
    const either =
      (run: Run): Run =>
      async signal => {
        if (isGone) throw weak;
        return run(signal);
      };
    let isBusy = false;
    const a: Run = async () => {
      if (isBusy) throw fail('timeout');
      return POST;
    };
    let now = 1_000_000;
    const strategies = [strategy('a', either(a)), strategy('b', either(ok)), strategy('c', ok)];
    const { round, run } = chain(strategies, { now: () => now });
    for (let post = 0; post < 4; post += 1) await round();
    isBusy = true;
    await round();
    isBusy = false;
    // The cooldown of the one that was busy is over.
    now += 90_000;
    await round();
    isGone = true;
    const asked = await round();
    expect(asked.toSorted()).toEqual(['a', 'b']);
    expect(await failureOf(run())).toMatchObject({ code: 'not_found', params: {} });
  });

  it('does not count from two callers of one endpoint, nor from strategies that never brought a post', async () => {
    const same = await bothProven('a/x', 'a/y');
    expect((await same.run()).strategy).toBe('z');
    const unproven = chain([strategy('a', weak), strategy('b', weak), strategy('c', ok)]);
    expect((await unproven.run()).strategy).toBe('c');
  });

  it('is the answer when nothing else is known', async () => {
    const error = await failureOf(chain([strategy('a', weak)]).run());
    expect(error).toMatchObject({ code: 'not_found', params: {} });
  });
});

describe('a strategy that says of every post that there is none', () => {
  it('is believed a few times, then asked to be confirmed, and loses its place when another brings the post', async () => {
    const { asked, round, run, figures } = chain([strategy('a', fail('not_found')), strategy('b', ok)]);
    for (let post = 0; post < 4; post += 1) expect(await round()).toEqual(['a']);
    for (let post = 0; post < 6; post += 1) expect((await run()).strategy).toBe('b');
    asked.length = 0;
    await run();
    expect(asked).toEqual(['b']);
    expect(figures()[0]).toMatchObject({ strategy: 'a', last: { outcome: 'not_found' } });
  });

  it('is right all the same when a second one says so', async () => {
    const { asked, run } = chain([strategy('a', fail('not_found')), strategy('b', fail('not_found'))]);
    for (let post = 0; post < 6; post += 1) {
      asked.length = 0;
      expect(await failureOf(run())).toMatchObject({ code: 'not_found', params: {} });
    }
    expect(asked).toEqual(expect.arrayContaining(['b']));
  });
});

describe('what we did ourselves', () => {
  it.each<[ErrorCode, readonly AppError[]]>([
    ['upstream_unavailable', [own('upstream_unavailable'), fail('login_required'), fail('timeout')]],
    ['upstream_unavailable', [weak, own('upstream_unavailable')]],
    ['upstream_changed', [fail('too_large'), fail('login_required')]],
    ['upstream_rate_limited', [own('upstream_unavailable'), fail('upstream_rate_limited'), fail('login_required')]],
    ['upstream_changed', [own('upstream_unavailable'), fail('upstream_changed')]],
  ])('%s comes before what is only guessed', async (code, errors) => {
    for (const order of [errors, errors.toReversed()]) {
      const error = await failureOf(chain(order.map((one, index) => strategy(`s${index}`, one))).run());
      expect(error.code).toBe(code);
      expect(error.params).toEqual({});
    }
  });

  it('does not count against a strategy', async () => {
    const { figures, round } = chain([strategy('a', own('upstream_unavailable')), strategy('b', ok)]);
    for (let post = 0; post < 6; post += 1) await round();
    expect(figures()[0]).toMatchObject({ strategy: 'a', coolsUntil: null, successRate: null });
  });
});

describe('the time in our own lines', () => {
  // Patience of half a second, and two seconds for each.
  const deadlineMs = 4_000;
  const waiting =
    (ms: number, then: Run): Run =>
    async signal => {
      await waitInQueue(delayed(ms, ok)(signal));
      return then(signal);
    };

  it('is not taken for slowness: no other is asked meanwhile, and nothing is remembered of it', async () => {
    const { figures, round } = chain([strategy('a', waiting(1_200, delayed(100, ok))), strategy('b', ok)], {
      deadlineMs,
    });
    expect(await round()).toEqual(['a']);
    expect(figures()[0]).toMatchObject({ strategy: 'a', last: { outcome: 'ok' } });
    expect(figures()[0]?.medianMs).toBeLessThan(1_000);
  });

  it('does not use up the patience with who is slow after it', async () => {
    const { asked, run } = chain([strategy('a', waiting(700, hang)), strategy('b', ok)], { deadlineMs });
    const startedAt = performance.now();
    expect((await run()).strategy).toBe('b');
    expect(asked).toEqual(['a', 'b']);
    expect(performance.now() - startedAt).toBeGreaterThan(1_150);
  });

  it('when it is all there was, the next is asked, and it says nothing of the strategy', async () => {
    const { asked, figures, run } = chain([strategy('a', waiting(60_000, ok)), strategy('b', ok)], { deadlineMs });
    expect((await run()).strategy).toBe('b');
    expect(asked).toEqual(['a', 'b']);
    expect(figures()[0]).toMatchObject({ successRate: null, coolsUntil: null, last: { outcome: 'timeout' } });
    expect(figures()[0]?.last?.cause).toContain('its turn at our own pace did not come');
  });

  it('is not held against one that another overtakes', async () => {
    const late = delayed(700, () => Promise.reject(fail('timeout')));
    const { asked, figures, run } = chain(
      [strategy('a', late), strategy('b', waiting(60_000, ok)), strategy('c', hang), strategy('d', ok)],
      { deadlineMs },
    );
    expect((await run()).strategy).toBe('d');
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    expect(figures().map(({ last }) => last?.outcome ?? null)).toEqual(['timeout', null, 'timeout', 'ok']);
  });
});

describe('a limit', () => {
  const limited = (retryAfterMs?: number) => fail('upstream_rate_limited', { retryAfterMs });

  it.each([
    ['exactly as long as the site asks', limited(600_000), 600_000, 600_000],
    ['for hours where the site asks for hours', limited(7_200_000), 7_200_000, 7_200_000],
    ['no longer than six hours', limited(90_000_000), 21_600_000, 21_600_000],
    ['about a minute where it does not say', limited(), 60_000, 72_000],
    ['about a minute after a challenge', fail('login_required', { params: { challenge: 1 } }), 60_000, 72_000],
  ])('has its endpoint left alone, whoever asks it, %s', async (_, error, atLeastMs, atMostMs) => {
    let now = 1_000_000;
    const { figures, round } = chain([strategy('a/x', error), strategy('a/y', ok), strategy('b', ok)], {
      now: () => now,
    });
    expect(await round()).toEqual(['a/x', 'b']);
    const { waitsUntil } = figures()[0] ?? {};
    const waitMs = (waitsUntil ?? 0) - now;
    expect(waitMs).toBeGreaterThanOrEqual(atLeastMs);
    expect(waitMs).toBeLessThanOrEqual(atMostMs);
    expect(figures()[1]).toMatchObject({ waitsUntil });
    now += atLeastMs - 1;
    expect(await round()).toEqual(['b']);
    now += atMostMs - atLeastMs + 1;
    expect(await round()).toEqual(expect.arrayContaining(['b', 'a/x']));
  });

  it('that is met again and again without a word how long has it left alone longer each time, up to half an hour', async () => {
    let now = 1_000_000;
    const { figures, run } = chain([strategy('a', limited())], { now: () => now });
    const waits: number[] = [];
    for (let time = 0; time < 8; time += 1) {
      await run().catch(() => undefined);
      const until = figures()[0]?.waitsUntil ?? 0;
      waits.push(Math.floor((until - now) / 60_000));
      now = until;
    }
    const minutes = [1, 2, 4, 8, 16, 30, 30, 30];
    for (const [time, waited] of waits.entries()) {
      expect(waited).toBeGreaterThanOrEqual(minutes[time] ?? 0);
      expect(waited).toBeLessThanOrEqual((minutes[time] ?? 0) * 1.2);
    }
  });

  it('of all is the answer, with the time until one may be asked, and none is asked before', async () => {
    let now = 1_000_000;
    const waits = [120_000, 60_000, 90_000];
    const { asked, run, round } = chain(
      waits.map((ms, index) => strategy(`${index}`, limited(ms))),
      { now: () => now },
    );
    expect(await round()).toEqual(['0', '1', '2']);
    now += 59_000;
    asked.length = 0;
    const error = await failureOf(run());
    expect(asked).toEqual([]);
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs: 1_000, params: { what: 'silent' } });
    now += 1_000;
    expect(await round()).toEqual(['1']);
  });
});

describe('a strategy that cools down', () => {
  it('is asked last when all others failed', async () => {
    let isWell = false;
    const turning: Run = async () => {
      if (!isWell) throw fail('upstream_changed');
      return POST;
    };
    let isDown = false;
    const other: Run = async () => {
      if (isDown) throw fail('upstream_unavailable');
      return POST;
    };
    const last = { isLastResort: true };
    const { round, run, asked } = chain([
      strategy('a', turning),
      strategy('b', other),
      strategy('last', fail('timeout'), last),
    ]);
    expect(await round()).toEqual(['a', 'b']);
    expect(await round()).toEqual(['b']);
    isWell = true;
    isDown = true;
    asked.length = 0;
    expect((await run()).strategy).toBe('a');
    expect(asked).toEqual(['b', 'last', 'a']);
  });

  it('is asked once beside the best when that is over, and an answer does not wait for it', async () => {
    let now = 1_000_000;
    let isHanging = false;
    const { round, figures } = chain(
      [
        strategy('a', signal => (isHanging ? hang(signal) : Promise.reject(fail('upstream_changed')))),
        strategy('b', ok),
      ],
      { now: () => now },
    );
    await round();
    now += 90_000;
    isHanging = true;
    expect(await round()).toEqual(['b', 'a']);
    expect(await round()).toEqual(['b']);
    expect(figures()[0]?.coolsUntil).toBeNull();
  });
});

it('reports how each strategy does', async () => {
  const log = createRecordingLog();
  const { figures, round } = chain([strategy('a', fail('upstream_changed')), strategy('b', ok)], {
    log,
    now: () => 5_000,
  });
  expect(figures().map(({ successRate, last }) => [successRate, last])).toEqual([
    [null, null],
    [null, null],
  ]);
  for (let post = 0; post < 3; post += 1) await round();
  const [a, b] = figures();
  expect(a).toMatchObject({
    strategy: 'a',
    last: { outcome: 'upstream_changed', cause: 'it is upstream_changed', at: 5_000 },
  });
  expect(b).toMatchObject({
    strategy: 'b',
    coolsUntil: null,
    waitsUntil: null,
    last: { outcome: 'ok', cause: null, at: 5_000 },
  });
  expect(a?.successRate ?? 1).toBeLessThan(b?.successRate ?? 0);
  expect(b?.medianMs).toBeGreaterThanOrEqual(0);
});

describe('an account', () => {
  const byAccount = { isLastResort: true, byAccount: true };

  it('is asked when all others are refused', async () => {
    const { asked, run } = chain([strategy('a', fail('login_required')), strategy('b', ok, byAccount)]);
    expect((await run()).strategy).toBe('b');
    expect(asked).toEqual(['a', 'b']);
  });

  it.each([
    ['for certain', fail('not_found')],
    ['as a guess', weak],
  ])('is never asked for a post that another called gone, %s', async (_, gone) => {
    const { asked, run } = chain([
      strategy('a', fail('login_required')),
      strategy('b', gone),
      strategy('c', fail('upstream_changed')),
      strategy('d', ok, byAccount),
    ]);
    await failureOf(run());
    expect(asked).toContain('b');
    expect(asked).not.toContain('d');
  });
});
