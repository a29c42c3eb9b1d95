import { forget, recall, recallJson, remember } from './dom.ts';
import type { WebReply } from './protocol.ts';

export type TurnInput =
  | { readonly kind: 'text'; readonly text: string }
  /** A pressed button: `label` is its text, `under` the reply that has it. */
  | { readonly kind: 'action'; readonly token: string; readonly label: string; readonly under?: ReplyPlace };

/** The position of one reply in the conversation. */
export interface ReplyPlace {
  readonly turn: string;
  readonly index: number;
}

/** One question of the person (a message or a pressed button), and the replies to it. */
export interface Turn {
  readonly id: string;
  readonly input: TurnInput;
  state: 'waiting' | 'done' | 'cancelled';
  replies: WebReply[];
  /** True when the first reply is shown in place of the reply with the pressed button. */
  moved?: boolean;
  /** True when a reply of this turn was replaced, by its next page or by something that was opened from it. */
  exchanged?: boolean;
  /** For each reply, by its index: the replies that it replaced. Back returns to the last of them first. */
  below?: Kept;
  /** For each reply, by index: the replies that Back closed. Forward reopens the last one first. */
  above?: Kept;
}

/** For replies of a turn, by their index in `replies`: the other replies to which Back or Forward leads from each. */
export type Kept = Readonly<Record<number, readonly WebReply[]>>;

const KEY = 'medley.turns';
const MAX_TURNS = 60;
const MAX_LENGTH = 1_500_000;

/**
 * The conversation as a list of turns (questions with replies). It is stored for this browser tab only, survives a
 * reload and is lost with the tab, unless the reader chose to keep it on the device.
 */
class Conversation {
  readonly #ofTab = new TurnStorage('sessionStorage');
  readonly #ofDevice = new TurnStorage('localStorage');
  // A new tab begins with the turns kept on the device, except questions that another tab is still waiting for.
  #turns = this.#ofTab.read() ?? this.#ofDevice.read()?.filter(({ state }) => state !== 'waiting') ?? [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener('pagehide', () => {
      if (this.#timer !== undefined) this.#write();
    });
  }

  /** A stored copy on the device, even an empty one, means that the reader chose to keep conversations. */
  get isKept(): boolean {
    return this.#ofDevice.isStored;
  }

  /** With true, begins to keep conversations on the device; with false, deletes the kept ones. */
  keep(isKept: boolean): void {
    if (isKept) this.#ofDevice.write([]);
    else this.#ofDevice.delete();
    this.#write();
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  add(turn: Turn): void {
    this.#turns.push(turn);
    this.save();
  }

  find(id: string): Turn | undefined {
    return this.#turns.find(turn => turn.id === id);
  }

  remove(turn: Turn): void {
    this.#turns = this.#turns.filter(each => each !== turn);
    this.#write();
  }

  /** Writes after a short delay; several calls in a row write once. */
  save(): void {
    this.#timer ??= setTimeout(() => this.#write(), 250);
  }

  clear(): void {
    this.#turns = [];
    this.#write();
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#turns = this.#turns.slice(-MAX_TURNS);
    this.#ofTab.write(this.#turns);
    if (this.isKept) this.#ofDevice.write(this.#turns);
  }
}

/** A turn's id and the turn as JSON. */
type Entry = readonly [id: string, json: string];

/**
 * A stored copy of the conversation: a list of ids, and an entry for each turn, of which only changed ones are written.
 * Storing a whole conversation at each change would stop a slow phone for a tenth of a second.
 */
class TurnStorage {
  readonly #storage: 'localStorage' | 'sessionStorage';
  /** The last state that this tab read or wrote: the list as it is stored, and the entries by id. */
  #list: string | null = null;
  readonly #entries = new Map<string, string>();

  constructor(storage: 'localStorage' | 'sessionStorage') {
    this.#storage = storage;
  }

  get isStored(): boolean {
    return recall(this.#storage, KEY) !== null;
  }

  read(): Turn[] | undefined {
    this.#list = recall(this.#storage, KEY);
    const stored = recallJson(this.#storage, KEY);
    if (!Array.isArray(stored)) return undefined;
    // An older version of this page stored the turns themselves in the list, in place of their ids.
    return stored.map((each: unknown) => (typeof each === 'string' ? this.#readEntry(each) : each)).filter(isTurn);
  }

  /** Stores the newest turns, as many as there is space for. */
  write(turns: readonly Turn[]): void {
    let entries: readonly Entry[] = turns.map(turn => [turn.id, JSON.stringify(turn)]);
    while (!this.#writeAll(entries) && entries.length > 1) entries = entries.slice(Math.ceil(entries.length / 4));
  }

  delete(): void {
    this.#deleteOthers(new Set());
    forget(this.#storage, KEY);
  }

  #readEntry(id: string): unknown {
    const json = recall(this.#storage, keyOf(id));
    if (json !== null) this.#entries.set(id, json);
    return recallJson(this.#storage, keyOf(id));
  }

  /** Writes the entries and their list. Returns false when there is too little space. */
  #writeAll(entries: readonly Entry[]): boolean {
    const length = entries.reduce((sum, [, json]) => sum + json.length, 0);
    if (entries.length > 1 && length > MAX_LENGTH) return false;
    this.#deleteOthers(new Set(entries.map(([id]) => id)));
    for (const [id, json] of entries) {
      if (this.#entries.get(id) === json) continue;
      if (!remember(this.#storage, keyOf(id), json)) return false;
      this.#entries.set(id, json);
    }
    this.#list = JSON.stringify(entries.map(([id]) => id));
    return remember(this.#storage, KEY, this.#list);
  }

  #deleteOthers(kept: ReadonlySet<string>): void {
    const stored = recallJson(this.#storage, KEY);
    const listed = Array.isArray(stored) ? stored.filter((each: unknown) => typeof each === 'string') : [];
    const ids = new Set([...listed, ...this.#entries.keys()]);
    // If the list differs, another tab has stored its own conversation on the device and deleted this tab's entries.
    if (recall(this.#storage, KEY) !== this.#list) this.#entries.clear();
    for (const id of ids) {
      if (kept.has(id)) continue;
      forget(this.#storage, keyOf(id));
      this.#entries.delete(id);
    }
  }
}

function keyOf(id: string): string {
  return `${KEY}.${id}`;
}

/** Says whether a stored value is a turn. Only an older version of this page can have stored anything else. */
function isTurn(value: unknown): value is Turn {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'input' in value &&
    'state' in value &&
    'replies' in value &&
    Array.isArray(value.replies) &&
    value.replies.every(
      reply => Array.isArray(reply?.blocks) && Array.isArray(reply?.gallery) && Array.isArray(reply?.actions),
    )
  );
}

/** The page's one conversation. */
export const conversation = new Conversation();
