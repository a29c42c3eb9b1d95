/** Remembers until when an endpoint, a strategy or a whole site must not be asked. */
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
 * Cooldowns that all processes share. Of two with the same name, the one with the later time of writing (`at`) counts.
 * The collection's name is the one under which earlier versions stored them.
 */
export const COOLDOWNS = { name: 'site-states', schema: entry, ttlMs: 36 * 3_600_000 } as const;

export type Cooldowns = ReturnType<typeof createCooldowns>;

export interface CooldownOptions {
  readonly source: SourceId;
  /** The name of the outgoing address whose cooldowns these are. Default `direct`. */
  readonly outgoing?: string;
  /** The collection `COOLDOWNS`. Without it nothing is shared or stored. */
  readonly collection?: GroupedCollection<Entry> | undefined;
  readonly log: Pick<Logger, 'warn'>;
  readonly now?: (() => number) | undefined;
}

/** How long a cooldown that another process has set may be unknown in this one. */
const REREAD_MS = 1_000;
const FIRST_COOLDOWN_MS = 60_000;
const MAX_COOLDOWN_MS = 30 * 60_000;
/** A random share added to a cooldown, so that processes that began to wait together end at different times. */
const JITTER = 0.2;
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 6 * 3_600_000;

/**
 * Until when a site, or an endpoint or strategy of it, must not be asked, by name. Processes with the same outgoing
 * address share these times, also after restarts; without the store each process uses its own.
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
      // A record may come from a process whose clock is ahead; it must not count as the newest for ever.
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
    /** Unix milliseconds; 0 when the name is not cooling down. */
    until: (name: string) => entries.get(name)?.until ?? 0,
    /** How many times in a row the name was cooled down. */
    times,
    /** Sets a cooldown: in this process at once, in others after at most `REREAD_MS`. */
    set,
    /** Sets a cooldown of 1 minute, doubled for each earlier cooldown in a row up to 30 minutes, plus a small random part. */
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

/** The name of the cooldown of a strategy's endpoint: until its end no caller may ask the endpoint. */
export function endpointName(strategy: Pick<Strategy, 'name'>): string {
  return `endpoint ${endpointOf(strategy)}`;
}

/**
 * Runs what asks an endpoint, unless the endpoint is cooling down. If the site states a rate limit, the endpoint cools
 * down for as long as the site says, or else longer each time.
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
