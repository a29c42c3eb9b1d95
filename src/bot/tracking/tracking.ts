import { createTranslator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { TrackingChat } from '../contract/chat-memory.ts';
import type { Reply } from '../contract/reply.ts';
import type { Services } from '../contract/services.ts';
import { openMapToken, playerButtons } from '../osu/buttons.ts';
import { ratePlays } from '../osu/plays.ts';
import { renderTrackNews } from '../views/osu/tracking.ts';
import { createTrackPoller, type TrackNews, type TrackPoller, type TrackPollerOptions } from './track-poller.ts';

export interface TrackingOptions extends Pick<TrackPollerOptions, 'post' | 'isSole' | 'now' | 'tickMs'> {
  readonly services: Services;
  readonly log: Pick<Logger, 'warn'>;
}

/** Posts new best plays of the players that chats want news of, in the language of each chat. */
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
