import { userPage } from '../../../beatmaps/model/link.ts';
import type { Score } from '../../../beatmaps/model/score.ts';
import type { Rating } from '../../../beatmaps/rating/ratings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { TrackedPlayer } from '../../contract/chat-memory.ts';
import {
  type Action,
  type Block,
  button,
  headingBlock,
  joined,
  link,
  type Reply,
  reply,
  stacked,
  type Text,
  textBlock,
} from '../../contract/reply.ts';
import { sentence } from '../sentence.ts';
import { estimateBlocks, scoreCard } from './score-list.ts';

export interface TrackedView {
  /** What has just been done. */
  readonly change: string | undefined;
  readonly entries: readonly {
    readonly player: TrackedPlayer;
    /** Of the menu's choice that opens the profile, and of the button that stops it. */
    readonly openToken: string;
    readonly stopToken: string;
  }[];
}

/** The players whose news are posted in a chat. */
export function renderTracked({ change, entries }: TrackedView, t: Translator): Reply {
  const words = t.messages.plays.track;
  const said: readonly Block[] = change === undefined ? [] : [textBlock([change])];
  if (entries.length === 0) {
    const text = change === undefined ? [textBlock(sentence(words.none))] : said;
    return reply({ tone: 'notice', blocks: text });
  }
  const lines = entries.map(
    ({ player: { id, name, mode } }): Text => joined([[link(userPage(id, mode), name)], t.messages.osu.modes[mode]]),
  );
  return reply({
    tone: change === undefined ? 'neutral' : 'success',
    blocks: [...said, headingBlock([words.title]), textBlock(stacked(lines))],
    actions: [
      {
        kind: 'menu',
        label: t.messages.plays.buttons.profile,
        choices: entries.map(({ player, openToken }) => ({
          label: player.name,
          detail: t.messages.osu.modes[player.mode],
          token: openToken,
        })),
      },
      ...entries.map(({ player, stopToken }) => button(words.stop({ name: player.name }), stopToken)),
    ],
  });
}

export interface TrackNewsView {
  readonly player: TrackedPlayer;
  /** New best plays, best first. */
  readonly scores: readonly Score[];
  readonly ratings: ReadonlyMap<number, Rating>;
  /** Of the button that opens a difficulty. */
  openToken(mapId: number): string;
  readonly actions: readonly Action[];
}

/** What is posted unasked when a player has new best plays. */
export function renderTrackNews({ player, scores, ratings, openToken, actions }: TrackNewsView, t: Translator): Reply {
  const words = t.messages.plays.track;
  const { id, name, mode } = player;
  const title = scores.length === 1 ? words.news : words.manyNews({ n: scores.length });
  return reply({
    blocks: [
      headingBlock([link(userPage(id, mode), name), `: ${title} (${t.messages.osu.modes[mode]})`]),
      ...scores.map(score => scoreCard(score, { rating: ratings.get(score.id), openToken }, t)),
      ...estimateBlocks([...ratings.values()], t),
    ],
    actions,
  });
}
