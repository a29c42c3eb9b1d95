import { LRUCache } from 'lru-cache';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import { type Caller, chatKey } from '../contract/caller.ts';
import type { ChatPlatform, Sending } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { callerOf, type Request } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { throttledChatOf } from './run.ts';
import { type Reservation, type Throttle, Throttled } from './throttle.ts';

/** The language of a person, also when the settings cannot be read. */
export type TranslatorFor = (caller: Caller) => Promise<Translator>;

export function createTranslatorFor(
  dispatcher: Pick<RequestHandler, 'translator'>,
  log: Pick<Logger, 'error'>,
): TranslatorFor {
  return async caller => {
    try {
      return await dispatcher.translator(caller);
    } catch (error) {
      log.error({ err: error }, 'settings could not be read');
      return createTranslator(caller.locales);
    }
  };
}

export interface SayOptions {
  readonly translatorFor: TranslatorFor;
  readonly dispatcher: Pick<RequestHandler, 'chatSettings'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly throttle: Pick<Throttle, 'reserve'>;
  readonly log: Pick<Logger, 'info'>;
  readonly now: () => number;
}

/** Says a sentence about a request that nothing depends on, once a minute to a chat. Never rejects. */
export type Say = (platform: ChatPlatform, request: Request, render: (t: Translator) => Reply) => Promise<void>;

const EVERY_MS = 60_000;
const TIMEOUT_MS = 30_000;
const MAX_CHATS = 10_000;

export function createSay({ translatorFor, dispatcher, leaving, throttle, log, now }: SayOptions): Say {
  const said = new LRUCache<string, true>({ max: MAX_CHATS, ttl: EVERY_MS });

  return async (platform, request, render) => {
    const chat = chatOf(request);
    if (said.has(chat)) return;
    said.set(chat, true);
    const { replyTo: to } = request;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reservation = throttle.reserve(throttledChatOf({ request }), `${request.id} notice`, 1);
    try {
      if (typeof reservation === 'number') throw new Throttled(reservation);
      const caller = callerOf(request);
      const [t, settings] = await Promise.all([translatorFor(caller), dispatcher.chatSettings(caller)]);
      // Nothing is written down: it does not matter whether it arrives.
      const put = putAtPace(reservation, 'n', signal);
      const sending = {
        ...{ request, to, t, settings, signal, isFirst: false, isLast: true, expected: 1, stands: [], put },
        deleteLater: laterBy(leaving, platform.id, now),
      };
      await platform.send(oneReply(render(t)), sending);
    } catch (error) {
      log.info({ err: error, platform: platform.id }, 'a notice could not be said');
    } finally {
      if (typeof reservation !== 'number') reservation.end();
    }
  };
}

/** The key its chat's settings, and its turns in the queue, hang on. */
export function chatOf({ platform, chat: { id: chatId, groupId } }: Request): string {
  return chatKey({ platform, chatId, ...(groupId !== undefined && { groupId }) });
}

/** What a platform calls to have its messages deleted later. */
export function laterBy(
  leaving: Pick<LeavingMessages, 'add'>,
  platform: string,
  now: () => number,
): Sending['deleteLater'] {
  return (chatId, messageIds, afterMs) => {
    for (const messageId of messageIds) leaving.add({ platform, chatId, messageId, at: now() + afterMs });
  };
}

/** Puts messages that are not written down, within the platform's pace. */
export function putAtPace(reservation: Reservation, phase: string, signal: AbortSignal): Sending['put'] {
  return async (key, call, { messages = 1 } = {}) => {
    const taken = await reservation.take(messages, signal);
    try {
      return await call(`${phase}-${key}`);
    } finally {
      taken.arrived();
    }
  };
}

export async function* oneReply(reply: Reply): AsyncGenerator<Reply> {
  yield reply;
}
