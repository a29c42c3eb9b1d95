export interface Fault {
  readonly method?: string;
  /** Against the path as recorded: without `/api/vN` and query. */
  readonly path: RegExp;
  /** Left out with neither `hang` nor `cut`: the request is only delayed. */
  readonly status?: number;
  /** Objects go as JSON, strings as HTML, the way Cloudflare answers. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
  /** Goes on when this resolves. */
  readonly until?: Promise<void>;
  /** Never answers. */
  readonly hang?: boolean;
  /** Cuts the connection instead of an answer. */
  readonly cut?: boolean;
  /** Does what was asked, then fails. */
  readonly afterSend?: boolean;
  /** How many requests it strikes (default 1). */
  readonly times?: number;
}

export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** The fault that strikes this request, used up by one. */
  take(method: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  const pending: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      pending.push({ fault, left: fault.times ?? 1 });
    },
    clear() {
      pending.length = 0;
    },
    take(method, path) {
      const place = pending.findIndex(
        ({ fault }) => (fault.method === undefined || fault.method === method) && path.search(fault.path) >= 0,
      );
      const found = pending[place];
      if (found === undefined) return undefined;
      found.left--;
      if (found.left <= 0) pending.splice(place, 1);
      return found.fault;
    },
  };
}
