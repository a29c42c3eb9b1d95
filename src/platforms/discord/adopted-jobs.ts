import * as z from 'zod';
import type { Draft } from '../../bot/contract/chat-platform.ts';
import type { OldJob } from '../../bot/runtime/old-jobs.ts';
import { TIMES } from './limits.ts';
import type { DiscordReplyTo } from './reply-to.ts';

const Place = {
  channelId: z.string(),
  guildId: z.string().optional(),
  isPrivate: z.boolean(),
  locales: z.array(z.string()),
  /** Of the job's links, whether each is hidden. */
  spoilers: z.array(z.boolean()),
  fileBytes: z.number(),
};

const MessageTarget = z.object({
  kind: z.literal('message'),
  ...Place,
  messageId: z.string(),
  flags: z.number(),
  canReply: z.boolean(),
  canAttach: z.boolean(),
  isOnlyLinks: z.boolean(),
});

const InteractionTarget = z.object({
  kind: z.literal('interaction'),
  ...Place,
  token: z.string(),
  /** Unix milliseconds. */
  until: z.number(),
  isPersonal: z.boolean().default(true),
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

/** As version 0.1.0 kept it beside its jobs. */
const Target = z.discriminatedUnion('kind', [MessageTarget, InteractionTarget]);
type Target = z.output<typeof Target>;

/**
 * The request that a job of version 0.1.0 is; undefined when it can no longer be answered, or its answer may stand there already and
 * Discord would not know a repeat. Pure but for the clock.
 */
export function discordDraftOf(job: OldJob, now: number = Date.now()): Draft<DiscordReplyTo> | undefined {
  const target = parseTarget(job.target);
  if (target === undefined || job.links.length === 0) return undefined;
  const isSending = job.state === 'sending';
  if (target.kind === 'message' && isSending && now - job.since > TIMES.nonce) return undefined;
  if (target.kind === 'interaction' && target.until <= now) return undefined;
  return {
    eventId: job.id.replace(/^discord:/, ''),
    chat: {
      id: target.channelId,
      kind: target.isPrivate ? 'private' : 'group',
      ...(target.guildId !== undefined && { groupId: target.guildId }),
    },
    user: { id: job.userId, rateKey: job.userId, locales: target.locales, isChatAdmin: false },
    ...(target.kind === 'interaction' && { until: target.until }),
    replyTo: replyToOf(target, isSending),
    ...askOf(target, job.links),
  };
}

function replyToOf(target: Target, isSending: boolean): DiscordReplyTo {
  const { fileBytes } = target;
  if (target.kind === 'message') {
    const { channelId, messageId, flags, isOnlyLinks, canAttach: attach, canReply: reply, guildId } = target;
    const rights = { send: true, attach, reply, manage: guildId !== undefined, content: true };
    const place = { fileBytes, rights, channelId, messageId, flags, isOnlyLinks };
    return { kind: 'message', ...place, ...(isSending && { hasOldNonces: true }) };
  }
  const { token, isEphemeral, isPersonal } = target;
  return {
    kind: 'interaction',
    fileBytes,
    rights: { send: true, attach: true, reply: true, manage: false, content: true },
    token,
    isEphemeral,
    ...(isPersonal && { personal: { isAllowed: true } }),
    ...(isSending && { isFirstOnly: true }),
  };
}

function askOf(target: Target, links: readonly string[]) {
  if (target.kind === 'interaction' && target.command !== null) {
    const { name, linkOption, values } = target.command;
    return { kind: 'command' as const, what: { name, options: { ...values, [linkOption]: links[0] } } };
  }
  const what = links.map((url, place) => ({ url, spoiler: target.spoilers[place] ?? false }));
  return { kind: 'links' as const, what };
}

/** Undefined for what is of yet another version. */
function parseTarget(json: string): Target | undefined {
  try {
    return Target.safeParse(JSON.parse(json)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
