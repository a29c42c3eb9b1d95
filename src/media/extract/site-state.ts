/** Keeps what a site wants left alone: an endpoint, a strategy, all of it. */
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../infra/log.ts';
import type { GroupedCollection } from '../../infra/store/records.ts';
import type { Post, SourceId } from '../post.ts';
import { endpointOf, isLimit, notAsked } from './failures.ts';
import type { PostRef, Strategy } from './source.ts';

const moment = z.number().nonnegative();
const entry = z
  .object({ name: z.string().max(120), until: moment, times: z.number().int().min(0).max(1_000), at: moment })
  .readonly();

type Entry = z.infer<typeof entry>;

/** Every process finds here what another has noted. `at` says which note is the newest. */
export const SITE_STATES = { name: 'site-states', schema: entry, ttlMs: 36 * 3_600_000 } as const;

/**
 * Until when a site is to be left alone, by what that is about. Every process with one outgoing address goes by the same, over restarts
 * too; while the store is away each goes by what it knows.
 */
export interface SiteState {
  /** Reads what other processes have noted. Never rejects. */
  refresh(): Promise<void>;
  /** Unix milliseconds; 0 where nothing is known. */
  until(name: string): number;
  /** How often in a row it was set. */
  times(name: string): number;
  /** Known here at once, and to others soon. */
  set(name: string, until: number): void;
  /** Sets it for 1, 2, 4 and so on up to 30 minutes, by how often in a row that was done, and a little more by chance. */
  coolDown(name: string): void;
  clear(name: string): void;
  /** Waits until all is written. */
  close(): Promise<void>;
}

export interface SiteStateOptions {
  readonly source: SourceId;
  /** The address by which the site sees us. Default `direct`. */
  readonly outgoing?: string;
  /** The collection `SITE_STATES`. None: nothing is shared or kept. */
  readonly collection?: GroupedCollection<Entry> | undefined;
  readonly log: Pick<Logger, 'warn'>;
  readonly now?: (() => number) | undefined;
}

/** Another process's note counts here after this long at most. */
const REREAD_MS = 1_000;
const FIRST_COOLDOWN_MS = 60_000;
const MAX_COOLDOWN_MS = 30 * 60_000;
/** Processes that began to wait together come back apart. */
const JITTER = 0.2;
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 6 * 3_600_000;

export function createSiteState(options: SiteStateOptions): SiteState {
  const { source, outgoing = 'direct', collection, log, now = Date.now } = options;
  const group = `${source} ${outgoing}`;
  const entries = new Map<string, Entry>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  let writing = Promise.resolve();

  async function read(): Promise<void> {
    readAt = now();
    for (const each of (await collection?.listGroup(group)) ?? []) {
      // The note of a clock that is ahead must not stand for ever.
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
    async refresh() {
      if (reading === undefined && Math.abs(now() - readAt) < REREAD_MS) return;
      reading ??= read()
        .catch(error => log.warn({ source, err: error }, 'what a site asked of others is not known'))
        .finally(() => {
          reading = undefined;
        });
      await reading;
    },
    until: name => entries.get(name)?.until ?? 0,
    times,
    set,
    coolDown(name) {
      const ms = Math.min(FIRST_COOLDOWN_MS * 2 ** times(name), MAX_COOLDOWN_MS);
      set(name, now() + Math.round(ms * (1 + JITTER * Math.random())));
    },
    clear(name) {
      if (times(name) > 0) change({ name, until: 0, times: 0, at: now() });
    },
    close: () => writing,
  };
}

const endpointName = (strategy: Pick<Strategy, 'name'>) => `endpoint ${endpointOf(strategy)}`;

/** Unix milliseconds until which the site wants the endpoint of a strategy left alone, by all who ask it. */
export function leftAloneUntil(site: SiteState, strategy: Pick<Strategy, 'name'>): number {
  return site.until(endpointName(strategy));
}

/**
 * Asks by one strategy unless its endpoint is to be left alone. A limit has it left alone for as long as the site says, or longer each
 * time where it does not say.
 * @throws anything that the strategy does
 */
export async function askEndpoint(
  site: SiteState,
  strategy: Strategy,
  ref: PostRef,
  signal: AbortSignal,
  now: () => number,
): Promise<Post> {
  const name = endpointName(strategy);
  const waitMs = site.until(name) - now();
  if (waitMs > 0) throw notAsked(waitMs);
  try {
    const post = await strategy.run(ref, signal);
    if (site.until(name) <= now()) site.clear(name);
    return post;
  } catch (error) {
    if (error instanceof AppError && isLimit(error)) {
      const { retryAfterMs } = error;
      if (retryAfterMs === undefined) site.coolDown(name);
      else site.set(name, now() + Math.min(Math.max(retryAfterMs, MIN_WAIT_MS), MAX_WAIT_MS));
    }
    throw error;
  }
}
