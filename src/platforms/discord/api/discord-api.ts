import {
  type APIInteractionResponse,
  type APIMessageTopLevelComponent,
  MessageFlags,
  type RateLimitData,
  REST,
  type RequestData,
  RequestMethod,
  Routes,
} from 'discord.js';
import { Agent } from 'undici';
import * as z from 'zod';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import type { Logger } from '../../../infra/log.ts';
import { TIMES } from './limits.ts';
import { MultipartBody, makeRequestsBy, TransportFailure, type Upload } from './rest.ts';
import { ALREADY_ACKNOWLEDGED, SendFailure, sendFailure, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE } from './send-failure.ts';

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
  /** The message it replies to. Where that was deleted, or its history may not be read, it is posted without the reference. */
  readonly replyTo: string | undefined;
  /** Without a notification. */
  readonly isSilent?: boolean;
}

/** A message that stands. */
export interface PostedMessage {
  readonly id: string;
  /** Whether Discord holds every file of it in its full size. */
  readonly isConfirmed: boolean;
}

/** What an interaction is acknowledged by, within seconds. */
export interface InteractionKey {
  readonly id: string;
  readonly token: string;
}

/** What an interaction is answered by, for a quarter of an hour. */
export interface AnswerKey {
  readonly applicationId: string;
  readonly token: string;
}

/** What became of the deferred answer: it still says "thinking", it says something, or it was deleted. */
export type OriginalState = 'pending' | 'answered' | 'deleted';

/**
 * Everything Medley asks of Discord's REST API, each once: it is the runtime that repeats. Files stream from disk.
 * @throws SendFailure from every method but `close`
 */
export interface DiscordApi {
  post(channelId: string, content: Content, options: PostOptions, signal: AbortSignal): Promise<PostedMessage>;
  /** Resolves with the id of the private channel with a person. */
  openPrivate(userId: string): Promise<string>;
  /** Puts something else into a message of Medley's own. */
  editMessage(channelId: string, messageId: string, content: Content, signal: AbortSignal): Promise<void>;
  /** Does nothing where it is deleted already. */
  deleteMessage(channelId: string, messageId: string): Promise<void>;
  /** Hides the embeds of anyone's message; `flags` are those it has. */
  suppressEmbeds(channelId: string, messageId: string, flags: number): Promise<void>;
  /** Shows the embeds of anyone's message again; does nothing where it is deleted. */
  restoreEmbeds(channelId: string, messageId: string): Promise<void>;
  showTyping(channelId: string): Promise<void>;
  respond(interaction: InteractionKey, response: APIInteractionResponse): Promise<void>;
  originalState(key: AnswerKey, signal: AbortSignal): Promise<OriginalState>;
  /** Resolves with the id of the message. */
  editOriginal(key: AnswerKey, content: Content, signal: AbortSignal): Promise<string>;
  /** Resolves with the id of the new message. */
  followUp(key: AnswerKey, content: Content, isEphemeral: boolean, signal: AbortSignal): Promise<string>;
  /** Does nothing where it is deleted already. */
  deleteOriginal(key: AnswerKey, signal: AbortSignal): Promise<void>;
  /** Whether the token is good. */
  verify(signal: AbortSignal): Promise<void>;
  /** What is registered, as it came. */
  commands(applicationId: string): Promise<unknown>;
  /** Resolves with what is registered then, as it came. */
  putCommands(applicationId: string, commands: readonly object[]): Promise<unknown>;
  /** Ends all that is under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface DiscordApiOptions {
  readonly token: string;
  /** Without a version, e.g. `https://discord.com/api`. */
  readonly apiUrl: string | undefined;
  readonly log: Pick<Logger, 'warn'>;
}

const Posted = z.object({
  id: z.string(),
  attachments: z.array(z.object({ size: z.number() })).catch([]),
  components: z.unknown().optional(),
});
const Flagged = z.object({ flags: z.number().default(0) });
const NO_MENTIONS = { parse: [], replied_user: false } as const;

export function createDiscordApi({ token, apiUrl, log }: DiscordApiOptions): DiscordApi {
  const agent = new Agent();
  const rest = new REST({
    makeRequest: makeRequestsBy(agent),
    ...(apiUrl !== undefined && { api: apiUrl }),
    timeout: TIMES.library,
    retries: 0,
    invalidRequestWarningInterval: 500,
    rejectOnRateLimit: isWorthReturning,
  });
  rest.on('invalidRequestWarning', ({ count }) => log.warn({ count }, 'discord: many requests are refused'));
  const closing = new AbortController();
  // discord.js drops a token it was given after any 401, were it only a proxy's.
  const headers = { Authorization: `Bot ${token}` };

  async function request(route: Route, { timeoutMs = TIMES.request, isRepeatable = true, ...data }: Details = {}) {
    const [method, fullRoute] = route;
    const { signal, release } = joinSignals([closing.signal, data.signal], timeoutMs);
    try {
      return await rest.request({ headers, ...data, method, fullRoute, auth: false, signal });
    } catch (error) {
      // A request that was ended before its turn was never made.
      const isSent = error instanceof TransportFailure ? error.isSent : !signal.aborted;
      throw sendFailure(error, { method, isSent, isRepeatable, isEnded: signal.aborted });
    } finally {
      release();
    }
  }

  async function send(
    route: Route,
    body: Readonly<Record<string, unknown>>,
    { components, uploads, text }: Content,
    details: Details,
  ): Promise<unknown> {
    const shown = text === undefined ? { components } : { content: text };
    const payload = { ...body, ...shown, allowed_mentions: NO_MENTIONS, attachments: uploads.map(attachmentOf) };
    const more = { ...details, timeoutMs: TIMES.upload };
    if (uploads.length === 0) return request(route, { ...more, body: payload });
    const multipart = await MultipartBody.of(payload, uploads);
    const headersOf = { ...(details.headers ?? headers), ...multipart.headers };
    return request(route, { ...more, body: multipart, headers: headersOf, passThroughBody: true });
  }

  return {
    async post(channelId, content, { nonce, replyTo, isSilent = false }, signal) {
      const flags = formFlag(content) | (isSilent ? MessageFlags.SuppressNotifications : 0);
      const body = { flags, nonce, enforce_nonce: true };
      const reference = { message_id: replyTo, channel_id: channelId, fail_if_not_exists: false };
      const post = (referring: object) =>
        send([RequestMethod.Post, Routes.channelMessages(channelId)], { ...body, ...referring }, content, { signal });
      const posted = Posted.parse(
        await (replyTo === undefined
          ? post({})
          : post({ message_reference: reference }).catch((error: unknown) => {
              if (isAboutReference(error)) return post({});
              throw error;
            })),
      );
      return { id: posted.id, isConfirmed: isConfirmed(posted, content) };
    },

    async openPrivate(userId) {
      return Posted.parse(
        await request([RequestMethod.Post, Routes.userChannels()], { body: { recipient_id: userId } }),
      ).id;
    },

    async editMessage(channelId, messageId, content, signal) {
      const route: Route = [RequestMethod.Patch, Routes.channelMessage(channelId, messageId)];
      await send(route, { flags: formFlag(content) }, content, { signal });
    },

    async deleteMessage(channelId, messageId) {
      await request([RequestMethod.Delete, Routes.channelMessage(channelId, messageId)]).catch(unlessGone);
    },

    async suppressEmbeds(channelId, messageId, flags) {
      const body = { flags: flags | MessageFlags.SuppressEmbeds };
      await request([RequestMethod.Patch, Routes.channelMessage(channelId, messageId)], { body });
    },

    async restoreEmbeds(channelId, messageId) {
      const fullRoute = Routes.channelMessage(channelId, messageId);
      const found = await request([RequestMethod.Get, fullRoute]).catch(unlessGone);
      if (found === undefined) return;
      const { flags } = Flagged.parse(found);
      if ((flags & MessageFlags.SuppressEmbeds) === 0) return;
      await request([RequestMethod.Patch, fullRoute], { body: { flags: flags & ~MessageFlags.SuppressEmbeds } });
    },

    async showTyping(channelId) {
      await request([RequestMethod.Post, Routes.channelTyping(channelId)]);
    },

    async respond({ id, token: secret }, response) {
      const route: Route = [RequestMethod.Post, Routes.interactionCallback(id, secret)];
      const query = new URLSearchParams({ with_response: 'false' });
      const details = { query, body: response, headers: {}, timeoutMs: TIMES.acknowledge };
      try {
        await request(route, details);
      } catch (error) {
        if (!mayBeRepeated(error)) throw error;
        // The first one may have arrived all the same; then this one is told so.
        await request(route, details).catch(unlessAcknowledged);
      }
    },

    async originalState({ applicationId, token: secret }, signal) {
      try {
        const route: Route = [RequestMethod.Get, Routes.webhookMessage(applicationId, secret)];
        const { flags } = Flagged.parse(await request(route, { headers: {}, signal }));
        return (flags & MessageFlags.Loading) === 0 ? 'answered' : 'pending';
      } catch (error) {
        if (error instanceof SendFailure && error.code === UNKNOWN_MESSAGE) return 'deleted';
        throw error;
      }
    },

    async editOriginal({ applicationId, token: secret }, content, signal) {
      const route: Route = [RequestMethod.Patch, Routes.webhookMessage(applicationId, secret)];
      return Posted.parse(await send(route, { flags: formFlag(content) }, content, { headers: {}, signal })).id;
    },

    async followUp({ applicationId, token: secret }, content, isEphemeral, signal) {
      const route: Route = [RequestMethod.Post, Routes.webhook(applicationId, secret)];
      const body = { flags: formFlag(content) | (isEphemeral ? MessageFlags.Ephemeral : 0) };
      // Webhooks know no nonce.
      return Posted.parse(await send(route, body, content, { headers: {}, signal, isRepeatable: false })).id;
    },

    async deleteOriginal({ applicationId, token: secret }, signal) {
      const route: Route = [RequestMethod.Delete, Routes.webhookMessage(applicationId, secret)];
      await request(route, { headers: {}, signal }).catch(unlessGone);
    },

    async verify(signal) {
      await request([RequestMethod.Get, Routes.user()], { signal });
    },

    commands(applicationId) {
      const query = new URLSearchParams({ with_localizations: 'true' });
      return request([RequestMethod.Get, Routes.applicationCommands(applicationId)], { query });
    },

    putCommands(applicationId, commands) {
      return request([RequestMethod.Put, Routes.applicationCommands(applicationId)], { body: commands });
    },

    async close() {
      closing.abort();
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
      if (!agent.destroyed) await agent.destroy();
    },
  };
}

type Route = readonly [method: RequestMethod, fullRoute: `/${string}`];

interface Details extends Pick<RequestData, 'body' | 'query' | 'headers' | 'passThroughBody'> {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly isRepeatable?: boolean;
}

/** Where no sizes are listed, every file has an address by now. */
function isConfirmed({ attachments, components }: z.output<typeof Posted>, { uploads }: Content): boolean {
  if (attachments.length === 0)
    return uploads.length === 0 || !`${JSON.stringify(components)}`.includes('attachment://');
  const sorted = (sizes: readonly number[]) => [...sizes].sort((a, b) => a - b).join();
  return sorted(attachments.map(({ size }) => size)) === sorted(uploads.map(({ bytes }) => bytes));
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

/** One that took too long is too late for its interaction. */
function mayBeRepeated(error: unknown): boolean {
  return error instanceof SendFailure && (error.problem === 'unclear' || error.problem === 'away') && !error.isEnded;
}

function unlessAcknowledged(error: unknown): void {
  if (!(error instanceof SendFailure) || error.code !== ALREADY_ACKNOWLEDGED) throw error;
}

function isAboutReference(error: unknown): boolean {
  return error instanceof SendFailure && (error.problem === 'reference' || error.code === UNKNOWN_MESSAGE);
}

/** With its channel as well. */
function unlessGone(error: unknown): void {
  const code = error instanceof SendFailure ? error.code : undefined;
  if (code !== UNKNOWN_MESSAGE && code !== UNKNOWN_CHANNEL) throw error;
}

/**
 * A wait that is shorter than to prepare the message again is waited out; for all others the request goes back into the queue and holds
 * no worker. Without a time to wait (Cloudflare's blocks) discord.js would ask again at once.
 */
function isWorthReturning({ retryAfter, sublimitTimeout, timeToReset }: RateLimitData): boolean {
  return retryAfter <= 0 || Math.max(retryAfter, sublimitTimeout, timeToReset) > TIMES.shortRateLimit;
}
