import { parseSort, parseStatusFilter, SORT_FIELDS, STATUS_FILTERS } from '../../../beatmaps/query/query-words.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { callerKey } from '../../contract/request.ts';
import { MODE_OPTION, rulesetOf } from '../../osu/asked-player.ts';
import { openSetToken } from '../../osu/buttons.ts';
import { cursorOf, PAGE_OPTIONS, pageTokens, readPosition } from '../../osu/paging.ts';
import { renderSearch, setCard } from '../../views/osu/beatmap-list.ts';

const PER_PAGE = 5;
/** How many sets a page has on platforms where results are short lines that people scroll through. */
const PER_GLANCE = 20;
const MAX_QUERY = 500;

/** Finds beatmapsets in osu!'s search language. */
export const beatmapSearch = defineCommand({
  name: 'beatmap search',
  options: {
    query: { type: 'string', form: 'rest', required: true, maxLength: MAX_QUERY },
    mode: MODE_OPTION,
    status: { type: 'choice', choices: STATUS_FILTERS, alias: parseStatusFilter },
    sort: { type: 'choice', choices: SORT_FIELDS, alias: word => parseSort(word)?.field },
    ...PAGE_OPTIONS,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'beatmap',
  async run({ query, mode, status, sort, page, cursors }, { caller, services, signal, t }: CommandContext) {
    const place = readPosition({ page, cursors });
    const found = await services.beatmaps.search({
      q: query,
      ruleset: rulesetOf(mode),
      status,
      sort: sort === undefined ? undefined : parseSort(sort),
      limit: PER_PAGE,
      cursor: cursorOf(place),
      signal,
    });
    const asked = { query, ...(mode && { mode }), ...(status && { status }), ...(sort && { sort }) };
    const owner = callerKey(caller);
    const pages = pageTokens(place, found.cursor, values =>
      services.actions.encode({ command: 'beatmap search', values: { ...asked, ...values }, owner }),
    );
    return renderSearch({ ...found, query, sort, pages, openToken: ({ id }) => openSetToken(services, id) }, t);
  },
  async browse(text, next, { services, signal, t }, reach) {
    const source = reach === 'local' ? 'local' : undefined;
    const found = await services.beatmaps.search({ q: text, cursor: next, limit: PER_GLANCE, source, signal });
    const openToken = ({ id }: { readonly id: number }) => openSetToken(services, id);
    return { cards: found.sets.map(set => setCard(set, t, { openToken })), next: found.cursor ?? undefined };
  },
});
