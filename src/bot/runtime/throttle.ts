import { LRUCache } from 'lru-cache';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Pace } from '../contract/chat-platform.ts';
import { ChatSchedule, type Slot, type Taken } from './chat-schedule.ts';
import { backoffMs } from './retry.ts';

/** A chat in which a request is to be answered. */
export interface ThrottledChat {
  readonly platform: string;
  readonly chatId: string;
  readonly isGroup: boolean;
}

/**
 * What a platform takes, by what this process knows: the pace of its chats, the chats that it wants to be left alone, and whether it can be
 * reached at all. A request reserves all messages of a reply before the reply is begun; a request that has to wait is told for how long and
 * has its turn from then on. Times are those of a clock that is never set back.
 */
export interface Throttle {
  /**
   * Reserves so many messages for a request, or returns how many milliseconds it has to wait for them: they are kept for it under its id then.
   * @param messages 0 for a reply that may turn out to need none
   */
  reserve(chat: ThrottledChat, id: string, messages: number): Reservation | number;
  /** Milliseconds that the chat, or its platform, must still be left alone; 0 when it need not. */
  waitMs(chat: Pick<ThrottledChat, 'platform' | 'chatId'>): number;
  /** A platform wants a chat to be left alone. The request that heard of it is the first to go on, the others follow in their order. */
  pauseChat(chat: ThrottledChat, id: string, ms: number): void;
  pausePlatform(platform: string, ms: number): void;
  /** A platform could not be reached: it is left alone for longer each time. */
  away(platform: string): void;
  /** Something arrived there. */
  reached(platform: string): void;
}

/** Messages that one request may send to a chat. */
export interface Reservation {
  /** Raises the messages that may still be sent to so many; where they cannot be had now, returns how long to wait. They are kept then. */
  grow(messages: number): number;
  /**
   * Waits until the next message may be sent, and uses up some of the reservation.
   * @throws Throttled when it takes too long, and the signal's reason
   */
  take(messages: number, signal: AbortSignal): Promise<Taken>;
  /** Gives back what was not taken. Safe to call twice. */
  end(): void;
}

/** Nothing was sent, so as not to be faster than the platform takes it. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`to be sent in ${Math.ceil(waitMs)} ms`);
    this.waitMs = waitMs;
  }
}

export interface ThrottleOptions {
  /** Milliseconds since any moment, by a clock that nobody sets. */
  readonly clock: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Undefined for a platform that says itself when it is too much. */
  readonly paceOf: (platform: string) => Pace | undefined;
  /** A request that was told to wait need not wait so long any more. */
  readonly onSooner: (id: string) => void;
}

interface PlatformState {
  pausedUntil: number;
  failures: number;
  /** When all messages would have been sent at an even pace: it may run ahead of the clock by a second. */
  evenAt: number;
}

const MAX_CHATS = 10_000;
const SECOND_MS = 1_000;
/** Timers are that inexact. */
const SLACK_MS = 5;

const UNLIMITED: Taken = { arrived: () => undefined, giveBack: () => undefined };

export function createThrottle({ clock, random, paceOf, onSooner }: ThrottleOptions): Throttle {
  const chats = new LRUCache<string, ChatSchedule>({ max: MAX_CHATS });
  const platforms = new Map<string, PlatformState>();

  function platformOf(platform: string): PlatformState {
    const known = platforms.get(platform) ?? { pausedUntil: Number.NEGATIVE_INFINITY, failures: 0, evenAt: 0 };
    platforms.set(platform, known);
    return known;
  }

  function chatOf({ platform, chatId, isGroup }: ThrottledChat): ChatSchedule {
    const key = `${platform}:${chatId}`;
    const known = chats.get(key) ?? new ChatSchedule(paceOf(platform), isGroup, clock);
    chats.set(key, known);
    return known;
  }

  function waitMs({ platform, chatId }: Pick<ThrottledChat, 'platform' | 'chatId'>): number {
    const until = Math.max(
      chats.get(`${platform}:${chatId}`)?.pausedUntil ?? 0,
      platforms.get(platform)?.pausedUntil ?? 0,
    );
    return until - clock() > SLACK_MS ? until - clock() : 0;
  }

  function spend(platform: string, messages: number): void {
    const pace = paceOf(platform);
    const state = platformOf(platform);
    if (pace !== undefined)
      state.evenAt = Math.max(state.evenAt, clock()) + (messages * SECOND_MS) / pace.overallPerSecond;
  }

  function reserve(chat: ThrottledChat, id: string, messages: number): Reservation | number {
    const pausedMs = waitMs(chat);
    const schedule = chatOf(chat);
    const isPaced = paceOf(chat.platform) !== undefined;
    if (!isPaced || messages === 0) return pausedMs > 0 ? pausedMs : reservation(chat, schedule, schedule.open(id));
    const slot = schedule.book(id, messages);
    const aheadMs = platformOf(chat.platform).evenAt - clock() - SECOND_MS;
    const wait = Math.max(pausedMs, slot.at - clock(), aheadMs);
    if (wait <= SLACK_MS) return reservation(chat, schedule, schedule.begin(slot));
    slot.at = Math.max(slot.at, clock() + wait);
    return wait;
  }

  function reservation(chat: ThrottledChat, schedule: ChatSchedule, slot: Slot): Reservation {
    const isPaced = paceOf(chat.platform) !== undefined;
    let isOver = false;

    function grow(wanted: number): number {
      if (!isPaced || isOver || wanted <= slot.messages) return 0;
      const wait = schedule.grow(slot, wanted);
      return wait > SLACK_MS ? wait : 0;
    }

    async function nextMessage(signal: AbortSignal): Promise<void> {
      for (;;) {
        const pausedMs = waitMs(chat);
        if (pausedMs > 0) throw new Throttled(pausedMs);
        const gap = schedule.gapMs();
        if (gap <= 0) return;
        await abortable(new Promise(resolve => setTimeout(resolve, gap)), signal);
      }
    }

    return {
      grow,
      async take(wanted, signal) {
        if (!isPaced || wanted === 0) return UNLIMITED;
        await nextMessage(signal);
        const wait = grow(wanted);
        if (wait > 0) throw new Throttled(wait);
        spend(chat.platform, wanted);
        const taken = schedule.use(slot, wanted);
        return {
          arrived: taken.arrived,
          giveBack() {
            taken.giveBack();
            spend(chat.platform, -wanted);
          },
        };
      },
      end() {
        if (!isOver) for (const sooner of schedule.end(slot)) onSooner(sooner);
        isOver = true;
      },
    };
  }

  return {
    reserve,
    waitMs,
    pauseChat: (chat, id, ms) => chatOf(chat).pause(ms, id),
    pausePlatform(platform, ms) {
      const known = platformOf(platform);
      known.pausedUntil = Math.max(known.pausedUntil, clock() + ms);
    },
    away(platform) {
      const known = platformOf(platform);
      // Calls that were under way when the first failed say nothing new.
      if (clock() < known.pausedUntil) return;
      known.failures += 1;
      known.pausedUntil = clock() + backoffMs(known.failures, random);
    },
    reached(platform) {
      const known = platforms.get(platform);
      if (known !== undefined) known.failures = 0;
    },
  };
}
