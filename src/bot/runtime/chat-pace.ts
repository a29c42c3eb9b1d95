import type { Pace } from '../contract/chat-platform.ts';

/** The pace of one chat: what was sent there lately, what is being sent, and for when the next is booked. Times are those of the clock. */
export interface ChatPace {
  /** Until then the platform wants to be left alone there. */
  readonly heldUntil: number;
  /** Books so many messages for an id behind all that is booked, unless that id has a booking; returns the milliseconds until it is its turn. */
  book(id: string, messages: number): number;
  /** The booking comes no sooner than that. */
  postpone(id: string, ms: number): void;
  /** The booking is used from now on; returns how many messages it holds. */
  begin(id: string): number;
  /** So many free messages in place of those that are left; otherwise they are booked, and the milliseconds until then are returned. */
  extend(id: string, left: number, wanted: number): number;
  /** Milliseconds until the next message may be sent by those that have begun. */
  gapMs(): number;
  /** One call that puts so many messages into the chat. */
  use(id: string, messages: number): { arrived(): void; giveBack(): void };
  /** Lets go of what was begun and not used; returns the ids whose turn comes sooner by that. */
  end(id: string): readonly string[];
  /** Nothing is sent for so long; that id goes on first. */
  hold(ms: number, id: string): void;
}

/** `booked` for a moment to come, `begun` and not used yet, or `used`: sent, or being sent. */
interface Entry {
  readonly id: string;
  at: number;
  messages: number;
  state: 'booked' | 'begun' | 'used';
}

/** A minute, and a second for messages that were under way for different times. */
const WINDOW_MS = 61_000;
/** A request that does not come for its booking has ended elsewhere. */
const LAPSE_MS = 30_000;

export interface ChatPaceOptions {
  /** Undefined where the platform has none: nothing is ever booked then. */
  readonly pace: Pace | undefined;
  readonly isGroup: boolean;
  readonly clock: () => number;
}

export function createChatPace({ pace, isGroup, clock }: ChatPaceOptions): ChatPace {
  const { spacingMs, groupPerMinute } = pace ?? { spacingMs: 0, groupPerMinute: Number.POSITIVE_INFINITY };
  let entries: Entry[] = [];
  let usedAt = Number.NEGATIVE_INFINITY;
  let heldUntil = Number.NEGATIVE_INFINITY;

  function prune(): void {
    const now = clock();
    entries = entries.filter(({ state, at }) => {
      return state === 'begun' || at > now - (state === 'used' ? WINDOW_MS : LAPSE_MS);
    });
  }

  const find = (id: string, state: Entry['state']) => entries.find(each => each.id === id && each.state === state);

  /** When the minute has room for so many, or for as many as it ever has, beside those entries. */
  function minuteAllows(beside: readonly Entry[], messages: number): number {
    if (!isGroup) return Number.NEGATIVE_INFINITY;
    let room = groupPerMinute - Math.min(messages, groupPerMinute);
    const now = clock();
    const times = beside.map(({ at, state, messages: taken }) => ({ at: state === 'begun' ? now : at, taken }));
    for (const each of times.toSorted((a, b) => b.at - a.at)) {
      room -= each.taken;
      if (room < 0) return each.at + WINDOW_MS;
    }
    return Number.NEGATIVE_INFINITY;
  }

  /** Behind all of those that is booked and begun. */
  function earliest(messages: number, others: readonly Entry[]): number {
    const open = others.filter(({ state }) => state !== 'used').map(({ at }) => at + spacingMs);
    const free = Math.max(clock(), heldUntil, usedAt + spacingMs, ...open);
    return Math.max(free, minuteAllows(others, messages));
  }

  function add(id: string, at: number, messages: number): void {
    entries.push({ id, at, messages, state: 'booked' });
  }

  /** Gives all that is booked its time anew, in order; returns the ids that come sooner now. */
  function replan(): readonly string[] {
    const booked = entries.filter(({ state }) => state === 'booked').toSorted((a, b) => a.at - b.at);
    const before = entries.filter(({ state }) => state !== 'booked');
    const sooner: string[] = [];
    for (const each of booked) {
      const at = earliest(each.messages, before);
      if (at < each.at - spacingMs) sooner.push(each.id);
      each.at = at;
      before.push(each);
    }
    return sooner;
  }

  return {
    get heldUntil() {
      return heldUntil;
    },
    book(id, messages) {
      prune();
      const known = find(id, 'booked');
      if (known === undefined) {
        const at = earliest(messages, entries);
        add(id, at, messages);
        return at - clock();
      }
      known.messages = Math.max(known.messages, messages);
      // What came between may have taken more than it was to take.
      const past = entries.filter(({ state }) => state !== 'booked');
      known.at = Math.max(known.at, minuteAllows(past, known.messages));
      return known.at - clock();
    },
    postpone(id, ms) {
      const known = find(id, 'booked');
      if (known !== undefined) known.at = Math.max(known.at, clock() + ms);
    },
    begin(id) {
      const known = find(id, 'booked');
      if (known === undefined) return 0;
      known.state = 'begun';
      known.at = clock();
      return known.messages;
    },
    extend(id, left, wanted) {
      prune();
      const own = find(id, 'begun');
      const others = entries.filter(each => each !== own);
      const past = others.filter(({ state }) => state !== 'booked');
      const at = minuteAllows(past, wanted);
      if (at <= clock()) {
        if (own === undefined) entries.push({ id, at: clock(), messages: wanted, state: 'begun' });
        else own.messages += wanted - left;
        return 0;
      }
      if (find(id, 'booked') === undefined) add(id, earliest(wanted, others), wanted);
      return (find(id, 'booked')?.at ?? at) - clock();
    },
    gapMs: () => usedAt + spacingMs - clock(),
    use(id, messages) {
      const before = usedAt;
      usedAt = clock();
      const begunAt = usedAt;
      const own = find(id, 'begun');
      if (own !== undefined) own.messages -= messages;
      const used: Entry = { id, at: usedAt, messages, state: 'used' };
      entries.push(used);
      return {
        arrived() {
          used.at = clock();
          usedAt = Math.max(usedAt, used.at);
        },
        giveBack() {
          entries = entries.filter(each => each !== used);
          if (usedAt === begunAt) usedAt = before;
          const begun = find(id, 'begun');
          if (begun !== undefined) begun.messages += messages;
        },
      };
    },
    end(id) {
      const own = find(id, 'begun');
      entries = entries.filter(each => each !== own);
      return own !== undefined && own.messages > 0 ? replan() : [];
    },
    hold(ms, id) {
      prune();
      const now = clock();
      const isHeldAlready = heldUntil > now;
      heldUntil = Math.max(heldUntil, now + ms);
      if (pace === undefined) return;
      const isKnown = find(id, 'booked') !== undefined;
      if (!isKnown && !isHeldAlready) add(id, now, Math.max(1, find(id, 'begun')?.messages ?? 1));
      replan();
    },
  };
}
