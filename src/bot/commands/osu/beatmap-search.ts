import type { Beatmapset } from '../../../beatmaps/model/beatmapset.ts';
import { parseSort, parseStatusWord, SORT_FIELDS, STATUS_FILTERS } from '../../../beatmaps/query/query-words.ts';
import { USER_BEATMAP_TYPES, type UserBeatmapType } from '../../../beatmaps/upstreams/osu-players-api.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { headingBlock, joined, labelled, reply, strong, textBlock } from '../../contract/reply-parts.ts';
import { callerKey } from '../../contract/request.ts';
import { ABOUT_BEATMAP, ABOUT_PLAYER, askedPlayer, MODE_OPTION, PLAYER_OPTION, rulesetOf } from '../../osu/asked.ts';
import { openSetToken, tokensOf } from '../../osu/buttons.ts';
import { listActions, type PagesView, pageActions, setCard } from '../../views/osu/beatmap-list.ts';
import { originBlocks, playerTitle } from '../../views/osu/facts.ts';

const PER_PAGE = 5;
/** How many sets a page has on platforms where results are short lines that people scroll through. */
const PER_GLANCE = 20;
const MAX_QUERY = 500;

/** Options that only the buttons to other pages set. */
const PAGE_OPTIONS = {
  page: { type: 'integer', min: 1, max: 10_000, only: 'button' },
  cursors: { type: 'string', maxLength: 40_000, only: 'button' },
} as const;

/** The field of an order such as `plays_desc`; undefined for `plays_asc`, as no list here is ascending. */
function descending(word: string) {
  const { field, order } = parseSort(word) ?? {};
  return order === 'desc' ? field : undefined;
}

/** Options as people type them: `mode=taiko status=loved`. */
function namedText(options: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}=${value}`).join(' ');
}

/** Finds beatmapsets in osu!'s search language. */
export const beatmapSearch = defineCommand({
  name: 'beatmap search',
  options: {
    query: { type: 'string', form: 'rest', required: true, unless: ['mode', 'status', 'sort'], maxLength: MAX_QUERY },
    mode: MODE_OPTION,
    status: { type: 'choice', choices: STATUS_FILTERS, alias: parseStatusWord },
    sort: { type: 'choice', choices: SORT_FIELDS, alias: descending },
    ...PAGE_OPTIONS,
  },
  ...ABOUT_BEATMAP,
  async run({ query, mode, status, sort, page = 1, cursors }, { caller, services, signal, t }: CommandContext) {
    const place = { page, trail: cursors?.split(',') ?? [] };
    const found = await services.beatmaps.search({
      q: query,
      ruleset: rulesetOf(mode),
      status,
      sort: sort === undefined ? undefined : parseSort(sort),
      limit: PER_PAGE,
      cursor: place.trail.at(-1),
      signal,
    });
    const { osu } = t.messages;
    const { sets, total, atLeast } = found;
    const said = query === '' ? namedText({ mode, status, sort }) : query;
    if (sets.length === 0) return reply({ tone: 'notice', blocks: [textBlock([osu.search.none({ query: said })])] });
    const token = tokensOf('beatmap search', { query, mode, status, sort }, services, callerKey(caller));
    const pages = pageTokens(place, found.cursor, token);
    const least = atLeast === undefined ? undefined : osu.setsAtLeast({ n: atLeast, shown: t.number(atLeast) });
    const count = total === null ? least : osu.sets({ n: total, shown: t.number(total) });
    const isOnly = place.page === 1 && pages.more === undefined;
    const line = joined([count, isOnly ? undefined : osu.page({ n: place.page })]);
    const openToken = ({ id }: Beatmapset) => openSetToken(services, id);
    return reply({
      blocks: [
        headingBlock([osu.search.title({ query: said })]),
        ...(line.length === 0 ? [] : [textBlock(line)]),
        ...originBlocks(found, t),
        ...sets.map(set => setCard(set, t, { openToken, sort })),
      ],
      actions: listActions(sets, { pages, openToken }, t),
    });
  },
  async browse(text, next, { services, signal, t }, reach) {
    const source = reach === 'local' ? 'local' : undefined;
    const found = await services.beatmaps.search({ q: text, cursor: next, limit: PER_GLANCE, source, signal });
    const openToken = ({ id }: Beatmapset) => openSetToken(services, id);
    // A result that is shown while the query is typed cannot be opened yet, so its line has all the facts.
    const cards = found.sets.map(set => {
      const { lines, details = [], ...card } = setCard(set, t, { openToken });
      return { ...card, lines: [joined([...lines, ...details])] };
    });
    return { cards, next: found.cursor ?? undefined };
  },
});

const ALIASES: ReadonlyMap<string, UserBeatmapType> = new Map<string, UserBeatmapType>([
  ...['favourites', 'favorites', 'favorite'].map(word => [word, 'favourite'] as const),
  ...['most-played', 'mostplayed', 'played'].map(word => [word, 'most_played'] as const),
]);

/** Lists the maps that a player made, likes or plays most. */
export const osuMaps = defineCommand({
  name: 'osu maps',
  options: {
    player: PLAYER_OPTION,
    type: { type: 'choice', choices: USER_BEATMAP_TYPES, alias: word => ALIASES.get(word) },
    ...PAGE_OPTIONS,
  },
  ...ABOUT_PLAYER,
  async run({ player, type = 'ranked', page = 1, cursors }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const { beatmaps } = services;
    const asked = await askedPlayer(player, context);
    const place = { page, trail: cursors?.split(',') ?? [] };
    const { user } = await beatmaps.user(asked.user, undefined, signal);
    const options = { limit: PER_PAGE, cursor: place.trail.at(-1), signal };
    const { beatmapsets, cursor, stale } = await beatmaps.userBeatmaps(user.id, type, options);
    const token = tokensOf('osu maps', { player: String(user.id), type }, services, callerKey(caller));
    const pages = pageTokens(place, cursor, token);
    const words = t.messages.osu;
    const heading = headingBlock(labelled(playerTitle(user), [words.mapTypes[type]], t));
    if (beatmapsets.length === 0) {
      const none = textBlock([place.page > 1 ? words.scores.noMore : words.noMaps]);
      return reply({ tone: 'notice', blocks: [heading, none], actions: pageActions(pages, t) });
    }
    const isOnly = place.page === 1 && pages.more === undefined;
    const openToken = ({ id }: Beatmapset) => openSetToken(services, id);
    const cards = beatmapsets.map(({ set, count }) => {
      // Here a set has a single difficulty: the one whose plays are counted.
      const played = count === null ? undefined : [strong(words.played({ n: count, shown: t.number(count) }))];
      const note = played && joined([played, set.beatmaps[0]?.version]);
      return setCard(set, t, { openToken, note });
    });
    return reply({
      blocks: [
        heading,
        ...(isOnly ? [] : [textBlock([words.page({ n: place.page })])]),
        ...originBlocks({ source: 'osu', stale }, t),
        ...cards,
      ],
      actions: listActions(
        beatmapsets.map(({ set }) => set),
        { pages, openToken },
        t,
      ),
    });
  },
});

/**
 * How many cursors are kept. A person who goes back through more pages jumps from the oldest page with a kept cursor to
 * the first page.
 */
const MAX_TRAIL = 20;

/** A page of a list. Upstreams state only the next page's cursor, so earlier cursors are kept for the way back. */
interface ListPosition {
  readonly page: number;
  /** The cursors of this page and of the pages before it, except the first page, which has no cursor. */
  readonly trail: readonly string[];
}

/** @param token makes a button's token from values for {@link PAGE_OPTIONS} */
function pageTokens(
  { page, trail }: ListPosition,
  next: string | null,
  token: (values: Readonly<Record<string, string | number>>) => string,
): PagesView {
  const at = (number: number, way: readonly string[]) =>
    token(way.length === 0 ? {} : { page: number, cursors: way.join(',') });
  const before = trail.slice(0, -1);
  return {
    back: trail.length === 0 ? undefined : at(page - 1, before),
    more: next === null ? undefined : at(page + 1, [...trail, next].slice(-MAX_TRAIL)),
  };
}
