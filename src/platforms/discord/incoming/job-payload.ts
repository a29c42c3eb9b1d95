import { z } from 'zod';
import type { Caller } from '../../../bot/command.ts';
import type { Job } from '../../../bot/runtime/jobs.ts';

const Place = {
  channelId: z.string(),
  guildId: z.string().optional(),
  /** Whether only the caller and Medley are there. */
  isPrivate: z.boolean(),
  locales: z.array(z.string()),
  /** Of the job's links, whether each is hidden. */
  spoilers: z.array(z.boolean()),
  /** Largest file. */
  fileBytes: z.number(),
};

const MessageTarget = z.object({
  kind: z.literal('message'),
  ...Place,
  messageId: z.string(),
  /** Of the message. */
  flags: z.number(),
  direct: z.boolean(),
  /** Whether Medley may reply to it, else it speaks into the channel. */
  canReply: z.boolean(),
  canAttach: z.boolean(),
  /** Whether nothing but answered links could have an embed. */
  isOnlyLinks: z.boolean(),
});

const InteractionTarget = z.object({
  kind: z.literal('interaction'),
  ...Place,
  token: z.string(),
  /** Unix milliseconds; later the token is of no use. */
  until: z.number(),
  /** Whether only the person has installed Medley there. */
  isPersonal: z.boolean().default(true),
  /** Whether the deferred answer is the caller's alone. */
  isEphemeral: z.boolean(),
  /** The command that was given, without its link; null where links of a message were asked for. */
  command: z
    .object({
      name: z.string(),
      linkOption: z.string(),
      values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    })
    .nullable(),
});

const Target = z.discriminatedUnion('kind', [MessageTarget, InteractionTarget]);

/** Where a message's answer goes, as it is kept with its job. */
export type MessageTarget = z.infer<typeof MessageTarget>;
/** Where an interaction's answer goes. */
export type InteractionTarget = z.infer<typeof InteractionTarget>;
export type Target = MessageTarget | InteractionTarget;

/** Undefined for what another version wrote. */
export function parseTarget(json: string): Target | undefined {
  try {
    return Target.safeParse(JSON.parse(json)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The person who asked, as far as his job tells. */
export function callerOf({ userId }: Pick<Job, 'userId'>, target: Target): Caller {
  return {
    platform: 'discord',
    userId,
    chatId: target.channelId,
    chatKind: target.isPrivate ? 'private' : 'group',
    ...(target.guildId !== undefined && { groupId: target.guildId }),
    isChatAdmin: false,
    hidesEmbeds: true,
    rateKey: userId,
    locales: target.locales,
  };
}
