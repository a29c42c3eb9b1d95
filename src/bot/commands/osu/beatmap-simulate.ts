import type { Beatmap, Ruleset } from '../../../beatmaps/model/beatmapset.ts';
import { checkMods, parseMods, withMods } from '../../../beatmaps/model/mods.ts';
import type { ScoreMod } from '../../../beatmaps/model/score.ts';
import { isDescribed, modsAtRate, type SimulatedPlay, simulate } from '../../../beatmaps/plays/simulated-play.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { drawnIn } from '../../cards/shapes.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { commandSpec, unknownOption } from '../../contract/command-spec.ts';
import {
  type Block,
  button,
  headingBlock,
  joined,
  labelled,
  menu,
  reply,
  strong,
  type Text,
  textBlock,
  type WordBlock,
} from '../../contract/reply.ts';
import { TERMS } from '../../contract/terms.ts';
import { usageError } from '../../contract/usage-error.ts';
import { askedMap, MAP_MODE_OPTION, MAP_OPTION } from '../../osu/asked-map.ts';
import { mapAddress, mapButtons } from '../../osu/buttons.ts';
import {
  type AskedMap,
  bpmText,
  mapHeading,
  originBlocks,
  ratedStarsWithSwatch,
  setName,
} from '../../views/osu/beatmap.ts';
import { settingsText } from '../../views/osu/beatmap-info.ts';
import { type DrawnPlay, loadCover, playPicture } from '../../views/osu/play.ts';
import { estimateBlocks, modNames } from '../../views/osu/score.ts';

/** The accuracies for which pp of plays without a miss are shown. */
const USUAL = [95, 97, 98, 99, 100];
/** The accuracies on the buttons for other plays. */
const STEPS = [95, 98, 99, 100];
const USUAL_MODS = ['NM', 'HD', 'HR', 'DT', 'HDDT', 'HDHR', 'FL', 'EZ', 'HT'];
const RATES = { min: 0.5, max: 2 };
/** Figures of a map alone, as other bots take them to change the map; a search for them would find some map or other. */
const CHANGES = /^((?:ar|od|cs|hp|bpm)[:=]?\d[\d.,]*)(?:\s+(?:ar|od|cs|hp|bpm)[:=]?\d[\d.,]*)*$/i;

/** Calculates how many pp a play on a map would give. */
export const beatmapSimulate = defineCommand({
  name: 'beatmap simulate',
  options: {
    map: MAP_OPTION,
    mods: TERMS.mods,
    accuracy: TERMS.accuracy,
    combo: TERMS.combo,
    misses: TERMS.misses,
    n300: TERMS.n300,
    n100: TERMS.n100,
    n50: TERMS.n50,
    rate: TERMS.rate,
    mode: MAP_MODE_OPTION,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run(values, context: CommandContext) {
    const { services, signal, t } = context;
    const change = CHANGES.exec(values.map ?? '')?.[1];
    if (change !== undefined) throw unknownOption(commandSpec(beatmapSimulate, t, context.caller.chatKind), change);
    const accuracy = readNumber('accuracy', values.accuracy, { min: 0, max: 100 });
    const rate = readNumber('rate', values.rate, RATES);
    const mods = parseMods(values.mods ?? '');
    const map = await askedMap(values, context);
    const { beatmap, ruleset } = map;
    checkMods(mods, ruleset);
    const { combo, misses, n300, n100, n50 } = values;
    const play = { accuracy, combo, misses, n300, n100, n50 };
    const played = modsAtRate(mods, rate);
    const asked = isDescribed(play) ? simulate(play, beatmap, ruleset) : undefined;
    const request = { beatmap, ruleset, mods: played };
    const cover = loadCover(map.set, services);
    const [usual, rated] = await services.ratings.ofMaps(
      [
        { ...request, accuracies: USUAL, strains: services.painter !== undefined },
        ...(asked === undefined ? [] : [{ ...request, ...asked.request }]),
      ],
      signal,
    );
    const words = t.messages.plays.simulate;
    const { again, elsewhere } = ways({ map, mods, rate: values.rate, play }, context);
    const title = headingBlock([words.title]);
    const named = mapHeading(map, t);
    if (usual === undefined || usual.difficulty === undefined) {
      const blocks = [title, ...named, ...originBlocks(map, t), textBlock([words.unknown])];
      return reply({ tone: 'notice', blocks, actions: elsewhere });
    }
    const fields = usual.pp.map(({ accuracy: of, pp }) => ({
      label: t.percent(of / 100, 2),
      value: [t.messages.osu.estimate.pp({ shown: t.decimal(pp, 0) })],
    }));
    const shown = { played: withMods(beatmap, mods), mods, rate, ruleset };
    const described = asked && { accuracy: asked.accuracy, combo, misses, rating: rated };
    const inWords = [
      ...named,
      textBlock(mapLine(shown, usual, t)),
      ...(described ? askedBlocks(described, t) : []),
      { kind: 'fields', fields } as const,
    ];
    return reply({
      blocks: [
        title,
        ...originBlocks(map, t),
        ...(await simulatedBlocks(
          {
            map,
            cover,
            shown,
            usual,
            fields,
            mods: played.map(mod => (typeof mod === 'string' ? { acronym: mod } : mod)),
            described,
            inWords,
          },
          services,
          t,
        )),
        ...(accuracy !== undefined && [n300, n100, n50].some(count => count !== undefined)
          ? [textBlock([words.byHits({ shown: t.percent(accuracy / 100, 2) })])]
          : []),
        ...(usual.isExact
          ? [textBlock([{ kind: 'emphasis', children: [t.messages.osu.estimate.exact] }])]
          : estimateBlocks([usual], t)),
      ],
      actions: [...again, ...elsewhere],
    });
  },
});

/** Reads a number such as `98.5`, `98,5%` or `1.2x`. */
function readNumber(
  option: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (text === undefined) return undefined;
  const [, digits] = /^(\d{1,3}(?:[.,]\d{1,6})?)\s*[%x]?$/i.exec(text) ?? [];
  const value = digits === undefined ? Number.NaN : Number(digits.replace(',', '.'));
  if (value >= min && value <= max) return value;
  throw usageError('notNumber', { option, min, max });
}

interface Simulated {
  readonly map: AskedMap;
  readonly mods: readonly string[];
  readonly rate: string | undefined;
  readonly play: SimulatedPlay;
}

/** Buttons for the same map with another accuracy, with a miss or without, or with other mods. */
function ways({ map, mods, rate, play }: Simulated, { services, t }: CommandContext) {
  const { beatmap, ruleset } = map;
  const convertedTo = ruleset === beatmap.mode ? undefined : ruleset;
  const address = mapAddress({ id: beatmap.id, convertedTo });
  const words = t.messages.plays.simulate;
  const { accuracy, misses } = play;
  const token = (change: Readonly<Record<string, string | number | undefined>>) => {
    const all = { mods: mods.join('') || undefined, rate, accuracy: accuracy?.toString(), misses, ...change };
    const set = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return services.actions.encode({
      command: 'beatmap simulate',
      values: { map: address, ...Object.fromEntries(set) },
    });
  };
  const otherMods = USUAL_MODS.filter(each => each !== (mods.join('') || 'NM'));
  return {
    again: [
      ...STEPS.map(step => button(t.percent(step / 100, 2), token({ accuracy: String(step) }))),
      button(words.moreMisses({ n: (misses ?? 0) + 1 }), token({ misses: (misses ?? 0) + 1 })),
      ...((misses ?? 0) > 0 ? [button(words.fullCombo, token({ misses: undefined }))] : []),
      ...menu(
        words.otherMods,
        otherMods.map(each => ({ label: `+${each}`, token: token({ mods: each, rate: undefined }) })),
      ),
    ],
    elsewhere: mapButtons({ id: beatmap.id, convertedTo, mods }, ['map', 'leaderboard', 'compare'], services, t),
  };
}

interface PlayedMap {
  /** The difficulty as the mods change it. */
  readonly played: Beatmap;
  readonly mods: readonly string[];
  /** The requested speed, if it is not that of the mods. */
  readonly rate: number | undefined;
  readonly ruleset: Ruleset;
}

/** A simulated play, and the texts about it. */
interface DescribedPlay {
  readonly accuracy: number;
  readonly combo: number | undefined;
  readonly misses: number | undefined;
  readonly rating: Rating | undefined;
}

/** Texts such as `AR 10.3 OD 9.4 …`, `270 BPM` and `1:20`. */
function settingsOf({ played, rate, ruleset }: PlayedMap, { difficulty }: Rating, t: Translator): readonly string[] {
  // A speed that is not that of the mods changes the settings further.
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
  const shownTexts = [
    settingsText({ ...shown, mode: ruleset }, t),
    bpmText(shown.bpm, t),
    t.duration(shown.total_length * 1000),
  ];
  return shownTexts.filter(text => text !== undefined);
}

/** A line such as `+HDDT · 🟣 6.40★ · AR 10.3 OD 9.4 … · 270 BPM · 1:20 · 812x`. */
function mapLine(map: PlayedMap, usual: Rating, t: Translator): Text {
  const { mods, rate } = map;
  const { maxCombo } = usual;
  return joined([
    mods.length === 0 ? undefined : `+${mods.join('')}`,
    rate === undefined ? undefined : t.messages.plays.simulate.rate({ shown: t.decimal(rate, 2) }),
    [strong(...ratedStarsWithSwatch(usual, t))],
    ...settingsOf(map, usual, t),
    maxCombo === null ? undefined : t.messages.osu.combo({ shown: t.number(maxCombo) }),
  ]);
}

function askedBlocks({ accuracy, combo, misses = 0, rating }: DescribedPlay, t: Translator): readonly WordBlock[] {
  const pp = rating?.play?.pp ?? rating?.pp[0]?.pp;
  if (pp === undefined) return [];
  const words = t.messages.plays.simulate;
  const parts = joined([
    t.percent(accuracy / 100, 2),
    combo === undefined ? undefined : t.messages.osu.combo({ shown: t.number(combo) }),
    misses === 0 ? (combo === undefined ? words.full : undefined) : t.messages.osu.scores.misses({ n: misses }),
    [strong(t.messages.osu.estimate.pp({ shown: t.decimal(pp, 0) }))],
  ]);
  return [textBlock(labelled([words.asked], parts, t))];
}

interface SimulatedMap {
  readonly map: AskedMap;
  readonly cover: DrawnPlay['cover'];
  readonly shown: PlayedMap;
  readonly usual: Rating;
  readonly mods: readonly ScoreMod[];
  readonly fields: readonly { readonly label: string; readonly value: readonly string[] }[];
  readonly described: DescribedPlay | undefined;
  readonly inWords: readonly WordBlock[];
}

/** Shows the play: as an image card with a link to the map, or as text. */
async function simulatedBlocks(
  { map, cover, shown, usual, fields, mods, described, inWords }: SimulatedMap,
  services: CommandContext['services'],
  t: Translator,
): Promise<readonly Block[]> {
  const name = `${setName(map.set)} [${map.beatmap.version}]`;
  const drawn: DrawnPlay = {
    set: map.set,
    cover,
    version: map.beatmap.version,
    stars: usual.stars,
    grade: undefined,
    mods: modNames({ mods }, t),
    figures: described === undefined ? [] : figuresOf(described, usual, drawnIn(t)),
    remarks: [],
    results: [],
    note: settingsOf(shown, usual, t).join(' · '),
    worths: fields.map(({ label, value }) => ({ label, value: value.join('') })),
    strains: usual.difficulty?.strains,
    fail: undefined,
    alt: t.messages.joining.labelled({ name, value: t.messages.plays.simulate.title }),
  };
  const picture = await playPicture(drawn, services.painter, t);
  return picture === undefined ? inWords : [{ ...picture, beside: mapHeading(map, t, true), instead: inWords }];
}

function figuresOf({ accuracy, combo, misses = 0, rating }: DescribedPlay, { maxCombo }: Rating, t: Translator) {
  const { cards, osu, plays } = t.messages;
  const pp = rating?.play?.pp ?? rating?.pp[0]?.pp;
  const most = combo ?? (misses === 0 ? maxCombo : null);
  return [
    { value: t.percent(accuracy / 100, 2), label: cards.accuracy },
    most !== null && {
      value: osu.combo({ shown: t.number(most) }),
      label: combo === undefined ? plays.simulate.full : '',
    },
    misses !== 0 && { value: t.number(misses), label: osu.scores.results.miss },
    pp !== undefined && { value: t.decimal(pp, 0), label: cards.pp },
  ].filter(figure => figure !== false);
}
