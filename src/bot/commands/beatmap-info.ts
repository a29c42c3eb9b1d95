import { type CommandContext, defineCommand } from '../command.ts';
import { findMap } from '../map-reference.ts';
import { downloadToken } from '../open-token.ts';
import { renderBeatmapInfo } from '../views/beatmap-info.ts';

const MAX_MAP = 300;

/** All about a set, or about one of its difficulties. */
export const beatmapInfo = defineCommand({
  name: 'beatmap info',
  options: { map: { type: 'string', form: 'rest', required: true, maxLength: MAX_MAP } },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run({ map }, { services, signal, t }: CommandContext) {
    const found = await findMap(map, services.beatmaps, signal);
    return renderBeatmapInfo({ ...found, downloadToken: downloadToken(services, found.set.id) }, t);
  },
});
