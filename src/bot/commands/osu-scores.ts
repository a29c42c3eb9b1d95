import type { Player } from '../../beatmaps/model/player.ts';
import { SCORE_TYPES } from '../../beatmaps/model/score.ts';
import { cursorOf, PAGE_OPTIONS, pagesOf, readPlace } from '../buttons/paging.ts';
import { ppPicture } from '../cards/pp-curve.ts';
import { type CommandContext, callerKey, defineCommand } from '../command.ts';
import { openMapToken } from '../osu/beatmap-buttons.ts';
import { MODE_OPTION, modeOf, rulesetOf } from '../osu/mode-option.ts';
import { ratePlays } from '../osu/play-ratings.ts';
import { askedPlayer, PLAYER_OPTION, suggestPlayers } from '../osu/player-option.ts';
import { renderScores } from '../views/score-list.ts';

const PER_PAGE = 5;
/** As many as one request brings. */
const CURVE = 100;
const ALIASES: ReadonlyMap<string, (typeof SCORE_TYPES)[number]> = new Map([
  ['top', 'best'],
  ['latest', 'recent'],
  ['first', 'firsts'],
  ['pins', 'pinned'],
]);

/** All best plays in one image card; undefined where it cannot be had: the list does not depend on it. */
async function curveOf({ id, username, mode }: Player, { services, signal, t }: CommandContext) {
  if (services.painter === undefined) return undefined;
  try {
    const { scores } = await services.beatmaps.userScores(id, 'best', { ruleset: mode, limit: CURVE, signal });
    return ppPicture(username, scores, services.painter, t);
  } catch {
    // Whatever it was, the list's own request has met it too or is better off without.
    signal.throwIfAborted();
    return undefined;
  }
}

/** The plays of a player. */
export const osuScores = defineCommand({
  name: 'osu scores',
  options: {
    player: PLAYER_OPTION,
    type: { type: 'choice', required: false, choices: SCORE_TYPES, alias: word => ALIASES.get(word) },
    mode: MODE_OPTION,
    ...PAGE_OPTIONS,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ player, type = 'best', mode, page, cursors }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const { beatmaps, actions } = services;
    const asked = await askedPlayer(player, context);
    const place = readPlace({ page, cursors });
    const { user } = await beatmaps.user(asked.user, rulesetOf(mode) ?? asked.mode ?? undefined, signal);
    const { scores, cursor, stale } = await beatmaps.userScores(user.id, type, {
      ruleset: user.mode,
      limit: PER_PAGE,
      cursor: cursorOf(place),
      signal,
    });
    const values = { player: String(user.id), type, mode: modeOf(user.mode) };
    const pages = pagesOf(place, cursor, more =>
      actions.encode({ command: 'osu scores', values: { ...values, ...more }, owner: callerKey(caller) }),
    );
    const first = (place.page - 1) * PER_PAGE + 1;
    const [ratings, picture] = await Promise.all([
      ratePlays(scores, context),
      type === 'best' && place.page === 1 ? curveOf(user, context) : undefined,
    ]);
    return renderScores(
      {
        player: user,
        type,
        scores,
        ratings,
        picture,
        first,
        stale,
        pages,
        openToken: id => openMapToken(services, id),
      },
      t,
    );
  },
  suggest: async (_option, partial, context) => suggestPlayers(partial, context),
});
