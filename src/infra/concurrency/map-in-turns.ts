import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time that the mapping blocks the event loop; other work is not noticeably delayed by it. */
const TURN_MS = 10;

/** Maps like `Array.map`, but lets other work of the event loop run between two calls after every `TURN_MS`. */
export async function mapInTurns<T, R>(values: readonly T[], work: (value: T) => R): Promise<R[]> {
  const results: R[] = [];
  let since = performance.now();
  for (const value of values) {
    if (performance.now() - since > TURN_MS) {
      await nextTurn();
      since = performance.now();
    }
    results.push(work(value));
  }
  return results;
}
