import { withMods } from '../../beatmaps/model/apply-mods.ts';
import { checkMods, clockRateOf, parseMods } from '../../beatmaps/model/mods.ts';
import { suggestMaps } from '../autocomplete/map-suggestions.ts';
import { strainPicture } from '../cards/strain-graph.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import { downloadToken } from '../osu/beatmap-buttons.ts';
import { estimate } from '../osu/estimate.ts';
import { findMap } from '../osu/map-reference.ts';
import { renderBeatmapInfo } from '../views/beatmap-info.ts';

const MAX_MAP = 300;
const MAX_MODS = 40;
/** `paper comet +HDDT` */
const MODS_AT_END = /^(.*\S)\s+\+([a-z\d]{2,40})$/i;

/** Accuracies whose pp are shown. */
const ACCURACIES = [95, 98, 99, 100];

const USUAL_MODS = ['HD', 'HR', 'DT', 'HDDT', 'HDHR', 'HDDTHR', 'FL', 'EZ', 'HT', 'NF'];

function suggestMods(partial: string) {
  const typed = partial.replace(/^\+/, '').toUpperCase();
  return USUAL_MODS.filter(mods => mods.startsWith(typed)).map(mods => ({ label: `+${mods}`, value: mods }));
}

/** All about a set, or about one of its difficulties, as it plays with some mods. */
export const beatmapInfo = defineCommand({
  name: 'beatmap info',
  options: {
    map: { type: 'string', form: 'rest', required: true, maxLength: MAX_MAP },
    mods: { type: 'string', form: 'word', required: false, maxLength: MAX_MODS },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  accepts: 'beatmap-link',
  async run({ map, mods }, context: CommandContext) {
    const { services, signal, t } = context;
    const [, name = map, ending = ''] = (mods === undefined && MODS_AT_END.exec(map)) || [];
    const chosen = parseMods(mods ?? ending);
    const { set, beatmap, ruleset, ...origin } = await findMap(name, services.beatmaps, signal);
    const convertedTo = beatmap?.mode === 'osu' && ruleset !== 'osu' ? ruleset : undefined;
    if (beatmap !== undefined) checkMods(chosen, convertedTo ?? beatmap.mode);
    const played = {
      ...set,
      bpm: set.bpm === null ? null : set.bpm * clockRateOf(chosen),
      beatmaps: set.beatmaps.map(each => withMods(each, chosen)),
    };
    const estimated =
      beatmap === undefined
        ? undefined
        : await estimate(
            {
              beatmap,
              mods: chosen,
              accuracies: ACCURACIES,
              strains: services.painter !== undefined,
              ...(convertedTo !== undefined && { ruleset: convertedTo }),
            },
            context,
          );
    const view = {
      ...origin,
      set: played,
      beatmap: played.beatmaps.find(({ id }) => id === beatmap?.id),
      convertedTo,
      mods: chosen,
      estimated,
      picture:
        services.painter &&
        beatmap &&
        estimated &&
        strainPicture({ set, beatmap, mods: chosen, estimated }, services.painter, t),
      downloadToken: downloadToken(services, set.id),
    };
    return renderBeatmapInfo(view, t);
  },
  suggest: async (option, partial, context) =>
    option === 'map' ? suggestMaps(partial, context) : suggestMods(partial),
});
