import { Resvg } from '@resvg/resvg-js';
import { describe, expect, it } from 'vitest';
import { label } from '../../../src/bot/cards/shapes.ts';
import { FONT_FILES } from '../../../src/bot/cards/svg-rasterizer.ts';
import { textWidth } from '../../../src/bot/cards/text-width.ts';
import { LOOKS, TYPEFACE } from '../../../src/bot/cards/theme.ts';

const LINES = [
  'Rivers',
  'AVAVATAWA To. Ya, fi',
  'WWWWWWWWWWWWWWW',
  'iiiiilllllll.....',
  '\u00c5lesund, \u00e9t\u00e9 \u2026 Dvo\u0159\u00e1k',
  '\u03a9\u03bc\u03ad\u03b3\u03b1 \u041f\u0440\u0438\u0432\u0435\u0442',
  '#1,234,567 \u00b7 98.21%',
];

/** As wide as the rasterizer makes it, without the space on either side of the letters. */
function inkWidth(text: string, isBold: boolean): number {
  const weight = isBold ? 700 : 400;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="200" font-family="${TYPEFACE}"><text x="50" y="100" font-size="40" font-weight="${weight}">${text}</text></svg>`;
  const font = { loadSystemFonts: false, fontFiles: Object.values(FONT_FILES), defaultFontFamily: TYPEFACE };
  return new Resvg(svg, { font }).innerBBox()?.width ?? 0;
}

describe('the width of a line', () => {
  it.each(LINES)('of %s is about what the rasterizer makes it', text => {
    for (const isBold of [false, true]) {
      const ink = inkWidth(text, isBold);
      const measured = textWidth(text, 40, isBold);
      // A letter has a little space beside it, which is no ink.
      expect(measured).toBeGreaterThan(ink - 2);
      expect(measured).toBeLessThan(ink * 1.08 + 8);
    }
  });
});

describe('a line on a card', () => {
  const place = { x: 50, y: 100, size: 40, bold: true, colour: LOOKS.dark.ink } as const;

  it.each(LINES)('%s fades out only where it does not fit', text => {
    const width = inkWidth(text, true);
    const fades = (maxWidth: number) => label(text, { ...place, maxWidth }).markup.includes('linearGradient');
    expect(fades(width * 1.05 + 4)).toBe(false);
    expect(fades(width * 0.9)).toBe(true);
  });
});
