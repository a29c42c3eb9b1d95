import type { Command } from '../command.ts';
import { about } from './about.ts';
import { beatmapDownload } from './beatmap-download.ts';
import { beatmapInfo } from './beatmap-info.ts';
import { beatmapRecommend } from './beatmap-recommend.ts';
import { beatmapSearch } from './beatmap-search.ts';
import { download } from './download.ts';
import { forget } from './forget.ts';
import { createHelp } from './help.ts';
import { osuLink } from './osu-link.ts';
import { osuMaps } from './osu-maps.ts';
import { osuProfile } from './osu-profile.ts';
import { osuScore } from './osu-score.ts';
import { osuScores } from './osu-scores.ts';
import { osuUnlink } from './osu-unlink.ts';
import { settings } from './settings.ts';

/** Every command of Medley, in the order of its help. */
export const commandList: readonly Command[] = [
  download,
  beatmapSearch,
  beatmapInfo,
  beatmapRecommend,
  beatmapDownload,
  osuProfile,
  osuScores,
  osuScore,
  osuMaps,
  osuLink,
  osuUnlink,
  settings,
  forget,
  createHelp(() => commandList),
  about,
];
