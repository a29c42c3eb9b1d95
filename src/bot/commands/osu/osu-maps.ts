import { USER_BEATMAP_TYPES, type UserBeatmapType } from '../../../beatmaps/upstreams/osu-api.ts';
import { callerKey } from '../../contract/caller.ts';
import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { askedPlayer, PLAYER_OPTION } from '../../osu/asked-player.ts';
import { openSetToken } from '../../osu/buttons.ts';
import { cursorOf, PAGE_OPTIONS, pagesOf, readPlace } from '../../osu/paging.ts';
import { renderPlayerMaps } from '../../views/osu/player-maps.ts';

const PER_PAGE = 5;
const ALIASES: ReadonlyMap<string, UserBeatmapType> = new Map([
  ['favourites', 'favourite'],
  ['favorites', 'favourite'],
  ['favorite', 'favourite'],
  ['most-played', 'most_played'],
  ['mostplayed', 'most_played'],
  ['played', 'most_played'],
]);

/** Maps a player made, likes or plays most. */
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
    const place = readPlace({ page, cursors });
    const { user } = await beatmaps.user(asked.user, undefined, signal);
    const options = { limit: PER_PAGE, cursor: cursorOf(place), signal };
    const { beatmapsets, cursor, stale } = await beatmaps.userBeatmaps(user.id, type, options);
    const values = { player: String(user.id), type };
    const pages = pagesOf(place, cursor, more =>
      actions.encode({ command: 'osu maps', values: { ...values, ...more }, owner: callerKey(caller) }),
    );
    const openToken = ({ id }: { readonly id: number }) => openSetToken(services, id);
    return renderPlayerMaps({ player: user, type, maps: beatmapsets, stale, pages, openToken }, t);
  },
});
