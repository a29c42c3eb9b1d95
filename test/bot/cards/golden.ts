import { mkdtempSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect } from 'vitest';

const FOLDER = new URL('../../fixtures/pictures/', import.meta.url);
/** Of 255, on average over all pixels: edges are smoothed a little differently on other processors. */
const MAX_MEAN = 0.3;
/** Share of values that may be quite different. */
const MAX_SHARE = 0.0003;

/** Compares with the picture of that name in test/fixtures/pictures. A picture that differs is kept, so that it can be looked at. */
export async function expectPicture(name: string, png: Buffer): Promise<void> {
  const drawn = await pixelsOf(png);
  const golden = await readFile(new URL(`${name}.png`, FOLDER)).then(pixelsOf, () => undefined);
  const difference = golden === undefined ? undefined : differenceOf(drawn, golden);
  const isEqual = difference !== undefined && difference.mean <= MAX_MEAN && difference.share <= MAX_SHARE;
  if (isEqual) return;
  const kept = join(mkdtempSync(join(tmpdir(), 'medley-picture-')), `${name}.png`);
  writeFileSync(kept, png);
  expect.fail(`${name} looks different (${JSON.stringify(difference)}); what was drawn is ${kept}`);
}

interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

async function pixelsOf(png: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function differenceOf(left: Pixels, right: Pixels): { readonly mean: number; readonly share: number } {
  if (left.width !== right.width || left.height !== right.height) return { mean: 255, share: 1 };
  let sum = 0;
  let far = 0;
  for (const [at, value] of left.data.entries()) {
    const difference = Math.abs(value - (right.data[at] ?? 0));
    sum += difference;
    if (difference > 40) far += 1;
  }
  return { mean: sum / left.data.length, share: far / left.data.length };
}
