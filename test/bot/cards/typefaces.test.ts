import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { label } from '../../../src/bot/cards/shapes.ts';
import { LOOKS } from '../../../src/bot/cards/theme.ts';
import {
  drawable,
  drawableTitle,
  findTypefaces,
  fontFilesOf,
  isDrawable,
  runsOf,
  TYPEFACE,
  textWidth,
} from '../../../src/bot/cards/typefaces.ts';

const LINES = [
  'Rivers',
  'AVAVATAWA To. Ya, fi',
  'WWWWWWWWWWWWWWW',
  'iiiiilllllll.....',
  '\u00c5lesund, \u00e9t\u00e9 \u2026 Dvo\u0159\u00e1k',
  '\u03a9\u03bc\u03ad\u03b3\u03b1 \u041f\u0440\u0438\u0432\u0435\u0442',
  '#1,234,567 \u00b7 98.21%',
];

function rasterize(markup: string, texts: string): Resvg {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="200" font-family="${TYPEFACE}">${markup}</svg>`;
  const font = { loadSystemFonts: false, fontFiles: [...fontFilesOf(texts)], defaultFontFamily: TYPEFACE };
  return new Resvg(svg, { font });
}

/** As wide as the rasterizer makes it, without the space on either side of the letters. */
function inkWidth(markup: string, texts: string): number {
  return rasterize(markup, texts).innerBBox()?.width ?? 0;
}

const place = { x: 50, y: 100, size: 40, colour: LOOKS.dark.ink } as const;

describe('the width of a line', () => {
  it.each(LINES)('of %s is about what the rasterizer makes it', text => {
    for (const bold of [false, true]) {
      const ink = inkWidth(label(text, { ...place, bold }).markup, text);
      const measured = textWidth(text, 40, bold);
      // A letter has a little space beside it, which is no ink.
      expect(measured).toBeGreaterThan(ink - 2);
      expect(measured).toBeLessThan(ink * 1.08 + 8);
    }
  });

  it('is another in bold letters, of each typeface', () => {
    for (const text of ['Rivers', 'Привет']) {
      const [plain, bold] = [false, true].map(bold => inkWidth(label(text, { ...place, bold }).markup, text));
      expect(bold).toBeGreaterThan((plain ?? 0) * 1.02);
    }
  });
});

describe('a line on a card', () => {
  it.each(LINES)('%s ends in an ellipsis only where it does not fit', text => {
    const width = inkWidth(label(text, { ...place, bold: true }).markup, text);
    const drawn = (maxWidth: number) => label(text, { ...place, bold: true, maxWidth }).markup;
    expect(drawn(width * 1.08 + 8)).toBe(label(text, { ...place, bold: true }).markup);
    const cut = drawn(width * 0.9);
    expect(cut).toMatch(/…(<\/tspan>)?<\/text>$/);
    expect(inkWidth(cut, `${text}…`)).toBeLessThanOrEqual(width * 0.9 + 2);
  });
});

describe('a line in two typefaces', () => {
  const mixed = 'Neon Река';

  it('has each word in its own', async () => {
    const width = Math.floor(textWidth('Neon', 40, true));
    const beginning = (text: string) => {
      const png = rasterize(label(text, { ...place, bold: true }).markup, mixed)
        .render()
        .asPng();
      return sharp(png)
        .extract({ left: 0, top: 0, width: place.x + width, height: 200 })
        .raw()
        .toBuffer();
    };
    expect(await beginning(mixed)).toEqual(await beginning('Neon'));
  });

  it.each([
    ['start', 0],
    ['middle', 0.5],
    ['end', 1],
  ] as const)('is put to its %s', (anchor, share) => {
    const box = rasterize(label(mixed, { ...place, x: 1_000, anchor }).markup, mixed).innerBBox();
    expect(Math.abs((box?.x ?? 0) + share * (box?.width ?? 0) - 1_000)).toBeLessThan(5);
  });
});

/** Letters that no typeface of a system has. */
const UNKNOWN = '\u{E001}\u{E002}';

describe('what is drawn', () => {
  it.each([
    ['Rivers of Neon', true],
    ['Été – “clair” … №', true],
    ['Река', true],
    ['Ωmega', true],
    [`Rivers ${UNKNOWN}`, false],
    ['sun 🌞', false],
    ['हिन्दी', false],
    ['', true],
  ])('%s can be drawn: %s', (title, can) => {
    expect(isDrawable(title)).toBe(can);
  });

  it.each([
    ['a  b\nc', 'a b c'],
    ['Tie\u0302\u0301ng Vie\u0323\u0302t', 'Tiếng Việt'],
    [`a\u0328${'\u0335'.repeat(9)}`, 'ą\u0335\u0335'],
    ['sun 🌞 and 👩‍🚀, 🇯🇵 1️⃣', 'sun and , 1'],
    [`${UNKNOWN} of ${UNKNOWN}`, '… of …'],
  ])('%j is drawn as %j', (text, drawn) => {
    expect(drawable(text)).toBe(drawn);
  });

  it('titles stand in their own letters where those can be drawn, else romanised', () => {
    expect(drawableTitle('Reka', 'Река')).toBe('Река');
    expect(drawableTitle('Kawa no Hikari', `${UNKNOWN}の光`)).toBe('Kawa no Hikari');
    expect(drawableTitle('Kawa', null)).toBe('Kawa');
    expect(drawableTitle('Kawa', '')).toBe('Kawa');
  });
});

describe('typefaces for other scripts', () => {
  it('are found among the fonts of a system by the names of their files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'medley-fonts-'));
    const [figtree = ''] = fontFilesOf('a');
    for (const name of ['Other.ttf', 'DejaVuSans.ttf', 'NotoSansJP-Regular.otf', 'NotoSansCJK-Regular.txt']) {
      copyFileSync(figtree, join(folder, name));
    }
    const found = findTypefaces([folder, join(folder, 'none')]).map(({ regular }) => regular);
    expect(found.slice(-2)).toEqual([join(folder, 'NotoSansJP-Regular.otf'), join(folder, 'DejaVuSans.ttf')]);
  });

  it('are named by their files, so that letters of one are set together', () => {
    expect(runsOf('Neon Река неона neon')).toEqual([
      { text: 'Neon ', family: undefined },
      { text: 'Река неона ', family: 'Noto Sans' },
      { text: 'neon', family: undefined },
    ]);
  });

  it('are not asked for where the shipped ones do', () => {
    expect(fontFilesOf('Rivers').every(file => file.includes('figtree'))).toBe(true);
    expect(fontFilesOf('Rivers Река')).toHaveLength(4);
  });
});
