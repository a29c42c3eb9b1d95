/** A bench that ends in time: what there is no time for is left out, and named. */
export interface BenchClock {
  readonly passedMs: () => number;
  /** Runs it unless the time left is less than the longest of its kind has taken; undefined where it was left out. */
  try<T>(kind: string, name: string, work: () => Promise<T>): Promise<T | undefined>;
  readonly leftOut: readonly string[];
}

/** What is taken for a kind that has not run yet. */
const UNKNOWN_MS = 10_000;

/** @param mostMs for all of it */
export function startClock(mostMs: number): BenchClock {
  const start = performance.now();
  const passedMs = () => performance.now() - start;
  const longest = new Map<string, number>();
  const leftOut: string[] = [];
  return {
    passedMs,
    leftOut,
    async try(kind, name, work) {
      if (passedMs() + (longest.get(kind) ?? UNKNOWN_MS) > mostMs) {
        leftOut.push(name);
        return undefined;
      }
      const from = passedMs();
      const result = await work();
      longest.set(kind, Math.max(longest.get(kind) ?? 0, passedMs() - from));
      return result;
    },
  };
}
