import * as z from 'zod';
import type { Draft } from '../../bot/contract/chat-platform.ts';
import type { OldJob } from '../../bot/runtime/old-jobs.ts';
import type { TelegramReplyTo } from './reply-to.ts';

const Target = z.object({
  message: z.number(),
  thread: z.number().optional(),
  group: z.boolean(),
  locales: z.array(z.string()),
  spoilers: z.array(z.string()).default([]),
  command: z
    .object({ name: z.string(), options: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])) })
    .optional(),
});
type Target = z.output<typeof Target>;

/** `telegram:EVENT`, with the link's place in the message behind it. */
const JOB_ID = /^telegram:([\w-]+)(?::(\d+))?$/;

/**
 * The request of such a row; undefined when it cannot be read. A message's first row, or only one, has the id its update has today, so
 * that Telegram's repeat of it is recognised.
 */
export function telegramDraftOf(job: OldJob): Draft<TelegramReplyTo> | undefined {
  const target = readTarget(job.target);
  const chat = Number(job.chatId);
  const [, event, place = '0'] = JOB_ID.exec(job.id) ?? [];
  if (target === undefined || event === undefined || !Number.isSafeInteger(chat)) return undefined;
  const { message, thread, group: isGroup, locales, spoilers, command } = target;
  const envelope = {
    eventId: place === '0' ? event : `${event}:${place}`,
    chat: { id: job.chatId, kind: isGroup ? ('group' as const) : ('private' as const) },
    user: { id: job.userId, rateKey: job.userId, locales, ...(!isGroup && { isChatAdmin: true }) },
    replyTo: { chat, isGroup, ...(thread !== undefined && { thread }), ...(message !== 0 && { message }) },
  };
  if (command !== undefined) return { ...envelope, kind: 'command', what: command };
  if (job.links.length === 0) return undefined;
  return { ...envelope, kind: 'links', what: job.links.map(url => ({ url, spoiler: spoilers.includes(url) })) };
}

function readTarget(json: string): Target | undefined {
  try {
    return Target.safeParse(JSON.parse(json)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
