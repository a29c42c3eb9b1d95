import type { PlatformHost } from '../../bot/contract/chat-platform.ts';
import type { SettingsStore } from '../../bot/contract/settings.ts';
import { createRegisteredMenus } from '../../bot/stores/registered-menus.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type { RuntimePlatform } from '../platform.ts';
import { type BotApi, createBotApi, deleteMessage } from './api/bot-api.ts';
import { BotApiError, isTokenRefused, sendFailureOf } from './api/bot-api-error.ts';
import { createChatRecords } from './api/chat-records.ts';
import { DEFAULT_API, INVITATION, MESSAGE_LIMITS, TELEGRAM_LIMITS, type TelegramLimits } from './api/limits.ts';
import type { Me } from './api/methods.ts';
import { createEventIds, TelegramReplyTo } from './api/reply-to.ts';
import { ALLOWED_UPDATES } from './api/updates.ts';
import { createButtonPress } from './incoming/button-press.ts';
import { createListener } from './incoming/listen.ts';
import { createWebhook, startPolling } from './incoming/receive-updates.ts';
import { createInlineMode } from './inline/inline-mode.ts';
import type { TelegramContext } from './outgoing/context.ts';
import { createChatActions, createMessageApi } from './outgoing/message-api.ts';
import { createPressAnswers } from './outgoing/press-answers.ts';
import { createSender } from './outgoing/send.ts';
import { createEditedReply, createSendReplies, createSendReply } from './outgoing/send-reply.ts';
import { createWordSender } from './outgoing/words.ts';
import { registerCommands } from './register.ts';
import { plainText, shorten } from './render/formatted-text.ts';
import { createDeleteButtons } from './render/keyboard.ts';
import { messagesOf } from './render/render.ts';

export interface TelegramPlatformOptions
  extends Pick<TelegramContext, 'dispatcher' | 'delivery' | 'sentFiles' | 'log'> {
  readonly token: string;
  /** The root of the Bot API server that the operator runs, which takes larger files. Default: Telegram's. */
  readonly apiUrl?: string | undefined;
  /** If set, Telegram sends updates to `publicUrl`, and `plugin` must be registered; else Medley polls for them. */
  readonly webhook?: { readonly secret: string; readonly publicUrl: string } | undefined;
  /** The store in which the menus that Telegram has are remembered. */
  readonly records: Pick<RecordStore, 'collection'>;
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly limits?: Partial<TelegramLimits>;
  readonly now?: () => number;
}

export function createTelegramPlatform(options: TelegramPlatformOptions): RuntimePlatform<TelegramReplyTo> {
  const limits: TelegramLimits = { ...TELEGRAM_LIMITS, ...options.limits };
  const parts = createParts(options, limits);
  const { bot, actions, listener, send, sender } = parts;
  const { api, chats } = parts.telegram;
  const connection = createConnection(options, parts);

  return {
    id: 'telegram',
    replyTo: TelegramReplyTo,
    repliesAtOnce: 1,
    ...(connection.plugin && { plugin: connection.plugin }),
    connect: connection.connect,
    async verify(signal) {
      await bot.ask(signal);
    },
    send,
    outcomeOf: sendFailureOf,
    deleteMessage: (chatId, messageId) =>
      deleteMessage(api, { chat_id: Number(chatId), message_id: Number(messageId) }),
    pace: limits,
    messagesOf: (to, reply) => messagesOf(to, reply, limits, sender.mayBeRich),
    placeOf: (chatId, _, topicId) => ({
      chat: Number(chatId),
      ...(topicId !== undefined && { thread: Number(topicId) }),
      isGroup: true,
    }),
    showWorking: to => (to.press === undefined ? actions.begin(to) : () => undefined),

    // In a group no status message is sent, since Telegram allows 20 messages a minute there; the chat action suffices.
    async showStatus({ chat, thread, isGroup, isChannel, press }, text, shown, signal) {
      if (isGroup || isChannel === true || press !== undefined) return undefined;
      if (shown !== undefined) {
        await api.call('editMessageText', { chat_id: chat, message_id: Number(shown), text }, { signal });
        return shown;
      }
      const place = { chat_id: chat, ...(thread !== undefined && { message_thread_id: thread }) };
      const { message_id } = await api.call('sendMessage', { ...place, text, disable_notification: true }, { signal });
      return `${message_id}`;
    },

    factsOf({ chat, thread, isGroup, press }, { user }) {
      const isChatAdmin = () => chats.isAdmin(chat, Number(user.id));
      const inGroup = {
        deletesLinks: true,
        answersQuotes: true,
        diagnose: () => chats.diagnose(chat),
        ...(thread !== undefined && { topicId: `${thread}` }),
        ...(user.isChatAdmin === undefined && { isChatAdmin }),
      };
      return {
        // The answer to a pressed button replaces the message with the button. So its place in the chat is known early,
        // and it need not wait for the answers to earlier requests.
        hasPlace: press !== undefined,
        pressedMessage: press && `${press.message}`,
        caller: isGroup ? inGroup : { inviteUrl: bot.inviteUrl },
      };
    },

    async tell(userId, text) {
      const short = shorten(plainText(text), MESSAGE_LIMITS.text).text;
      const message = { text: short, link_preview_options: { is_disabled: true } };
      await api.call('sendMessage', { chat_id: Number(userId), ...message });
    },

    async close() {
      await listener.close();
      await api.close();
    },
  };
}

type Parts = ReturnType<typeof createParts>;

/** Makes the parts of the platform and joins them: Bot API, sending, inline mode, listening. */
function createParts(options: TelegramPlatformOptions, limits: TelegramLimits) {
  const { token, dispatcher, delivery, sentFiles, settings, log, now = Date.now } = options;
  const apiRoot = new URL(options.apiUrl?.replace(/\/?$/, '/') ?? DEFAULT_API).href;
  const api = createBotApi({ token, apiRoot, limits });
  const bot = createBotIdentity(api);
  const telegram: TelegramContext = {
    ...{ api, dispatcher, delivery, sentFiles, limits, log, now },
    chats: createChatRecords(api, bot.ask, settings, log, now),
    eventIds: createEventIds(token),
    deleteButtons: createDeleteButtons(token),
    // A Bot API server that the operator runs takes larger files.
    uploadBytes: apiRoot === DEFAULT_API ? limits.upload : limits.localUpload,
    holder: `telegram:${token.split(':', 1)[0]}`,
    username: bot.username,
  };
  const actions = createChatActions(telegram);
  const messages = createMessageApi(telegram, actions);
  const words = createWordSender(telegram, messages, actions);
  const sender = createSender(telegram, messages, actions, words);
  const answers = createPressAnswers(telegram);
  const sendReply = createEditedReply(createSendReply(telegram, sender, words, answers), words.edit);
  const press = createButtonPress(telegram, answers);
  const listener = createListener(telegram, press, createInlineMode(telegram, sender));
  return { telegram, bot, actions, messages, listener, sender, send: createSendReplies(telegram, sendReply) };
}

/** Medley's own account, as Telegram last described it. */
function createBotIdentity(api: BotApi) {
  let me: Me | undefined;

  async function ask(signal?: AbortSignal): Promise<Me> {
    try {
      me = await api.call('getMe', {}, { signal });
      return me;
    } catch (error) {
      if (!(error instanceof BotApiError) || !isTokenRefused(error)) throw error;
      throw new BotApiError({ ...error, description: `${error.description}; ${TOKEN_REFUSED}` });
    }
  }

  return {
    ask,
    username: () => me?.username ?? '',
    async inviteUrl(): Promise<string> {
      const { username } = me ?? (await ask());
      return `https://t.me/${username}?startgroup=${INVITATION}`;
    },
  };
}

const WEBHOOK_CONNECTIONS = 40;

/** Connects to Telegram, by webhook or polling, and handles updates while it is connected. */
function createConnection(options: TelegramPlatformOptions, { telegram, bot, listener, messages }: Parts) {
  const { token, log } = options;
  const { api } = telegram;
  const menus = createRegisteredMenus(options.records, log);
  let host: PlatformHost<TelegramReplyTo> | undefined;
  let isIntroduced = false;
  const webhook = options.webhook && createWebhook({ token, ...options.webhook, take });

  async function take(update: unknown): Promise<boolean> {
    return host !== undefined && listener.take(update, host);
  }

  function introduce(me: Me, signal: AbortSignal): void {
    if (isIntroduced) return;
    isIntroduced = true;
    if (!me.can_read_all_group_messages) log.warn({ bot: me.username }, PRIVACY_MODE);
    if (!me.supports_inline_queries) log.info({ bot: me.username }, NO_INLINE);
    registerCommands(telegram, menus, me.id, signal).catch((error: unknown) => {
      isIntroduced = false;
      if (!signal.aborted) log.warn({ err: error }, 'the menu of commands could not be set');
    });
  }

  async function connect(given: PlatformHost<TelegramReplyTo>, signal: AbortSignal) {
    const me = await bot.ask(signal);
    host = given;
    if (webhook === undefined) await api.call('deleteWebhook', {}, { signal });
    else {
      const push = { url: webhook.url, secret_token: webhook.secret, max_connections: WEBHOOK_CONNECTIONS };
      await api.call('setWebhook', { ...push, allowed_updates: [...ALLOWED_UPDATES] }, { signal });
    }
    introduce(me, signal);
    const onLost = (reason: unknown) => {
      messages.doubt();
      given.lost(reason);
    };
    const polling = webhook === undefined ? startPolling(telegram, take, onLost) : undefined;
    return {
      async close() {
        await polling?.close();
        host = undefined;
      },
    };
  }

  return { connect, plugin: webhook?.plugin };
}

const TOKEN_REFUSED = 'TELEGRAM_TOKEN must be the current one from @BotFather';
const PRIVACY_MODE =
  'privacy mode is on: in groups, pasted links are seen only where the bot is an admin. Turn it off with /setprivacy in @BotFather and add the bot to its groups again';
const NO_INLINE = 'inline mode is off: /setinline and /setinlinefeedback in @BotFather turn it on';
