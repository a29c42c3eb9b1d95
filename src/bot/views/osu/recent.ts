import type { Player } from '../../../beatmaps/model/player.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { WhatIf } from '../../../beatmaps/plays/totals.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type Action, headingBlock, joined, type Reply, reply, type Text, textBlock } from '../../contract/reply.ts';
import { originBlocks } from './beatmap.ts';
import { playerTitle } from './player.ts';
import { estimateBlocks, scoreCard, withLines } from './score-list.ts';
import { gainText } from './totals.ts';

export interface RecentView {
  readonly player: Player;
  readonly score: Score;
  /** Of the recent plays, from 1. */
  readonly nth: number;
  readonly rating: Rating | undefined;
  /** On the map's leaderboard; null where it has none there. */
  readonly rank: number | null;
  /** Among the best plays; null or undefined where it is not one, or that is not known. */
  readonly place: number | null | undefined;
  /** What the play had been without its misses. */
  readonly ifFullCombo: WhatIf | undefined;
  readonly stale: boolean;
  /** Of its page; a failed play has none. */
  readonly url: string | undefined;
  readonly actions: readonly Action[];
}

/** One of the last plays of a player. */
export function renderRecent(view: RecentView, t: Translator): Reply {
  const { player, score, nth, rating, stale, url, actions } = view;
  const mode = t.messages.osu.modes[player.mode];
  const words = t.messages.plays.recent;
  const title = nth === 1 ? words.title({ mode }) : words.nth({ n: t.number(nth), mode });
  const standing = standingText(view, t);
  const whole = withLines(scoreCard(score, { rating }, t), ([first = [], ...others]) => [
    first,
    ...(standing.length === 0 ? [] : [standing]),
    ...others,
  ]);
  return reply({
    blocks: [
      headingBlock([...playerTitle(player), `: ${title}`]),
      ...originBlocks({ source: 'osu', stale }, t),
      whole,
      ...estimateBlocks([rating], t),
    ],
    actions: [
      ...(url === undefined ? [] : [{ kind: 'link', label: t.messages.osu.openAtOsu, url } as const]),
      ...actions,
    ],
  });
}

/** `#12 on this map · #3 of the best plays · as a full combo about #1 …` */
function standingText({ rank, place, ifFullCombo }: RecentView, t: Translator): Text {
  const words = t.messages.plays;
  const worthwhile = ifFullCombo !== undefined && ifFullCombo.gain >= 0.05 ? ifFullCombo : undefined;
  return joined([
    rank === null ? undefined : words.onMap({ rank: t.number(rank) }),
    place == null ? undefined : words.inBest({ place: t.number(place) }),
    worthwhile?.place == null
      ? undefined
      : words.bestIfFullCombo({ place: t.number(worthwhile.place), gain: gainText(worthwhile.gain, t) }),
  ]);
}

export interface NoRecentView {
  readonly player: Player;
  /** How many recent plays there are. */
  readonly count: number;
  readonly stale: boolean;
  readonly actions: readonly Action[];
}

export function renderNoRecent({ player, count, stale, actions }: NoRecentView, t: Translator): Reply {
  const words = t.messages.plays.recent;
  const text = count === 0 ? words.none : words.fewer({ n: count, shown: t.number(count) });
  return reply({
    tone: 'notice',
    blocks: [
      headingBlock([...playerTitle(player), ` (${t.messages.osu.modes[player.mode]})`]),
      ...originBlocks({ source: 'osu', stale }, t),
      textBlock([text]),
    ],
    actions,
  });
}
