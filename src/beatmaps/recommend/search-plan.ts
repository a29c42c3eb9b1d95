import type { Bounds, Candidate, CandidateWindow } from '../catalogue/candidates.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import { figuresWith, modClassOf, starFactor } from '../rating/mod-class.ts';
import { recommendedStars, starsForPp } from '../rating/pp-estimate.ts';
import { ANY_MODS, allowsClass, type ModFilter, modsToPlay, type RecommendFilters } from './filters.ts';
import { type ClassProfile, FEATURES, type Feature, type PlayerProfile, type Span } from './player-profile.ts';

/** The pp, stars and kind of maps to recommend. */
export interface SearchTarget {
  /** The expected pp; null when the search goes by stars. */
  readonly pp: Span | null;
  /** The stars with mods; null when the search goes by pp. */
  readonly stars: Span | null;
  /** Features for which the person stated a range; the player's usual values of these features are ignored. */
  readonly chosen: readonly Feature[];
  /** True for more maps that give much pp for their difficulty, false for fewer; undefined if neither was requested. */
  readonly farm: boolean | undefined;
  /** How much other players' opinion of a map counts; 1 is usual. */
  readonly popularity: number;
}

/** The searches for an answer, and their target. */
export interface SearchPlan {
  readonly target: SearchTarget;
  readonly searches: readonly PlannedSearch[];
  /** True for a new player, who gets easy and popular maps. */
  readonly isStart: boolean;
}

export interface PlannedSearch {
  readonly profile: ClassProfile;
  /** The mods to play the maps with. */
  readonly mods: readonly string[];
  readonly window: CandidateWindow;
  /** The share of this search in all maps that are drawn, from 0 to 1. */
  readonly part: number;
}

/** From this many plays on, a player's own pp show what they can do. */
const ENOUGH_PLAYS = 10;
/** One step of `bias` multiplies the pp and the stars to search for by these factors. */
const PP_STEP = 1.12;
const STARS_STEP = 1.06;
/** The pp to aim for, as multiples of the `pivot` of the player's best plays (see `PlayerProfile`). */
const REACH = { low: 1, high: 1.16 };
const MOST_ABOVE_TOP = 80;
/** The factor by which the pp of two maps of equal stars may differ. */
const VARIETY = 1.15;
const LEAST_SHARE = 0.03;
const LEAST_PLAYS = 2;
const MAX_CLASSES = 4;
const START: Span = { low: 1, middle: 1.7, high: 2.5 };
/** The highest approach rate of easy maps, and the highest of all maps, which needs DT. */
const EASY_AR = 5;
const MAX_AR = 11;
/** A player whose maps should have more stars than this does not count as new. */
const MAX_START = 3;
/**
 * The factor by which a search may go below and above the stars of the player's own plays. Without this bound it could
 * go far beyond them, because in some rulesets pp tell little about stars.
 */
const STARS_BEYOND = 1.15;
const OPEN_END = 1.3;
const LIKE_REACH = 0.35;

/**
 * @param profile of the player; without plays if there is no player
 * @param totalPp that osu! shows for the player; null when unknown
 * @param like a map to which similar maps are wanted
 */
export function planSearch(
  profile: PlayerProfile,
  totalPp: number | null,
  asked: RecommendFilters,
  like: Candidate | undefined,
): SearchPlan {
  const filters = { ...asked, pp: boundedOf(asked.pp), stars: boundedOf(asked.stars) };
  const bias = filters.bias ?? 0;
  const classes = classesFor(profile, filters.mods ?? ANY_MODS).map(own =>
    like === undefined ? own : withHabitsOf(own, like),
  );
  const pp = ppSpan(profile, filters, bias);
  const stars = pp === null ? starSpan(profile, totalPp, filters, bias, like) : null;
  const isStart = stars !== null && filters.stars === undefined && like === undefined && stars.middle <= MAX_START;
  const target: SearchTarget = {
    pp,
    stars,
    chosen: (['ar', 'bpm', 'length'] as const).filter(feature => filters[feature] !== undefined),
    farm: filters.farm,
    popularity: isStart ? 4 : 1,
  };
  const parts = classes.map(({ share }) => Math.sqrt(Math.max(0.05, share)));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const searches = classes.map((own, index) => {
    const mods = modsToPlay(filters.mods ?? ANY_MODS, own.modClass, own.hidden);
    const window = windowFor({ profile: own, mods }, profile.ruleset, target, filters);
    return { profile: own, mods, window, part: (parts[index] ?? 0) / whole };
  });
  return { target, searches, isStart };
}

function ppSpan({ plays, pivot, top }: PlayerProfile, filters: RecommendFilters, bias: number): Span | null {
  if (filters.pp !== undefined) return spanOf(filters.pp);
  if (filters.stars !== undefined || pivot === null || top === null || plays.length < ENOUGH_PLAYS) return null;
  const low = pivot * REACH.low * PP_STEP ** bias;
  const high = Math.min(pivot * REACH.high, top + MOST_ABOVE_TOP) * PP_STEP ** bias;
  return { low, middle: Math.sqrt(low * high), high };
}

function starSpan(
  { ruleset, plays }: PlayerProfile,
  totalPp: number | null,
  { stars, ar }: RecommendFilters,
  bias: number,
  like: Candidate | undefined,
): Span {
  if (stars !== undefined) return spanOf(stars);
  const around = (middle: number, below: number, above: number): Span => {
    const centre = middle * STARS_STEP ** bias;
    return { low: Math.max(0, centre - below), middle: centre, high: centre + above };
  };
  if (like !== undefined) return around(like.stars, LIKE_REACH, LIKE_REACH);
  const hardest = Math.max(...plays.slice(0, ENOUGH_PLAYS).map(({ figures }) => figures.stars));
  if (plays.length > 0) return around(hardest, 0.6, 0.3);
  if (totalPp !== null && totalPp > 0) return around(recommendedStars(ruleset, totalPp), 0.5, 0.5);
  // The easiest maps have a low approach rate, so a request for a high one means more stars.
  const rate = ar === undefined ? 0 : (ar.low + Math.min(ar.high, MAX_AR)) / 2;
  const factor = 1 + 0.2 * Math.max(0, rate - EASY_AR) ** 1.5;
  const middle = START.middle * factor;
  return around(middle, middle - START.low * factor, START.high * factor - middle);
}

/** The range; undefined for a range without any end, such as `0-`, which does not narrow a search. */
function boundedOf(range: Bounds | undefined): Bounds | undefined {
  return range === undefined || (range.low <= 0 && range.high === Number.POSITIVE_INFINITY) ? undefined : range;
}

/** A range with both ends; an open end gets an assumed value. */
function spanOf({ low, high }: Bounds): Span {
  const from = low > 0 ? low : high / OPEN_END;
  const to = Number.isFinite(high) ? high : low * OPEN_END;
  return { low: from, middle: Math.sqrt(from * to), high: to };
}

const NO_HABITS: ClassProfile = {
  modClass: modClassOf([]),
  keys: null,
  hidden: false,
  share: 1,
  plays: [],
  features: {},
  accuracy: 0.97,
  misses: 0,
  calibration: 1,
  objects: null,
};

/** The player's usual combinations of mods that the filter allows; if it allows none of them, the requested mods. */
function classesFor({ classes }: PlayerProfile, mods: ModFilter): readonly ClassProfile[] {
  const allowed = classes.filter(({ modClass }) => allowsClass(mods, modClass));
  // One play with a combination of mods may be chance, so several are needed, unless the person asked for these mods.
  const isHabit = ({ share, plays }: ClassProfile) => share >= LEAST_SHARE && plays.length >= LEAST_PLAYS;
  const usual = allowed.filter(isHabit).slice(0, MAX_CLASSES);
  if (usual.length > 0) return usual;
  const asked = allowed.filter(({ modClass }) => modClass.key === modClassOf(mods.must).key);
  if (mods.must.length > 0 && asked.length > 0) return asked.slice(0, MAX_CLASSES);
  const { cs, length } = classes[0]?.features ?? {};
  const features = { ...(cs === undefined ? {} : { cs }), ...(length === undefined ? {} : { length }) };
  const base = classes[0] === undefined ? NO_HABITS : { ...classes[0], features };
  return [{ ...base, modClass: modClassOf(mods.must), plays: [], share: 1 }];
}

/** The profile with the values of the map `like` as the player's usual ones. */
function withHabitsOf(profile: ClassProfile, like: Candidate): ClassProfile {
  const figures = figuresWith(like, profile.modClass);
  const features = FEATURES.flatMap(feature => {
    const value = figures[feature];
    return value === null ? [] : [[feature, { low: value, middle: value, high: value }] as const];
  });
  return {
    ...profile,
    keys: like.ruleset === 'mania' ? like.cs : null,
    features: { ...profile.features, ...Object.fromEntries(features) },
  };
}

type Played = Pick<PlannedSearch, 'profile' | 'mods'>;

function windowFor(played: Played, ruleset: Ruleset, target: SearchTarget, filters: RecommendFilters): CandidateWindow {
  const { modClass, keys } = played.profile;
  const factor = starFactor(ruleset, modClass);
  const { low, high } = withinOwnStars(starsOf(played, ruleset, target), played.profile, target, filters);
  const { bpm, length } = filters;
  return {
    ruleset,
    stars: { low: low / factor, high: high / factor },
    bpm: bpm === undefined ? undefined : scaled(bpm, 1 / modClass.rate),
    length: length === undefined ? undefined : scaled(length, modClass.rate),
    cs: keys === null ? undefined : { low: keys - 0.5, high: keys + 0.5 },
    loved: filters.loved ?? false,
  };
}

function starsOf({ profile, mods }: Played, ruleset: Ruleset, { pp, stars }: SearchTarget): Bounds {
  if (pp === null) return stars ?? START;
  const { accuracy, misses, objects, calibration, features } = profile;
  const settings = { ar: features.ar?.middle ?? null, od: features.od?.middle ?? null };
  const usual = { ruleset, accuracy, misses, objects, mods, ...settings };
  return {
    low: starsForPp(pp.low / VARIETY / calibration, usual),
    high: starsForPp((pp.high * VARIETY) / calibration, usual),
  };
}

/** Keeps a search within the stars of the player's plays with these mods, unless pp are given or plays are few. */
function withinOwnStars(
  bounds: Bounds,
  { plays }: ClassProfile,
  { pp }: SearchTarget,
  filters: RecommendFilters,
): Bounds {
  if (pp === null || filters.pp !== undefined || plays.length < ENOUGH_PLAYS) return bounds;
  const step = STARS_STEP ** (filters.bias ?? 0);
  const stars = plays.map(({ figures }) => figures.stars * step);
  const low = Math.max(bounds.low, Math.min(...stars) / STARS_BEYOND);
  const high = Math.min(bounds.high, Math.max(...stars) * STARS_BEYOND);
  return low < high ? { low, high } : bounds;
}

/** Scales a range. An open end becomes a large number, because a query cannot contain infinity. */
function scaled({ low, high }: Bounds, factor: number): Bounds {
  return { low: low * factor, high: Math.min(high * factor, 1e6) };
}
