import { matchOsuLink, scorePage } from '../../../beatmaps/model/link.ts';
import { areMods } from '../../../beatmaps/model/mods.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { usageError } from '../../contract/usage-error.ts';
import { modeOf } from '../../osu/asked-player.ts';
import { openMapToken } from '../../osu/buttons.ts';
import { ratePlays } from '../../osu/plays.ts';
import { renderScore } from '../../views/osu/score-list.ts';

const MAX_PLAY = 300;

/** A map is opened as it was played, where it can be. */
function modsToOpen(score: Score): readonly string[] {
  const mods = shownMods(score);
  const isConvert = score.beatmap?.convert === true;
  return score.mode === score.beatmap?.mode && !isConvert && areMods(mods, score.mode) ? mods : [];
}

/** One play. */
export const osuScore = defineCommand({
  name: 'osu score',
  options: { play: { type: 'string', form: 'link', required: true, maxLength: MAX_PLAY } },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  accepts: 'score-link',
  async run({ play }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const link = matchOsuLink(play);
    if (link?.kind !== 'score') throw usageError('notScoreLink');
    const { score, stale } = await services.beatmaps.score(link.id, link.ruleset, signal);
    const ratings = await ratePlays([score], context);
    const { beatmap_id, user_id, mode } = score;
    if (beatmap_id !== null) await services.memory.maps.remember(caller, { id: beatmap_id, ruleset: mode });
    return renderScore(
      {
        score,
        rating: ratings.get(score.id),
        stale,
        url: scorePage(link.id, link.ruleset),
        openMap: beatmap_id === null ? undefined : openMapToken(services, beatmap_id, modsToOpen(score)),
        openPlayer:
          user_id === null
            ? undefined
            : services.actions.encode({
                command: 'osu profile',
                values: { player: String(user_id), mode: modeOf(mode) },
              }),
      },
      t,
    );
  },
});
