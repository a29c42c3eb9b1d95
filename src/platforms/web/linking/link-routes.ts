import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { usageError } from '../../../bot/contract/usage-error.ts';
import { type AccountLinks, CALLBACK_PATH, LINK_PATH, platformOf } from '../../../bot/stores/account-links.ts';
import { errorSentence } from '../../../bot/views/notice.ts';
import { AppError, type ErrorCode, LOG_LEVELS, toAppError } from '../../../errors.ts';
import { createTranslator, type Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { RateLimiter, RateLimitRule } from '../../../infra/rate-limit/rate-limit.ts';
import { clientKey } from '../../../infra/server/client-address.ts';
import { LINK_PAGE_POLICY, renderAskPage, renderEndPage } from './link-page.ts';

export interface LinkRoutesOptions {
  readonly links: AccountLinks;
  readonly publicUrl: string;
  readonly limiter: RateLimiter;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** Limits visits of all three pages by network address; one sign-in needs four of them. */
const RULE: RateLimitRule = { name: 'account-link', limit: 40, windowMs: 60_000, window: 'first' };
const COOKIE = 'medley_link';
const COOKIE_S = 600;
const MAX_CODE = 4_096;
const MAX_STATE = 200;

const STATUS: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  forbidden: 403,
  rate_limited: 429,
  upstream_changed: 502,
  timeout: 504,
  internal: 500,
};

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': LINK_PAGE_POLICY,
  'cache-control': 'no-store',
  // `no-referrer` would remove the form's origin, which is checked. This policy tells nothing to other sites.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
} as const;

type Query = { readonly state?: unknown; readonly code?: unknown; readonly error?: unknown };
type PageRequest = FastifyRequest<{ Querystring: Query }>;
type Page = (request: PageRequest, reply: FastifyReply, t: Translator) => Promise<string>;

/**
 * Routes for signing in at osu!. `GET /osu/link` asks first, because a person who opens another's address would be
 * linked as that person; `POST /osu/link`, only from that page, redirects to osu!; osu! redirects to `GET
 * /osu/callback`, accepted only in the same browser. Pages are in the browser's language; a failure is one sentence.
 */
export function linkRoutes(options: LinkRoutesOptions): FastifyPluginAsync {
  const { links, publicUrl } = options;
  const { origin, protocol } = new URL(publicUrl);
  const secure = protocol === 'https:' ? '; Secure' : '';
  const cookie = (value: string, maxAge: number) =>
    `${COOKIE}=${value}; Path=/osu; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;

  const ask: Page = async ({ query }, _reply, t) => {
    const state = textOf(query.state, MAX_STATE);
    const { user } = await links.read(state);
    return renderAskPage(platformName(platformOf(user), t), `${LINK_PATH}?state=${encodeURIComponent(state)}`, t);
  };

  const begin: Page = async ({ headers, query }, reply) => {
    assertOwnForm(headers, origin);
    const { address, proof } = await links.begin(textOf(query.state, MAX_STATE));
    reply.code(303).header('location', address).header('set-cookie', cookie(proof, COOKIE_S));
    return '';
  };

  const finish: Page = async ({ query, headers, signal }, reply, t) => {
    const words = t.messages.linking;
    const state = textOf(query.state, MAX_STATE);
    const proof = cookieOf(headers.cookie);
    if (query.error !== undefined) {
      await links.cancel({ state, proof });
      return renderEndPage(words.failedTitle, words.denied, t);
    }
    const code = textOf(query.code, MAX_CODE);
    const { player, platform } = await links.finish({ state, code, proof }, signal);
    reply.header('set-cookie', cookie('', 0));
    const sentence = words.done({ player: player.name, platform: platformName(platform, t) });
    return renderEndPage(words.doneTitle, sentence, t);
  };

  return async server => {
    // The form has no fields, so its body is ignored.
    server.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 1_024 },
      (_request, _body, done) => done(null, undefined),
    );
    server.get(LINK_PATH, answering(ask, options));
    server.post(LINK_PATH, answering(begin, options));
    server.get(CALLBACK_PATH, answering(finish, options));
  };
}

/** Answers with a page; a failure becomes a page with one sentence. */
function answering(page: Page, { limiter, log }: Pick<LinkRoutesOptions, 'limiter' | 'log'>) {
  return async (request: PageRequest, reply: FastifyReply) => {
    const t = createTranslator(languagesOf(request.headers['accept-language']));
    reply.headers(PAGE_HEADERS);
    try {
      await admit(request, limiter);
      return reply.send(await page(request, reply, t));
    } catch (thrown) {
      const error = toAppError(thrown);
      // The address contains the sign-in secret, so it is never logged.
      log[LOG_LEVELS[error.code]]({ err: error, code: error.code }, 'a player could not be linked');
      if (error.retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(error.retryAfterMs / 1_000));
      const sentence = isRefusedCode(error) ? t.messages.linking.refused : errorSentence(error, t, 'player');
      reply.code(STATUS[error.code] ?? 503);
      return reply.send(renderEndPage(t.messages.linking.failedTitle, sentence, t));
    }
  };
}

/** @throws AppError `rate_limited` */
async function admit({ ip }: FastifyRequest, limiter: RateLimiter): Promise<void> {
  const { allowed, resetAt } = await limiter.consume(RULE, clientKey(ip));
  if (allowed) return;
  const retryAfterMs = Math.max(1_000, resetAt - Date.now());
  throw new AppError('rate_limited', 'too many visits of the pages that link a player', { retryAfterMs });
}

/** Accepts only the page's own form: another site's would skip the question. @throws AppError `invalid_request` */
function assertOwnForm(headers: FastifyRequest['headers'], origin: string): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === origin && (site === undefined || site === 'same-origin')) return;
  throw usageError('endedLink');
}

function platformName(platform: string, t: Translator): string {
  return t.find(`linking.platforms.${platform}`) ?? platform;
}

/** @throws AppError `invalid_request` */
function textOf(value: unknown, maxLength: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxLength) return value;
  throw usageError('endedLink');
}

function isRefusedCode({ code, params }: AppError): boolean {
  return code === 'invalid_request' && params.what === 'code';
}

function cookieOf(header: string | undefined): string | undefined {
  const pair = header?.split(';').find(each => each.trim().startsWith(`${COOKIE}=`));
  return pair?.trim().slice(COOKIE.length + 1);
}

/** The languages in the browser's order of preference. */
function languagesOf(header: string | undefined): readonly string[] {
  const tags = (header ?? '')
    .slice(0, 500)
    .split(',')
    .map(part => part.split(';', 1)[0]?.trim() ?? '');
  return tags.filter(tag => tag !== '').slice(0, 10);
}
