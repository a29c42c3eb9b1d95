import type { Redis } from 'ioredis';

/** Keys end as much earlier, as if that time had passed. */
export async function letKeysAge(admin: Redis, ms: number): Promise<void> {
  for (const key of await admin.keys('*')) {
    const left = await admin.pttl(key);
    // Below zero: it stays, or is gone.
    if (left >= 0) await (left <= ms ? admin.del(key) : admin.pexpire(key, left - ms));
  }
}
