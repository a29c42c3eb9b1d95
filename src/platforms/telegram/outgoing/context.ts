import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { Sending, SendOnceOptions } from '../../../bot/contract/chat-platform.ts';
import type { GalleryItem } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Delivery } from '../../../media/delivery/delivery.ts';
import type { SentFiles } from '../../../media/delivery/sent-files.ts';
import type { BotApi } from '../api/bot-api.ts';
import type { ChatRecords } from '../api/chat-records.ts';
import type { TelegramLimits } from '../api/limits.ts';
import type { Button } from '../api/methods.ts';
import type { EventIds, TelegramReplyTo } from '../api/reply-to.ts';
import type { DeleteButtons } from '../render/keyboard.ts';

/** Everything that both the reading of updates and the sending of replies need. */
export interface TelegramContext {
  readonly api: BotApi;
  readonly dispatcher: Pick<Dispatcher, 'read' | 'answer' | 'linksOf' | 'browse' | 'translator' | 'commandSpecs'>;
  readonly delivery: Pick<Delivery, 'deliver' | 'remoteFile' | 'wholeAddress'>;
  readonly sentFiles: SentFiles;
  readonly chats: ChatRecords;
  readonly eventIds: EventIds;
  readonly deleteButtons: DeleteButtons;
  readonly limits: TelegramLimits;
  /** The size limit of an upload, in bytes. Photos have a limit of their own. */
  readonly uploadBytes: number;
  /** The bot for which stored file ids are valid, as `telegram:BOT_ID`. */
  readonly holder: string;
  /** The bot's name without the `@`. */
  readonly username: () => string;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  readonly now: () => number;
}

/** The chat of a message, and how it is shown there. */
export interface MessageDestination
  extends Pick<TelegramReplyTo, 'chat' | 'isGroup' | 'isChannel' | 'thread' | 'directTopic' | 'message'> {
  /** True to send the message without a notification. */
  readonly silent?: boolean;
  /** True to send the message only if the one to which it replies still exists. */
  readonly isOnlyReply?: boolean;
  /** The id of the only person who sees the message, if Telegram can do that in this chat; otherwise all see it. */
  readonly onlyFor?: number | undefined;
  /** The query id of a pressed button whose message one person alone sees. The new message replaces that message. */
  readonly replaces?: string | undefined;
}

/** Everything that is needed to send a reply, besides the reply itself. */
export interface ReplyContext extends Pick<Sending, 'signal' | 'sendOnce' | 'sentKeys'> {
  readonly to: MessageDestination;
  readonly t: Translator;
  /**
   * Makes the buttons that only Telegram has, such as the one for the audio: under a single file, or below albums.
   * @param album ids of the albums' messages; undefined when they are no longer known
   */
  readonly extra?: (gallery: readonly GalleryItem[], album: readonly number[] | undefined) => readonly Button[];
  /** The id of the request, under which the ids of its messages are remembered. Default: none. */
  readonly request?: string;
  /** The beginning of the keys under which `sendOnce` records the reply's messages. */
  readonly key: string;
}

/** Options of an edit: it may be repeated as long as a request lives, and does not count for the chat's rate limit. */
export const EDIT: SendOnceOptions = { repeatMs: 24 * 3_600_000, messages: 0 };
