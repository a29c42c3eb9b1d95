import type { Colour, Inline } from '../reply.ts';

/**
 * osu!'s difficulty spectrum (osu-web, 2026-08): colours at these stars, blended between them in linear light. Below the first it
 * is grey, from the last on black.
 */
const SPECTRUM: readonly (readonly [stars: number, red: number, green: number, blue: number])[] = [
  [0.1, 0x42, 0x90, 0xfb],
  [1.25, 0x4f, 0xc0, 0xff],
  [2, 0x4f, 0xff, 0xd5],
  [2.5, 0x7c, 0xff, 0x4f],
  [3.3, 0xf6, 0xf0, 0x5c],
  [4.2, 0xff, 0x80, 0x68],
  [4.9, 0xff, 0x4e, 0x6f],
  [5.8, 0xc6, 0x45, 0xb8],
  [6.7, 0x65, 0x63, 0xde],
  [7.7, 0x18, 0x15, 0x8e],
  [9, 0x00, 0x00, 0x00],
];
const GAMMA = 2.2;
const UNRATED: Colour = '#aaaaaa';
const BEYOND: Colour = '#000000';

/** The emoji of like colour, up to these stars. */
const SYMBOLS: readonly (readonly [below: number, symbol: string])[] = [
  [0.1, '⚪'],
  [1.75, '🔵'],
  [2.8, '🟢'],
  [3.75, '🟡'],
  [4.5, '🟠'],
  [5.35, '🔴'],
  [7.2, '🟣'],
  [Number.POSITIVE_INFINITY, '⚫'],
];

/** The colour in which osu! shows that many stars. */
export function starColour(stars: number): Colour {
  const above = SPECTRUM.findIndex(([at]) => stars < at);
  const high = SPECTRUM[above];
  const low = SPECTRUM[above - 1];
  if (high === undefined) return stars >= 9 ? BEYOND : UNRATED;
  if (low === undefined) return UNRATED;
  const share = (stars - low[0]) / (high[0] - low[0]);
  const blend = (from: number, to: number) =>
    Math.round((from ** GAMMA * (1 - share) + to ** GAMMA * share) ** (1 / GAMMA));
  const parts = [blend(low[1], high[1]), blend(low[2], high[2]), blend(low[3], high[3])];
  return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

/** A spot of that colour, for text. */
export function starSwatch(stars: number): Inline {
  const symbol = SYMBOLS.find(([below]) => stars < below)?.[1] ?? '⚪';
  return { kind: 'swatch', colour: starColour(stars), symbol };
}
