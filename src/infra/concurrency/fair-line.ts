/**
 * Who waits, in turns by client: one of each, then the next of each, so that a client with many waiters delays another by one turn
 * alone. Within a client it is first come, first served.
 */
export class FairLine<T> {
  /** The client whose turn is next comes first. */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(client: string, waiter: T): void {
    const line = this.#lines.get(client);
    if (line === undefined) this.#lines.set(client, new Set([waiter]));
    else line.add(waiter);
    this.#size += 1;
  }

  /** Does nothing to who does not wait. */
  remove(client: string, waiter: T): void {
    const line = this.#lines.get(client);
    if (line?.delete(waiter) !== true) return;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(client);
  }

  /** Whose turn it is; they wait no more. */
  shift(): T | undefined {
    for (const [client, line] of this.#lines) {
      for (const waiter of line) {
        this.remove(client, waiter);
        // The next turn is another client's.
        if (line.size > 0) {
          this.#lines.delete(client);
          this.#lines.set(client, line);
        }
        return waiter;
      }
    }
    return undefined;
  }

  /** Takes out the last of the longest line, where a newcomer of `client` would stand in a shorter one. */
  yieldTo(client: string): T | undefined {
    let richest: string | undefined;
    let longest = (this.#lines.get(client)?.size ?? 0) + 1;
    for (const [name, { size }] of this.#lines) {
      if (size > longest) [richest, longest] = [name, size];
    }
    if (richest === undefined) return undefined;
    const last = [...(this.#lines.get(richest) ?? [])].at(-1);
    if (last !== undefined) this.remove(richest, last);
    return last;
  }
}
