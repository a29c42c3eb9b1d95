import {
  USER_BEATMAP_TYPES,
  type UserBeatmapset,
  type UserBeatmapType,
} from '../../../beatmaps/upstreams/osu-players-api.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { headingBlock, labelled, reply, strong, type Text, textBlock } from '../../contract/reply.ts';
import { callerKey } from '../../contract/request.ts';
import { askedPlayer, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { openSetToken } from '../../osu/buttons.ts';
import { cursorOf, PAGE_OPTIONS, pageTokens, readPosition } from '../../osu/paging.ts';
import { originBlocks } from '../../views/osu/beatmap.ts';
import { listActions, pageActions, setCard } from '../../views/osu/beatmap-list.ts';
import { playerTitle } from '../../views/osu/player.ts';

const PER_PAGE = 5;
const ALIASES: ReadonlyMap<string, UserBeatmapType> = new Map([
  ['favourites', 'favourite'],
  ['favorites', 'favourite'],
  ['favorite', 'favourite'],
  ['most-played', 'most_played'],
  ['mostplayed', 'most_played'],
  ['played', 'most_played'],
]);

/** Lists the maps that a player made, likes or plays most. */
export const osuMaps = defineCommand({
  name: 'osu maps',
  options: {
    player: PLAYER_OPTION,
    type: { type: 'choice', choices: USER_BEATMAP_TYPES, alias: word => ALIASES.get(word) },
    ...PAGE_OPTIONS,
  },
  visibility: 'chat',
  cost: 1,
  subject: 'player',
  async run({ player, type = 'ranked', page, cursors }, context: CommandContext) {
    const { caller, services, signal, t } = context;
    const { beatmaps, actions } = services;
    const asked = await askedPlayer(player, context);
    const place = readPosition({ page, cursors });
    const { user } = await beatmaps.user(asked.user, undefined, signal);
    const options = { limit: PER_PAGE, cursor: cursorOf(place), signal };
    const { beatmapsets, cursor, stale } = await beatmaps.userBeatmaps(user.id, type, options);
    const values = { player: String(user.id), type };
    const pages = pageTokens(place, cursor, more =>
      actions.encode({ command: 'osu maps', values: { ...values, ...more }, owner: callerKey(caller) }),
    );
    const openToken = ({ id }: { readonly id: number }) => openSetToken(services, id);
    const words = t.messages.osu;
    const heading = headingBlock(labelled(playerTitle(user), [words.mapTypes[type]], t));
    if (beatmapsets.length === 0) {
      const none = textBlock([pages.page > 1 ? words.scores.noMore : words.noMaps]);
      return reply({ tone: 'notice', blocks: [heading, none], actions: pageActions(pages, t) });
    }
    const isOnly = pages.page === 1 && pages.more === undefined;
    const sets = beatmapsets.map(({ set }) => set);
    return reply({
      blocks: [
        heading,
        ...(isOnly ? [] : [textBlock([words.page({ n: pages.page })])]),
        ...originBlocks({ source: 'osu', stale }, t),
        ...beatmapsets.map(each => setCard(each.set, t, { openToken, ...noteOf(each, t) })),
      ],
      actions: listActions(sets, { pages, openToken }, t),
    });
  },
});

function noteOf({ count }: UserBeatmapset, t: Translator): { readonly note?: Text } {
  if (count === null) return {};
  return { note: [strong(t.messages.osu.played({ n: count, shown: t.number(count) }))] };
}
