import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { createSingleFlight } from '../../infra/concurrency/single-flight.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import { expectShape, readAnswer } from './upstream-answer.ts';

export interface OsuToken {
  /**
   * The bearer token, asked for when there is none or the old one is about to end.
   *
   * @throws AppError `credentials_required` when osu! does not know the application, or an upstream code
   */
  get(signal?: AbortSignal): Promise<string>;
  /** The API did not take this token: the next `get` asks for another. */
  refuse(token: string): void;
}

export interface OsuTokenOptions {
  readonly http: HttpClient;
  readonly clientId: number;
  readonly clientSecret: string;
  readonly timeoutMs: number;
  readonly log: Logger;
  readonly now: () => number;
}

const ADDRESS = 'https://osu.ppy.sh/oauth/token';
const EARLY_MS = 60_000;
/** A shorter life, or none given, would have every call ask for a token. */
const MIN_LIFE_MS = 30_000;
const MAX_LIFE_MS = 24 * 60 * 60_000;
/** How long a failure is believed. A wrong secret does not become right by asking. */
const REFUSED_MS = 5 * 60_000;
const FAILED_MS = 3_000;
const MAX_WAIT_MS = 5 * 60_000;

const shape = z.looseObject({ access_token: z.string().min(1).max(10_000), expires_in: z.coerce.number().catch(0) });

interface Held {
  readonly token: string;
  readonly until: number;
}

/** Client credentials grant (osu-web 2026-08: tokens live a day and are not refreshed). */
export function createOsuToken({ http, clientId, clientSecret, timeoutMs, log, now }: OsuTokenOptions): OsuToken {
  const flights = createSingleFlight<string>();
  let held: Held | undefined;
  let failed: { readonly error: AppError; readonly until: number } | undefined;

  async function request(signal: AbortSignal): Promise<Held> {
    const response = await http.request({
      url: ADDRESS,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_id: String(clientId),
        client_secret: clientSecret,
        grant_type: 'client_credentials',
        scope: 'public',
      }).toString(),
      hosts: ['osu.ppy.sh'],
      timeoutMs,
      maxBytes: 64 * 1024,
      maxRedirects: 0,
      repeatable: true,
      retries: 1,
      signal,
    });
    if (response.status === 400 || response.status === 401 || response.status === 403) {
      throw new AppError('credentials_required', `osu! refused the application's credentials (${response.status})`);
    }
    const answer = shape.safeParse(readAnswer(response, { upstream: 'osu! token', now: now() })).data;
    const { access_token, expires_in } = expectShape(answer, 'osu! token', 'token');
    const lifeMs = Math.min(expires_in * 1000 - EARLY_MS, MAX_LIFE_MS);
    return { token: access_token, until: now() + Math.max(lifeMs, MIN_LIFE_MS) };
  }

  function remember(error: unknown): void {
    if (!(error instanceof AppError)) return;
    const isRefused = error.code === 'credentials_required';
    if (isRefused) log.error({ err: error }, 'osu! does not accept OSU_CLIENT_ID and OSU_CLIENT_SECRET');
    const waitMs = isRefused ? REFUSED_MS : Math.min(error.retryAfterMs ?? FAILED_MS, MAX_WAIT_MS);
    failed = { error, until: now() + waitMs };
  }

  return {
    async get(signal) {
      if (held !== undefined && now() < held.until) return held.token;
      if (failed !== undefined && now() < failed.until) throw failed.error;
      return flights.run(
        'token',
        async flight => {
          try {
            held = await request(flight.signal);
            failed = undefined;
            return held.token;
          } catch (error) {
            if (!flight.signal.aborted) remember(error);
            throw error;
          }
        },
        signal,
      );
    },
    refuse(token) {
      if (held?.token === token) held = undefined;
    },
  };
}
