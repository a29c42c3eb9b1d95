import { setImmediate as nextTurn } from 'node:timers/promises';

/** The event loop is blocked no longer than this at a time, which delays no other work noticeably. */
const TURN_MS = 10;

/** Maps like `Array.map`, but gives way to other work after every `TURN_MS`. One call of `work` is never interrupted. */
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
