const DISCORD_EPOCH_MS = 1_420_070_400_000;

const TICK_MS = 25;
/** A later tick counts no more than this: the process stood still, and the bot in it did too. */
const LONGEST_TICK_MS = 100;

let workedMs = 0;
let tickedAt = performance.now();
setInterval(() => {
  workedMs += Math.min(LONGEST_TICK_MS, performance.now() - tickedAt);
  tickedAt = performance.now();
}, TICK_MS).unref();

export interface Clock {
  now(): number;
  /** Milliseconds in which this process could work. A machine that stands still for seconds makes no bot late. */
  worked(): number;
  advance(ms: number): void;
  /** A new id, later than all before it. */
  snowflake(): string;
}

/** Real time, moved forward at will. */
export function createClock(): Clock {
  let ahead = 0;
  let made = 0n;
  const now = () => Date.now() + ahead;
  return {
    now,
    worked: () => workedMs + ahead,
    advance(ms) {
      ahead += ms;
    },
    snowflake() {
      made++;
      return ((BigInt(now() - DISCORD_EPOCH_MS) << 22n) | (made & 0x3fffffn)).toString();
    },
  };
}
