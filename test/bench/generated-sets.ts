/** As many sets as one likes, the same ones every time, with words as unevenly common as in titles of songs. */
import type { Beatmap, Beatmapset, Ruleset } from '../../src/beatmaps/model/beatmapset.ts';
import { madeUpBeatmap, madeUpSet } from '../beatmaps/made-up-sets.ts';

const SYLLABLES = (
  'ka ki ku ke ko sa shi su se so ta chi tsu te to na ni nu ne no ha hi fu he ho ma mi mu me mo ya yu yo ra ri ru re ro wa ' +
  'an en in on un al el il ol ul ar er ir or ur bra cre dro fle gli sto tri ver zen lux nox mel cam dia lum neo ray sky sun'
).split(' ');
const UNICODE = '夜明星空花火風歌夢光海雪月影虹桜恋心声色音時';
const RULESETS: readonly Ruleset[] = ['osu', 'osu', 'osu', 'osu', 'taiko', 'fruits', 'mania', 'mania'];
const VERSIONS = ['Easy', 'Normal', 'Hard', 'Insane', 'Expert'] as const;
const VOCABULARY = 60_000;

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Generator {
  next(): Beatmapset;
  /** A word as common as chance has it. */
  word(): string;
}

export function createGenerator(seed: number): Generator {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const below = (limit: number) => Math.floor(random() * limit);
  const words = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: 1 + below(4) }, () => pick(SYLLABLES)).join(''),
  );
  // Zipf's law, roughly.
  const word = () => words[Math.floor(VOCABULARY ** random()) - 1] ?? 'ka';
  const name = (most: number) => Array.from({ length: 1 + below(most) }, word).join(' ');
  const artists = Array.from({ length: 20_000 }, () => name(2));
  const creators = Array.from({ length: 15_000 }, () => name(1));
  let id = 0;

  function beatmaps(setId: number): readonly Beatmap[] {
    return Array.from({ length: 1 + below(6) }, (_, index) =>
      madeUpBeatmap({
        id: setId * 10 + index,
        beatmapset_id: setId,
        mode: pick(RULESETS) ?? 'osu',
        version: VERSIONS[index] ?? `${word()}'s Extra`,
        difficulty_rating: Math.round((1 + index * 1.1 + random() * 2) * 100) / 100,
        total_length: 30 + below(300),
        bpm: 80 + below(170),
      }),
    );
  }

  return {
    word,
    next() {
      id += 1;
      const artist = artists[Math.floor(artists.length ** random()) - 1] ?? 'ka';
      const isUnicode = random() < 0.3;
      return madeUpSet({
        id,
        artist,
        title: name(5),
        title_unicode: isUnicode ? Array.from({ length: 2 + below(6) }, () => pick([...UNICODE])).join('') : null,
        creator: pick(creators) ?? 'ka',
        tags: Array.from({ length: 5 + below(20) }, word).join(' '),
        play_count: Math.floor(10 ** (random() * 7)),
        favourite_count: Math.floor(10 ** (random() * 4)),
        status: random() < 0.6 ? 'ranked' : random() < 0.5 ? 'loved' : 'graveyard',
        genre_id: 2 + below(5),
        beatmaps: beatmaps(id),
      });
    },
  };
}
