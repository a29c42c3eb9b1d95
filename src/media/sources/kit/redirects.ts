import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';

/** Follows redirects until `nextOf` returns null. A redirect after `maxHops` is returned as the answer. */
export async function followRedirects(
  url: string,
  ask: (url: string | URL) => Promise<HttpResponse>,
  nextOf: (response: HttpResponse) => URL | null,
  maxHops: number,
): Promise<HttpResponse> {
  let response = await ask(url);
  for (let hop = 0; hop < maxHops; hop += 1) {
    const next = nextOf(response);
    if (next === null) break;
    response = await ask(next);
  }
  return response;
}

/** The result of one step of a short link: the address of a post, or the address to request next. */
export type ShortLinkStep = { readonly target: string } | { readonly next: string };

const MAX_SHORT_HOPS = 5;

/** @throws AppError whatever `step` throws; `upstream_changed` for a link that leads in circles. */
export async function followShortLink(url: string, step: (url: string) => Promise<ShortLinkStep>): Promise<string> {
  let current = url;
  for (let hop = 0; hop < MAX_SHORT_HOPS; hop += 1) {
    const found = await step(current);
    if ('target' in found) return found.target;
    if (found.next === current) break;
    current = found.next;
  }
  throw new AppError('upstream_changed', 'a short link that leads in circles');
}
