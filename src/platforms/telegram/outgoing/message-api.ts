import { LRUCache } from 'lru-cache';
import { chatKey } from '../../../bot/command.ts';
import type { SettingsStore } from '../../../bot/settings/settings.ts';
import type { Logger } from '../../../infra/log.ts';
import type { TelegramLimits } from '../limits.ts';
import type { BotApi } from './bot-api.ts';
import { BotApiError } from './bot-api-error.ts';
import type { Address, Answers, Method, Params } from './methods.ts';
import type { Pacing } from './pacing.ts';

/** Where an answer goes. */
export interface Place {
  readonly chatId: number;
  readonly isGroup: boolean;
  /** Of a forum's topic; never that of the General topic, which Telegram refuses. */
  readonly threadId?: number | undefined;
  /** The message it answers. */
  readonly replyTo?: number | undefined;
  /** Without a sound. */
  readonly silent?: boolean;
}

/** Told about every request that may put a message into the chat, and how it ended; not at all when nobody knows. */
export interface SendingWatch {
  sending(): void;
  sent(): void;
  /** Telegram has refused it: nothing was put anywhere. */
  refused(): void;
}

export type SendMethod = Method & `send${string}`;

interface Errand {
  readonly signal: AbortSignal;
  readonly watch?: SendingWatch;
}

/** Puts messages into chats, wherever those have gone meanwhile. */
export interface MessageApi {
  /** Waits for the chat's turn. @throws the signal's reason */
  takeTurn(place: Place, messages: number, signal: AbortSignal): Promise<void>;
  /** @throws BotApiError, or the signal's reason. */
  put<M extends SendMethod>(
    method: M,
    place: Place,
    errand: Errand,
    make: (address: Address) => Params[M],
  ): Promise<Answers[M]>;
}

export interface MessageApiOptions {
  readonly api: BotApi;
  readonly pacing: Pacing;
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly limits: TelegramLimits;
  readonly now: () => number;
}

const MAX_DETOURS = 3;
const MAX_MOVED = 1_000;

export function createMessageApi({ api, pacing, settings, limits, log, now }: MessageApiOptions): MessageApi {
  /** Groups that have become supergroups since the start. */
  const moved = new LRUCache<number, number>({ max: MAX_MOVED });

  function relocated(place: Place): Place {
    const chatId = moved.get(place.chatId);
    // Messages have other ids there, and there is no topic yet.
    return chatId === undefined ? place : { ...place, chatId, replyTo: undefined, threadId: undefined };
  }

  async function post<M extends SendMethod>(
    method: M,
    to: Place,
    { signal, watch }: Errand,
    params: Params[M],
  ): Promise<Answers[M]> {
    const timeoutMs = method === 'sendMessage' ? limits.callMs : limits.fileMs;
    try {
      const sent = await api.call(method, params, {
        signal,
        timeoutMs,
        onAttempt: () => watch?.sending(),
        onWait(ms, { code, isNotDone }) {
          if (code === 429) pacing.hold(to.chatId, ms);
          if (isNotDone) watch?.refused();
        },
      });
      watch?.sent();
      pacing.arrived(to.chatId);
      return sent;
    } catch (error) {
      if (error instanceof BotApiError && error.isNotDone) watch?.refused();
      throw error;
    }
  }

  /** What cannot be noted keeps nothing from being sent. */
  function noted(note: Promise<void>): Promise<void> {
    return note.catch(error => log.warn({ err: error }, 'the settings of a chat could not be kept'));
  }

  /** Where the same may be tried again; nothing was put anywhere yet. */
  async function detour(error: unknown, place: Place): Promise<Place | undefined> {
    if (!(error instanceof BotApiError)) return undefined;
    const { migrateTo, code, description } = error;
    if (migrateTo !== undefined && migrateTo !== place.chatId) {
      moved.set(place.chatId, migrateTo);
      await noted(settings.moveChat(keyOf(place.chatId), keyOf(migrateTo)));
      return relocated(place);
    }
    if (code === 403 && /blocked|kicked|not a member|deactivated/i.test(description)) {
      await noted(settings.markChatLeft(keyOf(place.chatId), now()));
    }
    const isTopicGone = code === 400 && /thread not found|topic_(deleted|id_invalid)/i.test(description);
    return isTopicGone && place.threadId !== undefined ? { ...place, threadId: undefined } : undefined;
  }

  return {
    takeTurn: (place, messages, signal) => pacing.take(relocated(place), messages, signal),
    async put(method, place, errand, make) {
      let to = relocated(place);
      for (let detours = 0; ; detours += 1) {
        try {
          return await post(method, to, errand, make(addressOf(to)));
        } catch (error) {
          const next = detours < MAX_DETOURS ? await detour(error, to) : undefined;
          if (next === undefined) throw error;
          to = next;
        }
      }
    },
  };
}

function keyOf(chatId: number): string {
  return chatKey({ platform: 'telegram', chatId: `${chatId}` });
}

function addressOf({ chatId, threadId, replyTo, silent }: Place): Address {
  return {
    chat_id: chatId,
    ...(threadId === undefined ? {} : { message_thread_id: threadId }),
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
    ...(silent === true ? { disable_notification: true } : {}),
  };
}
