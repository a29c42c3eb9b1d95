import { createLru } from '../../cache/create-lru.ts';
import type { Deadline } from '../../concurrency/deadline.ts';
import { type ResolveHost, refuseNonPublic } from './address-guard.ts';

const LOOKUP_MS = 1_000;
const VERDICT_MS = 60_000;

/**
 * Checks the target of a proxied request, which the proxy connects to: refused when it resolves to an address that is not public.
 * Undefined when the host has passed already.
 */
export type TargetGuard = (host: string, deadline: Deadline) => Promise<void> | undefined;

export function createTargetGuard(resolve: ResolveHost): TargetGuard {
  const passed = createLru<string, true>({ max: 1_000, ttl: VERDICT_MS });

  async function check(host: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<readonly never[]>(done => {
      timer = setTimeout(done, LOOKUP_MS, []);
    });
    // Behind a proxy there may be no name service at all: a name unknown here is the proxy's to judge.
    const found = await Promise.race([resolve(host).catch(() => []), tooSlow]);
    clearTimeout(timer);
    const refusal = refuseNonPublic(host, found);
    if (refusal !== undefined) throw refusal;
    passed.set(host, true);
  }

  return (host, deadline) => (passed.has(host) ? undefined : deadline.race(check(host)));
}
