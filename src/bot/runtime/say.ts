import { LRUCache } from 'lru-cache';
import { createTranslator, type Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import { type Caller, chatKey } from '../command.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Reply } from '../reply.ts';
import type { ChatPlatform, Sending } from './chat-platform.ts';
import type { LeavingMessages } from './leaving-messages.ts';
import { callerOf, type Request } from './request.ts';

/** The language of a person, also when the settings cannot be read. */
export type TranslatorFor = (caller: Caller) => Promise<Translator>;

export function createTranslatorFor(
  dispatcher: Pick<Dispatcher, 'translator'>,
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
  readonly dispatcher: Pick<Dispatcher, 'chatSettings'>;
  readonly leaving: Pick<LeavingMessages, 'add'>;
  readonly log: Pick<Logger, 'info'>;
  readonly now: () => number;
}

/** Says a sentence about a request that nothing depends on, once a minute to a chat. Never rejects. */
export type Say = (platform: ChatPlatform, request: Request, render: (t: Translator) => Reply) => Promise<void>;

const EVERY_MS = 60_000;
const TIMEOUT_MS = 30_000;
const MAX_CHATS = 10_000;

export function createSay({ translatorFor, dispatcher, leaving, log, now }: SayOptions): Say {
  const said = new LRUCache<string, true>({ max: MAX_CHATS, ttl: EVERY_MS, perf: { now } });

  return async (platform, request, render) => {
    const chat = chatOf(request);
    if (said.has(chat)) return;
    said.set(chat, true);
    const { replyTo: to } = request;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const caller = callerOf(request);
      const [t, settings] = await Promise.all([translatorFor(caller), dispatcher.chatSettings(caller)]);
      // Nothing is written down: it does not matter whether it arrives.
      const put = <T>(key: string, call: (tag: string) => Promise<T>) => call(`n-${key}`);
      const sending = {
        ...{ request, to, t, settings, signal, isFirst: false, isLast: true, expected: 1, stands: [], put },
        deleteLater: laterBy(leaving, platform.id, now),
      };
      await platform.send(oneReply(render(t)), sending);
    } catch (error) {
      log.info({ err: error, platform: platform.id }, 'a notice could not be said');
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

export async function* oneReply(reply: Reply): AsyncGenerator<Reply> {
  yield reply;
}
