import type { Beatmapset } from '../../../beatmaps/model/beatmapset.ts';
import { areMods, checkMods, clockRateOf, inRuleset, parseMods, withMods } from '../../../beatmaps/model/mods.ts';
import type { Rating, RatingRequest } from '../../../beatmaps/rating/ratings.ts';
import { strainPicture } from '../../cards/strain-graph.ts';
import { type CommandContext, defineCommand, type Option } from '../../contract/command.ts';
import { TERMS } from '../../contract/terms.ts';
import { hardestOf, MAP_MODE_OPTION, MAP_OPTION, wishedMap } from '../../osu/asked-map.ts';
import { downloadToken, mapButtons, openMapToken } from '../../osu/buttons.ts';
import { MAX_LINES, renderBeatmapInfo } from '../../views/osu/beatmap-info.ts';
import { beatmapSimulate } from './beatmap-simulate.ts';
import { ABOUT_BEATMAP } from './osu-command.ts';

/** The accuracies for which the card shows pp. */
const ACCURACIES = [95, 98, 99, 100];

const USUAL_MODS = ['HD', 'HR', 'DT', 'HDDT', 'HDHR', 'HDDTHR', 'FL', 'EZ', 'HT', 'NF'];

async function suggestMods(partial: string) {
  const typed = partial.replace(/^\+/, '').toUpperCase();
  return USUAL_MODS.filter(mods => mods.startsWith(typed)).map(mods => ({ label: `+${mods}`, value: mods }));
}

/**
 * Declares an option about a play, which can only be typed. If a person gives any such option, `beatmap simulate` runs.
 */
const aside = <O extends Option>(option: O) => ({ ...option, only: 'typed' }) as const;

/** Ratings of the shown difficulties, by id; difficulties of a ruleset without these mods have none. */
async function rate(
  { beatmaps }: Beatmapset,
  focus: RatingRequest | undefined,
  mods: readonly string[],
  { services, signal }: CommandContext,
): Promise<ReadonlyMap<number, Rating>> {
  const others = beatmaps.filter(({ id, mode }) => id !== focus?.beatmap.id && areMods(mods, mode)).slice(0, MAX_LINES);
  const requests = [...(focus ? [focus] : []), ...others.map(beatmap => ({ beatmap, mods }))];
  const rated = await services.ratings.ofMaps(requests, signal);
  return new Map(
    requests.flatMap(({ beatmap }, index) => {
      const rating = rated[index];
      return rating === undefined ? [] : [[beatmap.id, rating] as const];
    }),
  );
}

/** Shows a beatmapset, or one of its difficulties with mods. */
export const beatmapInfo = defineCommand({
  name: 'beatmap info',
  options: {
    map: MAP_OPTION,
    mods: { ...TERMS.mods, suggest: suggestMods },
    mode: MAP_MODE_OPTION,
    accuracy: aside(TERMS.accuracy),
    combo: aside(TERMS.combo),
    misses: aside(TERMS.misses),
    n300: aside(TERMS.n300),
    n100: aside(TERMS.n100),
    n50: aside(TERMS.n50),
    rate: aside(TERMS.rate),
  },
  ...ABOUT_BEATMAP,
  accepts: 'beatmap-link',
  async run({ map, mods, mode, ...play }, context: CommandContext) {
    if (Object.values(play).some(value => value !== undefined)) {
      return beatmapSimulate.run({ map, mods, mode, ...play }, context);
    }
    const { caller, services, t } = context;
    const chosen = parseMods(mods ?? '');
    const { set, beatmap, ruleset, ...origin } = await wishedMap({ map, mode }, context);
    const convertedTo = beatmap?.mode === 'osu' && ruleset !== 'osu' ? ruleset : undefined;
    if (beatmap !== undefined) checkMods(chosen, convertedTo ?? beatmap.mode);
    const shown = beatmap ?? hardestOf(set, ruleset);
    if (shown !== undefined) {
      await services.memory.maps.remember(caller, { id: shown.id, ruleset: convertedTo ?? shown.mode });
    }
    const played = {
      ...set,
      bpm: set.bpm === null ? null : set.bpm * clockRateOf(chosen),
      beatmaps: set.beatmaps.map(each => {
        const own = inRuleset(each, each.id === beatmap?.id ? (convertedTo ?? each.mode) : each.mode);
        return areMods(chosen, own.mode) ? withMods(own, chosen) : own;
      }),
    };
    const focus = beatmap && {
      beatmap,
      mods: chosen,
      accuracies: ACCURACIES,
      strains: services.painter !== undefined,
      ...(convertedTo !== undefined && { ruleset: convertedTo }),
    };
    const ratings = await rate(set, focus, chosen, context);
    const rating = beatmap && ratings.get(beatmap.id);
    const view = {
      ...origin,
      set: played,
      beatmap: played.beatmaps.find(({ id }) => id === beatmap?.id),
      convertedTo,
      mods: chosen,
      ratings,
      picture:
        services.painter &&
        beatmap &&
        rating?.difficulty &&
        strainPicture(
          { set, beatmap, mods: chosen, stars: rating.stars, estimated: rating.difficulty },
          services.painter,
          t,
        ),
      downloadToken: downloadToken(services, set.id),
      openToken: (id: number) => openMapToken(services, id, chosen),
      plays: shown
        ? mapButtons({ id: shown.id, convertedTo, mods: chosen }, ['leaderboard', 'compare', 'simulate'], services, t)
        : [],
    };
    return renderBeatmapInfo(view, t);
  },
});
