import type { Caller, ProgressStage } from './command.ts';
import type { Reply } from './reply.ts';

/** What a person did, on whatever face. */
export type Invocation = {
  readonly caller: Caller;
  /** Aborts when the answer is no longer wanted; then nothing more is said. */
  readonly signal: AbortSignal;
} & (
  | { readonly kind: 'command'; readonly name: string; readonly options: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'text';
      readonly text: string;
      /** Whether it was said to Medley itself, so that silence would be odd. By default in private chats only. */
      readonly direct?: boolean;
    }
  | { readonly kind: 'action'; readonly token: string }
);

export interface ReplyOptions {
  /** False while more replies to the same invocation follow. */
  readonly last: boolean;
  /** Canonical address of the pasted link that this answers. */
  readonly link: string | undefined;
}

/** Where answers go. */
export interface Sink {
  /** Called only when there is something to wait for, never for a message that gets no answer. */
  progress(stage: ProgressStage): void;
  /** Called in order, the next one when the last has settled. What it throws ends the dispatch, which throws it on. */
  reply(reply: Reply, options: ReplyOptions): void | Promise<void>;
}
