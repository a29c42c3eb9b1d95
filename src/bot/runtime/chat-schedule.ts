import type { Pace } from '../contract/chat-platform.ts';

/** Messages that one call to the platform sends. */
export interface Taken {
  /**
   * To be called when the messages arrived, or may have arrived: the pause before the next message counts from this
   * moment.
   */
  arrived(): void;
  /** To be called when nothing arrived: the messages count as not sent. */
  giveBack(): void;
}

/** The window of a limit per minute: a second more than a minute, because messages take unequal times on their way. */
const WINDOW_MS = 61_000;
/**
 * A reservation that is not used within this time after its planned time is dropped, because its request must have
 * ended in another process.
 */
const UNCLAIMED_MS = 30_000;

/** The messages that are reserved for one request, which waits for the time `at` or has begun to send. */
export interface Slot {
  readonly id: string;
  at: number;
  /** How many messages are not sent yet. */
  messages: number;
  isBegun: boolean;
}

type Sent = Pick<Slot, 'at' | 'messages'>;

/** The recent messages to one chat and the reservations for it. Times are those of the given clock. */
export class ChatSchedule {
  pausedUntil = Number.NEGATIVE_INFINITY;
  readonly #isPaced: boolean;
  readonly #pace: Pace;
  readonly #isGroup: boolean;
  readonly #clock: () => number;
  #slots: readonly Slot[] = [];
  #sent: readonly Sent[] = [];
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(pace: Pace | undefined, isGroup: boolean, clock: () => number) {
    this.#isPaced = pace !== undefined;
    this.#pace = pace ?? { spacingMs: 0, groupPerMinute: Number.POSITIVE_INFINITY, overallPerSecond: 0 };
    this.#isGroup = isGroup;
    this.#clock = clock;
  }

  /** Reserves messages behind all existing reservations. A request that has a reservation already keeps it. */
  book(id: string, messages: number): Slot {
    this.#prune();
    const known = this.#waiting(id);
    if (known === undefined) return this.#add(id, this.#earliest(messages, this.#slots), messages);
    known.messages = Math.max(known.messages, messages);
    // Meanwhile another request may have sent more than it had reserved, so this request's time may have to be later.
    known.at = Math.max(known.at, this.#minuteAllows(this.#begun(), known.messages));
    return known;
  }

  begin(slot: Slot): Slot {
    slot.isBegun = true;
    slot.at = this.#clock();
    return slot;
  }

  /** Opens a slot without messages, which `grow` can enlarge later. */
  open(id: string): Slot {
    return this.begin(this.#add(id, 0, 0));
  }

  /**
   * Enlarges the slot to that many messages and returns 0. If the rate limit does not allow them yet, reserves them and
   * returns the milliseconds to wait.
   */
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

  /** How many milliseconds to wait before the next message of a request that has begun to send. */
  gapMs(): number {
    return this.#sentAt + this.#pace.spacingMs - this.#clock();
  }

  /** Counts a call that sends this many messages of the slot. */
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

  /**
   * Ends the slot. If messages of it were left, the requests behind it may move up: returns the ids of those that can
   * be sent earlier now.
   */
  end(slot: Slot): readonly string[] {
    this.#slots = this.#slots.filter(each => each !== slot);
    return slot.messages > 0 ? this.#replan() : [];
  }

  /** Lets nothing be sent to the chat for that time; afterwards the request with that id goes first. */
  pause(ms: number, id: string): void {
    this.#prune();
    const isPaused = this.pausedUntil > this.#clock();
    this.pausedUntil = Math.max(this.pausedUntil, this.#clock() + ms);
    // For a platform whose rate limits Medley does not keep, nothing is reserved, so a slot would never be used up.
    if (!this.#isPaced) return;
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

  /**
   * The time at which a group's limit per minute has room for the messages beside recent and planned ones. More
   * messages than the limit count as the limit, since they would never have room at once.
   */
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

  /** The earliest time for the messages that is after these slots and keeps the spacing to all other messages. */
  #earliest(messages: number, slots: readonly Slot[]): number {
    const { spacingMs } = this.#pace;
    const open = slots.filter(slot => slot.messages > 0).map(({ at }) => at + spacingMs);
    const free = Math.max(this.#clock(), this.pausedUntil, this.#sentAt + spacingMs, ...open);
    return Math.max(free, this.#minuteAllows(slots, messages));
  }

  /** Plans the times of all waiting slots anew, in order; returns the ids of the slots that are earlier now. */
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
