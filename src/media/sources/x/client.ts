/** The requests that X is asked with. Each resolves to whatever the site answered, refusals too. */
import { AppError, toAppError } from '../../../errors.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { workContext } from '../../../infra/concurrency/work-context.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import { profileRequest } from '../../extract/request-profile.ts';
import { siteAnswer } from '../../parse/body.ts';
import { child, parseJson } from '../../parse/json-search.ts';
import { failureOfStatus, redirectOf } from '../kit/refusal.ts';
import type { XConstants } from './constants.ts';
import { failureOfHead } from './failures.ts';
import { SHORT_HOST } from './parse/link.ts';

/** A visitor without an account, as the site counts them. */
interface Guest {
  /** Never rejects. */
  readonly token: Promise<string | AppError>;
  readonly since: number;
  until: number;
}

const API = 'api.x.com';
const SYNDICATION = 'cdn.syndication.twimg.com';
/** The longest posts have 25,000 characters. */
const MAX_BYTES = 384 * 1024;
const GUEST_MS = 3_600_000;
/** Between one activation and the next, whatever became of it. */
const PAUSE_MS = 60_000;

/** The widgets of other sites compute it of the id. */
function syndicationToken(id: string): string {
  return ((Number(id) / 1e15) * Math.PI).toString(36).replace(/0+|\./g, '');
}

export function createXClient(http: HttpClient, { profiles, queryId, features }: XConstants, now: () => number) {
  /** As many as there are outgoing addresses: the site ties a guest to theirs. */
  const guests = new Map<string, Guest>();
  const flags = JSON.stringify(Object.fromEntries(features.split(',').map(name => [name, true])));

  function ask(
    name: keyof typeof profiles,
    host: string,
    {
      headers = {},
      ...request
    }: Pick<HttpRequest, 'method' | 'headers' | 'body' | 'signal'> & { readonly url: string },
  ): Promise<HttpResponse> {
    const bounds = { hosts: [host], maxBytes: MAX_BYTES, maxRedirects: 0, retries: 0 };
    return http.request({ ...profileRequest(profiles[name], headers), ...bounds, ...request });
  }

  async function activate(): Promise<string> {
    const url = `https://${API}/1.1/guest/activate.json`;
    const answer = await ask('guest-query', API, { url, method: 'POST', body: '' });
    const token = child(parseJson(answer.text), 'guest_token');
    if (typeof token === 'string' && /^\d{1,30}$/.test(token)) return token;
    throw failureOfHead(siteAnswer(answer), now()) ?? new AppError('upstream_changed', 'no guest was made');
  }

  function currentGuest(): Guest {
    const key = workContext().outgoing ?? '';
    const known = guests.get(key);
    if (known !== undefined && now() < known.until) return known;
    const keep = <T>(made: T, ms: number): T => {
      guest.until = now() + ms;
      return made;
    };
    const token = activate().then(
      made => keep(made, GUEST_MS),
      error => keep(toAppError(error), Math.max(toAppError(error).retryAfterMs ?? 0, PAUSE_MS)),
    );
    const guest: Guest = { token, since: now(), until: Number.POSITIVE_INFINITY };
    guests.set(key, guest);
    return guest;
  }

  return {
    syndication(id: string, signal: AbortSignal): Promise<HttpResponse> {
      const query = new URLSearchParams({ id, lang: 'en', token: syndicationToken(id) });
      return ask('syndication', SYNDICATION, { url: `https://${SYNDICATION}/tweet-result?${query}`, signal });
    },

    /** A guest that the site does not take any more is replaced once. @throws AppError why there is no guest */
    async query(id: string, signal: AbortSignal): Promise<HttpResponse> {
      const variables = { tweetId: id, withCommunity: false, includePromotedContent: false, withVoice: false };
      const query = new URLSearchParams({ variables: JSON.stringify(variables), features: flags });
      const url = `https://${API}/graphql/${queryId}/TweetResultByRestId?${query}`;
      for (;;) {
        const guest = currentGuest();
        const token = await abortable(guest.token, signal);
        if (token instanceof AppError) throw token;
        const answer = await ask('guest-query', API, { url, headers: { 'x-guest-token': token }, signal });
        const isRefused = answer.status === 401 || answer.status === 403;
        if (!isRefused || now() - guest.since < PAUSE_MS) return answer;
        guest.until = 0;
      }
    },

    /** Where a short link leads; that is not asked. @throws AppError `not_found`, `upstream_changed` or what the status means */
    async resolveShort(url: string, signal: AbortSignal): Promise<string> {
      const answer = await ask('short-link', SHORT_HOST, { url, signal });
      const target = redirectOf(answer);
      if (target !== null) return target.href.replace(/^http:/, 'https:');
      throw failureOfStatus(answer, now()) ?? new AppError('upstream_changed', 'the short link leads nowhere');
    },
  };
}
