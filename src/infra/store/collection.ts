/**
 * Records of one kind by key, durable and the same for every process of one Medley. Values are plain JSON; one that this version cannot
 * read counts as absent.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface Collection<V> {
  get(key: string): Promise<V | undefined>;
  /** Replaces. */
  set(key: string, value: V): Promise<void>;
  delete(key: string): Promise<void>;
  /** The record ends at that moment (unix milliseconds), or with null never, until it is set again. */
  expire(key: string, at: number | null): Promise<void>;
  /** Gives a record another key unless there is one under it, which then stays. Nothing is left under the old key. */
  move(from: string, to: string): Promise<void>;
}
