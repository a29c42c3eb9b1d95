import type { Messages } from '../../i18n/messages.ts';
import type { Command } from '../contract/command.ts';
import { callerKey, chatKey } from '../contract/request.ts';
import type { CardSite } from '../views/post.ts';
import { about, createStart, forget, privacy, welcome } from './about.ts';
import { createDownload, translate } from './download.ts';
import { createHelp } from './help.ts';
import { beatmapDownload, beatmapInfo } from './osu/beatmap-info.ts';
import { beatmapLeaderboard } from './osu/beatmap-leaderboard.ts';
import { beatmapRecommend } from './osu/beatmap-recommend.ts';
import { beatmapSearch, osuMaps } from './osu/beatmap-search.ts';
import { beatmapSimulate } from './osu/beatmap-simulate.ts';
import { osuCompare } from './osu/osu-compare.ts';
import { osuRecent, osuScore } from './osu/osu-play.ts';
import { osuDaily, osuLink, osuProfile, osuUnlink } from './osu/osu-profile.ts';
import { osuRanking, osuTrack } from './osu/osu-ranking.ts';
import { osuNoChoke, osuTopIf, osuTopOld } from './osu/osu-reworked.ts';
import { osuScores } from './osu/osu-scores.ts';
import { osuTarget, osuWhatIf } from './osu/osu-totals.ts';
import { osuVersus } from './osu/osu-versus.ts';
import { createSettings } from './settings.ts';

interface CommandListOptions {
  readonly sources: readonly CardSite[];
  /** The link of a post, for people who want to try Medley out. */
  readonly example?: string | undefined;
}

/** A command with texts in every language: the compiler refuses any other command in the list. */
export type DescribedCommand = Command & { readonly name: keyof Messages['commands'] };

/** All commands of Medley, in the order of the help. */
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
    osuTopIf,
    osuVersus,
    osuDaily,
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
  // Menus do not list the commands added here: platforms run them by themselves, or people have to know their names.
  const list: readonly Command[] = [...described, createStart({ example }), welcome, translate, osuTopOld].map(
    notingMembers,
  );
  return list;
}

/**
 * The same command, but in a group it also records a caller with a linked player as a member, for lists of the group's
 * members. Commands about posts record nothing.
 */
function notingMembers(command: Command): Command {
  if (command.subject === undefined) return command;
  return {
    ...command,
    async run(values, context) {
      const reply = await command.run(values, context);
      const { caller, services } = context;
      if (caller.chatKind === 'group') {
        const { player } = await services.settings.user(callerKey(caller));
        if (player !== null) await services.memory.members.note(chatKey(caller), callerKey(caller));
      }
      return reply;
    },
  };
}
