import * as z from 'zod';
import { type AppError, ERROR_CODES, type ErrorCode, type ErrorParams } from '../errors.ts';
import { PLAY_PAGE_POLICY, renderNothingPage } from './media/play-page.ts';

/** The HTTP status of each error code. The body of an answer repeats it. */
export const ERROR_STATUS = {
  invalid_request: 400,
  unsupported_link: 400,
  not_found: 404,
  private: 403,
  login_required: 403,
  age_restricted: 403,
  region_blocked: 451,
  upstream_rate_limited: 503,
  upstream_unavailable: 503,
  upstream_changed: 502,
  too_large: 413,
  timeout: 504,
  rate_limited: 429,
  credentials_required: 503,
  forbidden: 403,
  internal: 500,
} as const satisfies Readonly<Record<ErrorCode, number>>;

/** The texts of the API reference that say when each code is sent. */
export const ERROR_REASONS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'A parameter is missing, unknown or unreadable. The message says which, and what is expected.',
  unsupported_link: 'The link is of no site that this endpoint takes. The message says where it belongs, if anywhere.',
  not_found: 'There is no such post, beatmap, player or address, or it was removed.',
  private: 'Only followers see the post.',
  login_required: 'The site asks visitors to log in, for this post or for now.',
  age_restricted: 'The site hides the post from visitors without an account because of its age limit.',
  region_blocked: 'The post is not shown in the country where this server is.',
  upstream_rate_limited: 'The site asks this server to slow down. Retry-After says for how long, where that is known.',
  upstream_unavailable: 'The site does not answer, or this server has no connection.',
  upstream_changed: 'The site answers in a way that this version cannot read. A newer version may.',
  too_large: 'The file or the request is larger than this server takes.',
  timeout: 'No complete answer came in time. Trying again may help.',
  rate_limited:
    'The limit of the hour is reached (429), or this server is busy (503). Retry-After says when to come back.',
  credentials_required: 'Only the official osu! API knows this, and this server has no key for it.',
  forbidden: 'The key is unknown, or this server does not show that post.',
  internal: 'A fault of this server, which is logged there.',
};

/** The shape of the answer to every failure. */
export const errorAnswer = z
  .strictObject({
    status: z.number().int().meta({ description: 'The HTTP status again.' }),
    creator: z.string().meta({ description: 'Who runs this server.', example: 'Medley' }),
    error: z.strictObject({
      code: z.enum(ERROR_CODES),
      message: z.string().meta({ description: 'One English sentence for people.' }),
    }),
  })
  .meta({ id: 'Error', description: 'What went wrong.' });

const MESSAGES: Readonly<Record<ErrorCode, (params: ErrorParams) => string>> = {
  invalid_request: params => {
    if (params.what === 'parameter') return String(params.send);
    if (params.hint === 'notLink') return 'The parameter "url" must be the https address of a public post.';
    if (params.what === 'method') return `This address answers other methods only: ${params.allow}.`;
    return 'This request could not be read. /docs shows what each address expects.';
  },
  unsupported_link: params => {
    if (params.supported === undefined)
      return 'This link is not supported. Send the link of a public post, reel, video or photo on a supported site.';
    const here = `This link is not supported here. Send ${params.supported}.`;
    return params.endpoint === undefined ? here : `${here} For this link, ask ${params.endpoint}.`;
  },
  not_found: params => {
    if (params.what === 'path') return 'There is nothing at this address. /docs lists what there is.';
    if (params.what === 'file')
      return 'This file address is not valid, or no longer. Ask for the post again to get a new one.';
    if (params.what === 'video' || params.what === 'audio') {
      const where = params.item === undefined ? 'This post has' : `Item ${params.item} of this post is`;
      return `${where} no video${params.what === 'audio' ? ' with audio' : ''}.`;
    }
    if (params.what === 'hidden')
      return 'The site does not show this post: it was removed, or only some people may see it.';
    if (params.what === 'beatmap') return 'There is no such beatmap, or it was removed.';
    if (params.what === 'player') return 'There is no such player, or the account is restricted.';
    return 'This post does not exist, or it was removed.';
  },
  private: () => 'This post is private: only its followers can see it.',
  login_required: params =>
    params.what === 'wall'
      ? 'This post is public, but the site asks this server to log in at the moment. The link is fine; try again later.'
      : 'The site shows this post only to people who are logged in.',
  age_restricted: () => 'This post is age-restricted: the site hides it from visitors without an account.',
  region_blocked: () => 'This post is not available in the country this server is in.',
  upstream_rate_limited: params => {
    if (params.what === 'silent')
      return `${params.site ?? 'The site'} does not answer this server at the moment. The link is fine; try again after the time in Retry-After.`;
    return params.upstreams === undefined
      ? 'The site asks this server to slow down. The link is fine; try again in a few minutes.'
      : `No upstream could answer: ${params.upstreams}. This server was asked to slow down; try again in a few minutes.`;
  },
  upstream_unavailable: params => {
    if (params.what === 'offline')
      return 'This server seems to have no internet connection right now. The request is fine; try again in a few minutes.';
    return params.upstreams === undefined
      ? 'The site is not answering right now. The link is fine; try again in a minute.'
      : `No upstream could answer: ${params.upstreams}. Try again in a minute.`;
  },
  upstream_changed: params =>
    params.upstreams === undefined
      ? 'The site has changed its pages and this post cannot be read yet. The link is fine.'
      : `No upstream gave a readable answer: ${params.upstreams}. Try again later.`,
  too_large: params =>
    params.what === 'headers' || params.what === 'request' ? 'This request is too large.' : 'This file is too large.',
  timeout: params =>
    params.what === 'request'
      ? 'The request did not arrive in time.'
      : params.upstreams === undefined
        ? 'The site took too long to answer. Try again in a minute.'
        : `No upstream answered in time: ${params.upstreams}. Try again in a minute.`,
  rate_limited: params =>
    params.reason === 'busy'
      ? 'This server is busy. Try again in a moment.'
      : params.what === 'streams'
        ? 'Too many files flow to your address at once. Try again when one of them has ended.'
        : 'Too many requests this hour. Retry-After says when the next one is welcome.',
  credentials_required: params =>
    params.what === 'osu'
      ? 'Only the official osu! API knows this, and this server has no working credentials for it. Its operator gets them by making an OAuth application at https://osu.ppy.sh/home/account/edit#oauth and setting OSU_CLIENT_ID and OSU_CLIENT_SECRET.'
      : 'This needs a key that the operator of this server has not set up.',
  forbidden: params =>
    params.what === 'key'
      ? 'This API key is not known. Leave it out, or send a valid one.'
      : params.what === 'host'
        ? 'This server does not answer under that name.'
        : params.hint === 'withheldPost'
          ? 'This server does not show that post.'
          : 'This is not open to you.',
  internal: () => 'Something went wrong on this server. Try again later.',
};

/** One English sentence that says what is wrong and, where it helps, what to do. */
export function errorMessage(code: ErrorCode, params: ErrorParams = {}): string {
  return MESSAGES[code](params);
}

/** The HTTP status of an error. A rate limit is exceeded by one client (429) or by all clients together (503). */
function statusOf({ code, params }: AppError): number {
  return code === 'rate_limited' && params.reason === 'busy' ? 503 : ERROR_STATUS[code];
}

/**
 * Makes the answers to failures. `creator` is a field of each. `status` replaces the code's status where it is more
 * specific (405, 408, 431). `visited` is the path that a person opened in a browser: outside of the API, a missing page
 * or file is then answered with an HTML page.
 */
export function createErrorRenderer(creator: string) {
  return (error: AppError, status: number = statusOf(error), visited?: string) => {
    const body: z.output<typeof errorAnswer> = {
      status,
      creator,
      error: { code: error.code, message: errorMessage(error.code, error.params) },
    };
    const headers: Record<string, string> = { 'cache-control': 'no-store' };
    if (error.retryAfterMs !== undefined && (status === 429 || status === 503)) {
      headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)));
    }
    const { what } = error.params;
    const isPage = visited !== undefined && !/^\/api(?:\/|$)/.test(visited);
    if (!isPage || (what !== 'path' && what !== 'file')) return { status, headers, body };
    return { status, headers, body, page: { html: renderNothingPage(what), policy: PLAY_PAGE_POLICY } };
  };
}
