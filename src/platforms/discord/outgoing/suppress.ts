import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { TIMES, WORK } from '../limits.ts';
import type { DiscordApi } from './discord-api.ts';

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
  const later = new Map<string, NodeJS.Timeout>();

  async function hide({ channelId, messageId, flags }: SourceMessage): Promise<void> {
    await api.suppressEmbeds(channelId, messageId, flags);
  }

  function hideLater(message: SourceMessage): void {
    const timer = setTimeout(() => {
      later.delete(message.messageId);
      hide(message).catch(onFailure);
    }, TIMES.usualEmbed);
    timer.unref();
    later.set(message.messageId, timer);
  }

  return {
    async suppress(message) {
      if (hearsUpdates()) watched.set(message.messageId, { message, repeats: 0 });
      else hideLater(message);
      await hide(message);
    },
    async restore({ channelId, messageId }) {
      watched.delete(messageId);
      clearTimeout(later.get(messageId));
      later.delete(messageId);
      await api.restoreEmbeds(channelId, messageId);
    },
    async onUpdate({ messageId, flags, hasEmbeds }) {
      const known = watched.get(messageId);
      if (!known || !hasEmbeds || (flags & MessageFlags.SuppressEmbeds) !== 0 || known.repeats >= MAX_REPEATS) return;
      known.repeats += 1;
      await hide({ ...known.message, flags });
    },
    close() {
      for (const timer of later.values()) clearTimeout(timer);
      later.clear();
    },
  };
}
