import type { Translator } from '../../i18n/translate.ts';
import type { Caller, ProgressStage } from '../command.ts';
import type { Reply } from '../reply.ts';

/** One invocation on its way, under a signal that also ends when its replies cannot be handed over. */
export interface DispatchContext {
  readonly caller: Caller;
  readonly t: Translator;
  readonly signal: AbortSignal;
  /** Short forms of the links it is about, where a message has several: failures name them. */
  readonly about?: readonly string[];
  progress(stage: ProgressStage): void;
}

/** One answer in the making. `reply` never rejects; undefined means it is no longer wanted. */
export interface Answer {
  readonly reply: Promise<Reply | undefined>;
  readonly link?: string;
}

export function said(reply: Reply): Answer {
  return { reply: Promise.resolve(reply) };
}
