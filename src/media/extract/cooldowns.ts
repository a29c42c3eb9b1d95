/** Remembers until when an endpoint is not asked, a strategy runs after all others, and a site's breaker is open. */
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { GroupedCollection } from '../../infra/store/records.ts';
import type { SourceId } from '../post.ts';
import { isLimit, notAsked } from './refusal.ts';
import { endpointOf, type Strategy } from './source.ts';

const moment = z.number().nonnegative();
const entry = z
  .object({ name: z.string().max(120), until: moment, times: z.number().int().min(0).max(1_000), at: moment })
  .readonly();

type Entry = z.infer<typeof entry>;

/**
 * Cooldowns that all processes share. If two have the same name, the one that was written later (`at`) counts. The
 * collection is still called `site-states`, because earlier versions stored it under that name.
 */
export const COOLDOWNS = { name: 'site-states', schema: entry, ttlMs: 36 * 3_600_000 } as const;

export type Cooldowns = ReturnType<typeof createCooldowns>;

export interface CooldownOptions {
  readonly source: SourceId;
  /** The name of the outgoing address that has these cooldowns. Default `direct`. */
  readonly outgoing?: string;
  /** The collection `COOLDOWNS`, which stores the cooldowns. Without it nothing is shared or stored. */
  readonly collection?: GroupedCollection<Entry> | undefined;
  readonly log: Pick<Logger, 'warn'>;
  readonly now?: (() => number) | undefined;
}

/** How old this process's knowledge of other processes' cooldowns may be. */
const REREAD_MS = 1_000;
const FIRST_COOLDOWN_MS = 60_000;
const MAX_COOLDOWN_MS = 30 * 60_000;
/** A random share is added to each cooldown, so that processes do not all ask again at the same moment. */
const JITTER = 0.2;
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 6 * 3_600_000;

/**
 * The ends of a site's cooldowns by name: of its endpoints, its strategies and its breaker. Processes with the same
 * outgoing address share them, also after restarts; without the store each process has its own.
 */
export function createCooldowns(options: CooldownOptions) {
  const { source, outgoing = 'direct', collection, log, now = Date.now } = options;
  const group = `${source} ${outgoing}`;
  const entries = new Map<string, Entry>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let writing = Promise.resolve();

  async function read(): Promise<void> {
    readAt = now();
    for (const each of (await collection?.listGroup(group)) ?? []) {
      // The clock of the process that wrote a record may be ahead; its record must not count as the newest for ever.
      if (Math.min(each.at, now()) > (entries.get(each.name)?.at ?? -1)) entries.set(each.name, each);
    }
  }

  const times = (name: string) => entries.get(name)?.times ?? 0;
  const set = (name: string, until: number) =>
    change({ name, until, times: Math.min(times(name) + 1, 1_000), at: now() });

  function change(changed: Entry): void {
    entries.set(changed.name, changed);
    writing = writing
      .then(() => collection?.set(`${group} ${changed.name}`, changed, group))
      .catch(error => log.warn({ source, err: error }, 'what a site asked for could not be shared'));
  }

  return {
    /** Reads the cooldowns that other processes have set. Never rejects. */
    async refresh() {
      if (reading === undefined && Math.abs(now() - readAt) < REREAD_MS) return;
      reading ??= read()
        .catch(error => log.warn({ source, err: error }, 'what a site asked of others is not known'))
        .finally(() => {
          reading = undefined;
        });
      await reading;
    },
    /** The end of the latest cooldown of that name, unix milliseconds; 0 when there is none. */
    until: (name: string) => entries.get(name)?.until ?? 0,
    /** How many cooldowns in a row the name has had since it was last cleared. */
    times,
    /** Sets a cooldown. This process knows it at once, other processes after at most `REREAD_MS`. */
    set,
    /** Sets a cooldown of 1 minute, doubled after each earlier one in a row (at most 30 min), plus a random part. */
    coolDown(name: string) {
      const ms = Math.min(FIRST_COOLDOWN_MS * 2 ** times(name), MAX_COOLDOWN_MS);
      set(name, now() + Math.round(ms * (1 + JITTER * Math.random())));
    },
    clear(name: string) {
      if (times(name) > 0) change({ name, until: 0, times: 0, at: now() });
    },
    /** Waits until all cooldowns are stored. */
    close: () => writing,
  };
}

/** The name of the cooldown of a strategy's endpoint. During that cooldown the endpoint is not asked. */
export function endpointName(strategy: Pick<Strategy, 'name'>): string {
  return `endpoint ${endpointOf(strategy)}`;
}

/**
 * Runs `ask`, unless the endpoint is cooling down. If the site answers with a rate limit, the endpoint cools down for
 * the time that the site states. If it states none, each cooldown in a row is longer than the one before.
 * @param strategy the strategy that asks, or an object with the endpoint's name
 * @throws any error of `ask`
 */
export async function askEndpoint<Answer>(
  cooldowns: Cooldowns,
  strategy: Pick<Strategy, 'name'>,
  ask: () => Promise<Answer>,
  now: () => number,
): Promise<Answer> {
  const name = endpointName(strategy);
  const waitMs = cooldowns.until(name) - now();
  if (waitMs > 0) throw notAsked(waitMs);
  try {
    const answer = await ask();
    if (cooldowns.until(name) <= now()) cooldowns.clear(name);
    return answer;
  } catch (error) {
    if (error instanceof AppError && isLimit(error)) {
      const { retryAfterMs } = error;
      if (retryAfterMs === undefined) cooldowns.coolDown(name);
      else cooldowns.set(name, now() + Math.min(Math.max(retryAfterMs, MIN_WAIT_MS), MAX_WAIT_MS));
    }
    throw error;
  }
}
