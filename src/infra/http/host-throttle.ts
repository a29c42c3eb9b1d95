import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/abortable.ts';
import { FairLine } from '../concurrency/semaphore.ts';
import { actingClient } from '../concurrency/work-context.ts';
import type { RateLimiter } from '../rate-limit/rate-limit.ts';
import { matchesHost, matchesHostPattern } from './host-list.ts';
import { OWN_DOING } from './read-failure.ts';

/** How many requests a host gets; `Infinity` lifts a bound. */
export interface ThrottleRule {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests that may leave at once after a pause. At least 1. */
  readonly burst: number;
  /** Requests under way at the same time. At least 1. */
  readonly atOnce: number;
}

/** Hosts that count together, as those of one site do. */
export interface ThrottledSite {
  readonly id: string;
  /** Exact, or `*.suffix`. */
  readonly hosts: readonly string[];
  readonly rule: ThrottleRule;
}

export interface ThrottleRules {
  /** The rule of every host that no pattern names; each such host counts by itself. */
  readonly default?: ThrottleRule;
  /** Rules by host or `*.suffix`; the hosts of one pattern share one budget. The first pattern that matches counts. */
  readonly hosts?: Readonly<Record<string, ThrottleRule>>;
  /** Sites whose hosts no pattern names. With a limiter, all processes share the long-run rate of a site. */
  readonly sites?: readonly ThrottledSite[];
}

export interface Gate {
  /**
   * Takes a place: undefined when one was free, else a promise of it; clients that wait take turns. Every place must be given back by `leave`.
   *
   * @throws AppError `upstream_unavailable` when too many wait already; the deadline's failure, marked as our own doing when its time is over
   */
  enter(deadline: Deadline): Promise<void> | undefined;
  leave(): void;
}

export type HostThrottle = ReturnType<typeof createHostThrottle>;

export interface HostThrottleOptions {
  readonly now?: () => number;
  /** A limiter that all processes share. Without it, and while it cannot be reached, each process keeps the rate by itself. */
  readonly limiter?: RateLimiter | undefined;
}

const DEFAULT_RULE: ThrottleRule = { perSecond: 20, burst: 40, atOnce: 32 };
const MAX_WAITING = 256;
const MAX_GATES = 1000;

/**
 * In a bucket of at least `MIN_BURST_TO_KEEP`, one token is kept for clients that were not served lately, so that they do not wait behind a crowd.
 */
const KEPT_TOKENS = 1;
const MIN_BURST_TO_KEEP = 4;

/** Keeps requests to each host at a rate that its owner tolerates: a token bucket, and a bound on requests under way. */
export function createHostThrottle(rules: ThrottleRules = {}, options: HostThrottleOptions = {}) {
  const { now = Date.now, limiter } = options;
  const patterns = Object.entries(rules.hosts ?? {});
  const gates = new Map<string, ThrottleGate>();

  /** Hosts with the same rule name share a budget. */
  function ruleOf(host: string): { readonly name: string; readonly rule: ThrottleRule; readonly isSite?: boolean } {
    const named = patterns.find(([pattern]) => matchesHostPattern(pattern, host));
    if (named !== undefined) return { name: named[0], rule: named[1] };
    const site = rules.sites?.find(({ hosts }) => matchesHost(hosts, host));
    if (site !== undefined) return { name: site.id, rule: site.rule, isSite: true };
    return { name: host, rule: rules.default ?? DEFAULT_RULE };
  }

  return {
    /** @param outgoing the name of the outgoing address: hosts count each address by itself */
    gate(host: string, outgoing = ''): Gate {
      const { name, rule, isSite } = ruleOf(host);
      const key = `${name} ${outgoing}`;
      const known = gates.get(key);
      if (known !== undefined) return known;
      if (gates.size >= MAX_GATES) for (const [other, gate] of gates) if (gate.isIdle()) gates.delete(other);
      const share = isSite && limiter !== undefined ? shareOf(limiter, rule, key, now) : undefined;
      const gate = new ThrottleGate(rule, now, share);
      gates.set(key, gate);
      return gate;
    },
  };
}

/** Takes a place among all processes. Resolves with 0 when it got one, else with the milliseconds after which to try again. */
type Share = () => Promise<number>;

const SHARED_WINDOW_MS = 2_000;

function shareOf(limiter: RateLimiter, { perSecond }: ThrottleRule, key: string, now: () => number): Share {
  const limit = Math.max(1, Math.floor((perSecond * SHARED_WINDOW_MS) / 1_000));
  const rule = { name: 'upstream-pace', limit, windowMs: SHARED_WINDOW_MS, window: 'first' } as const;
  return async () => {
    const { allowed, resetAt } = await limiter.consume(rule, key);
    return allowed ? 0 : Math.min(Math.max(1, resetAt - now()), SHARED_WINDOW_MS);
  };
}

interface Waiter {
  readonly admit: () => void;
  readonly refuse: () => void;
}

class ThrottleGate implements Gate {
  readonly #rule: ThrottleRule;
  readonly #now: () => number;
  readonly #share: Share | undefined;
  readonly #waiting = new FairLine<Waiter>();
  #tokens: number;
  #filledAt: number;
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(rule: ThrottleRule, now: () => number, share: Share | undefined) {
    this.#rule = rule;
    this.#now = now;
    this.#share = share;
    this.#tokens = rule.burst;
    this.#filledAt = now();
  }

  isIdle(): boolean {
    this.#fill();
    return this.#underWay === 0 && this.#waiting.size === 0 && this.#tokens >= this.#rule.burst;
  }

  enter(deadline: Deadline): Promise<void> | undefined {
    const own = this.#enterHere(deadline);
    return this.#share === undefined ? own : this.#enterShared(this.#share, own, deadline);
  }

  /** Requests that have a place in this process wait here for one among all processes. */
  async #enterShared(share: Share, own: Promise<void> | undefined, deadline: Deadline): Promise<void> {
    await own;
    try {
      for (;;) {
        const waitMs = await deadline.race(share());
        if (waitMs === 0) return;
        await deadline.sleep(waitMs);
      }
    } catch (error) {
      this.leave();
      throw error instanceof AppError && deadline.isTimeUp ? turnDidNotCome(error) : error;
    }
  }

  #enterHere(deadline: Deadline): Promise<void> | undefined {
    deadline.assertAlive();
    if (this.#waiting.size === 0 && this.#take()) return undefined;
    const client = actingClient();
    if (this.#waiting.size >= MAX_WAITING) {
      const displaced = this.#waiting.yieldTo(client);
      if (displaced === undefined) throw lineIsFull();
      displaced.refuse();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: () => {
          deadline.unwatch();
          resolve();
        },
        refuse: () => {
          deadline.unwatch();
          reject(lineIsFull());
        },
      };
      deadline.watch(failure => {
        this.#waiting.remove(client, waiter);
        if (this.#waiting.size === 0) clearTimeout(this.#timer);
        reject(deadline.isTimeUp ? turnDidNotCome(failure) : failure);
      });
      this.#waiting.add(client, waiter);
      this.#admitWaiting();
    });
  }

  leave(): void {
    this.#underWay--;
    if (this.#waiting.size > 0) this.#admitWaiting();
  }

  #take(needed = 1): boolean {
    if (this.#underWay >= this.#rule.atOnce) return false;
    this.#fill();
    if (this.#tokens < needed) return false;
    this.#tokens--;
    this.#underWay++;
    return true;
  }

  #fill(): void {
    const time = this.#now();
    const gained = ((time - this.#filledAt) / 1000) * this.#rule.perSecond;
    this.#filledAt = time;
    // A clock that was set back takes no tokens away. `Infinity` times 0 is NaN, so an infinite rate fills the bucket here.
    if (gained > 0) this.#tokens = Math.min(this.#rule.burst, this.#tokens + gained);
    else if (this.#rule.perSecond === Number.POSITIVE_INFINITY) this.#tokens = this.#rule.burst;
  }

  #admitWaiting(): void {
    while (this.#waiting.size > 0 && this.#take(this.#neededTokens())) this.#waiting.shift()?.admit();
    if (this.#waiting.size > 0) this.#wakeLater();
  }

  /** Tokens that must be there before the next waiter may go. */
  #neededTokens(): number {
    return this.#waiting.isNextFresh || this.#rule.burst < MIN_BURST_TO_KEEP ? 1 : 1 + KEPT_TOKENS;
  }

  /** Sets a timer when only tokens are missing; a place that becomes free admits the next waiter by itself. */
  #wakeLater(): void {
    clearTimeout(this.#timer);
    if (this.#underWay >= this.#rule.atOnce) return;
    // Without filling first, each newcomer would start everyone's wait anew.
    this.#fill();
    const waitMs = Math.max(1, Math.ceil(((this.#neededTokens() - this.#tokens) / this.#rule.perSecond) * 1000));
    this.#timer = setTimeout(() => this.#admitWaiting(), waitMs);
  }
}

function turnDidNotCome(cause: AppError): AppError {
  return new AppError(cause.code, 'its turn at the pace of this host did not come in time', { ...OWN_DOING, cause });
}

function lineIsFull(): AppError {
  return new AppError('upstream_unavailable', `${MAX_WAITING} requests wait for this host already`, OWN_DOING);
}
