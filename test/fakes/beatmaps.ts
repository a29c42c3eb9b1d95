/** A beatmap room that knows one of everything. */
import type { BeatmapRoutesOptions } from '../../src/api/beatmaps/beatmap-routes.ts';
import type { Beatmaps } from '../../src/beatmaps/beatmaps.ts';
import { suggestionOf } from '../../src/beatmaps/catalogue/catalogue-schema.ts';
import { parsePlayer } from '../../src/beatmaps/model/player.ts';
import { parseScore } from '../../src/beatmaps/model/score.ts';
import type { SearchResult } from '../../src/beatmaps/set-search.ts';
import { madeUpSet } from '../beatmaps/made-up-sets.ts';
import { createApiServer } from './api-server.ts';

/** What the API asks for. */
export type BeatmapService = BeatmapRoutesOptions['beatmaps'];

const SET = madeUpSet({ video: true, artist_unicode: '紙灯籠' });
export const FOUND: SearchResult = {
  sets: [SET],
  total: 41,
  cursor: 'bmV4dA',
  source: 'hinai',
  stale: false,
  corrected: false,
};

/** For values of which the test knows that they are there. */
export function made<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('not what it was made as');
  return value;
}

const RANKED = {
  ...{ id: 32, username: 'paper boat', country_code: 'ID' },
  ...{ global_rank: 1, hit_accuracy: 99.1, pp: 5_000 },
};
const PLAYER = made(
  parsePlayer({ id: 31, username: 'paper crane', country: { code: 'ID', name: 'Indonesia' }, playmode: 'taiko' }),
);
export const SCORE = made(
  parseScore({
    id: 801,
    user_id: 31,
    user: { id: 31, username: 'paper crane' },
    ruleset_id: 1,
    beatmap_id: 9_001,
    accuracy: 0.975,
    max_combo: 400,
    total_score: 912_000,
    pp: 201.5,
    rank: 'S',
    mods: [{ acronym: 'DT', settings: { speed_change: 1.3 } }, { acronym: 'HD' }],
    statistics: { great: 390, ok: 10 },
    ended_at: '2026-03-02T10:00:00Z',
  }),
);

interface BeatmapCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Knows one of everything, and what it was asked; signals are left out. */
export function fakeBeatmaps(own: Partial<Beatmaps> = {}) {
  const calls: BeatmapCall[] = [];
  const note = (method: string, ...args: readonly unknown[]) => calls.push({ method, args });
  const plain = <T extends object>(options: T) => {
    const { signal, ...rest } = { signal: undefined, ...options };
    return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  };
  const told = { source: 'osu', stale: false } as const;
  const beatmaps: Beatmaps = {
    hasPlayers: true,
    suggestSets: async () => [suggestionOf(SET)],
    suggestPlayers: () => [PLAYER],
    async set(id) {
      note('set', id);
      return { ...told, set: SET };
    },
    async setOfMap(id) {
      note('setOfMap', id);
      return { ...told, set: SET, beatmap: made(SET.beatmaps[0]) };
    },
    async search(request) {
      note('search', plain(request));
      return FOUND;
    },
    async user(user, ruleset) {
      note('user', user, ruleset);
      return { ...told, user: PLAYER };
    },
    async userScores(user, type, options = {}) {
      note('userScores', user, type, plain(options));
      return { ...told, scores: [SCORE], cursor: null };
    },
    async score(id, ruleset) {
      note('score', id, ruleset);
      return { ...told, score: SCORE };
    },
    async userBeatmaps(user, type, options = {}) {
      note('userBeatmaps', user, type, plain(options));
      const played = type === 'most_played' ? { count: 12, beatmap_id: 9_010 } : { count: null, beatmap_id: null };
      return { ...told, beatmapsets: [{ set: SET, ...played }], cursor: 'bmV4dA' };
    },
    async mapScores({ beatmap }, options) {
      note('mapScores', beatmap.id, plain(options));
      return { ...told, scores: [SCORE] };
    },
    async userMapScores({ beatmap }, userId, ruleset) {
      note('userMapScores', beatmap.id, userId, ruleset);
      return { ...told, scores: [SCORE] };
    },
    async memberMapScores({ beatmap }, userId, ruleset) {
      note('memberMapScores', beatmap.id, userId, ruleset);
      return { ...told, scores: [SCORE] };
    },
    async standings(userIds) {
      note('standings', userIds);
      const taiko = { pp: 3_000, global_rank: 4_100, hit_accuracy: 97.5 };
      return { ...told, players: userIds.map(id => ({ ...PLAYER, id, country_code: 'ID', standings: { taiko } })) };
    },
    async rankHolder(ruleset, rank) {
      note('rankHolder', ruleset, rank);
      return { ...told, holder: { ...RANKED, global_rank: rank } };
    },
    async ranking(ruleset, { page, country }) {
      note('ranking', ruleset, page, country);
      return { ...told, players: [RANKED] };
    },
    async download(reference) {
      note('download', reference);
      const addresses = [
        { source: 'catboy', state: 'unknown', video: true, url: 'https://catboy.best/d/901' },
      ] as const;
      return { ...told, cached: false, id: 901, set: SET, available: true, reason: null, addresses };
    },
    ...own,
  };
  return { beatmaps, calls };
}

/** The API over it, or over what the test makes of it. */
export async function openBeatmapApi(own: Partial<BeatmapService> = {}) {
  const { beatmaps, calls } = fakeBeatmaps(own);
  const { app } = await createApiServer({ beatmaps });
  return { get: (path: string) => app.inject(`/api/${path}`), app, calls };
}
