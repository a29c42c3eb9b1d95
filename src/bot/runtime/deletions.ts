import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { GroupedCollection, RecordStore } from '../../infra/store/records.ts';
import type { ChatPlatform, Sending } from '../contract/chat-platform.ts';

/** A message to be deleted. `at`: when, unix milliseconds. */
const Deletion = z.object({ platform: z.string(), chatId: z.string(), messageId: z.string(), at: z.number() });
type Deletion = z.output<typeof Deletion>;

/**
 * The stored deletions, by platform; kept longer than the longest wait, in case the next start is late. There is room
 * for the messages of several hours: with less room the store would drop the oldest records, whose messages are due
 * next.
 */
export const DELETIONS = { name: 'leaving-messages', schema: Deletion, ttlMs: 24 * 3_600_000, maxRecords: 50_000 };

const MOST_TRIES = 3;
const RETRY_MS = 60_000;
/** The most messages with a timer in this process; further ones are only stored until half of these are deleted. */
const MAX_WAITING = 5_000;

/**
 * Messages of Medley that are to be deleted after a while. They are stored, so that they are deleted even if this
 * process ends; a message stays only if the process dies between sending and storing.
 */
export class Deletions {
  readonly #platforms: readonly Pick<ChatPlatform, 'id' | 'deleteMessage'>[];
  readonly #stored: GroupedCollection<Deletion> | undefined;
  readonly #log: Pick<Logger, 'debug' | 'info'>;
  readonly #now: () => number;
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  /**
   * Keys of the messages that this process knows to be in the store. If the record of one is gone when the message is
   * due, another process has decided that the message stays.
   */
  readonly #written = new Set<string>();
  readonly #underway = new Set<Promise<void>>();
  /** True when the store may hold messages for which there was no timer left. */
  #isMoreStored = false;
  #isClosed = false;

  /** @param records absent where nothing can be stored */
  constructor(
    platforms: readonly Pick<ChatPlatform, 'id' | 'deleteMessage'>[],
    records: RecordStore | undefined,
    log: Pick<Logger, 'debug' | 'info'>,
    now: () => number,
  ) {
    this.#platforms = platforms;
    this.#stored = records?.groupedCollection(DELETIONS);
    this.#log = log;
    this.#now = now;
  }

  /**
   * Plans to delete messages on a platform. A message that still cannot be deleted after a few tries, a minute apart,
   * stays.
   */
  deleteLater(platform: string, ...[chatId, messageIds, afterMs]: Parameters<Sending['deleteLater']>): void {
    for (const messageId of messageIds) {
      const message = { platform, chatId, messageId, at: this.#now() + afterMs };
      const key = keyOf(message);
      const hasTimer = this.#schedule(message);
      if (this.#stored === undefined) continue;
      const note = () => {
        this.#written.add(key);
        if (!hasTimer) this.#isMoreStored = true;
      };
      this.#own(this.#stored.set(key, message, platform).then(note));
    }
  }

  /** Lets a message stay; resolves with true if it was to be deleted. Never rejects. */
  async keep(platform: string, chatId: string, messageId: string): Promise<boolean> {
    const key = keyOf({ platform, chatId, messageId });
    const timer = this.#waiting.get(key);
    clearTimeout(timer);
    this.#waiting.delete(key);
    this.#written.delete(key);
    try {
      const isStored = (await this.#stored?.get(key)) !== undefined;
      if (isStored) await this.#stored?.delete(key, platform);
      return isStored || timer !== undefined;
    } catch (error) {
      this.#log.info({ err: error }, 'a message that is to stay could not be written down');
      return timer !== undefined;
    }
  }

  /** Takes over planned deletions: those of earlier processes, and stored ones that got no timer. Never rejects. */
  async resume(): Promise<void> {
    this.#isMoreStored = false;
    for (const { id } of this.#platforms) {
      try {
        for (const message of (await this.#stored?.listGroup(id)) ?? []) {
          this.#written.add(keyOf(message));
          // Once all timers are in use, messages without a timer may be left in the store, so it is read again later.
          if (!this.#schedule(message) || this.#waiting.size >= MAX_WAITING) this.#isMoreStored = true;
        }
      } catch (error) {
        this.#log.info({ err: error, platform: id }, 'notices that are still to be deleted could not be read');
      }
    }
  }

  /** Stops deleting and leaves the rest to the next process. Resolves when no deletion is running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
    await Promise.all(this.#underway);
  }

  /** Deletes the message at its time; false when there are too many timers for another one. */
  #schedule(message: Deletion, tries = 0): boolean {
    const key = keyOf(message);
    if (this.#isClosed || this.#waiting.has(key)) return true;
    if (this.#waiting.size >= MAX_WAITING) return false;
    const timer = setTimeout(
      () => {
        this.#waiting.delete(key);
        this.#own(this.#remove(message, tries));
        if (this.#isMoreStored && this.#waiting.size <= MAX_WAITING / 2) this.#own(this.resume());
      },
      Math.max(0, message.at - this.#now()),
    );
    timer.unref();
    this.#waiting.set(key, timer);
    return true;
  }

  async #remove(message: Deletion, tries: number): Promise<void> {
    const { platform, chatId, messageId } = message;
    const key = keyOf(message);
    try {
      if (this.#written.delete(key) && (await this.#stored?.get(key)) === undefined) return;
      await this.#platforms.find(({ id }) => id === platform)?.deleteMessage?.(chatId, messageId);
    } catch (error) {
      this.#log.debug({ err: error, platform }, 'a notice could not be deleted');
      if (tries + 1 < MOST_TRIES) {
        if (!this.#schedule({ ...message, at: this.#now() + RETRY_MS }, tries + 1)) this.#isMoreStored = true;
        return;
      }
    }
    await this.#stored?.delete(key, platform);
  }

  #own(work: Promise<void>): void {
    const owned = work
      .catch((error: unknown) =>
        this.#log.info({ err: error }, 'what is to be deleted later could not be written down'),
      )
      .finally(() => this.#underway.delete(owned));
    this.#underway.add(owned);
  }
}

function keyOf({ platform, chatId, messageId }: Omit<Deletion, 'at'>): string {
  return `${platform}:${chatId}:${messageId}`;
}
