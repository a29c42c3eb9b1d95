/** Share links (`/share/reel/ID`, `ig.me/ID`): the site alone knows what they lead to, and shows it to non-browsers by a redirect. */
import { AppError } from '../../../errors.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import { profileRequest } from '../../extract/request-profile.ts';
import { followShortLink, type ShortLinkStep } from '../kit/redirects.ts';
import { failureOfStatus, redirectOf } from '../kit/refusal.ts';
import { type InstagramConstants, SHORT_HOSTS } from './constants.ts';
import { failureOfPage, failureOfPath } from './failures.ts';
import { matchInstagramLink } from './link.ts';

export interface ShareLinkOptions {
  readonly http: HttpClient;
  readonly constants: InstagramConstants;
  readonly now: () => number;
}

/** The page's own word for its address, where it came without a redirect. */
function canonicalOf(html: string): URL | null {
  const head = html.slice(0, 200_000);
  const found =
    /<link\s[^>]{0,200}?rel="canonical"[^>]{0,200}?href="([^"]{1,500})"/.exec(head) ??
    /<meta\s[^>]{0,200}?property="og:url"[^>]{0,200}?content="([^"]{1,500})"/.exec(head);
  const address = found?.[1]?.replaceAll('&amp;', '&') ?? '';
  return URL.canParse(address) ? new URL(address) : null;
}

function failureOf(response: HttpResponse, now: number): AppError {
  if (response.status === 404 || response.status === 410)
    return new AppError('not_found', 'the share link leads nowhere');
  return failureOfStatus(response, now) ?? failureOfPage(response.text);
}

/** What a redirect's target means: found, one hop more, or an error. Nothing off the site is followed. */
function stepTo(target: URL): ShortLinkStep {
  const match = matchInstagramLink(target);
  if (match === undefined)
    throw new AppError('unsupported_link', 'a share link off the site', { params: { what: 'page' } });
  if (match.kind === 'short') return { next: match.url };
  if (match.kind === 'wrapper') {
    const inner = URL.canParse(match.target) ? matchInstagramLink(new URL(match.target)) : undefined;
    if (inner?.kind === 'post') return { target: inner.ref.url };
    throw new AppError('login_required', 'a share link that leads to the login page');
  }
  const failure = match.kind === 'unsupported' ? failureOfPath(target.pathname) : null;
  if (failure !== null) throw failure;
  return { target: target.href };
}

/**
 * Resolves to the address behind a share link, on Instagram and still unparsed.
 * @throws AppError `not_found`, `login_required`, `unsupported_link` (leads off the site), or any upstream code.
 */
export function createShareLinkResolver({ http, constants, now }: ShareLinkOptions) {
  async function ask(url: string, method: 'HEAD' | 'GET', signal: AbortSignal): Promise<HttpResponse> {
    return http.request({
      ...profileRequest(constants.profiles['share-link'], {}),
      url,
      method,
      hosts: SHORT_HOSTS,
      maxRedirects: 0,
      signal,
    });
  }

  async function step(url: string, signal: AbortSignal): Promise<ShortLinkStep> {
    const redirect = redirectOf(await ask(url, 'HEAD', signal));
    if (redirect !== null) return stepTo(redirect);
    const page = await ask(url, 'GET', signal);
    const target = redirectOf(page);
    if (target !== null) return stepTo(target);
    const canonical = page.status === 200 ? canonicalOf(page.text) : null;
    const named = canonical === null ? undefined : matchInstagramLink(canonical);
    if (named?.kind === 'post') return { target: named.ref.url };
    throw failureOf(page, now());
  }

  return (url: string, signal: AbortSignal): Promise<string> => followShortLink(url, at => step(at, signal));
}
