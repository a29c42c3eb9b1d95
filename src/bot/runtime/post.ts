import { AppError } from '../../errors.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Reply } from '../reply.ts';
import type { ChatPlatform } from './chat-platform.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { callerOf, type Request } from './request.ts';
import { laterBy, oneReply, type TranslatorFor } from './say.ts';

/** A chat in which something is said without being asked for. */
export interface PostTarget {
  readonly platform: string;
  readonly chatId: string;
  /** What the chat belongs to, by `chatKey`. */
  readonly group: string;
  /** The same when the same is posted again, after a crash: a repeat within minutes is recognised where the platform can. */
  readonly eventId: string;
}

/**
 * Puts a reply into a chat: `gone` when nothing can be said there any more. It is not written down: its caller posts again what it does not
 * know to be posted.
 * @throws what sending throws; AppError `internal` where the platform cannot post
 */
export type Post = (target: PostTarget, reply: Reply, signal: AbortSignal) => Promise<'posted' | 'gone'>;

export interface PostOptions {
  readonly platforms: readonly ChatPlatform[];
  readonly translatorFor: TranslatorFor;
  readonly dispatcher: Pick<Dispatcher, 'chatSettings'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly now: () => number;
}

export function createPost({ platforms, translatorFor, dispatcher, leaving, now }: PostOptions): Post {
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
    const put = <T>(key: string, call: (tag: string) => Promise<T>) => call(`p-${key}`);
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
    }
  };
}
