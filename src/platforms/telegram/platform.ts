import type { Dispatcher } from '../../bot/answer/answer.ts';
import type { PlatformHost, Sending } from '../../bot/contract/chat-platform.ts';
import type { Reply } from '../../bot/contract/reply.ts';
import type { SettingsStore } from '../../bot/contract/settings.ts';
import { createWholeAnswers } from '../../bot/runtime/chat-cleanup.ts';
import type { Logger } from '../../infra/log.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { SentFiles } from '../../media/delivery/sent-files.ts';
import type { RuntimePlatform } from '../platform.ts';
import { createBotApi } from './api/bot-api.ts';
import { BotApiError } from './api/bot-api-error.ts';
import { createChatAccess } from './api/chat-access.ts';
import { createChatRecords } from './api/chat-records.ts';
import { createEventIds } from './api/envelope.ts';
import { DEFAULT_API, INVITATION, MESSAGE_LIMITS, TELEGRAM_LIMITS, type TelegramLimits } from './api/limits.ts';
import type { Me } from './api/methods.ts';
import { TelegramReplyTo } from './api/reply-to.ts';
import { isTokenRefused, outcomeOf } from './api/send-outcome.ts';
import { ALLOWED_UPDATES } from './api/updates.ts';
import { createButtonPress } from './incoming/button-press.ts';
import { createListener } from './incoming/listen.ts';
import { createReadMessage } from './incoming/message-draft.ts';
import { startPolling } from './incoming/polling.ts';
import { createWebhook } from './incoming/webhook.ts';
import { createInline } from './inline/inline.ts';
import { createAnswerPress } from './outgoing/answer-press.ts';
import { createChatActions } from './outgoing/chat-action.ts';
import { createDeleteButton } from './outgoing/delete-button.ts';
import { deleteMessage } from './outgoing/delete-message.ts';
import { createEditMessage } from './outgoing/edit-message.ts';
import { createFileCandidates } from './outgoing/file-candidates.ts';
import { createMendingReply } from './outgoing/mend.ts';
import { createMessageApi } from './outgoing/message-api.ts';
import { createPhotos } from './outgoing/photos.ts';
import { createPressAnswers } from './outgoing/press-answers.ts';
import { createSender } from './outgoing/send.ts';
import { createSendReply } from './outgoing/send-reply.ts';
import { registerCommands } from './register.ts';
import { plain, shorten } from './render/formatted-text.ts';
import { messagesOf } from './render/places.ts';

export interface TelegramPlatformOptions {
  readonly token: string;
  /** Root of a Bot API server of one's own, which takes larger files. Default: Telegram's. */
  readonly apiUrl?: string | undefined;
  /** Updates are pushed to `publicUrl` instead of polled for; `plugin` must be registered then. */
  readonly webhook?: { readonly secret: string; readonly publicUrl: string } | undefined;
  readonly dispatcher: Pick<Dispatcher, 'read' | 'answer' | 'linksOf' | 'browse' | 'translator' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  readonly sentFiles: SentFiles;
  readonly settings: Pick<SettingsStore, 'moveChat' | 'markChatLeft'>;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly limits?: Partial<TelegramLimits>;
  readonly now?: () => number;
}

const WEBHOOK_CONNECTIONS = 40;

export function createTelegramPlatform(options: TelegramPlatformOptions): RuntimePlatform<TelegramReplyTo> {
  const { token, dispatcher, delivery, sentFiles, settings, log, now = Date.now } = options;
  const limits: TelegramLimits = { ...TELEGRAM_LIMITS, ...options.limits };
  const apiRoot = new URL(options.apiUrl?.replace(/\/?$/, '/') ?? DEFAULT_API).href;
  const api = createBotApi({ token, apiRoot, limits });
  const eventIds = createEventIds(token);
  let me: Me | undefined;
  let host: PlatformHost<TelegramReplyTo> | undefined;
  const wholeAnswers = createWholeAnswers();
  let isIntroduced = false;

  const files = {
    delivery,
    sentFiles,
    holder: `telegram:${token.split(':', 1)[0]}`,
    limits,
    isLocalServer: apiRoot !== DEFAULT_API,
  };
  const { translator } = dispatcher;
  const access = createChatAccess(api, ask);
  const records = createChatRecords({ settings, log, now });
  const actions = createChatActions({ api, everyMs: limits.actionEveryMs, log });
  const messages = createMessageApi({ api, records, actions, limits });
  const photos = createPhotos({ api, messages, limits, log });
  const sender = createSender({ ...files, messages, photos, actions, log });
  const deleteButton = createDeleteButton(token);
  const answers = createPressAnswers({ api, limits, log });
  const editMessage = createEditMessage({ api, photos });
  const answerPress = createAnswerPress({ api, sender, answers, log, editMessage });
  const sendReply = createMendingReply({
    sendReply: createSendReply({ api, sender, answerPress, deleteButton, limits, log, now }),
    editMessage,
  });
  const listener = createListener({
    readMessage: createReadMessage({ dispatcher, username: () => me?.username ?? '', eventIds }),
    press: createButtonPress({ api, translator, access, deleteButton, answers, eventIds, log }),
    inline: createInline({
      ...{ api, dispatcher, sender, translator, limits, log, now },
      candidatesFor: item => createFileCandidates(item, false, files),
    }),
    records,
    eventIds,
    log,
    now,
  });
  const webhook = options.webhook && createWebhook({ token, ...options.webhook, take });

  async function ask(signal?: AbortSignal): Promise<Me> {
    try {
      me = await api.call('getMe', {}, { signal });
      return me;
    } catch (error) {
      if (!(error instanceof BotApiError) || !isTokenRefused(error)) throw error;
      throw new BotApiError({ ...error, description: `${error.description}; ${TOKEN_REFUSED}` });
    }
  }

  /** Only what is stored is taken. */
  async function take(update: unknown): Promise<boolean> {
    return host !== undefined && listener.take(update, host);
  }

  async function setWebhook(url: string, secret: string, signal: AbortSignal): Promise<void> {
    const push = { url, secret_token: secret, max_connections: WEBHOOK_CONNECTIONS };
    await api.call('setWebhook', { ...push, allowed_updates: [...ALLOWED_UPDATES] }, { signal });
  }

  async function inviteUrl(): Promise<string> {
    const { username } = me ?? (await ask());
    return `https://t.me/${username}?startgroup=${INVITATION}`;
  }

  function introduce(bot: Me, signal: AbortSignal): void {
    if (isIntroduced) return;
    isIntroduced = true;
    if (!bot.can_read_all_group_messages) log.warn({ bot: bot.username }, PRIVACY_MODE);
    if (!bot.supports_inline_queries) log.info({ bot: bot.username }, NO_INLINE);
    registerCommands(api, dispatcher, signal).catch((error: unknown) => {
      isIntroduced = false;
      if (!signal.aborted) log.warn({ err: error }, 'the menu of commands could not be set');
    });
  }

  /** Medley may have no right to it; the answer stands all the same. Never rejects. */
  async function deleteAnswered({ to, settings: { deleteSource } }: Sending<TelegramReplyTo>): Promise<void> {
    if (!deleteSource || to.isOnlyLinks !== true || to.message === undefined || to.press !== undefined) return;
    try {
      await deleteMessage(api, { chat_id: to.chat, message_id: to.message });
    } catch (error) {
      log.info({ err: error }, 'a link that was answered could not be deleted');
    }
  }

  return {
    id: 'telegram',
    replyTo: TelegramReplyTo,
    repliesAtOnce: 1,
    ...(webhook && { plugin: webhook.plugin }),

    async connect(given, signal) {
      const bot = await ask(signal);
      host = given;
      if (webhook === undefined || options.webhook === undefined) await api.call('deleteWebhook', {}, { signal });
      else await setWebhook(webhook.url, options.webhook.secret, signal);
      introduce(bot, signal);
      const polling =
        webhook === undefined
          ? startPolling({
              api,
              limits,
              take,
              onLost(reason) {
                messages.doubt();
                given.lost(reason);
              },
            })
          : undefined;
      return {
        async close() {
          await polling?.close();
          host = undefined;
        },
      };
    },

    async verify(signal) {
      await ask(signal);
    },

    async send(replies, sending) {
      const said: Reply[] = [];
      let isConfirmed = true;
      for await (const reply of replies) {
        const isThere = await sendReply(reply, { ...sending, key: said.length.toString(36) });
        isConfirmed &&= isThere;
        said.push(reply);
      }
      const isAllBrought = wholeAnswers.isAllBrought(sending, { replies: said, isConfirmed });
      if (isAllBrought) await deleteAnswered(sending);
    },

    outcomeOf,

    deleteMessage: (chatId, messageId) =>
      deleteMessage(api, { chat_id: Number(chatId), message_id: Number(messageId) }),

    pace: limits,

    // A press is answered in the place of what it stands under.
    hasPlace: ({ press }) => press !== undefined,

    messagesOf: (to, reply) => messagesOf(to, reply, limits),

    placeOf: chatId => ({ chat: Number(chatId), isGroup: true }),

    showWorking: to => (to.press === undefined ? actions.begin(to) : () => undefined),

    describeCaller({ user }, to) {
      if (!to.isGroup) return { inviteUrl };
      const isChatAdmin = () => access.isAdmin(to.chat, Number(user.id));
      return {
        deletesLinks: true,
        answersQuotes: true,
        diagnose: () => access.diagnose(to.chat),
        ...(user.isChatAdmin === undefined && { isChatAdmin }),
      };
    },

    async tell(userId, text) {
      const short = shorten(plain(text), MESSAGE_LIMITS.text).text;
      await api.call('sendMessage', {
        chat_id: Number(userId),
        text: short,
        link_preview_options: { is_disabled: true },
      });
    },

    async close() {
      await listener.close();
      await api.close();
    },
  };
}

const TOKEN_REFUSED = 'TELEGRAM_TOKEN must be the current one from @BotFather';
const PRIVACY_MODE =
  'privacy mode is on: in groups, pasted links are seen only where the bot is an admin. Turn it off with /setprivacy in @BotFather and add the bot to its groups again';
const NO_INLINE = 'inline mode is off: /setinline and /setinlinefeedback in @BotFather turn it on';
