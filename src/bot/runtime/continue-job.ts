import { withContext } from '../../infra/concurrency/running-work.ts';
import type { Verdict } from '../../infra/queue/queue.ts';
import type { Sending } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import { isFailure } from '../contract/reply-parts.ts';
import {
  type Caller,
  isUnasked,
  onlyReply,
  type PendingReply,
  type Preferences,
  partsOf,
  type ReplyBatch,
} from '../contract/request.ts';
import { renderRequestNotice } from '../views/notice.ts';
import { createSendOnce, type Job, type JobTools, type PendingNotice, retryLater, saveJob, stepTo } from './job.ts';
import { readReply, storeReply } from './stored-reply.ts';
import { createWorkStatus } from './work-status.ts';

/** Thrown when Medley asked whether the platform can be reached, and it cannot. */
export class PlatformAway extends Error {
  override readonly name = 'PlatformAway';
}

/** The most attempts to send one notice. */
const MOST_NOTICES = 5;
/** The phase (a part of the idempotency keys, see `createSendOnce`) of the replies to the request's first link. */
const FIRST_PHASE = '0';
/** The pause before another attempt to tell a person that a request waits. */
const NOTICE_MS = 5_000;

/**
 * Sends the next batch of replies, or a notice in their place. Returns what the queue is to do with the job, or
 * undefined when links of the request are left to answer.
 * @throws whatever sending throws
 */
export async function continueJob(
  job: Job,
  caller: Caller,
  preferences: Preferences,
  tools: JobTools,
): Promise<Verdict | undefined> {
  const { notice, sending } = job.progress;
  const isUnsure = sending !== undefined && tools.now() >= sending.until;
  if (isUnsure) return notice === undefined ? noticeInstead(job, 'unsure', tools) : repeatNotice(job, tools);
  if (notice !== undefined) return sendNotice(job, notice, preferences, tools);
  return sendBatch(job, await nextBatch(job, caller, preferences, tools), preferences, tools);
}

/** The reply that an earlier attempt made, if one is stored, else the next batch. */
async function nextBatch(job: Job, caller: Caller, preferences: Preferences, tools: JobTools): Promise<ReplyBatch> {
  const { request, progress, platform, to, facts, controller } = job;
  const { handler, deletions, log, statusMs: firstMs } = tools;
  const { signal } = controller;
  const status = { platform, to, t: preferences.t, chatId: request.chat.id, deletions, signal, firstMs, log };
  // Only messages in groups are deleted after a while, so the store need not be read for a button that was pressed in a
  // private chat.
  const pressed = request.chat.kind === 'group' ? facts.pressedMessage : undefined;
  if (pressed !== undefined && (await deletions.keep(platform.id, request.chat.id, pressed)))
    progress.keptMessage = pressed;
  if (progress.reply !== undefined) return onlyReply(Promise.resolve(readReply(progress.reply)));
  const batch = await handler.answer(request, {
    caller,
    preferences,
    signal,
    progress(stage) {
      job.stopWorking ??= platform.showWorking?.(to, stage);
      if (platform.showStatus !== undefined) job.status ??= createWorkStatus(status);
      job.status?.stage(stage);
      platform.showProgress?.(to, { kind: 'stage', stage });
    },
    from: progress.next,
    paid: progress.paid,
  });
  signal.throwIfAborted();
  progress.paid = batch.paid;
  if (request.kind !== 'links') await keepReply(job, batch);
  return batch;
}

/**
 * Stores the reply before it is sent, since a command that runs again may answer differently. Replies to links are made
 * again instead, with fresh addresses of files.
 */
async function keepReply(job: Job, { replies: [pending] }: ReplyBatch): Promise<void> {
  const reply = await pending?.reply;
  job.controller.signal.throwIfAborted();
  job.progress.reply = reply && storeReply(reply);
  if (job.progress.reply !== undefined) await saveJob(job);
}

async function sendBatch(
  job: Job,
  batch: ReplyBatch,
  preferences: Preferences,
  tools: JobTools,
): Promise<Verdict | undefined> {
  const { progress, platform, controller } = job;
  const behindMs = (await job.place?.next(controller.signal)) ?? 0;
  if (behindMs > 0) return retryLater(job, behindMs);
  for (let at = 0; at < batch.replies.length; at += platform.repliesAtOnce) {
    const group = batch.replies.slice(at, at + platform.repliesAtOnce);
    const next = group.at(-1)?.next ?? batch.next;
    job.next = next;
    const waitMs = await reserveFor(group, job);
    if (waitMs > 0) return retryLater(job, waitMs);
    const isLast = batch.remaining === undefined && next >= batch.next;
    const part = { phase: `${progress.next}`, next, isLast, expected: group.length };
    const onEncoding = (leftMs: number) => job.status?.encoding(leftMs);
    await withContext({ onEncoding }, () =>
      platform.send(repliesOf(group, controller.signal), sendingOf(job, preferences, part, tools)),
    );
    await stepTo(job, next, !isLast);
  }
  const shown = await Promise.all(batch.replies.map(({ reply }) => reply));
  if (shown.every(reply => reply === undefined || isFailure(reply))) leaveAfterFailure(job, preferences, tools);
  progress.next = batch.next;
  return batch.remaining === undefined ? tools.finish(job, job.worst) : waitForLimit(job, batch.remaining, tools);
}

/** Plans again to delete the message with the pressed button, because it still says that something failed. */
function leaveAfterFailure(
  { progress: { keptMessage }, platform, request }: Job,
  { settings }: Preferences,
  { deletions }: JobTools,
): void {
  if (keptMessage !== undefined && settings.noticeSeconds > 0)
    deletions.deleteLater(platform.id, request.chat.id, [keptMessage], settings.noticeSeconds * 1_000);
}

/** Puts the job back into the queue for the remaining links. A used-up rate limit is told to the person once. */
function waitForLimit(
  job: Job,
  { links, refusal }: NonNullable<ReplyBatch['remaining']>,
  { now, mayNotify }: JobTools,
): Verdict | undefined {
  const { progress, request, platform, to } = job;
  if (refusal === undefined) return retryLater(job, 0);
  const afterMs = Math.max(1_000, refusal.retryAfterMs ?? 0);
  if (request.until !== undefined && now() + afterMs >= request.until) {
    progress.notice = { kind: 'limited', next: partsOf(request), afterMs };
    return undefined;
  }
  platform.showProgress?.(to, { kind: 'waiting', links, afterMs });
  if (progress.isWaitSaid || platform.showProgress !== undefined) return retryLater(job, afterMs);
  if (!mayNotify(`${request.platform}:${request.user.rateKey}`)) return retryLater(job, Math.min(afterMs, NOTICE_MS));
  progress.isWaitSaid = true;
  progress.notice = { kind: 'waiting', next: progress.next, links, afterMs };
  return undefined;
}

/** Plans a notice in place of the replies that are being sent. If a notice itself fails, no other one follows. */
export async function noticeInstead(
  job: Job,
  kind: PendingNotice['kind'],
  tools: JobTools,
): Promise<Verdict | undefined> {
  const { progress } = job;
  if (progress.notice !== undefined) return endNotice(job, progress.notice, tools);
  // The message with the pressed button must stay, because it shows a part of the answer, or may show it.
  if (progress.sent.length > 0 || kind === 'unsure') delete progress.keptMessage;
  progress.notice = { kind, next: progress.sending?.next ?? job.next };
  delete progress.sending;
  delete progress.reply;
  progress.sent = [];
  progress.tries = 0;
  return undefined;
}

/** Repeats a notice that may not have arrived, a few times: a notice that arrives twice is better than none. */
export async function repeatNotice(job: Job, tools: JobTools): Promise<Verdict | undefined> {
  const { progress } = job;
  const { notice } = progress;
  progress.tries += 1;
  delete progress.sending;
  if (notice === undefined || (notice.kind !== 'waiting' && progress.tries < MOST_NOTICES)) return undefined;
  return endNotice(job, notice, tools);
}

async function sendNotice(
  job: Job,
  notice: PendingNotice,
  preferences: Preferences,
  tools: JobTools,
): Promise<Verdict | undefined> {
  const { request, progress, platform, controller } = job;
  const { kind, next } = notice;
  job.next = next;
  const isQuiet = preferences.settings.quietErrors && isUnasked(request);
  if (isQuiet && kind !== 'waiting' && kind !== 'unsure') return endNotice(job, notice, tools);
  // A notice that something may be missing must arrive, so it is sent only if the platform can be reached.
  if (kind === 'unsure')
    await platform.verify(controller.signal).catch((cause: unknown) => {
      throw new PlatformAway('the platform does not answer', { cause });
    });
  const isLast = kind !== 'waiting' && next >= partsOf(request);
  const part = { phase: `${progress.next}${kind[0]}`, next, isLast, expected: 1 };
  const sending = sendingOf(job, preferences, part, tools);
  await platform.send(oneReply(renderRequestNotice(notice, preferences.t)), sending);
  controller.signal.throwIfAborted();
  leaveAfterFailure(job, preferences, tools);
  return endNotice(job, notice, tools);
}

/** Ends a planned notice, because it was sent or cannot be. */
async function endNotice(
  job: Job,
  { kind, next, afterMs = 0 }: PendingNotice,
  { finish }: JobTools,
): Promise<Verdict | undefined> {
  delete job.progress.notice;
  delete job.progress.sending;
  if (kind === 'waiting') {
    await stepTo(job, next, false);
    return retryLater(job, afterMs);
  }
  if (job.worst === 'answered') job.worst = kind === 'unsure' ? 'unsure' : 'failed';
  const isEnd = next >= partsOf(job.request);
  await stepTo(job, next, !isEnd);
  return isEnd ? finish(job, job.worst) : undefined;
}

function sendingOf(
  job: Job,
  { t, settings }: Preferences,
  { phase, next, isLast, expected }: Pick<Sending, 'isLast' | 'expected'> & { phase: string; next: number },
  tools: JobTools,
): Sending {
  const { request, progress, platform, to, controller } = job;
  return {
    ...{ request, to, t, settings, signal: controller.signal, isLast, expected },
    isFirst: phase === FIRST_PHASE && !progress.isWaitSaid,
    sentKeys: [...progress.sent],
    sendOnce: createSendOnce(job, phase, next, tools),
    editLater: tools.editLater,
    deleteLater: (...messages) => tools.deletions.deleteLater(platform.id, ...messages),
  };
}

/** Reserves the messages of all replies before the first is sent; 0 on success, else the milliseconds to wait. */
async function reserveFor(
  group: readonly PendingReply[],
  { platform, to, progress, reservation }: Job,
): Promise<number> {
  if (platform.pace === undefined) return 0;
  // If some messages were sent already, the room for each further message is reserved only when it is sent.
  if (progress.sent.length > 0) return 0;
  const replies = await Promise.all(group.map(({ reply }) => reply));
  const messages = replies.flatMap(withQuoted).map(reply => platform.messagesOf?.(to, reply) ?? 1);
  return reservation.grow(messages.reduce((sum, count) => sum + count, 0));
}

/** Yields a group's replies in order. @throws the signal's reason, when they are no longer wanted */
async function* repliesOf(group: readonly PendingReply[], signal: AbortSignal): AsyncGenerator<Reply> {
  for (const { reply } of group) {
    const ready = await reply;
    signal.throwIfAborted();
    yield* withQuoted(ready);
  }
}

function withQuoted(reply: Reply | undefined): readonly Reply[] {
  return [reply, reply?.quoted].filter(each => each !== undefined);
}

export async function* oneReply(reply: Reply): AsyncGenerator<Reply> {
  yield reply;
}
