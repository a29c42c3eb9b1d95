import type * as z from 'zod';
import type { Translator } from '../../i18n/translate.ts';
import type { QueueStats } from '../../infra/queue/queue.ts';
import type { Reply } from './reply.ts';
import type { Caller, ProgressStage, Request, RequestBody } from './request.ts';
import type { ChatSettings } from './settings.ts';

/**
 * A chat platform as bot/runtime sees it: it receives events, sends messages, and interprets failures. `To` says where
 * an answer goes; it is written as JSON, since another process may send the answer.
 */
export interface ChatPlatform<To = unknown> {
  readonly id: string;
  /** Parses a stored `replyTo`, which the platform gave to `accept`. */
  readonly replyTo: z.ZodType<To>;
  /** How many replies to one request are shown together; with 1 each is shown as soon as it is ready. */
  readonly repliesAtOnce: number;
  /** How many requests of one chat run at once; with 1 they run in order. Default: the queue's own limit for a chat. */
  readonly perChat?: number;
  /**
   * Begins to receive events; resolves when the connection is made. Called again when it could not be made or is lost;
   * `signal` aborts when the connection is no longer wanted.
   */
  connect(host: PlatformHost<To>, signal: AbortSignal): Promise<ChatConnection>;
  /**
   * Asks the platform whether the bot's token is valid. It is invalid if this call rejects with an error for which
   * `outcomeOf` returns the reason `token`.
   */
  verify(signal: AbortSignal): Promise<void>;
  /**
   * Sends replies in order, each message by `sending.sendOnce`; resolves when all are sent. Errors of calls must be
   * thrown unchanged, because `outcomeOf` interprets them.
   */
  send(replies: AsyncIterable<Reply>, sending: Sending<To>): Promise<void>;
  /** Says what an error means for the message being sent; undefined if no call to this platform threw it. Pure. */
  outcomeOf(error: unknown): SendFailure | undefined;
  /**
   * The platform's rate limits for messages. Absent if Medley need not count, as the platform's answers say when to
   * wait.
   */
  readonly pace?: Pace;
  /**
   * How many messages a reply to `to` may take, including a message about files that could not be sent; 0 for a reply
   * that edits a message. If `reply` is left out: the most that any reply takes. Default 1.
   */
  messagesOf?(to: To, reply?: Reply): number;
  /** Deletes a message of Medley; does nothing when the message is deleted already. */
  deleteMessage?(chatId: string, messageId: string): Promise<void>;
  /**
   * The `To` for a reply that answers no request, such as the news of a tracked player; `eventId` identifies that
   * reply, and `topicId` is the topic as in `Caller`. Absent if the platform cannot post such replies.
   */
  placeOf?(chatId: string, eventId: string, topicId?: string): To;
  /** The facts about a request that only the platform knows. */
  factsOf?(to: To, request: Request): RequestFacts;
  /** Shows that Medley is working on the request, until the returned function is called. */
  showWorking?(to: To, stage: ProgressStage): () => void;
  /**
   * Shows how the answer progresses. A platform with this method gets no separate notice that the request waits, in the
   * queue or for the person's rate limit.
   */
  showProgress?(to: To, progress: AnswerProgress): void;
  /**
   * Shows a sentence about what takes long: where the answer will appear, or in a message of its own. Resolves with
   * that message's id; it is deleted when the answer comes. `shown`: the id of an earlier such message, to be edited.
   */
  showStatus?(to: To, text: string, shown: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Called when the request has ended; only better versions of its replies (`Reply.later`) may follow. Not called for a
   * request that was cancelled before it ran.
   */
  onEnd?(to: To, outcome: RequestOutcome): void;
  /** Closes everything; nothing is sent any more. */
  close(): Promise<void>;
}

/** A platform's rate limits for messages, by its own rules. */
export interface Pace {
  /** Milliseconds between two messages to the same chat. */
  readonly spacingMs: number;
  /** Messages a minute to one group, in which each file of an album counts. */
  readonly groupPerMinute: number;
  /** Messages a second to all chats together. */
  readonly overallPerSecond: number;
}

export interface RequestFacts {
  /** True if the chat shows already where the answer will appear, so that the answer need not wait for earlier ones. */
  readonly hasPlace?: boolean;
  /** The message with the pressed button, whose place the answer may take. */
  readonly pressedMessage?: string | undefined;
  /** Details of the person and the chat that only the platform knows. */
  readonly caller?: Partial<Caller>;
}

/** Says what is being done for a request, or how long its links must wait for the person's rate limit. */
export type AnswerProgress =
  | { readonly kind: 'stage'; readonly stage: ProgressStage }
  | { readonly kind: 'waiting'; readonly links: number; readonly afterMs: number };

/**
 * How a request ended. `failed`, `unsure`: a notice said that it failed, or that something may be missing. `gone`: its
 * chat or message no longer exists. `expired`: the platform could not be reached in time. `cancelled`: the answer was
 * no longer wanted.
 */
export type RequestOutcome = 'answered' | 'failed' | 'unsure' | 'gone' | 'expired' | 'cancelled';

/** Says what a failure means for the message. `notSent`: it certainly did not arrive. */
export type SendFailure =
  | {
      readonly outcome: 'notSent';
      /**
       * `away`: the platform cannot be reached or does not work. `flood`: its rate limit was exceeded. `token`: it
       * refuses the token. `cut`: Medley ended the call before it could take effect. `refused`: it does not accept this
       * message. `gone`: there is no chat any more in which to answer.
       */
      readonly reason: 'away' | 'flood' | 'token' | 'cut' | 'refused' | 'gone';
      /** With `gone`: true if the chat still exists, but its admins do not let Medley write in it. */
      readonly isBarred?: boolean;
      /** How long to wait, if the platform states it. */
      readonly retryAfterMs?: number | undefined;
      /** The place in which a `flood` forbids messages: one chat or the whole platform. Default: the chat. */
      readonly scope?: 'chat' | 'platform';
    }
  /** It is unknown whether the message arrived. */
  | { readonly outcome: 'unknown' };

/** Everything that a platform needs to send the replies to a request. */
export interface Sending<To = unknown> {
  readonly request: Request;
  readonly to: To;
  readonly t: Translator;
  /** The chat's settings. If they could not be read: the defaults, but without hiding or deleting anything. */
  readonly settings: ChatSettings;
  /**
   * True for the replies to the request's first link, in every attempt to send them, unless a notice that links wait
   * was sent before. A request without links has only these replies.
   */
  readonly signal: AbortSignal;
  /** True when no reply to this request was sent before; an attempt that was cut short does not count. */
  readonly isFirst: boolean;
  /** True when no further replies to this request follow. */
  readonly isLast: boolean;
  /** How many replies this call should send; if fewer come, the rest were left out on purpose. */
  readonly expected: number;
  /** Deletes messages of this answer after a while, even if another process has to do it. */
  deleteLater(chatId: string, messageIds: readonly string[], afterMs: number): void;
  /** Keys of the messages that earlier attempts sent. */
  readonly sentKeys: readonly string[];
  /**
   * Replaces the sent reply once when a better one is ready, which may be after the request has ended. Absent where
   * messages cannot be edited.
   */
  readonly editLater?: (later: Promise<Reply | undefined>, edit: EditReply) => void;
  /**
   * Makes a call that sends one message; undefined, without the call, when an earlier attempt sent it.
   * @param key identifies the message within the request, at most 6 letters and digits; the same in each attempt
   * @param call gets a tag for an idempotency key (nonce): at most 12 letters, digits and dashes, the same for each
   * attempt of this message
   * @throws whatever `call` throws; Superseded, StoreAway and Throttled, which must not be caught
   */
  sendOnce<T>(key: string, call: (tag: string) => Promise<T>, options?: SendOnceOptions): Promise<T | undefined>;
}

/**
 * Replaces the sent reply by a better one.
 * @throws what the platform's calls throw
 */
export type EditReply = (better: Reply, signal: AbortSignal) => Promise<void>;

export interface SendOnceOptions {
  /** How many messages the call counts as for the platform's rate limit; 0 for an edit. Default 1. */
  readonly messages?: number;
  /**
   * How long the platform recognises a repeat of this call, so that it may be repeated when it is unknown whether the
   * message arrived. Default 0.
   */
  readonly repeatMs?: number;
  /** True when the call uploads files. A stopping process begins no upload; the next process sends the message. */
  readonly isUpload?: boolean;
}

/** The part of bot/runtime to which a connected platform reports its events. */
export interface PlatformHost<To = unknown> {
  /**
   * Stores a request and makes sure that it is answered. Never rejects. Resolves when the request is stored, so that
   * the event may be confirmed. While the store is away, a limited number of requests wait for it.
   */
  accept(request: NewRequest<To>): Promise<Acceptance>;
  /** Ends a request without a message, whether it waits or runs. */
  cancel(eventId: string): Promise<void>;
  /** Reports that the connection is lost for good. */
  lost(reason: unknown): void;
  /** Reports that another process receives the events, and that this process waits until it may receive them. */
  standBy(): void;
}

/**
 * `accepted`: the request is stored. `known`: it was stored before. `refused`: the queue is full, and the person was
 * told so. `closed`: nothing was done, because Medley stops or the store is away; the event must not be confirmed.
 */
export type Acceptance = 'accepted' | 'known' | 'refused' | 'closed';

/** A request as a platform hands it to bot/runtime. */
export type NewRequest<To = unknown> = RequestBody & NewRequestEnvelope<To>;

interface NewRequestEnvelope<To> extends Pick<Request, 'chat' | 'user' | 'until'> {
  /**
   * The event's id, which is the same when the event comes again. It is kept for a day and must not identify a person,
   * so an id that would is hashed.
   */
  readonly eventId: string;
  readonly replyTo: To;
  /**
   * Confirms the request to the platform, if that is required within seconds. Called when the request is stored; no
   * reply is sent before it has resolved.
   */
  readonly acknowledge?: () => Promise<void>;
  /** Tells the person at once that the queue is full. Default: a notice is sent, at most once a minute to a chat. */
  readonly refuse?: (reply: Reply) => Promise<void>;
}

export interface ChatConnection {
  /** Receives no further events; resolves when all received ones are accepted. */
  close(): Promise<void>;
}

/**
 * Thrown to end work on a request without sending anything: another worker has the request, or the answer is no longer
 * wanted.
 */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** A chat to which a reply is posted that answers no request. */
export interface PostTarget {
  readonly platform: string;
  readonly chatId: string;
  /** The server or group of the chat, by `chatKey`. */
  readonly group: string;
  /** The topic of the chat, if not the general one. */
  readonly topicId?: string | undefined;
  /** An id that is the same when the reply is posted again, by which some platforms recognise a repeat. */
  readonly eventId: string;
}

/**
 * Posts a reply to a chat. Resolves with `gone` when nothing can be posted there any more, with `barred` when Medley
 * may not write there for now, and with `posted` also when it is unknown whether the reply arrived, since a chat should
 * not read it twice. The reply is not stored: after a crash the caller has to post it again.
 * @throws whatever sending throws; Throttled when the chat must be left alone for minutes; AppError `internal` where
 * the platform cannot post
 */
export type PostToChat = (
  target: PostTarget,
  reply: Reply,
  signal: AbortSignal,
) => Promise<'posted' | 'barred' | 'gone'>;

/**
 * `connecting`: this process connects for the first time. `away`: the platform cannot be reached, and another attempt
 * follows. `refused`: the platform refuses the token, and attempts follow now and then. `standby`: another process
 * receives the events. `idle`: this process receives no events, and the token seems valid.
 */
export type PlatformState = 'idle' | 'connecting' | 'standby' | 'connected' | 'away' | 'refused' | 'stopped';

export interface PlatformStatus {
  readonly platform: string;
  readonly state: PlatformState;
  /** When the state began, unix milliseconds. */
  readonly since: number;
  /** The reason for which the platform is not connected, without anything secret. */
  readonly reason?: string;
}

export interface RuntimeStatus extends QueueStats {
  /** When this process last took up a request, unix milliseconds; it checks for waiting requests about every minute. */
  readonly lastRunAt: number | undefined;
  readonly platforms: readonly PlatformStatus[];
}
