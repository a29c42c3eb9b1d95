import {
  type APIInteractionResponse,
  type APIMessageTopLevelComponent,
  MessageFlags,
  RequestMethod,
  Routes,
} from 'discord.js';
import * as z from 'zod';
import { TIMES } from './limits.ts';
import {
  type ApiRoute,
  createRest,
  formOf,
  type RequestDetails,
  type Rest,
  type RestOptions,
  type UploadFile,
} from './rest.ts';
import { ALREADY_ACKNOWLEDGED, DiscordFailure, isTokenDead, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE } from './send-failure.ts';

export interface Content {
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly uploads: readonly UploadFile[];
  /** The text of a message without components. Only in such a message Discord shows previews of links. */
  readonly text?: string;
}

export interface MessageOptions {
  /** The idempotency key, at most 25 characters: a repeated request with the same key within minutes posts nothing. */
  readonly nonce: string;
  /** The id of the message to reply to. If Discord does not accept the reference, the message is posted without it. */
  readonly replyTo: string | undefined;
  /** True to send the message without notifying anyone. */
  readonly isSilent?: boolean;
}

export interface PostedMessage {
  readonly id: string;
  /** True when Discord's answer shows that it received every file of the message in its full size. */
  readonly isConfirmed: boolean;
}

/** The ids by which an interaction is acknowledged, which Discord allows for three seconds. */
export interface InteractionKey {
  readonly id: string;
  readonly token: string;
}

/** The ids by which an interaction is answered, which Discord allows for a quarter of an hour. */
export interface AnswerKey {
  readonly applicationId: string;
  readonly token: string;
}

const Posted = z.object({
  id: z.string(),
  attachments: z.array(z.object({ size: z.number() })).catch([]),
  components: z.unknown().optional(),
});
const Flagged = z.object({ flags: z.number().default(0) });
const NO_MENTIONS = { parse: [], replied_user: false } as const;

/**
 * Calls Discord's REST API. Each call is made once; bot/runtime repeats those that failed. Files are streamed from the
 * disk.
 * @throws DiscordFailure from every method but `close`
 */
export function createDiscordApi(options: RestOptions) {
  const rest = createRest(options);
  return { ...messageCalls(rest), ...interactionCalls(rest), ...applicationCalls(rest), close: rest.close };
}

export type DiscordApi = ReturnType<typeof createDiscordApi>;

function messageCalls(rest: Rest) {
  return {
    async post(
      channelId: string,
      content: Content,
      { nonce, replyTo, isSilent = false }: MessageOptions,
      signal: AbortSignal,
    ): Promise<PostedMessage> {
      const route: ApiRoute = [RequestMethod.Post, Routes.channelMessages(channelId)];
      const flags = isSilent ? MessageFlags.SuppressNotifications : 0;
      const post = (reference?: object) => {
        const body = { nonce, enforce_nonce: true, ...reference };
        return sendContent(rest, route, content, { signal, flags, body });
      };
      const reference = { message_id: replyTo, channel_id: channelId, fail_if_not_exists: false };
      const whole = replyTo === undefined ? {} : { message_reference: reference };
      const posted = await post(whole).catch((error: unknown) => {
        if (replyTo === undefined || !isAboutReference(error)) throw error;
        return post();
      });
      return { id: posted.id, isConfirmed: isConfirmed(posted, content) };
    },

    /** Opens a private channel with a person; resolves with its id. */
    async openPrivate(userId: string): Promise<string> {
      const body = { recipient_id: userId };
      return Posted.parse(await rest.request([RequestMethod.Post, Routes.userChannels()], { body })).id;
    },

    /** Replaces the content of a message of Medley's own. */
    async editMessage(channelId: string, messageId: string, content: Content, signal: AbortSignal): Promise<void> {
      await sendContent(rest, [RequestMethod.Patch, Routes.channelMessage(channelId, messageId)], content, { signal });
    },

    /** Deletes a message; does nothing if it is deleted already. */
    async deleteMessage(channelId: string, messageId: string): Promise<void> {
      await rest.request([RequestMethod.Delete, Routes.channelMessage(channelId, messageId)]).catch(unlessGone);
    },

    /** Hides the previews (embeds) of anybody's message; `flags` are the flags that it has now. */
    async suppressEmbeds(channelId: string, messageId: string, flags: number): Promise<void> {
      const body = { flags: flags | MessageFlags.SuppressEmbeds };
      await rest.request([RequestMethod.Patch, Routes.channelMessage(channelId, messageId)], { body });
    },

    /** Shows the previews (embeds) of anybody's message again; does nothing if it is deleted. */
    async restoreEmbeds(channelId: string, messageId: string): Promise<void> {
      const fullRoute = Routes.channelMessage(channelId, messageId);
      const found = await rest.request([RequestMethod.Get, fullRoute]).catch(unlessGone);
      const { flags } = Flagged.parse(found ?? {});
      if ((flags & MessageFlags.SuppressEmbeds) === 0) return;
      await rest.request([RequestMethod.Patch, fullRoute], { body: { flags: flags & ~MessageFlags.SuppressEmbeds } });
    },

    async showTyping(channelId: string): Promise<void> {
      await rest.request([RequestMethod.Post, Routes.channelTyping(channelId)]);
    },
  };
}

function interactionCalls(rest: Rest) {
  /** The route of the first answer to an interaction. It contains the interaction's token: no bot token is needed. */
  const original = ({ applicationId, token }: AnswerKey) => Routes.webhookMessage(applicationId, token);
  return {
    async respond({ id, token }: InteractionKey, response: APIInteractionResponse): Promise<void> {
      const route: ApiRoute = [RequestMethod.Post, Routes.interactionCallback(id, token)];
      const query = new URLSearchParams({ with_response: 'false' });
      const details = { query, body: response, isAuthorized: false, timeoutMs: TIMES.acknowledge };
      try {
        await rest.request(route, details);
      } catch (error) {
        if (!mayBeRepeated(error)) throw error;
        // The first attempt may have arrived although its answer was lost. Then Discord refuses this second attempt
        // as a repeat, which is no failure.
        await rest.request(route, details).catch(unlessAcknowledged);
      }
    },

    /** True while the deferred answer says "thinking"; false when it was edited or deleted, or the token expired. */
    async isPending(key: AnswerKey, signal: AbortSignal): Promise<boolean> {
      try {
        const found = await rest.request([RequestMethod.Get, original(key)], { isAuthorized: false, signal });
        return (Flagged.parse(found).flags & MessageFlags.Loading) !== 0;
      } catch (error) {
        if (isTokenDead(error) || (error instanceof DiscordFailure && error.code === UNKNOWN_MESSAGE)) return false;
        throw error;
      }
    },

    /** Edits the first answer to an interaction; resolves with the message's id. */
    async editOriginal(key: AnswerKey, content: Content, signal: AbortSignal): Promise<string> {
      const details = { isAuthorized: false, signal };
      return (await sendContent(rest, [RequestMethod.Patch, original(key)], content, details)).id;
    },

    /** Sends a further answer to an interaction, with these flags; resolves with the message's id. */
    async followUp(
      { applicationId, token }: AnswerKey,
      content: Content,
      flags: number,
      signal: AbortSignal,
    ): Promise<string> {
      // A follow-up is a message of a webhook, for which Discord takes no nonce, so a repeat would post it twice.
      const details = { isAuthorized: false, signal, flags, isRepeatable: false };
      return (await sendContent(rest, [RequestMethod.Post, Routes.webhook(applicationId, token)], content, details)).id;
    },

    /** Deletes the first answer to an interaction; does nothing if it is deleted already. */
    async deleteOriginal(key: AnswerKey, signal: AbortSignal): Promise<void> {
      await rest.request([RequestMethod.Delete, original(key)], { isAuthorized: false, signal }).catch(unlessGone);
    },
  };
}

function applicationCalls(rest: Rest) {
  return {
    /** Checks the token; rejects when Discord refuses it. */
    async verify(signal: AbortSignal): Promise<void> {
      await rest.request([RequestMethod.Get, Routes.user()], { signal });
    },

    /** Resolves with the registered commands, as Discord sends them. */
    commands(applicationId: string): Promise<unknown> {
      const query = new URLSearchParams({ with_localizations: 'true' });
      return rest.request([RequestMethod.Get, Routes.applicationCommands(applicationId)], { query });
    },

    /** Registers the commands; resolves with Discord's list of them. */
    putCommands(applicationId: string, commands: readonly object[]): Promise<unknown> {
      return rest.request([RequestMethod.Put, Routes.applicationCommands(applicationId)], { body: commands });
    },
  };
}

interface ContentDetails extends RequestDetails {
  /** The flags of the message, without the flag that says that it has components, which `sendContent` adds. */
  readonly flags?: number;
}

/** Sends the content of a message, with the fields in `body`; resolves with Discord's answer. */
async function sendContent(
  rest: Rest,
  route: ApiRoute,
  { components, uploads, text }: Content,
  { flags = 0, body = {}, ...details }: ContentDetails,
): Promise<z.output<typeof Posted>> {
  const shown = text === undefined ? { components } : { content: text };
  const attachments = uploads.map(attachmentOf);
  const allFlags = text === undefined ? flags | MessageFlags.IsComponentsV2 : flags;
  const payload = { ...body, flags: allFlags, ...shown, allowed_mentions: NO_MENTIONS, attachments };
  const content = uploads.length === 0 ? payload : await formOf(payload, uploads);
  return Posted.parse(await rest.request(route, { ...details, timeoutMs: TIMES.upload, body: content }));
}

/**
 * True when Discord's answer lists the sizes of all sent files or, if it lists no files, has replaced every
 * `attachment://` name in the components by an address of its own.
 */
function isConfirmed({ attachments, components }: z.output<typeof Posted>, { uploads }: Content): boolean {
  if (attachments.length === 0)
    return uploads.length === 0 || !`${JSON.stringify(components)}`.includes('attachment://');
  const sorted = (sizes: readonly number[]) => [...sizes].sort((a, b) => a - b).join();
  return sorted(attachments.map(({ size }) => size)) === sorted(uploads.map(({ bytes }) => bytes));
}

function attachmentOf({ name, spoiler, alt = '' }: UploadFile, index: number) {
  return {
    id: String(index),
    filename: name,
    ...(spoiler && { is_spoiler: true }),
    ...(alt !== '' && { description: alt }),
  };
}

/** True for a network failure. After a timeout it is false: a repeat would come too late for the interaction. */
function mayBeRepeated(error: unknown): boolean {
  return error instanceof DiscordFailure && (error.problem === 'unclear' || error.problem === 'away') && !error.isEnded;
}

function unlessAcknowledged(error: unknown): void {
  if (!(error instanceof DiscordFailure) || error.code !== ALREADY_ACKNOWLEDGED) throw error;
}

function isAboutReference(error: unknown): boolean {
  return error instanceof DiscordFailure && (error.problem === 'reference' || error.code === UNKNOWN_MESSAGE);
}

/** Ignores a failure that says that the message or its channel is deleted. */
function unlessGone(error: unknown): void {
  const code = error instanceof DiscordFailure ? error.code : undefined;
  if (code !== UNKNOWN_MESSAGE && code !== UNKNOWN_CHANNEL) throw error;
}

/**
 * Makes a nonce of at most 25 characters: up to 12 characters for the event's id in base 36, a dash, and the 12
 * characters of the tag that `sendOnce` gives to the message.
 */
export function nonceOf(eventId: string, tag: string): string {
  return `${BigInt(eventId).toString(36)}-${tag}`;
}
