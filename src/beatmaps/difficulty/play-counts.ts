import type { Ruleset } from '../model/beatmapset.ts';
import { playedObjects, type Score } from '../model/score.ts';
import type { HitCounts } from './difficulty-job.ts';

type Names = Readonly<Partial<Record<keyof HitCounts, string>>>;

/** The osu! API leaves zeros out of these; a calculator takes what is absent for something to guess. */
const COUNTED: Readonly<Record<Ruleset, Names>> = {
  osu: { n300: 'great', n100: 'ok', n50: 'meh', misses: 'miss' },
  taiko: { n300: 'great', n100: 'ok', misses: 'miss' },
  fruits: {
    n300: 'great',
    n100: 'large_tick_hit',
    n50: 'small_tick_hit',
    nKatu: 'small_tick_miss',
    misses: 'miss',
  },
  mania: { nGeki: 'perfect', n300: 'great', nKatu: 'good', n100: 'ok', n50: 'meh', misses: 'miss' },
};

/** Sent only by the new client; absent means unknown. */
const OF_SLIDERS: Names = {
  largeTickHits: 'large_tick_hit',
  smallTickHits: 'small_tick_hit',
  sliderEndHits: 'slider_tail_hit',
};

/** A play's results in a calculator's words; one that failed ended where its results end. */
export function countHits(
  play: Pick<Score, 'statistics' | 'max_combo'> & { readonly passed?: boolean },
  ruleset: Ruleset,
): HitCounts {
  const { statistics, max_combo: combo, passed = true } = play;
  const ended = passed ? {} : { passedObjects: playedObjects({ mode: ruleset, statistics }) };
  const counted = Object.entries(COUNTED[ruleset]).map(([name, result]) => [name, statistics[result] ?? 0]);
  const sliders = ruleset === 'osu' ? Object.entries(OF_SLIDERS) : [];
  const reported = sliders.flatMap(([name, result]) => (result in statistics ? [[name, statistics[result]]] : []));
  return { ...Object.fromEntries([...counted, ...reported]), combo, ...ended };
}
