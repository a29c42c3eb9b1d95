import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { findMap, suggestMaps } from '../../osu/asked-map.ts';
import { renderBeatmapDownload } from '../../views/osu/beatmap-download.ts';

const MAX_MAP = 300;

/** Where the files of a set can be had. */
export const beatmapDownload = defineCommand({
  name: 'beatmap download',
  options: {
    map: { type: 'string', form: 'rest', required: true, maxLength: MAX_MAP },
    video: { type: 'boolean', required: false },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run({ map, video }, { services, signal, t }: CommandContext) {
    const { set } = await findMap(map, services.beatmaps, signal);
    const answer = await services.beatmaps.download(`https://osu.ppy.sh/s/${set.id}`, signal);
    return renderBeatmapDownload({ ...answer, wantsVideo: video }, t);
  },
  suggest: async (option, partial, context) => (option === 'map' ? suggestMaps(partial, context) : []),
});
