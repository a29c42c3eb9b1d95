import * as z from 'zod';
import { KeptReply } from '../runtime/kept-reply.ts';
import { Ask } from './ask.ts';
import type { Caller } from './caller.ts';

/** What a request knows beside what is asked. */
const Envelope = z.object({
  /** `PLATFORM:EVENT`: the event's own id, so that a replay is recognised. Names no person. */
  id: z.string(),
  platform: z.string(),
  chat: z.object({
    id: z.string(),
    kind: z.enum(['private', 'group']),
    /** What the chat's settings hang on when several chats share them: a Discord guild. */
    groupId: z.string().optional(),
    /** The channel that a thread belongs to. */
    parentId: z.string().optional(),
  }),
  user: z.object({
    id: z.string(),
    /** The key their limit is counted by. */
    rateKey: z.string(),
    /** Languages they prefer by what the platform says, best first. */
    locales: z.array(z.string()),
    /** Absent where finding out costs a request; the platform is asked when it matters. */
    isChatAdmin: z.boolean().optional(),
  }),
  /** When it was accepted, unix milliseconds. */
  at: z.number(),
  /** Unix milliseconds; an answer cannot arrive any more after it: an interaction's token. */
  until: z.number().optional(),
  /** Where the answer goes, in the platform's own form. */
  replyTo: z.unknown(),
});

/** What a person has asked for (`kind`, `what`), where and who: it can be stored, and run by any process. */
const Request = Envelope.and(Ask);
export type Request = z.output<typeof Request>;

/** A sentence that is still to be said in place of the parts before `next`. */
const Owed = z.object({
  sentence: z.enum(['unsure', 'failed', 'timeout', 'limited', 'waiting']),
  next: z.number(),
  links: z.number().optional(),
  afterMs: z.number().optional(),
});
export type Owed = z.output<typeof Owed>;

const Progress = z.object({
  /** The first part that is not answered. */
  next: z.number(),
  /** Parts before this one are charged to the person's limit. */
  paid: z.number(),
  /** Keys of the messages that stand in the chat, of the parts that are being answered. */
  stands: z.array(z.string()),
  /** A message that may stand there; until then the platform recognises a repeat. `next`: the part after those it belongs to. */
  sending: z.object({ key: z.string(), until: z.number(), next: z.number() }).optional(),
  owed: Owed.optional(),
  /** What was worked out and is not sent yet, but for links. */
  kept: KeptReply.optional().catch(undefined),
  /** Whether the person was told that links wait. */
  isWaitSaid: z.boolean(),
  /** Unclear failures in a row. */
  tries: z.number(),
  /** Lost workers that were reckoned with. */
  lapses: z.number(),
});

/** How far the answer to a request has come; mutable while one worker holds it. */
export type Progress = z.output<typeof Progress>;

const Kept = z.object({ request: Request, progress: Progress });
export type Kept = z.output<typeof Kept>;

export function startProgress(): Progress {
  return { next: 0, paid: 0, stands: [], isWaitSaid: false, tries: 0, lapses: 0 };
}

export function writeKept(kept: Kept): string {
  return JSON.stringify(kept);
}

/** Undefined for what another version wrote. */
export function readKept(payload: string): Kept | undefined {
  try {
    return Kept.safeParse(JSON.parse(payload)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whose entries in the queue they are. */
export function ownerKey(platform: string, userId: string): string {
  return `${platform}:${userId}`;
}

/** The person who asked, as commands see them. `more`: what only the platform can tell. */
export function callerOf(
  { platform, chat, user }: Pick<Request, 'platform' | 'chat' | 'user'>,
  more: Partial<Caller> = {},
): Caller {
  return {
    platform,
    userId: user.id,
    chatId: chat.id,
    chatKind: chat.kind,
    ...(chat.groupId !== undefined && { groupId: chat.groupId }),
    ...(chat.parentId !== undefined && { parentChatId: chat.parentId }),
    isChatAdmin: user.isChatAdmin ?? false,
    rateKey: user.rateKey,
    locales: user.locales,
    ...more,
  };
}
