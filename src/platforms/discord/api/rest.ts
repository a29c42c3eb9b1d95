import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { REST, type RESTOptions, type RequestData, type RequestMethod } from 'discord.js';
import { Headers, Response } from 'undici';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import { createPoster, type EncodedForm, encodeForm, PostFailure } from '../../../infra/http/poster.ts';
import { parseRetryAfter } from '../../../infra/http/retry-after.ts';
import type { Logger } from '../../../infra/log.ts';
import { parseJson } from '../../../infra/parse-json.ts';
import { TIMES } from './limits.ts';
import { discordFailure } from './send-failure.ts';

/** A file of a message, with the name by which the message's components refer to it. */
export interface UploadFile {
  readonly name: string;
  /** A file on the disk, or the bytes of an image that was just drawn for the message. */
  readonly content: { readonly path: string } | { readonly data: Buffer };
  readonly mime: string;
  readonly bytes: number;
  readonly spoiler: boolean;
  /** The description for people who cannot see the file. */
  readonly alt?: string;
}

export type ApiRoute = readonly [method: RequestMethod, fullRoute: `/${string}`];

export interface RequestDetails extends Pick<RequestData, 'query'> {
  readonly body?: object;
  /** False when the request needs no bot token, because its path contains the interaction's token. */
  readonly isAuthorized?: boolean;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** False when Discord would carry out a repeated request twice. */
  readonly isRepeatable?: boolean;
}

export interface RestOptions {
  readonly token: string;
  /** The address of Discord's API without a version, e.g. `https://discord.com/api`; undefined: Discord's own. */
  readonly apiUrl: string | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

export type Rest = ReturnType<typeof createRest>;

/** Sends all requests to Discord's REST API and respects its rate limits. */
export function createRest({ token, apiUrl, log }: RestOptions) {
  const poster = createPoster();
  const rest = new REST({
    makeRequest: makeRequestsBy(poster),
    ...(apiUrl !== undefined && { api: apiUrl }),
    timeout: TIMES.library,
    retries: 0,
    invalidRequestWarningInterval: 500,
    // Waits of at most a second happen here, because preparing the message again would take longer; after any other
    // rate limit the request is queued again. That includes one without a time (0), as when Cloudflare blocks this
    // address, since discord.js would ask again at once.
    rejectOnRateLimit: ({ retryAfter, sublimitTimeout, timeToReset }) =>
      retryAfter <= 0 || Math.max(retryAfter, sublimitTimeout, timeToReset) > TIMES.shortRateLimit,
  });
  rest.on('invalidRequestWarning', ({ count }) => log.warn({ count }, 'discord: many requests are refused'));
  const closing = new AbortController();

  return {
    /** Resolves with the answer, as Discord sent it. @throws DiscordFailure */
    async request([method, fullRoute]: ApiRoute, details: RequestDetails = {}): Promise<unknown> {
      const { timeoutMs = TIMES.request, isRepeatable = true, isAuthorized = true, body, query } = details;
      const { signal, release } = joinSignals([closing.signal, details.signal], timeoutMs);
      // The header is set for each request: discord.js drops its own token after any 401, even one that a proxy sent.
      const headers = isAuthorized ? { Authorization: `Bot ${token}` } : {};
      const data = { headers, body, ...(query && { query }), passThroughBody: isForm(body) };
      try {
        return await rest.request({ ...data, method, fullRoute, auth: false, signal });
      } catch (error) {
        // A request that was aborted while it waited for its rate limit was never sent. A request without a body puts
        // nothing into a chat, so it counts as not sent, too.
        const isSent = body !== undefined && (error instanceof PostFailure ? !error.isUnsent : !signal.aborted);
        throw discordFailure(error, method, { isSent, isRepeatable, isEnded: signal.aborted });
      } finally {
        release();
      }
    },
    /** Ends all requests that are running. Safe to call twice. */
    async close(): Promise<void> {
      closing.abort();
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
      await poster.close();
    },
  };
}

/**
 * Sends the requests of discord.js by Medley's own client, which says of a failure whether the request was sent
 * completely. The files of a form are opened anew for each attempt.
 * @throws PostFailure
 */
function makeRequestsBy({ send }: ReturnType<typeof createPoster>): RESTOptions['makeRequest'] {
  return async (url, { method = 'GET', headers, body, signal }) => {
    const given = new Headers(headers);
    const content = typeof body === 'string' || isForm(body) ? body : undefined;
    const request = { url, method, headers: Object.fromEntries(given), body: content };
    const answer = await send(request, { signal: signal ?? undefined });
    const init = { status: answer.status, headers: new Headers() };
    for (const [name, value = []] of Object.entries(answer.headers))
      for (const each of [value].flat()) init.headers.append(name, each);
    if (answer.status === 429) completeRateLimit(init.headers, answer.text);
    return new Response(answer.text === '' ? null : answer.text, init);
  };
}

/**
 * Changes the headers of a rate limit (429) into a form that discord.js understands. A page in place of Discord's JSON
 * comes from Cloudflare, which blocks the whole network address, so the limit is marked as global. A `Retry-After`
 * header with a date is converted to seconds, and one with a time in the past is removed: with either of them
 * discord.js would ask again at once, while without the header it leaves the wait to Medley.
 */
function completeRateLimit(headers: Headers, text: string): void {
  const stated = headers.get('retry-after') ?? '';
  const isPage = text !== '' && parseJson(text) === undefined;
  if (isPage) headers.set('x-ratelimit-global', 'true');
  if (!isPage && !Number.isNaN(Number(stated))) return;
  const waitMs = parseRetryAfter(stated, Date.now()) ?? 0;
  if (waitMs > 0) headers.set('retry-after', `${waitMs / 1_000}`);
  else headers.delete('retry-after');
}

/** A message and its files as a form. The files are read from the disk while the form is sent. */
export async function formOf(payload: object, uploads: readonly UploadFile[]): Promise<EncodedForm> {
  const files = uploads.map(async ({ name, mime, content }, index) => ({
    ...{ name: `files[${index}]`, fileName: name, mime },
    bytes: 'path' in content ? (await stat(content.path)).size : content.data.length,
    open: () => ('path' in content ? createReadStream(content.path) : [content.data]),
  }));
  return encodeForm([['payload_json', JSON.stringify(payload)]], await Promise.all(files));
}

function isForm(body: unknown): body is EncodedForm {
  return typeof body === 'object' && body !== null && 'contentLength' in body && 'contentType' in body;
}
