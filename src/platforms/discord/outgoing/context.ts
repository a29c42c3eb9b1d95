import { type Client, MessageFlags } from 'discord.js';
import * as z from 'zod';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { ViewHistory } from '../../../bot/stores/buttons.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import type { Logger } from '../../../infra/log.ts';
import type { CollectionOptions, RecordStore } from '../../../infra/store/records.ts';
import type { Delivery } from '../../../media/delivery/delivery.ts';
import type { DiscordApi } from '../api/discord-api.ts';
import { TIMES, WORK } from '../api/limits.ts';
import { DiscordFailure } from '../api/send-failure.ts';
import type { CommandIds } from '../render/markdown-text.ts';

/** The state of the gateway, which is kept from one connection to the next. */
export interface GatewayState {
  /** The client of discord.js; undefined while there is no connection. */
  client: Client<true> | undefined;
  /** The application's id: at first as the token states it, then as the gateway reports it. */
  applicationId: string;
  /** False when messages in servers come without their text. */
  readsMessages: boolean;
}

/** The parts of the platform that reading events and sending replies share. */
export interface DiscordContext {
  readonly api: DiscordApi;
  readonly dispatcher: Pick<Dispatcher, 'read' | 'translator' | 'suggestOption' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly commandIds: { current(): Promise<CommandIds> };
  readonly parts: AnswerParts;
  readonly history: ViewHistory;
  readonly embeds: EmbedSuppression;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
  /** Aborts when no more answers may be sent. */
  readonly signal: AbortSignal;
  readonly gateway: Readonly<GatewayState>;
}

/** The part of the context that the sending of replies needs. */
export type SendContext = Pick<
  DiscordContext,
  'api' | 'delivery' | 'commandIds' | 'gateway' | 'parts' | 'history' | 'embeds' | 'log'
>;

interface EmbedMessage {
  readonly channelId: string;
  readonly messageId: string;
  /** The flags that the message has now. */
  readonly flags: number;
}

/** How often embeds of one message are hidden again: Discord may add the embeds of its links one after the other. */
const MAX_REPEATS = 3;

type EmbedSuppression = ReturnType<typeof createEmbedSuppression>;

/** Hides the embeds of answered messages, including those that Discord adds later. */
export function createEmbedSuppression({
  api,
  log,
  now,
  gateway,
}: Pick<DiscordContext, 'api' | 'log' | 'now' | 'gateway'>) {
  const watched = createLru<string, { readonly message: EmbedMessage; repeats: number }>({
    max: WORK.suppressed,
    ttl: TIMES.lateEmbed,
    perf: { now },
  });
  const underway = new Set<Promise<void>>();
  /** The timers of attempts to come, each with the id of its message. */
  const later = new Map<NodeJS.Timeout, string>();
  let isClosed = false;

  /** Hides embeds. When Discord asks to wait, tries again after that, but not after `until` (unix milliseconds). */
  function hide(message: EmbedMessage, until = now() + TIMES.hiding): void {
    const work = api
      .suppressEmbeds(message.channelId, message.messageId, message.flags)
      .catch((error: unknown) => {
        const waitMs = error instanceof DiscordFailure ? error.retryAfterMs : undefined;
        const isInTime = waitMs !== undefined && now() + waitMs <= until;
        if (isInTime && later.size < WORK.suppressed && !isClosed) hideLater(message, waitMs, until);
        else log.info({ err: error }, 'discord: an embed could not be hidden');
      })
      .finally(() => underway.delete(work));
    underway.add(work);
  }

  function hideLater(message: EmbedMessage, afterMs: number, until?: number): void {
    const timer = setTimeout(() => {
      later.delete(timer);
      hide(message, until);
    }, afterMs).unref();
    later.set(timer, message.messageId);
  }

  return {
    suppress(message: EmbedMessage): void {
      // Only a process with a gateway connection hears of later embeds; others hide them once more after a few seconds.
      if (gateway.client !== undefined) watched.set(message.messageId, { message, repeats: 0 });
      else hideLater(message, TIMES.usualEmbed);
      hide(message);
    },
    /** Shows the embeds of a message again. @throws DiscordFailure */
    async restore({ channelId, messageId }: Pick<EmbedMessage, 'channelId' | 'messageId'>): Promise<void> {
      watched.delete(messageId);
      for (const [timer, id] of later) if (id === messageId && later.delete(timer)) clearTimeout(timer);
      await api.restoreEmbeds(channelId, messageId);
    },
    /** Called with every MESSAGE_UPDATE that has embeds. */
    onUpdate({ messageId, flags }: Pick<EmbedMessage, 'messageId' | 'flags'>): void {
      const known = watched.get(messageId);
      if (!known || (flags & MessageFlags.SuppressEmbeds) !== 0 || known.repeats >= MAX_REPEATS) return;
      known.repeats += 1;
      hide({ ...known.message, flags });
    },
    /** Resolves when all hiding has ended. */
    async close(): Promise<void> {
      isClosed = true;
      for (const timer of later.keys()) clearTimeout(timer);
      await Promise.all(underway);
    },
  };
}

const Ids = z.array(z.string());
const LIFE_MS = 90 * 24 * 3_600_000;
const MAX_ANSWERS = 100_000;
export const ANSWER_PARTS = {
  name: 'discord-answers',
  schema: Ids,
  ttlMs: LIFE_MS,
  maxRecords: MAX_ANSWERS,
} as const satisfies CollectionOptions<string[]>;

/** The most messages of an answer that are remembered. An answer of twenty galleries with twenty files has fewer. */
const MAX_PARTS = 100;

export type AnswerParts = ReturnType<typeof createAnswerParts>;

/** Remembers the messages of answers that have several, so that all can be deleted together. Never rejects. */
export function createAnswerParts(records: Pick<RecordStore, 'collection'>, log: Pick<Logger, 'info'>) {
  const store = records.collection(ANSWER_PARTS);

  return {
    /** The ids of the answer's messages in order; empty for an answer of one message. */
    async of(answerId: string): Promise<readonly string[]> {
      const known = await store.get(answerId).catch((error: unknown) => {
        log.info({ err: error }, 'discord: the parts of an answer could not be read');
      });
      return known ?? [];
    },
    async add(answerId: string, messageIds: readonly string[]): Promise<void> {
      try {
        const known = (await store.get(answerId)) ?? [];
        const all = [...new Set([...known, ...messageIds])];
        if (all.length > known.length) await store.set(answerId, all.slice(-MAX_PARTS));
      } catch (error) {
        log.info({ err: error }, 'discord: the parts of an answer could not be noted');
      }
    },
  };
}
