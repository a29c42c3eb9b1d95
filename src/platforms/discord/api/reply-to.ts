import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Request } from '../../../bot/contract/request.ts';

/** Medley's rights in the channel of the answer. */
const Rights = z.object({
  send: z.boolean(),
  /** False in a voice channel where Medley lacks the permission to connect, without which it may not write there. */
  connect: z.boolean().optional(),
  attach: z.boolean(),
  /** True when Medley may reply to messages, for which Discord requires the permission to read the history. */
  reply: z.boolean(),
  /** True when Medley may hide the embeds of other people's messages. */
  manage: z.boolean(),
  /** True when Medley receives the text of messages in servers. */
  content: z.boolean(),
});
export type Rights = z.output<typeof Rights>;

const ChannelAddress = {
  /** The size limit of a file in the channel. */
  fileBytes: z.number(),
  rights: Rights,
};

const MessageReplyTo = z.object({
  kind: z.literal('message'),
  ...ChannelAddress,
  channelId: z.string(),
  messageId: z.string(),
  flags: z.number(),
  /** True when all links of the message that can have a preview (embed) are answered: then all embeds may be hidden. */
  isOnlyLinks: z.boolean(),
  /**
   * The id of the edit that added the links; absent if they were in the message from the beginning. It replaces the
   * message's id in nonces and buttons, so that the answers to the message and to its edit are told apart.
   */
  editId: z.string().optional(),
});

const InteractionReplyTo = z.object({
  kind: z.literal('interaction'),
  ...ChannelAddress,
  applicationId: z.string().optional(),
  token: z.string(),
  /**
   * Present if only the person, and not the server, has installed Medley; Discord then limits the number of follow-ups.
   * `isAllowed` is true when the channel lets the person use external apps, which the server has not installed.
   */
  personal: z.object({ isAllowed: z.boolean() }).optional(),
  /** True when only the caller sees the first message of the answer. */
  isEphemeral: z.boolean(),
  /** The message with the pressed button, which the answer replaces; absent if the answer gets its own message. */
  pressed: z
    .object({
      messageId: z.string().optional(),
      /** The id of the delete button in the message with the pressed button. */
      deleteId: z.string().optional(),
      /** True when the button leads back to what the message showed before. */
      isBack: z.boolean().optional(),
    })
    .optional(),
});

/** All that is needed to answer a request on Discord, by any process that has the bot's token. */
export const DiscordReplyTo = z.discriminatedUnion('kind', [MessageReplyTo, InteractionReplyTo]);
export type DiscordReplyTo = z.output<typeof DiscordReplyTo>;
export type MessageReplyTo = z.output<typeof MessageReplyTo>;
export type InteractionReplyTo = z.output<typeof InteractionReplyTo>;

/**
 * Hashes a text into a number like an id of Discord. Answers to an edit, and messages that answer no event, use this
 * number where other answers use the id of their event.
 */
export function stableId(words: string): string {
  // In base 36, 62 bits take at most twelve characters, which leaves the nonce space for the message's tag.
  return (createHash('sha256').update(words).digest().readBigUInt64BE() >> 2n).toString();
}

/** Reads the application's id from the beginning of a token; undefined for text that is not a token. */
export function applicationIdOf(token: string): string | undefined {
  const id = Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString('latin1');
  return /^\d{17,20}$/.test(id) ? id : undefined;
}

/** The id of the message or interaction from which a request came. */
export function eventIdOf({ id, platform }: Pick<Request, 'id' | 'platform'>): string {
  return id.slice(platform.length + 1);
}
