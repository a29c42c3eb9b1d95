import { forget, recall, remember } from './dom.ts';
import type { WebReply } from './protocol.ts';

export type TurnInput =
  | { readonly kind: 'text'; readonly text: string }
  /** A pressed button; `label` is its text, `under` the reply to which it belongs. */
  | { readonly kind: 'action'; readonly token: string; readonly label: string; readonly under?: ReplyPlace };

/** One reply on the page. */
export interface ReplyPlace {
  readonly turn: string;
  readonly index: number;
}

/** Something that a person asked, and the replies to it. */
export interface Turn {
  readonly id: string;
  readonly input: TurnInput;
  state: 'waiting' | 'done' | 'cancelled';
  replies: WebReply[];
  /** True when the first reply replaced the one whose button was pressed. */
  moved?: boolean;
  /** True when something else replaced one of its replies: another page, or something opened from it. */
  exchanged?: boolean;
  /** The replies from which this one was opened, by its index: the last is the nearest. */
  below?: Kept;
  /** The replies that were closed there: the last one is reopened first. */
  above?: Kept;
}

/** Replies by their position in the turn. */
export type Kept = Readonly<Record<number, readonly WebReply[]>>;

const KEY = 'medley.turns';
const MAX_TURNS = 60;
const MAX_LENGTH = 1_500_000;

/**
 * The conversation, stored in this tab alone: it survives a reload and is lost with the tab, unless the reader chose to keep it on the
 * device.
 */
export class History {
  #turns = load();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener('pagehide', () => {
      if (this.#timer !== undefined) this.#write();
    });
  }

  /** The copy on the device, even an empty one, means that the reader chose to keep conversations. */
  get isKept(): boolean {
    return recall('localStorage', KEY) !== null;
  }

  /** Keeps conversations on the device from now on, or deletes the kept ones. */
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
    this.#write();
  }

  find(id: string): Turn | undefined {
    return this.#turns.find(turn => turn.id === id);
  }

  remove(turn: Turn): void {
    this.#turns = this.#turns.filter(each => each !== turn);
    this.#write();
  }

  /** Writes soon; several calls in a row write once. */
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

/** Writes the newest turns, as many as there is space for. */
function write(storage: 'localStorage' | 'sessionStorage', turns: readonly Turn[]): void {
  let kept = turns;
  let json = JSON.stringify(kept);
  while (kept.length > 1 && (json.length > MAX_LENGTH || !remember(storage, KEY, json))) {
    kept = kept.slice(Math.ceil(kept.length / 4));
    json = JSON.stringify(kept);
  }
  if (kept.length <= 1) remember(storage, KEY, json);
}

/** A new tab begins with the turns kept on the device, without those for which another tab still waits. */
function load(): Turn[] {
  return read('sessionStorage') ?? read('localStorage')?.filter(({ state }) => state !== 'waiting') ?? [];
}

function read(storage: 'localStorage' | 'sessionStorage'): Turn[] | undefined {
  try {
    const stored: unknown = JSON.parse(recall(storage, KEY) ?? 'null');
    return Array.isArray(stored) ? stored.filter(isTurn) : undefined;
  } catch {
    return undefined;
  }
}

/** The page wrote the value itself; the check only rejects data of an older version. */
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
