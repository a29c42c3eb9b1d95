import type { Caller } from './caller.ts';
import type { ProgressStage } from './command.ts';
import type { Reply } from './reply.ts';
import type { TextMessage } from './request.ts';

interface Asked {
  readonly caller: Caller;
  /** Aborts when the answer is no longer wanted; then nothing more is said. */
  readonly signal: AbortSignal;
}

export interface TextInvocation extends Asked, TextMessage {
  readonly kind: 'text';
}

export interface ActionInvocation extends Asked {
  readonly kind: 'action';
  readonly token: string;
}

/** An act of a person, on any platform. */
export type Invocation = TextInvocation | ActionInvocation;

/** A place for answers. */
export interface Sink {
  /** Called only when there is something to wait for, never for a message that gets no answer. */
  progress(stage: ProgressStage): void;
  /**
   * Called in order, the next one when the last has settled. What it throws ends the dispatch, which throws it on. The `later` of a reply is
   * not waited for.
   */
  reply(reply: Reply): void | Promise<void>;
  /**
   * Called for links that are over the limit of the person; they are answered when it settles. Where it is absent nothing waits: the person
   * is told when they can ask again.
   * @param afterMs when the limit holds one of them again
   */
  wait?(links: number, afterMs: number): Promise<void>;
}
