import { AppError } from '../../errors.ts';
import type { ChatPlatform, PostToChat } from '../contract/chat-platform.ts';
import { callerOf, type Request } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { throttledChatOf } from './run.ts';
import { laterBy, oneReply, putAtPace, type TranslatorFor } from './say.ts';
import { type Throttle, Throttled } from './throttle.ts';

export interface PostOptions {
  readonly platforms: readonly ChatPlatform[];
  readonly translatorFor: TranslatorFor;
  readonly dispatcher: Pick<RequestHandler, 'chatSettings'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly throttle: Pick<Throttle, 'reserve'>;
  readonly now: () => number;
}

export function createPost({ platforms, translatorFor, dispatcher, leaving, throttle, now }: PostOptions): PostToChat {
  return async ({ platform: id, chatId, group, eventId }, reply, signal) => {
    const platform = platforms.find(each => each.id === id);
    if (platform?.placeOf === undefined) throw new AppError('internal', `nothing can be posted on ${id}`);
    const to = platform.placeOf(chatId, eventId);
    const owner = group.slice(id.length + 1);
    const request: Request = {
      id: eventId,
      platform: id,
      chat: { id: chatId, kind: 'group', ...(owner !== chatId && { groupId: owner }) },
      user: { id: '', rateKey: '', locales: [] },
      at: now(),
      replyTo: to,
      kind: 'talk',
      what: null,
    };
    const caller = callerOf(request);
    const [t, settings] = await Promise.all([translatorFor(caller), dispatcher.chatSettings(caller)]);
    const reservation = throttle.reserve(throttledChatOf({ request }), eventId, platform.placesOf?.(to, reply) ?? 1);
    if (typeof reservation === 'number') throw new Throttled(reservation);
    const put = putAtPace(reservation, 'p', signal);
    try {
      const sending = {
        ...{ request, to, t, settings, signal, isFirst: true, isLast: true, expected: 1, stands: [], put },
        deleteLater: laterBy(leaving, platform.id, now),
      };
      await platform.send(oneReply(reply), sending);
      return 'posted';
    } catch (error) {
      const failure = platform.outcomeOf(error);
      if (failure?.outcome === 'notSent' && failure.reason === 'gone') return 'gone';
      throw error;
    } finally {
      reservation.end();
    }
  };
}
