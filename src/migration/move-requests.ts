import type { Queue } from '../infra/queue/queue.ts';

export interface MovedRequests {
  readonly moved: number;
  /** Requests that a worker holds, or that the target has no room for. */
  readonly left: number;
}

/**
 * Moves what waits to be answered. Whenever it is cut off, each request is in one of the queues or in both, never in none; another run goes on.
 * @param to a queue that no worker serves yet
 * @throws AppError `internal` when one of them cannot be reached
 */
export async function moveRequests(from: Queue, to: Queue): Promise<MovedRequests> {
  let [moved, left] = [0, 0];
  for (const entry of await from.unclaimed()) {
    const { outcome } = await to.add(entry);
    if (outcome !== 'full' && (await from.remove(entry.id))) moved += 1;
    else {
      left += 1;
      // A worker has taken it meanwhile.
      if (outcome === 'accepted') await to.remove(entry.id);
    }
  }
  return { moved, left };
}

export function describeRequests({ moved, left }: MovedRequests): readonly string[] {
  if (moved + left === 0) return [];
  const rest = left === 0 ? '' : `, ${left} left: stop all processes of Medley and run this again`;
  return [`requests that wait: ${moved} moved${rest}`];
}
