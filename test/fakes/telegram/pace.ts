import { ApiRefusal } from './answer.ts';
import type { Chat } from './shapes.ts';

export interface Pace {
  /**
   * Counts messages about to be put into a chat: one call a second, and 20 messages a minute in groups.
   * @throws ApiRefusal 429 while the rules are switched on.
   */
  spend(chat: Chat, messages: number): void;
  enforce(on: boolean): void;
}

const MINUTE_MS = 60_000;
const PER_MINUTE = 20;

export function createPace(now: () => number): Pace {
  const sent = new Map<number, { readonly at: number; readonly messages: number }[]>();
  let enforced = false;
  return {
    spend: (chat, messages) => {
      const at = now();
      const recent = (sent.get(chat.id) ?? []).filter(one => at - one.at < MINUTE_MS);
      const waitMs = enforced ? Math.max(secondLeft(recent.at(-1), at), minuteLeft(recent, chat, messages, at)) : 0;
      if (waitMs > 0) {
        const seconds = Math.ceil(waitMs / 1000);
        throw new ApiRefusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
      }
      sent.set(chat.id, [...recent, { at, messages }]);
    },
    enforce: on => {
      enforced = on;
    },
  };
}

function secondLeft(last: { readonly at: number } | undefined, at: number): number {
  return last === undefined ? 0 : last.at + 1000 - at;
}

function minuteLeft(
  recent: readonly { readonly at: number; readonly messages: number }[],
  chat: Chat,
  messages: number,
  at: number,
): number {
  if (chat.type === 'private') return 0;
  let total = messages;
  for (const one of recent.toReversed()) {
    total += one.messages;
    if (total > PER_MINUTE) return one.at + MINUTE_MS - at;
  }
  return 0;
}
