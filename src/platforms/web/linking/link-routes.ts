import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { usageError } from '../../../bot/contract/command.ts';
import { type AccountLinks, CALLBACK_PATH, LINK_PATH, platformOf } from '../../../bot/stores/account-links.ts';
import { errorSentence } from '../../../bot/views/notice.ts';
import { AppError, type ErrorCode, LOG_LEVELS, toAppError } from '../../../errors.ts';
import { createTranslator, type Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { RateLimiter, RateLimitRule } from '../../../infra/rate-limit/rate-limit.ts';
import { clientKey } from '../../../infra/server/client-address.ts';
import { escapeHtml, renderSmallPage, SMALL_PAGE_STYLE } from '../../../infra/server/html.ts';

export interface LinkRoutesOptions {
  readonly links: AccountLinks;
  readonly publicUrl: string;
  readonly limiter: RateLimiter;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** Limits the requests of one network address to all routes of this file; one sign-in takes four requests. */
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

/**
 * The page may only use its own style, and submit its form to this server and on to osu!: no script, nothing of other
 * sites, no framing.
 */
const LINK_PAGE_POLICY = `default-src 'none'; style-src ${SMALL_PAGE_STYLE}; font-src 'self'; base-uri 'none'; form-action 'self' https://osu.ppy.sh; frame-ancestors 'none'`;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': LINK_PAGE_POLICY,
  'cache-control': 'no-store',
  // With `no-referrer`, browsers would not send the form's Origin, which is checked. Other sites get no referrer.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
} as const;

type Query = { readonly state?: unknown; readonly code?: unknown; readonly error?: unknown };
type PageRequest = FastifyRequest<{ Querystring: Query }>;
type Page = (request: PageRequest, reply: FastifyReply, t: Translator) => Promise<string>;

/**
 * Routes for signing in at osu!. `GET /osu/link` asks for confirmation first, because a person who opens a link made
 * for another person would link their player to that account; `POST /osu/link`, only from that page, redirects to osu!;
 * osu! redirects to `GET /osu/callback`, accepted only in the same browser. Pages are in the browser's language; a
 * failure is one sentence.
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
    const words = t.messages.linking;
    const action = escapeHtml(`${LINK_PATH}?state=${encodeURIComponent(state)}`);
    const form = `<form method="post" action="${action}"><button>${escapeHtml(words.go)}</button></form>`;
    const question = words.ask({ platform: platformName(platformOf(user), t) });
    return renderPage(words.askTitle, [question, words.askWarning], t, form);
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
      return renderPage(words.failedTitle, [words.denied], t);
    }
    const code = textOf(query.code, MAX_CODE);
    const { player, platform } = await links.finish({ state, code, proof }, signal);
    reply.header('set-cookie', cookie('', 0));
    const sentence = words.done({ player: player.name, platform: platformName(platform, t) });
    return renderPage(words.doneTitle, [sentence], t);
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
      const isRefused = error.code === 'invalid_request' && error.params.what === 'code';
      const sentence = isRefused ? t.messages.linking.refused : errorSentence(error, t, 'player');
      reply.code(STATUS[error.code] ?? 503);
      return reply.send(renderPage(t.messages.linking.failedTitle, [sentence], t));
    }
  };
}

/** @throws AppError `rate_limited` when the network address has sent too many requests */
async function admit({ ip }: FastifyRequest, limiter: RateLimiter): Promise<void> {
  const { allowed, resetAt } = await limiter.consume(RULE, clientKey(ip));
  if (allowed) return;
  const retryAfterMs = Math.max(1_000, resetAt - Date.now());
  throw new AppError('rate_limited', 'too many visits of the pages that link a player', { retryAfterMs });
}

/**
 * Accepts only the form of this page: with another site's form the confirmation would be skipped.
 * @throws AppError `invalid_request`
 */
function assertOwnForm(headers: FastifyRequest['headers'], origin: string): void {
  const site = headers['sec-fetch-site'];
  if (headers.origin === origin && (site === undefined || site === 'same-origin')) return;
  throw usageError('endedLink');
}

function platformName(platform: string, t: Translator): string {
  return t.find(`linking.platforms.${platform}`) ?? platform;
}

/** @throws AppError `invalid_request` for anything but a text of 1 to `maxLength` characters */
function textOf(value: unknown, maxLength: number): string {
  if (typeof value === 'string' && value !== '' && value.length <= maxLength) return value;
  throw usageError('endedLink');
}

function cookieOf(header: string | undefined): string | undefined {
  const pair = header?.split(';').find(each => each.trim().startsWith(`${COOKIE}=`));
  return pair?.trim().slice(COOKIE.length + 1);
}

/** The languages of an `Accept-Language` header, in the browser's order of preference. */
function languagesOf(header: string | undefined): readonly string[] {
  const tags = (header ?? '')
    .slice(0, 500)
    .split(',')
    .map(part => part.split(';', 1)[0]?.trim() ?? '');
  return tags.filter(tag => tag !== '').slice(0, 10);
}

function renderPage(title: string, sentences: readonly string[], t: Translator, form = ''): string {
  const text = sentences.map(sentence => `<p>${escapeHtml(sentence)}</p>`).join('\n');
  const body = `<main><section><h1>${escapeHtml(title)}</h1>\n${text}\n${form}</section></main>`;
  return renderSmallPage(`${title} · Medley`, body, { lang: t.locale });
}
