import * as z from 'zod';
import { Request } from '../contract/request.ts';
import { StoredReply } from './stored-reply.ts';

/** A sentence that is still to be said in place of the parts before `next`. */
const PendingNotice = z.object({
  kind: z.enum(['unsure', 'failed', 'timeout', 'limited', 'waiting']),
  next: z.number(),
  links: z.number().optional(),
  afterMs: z.number().optional(),
});
export type PendingNotice = z.output<typeof PendingNotice>;

const JobProgress = z.object({
  /** The first part that is not answered. */
  next: z.number(),
  /** Parts before this one are charged to the person's limit. */
  paid: z.number(),
  /** Keys of the messages of the parts that are being answered which are in the chat. */
  sent: z.array(z.string()),
  /** A message that may be in the chat; until then the platform recognises a repeat. `next`: the part after those it belongs to. */
  sending: z.object({ key: z.string(), until: z.number(), next: z.number() }).optional(),
  notice: PendingNotice.optional(),
  /** A reply that was worked out and is not sent yet. Replies to links are not stored. */
  reply: StoredReply.optional().catch(undefined),
  /** Whether the person was told that links wait. */
  isWaitSaid: z.boolean(),
  /** Unclear failures in a row. */
  tries: z.number(),
  /** Lost workers that were reckoned with. */
  lostWorkers: z.number(),
});
/** How far the answer to a request has come; mutable while one worker holds it. */
export type JobProgress = z.output<typeof JobProgress>;

const VERSION = 2;
const StoredJob = z.object({ version: z.literal(VERSION), request: Request, progress: JobProgress });
/** A request as the queue keeps it until it is answered. */
export type StoredJob = Pick<z.output<typeof StoredJob>, 'request' | 'progress'>;

/** The shape that 0.2.0 wrote, without a version. */
const StoredJob020 = z
  .object({
    request: Request,
    progress: JobProgress.omit({ sent: true, notice: true, reply: true, lostWorkers: true }).extend({
      stands: z.array(z.string()),
      owed: PendingNotice.omit({ kind: true }).extend({ sentence: PendingNotice.shape.kind }).optional(),
      kept: StoredReply.optional().catch(undefined),
      lapses: z.number(),
    }),
  })
  .transform(({ request, progress: { stands, owed, kept, lapses, ...others } }): StoredJob => {
    const progress: JobProgress = { ...others, sent: stands, lostWorkers: lapses };
    if (owed !== undefined) {
      const { sentence, ...notice } = owed;
      progress.notice = { ...notice, kind: sentence };
    }
    if (kept !== undefined) progress.reply = kept;
    return { request, progress };
  });

const AnyStoredJob = z.union([StoredJob, StoredJob020]);

export function newJob(request: Request): StoredJob {
  return { request, progress: { next: 0, paid: 0, sent: [], isWaitSaid: false, tries: 0, lostWorkers: 0 } };
}

export function writeJob({ request, progress }: StoredJob): string {
  return JSON.stringify({ version: VERSION, request, progress });
}

/** Undefined for a shape that this version does not know. */
export function readJob(payload: string): StoredJob | undefined {
  try {
    return AnyStoredJob.safeParse(JSON.parse(payload)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
