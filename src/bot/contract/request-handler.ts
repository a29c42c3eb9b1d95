import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Caller } from './caller.ts';
import type { ProgressStage } from './command.ts';
import type { Reply } from './reply.ts';
import type { RequestBody } from './request.ts';
import type { ChatSettings } from './settings.ts';

/** The runtime is given this by the code that knows what requests mean. */
export interface RequestHandler {
  /**
   * Begins to answer; what is not answered in this batch is left for the next one. Failures are replies too, but for a store that is away.
   * @throws StoreAway, and so may the replies: the request must be tried again
   */
  answer(body: RequestBody, context: AttemptContext): Promise<ReplyBatch>;
  /** @throws StoreAway */
  preferences(caller: Caller): Promise<Preferences>;
  /** The caller's language: their setting, else that of the chat, else what their platform says. Never rejects. */
  translator(caller: Caller): Promise<Translator>;
  /** The settings of the caller's chat; the defaults, but that nothing is hidden, where they cannot be read. Never rejects. */
  chatSettings(caller: Caller): Promise<ChatSettings>;
}

/** The language of a person, and the settings of the chat they are in. */
export interface Preferences {
  readonly t: Translator;
  readonly settings: ChatSettings;
}

/** How far the answer to a request has come. */
export interface Position {
  /** The part to begin with; links count one by one, all else is a single part. */
  readonly from: number;
  /** Parts before this one are charged to the person's limit already. */
  readonly paid: number;
}

export interface AttemptContext extends Position {
  readonly caller: Caller;
  /** Aborts when the replies are no longer wanted. */
  readonly signal: AbortSignal;
  /** Called only when there is something to wait for. */
  progress(stage: ProgressStage): void;
}

export interface PendingReply {
  /** Rejects with StoreAway alone; undefined means that it is no longer wanted. */
  readonly reply: Promise<Reply | undefined>;
  /** The part that comes after it. */
  readonly next: number;
}

/** Replies that are made at the same time. */
export interface ReplyBatch {
  /** In order. */
  readonly replies: readonly PendingReply[];
  readonly next: number;
  readonly paid: number;
  /** The links that are left for later; undefined when none are. */
  readonly remaining: RemainingLinks | undefined;
}

export interface RemainingLinks {
  readonly links: number;
  /** The limit that keeps them waiting; undefined when they only come in the next batch. */
  readonly refusal: AppError | undefined;
}

/** A batch of one reply, which answers all of its request. */
export function onlyReply(reply: Promise<Reply | undefined>, parts = 1): ReplyBatch {
  return { replies: [{ reply, next: parts }], next: parts, paid: parts, remaining: undefined };
}
