/** Totals that a player would have with other plays. */

/** A player's best plays and total as osu! shows it. */
export interface PpStanding {
  /** pp of the best plays, in any order; osu! gives 200. */
  readonly best: readonly number[];
  /** Null for a player who has none now: the best plays are then taken for all there is. */
  readonly total: number | null;
}

export interface WhatIf {
  readonly total: number;
  readonly gain: number;
  /** In the list of best plays, from 1; beyond those that osu! gives it is null. */
  readonly place: number | null;
}

const MOST_GIVEN = 200;

function ownTotal({ best, total }: PpStanding): number {
  return total ?? sumOf(best);
}

function sumOf(plays: readonly number[]): number {
  return weightedPp([...plays].sort((a, b) => b - a));
}

/** With so many more plays of that worth, each on a map of its own. */
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

/** With other worths for the same plays, in the same order as `best`. */
export function replacePlays(standing: PpStanding, worths: readonly number[]): number {
  return ownTotal(standing) - sumOf(standing.best) + sumOf(worths);
}

/** With a better play on a map. @param index of the present play on it among the best; below 0 for none */
export function replacePlay(standing: PpStanding, index: number, pp: number): WhatIf {
  if (index < 0) return addPlays(standing, pp, 1);
  const worths = standing.best.with(index, pp);
  const total = replacePlays(standing, worths);
  return { total, gain: total - ownTotal(standing), place: worths.filter(each => each > pp).length + 1 };
}

/** No play of today is worth so much; a target that asks for more is out of reach with so many plays. */
const MOST_PP = 5_000;
/** Finer than what is shown. */
const STEP = 0.05;

/**
 * Worth that each of so many new plays must have for that total; null where no play could do it.
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

/** How single plays make a player's total, by osu!'s rule: the n-th best counts 0.95^(n-1) of itself, and ranked plays give a bonus. */
const DECAY = 0.95;

/** Bonus for the number of ranked plays: up to about 417 pp, hardly more after the thousandth (osu!, 2025). */
const BONUS_MOST = 416.6667;
const BONUS_DECAY = 0.995;

/** @param descending pp of plays, best first */
export function weightedPp(descending: readonly number[]): number {
  return descending.reduce((sum, pp, index) => sum + pp * DECAY ** index, 0);
}

export interface TotalPp {
  /** Growth of the total by a play of so much pp on a map without one in the list. Never negative. */
  gain(pp: number): number;
}

/**
 * @param best pp of the player's best plays, in any order; the API knows 200
 * @param total their pp as osu! shows it, from which the bonus so far follows; null when unknown, which takes the plays for all there are
 */
export function createTotalPp(best: readonly number[], total: number | null): TotalPp {
  const plays = [...best].sort((a, b) => b - a);
  const sum = weightedPp(plays);
  const bonus = total === null ? BONUS_MOST * (1 - BONUS_DECAY ** plays.length) : total - sum;
  const nextBonus = Math.max(0, Math.min(BONUS_MOST, BONUS_MOST - bonus)) * (1 - BONUS_DECAY);
  /** Sums of what the plays from each place on count. */
  const tails = new Float64Array(plays.length + 1);
  for (let place = plays.length - 1; place >= 0; place -= 1) {
    tails[place] = (tails[place + 1] ?? 0) + (plays[place] ?? 0) * DECAY ** place;
  }
  return {
    gain(pp) {
      const place = placeOf(plays, pp);
      const pushed = (tails[place] ?? 0) * (1 - DECAY);
      return Math.max(0, pp * DECAY ** place - pushed) + nextBonus;
    },
  };
}

/** How many plays are at least as good. */
function placeOf(descending: readonly number[], pp: number): number {
  let low = 0;
  let high = descending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((descending[middle] ?? 0) >= pp) low = middle + 1;
    else high = middle;
  }
  return low;
}
