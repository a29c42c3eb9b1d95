import { userPage } from '../../../beatmaps/model/link.ts';
import { type Score, shownMods } from '../../../beatmaps/model/score.ts';
import { filterScores } from '../../../beatmaps/plays/score-filter.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import { AppError } from '../../../errors.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { drawnIn } from '../../cards/shapes.ts';
import { type CommandContext, defineCommand, MOD_FILTER } from '../../contract/command.ts';
import type { Card } from '../../contract/reply.ts';
import { headingBlock, labelled, link, reply, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import {
  ABOUT_PLAYER,
  askedMap,
  askedPlayer,
  isMapLink,
  MAP_OPTION,
  MODE_OPTION,
  PLAYER_OPTION,
} from '../../osu/asked.ts';
import { mapButtons, openable, playerButtons } from '../../osu/buttons.ts';
import { ratePlays } from '../../osu/plays.ts';
import { mapHeading, originBlocks } from '../../views/osu/facts.ts';
import { listRow, loadCover, playsBlocks } from '../../views/osu/play.ts';
import { estimateBlocks, scoreCard, withLines } from '../../views/osu/score.ts';

/** The most plays that are shown; more are rare and would make a long card. */
const MOST = 5;

/** Matches an id. A number that is the first or only word of a typed line is the map's id, not a player's. */
const FIRST_NUMBER = /^[1-9]\d{3,14}$/;

/** Shows a player's plays on a map: the map that the person names, or the map that this chat showed last. */
export const osuCompare = defineCommand({
  name: 'osu compare',
  options: {
    player: PLAYER_OPTION,
    map: {
      ...MAP_OPTION,
      bare: (word, place) => (isMapLink(word) || (place === 0 && FIRST_NUMBER.test(word)) ? word : undefined),
    },
    mods: MOD_FILTER,
    mode: MODE_OPTION,
  },
  ...ABOUT_PLAYER,
  async run({ mods, mode, ...asked }, context: CommandContext) {
    const { services, signal, t } = context;
    const { player, ...given } = await playerOf(asked.map, asked.player, context);
    const map = await askedMap({ map: given.map, mode }, context);
    const { scores, stale } = await services.beatmaps.userMapScores(map, player.id, map.ruleset, signal);
    const shown = filterScores(scores, { mods }).toSorted(byWorth).slice(0, MOST);
    const [best] = shown;
    const actions = [
      ...mapButtons(openable(map, best && shownMods(best)), ['map', 'leaderboard', 'simulate'], services, t),
      ...playerButtons({ id: player.id, mode: map.ruleset }, ['profile', 'recent'], services, t),
    ];
    const words = t.messages.plays.compare;
    const heading = [
      headingBlock(labelled([link(userPage(player.id, map.ruleset), player.username)], [words.title], t)),
      ...originBlocks({ source: map.source, stale: stale || map.stale }, t),
    ];
    if (best === undefined) {
      const none = textBlock([words.none({ name: player.username })]);
      return reply({ tone: 'notice', blocks: [...heading, ...mapHeading(map, t), none], actions });
    }
    const cover = loadCover(map.set, services);
    const ratings = await ratePlays(shown, context);
    const cards = shown.map((score, index) => playCard(score, index + 1, ratings.get(score), t));
    const list = {
      map,
      cover,
      title: t.messages.joining.labelled({ name: player.username, value: words.title }),
      rows: shown.map((score, index) => listRow(score, index + 1, dayOf(score, drawnIn(t)), t)),
      inWords: [...cards, ...estimateBlocks([...ratings.values()], t)],
    };
    return reply({ blocks: [...heading, ...(await playsBlocks(list, services, t))], actions });
  },
});

/** Sorts plays by their pp, and plays that have none by their score. */
function byWorth(a: Score, b: Score): number {
  return (b.pp ?? 0) - (a.pp ?? 0) || (b.total_score ?? 0) - (a.total_score ?? 0);
}

function dayOf({ ended_at }: Score, t: Translator): string {
  const at = Date.parse(ended_at ?? '');
  return Number.isNaN(at) ? '' : t.date(at);
}

/** The player that the person asks for. If no player has that name, the words may belong to the map's name. */
async function playerOf(map: string | undefined, player: string | undefined, context: CommandContext) {
  const { caller, services, signal } = context;
  const asked = await askedPlayer(player, context);
  if (asked.username !== undefined) return { player: { id: asked.user, username: asked.username }, map };
  try {
    const { user } = await services.beatmaps.user(asked.user, undefined, signal);
    return { player: user, map };
  } catch (error) {
    const { player: own } = await services.settings.user(callerKey(caller));
    const isUnknown = error instanceof AppError && ['not_found', 'invalid_request'].includes(error.code);
    if (!isUnknown || map !== undefined || own === null) throw error;
    return { player: { id: own.id, username: own.name }, map: player };
  }
}

/** A play as a card. The map's name is above all cards, so the title is the play's number and date. */
function playCard(score: Score, place: number, rating: Rating | undefined, t: Translator): Card {
  const { image: _, ...card } = scoreCard(score, { rating }, t);
  const last = score.ended_at === null ? [] : (card.lines.at(-1) ?? []);
  const title = [`${t.number(place)}. `, ...last];
  return withLines({ ...card, title }, lines => (last.length === 0 ? lines : lines.slice(0, -1)));
}
