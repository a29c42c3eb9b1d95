import type { Cookie } from 'tough-cookie';
import { createMemoryRateLimiter } from '../../src/infra/rate-limit/rate-limit.ts';
import { type Accounts, createAccounts } from '../../src/media/extract/accounts.ts';
import { silentLog } from './instagram-upstream.ts';

/** One account that may be asked as often as a test likes. */
export function openAccounts(sessionCookie: string, cookies: readonly Cookie[]): Accounts {
  const limiter = createMemoryRateLimiter();
  return createAccounts({
    source: 'test',
    sessions: [{ name: 'cookies.txt', cookies }],
    sessionCookie,
    pace: { everyMs: 0, perDay: 1_000_000 },
    limiter: { consume: (rule, key) => limiter.consume({ ...rule, limit: 1_000_000, windowMs: 1_000 }, key) },
    log: silentLog,
  });
}
