/**
 * `npm run check-stars [FOLDER]`: holds rosu-pp-js against osu!'s own calculator, on the `.osu` files of a folder (`DATA_DIR/osu` has those that a
 * bot has read) or else on maps drawn the way people map, and osu!'s own calculator against the folder's `published.json`:
 * `[{ "file", "mods"?, "stars", "maxCombo"? }]`. Where that calculator is not installed, rosu-pp-js is held against what is published.
 * docs/operate/osu.md says how it is installed; NODE_PATH may name another folder than ours.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as rosu from 'rosu-pp-js';
import * as z from 'zod';
import { findCalculatorLibrary } from '../../src/beatmaps/difficulty/calculator.ts';
import { type CalculatorLibrary, calculate } from '../../src/beatmaps/difficulty/calculator-process.ts';
import { RULESETS } from '../../src/beatmaps/model/beatmapset.ts';
import { generateMap } from '../bench/generated-maps.ts';

const MOD_SETS: readonly (readonly string[])[] = [[], ['DT'], ['HR'], ['EZ'], ['HD', 'DT']];
/** osu!'s own tests ask for as much. */
const TOLERANCE = 1e-4;
const MAPS_A_RULESET = 40;
const publishedSchema = z.array(
  z.object({
    file: z.string(),
    mods: z.array(z.string()).default([]),
    stars: z.number(),
    maxCombo: z.number().optional(),
  }),
);

const found = findCalculatorLibrary();
const folder = process.argv[2];
if (folder !== undefined && !existsSync(folder)) end(`There is no folder ${folder}.`);
const maps = new Map(
  folder === undefined
    ? RULESETS.flatMap(ruleset =>
        Array.from({ length: MAPS_A_RULESET }, (_, seed) => [`${ruleset} ${seed}`, generateMap(ruleset, seed).file]),
      )
    : readdirSync(folder)
        .filter(name => name.endsWith('.osu'))
        .map(name => [name, readFileSync(join(folder, name))]),
);

function end(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

function modeOf(file: Uint8Array): number {
  return Number(/^Mode:\s*(\d)/m.exec(Buffer.from(file).toString())?.[1] ?? 0);
}

function rateExactly(library: CalculatorLibrary, file: Uint8Array, mods: readonly string[]) {
  const named = mods.map(acronym => ({ acronym }));
  const given = { misses: undefined, combo: undefined, play: undefined };
  const job = { file, mode: modeOf(file), mods: named, lazer: true, accuracies: [100], ...given };
  const { stars, maxCombo, pp } = calculate(library, job);
  return { stars, maxCombo, pp: pp[0]?.pp ?? 0 };
}

function rateByRosu(file: Uint8Array, mods: readonly string[]) {
  const settings = { mods: mods.join(''), lazer: true };
  const attributes = new rosu.Difficulty(settings).calculate(new rosu.Beatmap(file));
  const { pp } = new rosu.Performance({ ...settings, accuracy: 100 }).calculate(attributes);
  return { stars: attributes.stars, maxCombo: attributes.maxCombo, pp };
}

function describeErrors(values: readonly number[]): string {
  const sizes = values.map(value => Math.abs(value) * 100);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  return `mean ${mean.toFixed(1)} %, worst ${Math.max(...sizes).toFixed(1)} %`;
}

function printErrors(library: CalculatorLibrary): void {
  const rows = [...maps].flatMap(([, file]) =>
    MOD_SETS.map(mods => ({
      mode: modeOf(file),
      exact: rateExactly(library, file, mods),
      rosu: rateByRosu(file, mods),
    })),
  );
  process.stdout.write(`${maps.size} maps ${folder === undefined ? 'as drawn' : `of ${folder}`}, pp of full combos\n`);
  for (const [mode, ruleset] of RULESETS.entries()) {
    const own = rows.filter(each => each.mode === mode && each.exact.stars > 0 && each.exact.pp > 0);
    if (own.length === 0) continue;
    const stars = describeErrors(own.map(({ exact, rosu: other }) => other.stars / exact.stars - 1));
    const pp = describeErrors(own.map(({ exact, rosu: other }) => other.pp / exact.pp - 1));
    const combos = own.filter(({ exact, rosu: other }) => exact.maxCombo !== other.maxCombo).length;
    process.stdout.write(
      `${ruleset}: rosu-pp-js off in stars ${stars}; pp ${pp}; other combos ${combos} of ${own.length}\n`,
    );
  }
}

function readPublished(path: string) {
  return publishedSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

function checkPublished(library: CalculatorLibrary, path: string): void {
  for (const { file, mods, stars, maxCombo } of readPublished(path)) {
    const map = maps.get(file);
    const rated = map && rateExactly(library, map, mods);
    const isRight =
      rated !== undefined &&
      Math.abs(rated.stars - stars) <= TOLERANCE &&
      (maxCombo === undefined || rated.maxCombo === maxCombo);
    if (!isRight) process.exitCode = 1;
    const got = rated === undefined ? 'no such file' : `${rated.stars} ${rated.maxCombo}x`;
    const asked = `${stars}${maxCombo === undefined ? '' : ` ${maxCombo}x`}`;
    process.stdout.write(`${isRight ? 'right' : 'WRONG'}: ${file} ${mods.join('')} published ${asked}, found ${got}\n`);
  }
}

/** The errors of rosu-pp-js alone. A value of another combo is of another edition of the file. */
function printPublishedErrors(path: string): void {
  const rows = readPublished(path).flatMap(({ file, mods, stars, maxCombo }) => {
    const map = maps.get(file);
    const rated = map && rateByRosu(map, mods);
    const isSame = rated !== undefined && (maxCombo === undefined || rated.maxCombo === maxCombo);
    return map !== undefined && isSame ? [{ mode: modeOf(map), error: rated.stars / stars - 1 }] : [];
  });
  for (const [mode, ruleset] of RULESETS.entries()) {
    const errors = rows.filter(each => each.mode === mode).map(({ error }) => error);
    if (errors.length === 0) continue;
    process.stdout.write(`${ruleset}: rosu-pp-js off in ${errors.length} published stars ${describeErrors(errors)}\n`);
  }
}

const path = folder === undefined ? undefined : join(folder, 'published.json');
const listed = path !== undefined && existsSync(path) ? path : undefined;
if (found === undefined) {
  if (listed === undefined) end('osu!’s own calculator is not installed: see docs/operate/osu.md');
  printPublishedErrors(listed);
} else {
  const library: CalculatorLibrary = createRequire(import.meta.url)(found.path);
  printErrors(library);
  if (listed !== undefined) checkPublished(library, listed);
  else process.stdout.write('No published.json: nothing was compared with published values.\n');
}
