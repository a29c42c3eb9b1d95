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
  /** For each reply, by index: the replies that it replaced, to which Back returns, the nearest last. */
  below?: Kept;
  /** For each reply, by index: the replies that Back closed. Forward reopens the last one first. */
  above?: Kept;
}

/** Lists of replies that are kept for Back or Forward, by the index of the reply in the turn. */
export type Kept = Readonly<Record<number, readonly WebReply[]>>;

const KEY = 'medley.turns';
const MAX_TURNS = 60;
const MAX_LENGTH = 1_500_000;

/**
 * The conversation as a list of turns (questions with replies). It is stored for this browser tab only, survives a
 * reload and is lost with the tab, unless the reader chose to keep it on the device.
 */
export class History {
  #turns = load();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener('pagehide', () => {
      if (this.#timer !== undefined) this.#write();
    });
  }

  /** A stored copy on the device, even an empty one, means that the reader chose to keep conversations. */
  get isKept(): boolean {
    return recall('localStorage', KEY) !== null;
  }

  /** Begins to keep conversations on the device, or deletes the kept ones. */
  keep(isKept: boolean): void {
    if (isKept) remember('localStorage', KEY, '[]');
    else forget('localStorage', KEY);
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
    const storages = this.isKept ? (['sessionStorage', 'localStorage'] as const) : (['sessionStorage'] as const);
    for (const storage of storages) write(storage, this.#turns);
  }
}

/** Stores the newest turns, as many as there is space for. */
function write(storage: 'localStorage' | 'sessionStorage', turns: readonly Turn[]): void {
  let kept = turns;
  let json = JSON.stringify(kept);
  while (kept.length > 1 && (json.length > MAX_LENGTH || !remember(storage, KEY, json))) {
    kept = kept.slice(Math.ceil(kept.length / 4));
    json = JSON.stringify(kept);
  }
  if (kept.length <= 1) remember(storage, KEY, json);
}

/** A new tab begins with the turns kept on the device, except questions that another tab is still waiting for. */
function load(): Turn[] {
  return read('sessionStorage') ?? read('localStorage')?.filter(({ state }) => state !== 'waiting') ?? [];
}

function read(storage: 'localStorage' | 'sessionStorage'): Turn[] | undefined {
  const stored = recallJson(storage, KEY);
  return Array.isArray(stored) ? stored.filter(isTurn) : undefined;
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
