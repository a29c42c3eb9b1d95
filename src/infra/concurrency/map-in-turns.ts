import { setImmediate as nextTurn } from 'node:timers/promises';

/** A turn of the event loop that is shorter delays no other work. */
const TURN_MS = 10;

/** Maps like `Array.map`, but with a pause for all else whenever the work has taken a while. One piece of work is never interrupted. */
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
