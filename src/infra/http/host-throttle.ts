import { AppError } from '../../errors.ts';
import type { Deadline } from '../concurrency/abortable.ts';
import { actingClient, FairQueue } from '../concurrency/running-work.ts';
import type { RateLimiter } from '../rate-limit/rate-limit.ts';
import { matchesHost, matchesHostPattern } from './host-list.ts';
import type { OutgoingSource } from './outgoing.ts';
import { OWN_DOING } from './read-failure.ts';

/** The rate at which a host may be asked; `Infinity` lifts a bound. */
export interface ThrottleRule {
  /** The average number of requests a second. */
  readonly perSecond: number;
  /** Requests that may be sent at once after a pause. At least 1. */
  readonly burst: number;
  /** Requests that may run at the same time. At least 1. */
  readonly atOnce: number;
}

/** The hosts of one site, which share the budget of one rule. */
export interface ThrottledSite extends OutgoingSource {
  readonly rule: ThrottleRule;
}

export interface ThrottleRules {
  /** The rule of each host that neither `hosts` nor `sites` names. Each such host has a budget of its own. */
  readonly default?: ThrottleRule;
  /** Rules by host or `*.suffix`; the hosts of one pattern share one budget. The first pattern that matches is used. */
  readonly hosts?: Readonly<Record<string, ThrottleRule>>;
  /** Sites whose hosts are not named in `hosts`. With a limiter, all processes share a site's requests per second. */
  readonly sites?: readonly ThrottledSite[];
}

export type HostThrottle = ReturnType<typeof createHostThrottle>;

export interface HostThrottleOptions {
  readonly now?: () => number;
  /** A limiter that all processes share. Without it, and while it cannot be reached, each process counts alone. */
  readonly limiter?: RateLimiter | undefined;
}

const DEFAULT_RULE: ThrottleRule = { perSecond: 20, burst: 40, atOnce: 32 };
const MAX_WAITING = 256;
const MAX_GATES = 1000;

/**
 * In a bucket of at least `MIN_BURST_TO_KEEP` tokens, one token is kept for clients that were not served lately, so
 * that they need not wait behind busy clients.
 */
const KEPT_TOKENS = 1;
const MIN_BURST_TO_KEEP = 4;

/** Keeps requests to each host at a rate its owner tolerates: a token bucket, and a bound on concurrent requests. */
export function createHostThrottle(rules: ThrottleRules = {}, options: HostThrottleOptions = {}) {
  const { now = Date.now, limiter } = options;
  const patterns = Object.entries(rules.hosts ?? {});
  const gates = new Map<string, Gate>();

  /** The rule for a host. Hosts with the same rule name share a budget. */
  function ruleOf(host: string): { readonly name: string; readonly rule: ThrottleRule; readonly isSite?: boolean } {
    const named = patterns.find(([pattern]) => matchesHostPattern(pattern, host));
    if (named !== undefined) return { name: named[0], rule: named[1] };
    const site = rules.sites?.find(({ hosts }) => matchesHost(hosts, host));
    if (site !== undefined) return { name: site.id, rule: site.rule, isSite: true };
    return { name: host, rule: rules.default ?? DEFAULT_RULE };
  }

  return {
    /** @param outgoing the name of the outgoing address; requests to a host are counted separately for each address */
    gate(host: string, outgoing = ''): Gate {
      const { name, rule, isSite } = ruleOf(host);
      const key = `${name} ${outgoing}`;
      const known = gates.get(key);
      if (known !== undefined) return known;
      if (gates.size >= MAX_GATES) for (const [other, gate] of gates) if (gate.isIdle()) gates.delete(other);
      const share = isSite && limiter !== undefined ? shareOf(limiter, rule, key, now) : undefined;
      const gate = new Gate(rule, now, share);
      gates.set(key, gate);
      return gate;
    },
  };
}

/** Takes a token of the rate that all processes share. Resolves with the milliseconds to wait, or 0 if it got one. */
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

export class Gate {
  readonly #rule: ThrottleRule;
  readonly #now: () => number;
  readonly #share: Share | undefined;
  readonly #waiting = new FairQueue<Waiter>();
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

  /**
   * Takes a slot: undefined when one was free, else a promise of it; waiting clients take turns. Every slot must be
   * freed by `leave`.
   * @throws AppError `upstream_unavailable` when too many wait, else the deadline's failure. When the deadline's time
   * is over, the failure has `params.own`, because Medley's own throttle used up the time, not the host
   */
  enter(deadline: Deadline): Promise<void> | undefined {
    const own = this.#enterHere(deadline);
    return this.#share === undefined ? own : this.#enterShared(this.#share, own, deadline);
  }

  /** A request that has a slot in this process waits here for a token of the rate that all processes share. */
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
      if (displaced === undefined) throw queueIsFull();
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
          reject(queueIsFull());
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
    // A clock that was set back takes no tokens away. An infinite rate times 0 ms is NaN; the bucket is then full.
    if (gained > 0) this.#tokens = Math.min(this.#rule.burst, this.#tokens + gained);
    else if (this.#rule.perSecond === Number.POSITIVE_INFINITY) this.#tokens = this.#rule.burst;
  }

  #admitWaiting(): void {
    while (this.#waiting.size > 0 && this.#take(this.#neededTokens())) this.#waiting.shift()?.admit();
    if (this.#waiting.size > 0) this.#wakeLater();
  }

  /** The tokens that must be in the bucket before the next waiter may go. */
  #neededTokens(): number {
    return this.#waiting.isNextFresh || this.#rule.burst < MIN_BURST_TO_KEEP ? 1 : 1 + KEPT_TOKENS;
  }

  /** Sets a timer if only tokens are missing. Without a free slot it is not needed: `leave` admits the next waiter. */
  #wakeLater(): void {
    clearTimeout(this.#timer);
    if (this.#underWay >= this.#rule.atOnce) return;
    // The bucket is filled before the wait is computed: otherwise each new request would restart the wait of all.
    this.#fill();
    const waitMs = Math.max(1, Math.ceil(((this.#neededTokens() - this.#tokens) / this.#rule.perSecond) * 1000));
    this.#timer = setTimeout(() => this.#admitWaiting(), waitMs);
  }
}

function turnDidNotCome(cause: AppError): AppError {
  return new AppError(cause.code, 'its turn at the pace of this host did not come in time', { ...OWN_DOING, cause });
}

function queueIsFull(): AppError {
  return new AppError('upstream_unavailable', `${MAX_WAITING} requests wait for this host already`, OWN_DOING);
}
