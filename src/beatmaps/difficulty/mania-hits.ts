/** Works out how the hits of a mania play spread over the hit results, since accuracy alone does not tell. */

type ManiaShares = Readonly<Record<'nGeki' | 'n300' | 'nKatu' | 'n100' | 'n50', number>>;

/**
 * The timing windows of the hit results, best first: milliseconds before and after the right moment at overall
 * difficulty 0, with their weight in accuracy. Each point of overall difficulty makes all windows but the first smaller
 * by 3 ms.
 */
const WINDOWS: readonly (readonly [name: keyof ManiaShares, widest: number, worth: number])[] = [
  ['nGeki', 16.5, 1],
  ['n300', 64, 1],
  ['nKatu', 97, 2 / 3],
  ['n100', 127, 1 / 3],
  ['n50', 151, 1 / 6],
];
const SHRINK = 3;

/** The error function for values from 0 on, by Abramowitz and Stegun 7.1.26; off by less than 2e-7. */
export function errorFunction(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return 1 - tail * Math.exp(-(x ** 2));
}

function sharesAt(deviationMs: number, od: number): readonly number[] {
  const within = WINDOWS.map(([name, widest]) => {
    const window = name === 'nGeki' ? widest : widest - SHRINK * od;
    return errorFunction(window / (deviationMs * Math.SQRT2));
  });
  const all = within.at(-1) ?? 1;
  return within.map((share, index) => (share - (within[index - 1] ?? 0)) / all);
}

/**
 * The share of each hit result among the hit objects, if timing errors are normally distributed.
 * @param accuracy of the hit objects, 0 to 1
 * @param od overall difficulty with the mods, 0 to 10
 */
export function maniaShares(accuracy: number, od: number): ManiaShares {
  let low = 1;
  let high = 400;
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    const worth = sharesAt(middle, od).reduce((sum, share, index) => sum + share * (WINDOWS[index]?.[2] ?? 0), 0);
    if (worth > accuracy) low = middle;
    else high = middle;
  }
  const [nGeki = 1, n300 = 0, nKatu = 0, n100 = 0, n50 = 0] = accuracy >= 1 ? [] : sharesAt((low + high) / 2, od);
  return { nGeki, n300, nKatu, n100, n50 };
}

/** The number of each hit result, by {@link maniaShares}. @param accuracy of the whole play, 0 to 1 */
export function maniaHits(objects: number, accuracy: number, misses: number, od: number) {
  const hits = Math.max(0, objects - misses);
  const shares = maniaShares(hits === 0 ? 0 : Math.min(1, (accuracy * objects) / hits), od);
  const counts = {
    n300: Math.round(shares.n300 * hits),
    nKatu: Math.round(shares.nKatu * hits),
    n100: Math.round(shares.n100 * hits),
    n50: Math.round(shares.n50 * hits),
  };
  const others = counts.n300 + counts.nKatu + counts.n100 + counts.n50;
  return { nGeki: Math.max(0, hits - others), ...counts, misses: Math.min(misses, objects) };
}
