import type { Dispatcher } from '../../bot/answer/answer.ts';
import type { PlatformHost, Sending } from '../../bot/contract/chat-platform.ts';
import type { Reply } from '../../bot/contract/reply.ts';
import type { SettingsStore } from '../../bot/contract/settings.ts';
import { createWholeAnswers } from '../../bot/runtime/chat-cleanup.ts';
import { createRegisteredMenus } from '../../bot/stores/registered-menus.ts';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { SentFiles } from '../../media/delivery/sent-files.ts';
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
import { createReadMessage } from './incoming/message-request.ts';
import { createWebhook, startPolling } from './incoming/receive-updates.ts';
import { createInlineMode } from './inline/inline.ts';
import { createFileCandidates } from './outgoing/file-candidates.ts';
import { createFileSender } from './outgoing/file-sender.ts';
import { createChatActions, createMessageApi } from './outgoing/message-api.ts';
import { createDeleteButtons } from './outgoing/own-buttons.ts';
import { createAnswerPress, createPressAnswers } from './outgoing/press-answers.ts';
import { createRichSender } from './outgoing/rich-sender.ts';
import { createSender } from './outgoing/send.ts';
import { createEditedReply, createSendReply, type SendReply } from './outgoing/send-reply.ts';
import { createUploadTurns } from './outgoing/upload-turns.ts';
import { createWordSender } from './outgoing/words.ts';
import { registerCommands } from './register.ts';
import { plainText, shorten } from './render/formatted-text.ts';
import { messagesOf } from './render/render.ts';

export interface TelegramPlatformOptions {
  readonly token: string;
  /** The root of the Bot API server that the operator runs, which takes larger files. Default: Telegram's. */
  readonly apiUrl?: string | undefined;
  /** If set, Telegram sends updates to `publicUrl`, and `plugin` must be registered; else Medley polls for them. */
  readonly webhook?: { readonly secret: string; readonly publicUrl: string } | undefined;
  readonly dispatcher: Pick<Dispatcher, 'read' | 'answer' | 'linksOf' | 'browse' | 'translator' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  readonly sentFiles: SentFiles;
  /** The store in which the menus that Telegram has are remembered. */
  readonly records: Pick<RecordStore, 'collection'>;
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<TelegramLimits>;
  readonly now?: () => number;
}

export function createTelegramPlatform(options: TelegramPlatformOptions): RuntimePlatform<TelegramReplyTo> {
  const limits: TelegramLimits = { ...TELEGRAM_LIMITS, ...options.limits };
  const parts = createParts(options, limits);
  const { api, bot, chats, actions, listener } = parts;
  const send = createSend(parts.sendReply, api, options.log);
  const connection = createConnection(options, parts, limits);

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
    // The answer to a press is an edit of the button's message, so that message can show the waiting.
    hasPlace: ({ press }) => press !== undefined,
    messagesOf: (to, reply) => messagesOf(to, reply, limits),
    placeOf: chatId => ({ chat: Number(chatId), isGroup: true }),
    showWorking: to => (to.press === undefined ? actions.begin(to) : () => undefined),

    // In a group no status message is sent, as few a minute are allowed; the chat action shows the waiting.
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

    describeCaller({ user }, to) {
      if (!to.isGroup) return { inviteUrl: bot.inviteUrl };
      const isChatAdmin = () => chats.isAdmin(to.chat, Number(user.id));
      return {
        deletesLinks: true,
        answersQuotes: true,
        diagnose: () => chats.diagnose(to.chat),
        ...(user.isChatAdmin === undefined && { isChatAdmin }),
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
  const isLocalServer = apiRoot !== DEFAULT_API;
  const holder = `telegram:${token.split(':', 1)[0]}`;
  const api = createBotApi({ token, apiRoot, limits });
  const bot = createBotIdentity(api);
  const eventIds = createEventIds(token);
  const chats = createChatRecords({ api, askMe: bot.ask, settings, log, now });

  const actions = createChatActions({ api, everyMs: limits.actionEveryMs, log });
  const messages = createMessageApi({ api, chats, actions, limits });
  const inTurn = createUploadTurns(actions);
  const files = { delivery, sentFiles, holder, limits, isLocalServer, messages, inTurn, log };
  const words = createWordSender({ api, messages, actions, limits, log });
  const sender = createSender({
    words,
    sendFiles: createFileSender(files),
    sendRich: createRichSender(files),
    limits,
  });
  const answers = createPressAnswers({ api, limits, log });
  const answerPress = createAnswerPress({ api, sender, answers, log, editMessage: words.edit });
  const deleteButtons = createDeleteButtons(token);
  const replies = createSendReply({ api, sender, words, answerPress, deleteButtons, limits, log, now });

  const candidatesFor: Parameters<typeof createInlineMode>[0]['candidatesFor'] = item =>
    createFileCandidates(item, false, files);
  const listener = createListener({
    readMessage: createReadMessage({ dispatcher, username: bot.username, eventIds }),
    press: createButtonPress({
      ...{ api, translator: dispatcher.translator, chats, deleteButtons, answers, eventIds, log },
    }),
    inline: createInlineMode({ api, dispatcher, sender, candidatesFor, limits, log, now }),
    ...{ chats, eventIds, log, now },
  });
  return { api, bot, chats, actions, messages, listener, sendReply: createEditedReply(replies, words.edit) };
}

/** Medley's own account, as Telegram described it last. */
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

/** Sends the replies to a request. Then deletes the message with its links, if the chat's settings say so. */
function createSend(sendReply: SendReply, api: BotApi, log: Pick<Logger, 'info'>) {
  const wholeAnswers = createWholeAnswers();

  /** Deletes the message with the links. If Medley lacks the right, nothing else changes. Never rejects. */
  async function deleteAnswered({ to, settings }: Sending<TelegramReplyTo>): Promise<void> {
    if (!settings.deleteSource || to.isOnlyLinks !== true || to.message === undefined || to.press !== undefined) return;
    try {
      await deleteMessage(api, { chat_id: to.chat, message_id: to.message });
    } catch (error) {
      log.info({ err: error }, 'a link that was answered could not be deleted');
    }
  }

  return async (replies: AsyncIterable<Reply>, sending: Sending<TelegramReplyTo>): Promise<void> => {
    const sent: Reply[] = [];
    let isConfirmed = true;
    for await (const reply of replies) {
      const isWhole = await sendReply(reply, { ...sending, key: sent.length.toString(36) });
      isConfirmed &&= isWhole;
      sent.push(reply);
    }
    if (wholeAnswers.isAllBrought(sending, { replies: sent, isConfirmed })) await deleteAnswered(sending);
  };
}

const WEBHOOK_CONNECTIONS = 40;

/** Connects to Telegram, by webhook or polling, and handles updates while it is connected. */
function createConnection(
  options: TelegramPlatformOptions,
  { api, bot, listener, messages }: Parts,
  limits: TelegramLimits,
) {
  const { token, dispatcher, log } = options;
  const menus = createRegisteredMenus({ records: options.records, log });
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
    registerCommands({ api, dispatcher, menus, botId: me.id, signal }).catch((error: unknown) => {
      isIntroduced = false;
      if (!signal.aborted) log.warn({ err: error }, 'the menu of commands could not be set');
    });
  }

  function poll(given: PlatformHost<TelegramReplyTo>) {
    const onLost = (reason: unknown) => {
      messages.doubt();
      given.lost(reason);
    };
    return startPolling({ api, limits, take, onLost });
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
    const polling = webhook === undefined ? poll(given) : undefined;
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
