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

/** The chat of a message, and in which way it is sent there. */
export interface MessageDestination
  extends Pick<TelegramReplyTo, 'chat' | 'isGroup' | 'isChannel' | 'thread' | 'message'> {
  /** True when people get no notification. */
  readonly silent?: boolean;
  /** The person who alone sees the message, if the Bot API server can do that; else everyone does. */
  readonly onlyFor?: number | undefined;
  /** The id of a pressed button's query, if its message is seen by one person alone: the new message replaces it. */
  readonly replaces?: string | undefined;
}

/** What is needed to send a reply, besides the reply itself. */
export interface ReplyContext extends Pick<Sending, 'signal' | 'sendOnce' | 'sentKeys'> {
  readonly to: MessageDestination;
  readonly t: Translator;
  /**
   * Makes the buttons that no other platform has, under a file or behind albums.
   * @param album ids of the albums' messages; undefined when they are no longer known
   */
  readonly extra?: (gallery: readonly GalleryItem[], album: readonly number[] | undefined) => readonly Button[];
  /** The id of the request, under which its messages' ids are remembered. */
  readonly request?: string;
  /** The beginning of the keys of the reply's messages. */
  readonly key: string;
}

/** Options of an edit: it may be repeated as long as a request lives, and does not count for the chat's rate limit. */
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
   * To be called when Telegram may be away. Before the next message its availability is checked, so that it stays
   * known which messages were sent.
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
  /** The new ids of groups that became supergroups since this process began. */
  const moved = createLru<number, number>({ max: MAX_MOVED });
  let isDoubtful = false;
  let asking: Promise<unknown> | undefined;

  function relocated(to: MessageDestination): MessageDestination {
    const chat = moved.get(to.chat);
    // A supergroup has no topic at first, and its messages have other ids, so neither is stated.
    return chat === undefined ? to : { ...to, chat, message: undefined, thread: undefined };
  }

  /**
   * Waits until Telegram can be reached, by a call that sends nothing and that all who wait share. @throws BotApiError
   * of that call, or the signal's reason
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

  /** Another destination after a refusal by which nothing was sent; undefined if there is none. */
  async function detour(error: unknown, to: MessageDestination): Promise<MessageDestination | undefined> {
    if (!(error instanceof BotApiError)) return undefined;
    const { migrateTo, code, description } = error;
    if (migrateTo !== undefined && migrateTo !== to.chat) {
      moved.set(to.chat, migrateTo);
      await chats.moved(to.chat, migrateTo);
      return relocated(to);
    }
    if (code === 403 && /blocked|kicked|not a member|deactivated/i.test(description)) await chats.left(to.chat);
    // In a basic group, or after the person left, no message can be for one person alone, so all see it.
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

/** Shows what Medley is doing in a chat, such as "typing". Telegram ends an action by itself; channels have none. */
export interface ChatActions {
  /** Shows `typing` until a message is sent, or the returned function is called. */
  begin(place: ActionChat): () => void;
  /** Shows another action while the work runs. */
  during<T>(place: ActionChat, action: ChatAction, work: () => Promise<T>): Promise<T>;
  /** Sends a message. No action is shown from then until other work begins, since it would stay five seconds. */
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
  /** The timer that repeats the action; undefined while none is shown. */
  timer: NodeJS.Timeout | undefined;
  /** The call that is showing the action now. */
  sending: Promise<void> | undefined;
  isRefused: boolean;
  readonly ended: AbortController;
}

/** How long a message waits at most for the running call of an action. */
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

  /** Shows an action once for several requests in one chat. */
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
      // The action is hidden only before a text; files take a while to send, during which it stays.
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
