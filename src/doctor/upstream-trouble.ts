import { AppError } from '../errors.ts';
import type { Finding } from '../platforms/platform.ts';

/** A finding for an upstream of beatmaps that did not answer a plain question. */
export function trouble(upstream: string, error: unknown): Finding {
  const reason = error instanceof AppError ? error.message : String(error);
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'upstream_rate_limited') {
    return { state: 'note', what: `${upstream} asks this address to slow down`, remedy: 'Wait, and look again.' };
  }
  const what = `${upstream} cannot be asked: ${reason}`;
  if (code === 'upstream_changed' || code === 'forbidden') {
    return { state: 'wrong', what, remedy: 'Look for a newer release; a proxy or a firewall may answer in its place.' };
  }
  return { state: 'wrong', what, remedy: 'Check the network, DNS and UPSTREAM_PROXY; else it has trouble of its own.' };
}
