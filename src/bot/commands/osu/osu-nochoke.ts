import { isChoke } from '../../../beatmaps/plays/score-filter.ts';
import { replacePlays } from '../../../beatmaps/plays/totals.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { askedUser, MODE_OPTION, modeOf, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { openMapToken, playerButtons } from '../../osu/buttons.ts';
import { bestPlays, ratePlays } from '../../osu/plays.ts';
import { renderNoChoke } from '../../views/osu/no-choke.ts';

const PER_PAGE = 10;
/** Worse plays hardly count, and each takes a file. */
const MOST = 100;

/** The best plays as if none of them had choked, and what the total would be then. */
export const osuNoChoke = defineCommand({
  name: 'osu nochoke',
  options: {
    player: PLAYER_OPTION,
    mode: MODE_OPTION,
    page: { type: 'integer', min: 1, max: 20, only: 'button' },
  },
  visibility: 'chat',
  cost: 2,
  subject: 'player',
  async run({ player, mode, page = 1 }, context: CommandContext) {
    const { services, signal, t } = context;
    const { user, stale } = await askedUser({ player, mode }, context);
    const plays = await bestPlays(user, services.beatmaps, signal);
    const chokes = plays.scores.filter(isChoke).slice(0, MOST);
    const ratings = await ratePlays(chokes, context);
    const worthOf = (id: number, pp: number) => Math.max(pp, ratings.get(id)?.play?.ppIfFullCombo ?? 0);
    const entries = plays.scores.map(score => ({ score, worth: worthOf(score.id, score.pp ?? 0) }));
    const ordered = entries.toSorted((a, b) => b.worth - a.worth);
    const end = page * PER_PAGE;
    const done = chokes.filter(({ id }) => ratings.get(id)?.play != null).length;
    const turn = (to: number) =>
      services.actions.encode({
        command: 'osu nochoke',
        values: { player: String(user.id), mode: modeOf(user.mode), page: to },
      });
    const present = plays.total ?? replacePlays({ best: [], total: null }, plays.best);
    return renderNoChoke(
      {
        player: user,
        stale: stale || plays.stale,
        entries: ordered.slice(end - PER_PAGE, end),
        first: end - PER_PAGE + 1,
        present,
        total: replacePlays(
          plays,
          entries.map(({ worth }) => worth),
        ),
        chokes: chokes.length,
        done,
        again: done < chokes.length ? turn(page) : undefined,
        pages: {
          page,
          back: page === 1 ? undefined : turn(page - 1),
          more: end < ordered.length ? turn(page + 1) : undefined,
        },
        openToken: id => openMapToken(services, id),
        actions: playerButtons(user, ['best', 'profile'], services, t),
      },
      t,
    );
  },
});
