import { AppError, toAppError } from '../../../errors.ts';
import { abortable } from '../../../infra/concurrency/abortable.ts';
import { workContext } from '../../../infra/concurrency/work-context.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../infra/http/http-client.ts';
import { askEndpoint, createSiteState } from '../../extract/site-state.ts';
import { isUsable, type MediaSource, type PostRef, profileRequest, type Strategy } from '../../extract/source.ts';
import type { SourceOptions } from '../../extract/source-descriptor.ts';
import { type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, parseJson } from '../../parse/json-fields.ts';
import { type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { failureOfStatus, redirectOf } from '../kit/refusal.ts';
import { createSource } from '../kit/source.ts';
import { createXConstants, X_EXAMPLES, type XConstants } from './constants.ts';
import { failureOfErrors, failureOfHead, failureOfResult, failureOfWords } from './failures.ts';
import { matchXLink, SHORT_HOST, xRefOf } from './parse/link.ts';
import { X_MEDIA_HOSTS } from './parse/media.ts';
import { findTweet, readTweet } from './parse/tweet.ts';

export function createXSource(options: SourceOptions): MediaSource {
  const { http, log, extraStrategies = [], now = Date.now } = options;
  const site = options.site ?? createSiteState({ source: 'x', log, now });
  const constants = createXConstants(options.upstreamConstants);
  const client = createXClient(http, constants, now);
  /**
   * Posts that syndication withholds from visitors, by the reference object of one call: for these, the query may report that they do not
   * exist.
   */
  const withheld = new WeakSet<PostRef>();

  function strategy(strategy: 'syndication' | 'guest-query', run: Strategy['run']): Strategy {
    const profile = constants.profiles[strategy];
    return { name: strategy, profile, isAvailable: () => isUsable(profile, http), run };
  }

  const byQuery = strategy('guest-query', async (ref, signal) => {
    try {
      const answer = siteAnswer(await client.query(ref.id, signal));
      return readXAnswer(answer, { ref, kind: 'query', strategy: 'guest-query', now: now() }).post;
    } catch (error) {
      const isKept = error instanceof AppError && error.code === 'not_found' && withheld.has(ref);
      throw isKept ? new AppError('login_required', 'kept from visitors', { cause: error }) : error;
    }
  });
  const bySyndication = strategy('syndication', async (ref, signal) => {
    const answer = siteAnswer(await client.syndication(ref.id, signal));
    try {
      const { post, isCut } = readXAnswer(answer, { ref, kind: 'embed', strategy: 'syndication', now: now() });
      if (!isCut) return post;
      return await askEndpoint(site, byQuery, ref, signal, now).catch(error => {
        log.info({ source: 'x', id: ref.id, err: error }, 'only the beginning of a long text is known');
        return post;
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'login_required') withheld.add(ref);
      throw error;
    }
  });

  return createSource(
    { ...options, site },
    {
      id: 'x',
      match: matchXLink,
      refOf: xRefOf,
      resolveShort: (url, { signal }) => client.resolveShort(url, signal),
      strategies: [bySyndication, byQuery, ...extraStrategies.map(one => ({ ...one, isLastResort: true }))],
      examples: X_EXAMPLES,
      mediaHosts: X_MEDIA_HOSTS,
      canFetchStories: false,
    },
  );
}

// The requests to X. Each resolves with the site's answer, even when that is a refusal.

/** A visitor without an account, as the site identifies them by a token. */
interface Guest {
  /** Never rejects. */
  readonly token: Promise<string | AppError>;
  readonly since: number;
  until: number;
}

const API = 'api.x.com';
const SYNDICATION = 'cdn.syndication.twimg.com';
/** Answers are small: the longest posts have 25,000 characters. */
const MAX_BYTES = 384 * 1024;
const GUEST_MS = 3_600_000;
/** The shortest time between two activations of a guest token, whether they succeed or not. */
const PAUSE_MS = 60_000;

/** Computes the token as the site's widgets do it, from the post's id. */
function syndicationToken(id: string): string {
  return ((Number(id) / 1e15) * Math.PI).toString(36).replace(/0+|\./g, '');
}

function createXClient(http: HttpClient, { profiles, queryId, features }: XConstants, now: () => number) {
  /** Guests by outgoing address, because the site ties a guest token to the address. */
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

    /**
     * Runs the query; a guest token that the site no longer accepts is replaced once.
     * @throws AppError why there is no guest token
     */
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

    /**
     * The target of a short link; the target itself is not requested.
     * @throws AppError `not_found`, `upstream_changed` or the meaning of the status
     */
    async resolveShort(url: string, signal: AbortSignal): Promise<string> {
      const answer = await ask('short-link', SHORT_HOST, { url, signal });
      const target = redirectOf(answer);
      if (target !== null) return target.href.replace(/^http:/, 'https:');
      throw failureOfStatus(answer, now()) ?? new AppError('upstream_changed', 'the short link leads nowhere');
    },
  };
}

// Reads an answer of X into the post, or into the AppError that it means.

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (isJsonObject(value) && Object.values(value).every(isEmpty));
}

/** An empty result means a removed post in the query's answer, and a withheld one in the syndication's. */
function failureWithoutPost(json: unknown, { kind }: ReadContext, hasOthers: boolean): AppError {
  if (!isJsonObject(json)) return new AppError('upstream_changed', 'the answer is no JSON');
  const stated = failureOfResult(kind === 'query' ? child(json, 'data', 'tweetResult', 'result') : json);
  if (stated !== null) return stated;
  if (hasOthers) return new AppError('upstream_changed', 'the answer is about another post');
  if (kind !== 'query' && isEmpty(json)) return new AppError('login_required', 'kept from visitors without a word');
  const error = failureOfErrors(json);
  if (error !== null) return error;
  const isGone = 'data' in json && isEmpty(json.data);
  return new AppError(isGone ? 'not_found' : 'upstream_changed', isGone ? 'no such post' : 'of an unknown kind');
}

/**
 * Sets `isCut` when the text is only the beginning of a longer one.
 * @throws AppError the meaning of an answer without the post
 */
export function readXAnswer(answer: SiteAnswer, context: ReadContext) {
  const json = parseJson(answer.body.text.trim());
  const failure = failureOfHead(answer, context.now);
  if (failure !== null) throw (failure.code === 'upstream_rate_limited' ? null : failureOfErrors(json)) ?? failure;
  const tweet = findTweet(json, context.ref.id);
  if (tweet === undefined || tweet === null) throw failureWithoutPost(json, context, tweet === undefined);
  const { draft, isCut, reason } = readTweet(tweet);
  if (draft.items.length > 0 && readableItems(draft) === 0) {
    throw failureOfWords(reason ?? '') ?? new AppError('upstream_changed', 'the post came without a file that we know');
  }
  const isBlurred = isJsonObject(child(json, 'data', 'tweetResult', 'result', 'mediaVisibilityResults'));
  return { post: toPost({ ...draft, sensitive: draft.sensitive === true || isBlurred }, context), isCut };
}
