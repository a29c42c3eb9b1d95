import { SCORE_TYPES } from '../../beatmaps/score.ts';
import { type CommandContext, callerKey, defineCommand } from '../command.ts';
import { estimateFullCombos } from '../estimate.ts';
import { MODE_OPTION, modeOf, rulesetOf } from '../mode-option.ts';
import { openMapToken } from '../open-token.ts';
import { cursorOf, PAGE_OPTIONS, pagesOf, readPlace } from '../paging.ts';
import { askedPlayer, PLAYER_OPTION, suggestPlayers } from '../player-option.ts';
import { renderScores } from '../views/score-list.ts';

const PER_PAGE = 5;
const ALIASES: ReadonlyMap<string, (typeof SCORE_TYPES)[number]> = new Map([
  ['top', 'best'],
  ['latest', 'recent'],
  ['first', 'firsts'],
  ['pins', 'pinned'],
]);

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
    const asked = askedPlayer(player, context);
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
    const fullCombos = await estimateFullCombos(scores, context);
    return renderScores(
      { player: user, type, scores, fullCombos, first, stale, pages, openToken: id => openMapToken(services, id) },
      t,
    );
  },
  suggest: async (_option, partial, context) => suggestPlayers(partial, context),
});
