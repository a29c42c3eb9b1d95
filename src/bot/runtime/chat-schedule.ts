import type { Pace } from '../contract/chat-platform.ts';

/** Messages that a call uses. */
export interface Taken {
  /** The message has arrived, or may have: the next one counts from now. */
  arrived(): void;
  /** Nothing reached the chat. */
  giveBack(): void;
}

/** A minute, and a second for messages that were under way for different times. */
const WINDOW_MS = 61_000;
/** A request that does not come back for its reservation has ended elsewhere. */
const UNCLAIMED_MS = 30_000;

/** Messages that are reserved for one request: for a moment to come, or in use since it was begun. */
export interface Slot {
  readonly id: string;
  at: number;
  /** Messages that are not sent yet. */
  messages: number;
  isBegun: boolean;
}

type Sent = Pick<Slot, 'at' | 'messages'>;

/** Knows what was sent to one chat lately, and what is reserved there. Times are those of the clock. */
export class ChatSchedule {
  pausedUntil = Number.NEGATIVE_INFINITY;
  readonly isPaced: boolean;
  readonly #pace: Pace;
  readonly #isGroup: boolean;
  readonly #clock: () => number;
  #slots: readonly Slot[] = [];
  #sent: readonly Sent[] = [];
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(pace: Pace | undefined, isGroup: boolean, clock: () => number) {
    this.isPaced = pace !== undefined;
    this.#pace = pace ?? { spacingMs: 0, groupPerMinute: Number.POSITIVE_INFINITY, overallPerSecond: 0 };
    this.#isGroup = isGroup;
    this.#clock = clock;
  }

  /** Reserves behind all that is reserved, unless the id has a slot already. */
  book(id: string, messages: number): Slot {
    this.#prune();
    const known = this.#waiting(id);
    if (known === undefined) return this.#add(id, this.#earliest(messages, this.#slots), messages);
    known.messages = Math.max(known.messages, messages);
    // A request that came between may have taken more than it had reserved.
    known.at = Math.max(known.at, this.#minuteAllows(this.#begun(), known.messages));
    return known;
  }

  begin(slot: Slot): Slot {
    slot.isBegun = true;
    slot.at = this.#clock();
    return slot;
  }

  /** A slot without messages, which may grow. */
  open(id: string): Slot {
    return this.begin(this.#add(id, 0, 0));
  }

  /** Returns 0 when the slot has so many messages now; otherwise the milliseconds until the slot that was booked for them. */
  grow(slot: Slot, wanted: number): number {
    this.#prune();
    const others = this.#slots.filter(each => each !== slot);
    const begun = others.filter(({ isBegun }) => isBegun);
    if (this.#minuteAllows(begun, wanted) <= this.#clock()) {
      slot.messages = wanted;
      return 0;
    }
    const booked = this.#waiting(slot.id) ?? this.#add(slot.id, this.#earliest(wanted, others), wanted);
    return booked.at - this.#clock();
  }

  /** Milliseconds until the next message may be sent by requests that have begun. */
  gapMs(): number {
    return this.#sentAt + this.#pace.spacingMs - this.#clock();
  }

  /** One call that sends so many messages. */
  use(slot: Slot, messages: number): Taken {
    const before = this.#sentAt;
    const sent = { at: this.#clock(), messages };
    const startedAt = sent.at;
    this.#sentAt = startedAt;
    this.#sent = [...this.#sent, sent];
    slot.messages -= messages;
    return {
      arrived: () => {
        sent.at = this.#clock();
        this.#sentAt = Math.max(this.#sentAt, sent.at);
      },
      giveBack: () => {
        this.#sent = this.#sent.filter(each => each !== sent);
        if (this.#sentAt === startedAt) this.#sentAt = before;
        slot.messages += messages;
      },
    };
  }

  /** Returns the ids that may come sooner, since not all of the slot was used. */
  end(slot: Slot): readonly string[] {
    this.#slots = this.#slots.filter(each => each !== slot);
    return slot.messages > 0 ? this.#replan() : [];
  }

  /** Nothing is sent for so long; that id goes on first. */
  pause(ms: number, id: string): void {
    this.#prune();
    const isPaused = this.pausedUntil > this.#clock();
    this.pausedUntil = Math.max(this.pausedUntil, this.#clock() + ms);
    if (!this.isPaced) return;
    const begun = this.#begun().find(each => each.id === id);
    if (this.#waiting(id) === undefined && !isPaused) this.#add(id, this.#clock(), Math.max(1, begun?.messages ?? 1));
    this.#replan();
  }

  #add(id: string, at: number, messages: number): Slot {
    const slot = { id, at, messages, isBegun: false };
    this.#slots = [...this.#slots, slot];
    return slot;
  }

  #waiting(id: string): Slot | undefined {
    return this.#slots.find(each => each.id === id && !each.isBegun);
  }

  #begun(): readonly Slot[] {
    return this.#slots.filter(({ isBegun }) => isBegun);
  }

  #prune(): void {
    const now = this.#clock();
    this.#sent = this.#sent.filter(({ at }) => at > now - WINDOW_MS);
    this.#slots = this.#slots.filter(({ isBegun, at }) => isBegun || at > now - UNCLAIMED_MS);
  }

  /** When the minute of a group has room for so many, or for as many as it ever has, beside those slots and what was sent. */
  #minuteAllows(slots: readonly Slot[], messages: number): number {
    if (!this.#isGroup) return Number.NEGATIVE_INFINITY;
    const { groupPerMinute } = this.#pace;
    let room = groupPerMinute - Math.min(messages, groupPerMinute);
    const now = this.#clock();
    const times = slots.map(slot => ({ at: slot.isBegun ? now : slot.at, messages: slot.messages }));
    for (const each of [...this.#sent, ...times].toSorted((a, b) => b.at - a.at)) {
      room -= each.messages;
      if (room < 0) return each.at + WINDOW_MS;
    }
    return Number.NEGATIVE_INFINITY;
  }

  /** The first moment behind those slots that is far enough from all that was sent. */
  #earliest(messages: number, slots: readonly Slot[]): number {
    const { spacingMs } = this.#pace;
    const open = slots.filter(slot => slot.messages > 0).map(({ at }) => at + spacingMs);
    const free = Math.max(this.#clock(), this.pausedUntil, this.#sentAt + spacingMs, ...open);
    return Math.max(free, this.#minuteAllows(slots, messages));
  }

  /** Gives all waiting slots their time anew, in order; returns the ids that come sooner now. */
  #replan(): readonly string[] {
    const planned = [...this.#begun()];
    const sooner: string[] = [];
    for (const slot of this.#slots.filter(({ isBegun }) => !isBegun).toSorted((a, b) => a.at - b.at)) {
      const at = this.#earliest(slot.messages, planned);
      if (at < slot.at - this.#pace.spacingMs) sooner.push(slot.id);
      slot.at = at;
      planned.push(slot);
    }
    return sooner;
  }
}
