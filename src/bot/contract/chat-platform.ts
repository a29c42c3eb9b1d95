import type * as z from 'zod';
import type { Translator } from '../../i18n/translate.ts';
import type { QueueStats } from '../../infra/queue/queue.ts';
import type { Reply } from './reply.ts';
import type { Caller, ProgressStage, Request, RequestBody } from './request.ts';
import type { ChatSettings } from './settings.ts';

/**
 * The runtime's view of a chat platform: it hears, sends, and says what became of it. `To` is where an answer goes: a value that
 * can be written as JSON, since another process may send the answer.
 */
export interface ChatPlatform<To = unknown> {
  readonly id: string;
  /** Reads back what `accept` was given as `replyTo`. */
  readonly replyTo: z.ZodType<To>;
  /** Replies to one request that are shown together when there are several; 1: each as soon as it is ready. */
  readonly repliesAtOnce: number;
  /** Requests of one chat that run at once; 1: strictly one after the other. Default: the queue's own. */
  readonly perChat?: number;
  /**
   * Begins to hear people; resolves when they are heard. Called again when the connection is lost, and after every failure; `signal`
   * aborts when it is no longer wanted.
   */
  connect(host: PlatformHost<To>, signal: AbortSignal): Promise<ChatConnection>;
  /** Asks the platform whether the token is good: anything else that it throws is no news. */
  verify(signal: AbortSignal): Promise<void>;
  /**
   * Sends replies, in order, each message of theirs by `sending.sendOnce`. It resolves when all are in the chat. What it throws is
   * read by `outcomeOf`, so failures of calls must come through as they are.
   */
  send(replies: AsyncIterable<Reply>, sending: Sending<To>): Promise<void>;
  /** Says what a failure means for the message that was to be sent. Pure. Undefined for an error that is no failure of this platform's calls. */
  outcomeOf(error: unknown): SendFailure | undefined;
  /** How many messages the platform takes. Absent where it says itself when they are too many. */
  readonly pace?: Pace;
  /**
   * How many messages a reply may take there, with a sentence about files that could not be brought; 0 for a reply that replaces a message.
   * Without a reply it is how many any reply takes. Default 1.
   */
  messagesOf?(to: To, reply?: Reply): number;
  /** Deletes a message of Medley's own; nothing to do where it is gone already. */
  deleteMessage?(chatId: string, messageId: string): Promise<void>;
  /** The address of a reply without a request; `eventId` names the reply. Absent where only requests are answered. */
  placeOf?(chatId: string, eventId: string): To;
  /** Adds what only the platform knows of the person and the chat. */
  describeCaller?(request: Request, to: To): CallerDetails;
  /** The answer has a place in the chat already, so that it need not wait for answers to earlier requests. */
  hasPlace?(to: To): boolean;
  /** Shows that the request is being worked on, until the returned function is called. */
  showWorking?(to: To, stage: ProgressStage): () => void;
  /** Shows how far the answer is. Where it is shown, no notice says that the request waits, for its turn or for the limit of the person. */
  showProgress?(to: To, progress: AnswerProgress): void;
  /** The request is over, and nothing more is sent but better replies. Not called for one that was cancelled before it ran. */
  onEnd?(to: To, outcome: RequestOutcome): void;
  /** Lets go of everything. Nothing is sent any more. */
  close(): Promise<void>;
}

/** How many messages a platform takes, by its own rules. */
export interface Pace {
  /** Milliseconds from one message in a chat to the next. */
  readonly spacingMs: number;
  /** Messages a minute in one group, where each file of an album counts. */
  readonly groupPerMinute: number;
  /** Messages a second in all chats together. */
  readonly overallPerSecond: number;
}

type CallerDetails = Partial<
  Pick<Caller, 'hidesEmbeds' | 'answersAlone' | 'inviteUrl' | 'diagnose' | 'isChatAdmin' | 'sharedRateKey'>
>;

/** The work that is being done for a request, or how long its links wait for the limit of the person. */
export type AnswerProgress =
  | { readonly kind: 'stage'; readonly stage: ProgressStage }
  | { readonly kind: 'waiting'; readonly links: number; readonly afterMs: number };

/**
 * How a request ended. `failed`: with a sentence that says so. `unsure`: with the sentence that something may be missing. `gone`: there was no
 * place left to answer in. `expired`: the platform could not be reached in time. `cancelled`: it was not wanted any more.
 */
export type RequestOutcome = 'answered' | 'failed' | 'unsure' | 'gone' | 'expired' | 'cancelled';

/** The meaning of a failure. Only what is certain may be called `notSent`. */
export type SendFailure =
  | {
      readonly outcome: 'notSent';
      /**
       * `away`: the platform cannot be reached or does not work. `flood`: it wants to be left alone. `token`: it refuses the token.
       * `cut`: the call was ended from here before it could count. `refused`: it does not take this. `gone`: there is no place left
       * where anything could be said.
       */
      readonly reason: 'away' | 'flood' | 'token' | 'cut' | 'refused' | 'gone';
      /** How long to wait, where the platform says it. */
      readonly retryAfterMs?: number | undefined;
      /** How much a `flood` is about. Default: the chat. */
      readonly scope?: 'chat' | 'platform';
    }
  /** It may be in the chat. */
  | { readonly outcome: 'unknown' };

/** All that a platform needs to send the replies to a request. */
export interface Sending<To = unknown> {
  readonly request: Request;
  readonly to: To;
  readonly t: Translator;
  /** The settings of the chat; where they could not be read, the defaults, but that nothing is hidden or deleted. */
  readonly settings: ChatSettings;
  /** Aborts when the time is over or Medley stops. */
  readonly signal: AbortSignal;
  /** True when nothing was said to this request before, but what `sendOnce` passes over. */
  readonly isFirst: boolean;
  /** True when nothing more follows to this request. */
  readonly isLast: boolean;
  /** How many replies belong together here; where fewer come, one was not to be said. */
  readonly expected: number;
  /** Deletes messages of this answer after so long, by this process or by another. */
  deleteLater(chatId: string, messageIds: readonly string[], afterMs: number): void;
  /** Keys of the messages that an earlier attempt has sent. */
  readonly sentKeys: readonly string[];
  /** Shows a better reply that is still coming in the place of the one that was sent, once. It is no part of the request; absent where nothing is edited. */
  readonly editLater?: (later: Promise<Reply | undefined>, edit: EditReply) => void;
  /**
   * Makes one call that sends a message, unless that message is in the chat already: then it resolves with undefined.
   * @param key of the message, at most 6 letters and digits, the same when the reply is sent again by another process: its place
   *   among the messages
   * @param call is given a tag of at most 12 letters, digits and dashes that is the same for a repeat of this message and for no
   *   other message of the request: for a nonce
   * @throws what `call` throws; Superseded, StoreAway and Throttled, which must be let through
   */
  sendOnce<T>(key: string, call: (tag: string) => Promise<T>, options?: SendOnceOptions): Promise<T | undefined>;
}

/** Shows a better reply in the place of the one that was sent. @throws what the platform's calls throw */
export type EditReply = (better: Reply, signal: AbortSignal) => Promise<void>;

export interface SendOnceOptions {
  /** How many messages the call is by the platform's pace; 0 for an edit. Default 1. */
  readonly messages?: number;
  /** How long the platform recognises a repeat of this call, so that it may be made again when it is not known whether it arrived. Default 0. */
  readonly repeatMs?: number;
  /** The call carries files. None is begun while Medley stops, since it could be cut; the next process sends it. */
  readonly isUpload?: boolean;
}

/** The runtime as a platform sees it while it is connected. */
export interface PlatformHost<To = unknown> {
  /**
   * Stores what a person asks for and sees to its answer. Never rejects. It resolves when the request is stored, so that the event may be
   * confirmed; not before, and so not while the store is away and there is room to wait.
   */
  accept(request: NewRequest<To>): Promise<Acceptance>;
  /** Ends a request, without a word, wherever it is. */
  cancel(eventId: string): Promise<void>;
  /** The connection is gone for good. */
  lost(reason: unknown): void;
  /** Another process listens; this one waits for its turn. */
  standBy(): void;
}

/**
 * `accepted`: it is stored. `known`: it was before. `refused`: the person heard that there is no room. `closed`: nothing was done,
 * because Medley stops or the store is away and too much waits for it; the event must not be confirmed.
 */
export type Acceptance = 'accepted' | 'known' | 'refused' | 'closed';

/** A request as a platform hands it over. */
export type NewRequest<To = unknown> = RequestBody & NewRequestEnvelope<To>;

interface NewRequestEnvelope<To> extends Pick<Request, 'chat' | 'user' | 'until'> {
  /** The event's own id, the same when it is heard again. It is kept for a day, so it must name no person: a hash where the id does. */
  readonly eventId: string;
  readonly replyTo: To;
  /**
   * Tells the platform that the request was taken, where it wants to know within seconds. Called when the request is stored; nothing is
   * sent before it has resolved.
   */
  readonly acknowledge?: () => Promise<void>;
  /** Says at once that the request is not taken. By default it is sent as a reply would be, once a minute to a chat. */
  readonly refuse?: (reply: Reply) => Promise<void>;
}

/** A platform that hears people. */
export interface ChatConnection {
  /** Hears nothing any more; what was heard is accepted when it resolves. */
  close(): Promise<void>;
}

/** The request is in the hands of another worker, or no longer wanted: what is under way ends, and nothing more is sent. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** A chat to which a reply goes without a request. */
export interface PostTarget {
  readonly platform: string;
  readonly chatId: string;
  /** The guild or group that the chat belongs to, by `chatKey`. */
  readonly group: string;
  /** The same when the same is posted again, after a crash: a repeat within minutes is recognised where the platform can. */
  readonly eventId: string;
}

/**
 * Puts a reply into a chat: `gone` when nothing can be said there any more. It is not written down: its caller posts again what it does not
 * know to be posted.
 * @throws what sending throws; Throttled when the chat has to be left alone; AppError `internal` where the platform cannot post
 */
export type PostToChat = (target: PostTarget, reply: Reply, signal: AbortSignal) => Promise<'posted' | 'gone'>;

/**
 * `connecting`: for the first time. `away`: it cannot be reached, and is tried again soon. `refused`: it does not know the token, and is asked
 * again now and then. `standby`: another process listens there. `idle`: this process does not listen there, and has no reason to doubt the token.
 */
export type PlatformState = 'idle' | 'connecting' | 'standby' | 'connected' | 'away' | 'refused' | 'stopped';

export interface PlatformStatus {
  readonly platform: string;
  readonly state: PlatformState;
  /** Unix milliseconds. */
  readonly since: number;
  /** Why it is not connected, without secrets. */
  readonly reason?: string;
}

export interface RuntimeStatus extends QueueStats {
  /** When this process last took up a request, unix milliseconds: entries that wait are looked at every minute or so. */
  readonly lastRunAt: number | undefined;
  readonly platforms: readonly PlatformStatus[];
}
