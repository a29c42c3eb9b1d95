import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { findMap, MAP_OPTION } from '../../osu/asked-map.ts';
import { renderBeatmapDownload } from '../../views/osu/beatmap-download.ts';

/** Where the files of a set can be had. */
export const beatmapDownload = defineCommand({
  name: 'beatmap download',
  options: {
    map: { ...MAP_OPTION, required: true },
    video: { type: 'boolean' },
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run({ map, video }, { services, signal, t }: CommandContext) {
    const { set } = await findMap(map, services.beatmaps, signal);
    const answer = await services.beatmaps.download(`https://osu.ppy.sh/s/${set.id}`, signal);
    return renderBeatmapDownload({ ...answer, wantsVideo: video }, t);
  },
});
