import { setTimeout as pause } from 'node:timers/promises';
import type { Sending, SendOnceOptions } from '../../../bot/contract/chat-platform.ts';
import type { GalleryItem } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import { BotApiError, notBegun } from '../api/bot-api-error.ts';
import type { ChatRecords } from '../api/chat-records.ts';
import type { TelegramLimits } from '../api/limits.ts';
import type { Address, Answers, Button, Method, Params } from '../api/methods.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';

/** The chat of a message, and how to send it there. */
export interface MessageDestination
  extends Pick<TelegramReplyTo, 'chat' | 'isGroup' | 'isChannel' | 'thread' | 'message'> {
  /** True when people are not notified. */
  readonly silent?: boolean;
  /** The person who alone sees the message, if the Bot API server supports that; else everyone sees it. */
  readonly onlyFor?: number | undefined;
  /** The id of a button's press in a message that only one person sees: the new message replaces that one. */
  readonly replaces?: string | undefined;
}

/** Everything but the reply itself that is needed to send it. */
export interface ReplyContext extends Pick<Sending, 'signal' | 'sendOnce' | 'sentKeys'> {
  readonly to: MessageDestination;
  readonly t: Translator;
  /**
   * Makes the buttons that only this platform has, under a file or after albums.
   * @param album ids of the albums' messages; undefined when they are no longer known
   */
  readonly extra?: (gallery: readonly GalleryItem[], album: readonly number[] | undefined) => readonly Button[];
  /** The request's id, under which the ids of its messages are remembered. */
  readonly request?: string;
  /** The first part of the keys of the reply's messages. */
  readonly key: string;
}

/** An edit may be repeated for as long as a request lives, and does not count for the chat's rate limit. */
export const EDIT: SendOnceOptions = { repeatMs: 24 * 3_600_000, messages: 0 };

export type SendMethod = Method & `send${string}`;

/** Sends messages to chats, also to a group that has become a supergroup. */
export interface MessageApi {
  /** Sends one message, or one album. @throws BotApiError */
  post<M extends SendMethod>(
    method: M,
    { to, signal }: Pick<ReplyContext, 'to' | 'signal'>,
    make: (address: Address) => Params[M],
  ): Promise<Answers[M]>;
  /**
   * To be called when Telegram may be unreachable: its availability is then checked before the next message, so that it
   * stays known which messages were sent.
   */
  doubt(): void;
}

export interface MessageApiOptions {
  readonly api: BotApi;
  readonly chats: Pick<ChatRecords, 'moved' | 'left'>;
  readonly actions: Pick<ChatActions, 'before'>;
  readonly limits: Pick<TelegramLimits, 'callMs' | 'fileMs'>;
}

const MAX_DETOURS = 3;
const MAX_MOVED = 1_000;

export function createMessageApi({ api, chats, actions, limits }: MessageApiOptions): MessageApi {
  /** The new ids of groups that have become supergroups since the start. */
  const moved = createLru<number, number>({ max: MAX_MOVED });
  let isDoubtful = false;
  let asking: Promise<unknown> | undefined;

  function relocated(to: MessageDestination): MessageDestination {
    const chat = moved.get(to.chat);
    // In the supergroup messages have other ids, and there is no topic.
    return chat === undefined ? to : { ...to, chat, message: undefined, thread: undefined };
  }

  /**
   * Waits until Telegram can be reached; all waiting callers share one call. @throws BotApiError of that call, which
   * sends nothing, or the signal's reason
   */
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
      const timeoutMs = method === 'sendMessage' ? limits.callMs : limits.fileMs;
      return await api.call(method, params, { signal, timeoutMs });
    } catch (error) {
      isDoubtful ||= error instanceof BotApiError && !error.isCut && (error.code === undefined || error.code >= 500);
      throw error;
    }
  }

  /** Another destination after a refusal for which nothing was sent; undefined when there is none. */
  async function detour(error: unknown, to: MessageDestination): Promise<MessageDestination | undefined> {
    if (!(error instanceof BotApiError)) return undefined;
    const { migrateTo, code, description } = error;
    if (migrateTo !== undefined && migrateTo !== to.chat) {
      moved.set(to.chat, migrateTo);
      await chats.moved(to.chat, migrateTo);
      return relocated(to);
    }
    if (code === 403 && /blocked|kicked|not a member|deactivated/i.test(description)) await chats.left(to.chat);
    // In a basic group, or after the person left, a message cannot be shown to one person alone, so all see it.
    if (code === 400 && to.onlyFor !== undefined) return { ...to, onlyFor: undefined };
    const isTopicGone = code === 400 && /thread not found|topic_(deleted|id_invalid)/i.test(description);
    return isTopicGone && to.thread !== undefined ? { ...to, thread: undefined } : undefined;
  }

  return {
    async post(method, { to: given, signal }, make) {
      let to = relocated(given);
      for (let detours = 0; ; detours += 1) {
        try {
          const params = make(addressOf(to));
          return await actions.before(given, () => attempt(method, signal, params));
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

function addressOf({ chat, thread, message, silent, onlyFor, replaces }: MessageDestination): Address {
  const replaced = replaces && { callback_query_id: replaces, replace_callback_query_message: true };
  return {
    chat_id: chat,
    ...(thread === undefined ? {} : { message_thread_id: thread }),
    ...(message === undefined ? {} : { reply_parameters: { message_id: message, allow_sending_without_reply: true } }),
    ...(silent === true ? { disable_notification: true } : {}),
    ...(onlyFor === undefined ? {} : { ephemeral_message_parameters: { receiver_user_id: onlyFor, ...replaced } }),
  };
}

export type ChatAction = Extract<
  Params['sendChatAction']['action'],
  'typing' | 'upload_photo' | 'upload_video' | 'upload_document'
>;

type ActionChat = Pick<MessageDestination, 'chat' | 'thread' | 'isChannel'>;

/** Shows in a chat what Medley is doing, such as "typing". An action disappears by itself; channels show none. */
export interface ChatActions {
  /** Shows `typing` until a message is sent or the returned function is called. */
  begin(place: ActionChat): () => void;
  /** Shows another action during the work. */
  during<T>(place: ActionChat, action: ChatAction, work: () => Promise<T>): Promise<T>;
  /** Sends a message. No further action is shown until the next work, because it would stay for five seconds. */
  before<T>(place: ActionChat, send: () => Promise<T>): Promise<T>;
}

export interface ChatActionsOptions {
  readonly api: BotApi;
  readonly everyMs: number;
  readonly log: Pick<Logger, 'debug'>;
}

interface Shown {
  users: number;
  action: ChatAction;
  /** Repeats the action; undefined while nothing is shown. */
  timer: NodeJS.Timeout | undefined;
  /** The running call that shows the action. */
  sending: Promise<void> | undefined;
  isRefused: boolean;
  readonly ended: AbortController;
}

/** A message waits at most this long for the running call of an action. */
const SETTLE_MS = 1_000;

export function createChatActions({ api, everyMs, log }: ChatActionsOptions): ChatActions {
  const chats = new Map<string, Shown>();

  function show(place: ActionChat, shown: Shown): void {
    if (shown.isRefused) return;
    const { chat, thread } = place;
    const { signal } = shown.ended;
    const to = { chat_id: chat, ...(thread === undefined ? {} : { message_thread_id: thread }) };
    shown.sending = api.call('sendChatAction', { ...to, action: shown.action }, { signal }).then(
      () => undefined,
      (error: unknown) => {
        if (!signal.aborted) log.debug({ err: error }, 'a chat action was not shown');
        shown.isRefused = true;
        hide(shown);
      },
    );
    clearInterval(shown.timer);
    shown.timer = setInterval(() => show(place, shown), everyMs).unref();
  }

  /** Several requests in one chat share a shown action. */
  function share(place: ActionChat, action: ChatAction): { readonly shown: Shown; readonly release: () => void } {
    const key = keyOf(place);
    const shown = chats.get(key) ?? begun(action);
    shown.users += 1;
    chats.set(key, shown);
    if (shown.timer === undefined) show(place, shown);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      shown.users -= 1;
      if (shown.users > 0) return;
      chats.delete(key);
      hide(shown);
      shown.ended.abort();
    };
    return { shown, release };
  }

  return {
    begin: place => (place.isChannel === true ? () => undefined : share(place, 'typing').release),
    async during(place, action, work) {
      if (place.isChannel === true) return work();
      const known = chats.get(keyOf(place));
      const before = known?.action ?? 'typing';
      if (known !== undefined && known.action !== action) {
        known.action = action;
        hide(known);
      }
      const { shown, release } = share(place, action);
      try {
        return await work();
      } finally {
        shown.action = before;
        release();
      }
    },
    async before(place, send) {
      const shown = chats.get(keyOf(place));
      if (shown === undefined) return send();
      // Only a text hides the action first; files take time, during which it stays.
      if (shown.action === 'typing') hide(shown);
      await Promise.race([shown.sending, pause(SETTLE_MS, undefined, { ref: false })]);
      const sent = await send();
      hide(shown);
      return sent;
    },
  };
}

function hide(shown: Shown): void {
  clearInterval(shown.timer);
  shown.timer = undefined;
}

function begun(action: ChatAction): Shown {
  const ended = new AbortController();
  return { users: 0, action, timer: undefined, sending: undefined, isRefused: false, ended };
}

function keyOf({ chat, thread = 0 }: ActionChat): string {
  return `${chat} ${thread}`;
}
