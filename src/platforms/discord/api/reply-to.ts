import * as z from 'zod';

/** What Medley may do in one place. */
const Rights = z.object({
  send: z.boolean(),
  attach: z.boolean(),
  /** To reply to a message, Discord wants its history to be readable. */
  reply: z.boolean(),
  /** To hide embeds of other people's messages. */
  manage: z.boolean(),
  /** To read what is written in servers. */
  content: z.boolean(),
});
export type Rights = z.output<typeof Rights>;

const Place = {
  /** Largest file. */
  fileBytes: z.number(),
  rights: Rights,
};

const MessageReplyTo = z.object({
  kind: z.literal('message'),
  ...Place,
  channelId: z.string(),
  messageId: z.string(),
  /** Of the message. */
  flags: z.number(),
  /** Whether nothing but answered links could have an embed. */
  isOnlyLinks: z.boolean(),
  /** Where links that an edit added are answered: stands for the message in nonces, and in what belongs to the answer. */
  editId: z.string().optional(),
});

const InteractionReplyTo = z.object({
  kind: z.literal('interaction'),
  ...Place,
  applicationId: z.string().optional(),
  token: z.string(),
  /** Where only the person has installed Medley, which bounds the follow-ups, and whether they may use such apps there. */
  personal: z.object({ isAllowed: z.boolean() }).optional(),
  /** Whether what stands there first is the caller's alone. */
  isEphemeral: z.boolean(),
  /** The message whose button was pressed, with the id of its own delete button; absent where the answer was deferred. */
  pressed: z
    .object({
      messageId: z.string().optional(),
      deleteId: z.string().optional(),
      /** Whether it is to show again what it showed before. */
      isBack: z.boolean().optional(),
    })
    .optional(),
});

/** All that is needed to answer on Discord, by any process with the token. */
export const DiscordReplyTo = z.discriminatedUnion('kind', [MessageReplyTo, InteractionReplyTo]);
export type DiscordReplyTo = z.output<typeof DiscordReplyTo>;
export type MessageReplyTo = z.output<typeof MessageReplyTo>;
export type InteractionReplyTo = z.output<typeof InteractionReplyTo>;
