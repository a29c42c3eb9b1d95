const DISCORD_EPOCH_MS = 1_420_070_400_000;

export interface Clock {
  now(): number;
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
    advance(ms) {
      ahead += ms;
    },
    snowflake() {
      made++;
      return ((BigInt(now() - DISCORD_EPOCH_MS) << 22n) | (made & 0x3fffffn)).toString();
    },
  };
}
