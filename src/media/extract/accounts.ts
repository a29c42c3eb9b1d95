import { createHash } from 'node:crypto';
import type { Cookie } from 'tough-cookie';
import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { RateLimiter } from '../../infra/rate-limit/rate-limit.ts';
import type { Collection } from '../../infra/store/records.ts';
import type { SourceId } from '../post.ts';
import { notAsked } from './failures.ts';

/** The cookies that one file holds. */
export interface AccountCookies {
  /** The file's name without its folder. */
  readonly name: string;
  readonly cookies: readonly Cookie[];
}

/** How often one account may be asked. */
export interface AccountPace {
  readonly everyMs: number;
  readonly perDay: number;
}

/** An account whose turn it is. */
export interface Account extends AccountCookies {
  /** `challenge`: the site wants a person to prove who they are, for which it is left alone a day; `logged-out`: ten minutes. */
  pause(reason: keyof typeof PAUSES_MS): void;
}

/** The accounts of one site. They can be blocked, so each is asked as little as can be. */
export interface Accounts {
  readonly isEmpty: boolean;
  /** Says whether one of them may be asked now, by what is known here. */
  isReady(): boolean;
  /**
   * Asks by the account that was not asked for longest. One use counts as one, however many requests it takes.
   * @throws AppError that it was not asked, when none may be now; anything that `ask` throws
   */
  use<T>(ask: (account: Account) => Promise<T>): Promise<T>;
}

export interface AccountPaused {
  readonly source: SourceId;
  readonly account: string;
  /** Unix milliseconds. */
  readonly until: number;
}

export interface AccountsOptions {
  readonly source: SourceId;
  /** Those without the session's cookie are left out. */
  readonly sessions: readonly AccountCookies[];
  readonly sessionCookie: string | undefined;
  readonly pace: AccountPace;
  /** Shared by all processes that use the same accounts. */
  readonly limiter: RateLimiter;
  /** The collection `ACCOUNTS`. None: nothing is kept. */
  readonly collection?: Collection<AccountRecord>;
  readonly log: Pick<Logger, 'warn'>;
  readonly now?: () => number;
  /** The site wants a person: someone has to look after the account. */
  readonly onChallenge?: (paused: AccountPaused) => void;
}

const moment = z.number().nonnegative();
const accountRecord = z
  .object({ usedAt: moment, day: moment, uses: z.number().int().nonnegative(), pausedUntil: moment })
  .readonly();

type AccountRecord = z.infer<typeof accountRecord>;

export const ACCOUNTS = { name: 'accounts', schema: accountRecord, ttlMs: 2 * 86_400_000 } as const;

const DAY_MS = 86_400_000;
const PAUSES_MS = { challenge: DAY_MS, 'logged-out': 10 * 60_000 };
const UNUSED: AccountRecord = { usedAt: 0, day: 0, uses: 0, pausedUntil: 0 };

/** By its session, so that cookies that are exported anew begin anew. @param source whose account it is */
function accountKey(source: SourceId, session: string): string {
  return `${source} ${createHash('sha256').update(session).digest('hex').slice(0, 16)}`;
}

interface Kept extends AccountCookies {
  readonly key: string;
  record: AccountRecord;
}

export function createAccounts(options: AccountsOptions): Accounts {
  const { source, sessionCookie, pace, limiter, collection, log, now = Date.now, onChallenge } = options;
  const accounts: readonly Kept[] = options.sessions.flatMap(({ name, cookies }) => {
    const session = cookies.find(({ key }) => key === sessionCookie);
    return session === undefined ? [] : [{ name, cookies, key: accountKey(source, session.value), record: UNUSED }];
  });
  const rule = { name: 'account-pace', limit: 1, windowMs: pace.everyMs, window: 'first' } as const;

  /** Until it may be asked, by what is known here. */
  function waitMs({ record: { usedAt, day, uses, pausedUntil } }: Kept): number {
    const at = now();
    const today = Math.floor(at / DAY_MS);
    const freeAt = day === today && uses >= pace.perDay ? (today + 1) * DAY_MS : 0;
    // A use in the future was noted by a clock that is ahead.
    return Math.max(pausedUntil, freeAt, Math.min(usedAt, at) + pace.everyMs, at) - at;
  }

  async function read(account: Kept): Promise<void> {
    try {
      const stored = await collection?.get(account.key);
      if (stored !== undefined && stored.usedAt >= account.record.usedAt) account.record = stored;
    } catch (error) {
      log.warn({ source, account: account.name, err: error }, 'what was asked of an account is not known');
    }
  }

  async function keep(account: Kept, change: Partial<AccountRecord>): Promise<void> {
    account.record = { ...account.record, ...change };
    try {
      await collection?.set(account.key, account.record);
    } catch (error) {
      log.warn({ source, account: account.name, err: error }, 'what was asked of an account could not be kept');
    }
  }

  /** Milliseconds to wait; 0 when its turn was taken. */
  async function take(account: Kept): Promise<number> {
    const known = waitMs(account);
    if (known > 0) return known;
    const { allowed, resetAt } = await limiter.consume(rule, account.key);
    if (!allowed) return Math.max(1, resetAt - now());
    await read(account);
    const wait = waitMs(account);
    if (wait > 0) return wait;
    const today = Math.floor(now() / DAY_MS);
    const { day, uses } = account.record;
    await keep(account, { usedAt: now(), day: today, uses: day === today ? uses + 1 : 1 });
    return 0;
  }

  async function pause(account: Kept, reason: keyof typeof PAUSES_MS): Promise<void> {
    const until = now() + PAUSES_MS[reason];
    log.warn(
      { source, account: account.name, reason, until: new Date(until).toISOString() },
      'an account is left alone',
    );
    if (reason === 'challenge') onChallenge?.({ source, account: account.name, until });
    await keep(account, { pausedUntil: until });
  }

  return {
    isEmpty: accounts.length === 0,
    isReady: () => accounts.some(account => waitMs(account) === 0),
    async use(ask) {
      const waits: number[] = [];
      for (const account of accounts.toSorted((a, b) => a.record.usedAt - b.record.usedAt)) {
        const wait = await take(account);
        const { name, cookies } = account;
        // Failures of a pause are logged where they happen.
        if (wait === 0) return ask({ name, cookies, pause: reason => void pause(account, reason) });
        waits.push(wait);
      }
      throw notAsked(Math.min(...waits, DAY_MS));
    },
  };
}
