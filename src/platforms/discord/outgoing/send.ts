import { openAsBlob } from 'node:fs';
import {
  type APIInteractionResponse,
  type APIMessageTopLevelComponent,
  DiscordAPIError,
  HTTPError,
  MessageFlags,
  type RateLimitData,
  RateLimitError,
  type REST,
  type RequestData,
  RequestMethod,
  Routes,
} from 'discord.js';
import { z } from 'zod';
import { TIMES } from '../limits.ts';
import type { Upload } from './uploads.ts';

/** What a message shows. */
export interface Content {
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly uploads: readonly Upload[];
  /** Plain words instead of components, which alone Discord looks into for links to unfurl. */
  readonly text?: string;
}

export interface PostOptions {
  /** At most 25 characters; Discord answers a repeat of the last minutes with the message that stands already. */
  readonly nonce: string;
  /** The message it replies to; it must still be there. */
  readonly replyTo: string | undefined;
}

/**
 * `blocked` and `refused`: Discord has said that it does not take this. `timeout`: we gave up waiting. `failed`: the connection broke, or
 * Discord had trouble of its own. After the last two it may have arrived.
 */
export type SendProblem =
  | 'too_large'
  | 'gone'
  | 'forbidden'
  | 'blocked'
  | 'refused'
  | 'rate_limited'
  | 'timeout'
  | 'failed';

/** A request that Discord refused or that did not get through. It holds no address: those of interactions carry their token. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly problem: SendProblem;
  /** Discord's own code; undefined when it gave none. */
  readonly code: number | undefined;
  /** Milliseconds that Discord wants to be left alone; only of `rate_limited`. */
  readonly retryAfterMs: number | undefined;

  constructor(
    problem: SendProblem,
    message: string,
    { code, retryAfterMs }: { readonly code?: number | undefined; readonly retryAfterMs?: number } = {},
  ) {
    super(message);
    this.problem = problem;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Everything Medley asks of Discord's REST API. Files stream from disk.
 * @throws SendFailure from every method
 */
export interface Sender {
  /** Resolves with the id of the new message. */
  post(channelId: string, content: Content, options: PostOptions, signal: AbortSignal): Promise<string>;
  deleteMessage(channelId: string, messageId: string): Promise<void>;
  /** Hides the embeds of anyone's message; `flags` are those it has. */
  suppressEmbeds(channelId: string, messageId: string, flags: number): Promise<void>;
  showTyping(channelId: string): Promise<void>;
  respond(interaction: InteractionKey, response: APIInteractionResponse): Promise<void>;
  editOriginal(token: string, content: Content, signal: AbortSignal): Promise<void>;
  followUp(token: string, content: Content, isEphemeral: boolean, signal: AbortSignal): Promise<void>;
  deleteOriginal(token: string): Promise<void>;
}

export interface InteractionKey {
  readonly id: string;
  readonly token: string;
}

const Posted = z.object({ id: z.string() });
const NO_MENTIONS = { parse: [], replied_user: false } as const;

export interface SenderOptions {
  readonly rest: REST;
  /** Never repeats a request by itself: for those that nothing marks as a repeat. */
  readonly restOnce: REST;
  readonly applicationId: () => string;
}

export function createSender({ rest, restOnce, applicationId }: SenderOptions): Sender {
  async function request(
    data: RequestData & Pick<RequestOptions, 'method' | 'fullRoute'>,
    timeoutMs: number,
    by = rest,
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = data.signal ? AbortSignal.any([data.signal, timeout]) : timeout;
    try {
      return await by.request({ ...data, signal });
    } catch (error) {
      throw failureOf(error, data.method);
    }
  }

  async function send(
    method: RequestMethod,
    fullRoute: `/${string}`,
    body: Readonly<Record<string, unknown>>,
    { components, uploads, text }: Content,
    { auth, signal, by }: { readonly auth: boolean; readonly signal: AbortSignal; readonly by?: REST },
  ): Promise<unknown> {
    const shown = text === undefined ? { components } : { content: text };
    const payload = { ...body, ...shown, allowed_mentions: NO_MENTIONS, attachments: uploads.map(attachmentOf) };
    const data = { method, fullRoute, auth, signal };
    if (uploads.length === 0) return request({ ...data, body: payload }, TIMES.upload, by);
    const form = await formOf(payload, uploads);
    return request({ ...data, body: form, passThroughBody: true }, TIMES.upload, by);
  }

  return {
    async post(channelId, content, { nonce, replyTo }, signal) {
      const body = {
        flags: formFlag(content),
        nonce,
        enforce_nonce: true,
        ...(replyTo !== undefined && { message_reference: { message_id: replyTo, channel_id: channelId } }),
      };
      const route = Routes.channelMessages(channelId);
      return Posted.parse(await send(RequestMethod.Post, route, body, content, { auth: true, signal })).id;
    },

    async deleteMessage(channelId, messageId) {
      const fullRoute = Routes.channelMessage(channelId, messageId);
      await request({ method: RequestMethod.Delete, fullRoute }, TIMES.request);
    },

    async suppressEmbeds(channelId, messageId, flags) {
      const fullRoute = Routes.channelMessage(channelId, messageId);
      const body = { flags: flags | MessageFlags.SuppressEmbeds };
      await request({ method: RequestMethod.Patch, fullRoute, body }, TIMES.request);
    },

    async showTyping(channelId) {
      await request({ method: RequestMethod.Post, fullRoute: Routes.channelTyping(channelId) }, TIMES.request);
    },

    async respond({ id, token }, response) {
      const fullRoute = Routes.interactionCallback(id, token);
      const query = new URLSearchParams({ with_response: 'false' });
      const data = { method: RequestMethod.Post, fullRoute, query, body: response, auth: false };
      try {
        await request(data, TIMES.acknowledge, restOnce);
      } catch (error) {
        // Unanswered, it may have arrived all the same; then the second one is told so. Told so at once, somebody else answers.
        if (!(error instanceof SendFailure) || error.problem !== 'failed' || error.code !== undefined) throw error;
        await request(data, TIMES.acknowledge, restOnce).catch(unlessAcknowledged);
      }
    },

    async editOriginal(token, content, signal) {
      const route = Routes.webhookMessage(applicationId(), token);
      const body = { flags: formFlag(content) };
      await send(RequestMethod.Patch, route, body, content, { auth: false, signal });
    },

    async followUp(token, content, isEphemeral, signal) {
      const route = Routes.webhook(applicationId(), token);
      const body = { flags: formFlag(content) | (isEphemeral ? MessageFlags.Ephemeral : 0) };
      await send(RequestMethod.Post, route, body, content, { auth: false, signal, by: restOnce });
    },

    async deleteOriginal(token) {
      const fullRoute = Routes.webhookMessage(applicationId(), token);
      await request({ method: RequestMethod.Delete, fullRoute, auth: false }, TIMES.request);
    },
  };
}

interface RequestOptions {
  readonly method: RequestMethod;
  readonly fullRoute: `/${string}`;
}

function formFlag({ text }: Content): number {
  return text === undefined ? MessageFlags.IsComponentsV2 : 0;
}

function attachmentOf({ name, spoiler, alt = '' }: Upload, index: number) {
  return {
    id: String(index),
    filename: name,
    ...(spoiler && { is_spoiler: true }),
    ...(alt !== '' && { description: alt }),
  };
}

/** Blobs of files are read while they are sent; `files` of discord.js would hold each as a whole, twice. */
async function formOf(payload: object, uploads: readonly Upload[]): Promise<FormData> {
  const form = new FormData();
  form.append('payload_json', JSON.stringify(payload));
  for (const [index, { content, mime: type, name }] of uploads.entries()) {
    const blob =
      'path' in content ? await openAsBlob(content.path, { type }) : new Blob([new Uint8Array(content.data)], { type });
    form.append(`files[${index}]`, blob, name);
  }
  return form;
}

const ALREADY_ACKNOWLEDGED = 40_060;

function unlessAcknowledged(error: unknown): void {
  if (!(error instanceof SendFailure) || error.code !== ALREADY_ACKNOWLEDGED) throw error;
}

const PROBLEMS: ReadonlyMap<number, SendProblem> = new Map([
  [40005, 'too_large'],
  [10003, 'gone'],
  [10008, 'gone'],
  [10015, 'gone'],
  [10062, 'gone'],
  [ALREADY_ACKNOWLEDGED, 'gone'],
  [50027, 'gone'],
  [50001, 'forbidden'],
  [50013, 'forbidden'],
  [50007, 'forbidden'],
  [160002, 'forbidden'],
  [20009, 'blocked'],
]);

function failureOf(error: unknown, method: string): SendFailure {
  if (error instanceof DiscordAPIError) {
    const code = Number(error.code);
    const known = Number.isInteger(code) ? code : undefined;
    return new SendFailure(
      problemOf(error, known),
      `${method} was answered ${error.status}${known === undefined ? '' : ` (${known})`}: ${error.message}`,
      { code: known },
    );
  }
  if (error instanceof RateLimitError) {
    // The library adds some milliseconds to what Discord says, in whole seconds or nearly so.
    const retryAfterMs = Math.round(longestWaitMs(error) / 1_000) * 1_000;
    return new SendFailure('rate_limited', `${method} may be made again in ${retryAfterMs} ms`, { retryAfterMs });
  }
  if (error instanceof HTTPError) {
    return new SendFailure(error.status === 413 ? 'too_large' : 'failed', `${method} was answered ${error.status}`);
  }
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
    return new SendFailure('timeout', `${method} took too long`);
  return new SendFailure('failed', `${method} failed: ${error instanceof Error ? error.message : 'unknown'}`);
}

function problemOf({ status, rawError }: DiscordAPIError, code: number | undefined): SendProblem {
  const known = code === undefined ? undefined : PROBLEMS.get(code);
  if (known) return known;
  if (status === 413) return 'too_large';
  // A reply to a message that was deleted meanwhile is a form error of that one field.
  if (code === 50035 && JSON.stringify(rawError).includes('MESSAGE_REFERENCE_UNKNOWN_MESSAGE')) return 'gone';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'gone' : 'refused';
}

/** Whether Discord wants to be left alone for longer than it is worth waiting: then whoever asked is told so instead. */
export function isLongRateLimit(data: RateLimitWait): boolean {
  return longestWaitMs(data) > TIMES.rateLimit;
}

type RateLimitWait = Pick<RateLimitData, 'retryAfter' | 'sublimitTimeout' | 'timeToReset'>;

function longestWaitMs({ retryAfter, sublimitTimeout, timeToReset }: RateLimitWait): number {
  return Math.max(retryAfter, sublimitTimeout, timeToReset);
}
