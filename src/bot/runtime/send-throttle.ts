import { createLru } from '../../infra/cache/cache.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import type { Pace } from '../contract/chat-platform.ts';
import { ChatSchedule, type Slot, type Taken } from './chat-schedule.ts';
import { backoffMs } from './retry-gate.ts';

/** A chat in which a request will be answered. */
export interface ThrottledChat {
  readonly platform: string;
  readonly chatId: string;
  readonly isGroup: boolean;
}

/** Thrown before anything is sent, because sending would exceed the platform's rate limit. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(`to be sent in ${Math.ceil(waitMs)} ms`);
    this.waitMs = waitMs;
  }
}

/** Messages that one request may send to a chat. */
export interface Reservation {
  /**
   * Enlarges the reservation to that many messages. If the rate limit does not allow them now, reserves them
   * and returns how long to wait.
   */
  grow(messages: number): number;
  /**
   * Waits until the next messages may be sent, and uses them up.
   * @throws Throttled when it would take too long, and the signal's reason
   */
  take(messages: number, signal: AbortSignal): Promise<Taken>;
  /** Gives back the unused messages. Safe to call twice. */
  end(): void;
}

export interface SendThrottleOptions {
  /** A monotonic clock, in milliseconds. */
  readonly clock: () => number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  /** The platform's rate limits; undefined for a platform that says itself when there are too many messages. */
  readonly paceOf: (platform: string) => Pace | undefined;
  /** Called when a waiting request can run earlier than planned. */
  readonly onSooner: (id: string) => void;
}

interface PlatformState {
  pausedUntil: number;
  failures: number;
  /**
   * The time at which the last message would have been sent if all had been sent at the greatest even rate that the
   * platform allows; at most a second ahead of the clock.
   */
  evenAt: number;
}

const MAX_CHATS = 10_000;
const SECOND_MS = 1_000;
/** A shorter wait counts as none, because timers are about as inexact as this. */
const SLACK_MS = 5;

const UNCOUNTED: Taken = { arrived: () => undefined, giveBack: () => undefined };
/** The reservation on a platform that states no rate limits. */
const UNLIMITED: Reservation = { grow: () => 0, take: async () => UNCOUNTED, end: () => undefined };

/**
 * Keeps the platforms' rate limits, as far as this process knows, and the pauses of chats and platforms. A request
 * reserves all messages of a reply before the first is sent; a request that has to wait learns for how long, and keeps
 * its position. Times are those of a monotonic clock.
 */
export class SendThrottle {
  readonly #options: SendThrottleOptions;
  readonly #chats = createLru<string, ChatSchedule>({ max: MAX_CHATS });
  readonly #platforms = new Map<string, PlatformState>();

  constructor(options: SendThrottleOptions) {
    this.#options = options;
  }

  /**
   * Reserves messages for a request. If the request has to wait, returns for how many milliseconds, and keeps the
   * reservation under the request's id.
   * @param messages 0 for a reply that may need none
   */
  reserve(chat: ThrottledChat, id: string, messages: number): Reservation | number {
    const { clock, paceOf } = this.#options;
    const pausedMs = this.waitMs(chat);
    if (paceOf(chat.platform) === undefined) return pausedMs > 0 ? pausedMs : UNLIMITED;
    const schedule = this.#chat(chat);
    if (messages === 0) return pausedMs > 0 ? pausedMs : this.#reservation(chat, schedule, schedule.open(id));
    const slot = schedule.book(id, messages);
    const aheadMs = this.#platform(chat.platform).evenAt - clock() - SECOND_MS;
    const wait = Math.max(pausedMs, slot.at - clock(), aheadMs);
    if (wait <= SLACK_MS) return this.#reservation(chat, schedule, schedule.begin(slot));
    slot.at = Math.max(slot.at, clock() + wait);
    return wait;
  }

  /** Milliseconds for which nothing may be sent to the chat or its platform; 0 when sending is allowed. */
  waitMs({ platform, chatId }: Pick<ThrottledChat, 'platform' | 'chatId'>): number {
    const chatUntil = this.#chats.get(`${platform}:${chatId}`)?.pausedUntil ?? 0;
    const until = Math.max(chatUntil, this.#platforms.get(platform)?.pausedUntil ?? 0);
    const ms = until - this.#options.clock();
    return ms > SLACK_MS ? ms : 0;
  }

  /** Pauses a chat, as the platform demands. The request that met the limit goes first afterwards. */
  pauseChat(chat: ThrottledChat, id: string, ms: number): void {
    this.#chat(chat).pause(ms, id);
  }

  pausePlatform(platform: string, ms: number): void {
    const state = this.#platform(platform);
    state.pausedUntil = Math.max(state.pausedUntil, this.#options.clock() + ms);
  }

  /** To be called when the platform could not be reached; it is paused, longer each time. */
  away(platform: string): void {
    const { clock, random } = this.#options;
    const state = this.#platform(platform);
    // Calls that were running when the first call failed then fail for the same reason, so they do not count again.
    if (clock() < state.pausedUntil) return;
    state.failures += 1;
    state.pausedUntil = clock() + backoffMs(state.failures, random);
  }

  /** To be called when the platform accepted something, so that failures are counted anew. */
  reached(platform: string): void {
    const state = this.#platforms.get(platform);
    if (state !== undefined) state.failures = 0;
  }

  #reservation(chat: ThrottledChat, schedule: ChatSchedule, slot: Slot): Reservation {
    let isOver = false;

    function grow(messages: number): number {
      if (isOver || messages <= slot.messages) return 0;
      const wait = schedule.grow(slot, messages);
      return wait > SLACK_MS ? wait : 0;
    }

    return {
      grow,
      take: async (messages, signal) => {
        if (messages === 0) return UNCOUNTED;
        for (let gap = 1; gap > 0; ) {
          const pausedMs = this.waitMs(chat);
          if (pausedMs > 0) throw new Throttled(pausedMs);
          gap = schedule.gapMs();
          if (gap > 0) await abortable(new Promise(resolve => setTimeout(resolve, gap)), signal);
        }
        const wait = grow(messages);
        if (wait > 0) throw new Throttled(wait);
        this.#spend(chat.platform, messages);
        const taken = schedule.use(slot, messages);
        return {
          arrived: taken.arrived,
          giveBack: () => {
            taken.giveBack();
            this.#spend(chat.platform, -messages);
          },
        };
      },
      end: () => {
        if (!isOver) for (const id of schedule.end(slot)) this.#options.onSooner(id);
        isOver = true;
      },
    };
  }

  #chat({ platform, chatId, isGroup }: ThrottledChat): ChatSchedule {
    const key = `${platform}:${chatId}`;
    const { paceOf, clock } = this.#options;
    const known = this.#chats.get(key) ?? new ChatSchedule(paceOf(platform), isGroup, clock);
    this.#chats.set(key, known);
    return known;
  }

  #platform(platform: string): PlatformState {
    const known = this.#platforms.get(platform) ?? { pausedUntil: Number.NEGATIVE_INFINITY, failures: 0, evenAt: 0 };
    this.#platforms.set(platform, known);
    return known;
  }

  #spend(platform: string, messages: number): void {
    const { clock, paceOf } = this.#options;
    const pace = paceOf(platform);
    const state = this.#platform(platform);
    if (pace !== undefined)
      state.evenAt = Math.max(state.evenAt, clock()) + (messages * SECOND_MS) / pace.overallPerSecond;
  }
}
