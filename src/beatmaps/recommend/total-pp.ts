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
  /** What the total grows by with a play of so much pp on a map without one in the list. Never negative. */
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
  /** What the plays from each place on count. */
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
