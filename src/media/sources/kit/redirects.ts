import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';

/**
 * Asks for a page and goes where `nextOf` says, at most `maxHops` times. What is still a redirect then is the answer.
 * @param nextOf null for an answer that stands as it is
 */
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

/** One hop of a short link leads to the address of a post, or to one that is asked next. */
export type ShortLinkStep = { readonly target: string } | { readonly next: string };

const MAX_SHORT_HOPS = 5;

/**
 * Resolves to the address behind a short link, hop by hop.
 * @throws AppError what `step` throws; `upstream_changed` for a link that leads in circles.
 */
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
