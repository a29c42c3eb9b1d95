/** Difficulties that people name as osu! shows them: `Artist - Title [Insane]`. */
import type { Beatmap, Beatmapset } from '../model/beatmapset.ts';
import { foldText } from './query-text.ts';

/** The parts of a map's full name: `Artist - Title [Insane]`. Undefined for a text without such brackets at its end. */
export function splitVersion(text: string): { readonly words: string; readonly version: string } | undefined {
  if (!text.endsWith(']')) return undefined;
  let depth = 0;
  for (let at = text.length - 1; at > 0; at -= 1) {
    if (text[at] === ']') depth += 1;
    if (text[at] === '[') depth -= 1;
    if (depth > 0) continue;
    const [words, version] = [text.slice(0, at).trim(), text.slice(at + 1, -1).trim()];
    return words === '' || version === '' ? undefined : { words, version };
  }
  return undefined;
}

/** The first difficulty of that name; otherwise the hardest of a set whose name has these words: `Ann's Insane`. */
export function findVersion(sets: readonly Beatmapset[], name: string) {
  const wanted = foldText(name);
  // A name of symbols alone has no letters to compare.
  const isNamed = ({ version }: Beatmap) => (wanted === '' ? version === name : foldText(version) === wanted);
  const hasWords = ({ version }: Beatmap) => wanted !== '' && ` ${foldText(version)} `.includes(` ${wanted} `);
  const found = sets.map(set => ({ set, beatmap: set.beatmaps.find(isNamed) })).find(({ beatmap }) => beatmap);
  return found ?? sets.map(set => ({ set, beatmap: set.beatmaps.findLast(hasWords) })).find(({ beatmap }) => beatmap);
}
