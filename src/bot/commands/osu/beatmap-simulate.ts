import { withMods } from '../../../beatmaps/model/apply-mods.ts';
import { checkMods, parseMods } from '../../../beatmaps/model/mods.ts';
import { isDescribed, modsAtRate, type SimulatedPlay, simulate } from '../../../beatmaps/plays/simulated-play.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { button } from '../../contract/reply.ts';
import { usageError } from '../../contract/usage-error.ts';
import { askedMap, MAP_OPTION, splitMods } from '../../osu/asked-map.ts';
import { mapAddress, mapButtons } from '../../osu/buttons.ts';
import type { AskedMap } from '../../views/osu/map-heading.ts';
import { renderSimulation } from '../../views/osu/simulation.ts';

/** Full combos whose worth is always shown. */
const USUAL = [95, 97, 98, 99, 100];
/** To be pressed for another look. */
const STEPS = [95, 98, 99, 100];
const USUAL_MODS = ['NM', 'HD', 'HR', 'DT', 'HDDT', 'HDHR', 'FL', 'EZ', 'HT'];
const MAX_COUNT = 100_000;
const COUNT = { type: 'integer', min: 0, max: MAX_COUNT } as const;
const WORD = { type: 'string', form: 'word', maxLength: 40 } as const;
const RATES = { min: 0.5, max: 2 };

/** What a play on a map would be worth. */
export const beatmapSimulate = defineCommand({
  name: 'beatmap simulate',
  options: {
    map: MAP_OPTION,
    mods: WORD,
    accuracy: WORD,
    combo: COUNT,
    misses: COUNT,
    n300: COUNT,
    n100: COUNT,
    n50: COUNT,
    rate: WORD,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run(values, context: CommandContext) {
    const { services, signal, t } = context;
    const { map: given, mods: givenMods } = splitMods(values.map, values.mods);
    const accuracy = readNumber('accuracy', values.accuracy, { min: 0, max: 100 });
    const rate = readNumber('rate', values.rate, RATES);
    const mods = parseMods(givenMods ?? '');
    const map = await askedMap(given, context);
    const { beatmap, ruleset } = map;
    checkMods(mods, ruleset);
    const { combo, misses, n300, n100, n50 } = values;
    const play = { accuracy, combo, misses, n300, n100, n50 };
    const played = modsAtRate(mods, rate);
    const asked = isDescribed(play) ? simulate(play, beatmap, ruleset) : undefined;
    const request = { beatmap, ruleset, mods: played };
    const [usual, rated] = await services.ratings.ofMaps(
      [{ ...request, accuracies: USUAL }, ...(asked === undefined ? [] : [{ ...request, ...asked.request }])],
      signal,
    );
    return renderSimulation(
      {
        map,
        played: withMods(beatmap, mods),
        mods,
        rate,
        usual,
        asked: asked && { accuracy: asked.accuracy, combo, misses, rating: rated },
        ...ways({ map, mods, rate: values.rate, play }, context),
      },
      t,
    );
  },
});

/** `98.5`, `98,5%`, `1.2x` */
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

/** The same with another accuracy, a miss more or none, and other mods. */
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
  return {
    steps: [
      ...STEPS.map(step => button(words.percent({ shown: t.number(step) }), token({ accuracy: String(step) }))),
      button(words.moreMisses({ n: (misses ?? 0) + 1 }), token({ misses: (misses ?? 0) + 1 })),
      ...((misses ?? 0) > 0 ? [button(words.fullCombo, token({ misses: undefined }))] : []),
    ],
    otherMods: USUAL_MODS.filter(each => each !== (mods.join('') || 'NM')).map(each => ({
      label: `+${each}`,
      token: token({ mods: each, rate: undefined }),
    })),
    actions: mapButtons({ id: beatmap.id, convertedTo, mods }, ['map', 'leaderboard', 'compare'], services, t),
  };
}
