/** Endpoints that die and return, as scripts of a fake clock: one post a minute is asked for. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { chain, fail, hang, ok, type Run, strategy, weak } from './chain-fixture.ts';

const MINUTE_MS = 60_000;
const POSTS_UNTIL_KNOWN = 5;
/** The longest cooldown, with its jitter. */
const MAX_MINUTES_UNTIL_TRIED = 38;

/** One that is back is asked again within about as long as it was gone: its cooldown doubles each time. */
function minutesUntilTried(minute: number, goneSince = 0): number {
  return Math.min(2 + 1.5 * (minute - goneSince), MAX_MINUTES_UNTIL_TRIED);
}

type Way = 'gone' | 'walled' | 'empty' | 'hangs' | 'limited';
/** Strategies by name, the way in which each is dead, or null for alive. */
type Change = Readonly<Record<string, Way | null>>;

interface History {
  readonly about: string;
  readonly names: readonly string[];
  /** By the minute. */
  readonly changes: Readonly<Record<number, Change>>;
  readonly minutes: number;
}

const WAYS: Readonly<Record<Way, Run | AppError>> = {
  gone: fail('upstream_changed'),
  walled: fail('login_required'),
  empty: weak,
  hangs: hang,
  limited: fail('upstream_rate_limited', { retryAfterMs: 120_000 }),
};

const HISTORIES: readonly History[] = [
  {
    about: 'the first dies and returns',
    names: ['a', 'b', 'c'],
    changes: { 10: { a: 'gone' }, 40: { a: null } },
    minutes: 80,
  },
  {
    about: 'two die together behind a login wall, the second returns',
    names: ['a', 'b', 'c', 'd'],
    changes: { 5: { a: 'walled', b: 'walled' }, 30: { b: null } },
    minutes: 70,
  },
  {
    about: 'one after the other dies until the last alone lives, then all return',
    names: ['a', 'b', 'c', 'd'],
    changes: { 5: { a: 'empty' }, 12: { b: 'gone' }, 19: { c: 'walled' }, 40: { a: null, b: null, c: null } },
    minutes: 80,
  },
  {
    about: 'the first comes and goes',
    names: ['a', 'b'],
    changes: {
      3: { a: 'gone' },
      15: { a: null },
      27: { a: 'walled' },
      40: { a: null },
      52: { a: 'empty' },
      65: { a: null },
    },
    minutes: 110,
  },
  {
    about: 'the first hangs for a while',
    names: ['a', 'b'],
    changes: { 4: { a: 'hangs' }, 16: { a: null } },
    minutes: 28,
  },
  {
    about: 'the first is limited again and again, with the second dead',
    names: ['a', 'b', 'c'],
    changes: { 2: { b: 'gone' }, 6: { a: 'limited' }, 25: { a: null }, 40: { b: null } },
    minutes: 80,
  },
];

function play({ names, changes, minutes }: History) {
  let now = 1_760_000_000_000;
  const dead = new Map<string, Way>();
  const { asked, run } = chain(
    names.map(name =>
      strategy(name, signal => {
        const way = dead.get(name);
        const does = way === undefined ? ok : WAYS[way];
        return does instanceof AppError ? Promise.reject(does) : does(signal);
      }),
    ),
    { now: () => now, deadlineMs: 4_000 },
  );
  return {
    dead,
    /** Who was asked for the posts of each minute, in order. */
    async *posts() {
      for (let minute = 0; minute < minutes; minute += 1) {
        for (const [name, way] of Object.entries(changes[minute] ?? {})) {
          if (way === null) dead.delete(name);
          else dead.set(name, way);
        }
        asked.length = 0;
        const post = await run();
        yield { minute, post, asked: [...asked], changed: changes[minute] ?? {} };
        now += MINUTE_MS;
      }
    },
  };
}

describe('the ranking of strategies that die and return', () => {
  it.each(HISTORIES.map(history => [history.about, history] as const))('%s', async (about, history) => {
    const { dead, posts } = play(history);
    const diedAt = new Map<string, number>();
    const triedBefore = new Map<string, number>();
    const counts: number[] = [];
    for await (const { minute, post, asked, changed } of posts()) {
      for (const [name, way] of Object.entries(changed)) {
        if (way === null) triedBefore.set(name, minute + minutesUntilTried(minute, diedAt.get(name)));
        else triedBefore.delete(name);
        diedAt.set(name, minute);
      }
      counts.push(asked.length);
      expect(post.strategy).not.toBe('');
      expect(dead.has(post.strategy), `${post.strategy} at ${minute}`).toBe(false);
      for (const name of dead.keys()) {
        if (minute - (diedAt.get(name) ?? 0) >= POSTS_UNTIL_KNOWN) {
          expect(asked[0], `the first at minute ${minute}`).not.toBe(name);
        }
      }
      for (const name of asked) triedBefore.delete(name);
      for (const [name, limit] of triedBefore) {
        expect(minute, `${name} is tried again`).toBeLessThan(limit);
      }
    }
    expect([...triedBefore.keys()], 'those that came back and were never asked again').toEqual([]);
    const sorted = counts.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)];
    const total = counts.reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `  ${about}: ${counts.length} posts, ${total} requests, median ${median}, most ${sorted.at(-1)}\n`,
    );
    expect(median).toBe(1);
    expect(total).toBeLessThan(1.7 * counts.length);
  });

  it('asks one a post, never more, as long as all are alive', async () => {
    const { posts } = play({ about: '', names: ['a', 'b', 'c', 'd', 'e'], changes: {}, minutes: 60 });
    for await (const { asked } of posts()) expect(asked).toEqual(['a']);
  });
});
