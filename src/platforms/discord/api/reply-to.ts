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
  /** True when no link of the message but the answered ones can have a preview (embed). */
  isOnlyLinks: z.boolean(),
  /** The id of an edit that added links. It stands for the message's id in nonces and in the answer's id. */
  editId: z.string().optional(),
});

const InteractionReplyTo = z.object({
  kind: z.literal('interaction'),
  ...ChannelAddress,
  applicationId: z.string().optional(),
  token: z.string(),
  /** Set when only the person has installed Medley, which limits follow-ups: whether the channel allows such apps. */
  personal: z.object({ isAllowed: z.boolean() }).optional(),
  /** True when only the caller sees the first message of the answer. */
  isEphemeral: z.boolean(),
  /** The message whose button was pressed, and its delete button's id; absent if a deferred answer is edited. */
  pressed: z
    .object({
      messageId: z.string().optional(),
      deleteId: z.string().optional(),
      /** True when the button leads back to what the message showed before. */
      isBack: z.boolean().optional(),
    })
    .optional(),
});

/** Where and how to answer a request on Discord. Any process that has the token can use it. */
export const DiscordReplyTo = z.discriminatedUnion('kind', [MessageReplyTo, InteractionReplyTo]);
export type DiscordReplyTo = z.output<typeof DiscordReplyTo>;
export type MessageReplyTo = z.output<typeof MessageReplyTo>;
export type InteractionReplyTo = z.output<typeof InteractionReplyTo>;
