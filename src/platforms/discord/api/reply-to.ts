import * as z from 'zod';

/** Medley's rights in the channel of the answer. */
const Rights = z.object({
  send: z.boolean(),
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
  /** True when only the answered links of the message can have embeds. */
  isOnlyLinks: z.boolean(),
  /** The id of an edit that added links; nonces and the answer's id are made of it instead of the message's id. */
  editId: z.string().optional(),
});

const InteractionReplyTo = z.object({
  kind: z.literal('interaction'),
  ...ChannelAddress,
  applicationId: z.string().optional(),
  token: z.string(),
  /**
   * Set when only the person has installed Medley, which limits follow-ups; says whether the channel allows such apps.
   */
  personal: z.object({ isAllowed: z.boolean() }).optional(),
  /** True when only the caller sees the first message of the answer. */
  isEphemeral: z.boolean(),
  /** The message whose button was pressed, with its delete button's id; absent when a deferred answer is edited. */
  pressed: z
    .object({
      messageId: z.string().optional(),
      deleteId: z.string().optional(),
      /** True when the pressed button leads back to the message's previous content. */
      isBack: z.boolean().optional(),
    })
    .optional(),
});

/** Where and how to answer a request on Discord; any process with the token can use it. */
export const DiscordReplyTo = z.discriminatedUnion('kind', [MessageReplyTo, InteractionReplyTo]);
export type DiscordReplyTo = z.output<typeof DiscordReplyTo>;
export type MessageReplyTo = z.output<typeof MessageReplyTo>;
export type InteractionReplyTo = z.output<typeof InteractionReplyTo>;
