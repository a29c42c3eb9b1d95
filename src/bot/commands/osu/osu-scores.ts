import type { Player } from '../../../beatmaps/model/player.ts';
import { SCORE_TYPES, type Score, type ScoreType, shownGrade } from '../../../beatmaps/model/score.ts';
import {
  filterScores,
  GRADES,
  parseLeast,
  SCORE_SORTS,
  type ScoreFilter,
  sortScores,
} from '../../../beatmaps/plays/score-filter.ts';
import { parseQuery } from '../../../beatmaps/query/query.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { ppPicture } from '../../cards/pp-curve.ts';
import {
  type CommandContext,
  defineCommand,
  figure,
  MOD_FILTER,
  modeOf,
  TERMS,
  usageError,
} from '../../contract/command.ts';
import { headingBlock, joined, labelled, reply, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import { ABOUT_PLAYER, askedUser, MODE_OPTION, PLAYER_OPTION } from '../../osu/asked.ts';
import { openPlayedToken, playedMapMenu, playerButtons, tokensOf } from '../../osu/buttons.ts';
import { firstPlays, PLAYS_A_CALL, type Plays, playsPart, ratePlays } from '../../osu/plays.ts';
import { numberedPageActions } from '../../views/osu/beatmap-list.ts';
import { inMode, originBlocks, playerTitle } from '../../views/osu/facts.ts';
import { estimateBlocks, playsChart, scoreCard } from '../../views/osu/score.ts';

const PER_PAGE = 5;
const ALIASES: ReadonlyMap<string, ScoreType> = new Map(
  Object.entries<ScoreType>({ top: 'best', latest: 'recent', first: 'firsts', pins: 'pinned' }),
);
const SORTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ acc: 'accuracy', c: 'combo', sr: 'stars', sc: 'score', rk: 'grade', len: 'length' }),
);

/** Reads a word such as `-acc` as the order of a list; undefined for other words. */
function dashedSort(word: string): string | undefined {
  const name = word.startsWith('-') ? word.slice(1).toLowerCase() : '';
  return SCORE_SORTS.find(each => each === (SORTS.get(name) ?? name));
}

/** Reads a word such as `stars>6` or `artist=camellia` as a condition on plays, if searches know its first word. */
function condition(word: string): string | undefined {
  return /^-?[a-z_]+[:=<>][^\s"]+$/i.test(word) && parseQuery(word).text === '' ? word : undefined;
}

const FLAG = { type: 'boolean' } as const;

/** Lists the plays of a player. */
export const osuScores = defineCommand({
  name: 'osu scores',
  options: {
    player: PLAYER_OPTION,
    type: { type: 'choice', choices: SCORE_TYPES, alias: word => ALIASES.get(word) },
    mode: MODE_OPTION,
    mods: MOD_FILTER,
    grade: { type: 'choice', choices: GRADES, alias: word => shownGrade(word.toUpperCase()), also: ['rank'] },
    sort: { type: 'choice', choices: SCORE_SORTS, alias: word => SORTS.get(word), bare: dashedSort },
    mapper: { type: 'string', form: 'word', named: true, maxLength: 60, also: ['creator'] },
    accuracy: { ...figure('accuracy', 'acc'), only: 'typed' },
    combo: { ...figure('combo'), only: 'typed' },
    search: { type: 'string', form: 'rest', maxLength: 200, joins: true, bare: condition },
    index: TERMS.index,
    reverse: FLAG,
    chokes: FLAG,
    page: TERMS.page,
  },
  ...ABOUT_PLAYER,
  async run({ player, type = 'best', mode, page = 1, ...filter }, context: CommandContext) {
    const { caller, services, t } = context;
    const { user } = await askedUser({ player, mode }, context);
    const found = await findPlays(user, type, { ...filter, page }, context);
    const { scores, count, places } = found;
    const { index } = filter;
    const [only] = index === undefined ? [] : scores;
    if (only !== undefined && only.beatmap_id !== null) {
      await services.memory.maps.remember(caller, { id: only.beatmap_id, ruleset: only.mode });
    }
    const flags = { reverse: filter.reverse || undefined, chokes: filter.chokes || undefined };
    const values = { player: String(user.id), type, mode: modeOf(user.mode), ...filter, ...flags };
    const token = tokensOf('osu scores', values, services, callerKey(caller));
    const tokenAt = ({ page: at }: { readonly page: number }) =>
      token(index === undefined ? { page: at } : { index: at });
    const words = t.messages.osu.scores;
    const heading = headingBlock(labelled(playerTitle(user), [inMode(words.titles[type], user.mode, t)], t));
    const isFirst = index !== undefined || page === 1;
    const ways = [
      ...numberedPageActions(index ?? page, found.hasMore, tokenAt, t),
      ...playerButtons(user, ['profile', 'recent'], services, t),
    ];
    if (scores.length === 0) {
      const sentence = isFirst ? noneSentence(type, found, t) : words.noMore;
      return reply({ tone: 'notice', blocks: [heading, textBlock([sentence])], actions: ways });
    }
    const ratings = await ratePlays(scores, context);
    const picture = found.isPlain && type === 'best' && page === 1 ? curveOf(user, found.all, context) : undefined;
    const openToken = (score: Score) => openPlayedToken(services, score);
    const place = joined([
      count === undefined ? undefined : t.messages.plays.shown.filtered({ n: count, shown: t.number(count) }),
      isFirst ? undefined : t.messages.osu.page({ n: page }),
    ]);
    const cards = scores.map(score => {
      const inList = type === 'best' ? places.get(score.id) : undefined;
      const rating = ratings.get(score);
      return scoreCard(score, { place: inList, rating, isListed: index === undefined, openToken }, t);
    });
    return reply({
      blocks: [
        heading,
        ...(place.length === 0 ? [] : [textBlock(place)]),
        ...originBlocks({ source: 'osu', stale: found.stale }, t),
        ...(picture === undefined ? [] : [picture]),
        ...cards,
        ...estimateBlocks([...ratings.values()], t),
      ],
      actions: [...playedMapMenu(scores, context, true), ...ways],
    });
  },
});

function leastOf(option: 'accuracy' | 'combo', text: string | undefined) {
  if (text === undefined) return undefined;
  const range = parseLeast(text);
  if (range === undefined) throw usageError('notRange', { option });
  return range;
}

interface Wishes extends Omit<ScoreFilter, 'accuracy' | 'combo'> {
  readonly accuracy: string | undefined;
  readonly combo: string | undefined;
  readonly sort: (typeof SCORE_SORTS)[number] | undefined;
  readonly index: number | undefined;
  readonly reverse: boolean | undefined;
  readonly page: number;
}

/** The plays of the player that the person wants to see. */
async function findPlays(
  user: Player,
  type: ScoreType,
  { page, index, sort, reverse = false, ...filter }: Wishes,
  { services, signal }: CommandContext,
) {
  const isFiltered = Object.values(filter).some(value => value !== undefined && value !== false);
  const isPlain = !isFiltered && sort === undefined && !reverse && index === undefined;
  const first = (page - 1) * PER_PAGE;
  // Without filters and sorting, the list is in osu!'s own order, so only the part of it with this page is read.
  // Filters and sorting need the whole list.
  const part = isPlain ? Math.floor(first / PLAYS_A_CALL) : 0;
  const plays: Plays = isPlain
    ? await playsPart(user, type, part, services.beatmaps, signal)
    : await firstPlays(user, type, services.beatmaps, signal);
  const offset = part * PLAYS_A_CALL;
  const places = new Map(plays.scores.map(({ id }, place) => [id, offset + place + 1]));
  const chosen = isFiltered
    ? filterScores(plays.scores, {
        ...filter,
        accuracy: leastOf('accuracy', filter.accuracy),
        combo: leastOf('combo', filter.combo),
      })
    : plays.scores;
  const sorted = sort === undefined ? chosen : sortScores(chosen, sort);
  const list = reverse ? sorted.toReversed() : sorted;
  const from = index === undefined ? first - offset : index - 1;
  const end = index === undefined ? from + PER_PAGE : index;
  return {
    /** The plays on this page. */
    scores: list.slice(from, end),
    /** The whole list, of which the page is a part. */
    all: plays.scores,
    /** The positions of plays in osu!'s list, by the play's id. */
    places,
    /** How many plays meet the conditions; undefined for osu!'s own list, whose length is unknown. */
    count: isPlain ? undefined : list.length,
    isPlain,
    hasMore: end < list.length || (isPlain && plays.hasMore),
    stale: plays.stale,
  };
}

/** The image card with a curve of the best plays' pp. */
function curveOf({ username }: Player, scores: readonly Score[], { services, t }: CommandContext) {
  const picture = services.painter && ppPicture(username, scores, services.painter, t);
  return picture && { ...picture, charts: () => [playsChart(scores, t)] };
}

function noneSentence(
  type: ScoreType,
  { count, places }: Awaited<ReturnType<typeof findPlays>>,
  t: Translator,
): string {
  const { scores } = t.messages.osu;
  const { shown } = t.messages.plays;
  if (count === undefined || places.size === 0) return scores.none[type];
  return count === 0 ? shown.none : shown.noSuch({ n: count, shown: t.number(count) });
}
