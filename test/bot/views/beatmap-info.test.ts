import { describe, expect, it } from 'vitest';
import type { Status } from '../../../src/beatmaps/model/beatmapset.ts';
import { type BeatmapInfoView, renderBeatmapInfo } from '../../../src/bot/views/osu/beatmap-info.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { madeUpSet } from '../../beatmaps/made-up-sets.ts';

/** The labels of the facts about a set with this status, in that language. */
function labelsOf(status: Status, ranked_date: string | null, locale = 'en'): readonly string[] {
  const view: BeatmapInfoView = {
    set: madeUpSet({ status, ranked_date }),
    source: 'osu',
    stale: false,
    beatmap: undefined,
    mods: [],
    ratings: new Map(),
    downloadToken: 'token',
    openToken: () => 'token',
    plays: [],
  };
  const { blocks } = renderBeatmapInfo(view, createTranslator([locale]));
  return blocks.flatMap(block => (block.kind === 'fields' ? block.fields.map(({ label }) => label) : []));
}

describe('the facts about a set', () => {
  const date = '2020-05-04T10:00:00Z';

  it.each([
    ['ranked', date, 'Ranked'],
    ['approved', date, 'Ranked'],
    ['loved', date, 'Loved'],
    ['qualified', date, 'Qualified'],
    ['graveyard', null, 'Updated'],
    ['graveyard', date, 'Updated'],
    ['pending', date, 'Updated'],
  ] as const)('name the date of a set that is %s', (status, at, label) => {
    expect(labelsOf(status, at)).toContain(label);
    expect(labelsOf(status, at).filter(each => ['Ranked', 'Loved', 'Qualified', 'Updated'].includes(each))).toEqual([
      label,
    ]);
  });

  it('name it in the language of the reader', () => {
    expect(labelsOf('loved', date, 'tr')).toContain('Sevilen');
  });
});
