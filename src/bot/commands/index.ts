import type { Messages } from '../../i18n/messages.ts';
import type { Command } from '../contract/command.ts';
import type { CardSite } from '../contract/site-name.ts';
import { about } from './about.ts';
import { beatmapDownload } from './beatmap-download.ts';
import { beatmapInfo } from './beatmap-info.ts';
import { beatmapRecommend } from './beatmap-recommend.ts';
import { beatmapSearch } from './beatmap-search.ts';
import { createDownload } from './download.ts';
import { forget } from './forget.ts';
import { createHelp } from './help.ts';
import { notingMembers } from './noting-members.ts';
import { osuLink } from './osu-link.ts';
import { osuMaps } from './osu-maps.ts';
import { osuProfile } from './osu-profile.ts';
import { osuScore } from './osu-score.ts';
import { osuScores } from './osu-scores.ts';
import { osuUnlink } from './osu-unlink.ts';
import { beatmapLeaderboard } from './plays/beatmap-leaderboard.ts';
import { beatmapSimulate } from './plays/beatmap-simulate.ts';
import { osuCompare } from './plays/osu-compare.ts';
import { osuNoChoke } from './plays/osu-nochoke.ts';
import { osuRanking } from './plays/osu-ranking.ts';
import { osuRecent } from './plays/osu-recent.ts';
import { osuTarget } from './plays/osu-target.ts';
import { osuTrack } from './plays/osu-track.ts';
import { osuWhatIf } from './plays/osu-whatif.ts';
import { privacy } from './privacy.ts';
import { createSettings } from './settings.ts';
import { createStart } from './start.ts';
import { welcome } from './welcome.ts';

export interface CommandListOptions {
  readonly sources: readonly CardSite[];
  /** The link of a post that works here, for those who want to see what Medley does. */
  readonly example?: string | undefined;
}

/** A command whose texts every language has: the compiler refuses another in the list. */
export type DescribedCommand = Command & { readonly name: keyof Messages['commands'] };

/** Every command of Medley, in the order of its help. */
export function createCommandList({ sources, example }: CommandListOptions): readonly Command[] {
  const described = [
    createDownload({ sources }),
    beatmapSearch,
    beatmapInfo,
    beatmapLeaderboard,
    beatmapSimulate,
    beatmapRecommend,
    beatmapDownload,
    osuProfile,
    osuRecent,
    osuCompare,
    osuScores,
    osuScore,
    osuNoChoke,
    osuWhatIf,
    osuTarget,
    osuRanking,
    osuTrack,
    osuMaps,
    osuLink,
    osuUnlink,
    createSettings({ sources }),
    privacy,
    forget,
    createHelp(() => list),
    about,
  ] satisfies readonly DescribedCommand[];
  // Platforms ask for the others, which no menu lists.
  const list: readonly Command[] = [...described, createStart({ example }), welcome].map(notingMembers);
  return list;
}
