/** Signing in at osu! by an authorization code (osu-web 2026-08), which proves which player a person is. */
import * as z from 'zod';
import { AppError, invalidRequest } from '../../errors.ts';
import type { HttpClient, HttpRequest } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import { parseJson } from '../../infra/parse-json.ts';
import { id } from '../model/osu-fields.ts';
import { askForToken, OSU_HOST } from './osu-call.ts';
import { expectShape, OSU, readAnswer } from './upstream-answer.ts';

export type OsuSignIn = ReturnType<typeof createOsuSignIn>;

export interface OsuSignInOptions {
  readonly http: HttpClient;
  readonly clientId: number;
  readonly clientSecret: string;
  /** The redirect address that is registered with the application at osu!. */
  readonly redirectUri: string;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 512 * 1024;

const tokenShape = z.looseObject({ access_token: z.string().min(1).max(10_000) });
const refusalShape = z.looseObject({ error: z.string() });
const playerShape = z.looseObject({ id, username: z.string().min(1).max(100) });

export function createOsuSignIn(options: OsuSignInOptions) {
  const { http, clientId, redirectUri, log } = options;

  const call = (path: string, token: string, own: Partial<HttpRequest>) =>
    http.request({
      ...{ hosts: [OSU_HOST], timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, maxRedirects: 0, ...own },
      url: `https://${OSU_HOST}/api/v2/${path}`,
      headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    });

  async function exchange(code: string, signal: AbortSignal | undefined): Promise<string> {
    const form = { grant_type: 'authorization_code', redirect_uri: redirectUri, code };
    const response = await askForToken(http, options, form, { timeoutMs: TIMEOUT_MS, ...(signal && { signal }) });
    if (response.status === 400 || response.status === 401) throw refusal(response);
    const answer = tokenShape.safeParse(readAnswer(response, OSU, Date.now())).data;
    return expectShape(answer, OSU, 'token').access_token;
  }

  /** The error for a refusal: `invalid_client` is for the operator to correct, other reasons mean an invalid code. */
  function refusal({ status, text }: { readonly status: number; readonly text: string }): AppError {
    const reason = refusalShape.safeParse(parseJson(text)).data?.error;
    if (reason !== 'invalid_client') return invalidRequest('code', `osu! does not take this code (${status})`);
    const error = new AppError('credentials_required', `osu! refused the application's credentials (${status})`);
    log.error({ err: error }, 'osu! does not accept OSU_CLIENT_ID and OSU_CLIENT_SECRET');
    return error;
  }

  async function ask(token: string, signal: AbortSignal | undefined) {
    const response = await call('me', token, signal ? { signal } : {});
    const answer = playerShape.safeParse(readAnswer(response, OSU, Date.now())).data;
    const { id: playerId, username } = expectShape(answer, OSU, 'player');
    return { id: expectShape(playerId ?? undefined, OSU, 'number of a player'), name: username };
  }

  /** Revokes a token, so that osu! asks the person again the next time. */
  async function revoke(token: string): Promise<void> {
    const { status } = await call('oauth/tokens/current', token, { method: 'DELETE' });
    if (status >= 300) throw new AppError('upstream_changed', `osu! answered ${status} to the end of a token`);
  }

  return {
    /**
     * The page on which osu! asks whether Medley may know who the person is. osu! sends `state` back with the person's
     * answer, so that the answer can be matched to the question.
     */
    address(state: string): string {
      const app = { client_id: String(clientId), redirect_uri: redirectUri };
      const query = new URLSearchParams({ ...app, response_type: 'code', scope: 'identify', state });
      return `https://${OSU_HOST}/oauth/authorize?${query.toString()}`;
    },
    /**
     * Finds the player for whom osu! issued this code. The token for the code is revoked at once and never stored.
     * @throws AppError `invalid_request` for a code that is used up, too old or not osu!'s, `credentials_required` when
     * osu! does not know the application or its redirect address, or an upstream code
     */
    async identify(code: string, signal?: AbortSignal) {
      const token = await exchange(code, signal);
      try {
        return await ask(token, signal);
      } finally {
        // A failed revocation is only logged, because the token expires after a day.
        await revoke(token).catch((error: unknown) => log.warn({ err: error }, 'a token of osu! was not ended early'));
      }
    },
  };
}
