/** Share links (`/share/reel/ID`, `ig.me/ID`): the site alone knows what they lead to, and shows it to non-browsers by a redirect. */
import { AppError } from '../../../errors.ts';
import type { HttpClient, HttpResponse } from '../../../infra/http/http-client.ts';
import { profileRequest, type RequestProfile } from '../../extract/request-profile.ts';
import { Body } from '../../parse/body.ts';
import { readMeta } from '../../parse/page-meta.ts';
import { followShortLink, type ShortLinkStep } from '../kit/redirects.ts';
import { failureOfStatus, redirectOf } from '../kit/refusal.ts';
import { failureOfPage, failureOfWall } from './parse/failures.ts';
import { matchInstagramLink, SHARE_LINK_HOSTS } from './parse/link.ts';

function postAt(address: string): ShortLinkStep | null {
  const match = URL.canParse(address) ? matchInstagramLink(new URL(address)) : undefined;
  return match?.kind === 'post' ? { target: match.ref.url } : null;
}

/** The post that the page itself names as its own, where it came without a redirect. */
function namedPost({ bytes }: HttpResponse): ShortLinkStep | null {
  const { canonical, og } = readMeta(new Body(bytes).head);
  return postAt(canonical ?? og.get('og:url') ?? '');
}

/** The step that a redirect's target is: found, one hop more, or an error. Nothing off the site is followed. */
function stepTo(target: URL): ShortLinkStep {
  const match = matchInstagramLink(target);
  if (match === undefined) {
    throw new AppError('unsupported_link', 'a share link off the site', { params: { what: 'page' } });
  }
  if (match.kind === 'short') return { next: match.url };
  const failure = match.kind === 'unsupported' ? failureOfWall(target.pathname) : null;
  if (failure !== null) throw failure;
  const inner = match.kind === 'wrapper' ? postAt(match.target) : { target: target.href };
  if (inner === null) throw new AppError('login_required', 'a share link that leads to the login page');
  return inner;
}

/**
 * Resolves to the address behind a share link, on Instagram and still unparsed.
 * @throws AppError `not_found`, `login_required`, `unsupported_link` (leads off the site), or any upstream code.
 */
export async function resolveShareLink(
  http: HttpClient,
  profile: RequestProfile,
  link: string,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<string> {
  const request = { ...profileRequest(profile, {}), hosts: SHARE_LINK_HOSTS, maxRedirects: 0, signal };
  return followShortLink(link, async url => {
    let answer = await http.request({ ...request, url, method: 'HEAD' });
    if (redirectOf(answer) === null) answer = await http.request({ ...request, url, method: 'GET' });
    const redirect = redirectOf(answer);
    if (redirect !== null) return stepTo(redirect);
    const named = answer.status === 200 ? namedPost(answer) : null;
    if (named !== null) return named;
    if ([404, 410].includes(answer.status)) throw new AppError('not_found', 'the share link leads nowhere');
    throw failureOfStatus(answer, now()) ?? failureOfPage(answer.text);
  });
}
