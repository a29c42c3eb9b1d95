import type { Beatmapset } from '../../../beatmaps/model/beatmapset.ts';
import type { Player } from '../../../beatmaps/model/player.ts';
import type { UserBeatmapset, UserBeatmapType } from '../../../beatmaps/upstreams/osu-api.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { headingBlock, type Reply, reply, strong, type Text, textBlock } from '../../contract/reply.ts';
import { originBlocks } from './beatmap.ts';
import { listActions, type PagesView, pageActions, setCard } from './beatmap-list.ts';
import { playerTitle } from './player.ts';

export interface PlayerMapsView {
  readonly player: Player;
  readonly type: UserBeatmapType;
  readonly maps: readonly UserBeatmapset[];
  readonly stale: boolean;
  readonly pages: PagesView;
  openToken(set: Beatmapset): string;
}

/** Sets of a player's list as cards. */
export function renderPlayerMaps(
  { player, type, maps, stale, pages, openToken }: PlayerMapsView,
  t: Translator,
): Reply {
  const words = t.messages.osu;
  const heading = headingBlock([...playerTitle(player), `: ${words.mapTypes[type]}`]);
  if (maps.length === 0) {
    const sentence = pages.page > 1 ? words.scores.noMore : words.noMaps;
    const blocks = [heading, textBlock([sentence])];
    return reply({ tone: 'notice', blocks, actions: pageActions(pages, t) });
  }
  const place = pages.page === 1 && pages.more === undefined ? [] : [words.page({ n: pages.page })];
  return reply({
    blocks: [
      heading,
      ...place.map(text => textBlock([text])),
      ...originBlocks({ source: 'osu', stale }, t),
      ...maps.map(each => setCard(each.set, t, { openToken, ...noteOf(each, t) })),
    ],
    actions: listActions(
      maps.map(({ set }) => set),
      { pages, openToken },
      t,
    ),
  });
}

function noteOf({ count }: UserBeatmapset, t: Translator): { readonly note?: Text } {
  if (count === null) return {};
  return { note: [strong(t.messages.osu.played({ n: count, shown: t.number(count) }))] };
}
