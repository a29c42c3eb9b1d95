import type * as z from 'zod';
import type { Translator } from '../../i18n/translate.ts';
import type { QueueStats } from '../../infra/queue/queue.ts';
import type { Reply } from './reply.ts';
import type { Caller, ProgressStage, Request, RequestBody } from './request.ts';
import type { ChatSettings } from './settings.ts';

/**
 * A chat platform as the runtime sees it: it receives events, sends messages, and says what became of them. `To` is the address of an
 * answer: a value that can be written as JSON, since another process may send the answer.
 */
export interface ChatPlatform<To = unknown> {
  readonly id: string;
  /** Parses the `replyTo` that `accept` was given, as it comes back from the store. */
  readonly replyTo: z.ZodType<To>;
  /** How many replies to one request are shown together when there are several; with 1 each is shown as soon as it is ready. */
  readonly repliesAtOnce: number;
  /** How many requests of one chat run at once; 1: strictly one after the other. Default: the queue's own number. */
  readonly perChat?: number;
  /**
   * Starts to receive events; resolves when it does. Called again when the connection is lost and after every failure; `signal` aborts
   * when the connection is no longer wanted.
   */
  connect(host: PlatformHost<To>, signal: AbortSignal): Promise<ChatConnection>;
  /**
   * Asks the platform whether the token is valid. Only an error that means a refused token counts; any other error says nothing about it.
   */
  verify(signal: AbortSignal): Promise<void>;
  /**
   * Sends replies in order, each message by `sending.sendOnce`; resolves when all are in the chat. Errors of calls must come through
   * unchanged, because `outcomeOf` reads them.
   */
  send(replies: AsyncIterable<Reply>, sending: Sending<To>): Promise<void>;
  /**
   * Says what an error means for the message that was to be sent. Pure. Undefined for an error that did not come from a call to this platform.
   */
  outcomeOf(error: unknown): SendFailure | undefined;
  /** The rate at which the platform accepts messages. Absent where the platform itself reports when there are too many. */
  readonly pace?: Pace;
  /**
   * How many messages a reply may need at that address, counting one about files that could not be sent; 0 for a reply that replaces a
   * message. Without a reply: how many any reply may need. Default 1.
   */
  messagesOf?(to: To, reply?: Reply): number;
  /** Deletes one of Medley's own messages; does nothing when it is gone already. */
  deleteMessage?(chatId: string, messageId: string): Promise<void>;
  /** The address for a reply that answers no request; `eventId` identifies the reply. Absent where only requests can be answered. */
  placeOf?(chatId: string, eventId: string): To;
  /** Adds details of the person and the chat that only the platform knows. */
  describeCaller?(request: Request, to: To): CallerDetails;
  /** True when the answer already has its place in the chat, so that it need not wait for answers to earlier requests. */
  hasPlace?(to: To): boolean;
  /** Shows that the request is being worked on, until the returned function is called. */
  showWorking?(to: To, stage: ProgressStage): () => void;
  /**
   * Shows how far the answer is. A platform that shows this sends no separate notice that the request waits for its turn or for the
   * person's rate limit.
   */
  showProgress?(to: To, progress: AnswerProgress): void;
  /**
   * Shows a sentence about what is being done, where an answer takes long: in the place of the answer, or in a message of its own, whose
   * id it resolves with and which is deleted when the answer comes. `shown`: the id of that message, which is edited.
   */
  showStatus?(to: To, text: string, shown: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Called when the request is over; only better versions of its replies may follow. Not called for a request that was cancelled before
   * it ran.
   */
  onEnd?(to: To, outcome: RequestOutcome): void;
  /** Closes everything; nothing is sent afterwards. */
  close(): Promise<void>;
}

/** The rate at which a platform accepts messages, by its own rules. */
export interface Pace {
  /** Milliseconds between two messages in one chat. */
  readonly spacingMs: number;
  /** Messages a minute in one group, where each file of an album counts. */
  readonly groupPerMinute: number;
  /** Messages a second in all chats together. */
  readonly overallPerSecond: number;
}

type CallerDetails = Partial<
  Pick<Caller, 'hidesEmbeds' | 'answersAlone' | 'inviteUrl' | 'diagnose' | 'isChatAdmin' | 'sharedRateKey'>
>;

/** The stage of the work on a request, or how long its links wait for the person's rate limit. */
export type AnswerProgress =
  | { readonly kind: 'stage'; readonly stage: ProgressStage }
  | { readonly kind: 'waiting'; readonly links: number; readonly afterMs: number };

/**
 * How a request ended. `failed`: a notice said that it failed. `unsure`: a notice said that something may be missing. `gone`: the chat or
 * message to answer in no longer exists. `expired`: the platform could not be reached in time. `cancelled`: the answer was not wanted any
 * more.
 */
export type RequestOutcome = 'answered' | 'failed' | 'unsure' | 'gone' | 'expired' | 'cancelled';

/** Says what a failure means for the message. Only a message that has certainly not arrived is `notSent`. */
export type SendFailure =
  | {
      readonly outcome: 'notSent';
      /**
       * `away`: the platform cannot be reached or does not work. `flood`: it accepts no messages for a while. `token`: it refuses the
       * token. `cut`: Medley ended the call before it could take effect. `refused`: it does not accept this message. `gone`: there is no
       * chat left in which anything could be said.
       */
      readonly reason: 'away' | 'flood' | 'token' | 'cut' | 'refused' | 'gone';
      /** How long to wait, where the platform says so. */
      readonly retryAfterMs?: number | undefined;
      /** Says what a `flood` applies to. Default: the chat. */
      readonly scope?: 'chat' | 'platform';
    }
  /** The message may be in the chat. */
  | { readonly outcome: 'unknown' };

/** All that a platform needs to send the replies to a request. */
export interface Sending<To = unknown> {
  readonly request: Request;
  readonly to: To;
  readonly t: Translator;
  /** The settings of the chat. Where they could not be read these are the defaults, except that nothing is hidden or deleted. */
  readonly settings: ChatSettings;
  /** Aborts when the time for the answer is over or Medley stops. */
  readonly signal: AbortSignal;
  /** True when nothing was sent for this request before, apart from messages that `sendOnce` skips because they are in the chat. */
  readonly isFirst: boolean;
  /** True when no other replies to this request follow. */
  readonly isLast: boolean;
  /** How many replies belong to this call; when fewer come, some were left unsaid on purpose. */
  readonly expected: number;
  /** Deletes messages of this answer after that time, even if another process has to do it. */
  deleteLater(chatId: string, messageIds: readonly string[], afterMs: number): void;
  /** Keys of the messages that earlier attempts have sent. */
  readonly sentKeys: readonly string[];
  /**
   * Replaces the sent reply once by a better one that is still being made. This is not part of the request; absent where nothing can be
   * edited.
   */
  readonly editLater?: (later: Promise<Reply | undefined>, edit: EditReply) => void;
  /**
   * Makes a call that sends one message, unless that message is in the chat already: then it resolves with undefined.
   * @param key identifies the message by its place among the messages, at most 6 letters and digits; the same when another process sends
   * the reply again
   * @param call gets a tag for a nonce: at most 12 letters, digits and dashes, the same for a repeat of this message and for no other
   * message of the request
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
  /** How many messages the call counts as in the platform's pace; 0 for an edit. Default 1. */
  readonly messages?: number;
  /**
   * How long the platform recognises a repeat of this call, so that the call may be repeated when it is unknown whether the message
   * arrived. Default 0.
   */
  readonly repeatMs?: number;
  /** True when the call carries files. No upload is started while Medley stops, since it could be cut off; the next process sends it. */
  readonly isUpload?: boolean;
}

/** The runtime as a connected platform sees it. */
export interface PlatformHost<To = unknown> {
  /**
   * Stores a request and takes care of its answer. Never rejects. It resolves once the request is stored, so that the event may be
   * confirmed. While the store is away the request waits, as long as there is room for waiting requests.
   */
  accept(request: NewRequest<To>): Promise<Acceptance>;
  /** Ends a request silently, wherever it is. */
  cancel(eventId: string): Promise<void>;
  /** Reports that the connection is lost for good. */
  lost(reason: unknown): void;
  /** Reports that another process listens, and that this one waits until it may. */
  standBy(): void;
}

/**
 * `accepted`: the request is stored. `known`: it was stored before. `refused`: the person was notified that there is no room. `closed`:
 * nothing was done, because Medley stops, or because the store is away and too many requests wait for it; the event must not be
 * confirmed.
 */
export type Acceptance = 'accepted' | 'known' | 'refused' | 'closed';

/** A request as a platform passes it to the runtime. */
export type NewRequest<To = unknown> = RequestBody & NewRequestEnvelope<To>;

interface NewRequestEnvelope<To> extends Pick<Request, 'chat' | 'user' | 'until'> {
  /**
   * The event's own id, the same when the event is received again. It is kept for a day, so it must identify no person: an id that does
   * is hashed.
   */
  readonly eventId: string;
  readonly replyTo: To;
  /**
   * Confirms to the platform that the request was accepted, where the platform requires that within seconds. Called when the request is
   * stored; no reply is sent before it has resolved.
   */
  readonly acknowledge?: () => Promise<void>;
  /** Says at once that the request is refused. By default that notice is sent as a reply would be, once a minute to a chat. */
  readonly refuse?: (reply: Reply) => Promise<void>;
}

/** A connection over which a platform receives events. */
export interface ChatConnection {
  /** Receives no further events; resolves when those received before are accepted. */
  close(): Promise<void>;
}

/** Another worker holds the request, or it is no longer wanted: the work on it ends, and nothing more is sent. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** A chat to which a reply is posted that answers no request. */
export interface PostTarget {
  readonly platform: string;
  readonly chatId: string;
  /** The guild or group that the chat belongs to, by `chatKey`. */
  readonly group: string;
  /** The same id when the same reply is posted again, as after a crash: platforms that can do so recognise a repeat within minutes. */
  readonly eventId: string;
}

/**
 * Posts a reply to a chat; resolves with `gone` when nothing can be posted there any more. The post is not stored: after a crash the
 * caller has to post it again.
 * @throws whatever sending throws; Throttled when the chat must be left alone for a while; AppError `internal` where the platform cannot
 * post
 */
export type PostToChat = (target: PostTarget, reply: Reply, signal: AbortSignal) => Promise<'posted' | 'gone'>;

/**
 * `connecting`: for the first time. `away`: the platform cannot be reached, and is tried again soon. `refused`: it refuses the token, and
 * is asked again now and then. `standby`: another process listens there. `idle`: this process does not listen there and has no reason to
 * doubt the token.
 */
export type PlatformState = 'idle' | 'connecting' | 'standby' | 'connected' | 'away' | 'refused' | 'stopped';

export interface PlatformStatus {
  readonly platform: string;
  readonly state: PlatformState;
  /** Unix milliseconds. */
  readonly since: number;
  /** Why the platform is not connected, without secrets. */
  readonly reason?: string;
}

export interface RuntimeStatus extends QueueStats {
  /** When this process last took up a request, unix milliseconds; waiting entries are looked at about every minute. */
  readonly lastRunAt: number | undefined;
  readonly platforms: readonly PlatformStatus[];
}
