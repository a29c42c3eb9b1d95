import * as z from 'zod';

/** The rights of Medley in one channel. */
const Rights = z.object({
  send: z.boolean(),
  attach: z.boolean(),
  /** Discord wants the history to be readable for a reply to a message. */
  reply: z.boolean(),
  /** Embeds of other people's messages may be hidden. */
  manage: z.boolean(),
  /** Messages of servers come with their text. */
  content: z.boolean(),
});
export type Rights = z.output<typeof Rights>;

const ChannelAddress = {
  /** The largest file that may be sent there. */
  fileBytes: z.number(),
  rights: Rights,
};

const MessageReplyTo = z.object({
  kind: z.literal('message'),
  ...ChannelAddress,
  channelId: z.string(),
  messageId: z.string(),
  /** The flags of the message. */
  flags: z.number(),
  /** Nothing but answered links can have an embed in the message. */
  isOnlyLinks: z.boolean(),
  /** The id of an edit that added links: it replaces the message's in nonces and as the id of the answer. */
  editId: z.string().optional(),
});

const InteractionReplyTo = z.object({
  kind: z.literal('interaction'),
  ...ChannelAddress,
  applicationId: z.string().optional(),
  token: z.string(),
  /** Present where only the person has installed Medley, which limits follow-ups; it says whether they may use such apps there. */
  personal: z.object({ isAllowed: z.boolean() }).optional(),
  /** The first message of the answer is the caller's alone. */
  isEphemeral: z.boolean(),
  /** The message whose button was pressed, with the id of its own delete button; absent where the answer was deferred. */
  pressed: z
    .object({
      messageId: z.string().optional(),
      deleteId: z.string().optional(),
      /** The message is to show again what it showed before. */
      isBack: z.boolean().optional(),
    })
    .optional(),
});

/** Any process with the token can answer on Discord with this. */
export const DiscordReplyTo = z.discriminatedUnion('kind', [MessageReplyTo, InteractionReplyTo]);
export type DiscordReplyTo = z.output<typeof DiscordReplyTo>;
export type MessageReplyTo = z.output<typeof MessageReplyTo>;
export type InteractionReplyTo = z.output<typeof InteractionReplyTo>;
