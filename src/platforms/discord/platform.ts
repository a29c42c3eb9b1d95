import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ApplicationCommandType } from 'discord.js';
import * as z from 'zod';
import type { Dispatcher } from '../../bot/answer/answer.ts';
import type { SendFailure } from '../../bot/contract/chat-platform.ts';
import type { ButtonTokens } from '../../bot/contract/services.ts';
import type { SettingsStore } from '../../bot/contract/settings.ts';
import { createViewHistory } from '../../bot/stores/buttons.ts';
import { createRegisteredMenus } from '../../bot/stores/registered-menus.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { createTranslator, loadTranslator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type { Delivery } from '../../media/delivery/delivery.ts';
import type { RuntimePlatform } from '../platform.ts';
import { createDiscordApi, type DiscordApi } from './api/discord-api.ts';
import { DEFAULT_UPLOAD_BYTES, DISCORD_LIMITS, TIMES } from './api/limits.ts';
import { diagnosisOf } from './api/permissions.ts';
import { applicationIdOf, DiscordReplyTo, stableId } from './api/reply-to.ts';
import { DiscordFailure, sendOutcome } from './api/send-failure.ts';
import { connect } from './incoming/connect.ts';
import { GatewayFailure, type ShardChoice } from './incoming/gateway.ts';
import {
  createAnswerParts,
  createEmbedSuppression,
  type DiscordContext,
  type GatewayState,
} from './outgoing/context.ts';
import { answerKeyOf, createSend } from './outgoing/send.ts';
import { commandPayloads, type Menu, menuIn, updateCommands } from './register.ts';
import { display } from './render/block-components.ts';
import { type CommandIds, escapeMarkdown, NO_COMMAND_IDS } from './render/markdown-text.ts';

export interface DiscordPlatformOptions {
  readonly token: string;
  /** The address of Discord's API without a version, e.g. `https://discord.com/api`, which is also the default. */
  readonly apiUrl?: string | undefined;
  readonly shards: ShardChoice;
  readonly dispatcher: Pick<Dispatcher, 'read' | 'translator' | 'suggestOption' | 'commandSpecs' | 'commandOf'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly settings: Pick<SettingsStore, 'chat' | 'markChatLeft'>;
  readonly tagOf: ButtonTokens['tagOf'];
  /** Stores sessions (to receive missed events), ids of commands, and the messages and earlier views of answers. */
  readonly records: RecordStore;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now?: () => number;
}

/** Medley on Discord. It receives requests from the gateway; for answers it needs the REST API alone. */
export function createDiscordPlatform(options: DiscordPlatformOptions): RuntimePlatform<DiscordReplyTo> {
  const { token, apiUrl, shards, dispatcher, delivery, settings, tagOf, records, log, now = Date.now } = options;
  const closing = new AbortController();
  const api = createDiscordApi({ token, apiUrl, log });
  const applicationId = applicationIdOf(token) ?? '0';
  const state: GatewayState = { client: undefined, applicationId, readsMessages: true };
  const commandIds = createCommandIdRecord(records, state, log);
  const context: DiscordContext = {
    ...{ api, dispatcher, delivery, log, now },
    commandIds,
    parts: createAnswerParts(records, log),
    history: createViewHistory({ platform: 'discord', records, tagOf, dispatcher, log }),
    embeds: createEmbedSuppression({ api, log, now, gateway: state }),
    signal: closing.signal,
    gateway: state,
  };
  const register = createRegistration(context, records, commandIds);

  return {
    id: 'discord',
    replyTo: DiscordReplyTo,
    repliesAtOnce: DISCORD_LIMITS.replies,
    async connect(host, signal) {
      const connection = await connect({ context, state, token, apiUrl, shards, records, settings }, host, signal);
      // The commands belong to the application, so it is enough that one process registers them.
      if (shards === 'auto' || shards.ids.includes(0)) void register();
      return connection;
    },
    verify: signal => api.verify(signal),
    send: createSend(context),
    outcomeOf: readOutcome,
    async tell(userId, text) {
      const channelId = await api.openPrivate(userId);
      const content = { components: [], uploads: [], text: escapeMarkdown(text) };
      const options = { nonce: randomUUID().slice(0, 25), replyTo: undefined };
      await api.post(channelId, content, options, closing.signal);
    },
    deleteMessage: (channelId, messageId) => api.deleteMessage(channelId, messageId),
    factsOf(to) {
      const interaction = to.kind === 'interaction' ? to : undefined;
      return {
        hasPlace: interaction !== undefined,
        pressedMessage: interaction?.pressed?.messageId,
        caller: {
          hidesEmbeds: true,
          answersAlone: interaction?.isEphemeral === true,
          diagnose: () => diagnosisOf(to),
        },
      };
    },
    placeOf: (channelId, eventId) => ({
      kind: 'message',
      channelId,
      messageId: stableId(eventId),
      flags: 0,
      fileBytes: DEFAULT_UPLOAD_BYTES,
      rights: { send: true, attach: true, reply: false, manage: false, content: true },
      isOnlyLinks: false,
    }),
    showStatus: (to, text, shown, signal) => showStatus(context, to, text, shown, signal),
    // After an interaction, Discord itself shows that the app is working.
    showWorking: to => (to.kind === 'interaction' ? () => undefined : showTyping(api, to.channelId, log)),
    async close() {
      closing.abort();
      await Promise.all([context.embeds.close(), api.close()]);
    },
  };
}

/**
 * Writes how the request is getting on: into an interaction's deferred answer, or into a message of its own. After a
 * pressed button nothing is written, since its message still shows the earlier reply.
 */
async function showStatus(
  context: DiscordContext,
  to: DiscordReplyTo,
  text: string,
  shown: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { api } = context;
  const content = { components: [display(`-# ${escapeMarkdown(text)}`)], uploads: [] };
  if (to.kind === 'interaction') {
    if (to.pressed === undefined) await api.editOriginal(answerKeyOf(to, context), content, signal);
    return undefined;
  }
  const { channelId, messageId, rights } = to;
  if (!rights.send) return undefined;
  if (shown !== undefined) {
    await api.editMessage(channelId, shown, content, signal);
    return shown;
  }
  const replyTo = rights.reply ? messageId : undefined;
  const options = { nonce: randomUUID().slice(0, 25), replyTo, isSilent: true };
  return (await api.post(channelId, content, options, signal)).id;
}

function readOutcome(error: unknown): SendFailure | undefined {
  if (error instanceof DiscordFailure) return sendOutcome(error);
  if (!(error instanceof GatewayFailure)) return undefined;
  // After the reason `token` the runtime seldom tries again: only a person can correct a token or a setting, and
  // Discord limits how often a bot may identify.
  const isSettled = error.problem === 'token' || error.problem === 'settings';
  return { outcome: 'notSent', reason: isSettled ? 'token' : 'away' };
}

/** Shows, after a short delay, that Medley is typing in a channel, until the returned function is called. */
function showTyping(api: Pick<DiscordApi, 'showTyping'>, channelId: string, log: Pick<Logger, 'debug'>): () => void {
  let timer = setTimeout(() => {
    timer = setInterval(show, TIMES.typing).unref();
    show();
  }, TIMES.firstTyping).unref();

  function show(): void {
    // The answer does not depend on the typing, so a failure to show it is not tried again.
    api.showTyping(channelId).catch((error: unknown) => {
      clearInterval(timer);
      log.debug({ err: error }, 'discord: typing could not be shown');
    });
  }

  return () => clearTimeout(timer);
}

/** Makes the function that registers the commands in the background. It never rejects. */
function createRegistration(
  { api, dispatcher, gateway, signal, log }: DiscordContext,
  records: RecordStore,
  commandIds: Pick<ReturnType<typeof createCommandIdRecord>, 'learn'>,
) {
  const menus = createRegisteredMenus(records, log);

  async function registerMenus(english: Menu): Promise<void> {
    const spoken: Menu[] = [];
    // Registering needs the texts of every language. They are loaded one by one, so that events are handled in between.
    for (const { tag } of LANGUAGES) {
      spoken.push(menuIn(loadTranslator(tag), dispatcher.commandSpecs));
      await setImmediate();
    }
    const payloads = commandPayloads(english, spoken);
    const { registered, hasChanged } = await updateCommands(api, gateway.applicationId, payloads);
    await commandIds.learn(registered);
    if (hasChanged) log.info({}, 'discord: commands were registered');
  }

  return async (): Promise<void> => {
    try {
      const english = menuIn(createTranslator(['en']), dispatcher.commandSpecs);
      const payloads = commandPayloads(english, []);
      await menus.keep(`discord:${gateway.applicationId}`, payloads, () => registerMenus(english), signal);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'discord: commands could not be registered');
    }
  };
}

const Registered = z.array(z.object({ id: z.string(), name: z.string(), type: z.number().default(1) }));
const Ids = z.record(z.string(), z.string());

/** The ids that Discord gave to commands. The process that registers the commands writes them, and all read them. */
function createCommandIdRecord(
  records: Pick<RecordStore, 'collection'>,
  state: Readonly<GatewayState>,
  log: Pick<Logger, 'info'>,
) {
  const store = records.collection({ name: 'discord-commands', schema: Ids, maxInMemory: 1 });

  return {
    /** The ids; empty while they are not known. Never rejects. */
    async current(): Promise<CommandIds> {
      try {
        return new Map(Object.entries((await store.get(state.applicationId)) ?? {}));
      } catch (error) {
        log.info({ err: error }, 'discord: the ids of the commands could not be read');
        return NO_COMMAND_IDS;
      }
    },
    /** Stores the ids that are in Discord's list of registered commands. Never rejects. */
    async learn(registered: unknown): Promise<void> {
      try {
        const slash = Registered.parse(registered).filter(({ type }) => type === ApplicationCommandType.ChatInput);
        const ids = Object.fromEntries(slash.map(({ id, name }) => [name, id]));
        if (JSON.stringify(ids) !== JSON.stringify(await store.get(state.applicationId)))
          await store.set(state.applicationId, ids);
      } catch (error) {
        log.info({ err: error }, 'discord: the ids of the commands could not be kept');
      }
    },
  };
}
