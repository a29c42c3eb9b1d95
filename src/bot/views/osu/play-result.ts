import type { Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { resultsOf, type Score, shownGrade, shownMods } from '../../../beatmaps/model/score.ts';
import type { Translator } from '../../../i18n/translate.ts';

/** What players call the results; those of catch have words. */
const RESULT_NAMES: Readonly<Record<Ruleset, Readonly<Record<string, string>>>> = {
  osu: { great: '300', ok: '100', meh: '50' },
  taiko: { great: '300', ok: '100' },
  fruits: {},
  mania: { perfect: 'MAX', great: '300', good: '200', ok: '100', meh: '50' },
};

/** `512×300 · 13×100 · 2×50 · 4 miss` */
export function resultCounts(score: Score, t: Translator): string {
  const { results } = t.messages.osu.scores;
  const words: Readonly<Record<string, string>> = {
    miss: results.miss,
    great: results.fruits,
    large_tick_hit: results.drops,
    small_tick_miss: results.droplets,
  };
  return resultsOf(score)
    .map(({ result, count }) => {
      const number = RESULT_NAMES[score.mode][result];
      return number === undefined ? `${t.number(count)} ${words[result] ?? result}` : `${t.number(count)}×${number}`;
    })
    .join(' ');
}

/** `S · 98.75% · 201 pp · +HDDT (1.3×)` */
export function resultText(score: Score, t: Translator): string {
  const { rank, accuracy, pp } = score;
  const parts = [
    shownGrade(rank),
    `${t.decimal(accuracy * 100, 2, 2)}%`,
    pp === null ? undefined : `${t.decimal(pp, 0)} pp`,
    modsText(score, t),
  ];
  return parts.filter(part => part !== undefined).join(' · ');
}

/** In the order in which a map's settings are shown everywhere. */
const ADJUSTED = [
  ['AR', 'approach_rate'],
  ['OD', 'overall_difficulty'],
  ['CS', 'circle_size'],
  ['HP', 'drain_rate'],
] as const;

/** `+HDDT`; with what the new client lets players choose: `+HDDT (1.3×)`, `+DA (AR 9.5 CS 4)`. Undefined without mods. */
export function modsText(score: Pick<Score, 'mods'>, t: Translator): string | undefined {
  const shown = shownMods(score);
  if (shown.length === 0) return undefined;
  const chosen = score.mods.flatMap(({ acronym, settings = {} }) => {
    const { speed_change: rate } = settings;
    const adjusted = acronym === 'DA' ? ADJUSTED : [];
    return [
      ...(typeof rate === 'number' ? [`${t.decimal(rate, 2)}×`] : []),
      ...adjusted.flatMap(([name, key]) => {
        const value = settings[key];
        return typeof value === 'number' ? [`${name} ${t.decimal(value, 2)}`] : [];
      }),
    ];
  });
  return `+${shown.join('')}${chosen.length === 0 ? '' : ` (${chosen.join(' ')})`}`;
}
