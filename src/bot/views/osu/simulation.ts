import type { Beatmap } from '../../../beatmaps/model/beatmapset.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import {
  type Action,
  type Block,
  type Choice,
  headingBlock,
  joined,
  type Reply,
  reply,
  strong,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { bpmText, originBlocks, ratedStarsWithSwatch } from './beatmap.ts';
import { settingsText } from './beatmap-info.ts';
import { type AskedMap, mapHeading } from './map-heading.ts';

export interface SimulationView {
  readonly map: AskedMap;
  /** The difficulty with the mods. */
  readonly played: Beatmap;
  readonly mods: readonly string[];
  /** Where it is not that of the mods. */
  readonly rate: number | undefined;
  /** Of usual full combos. */
  readonly usual: Rating | undefined;
  /** The play that was described. */
  readonly asked:
    | {
        readonly accuracy: number;
        readonly combo: number | undefined;
        readonly misses: number | undefined;
        readonly rating: Rating | undefined;
      }
    | undefined;
  readonly steps: readonly Action[];
  readonly otherMods: readonly Choice[];
  readonly actions: readonly Action[];
}

/** What plays on a map would be worth. */
export function renderSimulation(view: SimulationView, t: Translator): Reply {
  const { map, usual, steps, otherMods, actions } = view;
  const words = t.messages.plays.simulate;
  const ways: readonly Action[] = [...steps, { kind: 'menu', label: words.otherMods, choices: otherMods }, ...actions];
  const heading: readonly Block[] = [headingBlock([words.title]), ...mapHeading(map, t), ...originBlocks(map, t)];
  if (usual === undefined || usual.difficulty === undefined) {
    return reply({ tone: 'notice', blocks: [...heading, textBlock([words.unknown])], actions });
  }
  return reply({
    blocks: [
      ...heading,
      textBlock(mapLine(view, usual, t)),
      ...askedBlocks(view, t),
      {
        kind: 'fields',
        fields: usual.pp.map(({ accuracy, pp }) => ({
          label: words.percent({ shown: t.decimal(accuracy, 2) }),
          value: [t.messages.osu.estimate.pp({ shown: t.decimal(pp, 0) })],
        })),
      },
      textBlock([{ kind: 'emphasis', children: [reckoning(usual, t)] }]),
    ],
    actions: ways,
  });
}

/** `+HDDT · 🟣 6.40★ · AR 10.3 OD 9.4 … · 270 BPM · 1:20 · 812x` */
function mapLine({ played, mods, rate, map }: SimulationView, usual: Rating, t: Translator): Text {
  const { difficulty, maxCombo } = usual;
  // A speed of its own changes what the mods alone say.
  const shown: Beatmap =
    rate === undefined || difficulty === undefined
      ? played
      : {
          ...played,
          ar: difficulty.ar,
          od: difficulty.od,
          bpm: difficulty.bpm,
          total_length: difficulty.lengthSeconds,
        };
  return joined([
    mods.length === 0 ? undefined : `+${mods.join('')}`,
    rate === undefined ? undefined : t.messages.plays.simulate.rate({ shown: t.decimal(rate, 2) }),
    [strong(...ratedStarsWithSwatch(usual, t))],
    settingsText({ ...shown, mode: map.ruleset }, t),
    bpmText(shown.bpm, t),
    t.duration(shown.total_length * 1000),
    maxCombo === null ? undefined : t.messages.osu.combo({ shown: t.number(maxCombo) }),
  ]);
}

function askedBlocks({ asked }: SimulationView, t: Translator): readonly Block[] {
  const pp = asked?.rating?.play?.pp ?? asked?.rating?.pp[0]?.pp;
  if (asked === undefined || pp === undefined) return [];
  const words = t.messages.plays.simulate;
  const { accuracy, combo, misses = 0 } = asked;
  const parts = joined([
    words.percent({ shown: t.decimal(accuracy, 2) }),
    combo === undefined ? undefined : t.messages.osu.combo({ shown: t.number(combo) }),
    misses === 0 ? (combo === undefined ? words.full : undefined) : t.messages.osu.scores.misses({ n: misses }),
    [strong(t.messages.osu.estimate.pp({ shown: t.decimal(pp, 0) }))],
  ]);
  return [textBlock([`${words.asked}: `, ...parts])];
}

function reckoning({ isEstimate, algorithm, difficulty }: Rating, t: Translator): string {
  const words = t.messages.osu.estimate;
  if (algorithm === null) return words.byFigures;
  const date = t.date(Date.parse(algorithm));
  if (difficulty?.isOtherFile === true) return words.byOtherFile({ date });
  return isEstimate ? words.by({ date }) : words.ppBy({ date });
}
