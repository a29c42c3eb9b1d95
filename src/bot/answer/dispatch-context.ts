import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Caller } from '../contract/caller.ts';
import type { ProgressStage } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';

/** One invocation on its way, under a signal that also ends when its replies cannot be handed over. */
export interface DispatchContext {
  readonly caller: Caller;
  readonly t: Translator;
  readonly signal: AbortSignal;
  /** Short forms of the links it is about, where a message has several: failures name them. */
  readonly about?: readonly string[];
  /** Whether nothing is said of what fails. */
  readonly isQuiet?: boolean;
  progress(stage: ProgressStage): void;
}

/** How far an earlier attempt at the same came. */
export interface Position {
  /** The part to begin with; links count one by one, all else is a single part. */
  readonly from: number;
  /** Parts before this one are charged to the person's limit already. */
  readonly paid: number;
}

/** One answer in the making. `reply` never rejects; undefined means it is no longer wanted. */
export interface Answer {
  readonly reply: Promise<Reply | undefined>;
  /** The part that comes after it. */
  readonly next: number;
}

/** As many answers as are made at once. */
export interface Round {
  /** In order. */
  readonly answers: readonly Answer[];
  readonly next: number;
  readonly paid: number;
  /** What is left for later; undefined when nothing is. */
  readonly remaining: Remaining | undefined;
}

export interface Remaining {
  /** So many links. */
  readonly links: number;
  /** Short forms of them, where the message has several. */
  readonly about: readonly string[];
  /** The limit that keeps them waiting; undefined when they only come in the next round. */
  readonly refusal: AppError | undefined;
}

/** A round that is one part. */
export function single(reply: Promise<Reply | undefined>): Round {
  return { answers: [{ reply, next: 1 }], next: 1, paid: 1, remaining: undefined };
}

/** Who asks, and how far an earlier attempt came. */
export interface Attempt extends Position {
  readonly caller: Caller;
  /** Aborts when the answers are no longer wanted. */
  readonly signal: AbortSignal;
  /** Called only when there is something to wait for. */
  progress(stage: ProgressStage): void;
}
