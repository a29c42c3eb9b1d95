/** Asks upstreams one after the other until one answers. */
import { AppError, type ErrorCode, toAppError } from '../../errors.ts';
import { isOwnDoing } from '../../infra/http/read-failure.ts';
import type { Logger } from '../../infra/log.ts';

export interface Answered<T, Id> {
  readonly value: T;
  readonly source: Id;
}

interface Source {
  readonly id: string;
}

export interface AskInOrderOptions<T, S extends Source> {
  readonly sources: readonly S[];
  readonly health: Health;
  readonly ask: (source: S) => Promise<T>;
  /** True for a value that is used only if no other source has a better value. */
  readonly isWeak?: (value: T, source: S) => boolean;
  /** True when a `not_found` of this source is final, so that no other source is asked. */
  readonly isDefinitive?: (source: S) => boolean;
  /**
   * True when `not_found` counts only if no source failed in another way, because a source that failed might have found
   * it. Default false.
   */
  readonly needsEveryone?: boolean;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly now: () => number;
}

/** Error codes by how much they tell the person who asked; the most telling come first. */
const RANKS: readonly ErrorCode[] = ['upstream_rate_limited', 'upstream_unavailable', 'timeout', 'upstream_changed'];
/**
 * Error codes that tell less than any other. Without a key for osu! the mirrors could have answered, so a missing key is
 * the reason only if none of them failed.
 */
const LEAST_TELLING: readonly ErrorCode[] = ['credentials_required', 'not_found'];

function telling(code: ErrorCode): number {
  const place = RANKS.indexOf(code);
  return place < 0 ? RANKS.length + 1 + LEAST_TELLING.indexOf(code) : place;
}

/** The most telling failure, with the names of all failed sources in its message and all errors as its cause. */
function combine(failures: readonly { readonly id: string; readonly error: AppError }[]): AppError {
  const [head] = failures.map(({ error }) => error).sort((a, b) => telling(a.code) - telling(b.code));
  if (head === undefined) return new AppError('upstream_unavailable', 'there is no upstream to ask');
  const waits = failures.flatMap(({ error }) => error.retryAfterMs ?? []);
  // Any other code, such as `forbidden`, means that the upstream refused Medley, not that the set is missing.
  const isOwn = RANKS.includes(head.code) || head.code === 'credentials_required';
  const code = isOwn ? head.code : 'upstream_unavailable';
  return new AppError(code, failures.map(({ id, error }) => `${id}: ${error.message}`).join('; '), {
    params: { ...head.params, upstreams: failures.map(({ id }) => id).join(', ') },
    cause: new AggregateError(
      failures.map(({ error }) => error),
      `${failures.length} upstreams failed`,
    ),
    // The wait of the source that may be asked again first.
    retryAfterMs: head.retryAfterMs === undefined ? undefined : Math.min(...waits),
  });
}

/**
 * @throws AppError at once: `invalid_request`, or the `not_found` of a definitive source. After the last source:
 * `not_found`, if a source said so, no source is definitive and, with `needsEveryone`, no source failed in another way;
 * else the most telling failure
 */
export async function askInOrder<T, S extends Source>(options: AskInOrderOptions<T, S>): Promise<Answered<T, S['id']>> {
  const { sources, isWeak, isDefinitive, needsEveryone = false, signal } = options;
  const failed: { readonly id: string; readonly error: AppError }[] = [];
  let weak: Answered<T, S['id']> | undefined;
  for (const source of sources) {
    const result = await attempt(source, options);
    if (signal.aborted) throw signal.reason;
    if (!(result instanceof AppError)) {
      if (isWeak?.(result.value, source) !== true) return result;
      weak ??= result;
    } else if (result.code === 'invalid_request') throw result;
    else if (result.code === 'not_found' && isDefinitive?.(source) === true) throw result;
    else failed.push({ id: source.id, error: result });
  }
  if (weak !== undefined) return weak;
  // A definitive source's `not_found` was thrown in the loop. If such a source failed in another way, the `not_found`
  // of the others is uncertain: the definitive source might know better.
  const isCertain = !sources.some(each => isDefinitive?.(each) === true);
  const missing = failed.find(({ error }) => error.code === 'not_found');
  const others = failed.filter(({ error }) => error.code !== 'not_found');
  if (missing !== undefined && isCertain && !(needsEveryone && others.length > 0)) throw missing.error;
  throw combine(needsEveryone ? failed : others);
}

async function attempt<T, S extends Source>(
  source: S,
  { ask, health, signal, log, now }: AskInOrderOptions<T, S>,
): Promise<Answered<T, S['id']> | AppError> {
  const startedAt = now();
  try {
    const value = await ask(source);
    health.worked(source.id, now() - startedAt);
    return { value, source: source.id };
  } catch (caught) {
    const error = toAppError(caught);
    // If Medley's own rate limit kept the request from being sent, the error says nothing about the source.
    const isPaced = isOwnDoing(error) && error.code !== 'too_large';
    if (signal.aborted || error.code === 'invalid_request' || isPaced) return error;
    if (error.code === 'not_found') health.worked(source.id, now() - startedAt);
    else {
      health.failed(source.id, error.retryAfterMs);
      log.info({ upstream: source.id, code: error.code, message: error.message }, 'an upstream failed');
    }
    return error;
  }
}

/** The sources that are worth asking now, best first. */
export function inOrder<S extends Source>(health: Health, sources: readonly S[]): readonly S[] {
  return health.order().flatMap(id => sources.find(source => source.id === id) ?? []);
}

/** The given sources in their order, except that the source with this id comes first. */
export function leading<S extends Source>(sources: readonly S[], id: string | undefined): readonly S[] {
  return sources.toSorted((a, b) => Number(b.id === id) - Number(a.id === id));
}

export type Health = ReturnType<typeof createHealth>;

/** `unknown`: the upstream was not asked yet. */
export type HealthWord = 'answering' | 'failing' | 'unknown';

/** The number of failures in a row that starts a cooldown. */
const MAX_FAILURES = 3;
const FIRST_REST_MS = 15_000;
const MAX_REST_MS = 5 * 60_000;
/** The longest wait that is believed: a longer Retry-After is a mistake, or meant for another client. */
const MAX_ASKED_REST_MS = 10 * 60_000;
/** The weight of the newest answer in the running average of answers' times. */
const NEWEST = 0.3;
/** A failure counts as an answer that took this long. */
const FAILURE_MS = 4_000;
/** Differences of time below this may be chance, so they do not change the order. */
const STEP_MS = 250;

interface State {
  averageMs: number | undefined;
  failures: number;
  restUntil: number;
}

/**
 * How well each of several upstreams answered lately. After a cooldown an upstream is tried once; if it fails again,
 * its next cooldown is twice as long.
 * @param ids in the order in which upstreams are asked at first
 */
export function createHealth({ ids, now = Date.now }: { ids: readonly string[]; now?: () => number }) {
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

  /** A number by which upstreams are ordered: one failure weighs more than any latency. */
  function cost({ averageMs = 0, failures }: State): number {
    return Math.floor(averageMs / STEP_MS) + failures * 1_000;
  }

  return {
    /** The upstreams worth asking, best first; if all are in a cooldown, only the one whose cooldown ends first. */
    order(): readonly string[] {
      const time = now();
      const awake = ids.filter(id => stateOf(id).restUntil <= time);
      if (awake.length > 0) return awake.sort((a, b) => cost(stateOf(a)) - cost(stateOf(b)));
      return [...ids].sort((a, b) => stateOf(a).restUntil - stateOf(b).restUntil).slice(0, 1);
    },
    /** True while the upstream is in a cooldown after failures. */
    isResting: (id: string) => stateOf(id).restUntil > now(),
    /** How the upstream's last request went, in one word. */
    wordOn(id: string): HealthWord {
      const { averageMs, failures, restUntil } = stateOf(id);
      if (failures > 0 || restUntil > now()) return 'failing';
      return averageMs === undefined ? 'unknown' : 'answering';
    },
    worked(id: string, tookMs: number): void {
      const state = stateOf(id);
      average(state, tookMs);
      state.failures = 0;
      state.restUntil = 0;
    },
    /** @param restMs the wait that the upstream requested by `Retry-After` */
    failed(id: string, restMs = 0): void {
      const state = stateOf(id);
      average(state, FAILURE_MS);
      state.failures += 1;
      const beyond = state.failures - MAX_FAILURES;
      const ownRest = beyond < 0 ? 0 : Math.min(FIRST_REST_MS * 2 ** Math.min(beyond, 10), MAX_REST_MS);
      state.restUntil = Math.max(state.restUntil, now() + Math.max(ownRest, Math.min(restMs, MAX_ASKED_REST_MS)));
    },
  };
}
