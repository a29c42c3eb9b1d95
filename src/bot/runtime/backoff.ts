const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/** Doubles from one second to a minute, and is never quite the same for two. `failures`: from 1. */
export function backoffMs(failures: number, random: () => number, longestMs: number = LONGEST_MS): number {
  return Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 20), longestMs) * (0.75 + random() / 4);
}
