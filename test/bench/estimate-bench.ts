/** How far the estimates from figures alone are off the library, by ruleset and stars. */
import * as rosu from 'rosu-pp-js';
import { maniaHits } from '../../src/beatmaps/difficulty/mania-hits.ts';
import { RULESETS, type Ruleset } from '../../src/beatmaps/model/beatmapset.ts';
import { figuresWith, modClassOf } from '../../src/beatmaps/rating/mod-class.ts';
import { estimatePp } from '../../src/beatmaps/rating/pp-estimate.ts';
import { detail } from './findings.ts';
import { generateMap } from './generated-maps.ts';
import { percentile } from './load.ts';

const MAPS: Readonly<Record<Ruleset, number>> = { osu: 150, taiko: 150, fruits: 150, mania: 150 };
const PLAYS = [
  { accuracy: 1, misses: 0 },
  { accuracy: 0.98, misses: 0 },
  { accuracy: 0.95, misses: 3 },
  { accuracy: 0.92, misses: 10 },
];
const MODS = ['', 'DT', 'HR', 'EZ', 'HT'];
const BAND = 2;
/** Nobody plays beyond. */
const MAX_STARS = 10;

interface Errors {
  /** From the stars with mods. */
  readonly pp: number[];
  /** Of what mods make of the stars. */
  readonly stars: number[];
}

/** Errors by band of stars, each as a share of the library's value. */
export function estimateErrors(ruleset: Ruleset, maps = MAPS[ruleset]): ReadonlyMap<number, Errors> {
  const bands = new Map<number, Errors>();
  for (let seed = 1; seed <= maps; seed += 1) {
    const generated = generateMap(ruleset, seed);
    const map = new rosu.Beatmap(generated.file);
    const plain = new rosu.Difficulty({}).calculate(map).stars;
    for (const mods of MODS) {
      const attributes = new rosu.Difficulty({ mods }).calculate(map);
      const { stars } = attributes;
      if (stars > MAX_STARS) continue;
      const figures = figuresWith({ ...generated, stars: plain }, modClassOf(mods === '' ? [] : [mods]));
      const band = Math.floor(stars / BAND) * BAND;
      const errors = bands.get(band) ?? { pp: [], stars: [] };
      bands.set(band, errors);
      errors.stars.push(Math.abs(figures.stars / stars - 1));
      for (const { accuracy, misses } of PLAYS) {
        const { ar, od } = figures;
        const hits =
          ruleset === 'mania'
            ? maniaHits(generated.objects, accuracy, misses, od ?? generated.od)
            : { accuracy: accuracy * 100, misses };
        const { pp } = new rosu.Performance({ mods, ...hits }).calculate(attributes);
        const estimate = estimatePp({
          ruleset,
          stars,
          accuracy,
          misses,
          objects: generated.objects,
          ar,
          od,
          mods: [mods],
        });
        errors.pp.push(Math.abs(estimate / pp - 1));
      }
    }
    map.free();
  }
  return bands;
}

function percents(errors: readonly number[]): readonly string[] {
  const sorted = errors.toSorted((a, b) => a - b);
  return [0.5, 0.9].map(share => `${(100 * percentile(sorted, share)).toFixed(1)} %`);
}

/** Prints the table. Half a minute. */
export function benchEstimates(): void {
  detail('| ruleset | stars | plays | pp off, median | p90 | stars with mods off, median | p90 |');
  detail('|---|---|--:|--:|--:|--:|--:|');
  for (const ruleset of RULESETS) {
    const bands = estimateErrors(ruleset);
    const row = (name: string, { pp, stars }: Errors) =>
      detail(`| ${[ruleset, name, pp.length, ...percents(pp), ...percents(stars)].join(' | ')} |`);
    for (const [from, errors] of [...bands].toSorted(([a], [b]) => a - b)) row(`${from}-${from + BAND}`, errors);
    const all = [...bands.values()];
    row('all', { pp: all.flatMap(({ pp }) => pp), stars: all.flatMap(({ stars }) => stars) });
  }
}
