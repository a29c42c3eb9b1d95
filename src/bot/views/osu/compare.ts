import { userPage } from '../../../beatmaps/model/link.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { type Action, type Card, headingBlock, link, type Reply, reply, textBlock } from '../../contract/reply.ts';
import { originBlocks } from './beatmap.ts';
import { type AskedMap, mapHeading } from './map-heading.ts';
import { estimateBlocks, scoreCard, withLines } from './score-list.ts';

export interface CompareView {
  readonly player: { readonly id: number; readonly username: string };
  readonly map: AskedMap;
  /** Best first. */
  readonly scores: readonly Score[];
  readonly ratings: ReadonlyMap<number, Rating>;
  readonly stale: boolean;
  readonly actions: readonly Action[];
}

/** A player's plays on one map. */
export function renderCompare(view: CompareView, t: Translator): Reply {
  const { player, map, scores, ratings, stale, actions } = view;
  const words = t.messages.plays.compare;
  const heading = [
    headingBlock([link(userPage(player.id, map.ruleset), player.username), `: ${words.title}`]),
    ...mapHeading(map, t),
    ...originBlocks({ source: map.source, stale }, t),
  ];
  if (scores.length === 0) {
    return reply({
      tone: 'notice',
      blocks: [...heading, textBlock([words.none({ name: player.username })])],
      actions,
    });
  }
  return reply({
    blocks: [
      ...heading,
      ...scores.map((score, index) => playCard(score, index + 1, ratings.get(score.id), t)),
      ...estimateBlocks([...ratings.values()], t),
    ],
    actions,
  });
}

/** The map stands above: a play goes by its place and day. */
function playCard(score: Score, place: number, rating: Rating | undefined, t: Translator): Card {
  const { image: _, ...card } = scoreCard(score, { rating }, t);
  const last = score.ended_at === null ? [] : (card.lines.at(-1) ?? []);
  const title = [`${t.number(place)}. `, ...last];
  return withLines({ ...card, title }, lines => (last.length === 0 ? lines : lines.slice(0, -1)));
}
