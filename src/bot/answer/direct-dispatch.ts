import type { ProgressStage } from '../contract/command.ts';
import type { Invocation, Sink } from '../contract/invocation.ts';
import type { RequestBody, TextMessage } from '../contract/request.ts';
import {
  type AttemptContext,
  onlyReply,
  type PendingReply,
  type Position,
  type RemainingLinks,
  type ReplyBatch,
  type RequestHandler,
} from '../contract/request-handler.ts';
import { type RetryGate, whileStoreIsAway } from '../runtime/retry.ts';
import type { FailureLog } from './run-command.ts';
import { renderFailure } from './run-command.ts';

export interface DirectDispatchOptions {
  readonly read: (message: TextMessage) => Promise<RequestBody | undefined>;
  readonly handler: Pick<RequestHandler, 'answer' | 'translator'>;
  readonly gate: RetryGate;
  readonly logFailure: FailureLog;
}

/** Resolves when all is said. A text that is not meant for Medley gets no reply at all. */
export type DirectDispatch = (invocation: Invocation, sink: Sink) => Promise<void>;

/** For the store, of people who watch. */
const LONGEST_WAIT_MS = 10_000;

/** Answers to the end, where requests are not stored: all batches of a request, one after the other. */
export function createDirectDispatch({ read, handler, gate, logFailure }: DirectDispatchOptions): DirectDispatch {
  async function failed(error: unknown, doing: string, context: AttemptContext, about?: readonly string[]) {
    const t = await handler.translator(context.caller);
    return renderFailure(error, doing, { ...context, t, ...(about && { about }) }, logFailure);
  }

  /** Where nothing is stored for later, a store that is away is waited for a little, and then reported like any failure. */
  async function answerNow(body: RequestBody, context: AttemptContext): Promise<ReplyBatch> {
    const report = (error: unknown) => failed(error, body.kind, context);
    const onAway = () => undefined;
    try {
      const batch = await whileStoreIsAway(gate, () => handler.answer(body, context), onAway, LONGEST_WAIT_MS);
      return { ...batch, replies: batch.replies.map(each => ({ ...each, reply: each.reply.catch(report) })) };
    } catch (error) {
      return onlyReply(report(error));
    }
  }

  return async (invocation, sink) => {
    const body: RequestBody | undefined =
      invocation.kind === 'text' ? await read(invocation) : { kind: 'button', what: { token: invocation.token } };
    if (body === undefined) return;
    const { caller } = invocation;
    const ended = new AbortController();
    const signal = AbortSignal.any([invocation.signal, ended.signal]);
    const progress = (stage: ProgressStage) => sink.progress(stage);
    let position: Position = { from: 0, paid: 0 };
    for (let isEnd = false; !isEnd; ) {
      const context = { caller, signal, progress, ...position };
      const { replies, remaining, next, paid } = await answerNow(body, context);
      const said = [...replies];
      const isOver = remaining?.refusal !== undefined && sink.wait === undefined;
      if (isOver) said.push({ reply: failed(remaining.refusal, 'links', context, remaining.about), next });
      try {
        await handOver(said, sink, signal);
      } catch (error) {
        ended.abort(error);
        await Promise.all(said.map(({ reply }) => reply));
        throw error;
      }
      isEnd = remaining === undefined || isOver || signal.aborted;
      if (!isEnd) await untilAllowed(remaining, sink);
      position = { from: next, paid };
    }
  };
}

async function untilAllowed(remaining: RemainingLinks | undefined, sink: Sink): Promise<void> {
  if (remaining?.refusal !== undefined) await sink.wait?.(remaining.links, remaining.refusal.retryAfterMs ?? 0);
}

/** Hands the replies over one after the other; when that fails, the others are not wanted any more. */
async function handOver(replies: readonly PendingReply[], sink: Sink, signal: AbortSignal): Promise<void> {
  for (const { reply } of replies) {
    const ready = await reply;
    if (ready && !signal.aborted) await sink.reply(ready);
  }
}
