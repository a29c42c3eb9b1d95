/**
 * `npm run check-stars [FOLDER]`: holds rosu-pp-js against osu!'s own calculator, on the `.osu` files of a folder or else on ours, and osu!'s
 * own calculator against the folder's `published.json`: `[{ "file", "mods"?, "stars", "maxCombo"? }]`. The calculator is no dependency of
 * Medley (`npm install --no-save @tosuapp/lazer-calculator-linux-x64@0.6.1-20260729-main.0`, or in a folder that NODE_PATH names).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as rosu from 'rosu-pp-js';
import * as z from 'zod';
import { RULESETS } from '../../src/beatmaps/model/beatmapset.ts';
import { MAPS } from '../beatmaps/difficulty/osu-maps.ts';

interface Attributes {
  getData(): { readonly stars: number; readonly maxCombo: number; readonly nSliders: number };
}

interface PlayBeatmap {
  readonly mode: number;
  applyMods(mods: readonly { readonly acronym: string; readonly settings: ReadonlyMap<string, object> }[]): void;
  createGradualDifficulty(): { skipToEnd(): void; createDifficultyAttrs(): Attributes };
  createScore(accuracy: number): object;
  calculatePerformance(attributes: Attributes, score: object): { readonly pp: number };
}

interface Calculator {
  readonly PlayBeatmap: { parse(text: string): PlayBeatmap };
}

const MOD_SETS: readonly (readonly string[])[] = [[], ['DT'], ['HR'], ['EZ'], ['HD', 'DT']];
/** osu!'s own tests ask for as much. */
const TOLERANCE = 1e-4;
const publishedSchema = z.array(
  z.object({
    file: z.string(),
    mods: z.array(z.string()).default([]),
    stars: z.number(),
    maxCombo: z.number().optional(),
  }),
);

const calculator: Calculator = createRequire(import.meta.url)('@tosuapp/lazer-calculator-linux-x64');
const folder = process.argv[2];
const maps = new Map(
  folder === undefined
    ? Object.entries(MAPS)
    : readdirSync(folder)
        .filter(name => name.endsWith('.osu'))
        .map(name => [name, readFileSync(join(folder, name), 'utf8')]),
);

function rateExactly(text: string, mods: readonly string[]) {
  const map = calculator.PlayBeatmap.parse(text);
  map.applyMods(mods.map(acronym => ({ acronym, settings: new Map() })));
  const steps = map.createGradualDifficulty();
  steps.skipToEnd();
  const attributes = steps.createDifficultyAttrs();
  const { stars, maxCombo, nSliders } = attributes.getData();
  // A score of the calculator's own making has no ends of sliders, which counts as having dropped them all.
  const score = { ...map.createScore(1), maxCombo, sliderEndHits: nSliders };
  return { mode: map.mode, stars, maxCombo, pp: map.calculatePerformance(attributes, score).pp };
}

function rateByRosu(text: string, mods: readonly string[]) {
  const settings = { mods: mods.join(''), lazer: true };
  const attributes = new rosu.Difficulty(settings).calculate(new rosu.Beatmap(text));
  const { pp } = new rosu.Performance({ ...settings, accuracy: 100 }).calculate(attributes);
  return { stars: attributes.stars, maxCombo: attributes.maxCombo, pp };
}

function describeErrors(values: readonly number[]): string {
  const sizes = values.map(value => Math.abs(value) * 100);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return `mean ${mean.toFixed(1)} %, worst ${Math.max(...sizes).toFixed(1)} %`;
}

const rows = [...maps].flatMap(([name, text]) =>
  MOD_SETS.map(mods => ({ name, mods, exact: rateExactly(text, mods), rosu: rateByRosu(text, mods) })),
);
process.stdout.write(`${maps.size} maps ${folder === undefined ? 'of our own' : `of ${folder}`}, pp of full combos\n`);
for (const [mode, ruleset] of RULESETS.entries()) {
  const own = rows.filter(({ exact }) => exact.mode === mode && exact.stars > 0 && exact.pp > 0);
  if (own.length === 0) continue;
  const stars = describeErrors(own.map(({ exact, rosu: other }) => other.stars / exact.stars - 1));
  const pp = describeErrors(own.map(({ exact, rosu: other }) => other.pp / exact.pp - 1));
  const combos = own.filter(({ exact, rosu: other }) => exact.maxCombo !== other.maxCombo).length;
  process.stdout.write(
    `${ruleset}: rosu-pp-js off in stars ${stars}; pp ${pp}; other combos ${combos} of ${own.length}\n`,
  );
}

const listed = folder === undefined ? undefined : join(folder, 'published.json');
if (listed === undefined || !existsSync(listed)) {
  process.stdout.write('No published.json: nothing was compared with published values.\n');
} else {
  for (const { file, mods, stars, maxCombo } of publishedSchema.parse(JSON.parse(readFileSync(listed, 'utf8')))) {
    const text = maps.get(file);
    const found = text === undefined ? undefined : rateExactly(text, mods);
    const isRight =
      found !== undefined &&
      Math.abs(found.stars - stars) <= TOLERANCE &&
      (maxCombo === undefined || found.maxCombo === maxCombo);
    if (!isRight) process.exitCode = 1;
    const got = found === undefined ? 'no such file' : `${found.stars} ${found.maxCombo}x`;
    process.stdout.write(`${isRight ? 'right' : 'WRONG'}: ${file} ${mods.join('')} published ${stars}, found ${got}\n`);
  }
}
