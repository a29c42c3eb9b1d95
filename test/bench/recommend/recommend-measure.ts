/** How good recommendations are in a world whose truth is known, beside two ways of doing without them. */
import type { Catalogue } from '../../../src/beatmaps/catalogue/catalogue.ts';
import { createCatalogueHere } from '../../../src/beatmaps/catalogue/open-catalogue.ts';
import type { Difficulty } from '../../../src/beatmaps/difficulty/difficulty.ts';
import type { Beatmapset } from '../../../src/beatmaps/model/beatmapset.ts';
import { recommendedStars } from '../../../src/beatmaps/rating/pp-estimate.ts';
import type { RecommendRequest } from '../../../src/beatmaps/recommend/question.ts';
import { createRecommend, type Recommend, type RecommendOptions } from '../../../src/beatmaps/recommend/recommend.ts';
import { createRecommendationHistory } from '../../../src/beatmaps/recommend/recommendation-history.ts';
import type { Store } from '../../../src/infra/store/store.ts';
import { madeUpPlayer } from '../../beatmaps/made-up-players.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { createRandom } from '../generated-sets.ts';
import { bestAttempt, truePp, type World, type WorldMap, type WorldPlayer } from './player-world.ts';

export interface Measured {
  readonly name: string;
  readonly lists: number;
  readonly picks: number;
  /** Shares of the picks, 0 to 1; hits are null where nothing is aimed at. */
  readonly hits: number | null;
  readonly ownPlays: number;
  readonly repeats: number;
  /** Most maps of one mapper in ten. */
  readonly ofMapper: number;
  /** pp that the total grows by when a list of ten is played, each map up to five times. */
  readonly gain: number;
}

interface Picked {
  readonly one: WorldMap;
  readonly mods: readonly string[];
  /** Whether its pp is what was aimed at. */
  readonly isHit: boolean | null;
}

const TOLERANCE = 0.12;
const LIMIT = 10;
const TRIES = 5;

/** The catalogue with these sets, in a store of its own. */
export async function openCatalogue(sets: readonly Beatmapset[], store: Store): Promise<Catalogue> {
  const catalogue = createCatalogueHere({
    store,
    onFailure: error => {
      throw error;
    },
  });
  for (let done = 0; done < sets.length; done += 2_000) {
    catalogue.remember(sets.slice(done, done + 2_000));
    await catalogue.flush();
  }
  return catalogue;
}

/** The recommender over the world, the API's answers played by it; without a catalogue it gets one of its own in the store. */
export async function openRecommender(
  world: World,
  store: Store,
  options: Partial<Pick<RecommendOptions, 'catalogue' | 'difficulty' | 'ratings' | 'rescoreMs'>> = {},
): Promise<Recommend> {
  const catalogue = options.catalogue ?? (await openCatalogue(world.sets, store));
  const players = new Map(world.players.map(player => [player.id, player]));
  const playerOf = (user: number | string) => {
    const player = players.get(Number(user));
    if (player === undefined) throw new TypeError(`there is no player ${user}`);
    return player;
  };
  const fresh = { source: 'osu', stale: false } as const;
  const nothing = () => Promise.reject(new TypeError('not asked for here'));
  return createRecommend({
    beatmaps: {
      user: async user => ({ ...fresh, user: madeUpPlayer(playerOf(user).id, playerOf(user).totalPp) }),
      userScores: async (user, type, options = {}) => {
        const { best, recent } = playerOf(user);
        const page = type === 'recent' ? recent : options.cursor === undefined ? best.slice(0, 100) : best.slice(100);
        return { ...fresh, scores: page, cursor: null };
      },
      search: async () => ({ ...fresh, sets: [], total: 0, cursor: null, corrected: false }),
      set: nothing,
      setOfMap: nothing,
    },
    history: createRecommendationHistory({ records: embeddedRecords(store) }),
    log: createRecordingLog(),
    ...options,
    catalogue,
  });
}

/** What a library that knows the maps would say: a little wrong, and by rules that have moved on. */
export function libraryOf(world: World): Pick<Difficulty, 'of'> {
  return {
    async of({ beatmap, mods, accuracies = [], misses = 0 }) {
      const one = world.maps.get(beatmap.id);
      if (one === undefined) throw new TypeError(`no map ${beatmap.id}`);
      const names = mods.map(mod => (typeof mod === 'string' ? mod : mod.acronym));
      const wrong = 0.985 * (0.97 + 0.06 * createRandom(beatmap.id)());
      const pp = accuracies.map(accuracy => ({ accuracy, pp: truePp(one, names, accuracy / 100, misses) * wrong }));
      const { difficulty_rating: stars, max_combo, ar, od, cs, hp, bpm, total_length } = one.map;
      const figures = {
        ar: ar ?? 0,
        od: od ?? 0,
        cs: cs ?? 0,
        hp: hp ?? 0,
        bpm: bpm ?? 0,
        lengthSeconds: total_length,
      };
      const rest = {
        clockRate: 1,
        play: null,
        strains: null,
        algorithm: '2025-02-27',
        isOtherFile: false,
        isExact: false,
      };
      return { ...figures, ...rest, stars, plainStars: stars, maxCombo: max_combo ?? 0, pp };
    },
  };
}

/** What playing a list adds to the total: the best of a few tries each. */
function gainOf(player: WorldPlayer, picks: readonly Picked[], random: () => number): number {
  const plays = new Map(player.best.map(({ beatmap_id, pp }) => [beatmap_id, pp ?? 0]));
  const sum = () =>
    [...plays.values()].sort((a, b) => b - a).reduce((total, pp, index) => total + pp * 0.95 ** index, 0);
  const before = sum();
  for (const { one, mods } of picks) {
    const pp = bestAttempt(player, one, mods, TRIES, random)?.pp ?? 0;
    plays.set(one.map.id, Math.max(plays.get(one.map.id) ?? 0, pp));
  }
  return sum() - before;
}

type Way = (player: WorldPlayer, round: number) => Promise<readonly Picked[]>;

function mostOfMapper(list: readonly Picked[]): number {
  const counts = new Map<number | null, number>();
  for (const { one } of list) counts.set(one.map.user_id, (counts.get(one.map.user_id) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Every player asks `rounds` times for ten. */
export async function measure(name: string, world: World, rounds: number, way: Way): Promise<Measured> {
  const all: Picked[] = [];
  let [ownPlays, repeats, ofMapper, gain] = [0, 0, 0, 0];
  for (const player of world.players) {
    const own = new Set(player.best.map(({ beatmap_id }) => beatmap_id));
    const seen = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const list = await way(player, round);
      for (const { one } of list) {
        if (own.has(one.map.id)) ownPlays += 1;
        if (seen.has(one.map.id)) repeats += 1;
        seen.add(one.map.id);
      }
      all.push(...list);
      ofMapper = Math.max(ofMapper, mostOfMapper(list));
      gain += gainOf(player, list, createRandom(player.id * 1_000 + round));
    }
  }
  const lists = world.players.length * rounds;
  const picks = all.length;
  const hits = all.some(({ isHit }) => isHit === null) ? null : all.filter(({ isHit }) => isHit).length / picks;
  return {
    ...{ name, lists, picks, hits, ownPlays: ownPlays / picks, repeats: repeats / picks },
    ...{ ofMapper, gain: gain / lists },
  };
}

export function wayOf(world: World, recommend: Recommend, wishes: Partial<RecommendRequest> = {}): Way {
  return async (player, round) => {
    const seed = player.id * 100 + round;
    const caller = `bench:${player.id}`;
    const { recommendations, target } = await recommend({ ...wishes, user: player.id, limit: LIMIT, seed, caller });
    return recommendations.flatMap(({ beatmap, mods, accuracy, misses }) => {
      const one = world.maps.get(beatmap.id);
      if (one === undefined) return [];
      const pp = truePp(one, mods, accuracy, misses);
      return [{ one, mods, isHit: target === null ? null : Math.abs(pp / target.middle - 1) <= TOLERANCE }];
    });
  };
}

function drawSome(list: readonly WorldMap[], mods: readonly string[], random: () => number): readonly Picked[] {
  return Array.from({ length: LIMIT }, () => list[Math.floor(random() * list.length)]).flatMap(one =>
    one === undefined ? [] : [{ one, mods, isHit: null }],
  );
}

/** osu!'s own filter "recommended difficulty": half a star around what the total pp says; any of what is left. */
export function recommendedDifficulty(world: World): Way {
  const ranked = rankedMaps(world);
  return async (player, round) => {
    const stars = recommendedStars('osu', player.totalPp);
    const list = between(ranked, stars - 0.5, stars + 0.5);
    return drawSome(list, [], createRandom(player.id * 7 + round));
  };
}

/** Any map between the stars of the player's own plays with the same mods, in the proportions they play them. */
export function randomInRange(world: World): Way {
  const ranked = rankedMaps(world);
  return async (player, round) => {
    const random = createRandom(player.id * 11 + round);
    return Array.from({ length: LIMIT }, () => {
      const play = player.best[Math.floor(random() * player.best.length)];
      const mods = play?.mods.map(({ acronym }) => acronym) ?? [];
      const stars = player.best
        .filter(score => score.mods.map(({ acronym }) => acronym).join() === mods.join())
        .flatMap(({ beatmap }) => beatmap?.difficulty_rating ?? [])
        .sort((a, b) => a - b);
      const low = stars[Math.floor(stars.length * 0.2)] ?? 0;
      const high = stars[Math.floor(stars.length * 0.8)] ?? 0;
      return drawSome(between(ranked, low, high), mods, random)[0];
    }).flatMap(pick => pick ?? []);
  };
}

/** The easiest first. */
function rankedMaps(world: World): readonly WorldMap[] {
  return [...world.maps.values()]
    .filter(({ set }) => set.status === 'ranked')
    .sort((a, b) => a.map.difficulty_rating - b.map.difficulty_rating);
}

/** Of maps that are ordered by stars. */
function between(ordered: readonly WorldMap[], low: number, high: number): readonly WorldMap[] {
  return ordered.slice(
    firstAbove(ordered, stars => stars >= low),
    firstAbove(ordered, stars => stars > high),
  );
}

function firstAbove(ordered: readonly WorldMap[], isAbove: (stars: number) => boolean): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const stars = ordered[middle]?.map.difficulty_rating ?? 0;
    if (isAbove(stars)) high = middle;
    else low = middle + 1;
  }
  return low;
}
