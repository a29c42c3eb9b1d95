import { describe, expect, it } from 'vitest';
import { createOfficialStars, type OfficialRating } from '../../../src/beatmaps/rating/official-stars.ts';
import { AppError } from '../../../src/errors.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import { createRecordingLog } from '../../fakes/log.ts';

const never = new AbortController().signal;
const DT = [{ acronym: 'DT' }];
const mapOf = (id: number) => ({ id, checksum: 'c', mode: 'osu', difficulty_rating: 5 }) as const;
const rated = { star_rating: 6.5, max_combo: 900, values: {} };

/** @param answer to the nth call */
function open(answer: (call: number, id: number) => Promise<typeof rated>) {
  let calls = 0;
  const clock = { at: 1_000_000 };
  const stars = createOfficialStars({
    osu: {
      attributes(id) {
        calls += 1;
        return answer(calls, id);
      },
    },
    cache: createMemoryCache<OfficialRating>({ maxEntries: 100, now: () => clock.at }),
    log: createRecordingLog(),
    now: () => clock.at,
  });
  return { clock, calls: () => calls, ask: (id: number, signal = never) => stars.of(mapOf(id), 'osu', DT, signal) };
}

describe('stars from osu!', () => {
  it('are asked for once', async () => {
    const { ask, calls } = open(async () => rated);
    expect(await ask(1)).toEqual({ stars: 6.5, maxCombo: 900 });
    expect(await ask(1)).toEqual({ stars: 6.5, maxCombo: 900 });
    expect(calls()).toBe(1);
  });

  it('are not asked for again for a while when osu! is away', async () => {
    const { ask, calls, clock } = open(call =>
      call <= 3 ? Promise.reject(new AppError('upstream_unavailable', 'away')) : Promise.resolve(rated),
    );
    for (const id of [1, 2, 3, 4]) expect(await ask(id)).toBeUndefined();
    expect(calls()).toBe(3);
    clock.at += 31_000;
    expect(await ask(2)).toEqual({ stars: 6.5, maxCombo: 900 });
  });

  it('do not take a caller who leaves, or a wait in line, for osu! being away', async () => {
    const { ask, clock } = open(async (call, id) => {
      if (id === 1) return new Promise(() => undefined);
      if (id !== 2) return rated;
      await ask(3);
      throw new AppError('timeout', `call ${call} waited in line`);
    });
    const leaving = new AbortController();
    const left = ask(1, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    clock.at += 1;
    expect(await ask(2)).toBeUndefined();
    expect(await ask(4)).toEqual({ stars: 6.5, maxCombo: 900 });
  });

  it('remember that osu! has no such map', async () => {
    const { ask, calls } = open(() => Promise.reject(new AppError('not_found', 'no map')));
    expect(await ask(1)).toBeUndefined();
    expect(await ask(1)).toBeUndefined();
    expect(calls()).toBe(1);
    expect(await ask(2)).toBeUndefined();
    expect(calls()).toBe(2);
  });
});
