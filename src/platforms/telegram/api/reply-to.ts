import * as z from 'zod';

/** Where an answer goes: all that any process needs to send it, and no words of people. */
export const TelegramReplyTo = z.object({
  chat: z.number(),
  isGroup: z.boolean(),
  /** Where those who read are no partners: nothing is said there that they need not see. */
  isChannel: z.boolean().optional(),
  /** Of a forum's topic; never that of the General topic, which Telegram refuses. */
  thread: z.number().optional(),
  /** The message that is answered. */
  message: z.number().optional(),
  /** Whether there is nothing in that message but links that are answered. */
  isOnlyLinks: z.boolean().optional(),
  /** A pressed button: its query, and the message it stands under. */
  press: z
    .object({
      query: z.string(),
      message: z.number(),
      /** What an answer may take the place of; posts and other files stay. */
      stands: z.enum(['text', 'photo']).optional(),
    })
    .optional(),
});
export type TelegramReplyTo = z.output<typeof TelegramReplyTo>;
export type Press = NonNullable<TelegramReplyTo['press']>;
