import { createLru } from '../../../infra/cache/create-lru.ts';
import type { TelegramLimits } from '../limits.ts';

export interface PacedChat {
  readonly chat: number;
  readonly isGroup: boolean;
}

/** What keeps a message from being sent now: the pace of its chat, or that of all together. */
export interface Wait {
  readonly ms: number;
  readonly scope: 'chat' | 'platform';
}

/** Keeps Medley below what Telegram takes: a message a second in a chat, 20 a minute in a group, 30 a second in all. Nothing sleeps. */
export interface Pacing {
  /** Undefined when a message may be sent there now. */
  wait(chat: PacedChat): Wait | undefined;
  /** Counts so many messages, every file of an album being one, unless they have to wait. */
  take(chat: PacedChat, messages: number): Wait | undefined;
  /** The turn that was taken last is free again: nothing was sent in it. */
  giveBack(chat: PacedChat): void;
  /** A message has arrived: the chat's next turn counts from then, since files take their time. */
  arrived(chat: number): void;
}

export interface PacingOptions {
  readonly limits: Pick<TelegramLimits, 'spacingMs' | 'overallPerSecond' | 'groupPerMinute'>;
  readonly now: () => number;
}

/** A minute, and a second for messages that were under way for different times. */
const WINDOW_MS = 61_000;
const SECOND_MS = 1_000;
const MAX_CHATS = 10_000;

interface ChatPace {
  freeAt: number;
  /** Messages of the last minute. */
  sent: readonly { readonly at: number; readonly messages: number }[];
}

export function createPacing({ limits, now }: PacingOptions): Pacing {
  const chats = createLru<number, ChatPace>({ max: MAX_CHATS });
  const perMessageMs = SECOND_MS / limits.overallPerSecond;
  /** When all that was sent would have been sent at an even pace: it may run ahead of the clock by one second. */
  let evenAt = 0;

  function paceOf(chat: number): ChatPace {
    const known = chats.get(chat);
    if (known) return known;
    const pace: ChatPace = { freeAt: 0, sent: [] };
    chats.set(chat, pace);
    return pace;
  }

  function waitFor({ chat, isGroup }: PacedChat, messages: number): Wait | undefined {
    const pace = paceOf(chat);
    const at = now();
    const chatMs = Math.max(pace.freeAt, isGroup ? minuteAllows(pace, messages) : 0) - at;
    if (chatMs > 0) return { ms: chatMs, scope: 'chat' };
    const aheadMs = evenAt - at - SECOND_MS;
    return aheadMs > 0 ? { ms: aheadMs, scope: 'platform' } : undefined;
  }

  function minuteAllows({ sent }: ChatPace, messages: number): number {
    let room = limits.groupPerMinute - messages;
    for (const each of sent.toReversed()) {
      room -= each.messages;
      if (room < 0) return each.at + WINDOW_MS;
    }
    return 0;
  }

  return {
    wait: chat => waitFor(chat, 1),
    take(chat, messages) {
      const wait = waitFor(chat, messages);
      if (wait !== undefined) return wait;
      const at = now();
      const pace = paceOf(chat.chat);
      pace.freeAt = at + limits.spacingMs;
      if (chat.isGroup) pace.sent = [...pace.sent.filter(each => each.at > at - WINDOW_MS), { at, messages }];
      evenAt = Math.max(evenAt, at) + messages * perMessageMs;
      return undefined;
    },
    giveBack({ chat }) {
      const pace = paceOf(chat);
      pace.freeAt = Math.min(pace.freeAt, now());
      pace.sent = pace.sent.slice(0, -1);
    },
    arrived(chat) {
      const pace = paceOf(chat);
      pace.freeAt = Math.max(pace.freeAt, now() + limits.spacingMs);
    },
  };
}
