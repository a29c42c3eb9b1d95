/** Failures in a row, each while a later strategy worked, after which one is asked last. */
const MAX_STREAK = 3;
const COOL_DOWN_MS = 5 * 60_000;

interface Health {
  streak: number;
  /** Unix milliseconds until which it is asked after the others. */
  restsUntil: number;
}

export interface StrategyOrder<S> {
  /** The order to ask in now: rested ones in their starting order, then the resting ones in theirs. */
  current(): readonly S[];
  /** `strategy` yielded the post after those named in `failed` had not. */
  worked(strategy: S, failed: readonly string[]): void;
}

/**
 * Learns which strategies work: one that failed three times in a row where a later one then worked rests at the end of the
 * line for five minutes and is tried at its old place again. One more failure there sends it back; one success clears it.
 */
export function createStrategyOrder<S extends { readonly name: string }>(
  strategies: readonly S[],
  now: () => number,
): StrategyOrder<S> {
  const health = new Map<string, Health>(strategies.map(({ name }) => [name, { streak: 0, restsUntil: 0 }]));
  const isResting = ({ name }: S) => (health.get(name)?.restsUntil ?? 0) > now();
  return {
    current: () => [...strategies.filter(one => !isResting(one)), ...strategies.filter(isResting)],
    worked(strategy, failed) {
      health.set(strategy.name, { streak: 0, restsUntil: 0 });
      for (const name of failed) {
        const known = health.get(name);
        if (known === undefined) continue;
        known.streak += 1;
        if (known.streak >= MAX_STREAK) known.restsUntil = now() + COOL_DOWN_MS;
      }
    },
  };
}
