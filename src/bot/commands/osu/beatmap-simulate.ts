import { checkMods, inRuleset, parseMods, withMods } from '../../../beatmaps/model/mods.ts';
import type { ScoreMod } from '../../../beatmaps/model/score.ts';
import { isDescribed, modsAtRate, type SimulatedPlay, simulate } from '../../../beatmaps/plays/simulated-play.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { drawnIn } from '../../cards/shapes.ts';
import { type CommandContext, defineCommand, TERMS, usageError } from '../../contract/command.ts';
import { commandSpec, unknownOption } from '../../contract/command-spec.ts';
import type { Text } from '../../contract/reply.ts';
import {
  button,
  headingBlock,
  joined,
  labelled,
  menu,
  reply,
  series,
  strong,
  textBlock,
} from '../../contract/reply-parts.ts';
import { ABOUT_BEATMAP, askedMap, MAP_MODE_OPTION, MAP_OPTION } from '../../osu/asked.ts';
import { mapAddress, mapButtons, openable, tokensOf } from '../../osu/buttons.ts';
import { settingsText } from '../../views/osu/beatmap-info.ts';
import {
  type AskedMap,
  bpmText,
  mapHeading,
  originBlocks,
  ppText,
  ratedStarsWithSwatch,
  setName,
} from '../../views/osu/facts.ts';
import { loadCover, playPicture } from '../../views/osu/play.ts';
import { estimateBlocks, modNames, modsText } from '../../views/osu/score.ts';

/** The accuracies for which pp of plays without a miss are shown. */
const USUAL = [95, 97, 98, 99, 100];
/** The accuracies for which there are buttons that simulate another play. */
const STEPS = [95, 98, 99, 100];
const USUAL_MODS = ['NM', 'HD', 'HR', 'DT', 'HDDT', 'HDHR', 'FL', 'EZ', 'HT'];
const RATES = { min: 0.5, max: 2 };
/**
 * Matches map settings such as `ar9.5 od8`, with which other bots change the map. Medley cannot do that, and a search
 * for a map of that name would find an unrelated one.
 */
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
  ...ABOUT_BEATMAP,
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
    const playedMods = played.map(mod => (typeof mod === 'string' ? { acronym: mod } : mod));
    const asked = isDescribed(play) ? simulate(play, beatmap, ruleset, playedMods) : undefined;
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
    const { again, elsewhere } = ways(map, mods, values.rate, play, context);
    const title = headingBlock([words.title]);
    const named = mapHeading(map, t);
    if (usual?.difficulty === undefined) {
      const blocks = [title, ...named, ...originBlocks(map, t), textBlock([words.unknown])];
      return reply({ tone: 'notice', blocks, actions: elsewhere });
    }
    const described = asked && {
      accuracy: asked.accuracy,
      combo: combo === undefined ? undefined : Math.min(combo, usual.maxCombo ?? combo),
      misses: asked.misses,
      pp: rated?.play?.pp ?? rated?.pp[0]?.pp,
    };
    const settings = settingsOf(map, { mods, rate, usual }, t);
    const worths = usual.pp.map(({ accuracy: of, pp }) => ({ label: t.percent(of / 100, 2), value: ppText(pp, t) }));
    const inWords = [
      ...named,
      textBlock(mapLine({ mods, rate, usual }, settings, t)),
      ...(described?.pp === undefined ? [] : [textBlock(askedText(described, described.pp, t))]),
      { kind: 'fields', fields: worths.map(({ label, value }) => ({ label, value: [value] })) } as const,
    ];
    const drawn = {
      set: map.set,
      cover,
      version: beatmap.version,
      stars: usual.stars,
      mods: modNames({ mods: playedMods }, t),
      figures: described === undefined ? [] : figuresOf(described, usual, drawnIn(t)),
      note: settings.join(' · '),
      worths,
      strains: usual.difficulty.strains,
      alt: altText(map, { described, worths, mods: playedMods }, t),
    };
    const picture = await playPicture(drawn, services.painter, t);
    return reply({
      blocks: [
        title,
        ...originBlocks(map, t),
        ...(picture === undefined ? inWords : [{ ...picture, beside: mapHeading(map, t, true), instead: inWords }]),
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

/** Buttons for the same map with another accuracy, with a miss or without, or with other mods. */
function ways(
  map: AskedMap,
  mods: readonly string[],
  rate: string | undefined,
  play: SimulatedPlay,
  { services, t }: CommandContext,
) {
  const opened = openable(map, mods);
  const words = t.messages.plays.simulate;
  const { accuracy, misses = 0 } = play;
  const played = { mods: mods.join('') || undefined, rate, accuracy: accuracy?.toString(), misses: play.misses };
  const token = tokensOf('beatmap simulate', { map: mapAddress(opened), ...played }, services);
  const otherMods = USUAL_MODS.filter(each => each !== (mods.join('') || 'NM'));
  return {
    again: [
      ...STEPS.map(step => button(t.percent(step / 100, 2), token({ accuracy: String(step) }))),
      button(words.moreMisses({ n: misses + 1 }), token({ misses: misses + 1 })),
      ...(misses > 0 ? [button(words.fullCombo, token({ misses: undefined }))] : []),
      ...menu(
        words.otherMods,
        otherMods.map(each => ({ label: `+${each}`, token: token({ mods: each, rate: undefined }) })),
      ),
    ],
    elsewhere: mapButtons(opened, ['map', 'leaderboard', 'compare'], services, t),
  };
}

interface Played {
  readonly mods: readonly string[];
  /** The requested speed, if it differs from the speed that the mods give. */
  readonly rate: number | undefined;
  /** The rating with these mods at this speed. */
  readonly usual: Rating;
}

/** Texts such as `AR 10.3 OD 9.4 …`, `270 BPM` and `1:20`. */
function settingsOf({ beatmap, ruleset }: AskedMap, { mods, rate, usual }: Played, t: Translator): readonly string[] {
  const { difficulty } = usual;
  const played = withMods(inRuleset(beatmap, ruleset), mods);
  // A requested speed other than the mods' own also changes AR, OD, the BPM and the length.
  const shown =
    rate === undefined || difficulty === undefined
      ? played
      : {
          ...played,
          ar: difficulty.ar,
          od: difficulty.od,
          bpm: difficulty.bpm,
          total_length: difficulty.lengthSeconds,
        };
  const texts = [settingsText(shown, t), bpmText(shown.bpm, t), t.duration(shown.total_length * 1000)];
  return texts.filter(text => text !== undefined);
}

/** A line such as `+HDDT · 🟣 6.40★ · AR 10.3 OD 9.4 … · 270 BPM · 1:20 · 812x`. */
function mapLine({ mods, rate, usual }: Played, settings: readonly string[], t: Translator): Text {
  const { maxCombo } = usual;
  return joined([
    mods.length === 0 ? undefined : `+${mods.join('')}`,
    rate === undefined ? undefined : t.messages.plays.simulate.rate({ shown: t.decimal(rate, 2) }),
    [strong(...ratedStarsWithSwatch(usual, t))],
    ...settings,
    maxCombo === null ? undefined : t.messages.osu.combo({ shown: t.number(maxCombo) }),
  ]);
}

interface DescribedPlay {
  readonly accuracy: number;
  readonly combo: number | undefined;
  readonly misses: number;
  readonly pp: number | undefined;
}

function askedText(play: DescribedPlay, pp: number, t: Translator): Text {
  const parts = joined([...describedParts(play, t), [strong(ppText(pp, t))]]);
  return labelled([t.messages.plays.simulate.asked], parts, t);
}

function describedParts({ accuracy, combo, misses }: DescribedPlay, t: Translator): readonly string[] {
  const { full } = t.messages.plays.simulate;
  return [
    t.percent(accuracy / 100, 2),
    combo === undefined ? undefined : t.messages.osu.combo({ shown: t.number(combo) }),
    misses === 0 ? (combo === undefined ? full : undefined) : t.messages.osu.scores.misses({ n: misses }),
  ].filter(part => part !== undefined);
}

interface Worth {
  /** The accuracy, or what else the pp are for. */
  readonly label: string;
  readonly value: string;
}

/** The map, its mods and all pp that the image card shows, in words. */
function altText(
  { set, beatmap }: AskedMap,
  drawn: {
    readonly described: DescribedPlay | undefined;
    readonly worths: readonly Worth[];
    readonly mods: readonly ScoreMod[];
  },
  t: Translator,
): string {
  const { described, worths, mods } = drawn;
  const asked =
    described?.pp === undefined
      ? []
      : [{ label: describedParts(described, t).join(t.comma), value: ppText(described.pp, t) }];
  const { labelled: pair } = t.messages.joining;
  const name = [`${setName(set)} [${beatmap.version}]`, modsText({ mods }, t)].filter(part => part !== undefined);
  const values = [...asked, ...worths].map(({ label, value }) => pair({ name: label, value }));
  return pair({ name: name.join(' '), value: series(values, t) });
}

function figuresOf({ accuracy, combo, misses, pp }: DescribedPlay, { maxCombo }: Rating, t: Translator) {
  const { cards, osu, plays } = t.messages;
  const most = combo ?? (misses === 0 ? maxCombo : null);
  return [
    { value: t.percent(accuracy / 100, 2), label: cards.accuracy },
    most !== null && {
      value: osu.combo({ shown: t.number(most) }),
      label: combo === undefined ? plays.simulate.full : '',
    },
    // The word for misses stands here without its number, which the card shows above it.
    misses !== 0 && { value: t.number(misses), label: osu.scores.results.miss({ n: misses, shown: '' }).trim() },
    pp !== undefined && { value: t.decimal(pp, 0), label: cards.pp },
  ].filter(figure => figure !== false);
}
