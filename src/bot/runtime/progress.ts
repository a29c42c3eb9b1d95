import * as z from 'zod';
import { Owed, Request } from '../contract/request.ts';
import { KeptReply } from './kept-reply.ts';

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

/** @param mayStand its first part may have been answered, by a version whose messages cannot be recognised */
export function startProgress(mayStand = false): Progress {
  const progress: Progress = { next: 0, paid: 0, stands: [], isWaitSaid: false, tries: 0, lapses: 0 };
  return mayStand ? { ...progress, sending: { key: '0', until: 0, next: 1 } } : progress;
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
