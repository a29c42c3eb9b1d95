import { readFileSync } from 'node:fs';
import { FONT_FILES } from './svg-rasterizer.ts';

/** The width of every character of a typeface, in parts of its size. */
interface Advances {
  readonly of: ReadonlyMap<number, number>;
  /** The width of a character that the typeface lacks. */
  readonly missing: number;
}

/** Read when the first text is measured: many a chat never sees a card. */
const loaded = new Map<string, Advances>();

/**
 * How wide a line of text is drawn. Pairs of letters that are drawn closer together are not reckoned with: it may be a little narrower.
 */
export function textWidth(text: string, size: number, isBold: boolean): number {
  const { of, missing } = advancesOf(isBold ? FONT_FILES.bold : FONT_FILES.regular);
  return size * Array.from(text).reduce((width, letter) => width + (of.get(letter.codePointAt(0) ?? 0) ?? missing), 0);
}

function advancesOf(file: string): Advances {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const read = readAdvances(readFileSync(file));
  loaded.set(file, read);
  return read;
}

/** From the tables `cmap` and `hmtx` of an OpenType file. */
function readAdvances(font: Buffer): Advances {
  const unitsPerEm = tableOf(font, 'head').readUInt16BE(18);
  const metrics = tableOf(font, 'hmtx');
  const count = tableOf(font, 'hhea').readUInt16BE(34);
  // All glyphs after the last metric are as wide as it.
  const widthOf = (glyph: number) => metrics.readUInt16BE(4 * Math.min(glyph, count - 1)) / unitsPerEm;
  const of = new Map([...glyphsOf(tableOf(font, 'cmap'))].map(([character, glyph]) => [character, widthOf(glyph)]));
  return { of, missing: widthOf(0) };
}

function tableOf(font: Buffer, name: string): Buffer {
  const records = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + 16 * index);
  const record = records.find(at => font.toString('latin1', at, at + 4) === name);
  if (record === undefined) throw new Error(`the typeface has no table ${name}`);
  const start = font.readUInt32BE(record + 8);
  return font.subarray(start, start + font.readUInt32BE(record + 12));
}

/** Characters with their glyphs, by the groups of the subtable of format 12, which every typeface of today has. */
function* glyphsOf(cmap: Buffer): Generator<readonly [character: number, glyph: number]> {
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + 8 * index));
  const table = subtables.find(at => cmap.readUInt16BE(at) === 12);
  if (table === undefined) throw new Error('the typeface has no subtable of format 12');
  const groups = cmap.readUInt32BE(table + 12);
  for (let group = 0; group < groups; group += 1) {
    const at = table + 16 + 12 * group;
    const [first, last, glyph] = [cmap.readUInt32BE(at), cmap.readUInt32BE(at + 4), cmap.readUInt32BE(at + 8)];
    for (let character = first; character <= last; character += 1) yield [character, glyph + character - first];
  }
}
