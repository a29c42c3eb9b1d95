import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

/** The font files of a typeface. Both are the same file unless the typeface is shipped with Medley. */
interface Typeface {
  readonly regular: string;
  readonly bold: string;
}

const { resolve } = createRequire(import.meta.url);

function fromPackage(name: string, file: string, weight: '400Regular' | '700Bold' = '400Regular'): string {
  return resolve(`@expo-google-fonts/${name}/${weight}/${file}_${weight}.ttf`);
}

/** The main typeface of cards, which has only Latin letters. */
const OWN: Typeface = {
  regular: fromPackage('figtree', 'Figtree'),
  bold: fromPackage('figtree', 'Figtree', '700Bold'),
};
export const TYPEFACE = 'Figtree';

const SHIPPED: readonly Typeface[] = [
  OWN,
  // Noto Sans is for Greek, Cyrillic, and those Latin letters that Figtree lacks.
  { regular: fromPackage('noto-sans', 'NotoSans'), bold: fromPackage('noto-sans', 'NotoSans', '700Bold') },
];

/** Packages of @expo-google-fonts for other scripts, which a host may install; they are too large to ship. */
const OPTIONAL = [
  ['noto-sans-jp', 'NotoSansJP'],
  ['noto-sans-kr', 'NotoSansKR'],
  ['noto-sans-sc', 'NotoSansSC'],
  ['noto-sans-tc', 'NotoSansTC'],
  ['noto-sans-thai', 'NotoSansThai'],
  ['noto-sans-arabic', 'NotoSansArabic'],
] as const;

const SYSTEM_FOLDERS = [
  '/usr/share/fonts',
  '/usr/local/share/fonts',
  join(homedir(), '.local/share/fonts'),
  '/System/Library/Fonts',
  '/Library/Fonts',
  'C:\\Windows\\Fonts',
];
/** System font files by the beginning of their names, best first: sans-serif ones for CJK, Thai and Arabic. */
const SYSTEM_FILES =
  'NotoSansCJK-Regular NotoSansJP NotoSansKR NotoSansSC SourceHanSans DroidSansFallback wqy- ipag NanumGothic Hiragino AppleSDGothic PingFang YuGothR msyh malgun NotoSansThai-Regular Garuda. Thonburi LeelawUI NotoSansArabic-Regular NotoNaskhArabic-Regular GeezaPro segoeui DejaVuSans.'
    .toLowerCase()
    .split(' ');
/** The most font files that are examined; a usual system has a few thousand. */
const MOST_FILES = 20_000;

/**
 * Invisible characters, which only tell how to join, order or vary the characters beside them. They are left out,
 * because each of them that no typeface has would become an ellipsis.
 */
const JOINERS = /[\p{Cf}\p{Variation_Selector}]/gu;
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|\u20E3/gu;

/** Matches marks on a letter beyond the two that our languages need: they would be drawn across neighbouring lines. */
const MARKS_TOO_MANY = /(?<=\p{Mn}{2})\p{Mn}+/gu;

/**
 * Matches a Thai vowel that typefaces draw as two signs. The rasterizer ignores the width of the second one, so the
 * vowel is written as two characters, one for each sign.
 */
const SARA_AM = /([\u0E48-\u0E4B]?)\u0E33/g;

/**
 * The text in characters that can be drawn: emoji without a typeface are left out, and other missing characters become
 * an ellipsis, since they would be drawn as empty boxes.
 */
export function drawable(text: string): string {
  const plain = text
    .replace(JOINERS, '')
    .normalize()
    .replace(MARKS_TOO_MANY, '')
    .replace(SARA_AM, '\u0E4D$1\u0E32')
    .replace(EMOJI, emoji => (typefaceOf(emoji) ? emoji : ''));
  const letters = Array.from(plain.replace(/\s+/g, ' ').trim(), letter => (typefaceOf(letter) ? letter : '…'));
  return letters.join('').replace(/\u2026{2,}/g, '…');
}

/** True when there is a typeface for every character of the text. */
export function isDrawable(text: string): boolean {
  return Array.from(text).every(letter => typefaceOf(letter) !== undefined);
}

/** The title in its own script, if a typeface for it is installed; else the romanised title. */
export function drawableTitle(romanised: string, unicode: string | null): string {
  return unicode !== null && unicode !== '' && isDrawable(unicode) ? unicode : romanised;
}

/** The width of a line of text. The line may be drawn a little narrower, as some pairs of letters are set closer. */
export function textWidth(text: string, size: number, isBold: boolean): number {
  return size * Array.from(text).reduce((width, letter) => width + advanceOf(letter, isBold), 0);
}

function advanceOf(letter: string, isBold: boolean): number {
  const { regular, bold } = typefaceOf(letter) ?? OWN;
  return readTypeface(isBold ? bold : regular)?.advanceOf(letter.codePointAt(0) ?? 0) ?? 0.6;
}

/** Splits text into runs of one typeface each. A run in another typeface than the main one states its family. */
export function runsOf(text: string): readonly { readonly text: string; readonly family: string | undefined }[] {
  const runs: { text: string; family: string | undefined }[] = [];
  for (const letter of text) {
    const last = runs.at(-1);
    const family = letter === ' ' && last ? last.family : familyOf(typefaceOf(letter));
    if (last && last.family === family) last.text += letter;
    else runs.push({ text: letter, family });
  }
  return runs;
}

/**
 * The family that a run states, so that the rasterizer does not choose a typeface letter by letter; undefined for the
 * main typeface.
 */
function familyOf(typeface: Typeface | undefined): string | undefined {
  return typeface === undefined || typeface === OWN ? undefined : readTypeface(typeface.regular)?.family;
}

/** The font files that a drawing with this text needs. */
export function fontFilesOf(text: string): readonly string[] {
  const typefaces = new Set([OWN, ...Array.from(new Set(text)).flatMap(letter => typefaceOf(letter) ?? [])]);
  return [...new Set([...typefaces].flatMap(({ regular, bold }) => [regular, bold]))];
}

/** The typeface of each character that was looked up. It needs no bound: there is a limited number of characters. */
const known = new Map<string, Typeface | undefined>();

let others: readonly Typeface[] | undefined;

/** The first typeface that has the character. Typefaces that are not shipped are looked for when one is needed. */
function typefaceOf(letter: string): Typeface | undefined {
  if (known.has(letter)) return known.get(letter);
  const has = ({ regular }: Typeface) => readTypeface(regular)?.advanceOf(letter.codePointAt(0) ?? 0) !== undefined;
  const isSpoiled = SPOILED.test(letter);
  let found = isSpoiled ? undefined : SHIPPED.find(has);
  if (found === undefined && !isSpoiled) {
    others ??= findTypefaces(SYSTEM_FOLDERS);
    found = others.find(has);
  }
  known.set(letter, found);
  return found;
}

/**
 * Matches what the rasterizer spoils: emoji that typefaces of the system have as coloured images, which it does not
 * draw, and Devanagari, whose letters it draws on top of one another.
 */
const SPOILED = /^[\p{Emoji_Presentation}\p{Script=Devanagari}]$/u;

/** Finds the typefaces that are installed as packages, then the typefaces in the folders, best first. */
export function findTypefaces(folders: readonly string[]): readonly Typeface[] {
  const installed = OPTIONAL.flatMap(([name, file]) => {
    try {
      return [fromPackage(name, file)];
    } catch {
      return [];
    }
  });
  const files = folders.flatMap(folder => filesIn(folder)).slice(0, MOST_FILES);
  const named = files.map(file => ({ file, name: basename(file).toLowerCase() }));
  const ofSystem = SYSTEM_FILES.flatMap(start => named.find(({ name }) => name.startsWith(start))?.file ?? []);
  return [...installed, ...ofSystem].map(file => ({ regular: file, bold: file }));
}

function filesIn(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files.filter(file => /\.(ttf|otf|ttc)$/i.test(file)).map(file => join(folder, file));
  } catch {
    return [];
  }
}

/** Font files that were read; each is read when it is first needed, since many processes never draw a card. */
const loaded = new Map<string, ReturnType<typeof parseTypeface>>();

/** Reads a font file; undefined when it is not valid. */
function readTypeface(file: string) {
  if (!loaded.has(file)) loaded.set(file, parseTypeface(file));
  return loaded.get(file);
}

/** Reads the tables of an OpenType file. If the file is a collection, it reads those of the first typeface. */
function parseTypeface(file: string) {
  let font: number | undefined;
  try {
    font = openSync(file, 'r');
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      readSync(font ?? 0, bytes, 0, length, at);
      return bytes;
    };
    const table = tablesOf(read);
    const unitsPerEm = table('head').readUInt16BE(18);
    const metrics = table('hmtx');
    const count = table('hhea').readUInt16BE(34);
    // The list of widths may be shorter than the list of glyphs; all further glyphs have its last width.
    const widthOf = (glyph: number) => metrics.readUInt16BE(4 * Math.min(glyph, count - 1)) / unitsPerEm;
    const glyphOf = glyphFinder(table('cmap'));
    /** A character's width as a share of the font's size; undefined if the typeface lacks it. */
    const advanceOf = (character: number) => {
      const glyph = glyphOf(character);
      return glyph === 0 ? undefined : widthOf(glyph);
    };
    return { family: familyIn(table('name')), advanceOf };
  } catch {
    return undefined;
  } finally {
    if (font !== undefined) closeSync(font);
  }
}

type Read = (at: number, length: number) => Buffer;

function tablesOf(read: Read): (name: string) => Buffer {
  const start = read(0, 4).toString('latin1') === 'ttcf' ? read(12, 4).readUInt32BE() : 0;
  const records = read(start + 12, 16 * read(start + 4, 2).readUInt16BE());
  return name => {
    const places = Array.from({ length: records.length / 16 }, (_, index) => 16 * index);
    const place = places.find(at => records.toString('latin1', at, at + 4) === name);
    if (place === undefined) throw new Error(`the typeface has no table ${name}`);
    return read(records.readUInt32BE(place + 8), records.readUInt32BE(place + 12));
  };
}

/** The name of the typographic family, which has all weights; without one, the name of the family of this weight. */
function familyIn(names: Buffer): string | undefined {
  const texts = names.readUInt16BE(4);
  const records = Array.from({ length: names.readUInt16BE(2) }, (_, index) => 6 + 12 * index);
  const english = records.filter(at => names.readUInt16BE(at) === 3 && names.readUInt16BE(at + 4) === 0x409);
  const record = [16, 1].flatMap(id => english.find(at => names.readUInt16BE(at + 6) === id) ?? [])[0];
  if (record === undefined) return undefined;
  const start = texts + names.readUInt16BE(record + 10);
  const utf16 = Buffer.from(names.subarray(start, start + names.readUInt16BE(record + 8)));
  return utf16.swap16().toString('utf16le');
}

type GlyphFinder = (character: number) => number;

/**
 * Finds the glyph of a character, 0 for none, by the font's `cmap` table of format 12, else by the older format 4. It
 * searches the file for each character, because a card needs few of a Chinese typeface's tens of thousands.
 */
function glyphFinder(cmap: Buffer): GlyphFinder {
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) => cmap.readUInt32BE(8 + 8 * index));
  const whole = subtables.find(at => cmap.readUInt16BE(at) === 12);
  if (whole !== undefined) return wholeFinder(cmap, whole);
  const older = subtables.find(at => cmap.readUInt16BE(at) === 4);
  if (older === undefined) throw new Error('the typeface has no subtable of format 4 or 12');
  return olderFinder(cmap, older);
}

/** Finds by binary search the first range that ends at the character or at a later one. */
function rangeOf(count: number, endOf: (range: number) => number, character: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(middle) < character) low = middle + 1;
    else high = middle;
  }
  return low;
}

function wholeFinder(cmap: Buffer, table: number): GlyphFinder {
  const count = cmap.readUInt32BE(table + 12);
  const start = table + 16;
  return character => {
    const range = rangeOf(count, each => cmap.readUInt32BE(start + 12 * each + 4), character);
    const first = range === count ? Number.POSITIVE_INFINITY : cmap.readUInt32BE(start + 12 * range);
    return character < first ? 0 : cmap.readUInt32BE(start + 12 * range + 8) + character - first;
  };
}

/** The finder for format 4: four equally long lists of the ends, starts, differences and glyph offsets of ranges. */
function olderFinder(cmap: Buffer, table: number): GlyphFinder {
  const size = cmap.readUInt16BE(table + 6);
  const ends = table + 14;
  return character => {
    const at = ends + 2 * rangeOf(size / 2, each => cmap.readUInt16BE(ends + 2 * each), character);
    if (at >= ends + size || character > 0xfffe) return 0;
    const start = cmap.readUInt16BE(at + 2 + size);
    if (character < start) return 0;
    const [added, place] = [cmap.readUInt16BE(at + 2 + 2 * size), at + 2 + 3 * size];
    const offset = cmap.readUInt16BE(place);
    const listed = offset === 0 ? character : cmap.readUInt16BE(place + offset + 2 * (character - start));
    return offset !== 0 && listed === 0 ? 0 : (listed + added) & 0xffff;
  };
}
