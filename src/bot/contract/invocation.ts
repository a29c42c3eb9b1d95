import type { Caller } from './caller.ts';
import type { ProgressStage } from './command.ts';
import type { Reply } from './reply.ts';

/** A link that a platform found in a message by its own rules of markup. */
export interface PastedLink {
  /** As it stands there, or its target where the text hides it. */
  readonly url: string;
  /** Whether it stands where only those who want to see it look; its files are then hidden in the same way. */
  readonly spoiler: boolean;
  /** Whether it stands in a quote or in a forwarded message. */
  readonly quoted?: boolean;
}

interface Asked {
  readonly caller: Caller;
  /** Aborts when the answer is no longer wanted; then nothing more is said. */
  readonly signal: AbortSignal;
}

export interface TextInvocation extends Asked {
  readonly kind: 'text';
  readonly text: string;
  /** Whether it was said to Medley itself, so that silence would be odd. By default in private chats only. */
  readonly direct?: boolean;
  /**
   * The whole of what was written, where `text` leaves it out because it was said to everyone: only a short form is read in it, and how links
   * are wanted.
   */
  readonly line?: string;
  /** Taken instead of those found in `text`, where given. What is no link of a post is passed over. */
  readonly links?: readonly PastedLink[];
}

export interface ActionInvocation extends Asked {
  readonly kind: 'action';
  readonly token: string;
}

/** What a person did, on any platform. */
export type Invocation = TextInvocation | ActionInvocation;

/** Where answers go. */
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
