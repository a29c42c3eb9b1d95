import { readFileSync } from 'node:fs';
import type { PostRef } from '../../../../src/media/extract/source.ts';
import { instagramRefOf } from '../../../../src/media/sources/instagram/link.ts';

/** Codes of the made-up posts in the fixtures. */
export const CODES = {
  reel: 'DXf6wkTgABk',
  carousel: 'DXifjcTgABl',
  graphVideo: 'DXlEWUTgABm',
  graphSidecar: 'DXnpJMTgABn',
  mixed: 'DXqN8ETgABo',
  productReel: 'DXsyu8TgABp',
  oldCarousel: 'DXvXh0TgABq',
  embedContext: 'DXx8UsTgABr',
  embedMarkup: 'DX0hHkTgABs',
  neighbour: 'DX3F6cTgABt',
} as const;

export function fixture(name: string): string {
  return readFileSync(new URL(`../../../fixtures/instagram/${name}`, import.meta.url), 'utf8');
}

export function refOf(code: string, parts: Readonly<Record<string, string>> = {}): PostRef {
  const ref = instagramRefOf(code);
  if (ref === undefined) throw new Error(`${code} is no code`);
  return { ...ref, parts: { ...ref.parts, ...parts } };
}
