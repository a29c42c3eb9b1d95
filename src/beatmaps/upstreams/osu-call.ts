/** One call of the official API v2 (osu-web 2026-08), as an application, with its token and rate limit. */

import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { createMemoryCache } from '../../infra/cache/cache.ts';
import type { ThrottleRule } from '../../infra/http/host-throttle.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import { expectShape, OSU, readAnswer, type UrlParams, urlWith } from './upstream-answer.ts';

export type OsuCall = ReturnType<typeof createOsuCall>;

/** The API's terms allow 60 calls a minute; an application that makes more may lose its access. */
export const OSU_THROTTLE: ThrottleRule = { perSecond: 1, burst: 12, atOnce: 6 };
export const OSU_HOST = 'osu.ppy.sh';

const BASE = `https://${OSU_HOST}/api/v2/`;
/**
 * The API's version, as a date: since 20220705 scores have one shape. Later versions change nothing that is used here.
 */
const API_VERSION = '20241022';
/** The longest wait that is obeyed: if osu! states a longer one, it is most likely a mistake. */
const MAX_CLOSED_MS = 15 * 60_000;

export interface OsuCallOptions {
  readonly http: Pick<HttpClient, 'request'>;
  readonly clientId: number;
  readonly clientSecret: string;
  readonly log: Logger;
  /** The time limit of one request, in milliseconds. Default 6000. */
  readonly timeoutMs?: number;
  /** The clock, in unix milliseconds. */
  readonly now?: () => number;
}

export function createOsuCall({ timeoutMs = 6_000, now = Date.now, ...options }: OsuCallOptions) {
  const { http } = options;
  const token = createOsuToken({ ...options, timeoutMs, now });
  let closedUntil = 0;

  async function send(request: Partial<HttpRequest>, url: URL, bearer: string): Promise<HttpResponse> {
    return http.request({
      timeoutMs,
      repeatable: true,
      retries: 1,
      maxRedirects: 0,
      ...request,
      url,
      headers: {
        accept: 'application/json',
        'accept-language': 'en',
        authorization: `Bearer ${bearer}`,
        'x-api-version': API_VERSION,
        ...request.headers,
      },
      hosts: [OSU_HOST],
    });
  }

  /**
   * Calls the official API, with its token and within its rate limit, and returns the JSON of a successful answer. osu!
   * may revoke a token early, so a refused call is repeated once with a new one.
   * @param path below `/api/v2/`
   * @throws AppError as every method of `OsuApi` does
   */
  return async function ask(
    path: string,
    params: UrlParams,
    signal?: AbortSignal,
    request: Partial<HttpRequest> = {},
  ): Promise<unknown> {
    const waitMs = closedUntil - now();
    // A wait beyond the longest one means that the clock was set back.
    if (waitMs > 0 && waitMs <= MAX_CLOSED_MS) {
      throw new AppError('upstream_rate_limited', 'osu! asked to wait', { retryAfterMs: waitMs });
    }
    const url = urlWith(BASE + path, params);
    const whole = signal === undefined ? request : { ...request, signal };
    const bearer = await token.get(signal);
    let response = await send(whole, url, bearer);
    if (response.status === 401) {
      token.refuse(bearer);
      response = await send(whole, url, await token.get(signal));
    }
    if (response.status === 401) {
      throw new AppError('credentials_required', 'osu! takes none of its own tokens for this');
    }
    try {
      return readAnswer(response, OSU, now());
    } catch (error) {
      if (error instanceof AppError && error.code === 'upstream_rate_limited') {
        closedUntil = now() + Math.min(error.retryAfterMs ?? 5_000, MAX_CLOSED_MS);
      }
      throw error;
    }
  };
}

const EARLY_MS = 60_000;
/**
 * The shortest time for which a token is used. Without it, a token whose lifetime is not stated would be requested for
 * every call.
 */
const MIN_LIFE_MS = 30_000;
const MAX_LIFE_MS = 24 * 60 * 60_000;
/** How long a refusal of the credentials is remembered, because a repeated request would be refused as well. */
const REFUSED_MS = 5 * 60_000;
const FAILED_MS = 3_000;
const MAX_WAIT_MS = 5 * 60_000;

const TOKEN_POLICY = {
  ttlMs: ({ lifeMs }: { readonly lifeMs: number }) => lifeMs,
  errorTtlMs(error: unknown): number {
    if (!(error instanceof AppError)) return 0;
    if (error.code === 'credentials_required') return REFUSED_MS;
    return Math.min(error.retryAfterMs ?? FAILED_MS, MAX_WAIT_MS);
  },
};

const tokenShape = z.object({ access_token: z.string().min(1).max(10_000), expires_in: z.coerce.number().catch(0) });

/**
 * Requests a token for an application from osu!.
 * @throws AppError `upstream_changed` when osu! no longer has the address, which says nothing about the credentials
 */
export async function askForToken(
  http: Pick<HttpClient, 'request'>,
  { clientId, clientSecret }: { readonly clientId: number; readonly clientSecret: string },
  form: Readonly<Record<string, string>>,
  request: Partial<HttpRequest>,
): Promise<HttpResponse> {
  const response = await http.request({
    url: `https://${OSU_HOST}/oauth/token`,
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: String(clientId), client_secret: clientSecret, ...form }).toString(),
    hosts: [OSU_HOST],
    maxBytes: 64 * 1024,
    maxRedirects: 0,
    ...request,
  });
  if (response.status !== 404) return response;
  throw new AppError('upstream_changed', 'osu! has no address for tokens any more');
}

/** Tokens by the client credentials grant (osu-web 2026-08: they are valid for a day and cannot be refreshed). */
function createOsuToken({ http, clientId, clientSecret, timeoutMs, log, now }: Required<OsuCallOptions>) {
  const tokens = createMemoryCache<{ readonly token: string; readonly lifeMs: number }>({ maxEntries: 1, now });

  async function request(signal: AbortSignal) {
    const form = { grant_type: 'client_credentials', scope: 'public' };
    const app = { clientId, clientSecret };
    const response = await askForToken(http, app, form, { timeoutMs, repeatable: true, retries: 1, signal });
    if (response.status === 400 || response.status === 401 || response.status === 403) {
      const err = new AppError(
        'credentials_required',
        `osu! refused the application's credentials (${response.status})`,
      );
      log.error({ err }, 'osu! does not accept OSU_CLIENT_ID and OSU_CLIENT_SECRET');
      throw err;
    }
    const answer = tokenShape.safeParse(readAnswer(response, 'osu! token', now())).data;
    const { access_token, expires_in } = expectShape(answer, 'osu! token', 'token');
    const lifeMs = Math.min(expires_in * 1000 - EARLY_MS, MAX_LIFE_MS);
    return { token: access_token, lifeMs: Math.max(lifeMs, MIN_LIFE_MS) };
  }

  return {
    /**
     * The bearer token; a new one is requested when there is none or the old one is about to expire.
     * @throws AppError `credentials_required` when osu! does not know the application, or an upstream code
     */
    async get(signal?: AbortSignal): Promise<string> {
      const { value } = await tokens.wrap('', request, TOKEN_POLICY, signal);
      return value.token;
    },
    /** Drops a token that the API refused, so that the next `get` requests another. */
    refuse(token: string): void {
      if (tokens.peek('')?.token === token) void tokens.delete('');
    },
  };
}
