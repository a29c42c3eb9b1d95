/**
 * How many recommended maps are worth what was aimed at, by the library over the maps' own files, and how long an answer takes where every
 * upstream takes its time and files come at the pace that they are asked for.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import { createDifficulty, type Difficulty } from '../../../src/beatmaps/difficulty/difficulty.ts';
import type { Ruleset } from '../../../src/beatmaps/model/beatmapset.ts';
import { modClassOf, starFactor } from '../../../src/beatmaps/rating/mod-class.ts';
import { createOfficialStars, type OfficialRating } from '../../../src/beatmaps/rating/official-stars.ts';
import { createRatings } from '../../../src/beatmaps/rating/ratings.ts';
import { createRecommend, type Recommend, type RecommendResult } from '../../../src/beatmaps/recommend/recommend.ts';
import type { Recommendation } from '../../../src/beatmaps/recommend/recommendation.ts';
import type { RecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import { createMemoryCache } from '../../../src/infra/cache/cache.ts';
import type { HttpClient } from '../../../src/infra/http/http-client.ts';
import { madeUpPlayer } from '../../beatmaps/made-up-players.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import type { LibraryPlayer } from './library-player.ts';
import { fileOf, type LibraryWorld, realPp } from './library-world.ts';

/** One answer of osu!'s API, and one file. */
const API_MS = 180;
const FILE_MS = 140;
const TOLERANCE = 0.15;
/** Before somebody asks for others. */
const READING_MS = 1_000;
const BUILT_WORKER = new URL('../../../dist/difficulty-worker.js', import.meta.url);

export interface Hits {
  readonly picks: number;
  /** Within 15 % of what was aimed at. */
  readonly hits: number;
  /** Answers that had fewer maps than asked for, or said that they are beside the target. */
  readonly short: number;
  readonly firstMs: readonly number[];
  readonly repeatMs: readonly number[];
  readonly maps: ReadonlySet<number>;
}

export interface Asked {
  readonly world: LibraryWorld;
  readonly catalogue: Catalogue;
  readonly players: readonly LibraryPlayer[];
  /** Whether files can be had. */
  readonly withFiles: boolean;
}

/** Files of the world, after a while, as every site serves them. */
function fileServer({ ruleset, maps }: LibraryWorld): HttpClient {
  const nothing = () => Promise.reject(new TypeError('not asked for here'));
  return {
    hasBrowserTransport: false,
    async request({ url, signal }) {
      await sleep(FILE_MS, undefined, { signal });
      const address = String(url);
      const one = maps.get(Number(address.split('/').at(-1)));
      const bytes = Buffer.from(one === undefined ? '' : fileOf(ruleset, one));
      return { status: one === undefined ? 404 : 200, headers: {}, url: address, bytes, text: '' };
    },
    stream: nothing,
    close: async () => undefined,
  };
}

/** osu!'s API as it answers at first; a moment later its answers are known. */
function playersOf(players: readonly LibraryPlayer[], ruleset: Ruleset) {
  const fresh = { source: 'osu', stale: false } as const;
  const known = new Set<string>();
  const answered = async <T>(key: string, value: T): Promise<T> => {
    if (!known.has(key)) await sleep(API_MS);
    known.add(key);
    return value;
  };
  const playerOf = (user: number | string) => {
    const player = players.find(({ id }) => id === Number(user));
    if (player === undefined) throw new TypeError(`there is no player ${user}`);
    return player;
  };
  const nothing = () => Promise.reject(new TypeError('not asked for here'));
  return {
    user: async (user: number | string) => {
      const { id, totalPp } = playerOf(user);
      return answered(`user ${id}`, { ...fresh, user: madeUpPlayer(id, totalPp, ruleset) });
    },
    userScores: async (user: number | string, type: string, options: { readonly cursor?: string | undefined } = {}) => {
      const { id, best } = playerOf(user);
      const scores = type === 'best' && options.cursor === undefined ? best : [];
      return answered(`${type} ${id} ${options.cursor ?? ''}`, { ...fresh, scores, cursor: null });
    },
    search: async () => ({ ...fresh, sets: [], total: 0, cursor: null, corrected: false }),
    set: nothing,
    setOfMap: nothing,
  };
}

function noHistory(): Pick<RecommendationHistory, 'mapsOf' | 'add'> {
  const maps = new Map<string, number[]>();
  return {
    mapsOf: async key => new Set(maps.get(key)),
    add: async (key, ids) => void maps.set(key, [...(maps.get(key) ?? []), ...ids]),
  };
}

interface Opened {
  readonly recommend: Recommend;
  close(): Promise<void>;
}

/** As it is just after the start: nothing is known, every pace is unused. */
async function open({ world, catalogue, players, withFiles }: Asked): Promise<Opened> {
  const dataDir = await mkdtemp(join(tmpdir(), 'medley-hits-'));
  const log = createRecordingLog();
  const difficulty: Difficulty | undefined = withFiles
    ? createDifficulty({ http: fileServer(world), dataDir, log, workerFile: BUILT_WORKER })
    : undefined;
  // About right: what it says is not measured, and the library would hold up in this thread what is.
  const osu = {
    attributes: async (id: number, { mods = [] }: { readonly mods?: readonly (string | { acronym: string })[] }) => {
      await sleep(API_MS);
      const one = world.maps.get(id);
      if (one === undefined) throw new TypeError(`there is no map ${id}`);
      const names = mods.map(mod => (typeof mod === 'string' ? mod : mod.acronym));
      const star_rating = one.map.difficulty_rating * starFactor(world.ruleset, modClassOf(names));
      return { star_rating, max_combo: null, values: {} };
    },
  };
  const official = createOfficialStars({ osu, cache: createMemoryCache<OfficialRating>({ maxEntries: 1_000 }), log });
  const recommend = createRecommend({
    beatmaps: playersOf(players, world.ruleset),
    catalogue,
    history: noHistory(),
    difficulty,
    ratings: createRatings({ official, difficulty }),
    log,
  });
  return {
    recommend,
    async close() {
      await difficulty?.close();
      // What is still on its way may be kept meanwhile.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/** Players that are measured at the same time: most of it is waiting. */
export const AT_ONCE = 2;
const LIMIT = 10;

interface Answered {
  readonly turn: 'first' | 'repeat';
  readonly ms: number;
  readonly answer: RecommendResult;
  readonly player: LibraryPlayer;
}

/** Asks twice for ten, the second time a moment after the first ten were seen. */
async function askTwice(asked: Asked, player: LibraryPlayer): Promise<readonly Answered[]> {
  const { recommend, close } = await open(asked);
  try {
    const answers: Answered[] = [];
    for (const turn of ['first', 'repeat'] as const) {
      const start = performance.now();
      const seed = player.id * 10 + answers.length;
      const answer = await recommend({ limit: LIMIT, user: player.id, seed, caller: 'bench' });
      answers.push({ turn, ms: performance.now() - start, answer, player });
      if (asked.withFiles && turn === 'first') await sleep(READING_MS);
    }
    return answers;
  } finally {
    await close();
  }
}

export async function measureHits(asked: Asked): Promise<Hits> {
  const waiting = asked.players.values();
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    const answers: Answered[] = [];
    for (const player of waiting) answers.push(...(await askTwice(asked, player)));
    return answers;
  });
  const answers = (await Promise.all(lanes)).flat();
  const msOf = (turn: Answered['turn']) => answers.flatMap(each => (each.turn === turn ? each.ms : []));
  const first = answers.filter(({ turn }) => turn === 'first');
  return {
    picks: answers.reduce((sum, { answer }) => sum + answer.recommendations.length, 0),
    hits: answers.reduce((sum, { answer, player }) => sum + countHits(asked.world, player, answer), 0),
    short: answers.filter(({ answer }) => answer.isFew || answer.isBeside).length,
    maps: new Set(first.flatMap(({ answer }) => answer.recommendations.map(({ beatmap }) => beatmap.id))),
    firstMs: msOf('first'),
    repeatMs: msOf('repeat'),
  };
}

function countHits(
  world: LibraryWorld,
  player: LibraryPlayer,
  { recommendations, target }: Pick<RecommendResult, 'recommendations' | 'target'>,
): number {
  const isHit = ({ beatmap, mods, accuracy, misses }: Recommendation) => {
    const one = world.maps.get(beatmap.id);
    if (one === undefined || target === null) return false;
    const pp = realPp(world, player, one, mods, { accuracy, misses });
    return Math.abs(pp / target.middle - 1) <= TOLERANCE;
  };
  return recommendations.filter(isHit).length;
}
