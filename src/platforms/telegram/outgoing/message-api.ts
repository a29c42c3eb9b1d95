import { setTimeout as pause } from 'node:timers/promises';
import { createLru } from '../../../infra/cache/cache.ts';
import { createSingleFlight } from '../../../infra/concurrency/abortable.ts';
import { BotApiError, notBegun } from '../api/bot-api-error.ts';
import type { Address, Answers, Content, Method, Params } from '../api/methods.ts';
import type { MessageDestination, ReplyContext, TelegramContext } from './context.ts';

type SendMethod = Method & `send${string}`;

const MAX_DETOURS = 3;
const MAX_MOVED = 1_000;

export type MessageApi = ReturnType<typeof createMessageApi>;

/** Sends messages to chats, also to a group that has become a supergroup. */
export function createMessageApi({ api, chats, limits }: TelegramContext, actions: Pick<ChatActions, 'before'>) {
  /** The new ids of groups that became supergroups since this process began. */
  const moved = createLru<number, number>({ max: MAX_MOVED });
  const reach = createReachCheck(api);

  function relocated(to: MessageDestination): MessageDestination {
    const chat = moved.get(to.chat);
    // A supergroup has no topic at first, and its messages have other ids, so neither is stated.
    return chat === undefined ? to : { ...to, chat, message: undefined, thread: undefined };
  }

  async function attempt<M extends SendMethod>(
    method: M,
    to: MessageDestination,
    content: Content<M>,
    signal: AbortSignal,
  ): Promise<Answers[M]> {
    await reach.check(signal).catch((error: unknown) => {
      throw signal.aborted ? notBegun(method) : error;
    });
    try {
      const timeoutMs = method === 'sendMessage' ? limits.callMs : limits.fileMs;
      return await api.call(method, { ...addressOf(to), ...content }, { signal, timeoutMs });
    } catch (error) {
      if (error instanceof BotApiError && !error.isCut && (error.code ?? 500) >= 500) reach.doubt();
      throw error;
    }
  }

  /** The next destination to try after Telegram refused a message, such as the supergroup that a group has become. */
  async function detour(error: unknown, to: MessageDestination): Promise<MessageDestination | undefined> {
    if (!(error instanceof BotApiError)) return undefined;
    const { migrateTo, code, description } = error;
    if (migrateTo !== undefined && migrateTo !== to.chat) {
      moved.set(to.chat, migrateTo);
      await chats.moved(to.chat, migrateTo);
      return relocated(to);
    }
    if (code === 403 && /blocked|kicked|not a member|deactivated|deleted/i.test(description)) await chats.left(to.chat);
    // In a basic group, or after the person left, a message cannot be for one person alone, so everybody sees it.
    if (code === 400 && to.onlyFor !== undefined) return { ...to, onlyFor: undefined };
    const isTopicUnknown = code === 400 && /thread not found|topic_(deleted|id_invalid)/i.test(description);
    // Telegram also says this of busy topics (tdlib/telegram-bot-api#693) and in groups that have no topics any more.
    // There a reply without a topic arrives in that of its message (#798); a deleted topic has no such message left.
    return isTopicUnknown && to.thread !== undefined ? { ...to, thread: undefined, isOnlyReply: true } : undefined;
  }

  return {
    /** Sends one message, or one album. @throws BotApiError */
    async post<M extends SendMethod>(
      method: M,
      { to: given, signal }: Pick<ReplyContext, 'to' | 'signal'>,
      content: Content<M>,
    ): Promise<Answers[M]> {
      let to = relocated(given);
      for (let detours = 0; ; detours += 1) {
        try {
          return await actions.before(given, () => attempt(method, to, content, signal));
        } catch (error) {
          const next = detours < MAX_DETOURS ? await detour(error, to) : undefined;
          if (next === undefined) throw error;
          to = next;
        }
      }
    },
    /**
     * To be called when Telegram may be out of order. The next message is then sent only after a call of `getMe` has
     * succeeded: if Telegram's answer to a message were lost, it would not be known whether the message was posted.
     */
    doubt: reach.doubt,
  };
}

/** Checks that Telegram can be reached, when that is in doubt, by a call that sends nothing and that all share. */
function createReachCheck(api: TelegramContext['api']) {
  let isDoubtful = false;
  const asking = createSingleFlight();
  return {
    /** Returns at once unless Telegram is in doubt. @throws BotApiError if it is not reached, or the signal's reason */
    async check(signal: AbortSignal): Promise<void> {
      if (!isDoubtful) return;
      await asking.run('getMe', flight => api.call('getMe', {}, { signal: flight.signal }), signal);
      isDoubtful = false;
    },
    doubt(): void {
      isDoubtful = true;
    },
  };
}

function addressOf(to: MessageDestination): Address {
  const { chat, thread, directTopic, message, isOnlyReply = false, silent, onlyFor, replaces } = to;
  const replaced = replaces && { callback_query_id: replaces, replace_callback_query_message: true };
  return {
    chat_id: chat,
    ...(thread === undefined ? {} : { message_thread_id: thread }),
    ...(directTopic === undefined ? {} : { direct_messages_topic_id: directTopic }),
    ...(message === undefined
      ? {}
      : { reply_parameters: { message_id: message, allow_sending_without_reply: !isOnlyReply } }),
    ...(silent === true ? { disable_notification: true } : {}),
    ...(onlyFor === undefined ? {} : { ephemeral_message_parameters: { receiver_user_id: onlyFor, ...replaced } }),
  };
}

export type ChatAction = Extract<
  Params['sendChatAction']['action'],
  'typing' | 'upload_photo' | 'upload_video' | 'upload_document'
>;

type ActionChat = Pick<MessageDestination, 'chat' | 'thread' | 'isChannel'>;

interface Shown {
  users: number;
  action: ChatAction;
  /** The timer that repeats the action; undefined while no action is shown. */
  timer: NodeJS.Timeout | undefined;
  /** Resolves when the latest call that shows the action has ended; undefined before the first call. */
  sending: Promise<void> | undefined;
  isRefused: boolean;
  readonly ended: AbortController;
}

/** A message waits this long for a running call that shows an action, which could otherwise arrive after it. */
const SETTLE_MS = 1_000;

export type ChatActions = ReturnType<typeof createChatActions>;

/** Shows what Medley is doing in a chat, such as "typing". Telegram ends an action by itself; channels have none. */
export function createChatActions({ api, limits, log }: Pick<TelegramContext, 'api' | 'limits' | 'log'>) {
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
    shown.timer = setInterval(() => show(place, shown), limits.actionEveryMs).unref();
  }

  /** Shows an action. All requests in the same chat share one action, which ends when all of them have released it. */
  function share(place: ActionChat, action: ChatAction): { readonly shown: Shown; readonly release: () => void } {
    const key = keyOf(place);
    const begun = { users: 0, action, timer: undefined, sending: undefined, isRefused: false };
    const shown = chats.get(key) ?? { ...begun, ended: new AbortController() };
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
    /** Shows `typing` until a message is sent, or the returned function is called. */
    begin: (place: ActionChat): (() => void) =>
      place.isChannel === true ? () => undefined : share(place, 'typing').release,
    /** Shows this action in place of `typing` while the work runs. */
    async during<T>(place: ActionChat, action: ChatAction, work: () => Promise<T>): Promise<T> {
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
    /** Sends a message and hides the action, which Telegram would show for up to five seconds after the message. */
    async before<T>(place: ActionChat, send: () => Promise<T>): Promise<T> {
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

function keyOf({ chat, thread = 0 }: ActionChat): string {
  return `${chat} ${thread}`;
}
