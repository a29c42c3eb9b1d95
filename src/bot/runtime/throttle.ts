import { LRUCache } from 'lru-cache';
import type { Pace } from '../contract/chat-platform.ts';
import { type ChatPace, createChatPace } from './chat-pace.ts';
import { backoffMs } from './retry.ts';

/** A chat in which a request is to be answered. */
export interface ThrottledChat {
  readonly platform: string;
  readonly chatId: string;
  readonly isGroup: boolean;
}

/**
 * What a platform takes, by what this process knows: the pace of its chats, the chats that it wants to be left alone, and whether it can be
 * reached at all. A request reserves places for all messages of a reply before the reply is begun; who has to wait is told for how long and
 * has the place from then on. Times are those of a clock that is never set back.
 */
export interface Throttle {
  /**
   * Reserves so many messages for a request, or tells how many milliseconds it has to wait for them: they are kept for it under its id then.
   * @param messages 0 for what may turn out to need none
   */
  reserve(chat: ThrottledChat, id: string, messages: number): Reservation | number;
  /** Milliseconds that the chat, or its platform, must still be left alone; 0 when it need not. */
  waitMs(chat: Pick<ThrottledChat, 'platform' | 'chatId'>): number;
  /** A platform wants a chat to be left alone. The request that was told so is the first to go on, the others follow in their order. */
  holdChat(chat: ThrottledChat, id: string, ms: number): void;
  holdPlatform(platform: string, ms: number): void;
  /** A platform could not be reached: it is left alone for longer each time. */
  away(platform: string): void;
  /** Something arrived there. */
  reached(platform: string): void;
}

/** Messages that one request may put into a chat. */
export interface Reservation {
  /** Makes it so many messages that are still free; where they cannot be had now, tells how long to wait. They are kept then. */
  grow(messages: number): number;
  /**
   * Takes places, when it is time for the next message.
   * @throws Throttled when they are not to be had, and the signal's reason
   */
  take(messages: number, signal: AbortSignal): Promise<Taken>;
  /** Gives back what was not taken. Safe to call twice. */
  end(): void;
}

/** Places that a call uses. */
export interface Taken {
  /** The message has arrived, or may have: the next one counts from now. */
  arrived(): void;
  /** Nothing was put into the chat. */
  giveBack(): void;
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
  until: number;
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
  const chats = new LRUCache<string, ChatPace>({ max: MAX_CHATS });
  const platforms = new Map<string, PlatformState>();

  function platformOf(platform: string): PlatformState {
    const known = platforms.get(platform) ?? { until: Number.NEGATIVE_INFINITY, failures: 0, evenAt: 0 };
    platforms.set(platform, known);
    return known;
  }

  function chatOf({ platform, chatId, isGroup }: ThrottledChat): ChatPace {
    const key = `${platform}:${chatId}`;
    const known = chats.get(key) ?? createChatPace({ pace: paceOf(platform), isGroup, clock });
    chats.set(key, known);
    return known;
  }

  function waitMs(chat: Pick<ThrottledChat, 'platform' | 'chatId'>): number {
    const known = chats.get(`${chat.platform}:${chat.chatId}`);
    const until = Math.max(known?.heldUntil ?? 0, platforms.get(chat.platform)?.until ?? 0);
    return until - clock() > SLACK_MS ? until - clock() : 0;
  }

  /** How long all chats together keep one from sending. */
  function aheadMs(state: PlatformState): number {
    return Math.max(0, state.evenAt - clock() - SECOND_MS);
  }

  function spend(platform: string, messages: number): void {
    const pace = paceOf(platform);
    const state = platformOf(platform);
    if (pace !== undefined)
      state.evenAt = Math.max(state.evenAt, clock()) + (messages * SECOND_MS) / pace.overallPerSecond;
  }

  function reserve(chat: ThrottledChat, id: string, messages: number): Reservation | number {
    const held = waitMs(chat);
    const pace = chatOf(chat);
    const isPaced = paceOf(chat.platform) !== undefined;
    if (!isPaced || messages === 0) return held > 0 ? held : reservation(chat, pace, id, 0, isPaced);
    const wait = Math.max(held, pace.book(id, messages), aheadMs(platformOf(chat.platform)));
    if (wait > SLACK_MS) {
      pace.postpone(id, wait);
      return wait;
    }
    return reservation(chat, pace, id, pace.begin(id), isPaced);
  }

  function reservation(
    chat: ThrottledChat,
    pace: ChatPace,
    id: string,
    messages: number,
    isPaced: boolean,
  ): Reservation {
    let left = messages;
    let isOver = false;
    const { platform } = chat;

    function grow(wanted: number): number {
      if (!isPaced || isOver || wanted <= left) return 0;
      const wait = pace.extend(id, left, wanted);
      if (wait <= SLACK_MS) left = wanted;
      return wait > SLACK_MS ? wait : 0;
    }

    async function inTurn(signal: AbortSignal): Promise<void> {
      for (;;) {
        const held = waitMs(chat);
        if (held > 0) throw new Throttled(held);
        const gap = pace.gapMs();
        if (gap <= 0) return;
        await pause(gap, signal);
      }
    }

    return {
      grow,
      async take(wanted, signal) {
        if (!isPaced || wanted === 0) return UNLIMITED;
        await inTurn(signal);
        const wait = grow(wanted);
        if (wait > 0) throw new Throttled(wait);
        left -= wanted;
        spend(platform, wanted);
        const use = pace.use(id, wanted);
        return {
          arrived: use.arrived,
          giveBack() {
            use.giveBack();
            spend(platform, -wanted);
            if (!isOver) left += wanted;
          },
        };
      },
      end() {
        isOver = true;
        left = 0;
        for (const sooner of pace.end(id)) onSooner(sooner);
      },
    };
  }

  return {
    reserve,
    waitMs,
    holdChat: (chat, id, ms) => chatOf(chat).hold(ms, id),
    holdPlatform(platform, ms) {
      const known = platformOf(platform);
      known.until = Math.max(known.until, clock() + ms);
    },
    away(platform) {
      const known = platformOf(platform);
      // Those that were under way when the first failed say nothing new.
      if (clock() < known.until) return;
      known.failures += 1;
      known.until = clock() + backoffMs(known.failures, random);
    },
    reached(platform) {
      const known = platforms.get(platform);
      if (known !== undefined) known.failures = 0;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    function leave(): void {
      clearTimeout(timer);
      reject(signal.reason);
    }
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
