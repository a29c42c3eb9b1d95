import type { SetAnswer } from '../../../beatmaps/beatmaps.ts';
import type { Beatmap, Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { setPage } from '../../../beatmaps/model/link.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type Block, joined, link, strong, textBlock } from '../../contract/reply.ts';
import { setName, stateOf } from './beatmap.ts';

/** One difficulty, in the ruleset it is asked for in. */
export interface AskedMap extends SetAnswer {
  readonly beatmap: Beatmap;
  readonly ruleset: Ruleset;
}

/** Which map the plays below are on: its name, its ruleset where it is converted, and its mapper. */
export function mapHeading({ set, beatmap, ruleset }: AskedMap, t: Translator): readonly Block[] {
  const words = t.messages.osu;
  const mappers = beatmap.owners.map(({ username }) => username);
  const name = `${setName(set)} [${beatmap.version}]`;
  return [
    textBlock(
      joined([
        [strong(link(setPage(set.id, { id: beatmap.id, mode: ruleset }), name))],
        ruleset === beatmap.mode ? undefined : words.modes[ruleset],
        words.mappedBy({ name: mappers.length === 0 ? set.creator : mappers.join(', ') }),
        stateOf({ ...set, status: beatmap.status }, t),
      ]),
    ),
  ];
}
