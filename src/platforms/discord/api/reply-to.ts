import * as z from 'zod';

/** The rights of Medley in one channel. */
const Rights = z.object({
  send: z.boolean(),
  attach: z.boolean(),
  /** True when Medley may reply to messages: Discord requires the permission to read the history. */
  reply: z.boolean(),
  /** True when Medley may hide the embeds of other people's messages. */
  manage: z.boolean(),
  /** True when messages of servers come with their text. */
  content: z.boolean(),
});
export type Rights = z.output<typeof Rights>;

const ChannelAddress = {
  /** The size limit of a file in this channel. */
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
  /** True when nothing in the message but answered links can have an embed. */
  isOnlyLinks: z.boolean(),
  /** The id of an edit that added links: it replaces the message's id in nonces and as the id of the answer. */
  editId: z.string().optional(),
});

const InteractionReplyTo = z.object({
  kind: z.literal('interaction'),
  ...ChannelAddress,
  applicationId: z.string().optional(),
  token: z.string(),
  /**
   * Present when only the person has installed Medley, which limits follow-ups; it says whether they may use such apps in this channel.
   */
  personal: z.object({ isAllowed: z.boolean() }).optional(),
  /** True when only the caller sees the first message of the answer. */
  isEphemeral: z.boolean(),
  /** The message whose button was pressed, with the id of its delete button; absent when the answer was deferred. */
  pressed: z
    .object({
      messageId: z.string().optional(),
      deleteId: z.string().optional(),
      /** True when the message should show again what it showed before. */
      isBack: z.boolean().optional(),
    })
    .optional(),
});

/** The destination of an answer on Discord; any process with the token can use it. */
export const DiscordReplyTo = z.discriminatedUnion('kind', [MessageReplyTo, InteractionReplyTo]);
export type DiscordReplyTo = z.output<typeof DiscordReplyTo>;
export type MessageReplyTo = z.output<typeof MessageReplyTo>;
export type InteractionReplyTo = z.output<typeof InteractionReplyTo>;
