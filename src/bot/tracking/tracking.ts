import { userPage } from '../../beatmaps/model/link.ts';
import type { Score } from '../../beatmaps/model/score.ts';
import type { Rating } from '../../beatmaps/rating/ratings.ts';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { TrackedPlayer, TrackingChat } from '../contract/chat-memory.ts';
import { type Action, headingBlock, labelled, link, type Reply, reply } from '../contract/reply.ts';
import type { Services } from '../contract/services.ts';
import { openMapToken, playerButtons } from '../osu/buttons.ts';
import { ratePlays } from '../osu/plays.ts';
import { inMode } from '../views/osu/player.ts';
import { estimateBlocks, scoreCard } from '../views/osu/score.ts';
import { createTrackPoller, type TrackNews, type TrackPoller, type TrackPollerOptions } from './track-poller.ts';

export interface TrackingOptions extends Pick<TrackPollerOptions, 'post' | 'isSole' | 'now' | 'tickMs'> {
  readonly services: Services;
  readonly log: Pick<Logger, 'warn'>;
}

/** Posts new best plays of tracked players to the chats that track them, in the language of each chat. */
export function createTracking({ services, ...options }: TrackingOptions): TrackPoller {
  async function render({ player, scores }: TrackNews, chat: TrackingChat, signal: AbortSignal): Promise<Reply> {
    const { language } = await services.settings.chat(chat.group);
    const t = createTranslator(language === null ? [] : [language]);
    const ratings = await ratePlays(scores, { services, signal });
    const [only, second] = scores;
    if (only !== undefined && only.beatmap_id !== null && second === undefined) {
      const place = { ...chat, chatKind: 'group', userId: '' } as const;
      await services.memory.maps.remember(place, { id: only.beatmap_id, ruleset: only.mode });
    }
    const view = {
      player,
      scores,
      ratings,
      openToken: (id: number) => openMapToken(services, id),
      actions: playerButtons(player, ['profile', 'best', 'recent'], services, t),
    };
    const reply = renderTrackNews(view, t);
    await services.actions.stored();
    return reply;
  }

  return createTrackPoller({ ...options, tracked: services.memory.tracked, beatmaps: services.beatmaps, render });
}

interface TrackNewsView {
  readonly player: TrackedPlayer;
  /** The new best plays, the best first. */
  readonly scores: readonly Score[];
  readonly ratings: ReadonlyMap<number, Rating>;
  /** Makes the token of the button that opens a difficulty. */
  openToken(mapId: number): string;
  readonly actions: readonly Action[];
}

/** Renders the post about a player's new best plays. */
function renderTrackNews({ player, scores, ratings, openToken, actions }: TrackNewsView, t: Translator): Reply {
  const words = t.messages.plays.track;
  const { id, name, mode } = player;
  const title = scores.length === 1 ? words.news : words.manyNews({ n: scores.length });
  return reply({
    blocks: [
      headingBlock(labelled([link(userPage(id, mode), name)], [inMode(title, mode, t)], t)),
      ...scores.map(score => scoreCard(score, { rating: ratings.get(score.id), openToken }, t)),
      ...estimateBlocks([...ratings.values()], t),
    ],
    actions,
  });
}
