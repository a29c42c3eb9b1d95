import { MessageFlags } from 'discord.js';
import { LRUCache } from 'lru-cache';
import { TIMES, WORK } from '../limits.ts';
import type { Sender } from './send.ts';

export interface SourceMessage {
  readonly channelId: string;
  readonly messageId: string;
  /** Those it has. */
  readonly flags: number;
}

/** Hides the embed of messages that were answered, also when Discord makes it later. */
export interface EmbedSuppression {
  suppress(message: SourceMessage): Promise<void>;
  /** On every MESSAGE_UPDATE; resolves at once for messages that are none of its own. */
  onUpdate(update: { readonly messageId: string; readonly flags: number; readonly hasEmbeds: boolean }): Promise<void>;
}

/** Embeds may come in pieces, one update for each link. */
const MAX_REPEATS = 3;

export function createEmbedSuppression({
  sender,
  now,
}: {
  readonly sender: Pick<Sender, 'suppressEmbeds'>;
  readonly now: () => number;
}): EmbedSuppression {
  const watched = new LRUCache<string, { readonly message: SourceMessage; repeats: number }>({
    max: WORK.suppressed,
    ttl: TIMES.lateEmbed,
    perf: { now },
  });

  async function hide({ channelId, messageId, flags }: SourceMessage): Promise<void> {
    await sender.suppressEmbeds(channelId, messageId, flags);
  }

  return {
    async suppress(message) {
      watched.set(message.messageId, { message, repeats: 0 });
      await hide(message);
    },
    async onUpdate({ messageId, flags, hasEmbeds }) {
      const known = watched.get(messageId);
      if (!known || !hasEmbeds || (flags & MessageFlags.SuppressEmbeds) !== 0 || known.repeats >= MAX_REPEATS) return;
      known.repeats += 1;
      await hide({ ...known.message, flags });
    },
  };
}
