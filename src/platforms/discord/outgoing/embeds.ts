import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import type { DiscordApi } from '../api/discord-api.ts';
import { TIMES, WORK } from '../api/limits.ts';
import { SendFailure } from '../api/send-failure.ts';

export interface SourceMessage {
  readonly channelId: string;
  readonly messageId: string;
  /** Those it has. */
  readonly flags: number;
}

/** Hides the embed of messages that were answered, also when Discord makes it later. */
export interface EmbedSuppression {
  suppress(message: SourceMessage): Promise<void>;
  /** Shows it again. */
  restore(message: Pick<SourceMessage, 'channelId' | 'messageId'>): Promise<void>;
  /** On every MESSAGE_UPDATE; resolves at once for messages that are none of its own. */
  onUpdate(update: { readonly messageId: string; readonly flags: number; readonly hasEmbeds: boolean }): Promise<void>;
  close(): void;
}

export interface EmbedSuppressionOptions {
  readonly api: Pick<DiscordApi, 'suppressEmbeds' | 'restoreEmbeds'>;
  readonly now: () => number;
  /** Whether this process is told of updates; where it is not, embeds are hidden once more when they mostly have come. */
  readonly hearsUpdates: () => boolean;
  readonly onFailure: (error: unknown) => void;
}

/** Embeds may come in pieces, one update for each link. */
const MAX_REPEATS = 3;

export function createEmbedSuppression(options: EmbedSuppressionOptions): EmbedSuppression {
  const { api, now, hearsUpdates, onFailure } = options;
  const watched = new LRUCache<string, { readonly message: SourceMessage; repeats: number }>({
    max: WORK.suppressed,
    ttl: TIMES.lateEmbed,
    perf: { now },
  });
  const later = new Map<string, Set<NodeJS.Timeout>>();
  let isClosed = false;

  /** Where Discord wants it later, it is done later, as long as that is of any use. */
  async function hide(message: SourceMessage, until = now() + TIMES.hiding): Promise<void> {
    try {
      await api.suppressEmbeds(message.channelId, message.messageId, message.flags);
    } catch (error) {
      const waitMs = error instanceof SendFailure ? error.retryAfterMs : undefined;
      if (waitMs === undefined || now() + waitMs > until || later.size >= WORK.suppressed || isClosed) throw error;
      hideLater(message, waitMs, until);
    }
  }

  function hideLater(message: SourceMessage, afterMs: number, until?: number): void {
    const { messageId } = message;
    const timers = later.get(messageId) ?? new Set();
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (timers.size === 0) later.delete(messageId);
      hide(message, until).catch(onFailure);
    }, afterMs);
    timer.unref();
    later.set(messageId, timers.add(timer));
  }

  function forget(messageId: string): void {
    for (const timer of later.get(messageId) ?? []) clearTimeout(timer);
    later.delete(messageId);
  }

  return {
    async suppress(message) {
      if (hearsUpdates()) watched.set(message.messageId, { message, repeats: 0 });
      else hideLater(message, TIMES.usualEmbed);
      await hide(message);
    },
    async restore({ channelId, messageId }) {
      watched.delete(messageId);
      forget(messageId);
      await api.restoreEmbeds(channelId, messageId);
    },
    async onUpdate({ messageId, flags, hasEmbeds }) {
      const known = watched.get(messageId);
      if (!known || !hasEmbeds || (flags & MessageFlags.SuppressEmbeds) !== 0 || known.repeats >= MAX_REPEATS) return;
      known.repeats += 1;
      await hide({ ...known.message, flags });
    },
    close() {
      isClosed = true;
      for (const messageId of [...later.keys()]) forget(messageId);
    },
  };
}
