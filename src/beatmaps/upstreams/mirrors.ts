import type { ThrottleRule } from '../../infra/http/host-throttle.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { MIRROR_SITES } from './mirror-sites.ts';

export interface MirrorsOptions {
  readonly http: HttpClient;
  /** Of one request. Default 4000. */
  readonly timeoutMs?: number;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

/** What the mirrors tolerate, by host; well below what they allow. */
export const MIRROR_THROTTLES: Readonly<Record<string, ThrottleRule>> = Object.fromEntries(
  MIRROR_SITES.map(({ host, throttle }) => [host, throttle]),
);

/** Every mirror, in the order to begin with. */
export function createMirrors({ http, timeoutMs = 4_000, now = Date.now }: MirrorsOptions): readonly Mirror[] {
  return MIRROR_SITES.map(site => createMirror(site, { http, timeoutMs, now }));
}
