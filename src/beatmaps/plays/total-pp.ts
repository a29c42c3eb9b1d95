/** This file calculates a player's total pp if they had more plays, or better ones in place of existing ones. */

/** A player's best plays, and the total pp that osu! shows. */
export interface PpStanding {
  /** The pp of the best plays, in any order; osu!'s API has up to 200. */
  readonly best: readonly number[];
  /** The total; null if osu! states none at present, in which case the best plays count as all plays. */
  readonly total: number | null;
}

export interface WhatIf {
  readonly total: number;
  readonly gain: number;
  /** The position of the new play among the best plays, from 1; null if it is not among those that osu! lists. */
  readonly place: number | null;
}

const MOST_GIVEN = 200;

function ownTotal({ best, total }: PpStanding): number {
  return total ?? sumOf(best);
}

function sumOf(plays: readonly number[]): number {
  return weightedPp(plays.toSorted((a, b) => b - a));
}

/** The total with `times` more plays of this pp, each on another map. */
export function addPlays(standing: PpStanding, pp: number, times: number): WhatIf {
  const before = ownTotal(standing);
  const best = [...standing.best];
  let total = before;
  for (let time = 0; time < times; time += 1) {
    total += createTotalPp(best, total).gain(pp);
    best.push(pp);
  }
  const place = standing.best.filter(each => each >= pp).length + 1;
  return { total, gain: total - before, place: place > MOST_GIVEN ? null : place };
}

/** The total if the best plays had these pp instead, given in the order of `best`. */
export function replacePlays(standing: PpStanding, worths: readonly number[]): number {
  return ownTotal(standing) - sumOf(standing.best) + sumOf(worths);
}

/** The total with a better play on a map. @param index the place in `best` of the present play; negative for none */
export function replacePlay(standing: PpStanding, index: number, pp: number): WhatIf {
  if (index < 0) return addPlays(standing, pp, 1);
  const worths = standing.best.with(index, pp);
  const total = replacePlays(standing, worths);
  return { total, gain: total - ownTotal(standing), place: worths.filter(each => each > pp).length + 1 };
}

/** More pp than any play has today. A total for which a play needs more cannot be reached. */
const MOST_PP = 5_000;
/** The precision to which the needed pp are searched, finer than what is shown. */
const STEP = 0.05;

/**
 * The pp that each of `times` new plays needs to bring the total to `target`; null if no play can have so many pp.
 * @param target above the present total
 */
export function worthNeeded(standing: PpStanding, target: number, times: number): number | null {
  const reaches = (pp: number) => addPlays(standing, pp, times).total >= target;
  if (!reaches(MOST_PP)) return null;
  let low = 0;
  let high = MOST_PP;
  while (high - low > STEP) {
    const middle = (low + high) / 2;
    if (reaches(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** osu!'s rule for the total pp: the n-th best play counts with 0.95^(n-1) of its pp, and ranked plays add a bonus. */
const DECAY = 0.95;

/** The largest bonus for ranked plays, which hardly grows any more after a thousand plays (osu!, 2025). */
const BONUS_MOST = 416.6667;
const BONUS_DECAY = 0.995;

/** @param descending the pp of plays, best first */
export function weightedPp(descending: readonly number[]): number {
  return descending.reduce((sum, pp, index) => sum + pp * DECAY ** index, 0);
}

/**
 * @param best pp of the player's best plays, in any order; the API has 200
 * @param total the player's total pp as osu! shows them: what they have beyond the weighted pp of `best` is taken for
 * the bonus for ranked plays. If null, `best` counts as all plays, and their number tells the bonus
 */
export function createTotalPp(best: readonly number[], total: number | null) {
  const sum = sumOf(best);
  const bonus = total === null ? BONUS_MOST * (1 - BONUS_DECAY ** best.length) : total - sum;
  const nextBonus = Math.max(0, Math.min(BONUS_MOST, BONUS_MOST - bonus)) * (1 - BONUS_DECAY);
  return {
    /** How much the total grows by a new play of this pp on another map. Never negative. */
    gain: (pp: number) => Math.max(0, sumOf([...best, pp]) - sum) + nextBonus,
  };
}
