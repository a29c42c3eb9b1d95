import * as z from 'zod';

/** This file has the updates of the Bot API, of which only the fields that Medley reads are parsed. */

const User = z.object({
  id: z.number(),
  is_bot: z.boolean().catch(false),
  language_code: z.string().optional().catch(undefined),
});
export type User = z.output<typeof User>;

const Chat = z.object({ id: z.number(), type: z.enum(['private', 'group', 'supergroup', 'channel']) });

/** An entity, which marks a part of a text. Its offset and length count UTF-16 units. */
const MessageEntity = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  url: z.string().optional().catch(undefined),
});
export type MessageEntity = z.output<typeof MessageEntity>;

const Words = {
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(MessageEntity).catch([]).default([]),
  caption_entities: z.array(MessageEntity).catch([]).default([]),
  rich_message: z
    .object({ blocks: z.array(z.unknown()) })
    .optional()
    .catch(undefined),
};
const Place = {
  message_id: z.number(),
  chat: Chat,
  message_thread_id: z.number().optional().catch(undefined),
  is_topic_message: z.boolean().catch(false).default(false),
  /** One person's conversation in a channel's direct messages. */
  direct_messages_topic: z.object({ topic_id: z.number() }).optional().catch(undefined),
};
/** The author. `sender_chat` is present if a person writes as a channel or, anonymously, as the group itself. */
const Speaker = { from: User.optional(), sender_chat: z.object({ id: z.number() }).optional().catch(undefined) };

const Buttons = z.object({ inline_keyboard: z.array(z.array(z.object({ url: z.string().optional() }))) });
const RepliedMessage = z.object({
  ...Words,
  ...Speaker,
  message_id: z.number(),
  reply_markup: Buttons.optional().catch(undefined),
});
const Outside = z.object({ link_preview_options: z.object({ url: z.string() }) });
const Quote = z.object({ text: z.string(), entities: z.array(MessageEntity).default([]) });

const Message = z.object({
  ...Words,
  ...Place,
  ...Speaker,
  /** The time of the message, in unix seconds, even if it was edited later. */
  date: z.number().catch(0).default(0),
  via_bot: z.unknown().optional(),
  reply_markup: Buttons.optional().catch(undefined),
  /** The same for all messages of an album. */
  media_group_id: z.string().optional().catch(undefined),
  /** Present when the message was forwarded. */
  forward_origin: z.unknown().optional(),
  /** True in the discussion group of a channel for a post of that channel, which is the `sender_chat`. */
  is_automatic_forward: z.boolean().catch(false).default(false),
  migrate_to_chat_id: z.number().optional(),
  migrate_from_chat_id: z.number().optional(),
  reply_to_message: RepliedMessage.optional().catch(undefined),
  /** The message of another chat or topic to which this message replies. Telegram states little about it. */
  external_reply: Outside.optional().catch(undefined),
  /** The part that a reply quotes of the message to which it replies. The entities of this part mark no links. */
  quote: Quote.optional().catch(undefined),
});
export type Message = z.output<typeof Message>;

const CallbackQuery = z.object({
  id: z.string(),
  from: User,
  data: z.string().optional(),
  inline_message_id: z.string().optional(),
  /** The message with the button; absent for inline messages. Telegram states only chat and id of an old message. */
  message: z
    .object({
      ...Place,
      /** The id of a message that only its receiver sees; such a message has no other id. */
      ephemeral_message_id: z.number().optional().catch(undefined),
      text: z.string().optional(),
      photo: z.array(z.unknown()).optional().catch(undefined),
      reply_markup: Buttons.optional().catch(undefined),
      reply_to_message: RepliedMessage.optional().catch(undefined),
    })
    .optional(),
});
export type CallbackQuery = z.output<typeof CallbackQuery>;

const InlineQuery = z.object({ id: z.string(), from: User, query: z.string(), offset: z.string().default('') });
export type InlineQuery = z.output<typeof InlineQuery>;

const ChosenInlineResult = z.object({
  result_id: z.string(),
  from: User,
  query: z.string(),
  inline_message_id: z.string().optional(),
});
export type ChosenInlineResult = z.output<typeof ChosenInlineResult>;

const Membership = z.object({ status: z.string(), is_member: z.boolean().optional() });
const MyChatMember = z.object({
  chat: Chat,
  /** The person who changed the bot's membership. */
  from: User.optional().catch(undefined),
  /** The time of the change, in unix seconds. */
  date: z.number().catch(0).default(0),
  old_chat_member: Membership.catch({ status: 'member' }).default({ status: 'member' }),
  new_chat_member: Membership,
});
export type MyChatMember = z.output<typeof MyChatMember>;

export const Update = z.object({
  update_id: z.number(),
  message: Message.optional(),
  edited_message: Message.optional(),
  channel_post: Message.optional(),
  edited_channel_post: Message.optional(),
  callback_query: CallbackQuery.optional(),
  inline_query: InlineQuery.optional(),
  chosen_inline_result: ChosenInlineResult.optional(),
  my_chat_member: MyChatMember.optional(),
});
export type Update = z.output<typeof Update>;

/** The kinds of updates that Telegram is asked to send. */
export const ALLOWED_UPDATES = Update.keyof().exclude(['update_id']).options;
