import { createHash } from 'node:crypto';
import type { Cookie } from 'tough-cookie';
import * as z from 'zod';
import type { Logger } from '../../infra/log.ts';
import type { RateLimiter } from '../../infra/rate-limit/rate-limit.ts';
import type { Collection } from '../../infra/store/records.ts';
import type { SourceId } from '../post.ts';
import { notAsked } from './refusal.ts';

/** The cookies of one account, which come from one file. */
export interface AccountCookies {
  /** The name of the file without its folder. */
  readonly name: string;
  readonly cookies: readonly Cookie[];
}

/** How often Medley may use one account: once in `everyMs`, and at most `perDay` times a day. */
export interface AccountPace {
  readonly everyMs: number;
  readonly perDay: number;
}

/** An account that may be used at this moment. */
interface Account extends AccountCookies {
  /**
   * Stops using the account for a while: for a day after a `challenge`, by which the site demands proof that a person
   * uses it; for ten minutes after `logged-out`.
   */
  pause(reason: keyof typeof PAUSES_MS): void;
}

export type Accounts = ReturnType<typeof createAccounts>;

export interface AccountPaused {
  readonly source: SourceId;
  readonly account: string;
  /** When the pause ends, unix milliseconds. */
  readonly until: number;
}

export interface AccountsOptions {
  readonly source: SourceId;
  /** The cookies of each account. An account without the cookie `sessionCookie` is not used. */
  readonly sessions: readonly AccountCookies[];
  readonly sessionCookie: string | undefined;
  readonly pace: AccountPace;
  /** A rate limiter that all processes with the same accounts share. */
  readonly limiter: RateLimiter;
  /** The collection `ACCOUNTS`, which stores the accounts' records. Without it nothing is stored. */
  readonly collection?: Collection<AccountRecord>;
  readonly log: Pick<Logger, 'warn'>;
  readonly now?: () => number;
  /** Called when the site wants proof that a person uses an account: the operator has to log in on the site. */
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

interface KnownAccount extends AccountCookies {
  /** The key is made from the session cookie, so newly exported cookies start without a history. */
  readonly key: string;
  record: AccountRecord;
}

/** The accounts of one site. The site may block an account, so each is used as little as possible. */
export function createAccounts(options: AccountsOptions) {
  const { source, pace, limiter, collection, log, now = Date.now, onChallenge } = options;
  const accounts = knownAccounts(options);
  const rule = { name: 'account-pace', limit: 1, windowMs: pace.everyMs, window: 'first' } as const;

  /** Milliseconds until the account may be used, as far as this process knows. */
  function waitMs({ record: { usedAt, day, uses, pausedUntil } }: KnownAccount): number {
    const at = now();
    const today = Math.floor(at / DAY_MS);
    const freeAt = day === today && uses >= pace.perDay ? (today + 1) * DAY_MS : 0;
    // A use in the future was recorded by a machine whose clock is ahead. It counts as a use at this moment.
    return Math.max(pausedUntil, freeAt, Math.min(usedAt, at) + pace.everyMs, at) - at;
  }

  async function read(account: KnownAccount): Promise<void> {
    try {
      const stored = await collection?.get(account.key);
      if (stored !== undefined && stored.usedAt >= account.record.usedAt) account.record = stored;
    } catch (error) {
      log.warn({ source, account: account.name, err: error }, 'what was asked of an account is not known');
    }
  }

  async function keep(account: KnownAccount, change: Partial<AccountRecord>): Promise<void> {
    account.record = { ...account.record, ...change };
    await collection?.set(account.key, account.record).catch((error: unknown) => {
      log.warn({ source, account: account.name, err: error }, 'what was asked of an account could not be kept');
    });
  }

  /** Uses the account if that is allowed and returns 0; otherwise returns the milliseconds to wait. */
  async function take(account: KnownAccount): Promise<number> {
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

  async function pause(account: KnownAccount, reason: keyof typeof PAUSES_MS): Promise<void> {
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
    /** Says whether at least one account may be used now, as far as this process knows. */
    isReady: () => accounts.some(account => waitMs(account) === 0),
    /**
     * Runs `ask` with the account that was unused for longest. This counts as one use, however many requests it makes.
     * @throws AppError saying that no request was made, if no account may be used now; any error of `ask`
     */
    async use<T>(ask: (account: Account) => Promise<T>): Promise<T> {
      const waits: number[] = [];
      for (const account of accounts.toSorted((a, b) => a.record.usedAt - b.record.usedAt)) {
        const wait = await take(account);
        const { name, cookies } = account;
        // `ask` need not wait until the pause is stored; if storing fails, `pause` logs it.
        if (wait === 0) return ask({ name, cookies, pause: reason => void pause(account, reason) });
        waits.push(wait);
      }
      throw notAsked(Math.min(...waits, DAY_MS));
    },
  };
}

/** The accounts that are logged in. Their keys do not reveal their sessions. */
function knownAccounts({ source, sessionCookie, sessions }: AccountsOptions): readonly KnownAccount[] {
  return sessions.flatMap(({ name, cookies }) => {
    const session = cookies.find(({ key }) => key === sessionCookie);
    if (session === undefined) return [];
    const key = `${source} ${createHash('sha256').update(session.value).digest('hex').slice(0, 16)}`;
    return [{ name, cookies, key, record: UNUSED }];
  });
}
