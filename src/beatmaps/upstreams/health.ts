/** How well each of several upstreams answered lately. */
export interface Health {
  /** Those worth asking now, best first. When all are resting, the one whose rest ends first: better one try than none. */
  order(): readonly string[];
  /** Whether it rests after failures. */
  isResting(id: string): boolean;
  worked(id: string, tookMs: number): void;
  /** @param restMs what the upstream itself asked for, by `Retry-After` */
  failed(id: string, restMs?: number): void;
}

export interface HealthOptions {
  /** In the order to begin with. */
  readonly ids: readonly string[];
  readonly now?: () => number;
}

/** Failures in a row that send an upstream to rest. */
const MAX_FAILURES = 3;
const FIRST_REST_MS = 15_000;
const MAX_REST_MS = 5 * 60_000;
/** A longer Retry-After is a mistake of theirs, or meant for another client. */
const MAX_ASKED_REST_MS = 10 * 60_000;
/** Weight of the newest answer in the running average. */
const NEWEST = 0.3;
/** A failure counts as an answer this slow. */
const FAILURE_MS = 4_000;
/** Differences below it are noise and do not change the order. */
const STEP_MS = 250;

interface State {
  averageMs: number | undefined;
  failures: number;
  restUntil: number;
}

/** After its rest an upstream gets one chance: failing again rests it for twice as long. */
export function createHealth({ ids, now = Date.now }: HealthOptions): Health {
  const states = new Map<string, State>(
    ids.map(id => [id, { averageMs: undefined, failures: 0, restUntil: 0 }] as const),
  );

  function stateOf(id: string): State {
    const known = states.get(id);
    if (known !== undefined) return known;
    throw new RangeError(`${id} is not watched`);
  }

  function average(state: State, ms: number): void {
    state.averageMs = state.averageMs === undefined ? ms : state.averageMs * (1 - NEWEST) + ms * NEWEST;
  }

  /** Failures weigh more than any latency. */
  function cost({ averageMs = 0, failures }: State): number {
    return Math.floor(averageMs / STEP_MS) + failures * 1_000;
  }

  return {
    order() {
      const time = now();
      const awake = ids.filter(id => stateOf(id).restUntil <= time);
      if (awake.length > 0) return awake.sort((a, b) => cost(stateOf(a)) - cost(stateOf(b)));
      return [...ids].sort((a, b) => stateOf(a).restUntil - stateOf(b).restUntil).slice(0, 1);
    },
    isResting: id => stateOf(id).restUntil > now(),
    worked(id, tookMs) {
      const state = stateOf(id);
      average(state, tookMs);
      state.failures = 0;
      state.restUntil = 0;
    },
    failed(id, restMs = 0) {
      const state = stateOf(id);
      average(state, FAILURE_MS);
      state.failures += 1;
      const beyond = state.failures - MAX_FAILURES;
      const ownRest = beyond < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** Math.min(beyond, 10), MAX_REST_MS);
      state.restUntil = Math.max(state.restUntil, now() + Math.max(ownRest, Math.min(restMs, MAX_ASKED_REST_MS)));
    },
  };
}
