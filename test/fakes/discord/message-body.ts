import { z } from 'zod';
import { invalidForm } from './records.ts';

const attachmentSchema = z.looseObject({
  id: z.union([z.string(), z.number().transform(String)]),
  filename: z.string().nullish(),
  description: z.string().nullish(),
  is_spoiler: z.boolean().nullish(),
});

const messageBodySchema = z.looseObject({
  content: z.string().nullish(),
  embeds: z.array(z.looseObject({})).nullish(),
  components: z.array(z.unknown()).nullish(),
  flags: z.int().nullish(),
  attachments: z.array(attachmentSchema).nullish(),
  allowed_mentions: z
    .looseObject({
      parse: z.array(z.string()).nullish(),
      users: z.array(z.string()).nullish(),
      roles: z.array(z.string()).nullish(),
      replied_user: z.boolean().nullish(),
    })
    .nullish(),
  message_reference: z
    .looseObject({
      message_id: z.string(),
      channel_id: z.string().nullish(),
      guild_id: z.string().nullish(),
      fail_if_not_exists: z.boolean().nullish(),
    })
    .nullish(),
  nonce: z.union([z.string(), z.int().transform(String)]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  sticker_ids: z.array(z.string()).nullish(),
  poll: z.unknown().optional(),
});

/** A message as the bot asks for it. */
export type MessageBody = z.infer<typeof messageBodySchema>;

export const Flags = {
  suppressEmbeds: 1 << 2,
  ephemeral: 1 << 6,
  loading: 1 << 7,
  suppressNotifications: 1 << 12,
  voiceMessage: 1 << 13,
  componentsV2: 1 << 15,
} as const;

/** @throws {Refusal} 50035 */
export function readMessageBody(body: unknown): MessageBody {
  const parsed = messageBodySchema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidForm(`${issue?.path.join('.')} ${issue?.message}`);
}
