import { LRUCache } from 'lru-cache';

/** Chats and platforms that are left alone for a while, by what this process knows. Nothing sleeps: requests are sent back to wait. */
export interface Holds {
  /** Milliseconds that a chat must still be left alone; 0 when it need not. */
  waitMs(platform: string, chatId: string): number;
  holdChat(platform: string, chatId: string, ms: number): void;
  holdPlatform(platform: string, ms: number): void;
  /** A platform could not be reached: it is left alone for longer each time. */
  away(platform: string): void;
  /** Something arrived there. */
  reached(platform: string): void;
}

export interface HoldsOptions {
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const MAX_CHATS = 10_000;

/** Doubles from one second to a minute, and is never quite the same for two. `failures`: from 1. */
export function backoffMs(failures: number, random: () => number, longestMs: number = LONGEST_MS): number {
  return Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 20), longestMs) * (0.75 + random() / 4);
}

export function createHolds({ now, random }: HoldsOptions): Holds {
  const chats = new LRUCache<string, number>({ max: MAX_CHATS });
  const platforms = new Map<string, { until: number; failures: number }>();

  function platformOf(platform: string) {
    const known = platforms.get(platform) ?? { until: 0, failures: 0 };
    platforms.set(platform, known);
    return known;
  }

  return {
    waitMs(platform, chatId) {
      const until = Math.max(chats.get(`${platform}:${chatId}`) ?? 0, platforms.get(platform)?.until ?? 0);
      return Math.max(0, until - now());
    },
    holdChat(platform, chatId, ms) {
      const key = `${platform}:${chatId}`;
      chats.set(key, Math.max(chats.get(key) ?? 0, now() + ms));
    },
    holdPlatform(platform, ms) {
      const known = platformOf(platform);
      known.until = Math.max(known.until, now() + ms);
    },
    away(platform) {
      const known = platformOf(platform);
      // Those that were under way when the first failed say nothing new.
      if (now() < known.until) return;
      known.failures += 1;
      known.until = now() + backoffMs(known.failures, random);
    },
    reached(platform) {
      const known = platforms.get(platform);
      if (known !== undefined) known.failures = 0;
    },
  };
}
