import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { ChatPlatform } from '../contract/chat-platform.ts';

export interface LeavingMessage {
  readonly platform: string;
  readonly chatId: string;
  readonly messageId: string;
  /** When it is deleted, unix milliseconds. */
  readonly at: number;
}

/**
 * Messages of Medley's own that are deleted after a while. They are written down, so that a process that ends before does not leave them
 * there; only one that ends within the moment between sending a message and writing that down does.
 */
export interface LeavingMessages {
  /** Never rejects; a message that cannot be deleted within minutes of its time stays. */
  add(message: LeavingMessage): void;
  /** Takes up what earlier processes have left. Never rejects. */
  resume(): Promise<void>;
  /** Nothing is deleted any more; what is left is for the next process. Resolves when nothing is under way. */
  close(): Promise<void>;
}

export interface LeavingMessagesOptions {
  readonly platforms: readonly Pick<ChatPlatform, 'id' | 'deleteMessage'>[];
  /** Absent where nothing can be written down. */
  readonly records: RecordStore | undefined;
  readonly log: Pick<Logger, 'debug' | 'info'>;
  readonly now: () => number;
}

const Stored = z.object({ platform: z.string(), chatId: z.string(), messageId: z.string(), at: z.number() });

/** By platform. They live longer than the longest wait, for a start that comes late. */
export const LEAVING_MESSAGES = {
  name: 'leaving-messages',
  schema: Stored,
  ttlMs: 24 * 3_600_000,
  maxRecords: 5_000,
} as const satisfies CollectionOptions<LeavingMessage>;

const MOST_TRIES = 3;
const RETRY_MS = 60_000;
const MAX_WAITING = 5_000;

export function createLeavingMessages({ platforms, records, log, now }: LeavingMessagesOptions): LeavingMessages {
  const stored = records?.groupedCollection<LeavingMessage>(LEAVING_MESSAGES);
  const waiting = new Map<string, NodeJS.Timeout>();
  const underway = new Set<Promise<void>>();
  let isClosed = false;

  function own(work: Promise<void>): void {
    const owned = work
      .catch((error: unknown) => log.info({ err: error }, 'what is to be deleted later could not be written down'))
      .finally(() => underway.delete(owned));
    underway.add(owned);
  }

  function schedule(message: LeavingMessage, tries = 0): void {
    const key = keyOf(message);
    if (isClosed || waiting.has(key) || waiting.size >= MAX_WAITING) return;
    const timer = setTimeout(
      () => {
        waiting.delete(key);
        own(remove(message, tries));
      },
      Math.max(0, message.at - now()),
    );
    timer.unref();
    waiting.set(key, timer);
  }

  async function remove(message: LeavingMessage, tries: number): Promise<void> {
    const { platform, chatId, messageId } = message;
    try {
      await platforms.find(({ id }) => id === platform)?.deleteMessage?.(chatId, messageId);
    } catch (error) {
      log.debug({ err: error, platform }, 'a notice could not be deleted');
      if (tries + 1 < MOST_TRIES) return schedule({ ...message, at: now() + RETRY_MS }, tries + 1);
    }
    await stored?.delete(keyOf(message), platform);
  }

  return {
    add(message) {
      schedule(message);
      if (stored !== undefined) own(stored.set(keyOf(message), message, message.platform));
    },
    async resume() {
      for (const { id } of platforms) {
        try {
          for (const message of (await stored?.listGroup(id)) ?? []) schedule(message);
        } catch (error) {
          log.info({ err: error, platform: id }, 'notices that are still to be deleted could not be read');
        }
      }
    },
    async close() {
      isClosed = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      waiting.clear();
      await Promise.all(underway);
    },
  };
}

function keyOf({ platform, chatId, messageId }: LeavingMessage): string {
  return `${platform}:${chatId}:${messageId}`;
}
