import { createLru } from '../../../infra/cache/create-lru.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import type { BotApi } from '../api/bot-api.ts';
import { BotApiError, notBegun } from '../api/bot-api-error.ts';
import type { ChatRecords } from '../api/chat-records.ts';
import type { TelegramLimits } from '../api/limits.ts';
import type { Address, Answers, Method, Params } from '../api/methods.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import type { ChatActions } from './chat-action.ts';

/** A chat, and how a message comes into it. */
export interface Place extends Pick<TelegramReplyTo, 'chat' | 'isGroup' | 'thread' | 'message'> {
  /** Without a sound. */
  readonly silent?: boolean;
  /** The person who alone sees it, where the Bot API server knows how; elsewhere all do. */
  readonly onlyFor?: number | undefined;
}

export type SendMethod = Method & `send${string}`;

/** Puts messages into chats, wherever those have gone meanwhile. */
export interface MessageApi {
  /** One message, or one album. @throws BotApiError */
  post<M extends SendMethod>(
    method: M,
    place: Place,
    signal: AbortSignal,
    make: (address: Address) => Params[M],
  ): Promise<Answers[M]>;
  /** Telegram may be out of reach: it is asked whether it is there before more is sent, so that less gets an unknown fate. */
  doubt(): void;
}

export interface MessageApiOptions {
  readonly api: BotApi;
  readonly records: Pick<ChatRecords, 'moved' | 'left'>;
  /** What is shown to be going on gives way to what is sent. */
  readonly actions: Pick<ChatActions, 'before'>;
  readonly limits: Pick<TelegramLimits, 'callMs' | 'fileMs'>;
}

const MAX_DETOURS = 3;
const MAX_MOVED = 1_000;

export function createMessageApi({ api, records, actions, limits }: MessageApiOptions): MessageApi {
  /** Groups that have become supergroups since the start. */
  const moved = createLru<number, number>({ max: MAX_MOVED });
  let isDoubtful = false;
  let asking: Promise<unknown> | undefined;

  function relocated(place: Place): Place {
    const chat = moved.get(place.chat);
    // Messages have other ids there, and there is no topic yet.
    return chat === undefined ? place : { ...place, chat, message: undefined, thread: undefined };
  }

  /** All ask at once. @throws BotApiError of a call that puts nothing anywhere, or the signal's reason */
  async function reach(signal: AbortSignal): Promise<void> {
    asking ??= api.call('getMe', {}).finally(() => {
      asking = undefined;
    });
    await abortable(asking, signal);
    isDoubtful = false;
  }

  async function attempt<M extends SendMethod>(method: M, signal: AbortSignal, params: Params[M]): Promise<Answers[M]> {
    if (isDoubtful) {
      await reach(signal).catch((error: unknown) => {
        throw signal.aborted ? notBegun(method) : error;
      });
    }
    try {
      return await api.call(method, params, {
        signal,
        timeoutMs: method === 'sendMessage' ? limits.callMs : limits.fileMs,
      });
    } catch (error) {
      isDoubtful ||= error instanceof BotApiError && !error.isCut && (error.code === undefined || error.code >= 500);
      throw error;
    }
  }

  /** Where the same may be tried again; nothing was put anywhere yet. */
  async function detour(error: unknown, place: Place): Promise<Place | undefined> {
    if (!(error instanceof BotApiError)) return undefined;
    const { migrateTo, code, description } = error;
    if (migrateTo !== undefined && migrateTo !== place.chat) {
      moved.set(place.chat, migrateTo);
      await records.moved(place.chat, migrateTo);
      return relocated(place);
    }
    if (code === 403 && /blocked|kicked|not a member|deactivated/i.test(description)) {
      await records.left(place.chat);
    }
    // A basic group, or a person who left: nobody else is kept from seeing it then.
    if (code === 400 && place.onlyFor !== undefined) return { ...place, onlyFor: undefined };
    const isTopicGone = code === 400 && /thread not found|topic_(deleted|id_invalid)/i.test(description);
    return isTopicGone && place.thread !== undefined ? { ...place, thread: undefined } : undefined;
  }

  return {
    async post(method, place, signal, make) {
      let to = relocated(place);
      for (let detours = 0; ; detours += 1) {
        try {
          const params = make(addressOf(to));
          return await actions.before(place, () => attempt(method, signal, params));
        } catch (error) {
          const next = detours < MAX_DETOURS ? await detour(error, to) : undefined;
          if (next === undefined) throw error;
          to = next;
        }
      }
    },
    doubt() {
      isDoubtful = true;
    },
  };
}

function addressOf({ chat, thread, message, silent, onlyFor }: Place): Address {
  return {
    chat_id: chat,
    ...(thread === undefined ? {} : { message_thread_id: thread }),
    ...(message === undefined ? {} : { reply_parameters: { message_id: message, allow_sending_without_reply: true } }),
    ...(silent === true ? { disable_notification: true } : {}),
    ...(onlyFor === undefined ? {} : { ephemeral_message_parameters: { receiver_user_id: onlyFor } }),
  };
}
