import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { TelegramLimits } from '../limits.ts';

export interface PacedChat {
  readonly chatId: number;
  readonly isGroup: boolean;
}

/** Keeps Medley below what Telegram takes: a message a second in a chat, 20 a minute in a group, 30 a second in all. */
export interface Pacing {
  /** Resolves when so many messages may be sent there; every file of an album is one. @throws the signal's reason. */
  take(chat: PacedChat, messages: number, signal: AbortSignal): Promise<void>;
  /** A message has arrived: turns count from then, since files take their time. */
  arrived(chatId: number): void;
  /** Telegram wants this chat left alone for so long. */
  hold(chatId: number, ms: number): void;
}

export interface PacingOptions {
  readonly limits: Pick<TelegramLimits, 'spacingMs' | 'overallPerSecond' | 'groupPerMinute'>;
  readonly now: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** A minute, and a second for messages that were under way for different times. */
const WINDOW_MS = 61_000;
const SECOND_MS = 1_000;
const MAX_CHATS = 10_000;

interface Lane {
  /** The next turn to be given away is not before this moment. */
  freeAt: number;
  /** No turn is taken before this moment, whenever it was given. */
  heldUntil: number;
  /** Messages of the last minute, and those that have their turn ahead. */
  sent: readonly { readonly at: number; readonly messages: number }[];
}

export function createPacing({ limits, now, sleep = sleepUnref }: PacingOptions): Pacing {
  const lanes = new LRUCache<number, Lane>({ max: MAX_CHATS });
  const perMessageMs = SECOND_MS / limits.overallPerSecond;
  /** When all that was sent would have been sent at an even pace: it may run ahead of the clock by one second. */
  let evenAt = 0;

  function laneOf(chatId: number): Lane {
    const known = lanes.get(chatId);
    if (known) return known;
    const lane: Lane = { freeAt: 0, heldUntil: 0, sent: [] };
    lanes.set(chatId, lane);
    return lane;
  }

  /** The moment of the chat's next turn, which is taken by asking. */
  function reserve({ chatId, isGroup }: PacedChat, messages: number): number {
    const lane = laneOf(chatId);
    const start = Math.max(now(), lane.freeAt);
    lane.sent = lane.sent.filter(({ at }) => at > start - WINDOW_MS);
    const at = isGroup ? Math.max(start, minuteAllows(lane, messages)) : start;
    lane.freeAt = at + limits.spacingMs;
    if (isGroup) lane.sent = [...lane.sent, { at, messages }];
    return at;
  }

  function minuteAllows({ sent }: Lane, messages: number): number {
    let room = limits.groupPerMinute - messages;
    for (const each of sent.toReversed()) {
      room -= each.messages;
      if (room < 0) return each.at + WINDOW_MS;
    }
    return 0;
  }

  return {
    async take(chat, messages, signal) {
      signal.throwIfAborted();
      const lane = laneOf(chat.chatId);
      const turn = reserve(chat, messages);
      for (let at = turn; at > now(); at = Math.max(turn, lane.heldUntil)) await sleep(at - now(), signal);
      evenAt = Math.max(evenAt, now()) + messages * perMessageMs;
      const aheadMs = evenAt - now() - SECOND_MS;
      if (aheadMs > 0) await sleep(aheadMs, signal);
    },
    arrived: chatId => holdFor(chatId, limits.spacingMs),
    hold: holdFor,
  };

  function holdFor(chatId: number, ms: number): void {
    const lane = laneOf(chatId);
    lane.heldUntil = Math.max(lane.heldUntil, now() + ms);
    lane.freeAt = Math.max(lane.freeAt, lane.heldUntil);
  }
}

/** A waiting message does not keep a process alive that has nothing else to do. */
function sleepUnref(ms: number, signal: AbortSignal): Promise<unknown> {
  return pause(ms, undefined, { signal, ref: false });
}
