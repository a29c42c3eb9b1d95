import type { Translator } from '../../i18n/translate.ts';
import type { Ask } from '../contract/ask.ts';
import type { Caller } from '../contract/caller.ts';
import type { ProgressStage } from '../contract/command.ts';
import type { Invocation, Sink } from '../contract/invocation.ts';
import type { Reply } from '../contract/reply.ts';
import type { Answer, Attempt, DispatchContext, Position, Remaining, Round } from './dispatch-context.ts';
import type { TextMessage } from './message-filter.ts';

export interface DirectDispatchOptions {
  readonly read: (message: TextMessage) => Promise<Ask | undefined>;
  readonly answer: (ask: Ask, attempt: Attempt) => Promise<Round>;
  readonly translator: (caller: Caller) => Promise<Translator>;
  /** What is said of a refusal. */
  readonly failure: (error: unknown, doing: string, turn: DispatchContext) => Reply;
}

/** Answers to the end, where requests are not stored: all rounds of an ask, one after the other. */
export function createDirectDispatch({
  read,
  answer,
  translator,
  failure,
}: DirectDispatchOptions): (invocation: Invocation, sink: Sink) => Promise<void> {
  return async (invocation, sink) => {
    const ask: Ask | undefined =
      invocation.kind === 'text' ? await read(invocation) : { kind: 'button', what: { token: invocation.token } };
    if (ask === undefined) return;
    const { caller } = invocation;
    const failed = new AbortController();
    const signal = AbortSignal.any([invocation.signal, failed.signal]);
    const progress = (stage: ProgressStage) => sink.progress(stage);
    let position: Position = { from: 0, paid: 0 };
    for (let isEnd = false; !isEnd; ) {
      const { answers, remaining, next, paid } = await answer(ask, { caller, signal, progress, ...position });
      const said = [...answers];
      const isOver = remaining?.refusal !== undefined && sink.wait === undefined;
      if (isOver) {
        const turn = { caller, t: await translator(caller), signal, progress, about: remaining.about };
        said.push({ reply: Promise.resolve(failure(remaining.refusal, 'links', turn)), next });
      }
      try {
        await handOver(said, sink, signal);
      } catch (error) {
        failed.abort(error);
        await Promise.all(said.map(({ reply }) => reply));
        throw error;
      }
      isEnd = remaining === undefined || isOver || signal.aborted;
      if (!isEnd) await untilAllowed(remaining, sink);
      position = { from: next, paid };
    }
  };
}

async function untilAllowed(remaining: Remaining | undefined, sink: Sink): Promise<void> {
  if (remaining?.refusal !== undefined) await sink.wait?.(remaining.links, remaining.refusal.retryAfterMs ?? 0);
}

/** Hands the answers over one after the other; when that fails, the rest is not wanted any more. */
async function handOver(answers: readonly Answer[], sink: Sink, signal: AbortSignal): Promise<void> {
  for (const { reply } of answers) {
    const ready = await reply;
    if (ready && !signal.aborted) await sink.reply(ready);
  }
}
