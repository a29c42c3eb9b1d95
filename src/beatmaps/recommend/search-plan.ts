import type { Candidate } from '../catalogue/candidate.ts';
import type { Ruleset } from '../model/beatmapset.ts';
import type { Bounds, CandidateWindow } from './catalogue-candidates.ts';
import { type Figures, figuresWith, modClassOf, starFactor } from './mod-class.ts';
import { ANY_MODS, allowsClass, type ModFilter } from './mod-filter.ts';
import { type ClassProfile, FEATURES, type PlayerProfile } from './player-profile.ts';
import { recommendedStars, starsForPp } from './pp-estimate.ts';
import type { ScoredCandidate, SearchTarget, Span } from './scoring.ts';

/** What somebody asks of his recommendations. Figures are as played, with the mods; ends included. */
export interface RecommendFilters {
  readonly mods?: ModFilter | undefined;
  /** Steps harder, or easier below 0. */
  readonly bias?: number | undefined;
  readonly pp?: Bounds | undefined;
  readonly stars?: Bounds | undefined;
  readonly ar?: Bounds | undefined;
  readonly bpm?: Bounds | undefined;
  /** Seconds. */
  readonly length?: Bounds | undefined;
  /** Maps known for giving much pp, or not those; left out, they come as they come. */
  readonly farm?: boolean | undefined;
  /** Loved maps too, which give no pp. */
  readonly loved?: boolean | undefined;
}

/** Where to look, and what for. */
export interface SearchPlan {
  readonly aim: SearchTarget;
  readonly searches: readonly PlannedSearch[];
  /** Somebody new: kind maps that everybody likes. */
  readonly isStart: boolean;
}

export interface PlannedSearch {
  readonly profile: ClassProfile;
  readonly window: CandidateWindow;
  /** Of all that is looked at, 0 to 1. */
  readonly part: number;
}

/** From so many plays on a player's own pp say what he can do. */
const ENOUGH_PLAYS = 10;
const PP_STEP = 1.12;
const STARS_STEP = 1.06;
/** A play worth recommending, as a multiple of the pivot. */
const REACH = { low: 1, high: 1.16 };
const MOST_ABOVE_TOP = 80;
/** How far the pp of two maps of the same stars may lie apart. */
const VARIETY = 1.15;
const LEAST_SHARE = 0.03;
const MAX_CLASSES = 4;
const START: Span = { low: 1, middle: 1.7, high: 2.5 };
const OPEN_END = 1.3;
const LIKE_REACH = 0.35;

/**
 * @param profile of the player, or of nobody: without plays
 * @param totalPp what osu! shows for him; null when unknown
 * @param like a map whose manner is wished for
 */
export function planSearch(
  profile: PlayerProfile,
  totalPp: number | null,
  wishes: RecommendFilters,
  like: Candidate | undefined,
): SearchPlan {
  const bias = wishes.bias ?? 0;
  const classes = classesFor(profile, wishes.mods ?? ANY_MODS).map(own =>
    like === undefined ? own : likened(own, like),
  );
  const pp = ppSpan(profile, wishes, bias);
  const stars = pp === null ? starSpan(profile, totalPp, wishes, bias, like) : null;
  const isStart = pp === null && wishes.stars === undefined && like === undefined;
  const aim: SearchTarget = {
    pp,
    stars,
    chosen: (['ar', 'bpm', 'length'] as const).filter(feature => wishes[feature] !== undefined),
    farm: wishes.farm,
    popularity: isStart ? 4 : 1,
  };
  const parts = classes.map(({ share }) => Math.sqrt(Math.max(0.05, share)));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  const searches = classes.map((own, index) => ({
    profile: own,
    window: windowFor(profile.ruleset, own, aim, wishes),
    part: (parts[index] ?? 0) / whole,
  }));
  return { aim, searches, isStart };
}

function ppSpan({ plays, pivot, top }: PlayerProfile, wishes: RecommendFilters, bias: number): Span | null {
  if (wishes.pp !== undefined) return spanOf(wishes.pp);
  if (wishes.stars !== undefined || pivot === null || top === null || plays.length < ENOUGH_PLAYS) return null;
  const low = pivot * REACH.low * PP_STEP ** bias;
  const high = Math.min(pivot * REACH.high, top + MOST_ABOVE_TOP) * PP_STEP ** bias;
  return { low, middle: Math.sqrt(low * high), high };
}

function starSpan(
  { ruleset, plays }: PlayerProfile,
  totalPp: number | null,
  { stars }: RecommendFilters,
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
  return around(START.middle, START.middle - START.low, START.high - START.middle);
}

/** An open end lies a good piece off the other. */
function spanOf({ low, high }: Bounds): Span {
  const from = low > 0 ? low : high / OPEN_END;
  const to = Number.isFinite(high) ? high : low * OPEN_END;
  return { low: from, middle: Math.sqrt(from * to), high: to };
}

const NOBODY: ClassProfile = {
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

/** What he plays of the mods that are wished for; else those mods as he might play them. */
function classesFor({ classes }: PlayerProfile, wish: ModFilter): readonly ClassProfile[] {
  const allowed = classes.filter(({ modClass }) => allowsClass(wish, modClass));
  const usual = allowed.filter(({ share }) => share >= LEAST_SHARE || wish.must.length > 0).slice(0, MAX_CLASSES);
  if (usual.length > 0) return usual;
  const { cs, length } = classes[0]?.features ?? {};
  const features = { ...(cs === undefined ? {} : { cs }), ...(length === undefined ? {} : { length }) };
  const base = classes[0] === undefined ? NOBODY : { ...classes[0], features };
  return [{ ...base, modClass: modClassOf(wish.must), plays: [], share: 1 }];
}

/** The same player, in the mood for maps like that one. */
function likened(profile: ClassProfile, like: Candidate): ClassProfile {
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

function windowFor(
  ruleset: Ruleset,
  profile: ClassProfile,
  aim: SearchTarget,
  wishes: RecommendFilters,
): CandidateWindow {
  const { modClass, keys } = profile;
  const factor = starFactor(ruleset, modClass);
  const { low, high } = starsOf(ruleset, profile, aim);
  const { bpm, length } = wishes;
  return {
    ruleset,
    stars: { low: low / factor, high: high / factor },
    bpm: bpm === undefined ? undefined : scaled(bpm, 1 / modClass.rate),
    length: length === undefined ? undefined : scaled(length, modClass.rate),
    cs: keys === null ? undefined : { low: keys - 0.5, high: keys + 0.5 },
    loved: wishes.loved ?? false,
  };
}

function starsOf(ruleset: Ruleset, profile: ClassProfile, { pp, stars }: SearchTarget): Bounds {
  if (pp === null) return stars ?? START;
  const { accuracy, misses, objects, calibration, features } = profile;
  const usual = { ruleset, accuracy, misses, objects, ar: features.ar?.middle ?? null };
  return {
    low: starsForPp(pp.low / VARIETY / calibration, usual),
    high: starsForPp((pp.high * VARIETY) / calibration, usual),
  };
}

/** An open end is far away rather than endless, which no table can be asked for. */
function scaled({ low, high }: Bounds, factor: number): Bounds {
  return { low: low * factor, high: Math.min(high * factor, 1e6) };
}

/** Whether a choice is within everything that was asked for. */
export function isWished({ figures, pp }: Pick<ScoredCandidate, 'figures' | 'pp'>, wishes: RecommendFilters): boolean {
  return (
    isWithin(pp, wishes.pp) &&
    isWithin(figures.stars, wishes.stars) &&
    isWithin(figures.length, wishes.length) &&
    isKnownWithin(figures, 'ar', wishes) &&
    isKnownWithin(figures, 'bpm', wishes)
  );
}

function isKnownWithin(figures: Figures, feature: 'ar' | 'bpm', wishes: RecommendFilters): boolean {
  const value = figures[feature];
  return wishes[feature] === undefined || (value !== null && isWithin(value, wishes[feature]));
}

function isWithin(value: number, bounds: Bounds | undefined): boolean {
  return bounds === undefined || (value >= bounds.low && value <= bounds.high);
}
