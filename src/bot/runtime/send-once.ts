import type { Logger } from '../../infra/log.ts';
import { type EditReply, type Sending, Superseded } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { type Job, type JobTools, saveJob } from './job.ts';

/** A message may be in the chat, and a repeat of it would not be recognised. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
}

const MOST_REPEAT_MS = 24 * 3_600_000;

/**
 * Sends messages so that each is in the chat once: before a call it is written down that the message may arrive, after it that it has
 * arrived or certainly has not. A message of which nothing is known is only sent again where the platform recognises the repeat.
 * @param phase makes the tags of these messages differ from those of all others of the request
 * @param next the part after those that these messages belong to
 */
export function createSendOnce(job: Job, phase: string, next: number, tools: JobTools): Sending['sendOnce'] {
  const { progress, platform, reservation, controller } = job;
  const { signal } = controller;
  const { now, mayUpload, throttle } = tools;
  const isNotSent = (error: unknown) => platform.outcomeOf(error)?.outcome === 'notSent';

  /** From here until the call has ended, nothing but the platform could say, if this process died, whether the message arrived. */
  async function announce(key: string, repeatMs: number): Promise<void> {
    const { sending } = progress;
    if (sending !== undefined && (sending.key !== key || now() >= sending.until))
      throw new Unsure(`fate of ${sending.key}`);
    if (sending !== undefined) return;
    progress.sending = { key, until: now() + Math.min(repeatMs, MOST_REPEAT_MS), next };
    try {
      await saveJob(job);
      signal.throwIfAborted();
    } catch (error) {
      delete progress.sending;
      throw error;
    }
  }

  return async (key, call, { repeatMs = 0, messages = 1, isUpload = false } = {}) => {
    if (progress.sent.includes(key)) return undefined;
    signal.throwIfAborted();
    const isRepeat = progress.sending !== undefined;
    const taken = await reservation.take(messages, signal);
    let result: Awaited<ReturnType<typeof call>>;
    let isBegun = false;
    try {
      if (isUpload && !mayUpload()) throw new Superseded('Medley stops');
      await announce(key, repeatMs);
      isBegun = true;
      result = await call(`${phase}-${key}`);
      taken.arrived();
    } catch (error) {
      if (!isBegun || isNotSent(error)) taken.giveBack();
      else taken.arrived();
      // When a repeat did not arrive, that says nothing of the attempt before.
      if (isBegun && !isRepeat && isNotSent(error)) {
        delete progress.sending;
        await saveJob(job);
      }
      throw error;
    }
    delete progress.sending;
    progress.sent.push(key);
    progress.tries = 0;
    throttle.reached(platform.id);
    await saveJob(job);
    return result;
  };
}

/**
 * Replies that are edited once, when a better one has come. It is not part of the request, which is answered: what cannot be edited stays
 * as it is, and nothing new is ever said.
 */
export interface ReplyEdits {
  /** @param later never rejects; undefined where there is nothing better */
  add(later: Promise<Reply | undefined>, edit: EditReply): void;
  /** Nothing more is begun; an edit under way ends with the platform, or by its time. */
  close(): void;
}

const EDIT_MS = 10_000;

export function createReplyEdits({ log }: { readonly log: Pick<Logger, 'debug'> }): ReplyEdits {
  let isClosed = false;

  async function show(later: Promise<Reply | undefined>, edit: EditReply): Promise<void> {
    const better = await later;
    if (better !== undefined && !isClosed) await edit(better, AbortSignal.timeout(EDIT_MS));
  }

  return {
    add(later, edit) {
      show(later, edit).catch((error: unknown) => log.debug({ err: error }, 'a reply could not be edited'));
    },
    close() {
      isClosed = true;
    },
  };
}
