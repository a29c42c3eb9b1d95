import { matchOsuLink, scorePage, userPage } from '../../../beatmaps/model/link.ts';
import { areMods } from '../../../beatmaps/model/mods.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { type Block, button, headingBlock, link, type Reply, reply } from '../../contract/reply.ts';
import { modeOf } from '../../contract/terms.ts';
import { usageError } from '../../contract/usage-error.ts';
import { openMapToken } from '../../osu/buttons.ts';
import { ratePlays } from '../../osu/plays.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { loadCover, playBlock } from '../../views/osu/play.ts';
import { inMode } from '../../views/osu/player.ts';
import { estimateBlocks } from '../../views/osu/score.ts';

const MAX_PLAY = 300;

/** The mods with which to open a play's map: those of the play, if the map can have them. */
function modsToOpen(score: Score): readonly string[] {
  const mods = shownMods(score);
  const isConvert = score.beatmap?.convert === true;
  return score.mode === score.beatmap?.mode && !isConvert && areMods(mods, score.mode) ? mods : [];
}

/** Shows one play. */
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
    const cover = loadCover(score.beatmapset, services);
    const ratings = await ratePlays([score], context, { strains: services.painter !== undefined });
    const rating = ratings.get(score.id);
    const { beatmap_id, user_id, mode } = score;
    if (beatmap_id !== null) await services.memory.maps.remember(caller, { id: beatmap_id, ruleset: mode });
    return renderScore(
      {
        score,
        rating,
        play: await playBlock({ score, rating, cover }, services, t),
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

interface ScoreView {
  readonly score: Score;
  readonly rating: Rating | undefined;
  readonly play: Block;
  readonly stale: boolean;
  /** The address of the play's page. */
  readonly url: string;
  /** The tokens of the buttons to the play's difficulty and player; undefined if these are not known. */
  readonly openMap: string | undefined;
  readonly openPlayer: string | undefined;
}

export function renderScore(view: ScoreView, t: Translator): Reply {
  const { score, rating, play, stale, url, openMap, openPlayer } = view;
  const { user_id, username, mode } = score;
  const words = t.messages.osu;
  const name = username ?? words.scores.unknownPlayer;
  return reply({
    blocks: [
      headingBlock([user_id === null ? name : link(userPage(user_id, mode), name), inMode('', mode, t)]),
      ...originBlocks({ source: 'osu', stale }, t),
      play,
      ...estimateBlocks([rating], t),
    ],
    actions: [
      { kind: 'link', label: words.openAtOsu, url },
      ...(openMap === undefined ? [] : [button(words.scores.map, openMap)]),
      ...(openPlayer === undefined ? [] : [button(words.scores.player, openPlayer)]),
    ],
  });
}
