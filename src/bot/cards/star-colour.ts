import type { Colour, Inline } from '../contract/reply.ts';

type Spectrum = readonly (readonly [stars: number, red: number, green: number, blue: number])[];

/**
 * osu!'s colours of difficulty at these star ratings (osu-web, 2026-08), blended in linear light between them. Below
 * the first rating the colour is grey, from the last one on it is black.
 */
const SPECTRUM: Spectrum = [
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
/**
 * The colours of text on dark colours (see `DARK_FROM`): constant up to the first star rating, then blended (osu-web,
 * 2026-08).
 */
const WRITTEN: Spectrum = [
  [9, 0xf6, 0xf0, 0x5c],
  [9.9, 0xff, 0x80, 0x68],
  [10.6, 0xff, 0x4e, 0x6f],
  [11.5, 0xc6, 0x45, 0xb8],
  [12.4, 0x65, 0x63, 0xde],
];
/** From this star rating on the colour is dark, so the text on it is bright. */
const DARK_FROM = 6.5;
const DARK_INK: Colour = '#171a1c';
const GAMMA = 2.2;
const UNRATED: Colour = '#aaaaaa';

/**
 * For each range of star ratings, the emoji whose colour is the most similar. An entry covers the ratings below its
 * number that no entry before it covers.
 */
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

export function starColour(stars: number): Colour {
  return stars < 0.1 || Number.isNaN(stars) ? UNRATED : colourIn(SPECTRUM, stars);
}

/** osu!'s colour of text on the colour of a star rating. */
export function starInk(stars: number): Colour {
  return stars < DARK_FROM ? DARK_INK : colourIn(WRITTEN, stars);
}

/** The colour of a star rating. A rating outside the spectrum has the colour of the spectrum's nearer end. */
function colourIn(spectrum: Spectrum, stars: number): Colour {
  const above = spectrum.findIndex(([at]) => stars < at);
  const high = spectrum.at(above);
  const low = above < 0 ? high : (spectrum[above - 1] ?? high);
  if (high === undefined || low === undefined || low === high) return hexOf(high ?? [0, 0, 0, 0]);
  const share = (stars - low[0]) / (high[0] - low[0]);
  const blend = (from: number, to: number) =>
    Math.round((from ** GAMMA * (1 - share) + to ** GAMMA * share) ** (1 / GAMMA));
  return hexOf([stars, blend(low[1], high[1]), blend(low[2], high[2]), blend(low[3], high[3])]);
}

function hexOf([, ...parts]: Spectrum[number]): Colour {
  return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

/** A dot of the star rating's colour, for use in text. */
export function starSwatch(stars: number): Inline {
  const symbol = SYMBOLS.find(([below]) => stars < below)?.[1] ?? '⚪';
  return { kind: 'swatch', colour: starColour(stars), symbol };
}
