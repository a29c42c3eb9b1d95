import { expect, it } from 'vitest';
import { createMemoryBeatmapCaches } from '../../src/beatmaps/cache-policy.ts';
import type { PlayerStandings } from '../../src/beatmaps/model/player.ts';
import { parseScore, type Score } from '../../src/beatmaps/model/score.ts';
import { createMapPlays } from '../../src/beatmaps/players.ts';
import { madeUpSet } from './made-up-sets.ts';

const nothing = () => Promise.reject(new TypeError('not asked for here'));

type Standings = (ids: readonly number[]) => Promise<PlayerStandings[]>;

function playsOf(userMapScores: () => Promise<Score[]>, now: () => number, standings: Standings = nothing) {
  return createMapPlays({
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
      ...{ userBeatmaps: nothing, attributes: nothing, mapScores: nothing, ranking: nothing },
      standings,
      userMapScores,
    },
    caches: createMemoryBeatmapCaches(now),
  });
}

function madeUpMap() {
  const set = madeUpSet();
  const [beatmap] = set.beatmaps;
  if (beatmap === undefined) throw new TypeError('a set without maps');
  return { set, beatmap };
}

it('plays on a convert have no combo of the original map', async () => {
  const map = madeUpMap();
  const score = parseScore({ id: 1, ruleset_id: 1 });
  const own = parseScore({ id: 2, ruleset_id: 0 });
  const plays = playsOf(async () => [score, own].filter(each => each !== undefined), Date.now);
  const { scores } = await plays.userMapScores(map, 1, 'taiko');
  expect(scores.map(({ beatmap }) => beatmap?.max_combo)).toEqual([null, map.beatmap.max_combo]);
});

it('lists of members ask about each once while their pages are turned, and one’s own plays again soon', async () => {
  const clock = { at: 1_000_000 };
  let asked = 0;
  const plays = playsOf(
    async () => {
      asked += 1;
      return [];
    },
    () => clock.at,
  );
  const { set, beatmap } = madeUpMap();
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

it('standings of many players are asked for fifty at a time, two hundred at most', async () => {
  const asked: number[] = [];
  const plays = playsOf(nothing, Date.now, async ids => {
    asked.push(ids.length);
    return ids.map(id => ({ id, username: `member ${id}`, country_code: null, standings: {} }));
  });
  const ids = Array.from({ length: 230 }, (_, index) => index + 1);
  const { players } = await plays.standings(ids);
  expect(asked).toEqual([50, 50, 50, 50]);
  expect(players.map(({ id }) => id)).toEqual(ids.slice(0, 200));
});
