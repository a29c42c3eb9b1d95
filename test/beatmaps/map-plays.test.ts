import { expect, it } from 'vitest';
import { createMemoryBeatmapCaches } from '../../src/beatmaps/cache-policy.ts';
import { createMapPlays } from '../../src/beatmaps/map-plays.ts';
import { madeUpSet } from './made-up-sets.ts';

it('lists of members ask about each once while their pages are turned, and one’s own plays again soon', async () => {
  const clock = { at: 1_000_000 };
  let asked = 0;
  const nothing = () => Promise.reject(new TypeError('not asked for here'));
  const plays = createMapPlays({
    osu: {
      ...{
        search: nothing,
        set: nothing,
        setOfMap: nothing,
        beatmap: nothing,
        user: nothing,
        userScores: nothing,
        score: nothing,
      },
      ...{ userBeatmaps: nothing, attributes: nothing, mapScores: nothing, standings: nothing, ranking: nothing },
      async userMapScores() {
        asked += 1;
        return [];
      },
    },
    caches: createMemoryBeatmapCaches(() => clock.at),
  });
  const set = madeUpSet();
  const [beatmap] = set.beatmaps;
  if (beatmap === undefined) throw new TypeError('a set without maps');
  for (let page = 1; page <= 5; page += 1) {
    for (let member = 1; member <= page * 4; member += 1) await plays.memberMapScores({ set, beatmap }, member, 'osu');
    clock.at += 3 * 60_000;
  }
  expect(asked).toBe(20);
  await plays.userMapScores({ set, beatmap }, 1, 'osu');
  clock.at += 3 * 60_000;
  await plays.userMapScores({ set, beatmap }, 1, 'osu');
  expect(asked).toBe(22);
});
