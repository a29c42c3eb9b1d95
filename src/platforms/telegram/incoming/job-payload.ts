import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { PastedLink } from '../../../bot/dispatch/invocation.ts';
import type { Job, Jobs } from '../../../bot/runtime/jobs.ts';
import type { Question } from '../outgoing/answer.ts';
import type { Place } from '../outgoing/message-api.ts';
import type { ChatAccess } from './chat-access.ts';

/** A question as it lies in the store until it is answered: places, links and options, never words. */
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

/** A question that is not written down yet. */
export interface Draft extends Pick<Question, 'ask' | 'place'> {
  /** Canonical links that it is about. */
  readonly links: readonly PastedLink[];
}

/** Names a question by the message that asked it. */
export type QuestionIds = (place: Place) => string;

/**
 * The same for a repeat, and after a restart. Ids of private chats are those of people, so they cannot be read from it: it is kept for a
 * day when all else about the question is deleted.
 * @param secret the same after a restart
 */
export function createQuestionIds(secret: string): QuestionIds {
  return ({ chatId, replyTo }) => {
    const name = createHmac('sha256', secret).update(`question ${chatId} ${replyTo}`).digest('base64url');
    return `telegram:${name.slice(0, 22)}`;
  };
}

/**
 * Writes the question down, so that a process which ends before the answer leaves it to the next. What was asked before, by the
 * same message, is taken out; undefined when nothing is left of it.
 * @throws AppError `internal` when the store cannot be written
 */
export function acceptQuestion(question: Draft, jobs: Jobs, idOf: QuestionIds): Question | undefined {
  const { ask, place, links } = question;
  if (ask.kind === 'text' && links.length === 0) return { ask, place, jobs: new Map() };
  const base = { platform: 'telegram' as const, userId: ask.caller.userId, chatId: ask.caller.chatId };
  const id = idOf(place);
  if (ask.kind === 'command') {
    const options = Target.shape.command.unwrap().shape.options.parse(ask.options);
    const target = targetOf(question, { command: { name: ask.name, options } });
    return jobs.accept({ ...base, id, links: [], target })
      ? { ask, place, jobs: new Map([[undefined, id]]) }
      : undefined;
  }
  const accepted = links.flatMap((link, index): [(typeof links)[number], string][] => {
    const target = targetOf(question, { spoilers: link.spoiler ? [link.url] : [] });
    const own = `${id}:${index}`;
    return jobs.accept({ ...base, id: own, links: [link.url], target }) ? [[link, own]] : [];
  });
  if (accepted.length === 0) return undefined;
  return {
    ask: { ...ask, text: '', links: accepted.map(([link]) => link) },
    place,
    jobs: new Map(accepted.map(([{ url }, own]) => [url, own])),
  };
}

function targetOf(
  { ask, place }: Pick<Question, 'ask' | 'place'>,
  more: Pick<Partial<Target>, 'command' | 'spoilers'>,
): string {
  const { threadId: thread, replyTo: message = 0, isGroup: group } = place;
  return JSON.stringify({ message, thread, group, locales: ask.caller.locales, ...more });
}

/** The question of a job that an earlier process left; undefined when it cannot be read. */
export function recallQuestion(job: Job, access: ChatAccess): Question | undefined {
  const target = readTarget(job.target);
  const chatId = Number(job.chatId);
  if (target === undefined || !Number.isSafeInteger(chatId)) return undefined;
  const { message, thread, group, locales, spoilers, command } = target;
  const place: Place = { chatId, isGroup: group, threadId: thread, ...(message === 0 ? {} : { replyTo: message }) };
  const caller = {
    platform: 'telegram' as const,
    userId: job.userId,
    chatId: job.chatId,
    chatKind: group ? ('group' as const) : ('private' as const),
    isChatAdmin: group ? () => access.isAdmin(chatId, Number(job.userId)) : true,
    rateKey: job.userId,
    locales,
  };
  if (command !== undefined) {
    return { ask: { kind: 'command', caller, ...command }, place, jobs: new Map([[undefined, job.id]]) };
  }
  const links = job.links.map(url => ({ url, spoiler: spoilers.includes(url) }));
  const ask = { kind: 'text' as const, caller, text: '', links, direct: true };
  return { ask, place, jobs: new Map(job.links.map(url => [url, job.id])) };
}

function readTarget(json: string): Target | undefined {
  try {
    return Target.safeParse(JSON.parse(json)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
