import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type { ChatPlatform, Sending } from '../contract/chat-platform.ts';

/** A message to be deleted. `at`: when, unix milliseconds. */
const Deletion = z.object({ platform: z.string(), chatId: z.string(), messageId: z.string(), at: z.number() });
type Deletion = z.output<typeof Deletion>;

/**
 * The stored deletions, by platform; kept longer than the longest wait, in case the next start is late. There is room
 * for all messages of some hours, because the oldest ones, which are deleted next, would be left out first.
 */
export const DELETIONS = { name: 'leaving-messages', schema: Deletion, ttlMs: 24 * 3_600_000, maxRecords: 50_000 };

const MOST_TRIES = 3;
const RETRY_MS = 60_000;
/** How many messages wait with a timer of this process. All others are only stored until half of these are deleted. */
const MAX_WAITING = 5_000;

export type Deletions = ReturnType<typeof createDeletions>;

/**
 * Messages of Medley that are to be deleted after a while. They are stored, so that they are deleted even if this
 * process ends; a message stays only if the process dies between sending and storing.
 * @param records absent where nothing can be stored
 */
export function createDeletions(
  platforms: readonly Pick<ChatPlatform, 'id' | 'deleteMessage'>[],
  records: RecordStore | undefined,
  log: Pick<Logger, 'debug' | 'info'>,
  now: () => number,
) {
  const stored = records?.groupedCollection(DELETIONS);
  const waiting = new Map<string, NodeJS.Timeout>();
  /** Keys of the messages that are stored, from which any process may take them to let them stay. */
  const written = new Set<string>();
  const underway = new Set<Promise<void>>();
  /** True when messages may be stored for which there was no timer. */
  let isMoreStored = false;
  let isClosed = false;

  function own(work: Promise<void>): void {
    const owned = work
      .catch((error: unknown) => log.info({ err: error }, 'what is to be deleted later could not be written down'))
      .finally(() => underway.delete(owned));
    underway.add(owned);
  }

  /** Deletes the message at its time; false when there are too many timers for another one. */
  function schedule(message: Deletion, tries = 0): boolean {
    const key = keyOf(message);
    if (isClosed || waiting.has(key)) return true;
    if (waiting.size >= MAX_WAITING) return false;
    const timer = setTimeout(
      () => {
        waiting.delete(key);
        own(remove(message, tries));
        if (isMoreStored && waiting.size <= MAX_WAITING / 2) own(resume());
      },
      Math.max(0, message.at - now()),
    );
    timer.unref();
    waiting.set(key, timer);
    return true;
  }

  /** Plans the stored deletions that have no timer. Never rejects. */
  async function resume(): Promise<void> {
    isMoreStored = false;
    for (const { id } of platforms) {
      try {
        for (const message of (await stored?.listGroup(id)) ?? []) {
          written.add(keyOf(message));
          // A full list may lack some messages, so the store is read again also when all of the list have timers.
          if (!schedule(message) || waiting.size >= MAX_WAITING) isMoreStored = true;
        }
      } catch (error) {
        log.info({ err: error, platform: id }, 'notices that are still to be deleted could not be read');
      }
    }
  }

  async function remove(message: Deletion, tries: number): Promise<void> {
    const { platform, chatId, messageId } = message;
    const key = keyOf(message);
    try {
      if (written.delete(key) && (await stored?.get(key)) === undefined) return;
      await platforms.find(({ id }) => id === platform)?.deleteMessage?.(chatId, messageId);
    } catch (error) {
      log.debug({ err: error, platform }, 'a notice could not be deleted');
      if (tries + 1 < MOST_TRIES) {
        if (!schedule({ ...message, at: now() + RETRY_MS }, tries + 1)) isMoreStored = true;
        return;
      }
    }
    await stored?.delete(key, platform);
  }

  return {
    /**
     * Plans to delete messages on a platform. A message that still cannot be deleted after a few tries, a minute apart,
     * stays.
     */
    deleteLater(platform: string, ...[chatId, messageIds, afterMs]: Parameters<Sending['deleteLater']>): void {
      for (const messageId of messageIds) {
        const message = { platform, chatId, messageId, at: now() + afterMs };
        const key = keyOf(message);
        const hasTimer = schedule(message);
        if (stored === undefined) continue;
        const note = () => {
          written.add(key);
          if (!hasTimer) isMoreStored = true;
        };
        own(stored.set(key, message, platform).then(note));
      }
    },
    /** Lets a message stay; resolves with true if it was to be deleted. Never rejects. */
    async keep(platform: string, chatId: string, messageId: string): Promise<boolean> {
      const key = keyOf({ platform, chatId, messageId });
      const timer = waiting.get(key);
      clearTimeout(timer);
      waiting.delete(key);
      written.delete(key);
      try {
        const isStored = (await stored?.get(key)) !== undefined;
        if (isStored) await stored?.delete(key, platform);
        return isStored || timer !== undefined;
      } catch (error) {
        log.info({ err: error }, 'a message that is to stay could not be written down');
        return timer !== undefined;
      }
    },
    /** Takes over the planned deletions of earlier processes. Never rejects. */
    resume,
    /** Stops deleting and leaves the rest to the next process. Resolves when no deletion is running. */
    async close(): Promise<void> {
      isClosed = true;
      for (const timer of waiting.values()) clearTimeout(timer);
      waiting.clear();
      await Promise.all(underway);
    },
  };
}

function keyOf({ platform, chatId, messageId }: Omit<Deletion, 'at'>): string {
  return `${platform}:${chatId}:${messageId}`;
}
