import * as z from 'zod';
import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Reply } from './reply.ts';
import { type ChatSettings, VIEWS } from './settings.ts';

/**
 * A pressed button. `isEphemeral`: only the person who presses it sees the result, so other people than the button's
 * owner may press it too.
 */
const PressedButton = z
  .object({
    token: z.string(),
    isEphemeral: z.boolean().optional(),
    /** The former name of `isEphemeral`, which requests stored by 0.2.0 have. */
    isAside: z.boolean().optional(),
  })
  .transform(({ token, isAside, isEphemeral = isAside }) => ({
    token,
    ...(isEphemeral !== undefined && { isEphemeral }),
  }));

/**
 * The content of a request, as it is stored until it is answered: links, a command with its options, or a button. It
 * contains no other text of the message.
 */
export const RequestBody = z.discriminatedUnion('kind', [
  /** The links in order: canonical, or as written if they lead to no known site. */
  z.object({
    kind: z.literal('links'),
    what: z.array(
      z.object({
        url: z.string(),
        spoiler: z.boolean(),
        view: z.enum(VIEWS).optional().catch(undefined),
        clip: z.string().max(32).optional().catch(undefined),
        /** Options that were written beside the link of an osu! map: `mods`, `accuracy`. */
        options: z.record(z.string(), z.string()).optional().catch(undefined),
      }),
    ),
    /** True when the links were only pasted in a group, without addressing Medley. */
    unasked: z.boolean().optional(),
  }),
  /** A command with separate options, which are checked when it runs. */
  z.object({
    kind: z.literal('command'),
    what: z.object({ name: z.string(), options: z.record(z.string(), z.unknown()) }),
  }),
  /** A command as typed: its name, which may be unknown, and the text behind it. */
  z.object({ kind: z.literal('line'), what: z.object({ name: z.string(), args: z.string() }) }),
  z.object({ kind: z.literal('button'), what: PressedButton }),
  /** A message that addresses Medley but asks for nothing. */
  z.object({ kind: z.literal('talk'), what: z.null() }),
]);
export type RequestBody = z.output<typeof RequestBody>;
export type LinksBody = Extract<RequestBody, { kind: 'links' }>;

/** A link in a message, as the platform's markup shows it. */
export interface PastedLink {
  /** The address as it was written, or the target of a link with other text. */
  readonly url: string;
  /** True when the link is in a spoiler; its files are then sent as spoilers too. */
  readonly spoiler: boolean;
  /** True when the link is in a quote or a forwarded message. */
  readonly quoted?: boolean;
}

/** A message that a platform received; most are not answered. */
export interface TextMessage {
  readonly caller: Caller;
  readonly text: string;
  /** True when the message is addressed to Medley and so expects an answer. Default: in private chats only. */
  readonly direct?: boolean;
  /**
   * All that a person wrote to the group, if that was not addressed to Medley and `text` has only the links. It is read
   * only for a short command (`!rs`) and for options beside links.
   */
  readonly line?: string;
  /** The message's links, used in place of those in `text`. Addresses that are no posts are ignored. */
  readonly links?: readonly PastedLink[] | undefined;
}

/** True when the links were only pasted in a group. */
export function isUnasked(body: RequestBody): boolean {
  return body.kind === 'links' && body.unasked === true;
}

/** The number of parts of a request: one for each link, and one for any other request. */
export function partsOf(body: RequestBody): number {
  return body.kind === 'links' ? body.what.length : 1;
}

/** All of a request except what is asked. */
const Envelope = z.object({
  /**
   * `PLATFORM:EVENT`, where EVENT is the event's own id, which a repeat of the event shares and which identifies no
   * person.
   */
  id: z.string(),
  platform: z.string(),
  chat: z.object({
    id: z.string(),
    kind: z.enum(['private', 'group']),
    /** The group whose settings several chats share, such as a Discord server. By default each chat has its own. */
    groupId: z.string().optional(),
    /** For a thread, the channel that it belongs to. */
    parentId: z.string().optional(),
    /** True when the platform shows the chat only to adults. */
    isAgeRestricted: z.boolean().optional(),
  }),
  user: z.object({
    id: z.string(),
    rateKey: z.string(),
    /**
     * The person's preferred languages according to the platform, best first. A language that the person chose in
     * Medley's settings comes before these.
     */
    locales: z.array(z.string()),
    /**
     * True for an admin. Absent if finding out takes a request to the platform, which is then made only when it
     * matters.
     */
    isChatAdmin: z.boolean().optional(),
  }),
  /** When the request was accepted, unix milliseconds. */
  at: z.number(),
  /** The time after which no answer can arrive, because an interaction's token expires; unix milliseconds. */
  until: z.number().optional(),
  /** The place to which the answer is sent, in the platform's own form: `ChatPlatform.replyTo` parses it. */
  replyTo: z.unknown(),
});

/** A person's request: what is asked, by whom and where. It can be stored, and any process can run it. */
export const Request = Envelope.and(RequestBody);
export type Request = z.output<typeof Request>;

/** The person who asked, as commands see them. `more`: further details, which only the platform knows. */
export function callerOf(
  { platform, chat, user }: Pick<Request, 'platform' | 'chat' | 'user'>,
  more: Partial<Caller> = {},
): Caller {
  return {
    platform,
    userId: user.id,
    chatId: chat.id,
    chatKind: chat.kind,
    ...(chat.groupId !== undefined && { groupId: chat.groupId }),
    ...(chat.parentId !== undefined && { parentChatId: chat.parentId }),
    ...(chat.isAgeRestricted === true && { isAgeRestricted: true }),
    isChatAdmin: user.isChatAdmin ?? false,
    rateKey: user.rateKey,
    locales: user.locales,
    ...more,
  };
}

/** The person who asked and the chat in which they asked. Ids are the platform's own, as text. */
export interface Caller {
  readonly platform: string;
  readonly userId: string;
  readonly chatId: string;
  readonly chatKind: 'private' | 'group';
  readonly groupId?: string;
  readonly isAgeRestricted?: boolean;
  readonly parentChatId?: string;
  /** The topic of the group in which the person wrote, if it is not the general one. */
  readonly topicId?: string;
  /** The person's roles in the group, if the platform has roles. */
  readonly roleIds?: readonly string[];
  /**
   * True when the caller may change this chat's settings. It is a function where only a request to the platform can
   * tell; the function is called only when it matters.
   */
  readonly isChatAdmin: boolean | (() => Promise<boolean>);
  /** True when the platform lets Medley hide the preview (embed) of a message. */
  readonly hidesEmbeds?: boolean;
  /** True when Medley can delete people's messages, so that an answer can replace the message with its link. */
  readonly deletesLinks?: boolean;
  /** True when links in quotes and forwarded messages are answered by default. */
  readonly answersQuotes?: boolean;
  /** True when the platform can show a reply in a group to the caller alone. Default: everyone sees it. */
  readonly answersAlone?: boolean;
  /** The address for adding Medley to a group, if the platform has one. */
  readonly inviteUrl?: () => Promise<string>;
  /** Finds out what Medley may do in this chat; called only when that is shown. */
  readonly diagnose?: () => readonly PermissionCheck[] | Promise<readonly PermissionCheck[]>;
  readonly rateKey: string;
  /** The key of a far higher rate limit that several people share: in the web chat, people with one network address. */
  readonly sharedRateKey?: string;
  readonly locales: readonly string[];
}

/** The fields of a caller that are in keys of stored data. */
export type CallerPlace = Pick<Caller, 'platform' | 'userId' | 'chatId' | 'chatKind' | 'groupId'>;

/** The key of everything that is stored about a person: settings, buttons, requests in the queue. */
export function callerKey({ platform, userId }: Pick<Caller, 'platform' | 'userId'>): string {
  return `${platform}:${userId}`;
}

/** The key of everything that is stored about a chat, or about the group whose settings it shares. */
export function chatKey({ platform, groupId, chatId }: Pick<Caller, 'platform' | 'groupId' | 'chatId'>): string {
  return `${platform}:${groupId ?? chatId}`;
}

/** A permission in a chat; `ok` if Medley has it. Each language has texts that name it and say how to give it. */
export interface PermissionCheck {
  readonly key: PermissionCheckKey;
  readonly ok: boolean;
}

export type PermissionCheckKey =
  /** Medley may write; on Discord this includes seeing the channel. */
  | 'sendMessages'
  /** Medley may connect to a voice channel of Discord. Where it may not, and so may not write, this is listed instead. */
  | 'connect'
  /** Medley may send photos and videos. */
  | 'attachFiles'
  /** Medley may answer as a reply to a message, which on Discord takes Read Message History. */
  | 'readHistory'
  /** Medley may hide the preview (embed) of the answered message, by Discord's Manage Messages. */
  | 'manageMessages'
  /** Medley may delete people's messages, which is a right of admins on Telegram. */
  | 'deleteMessages'
  /** Medley may read what people paste, by Discord's privileged intent. */
  | 'messageContent'
  /** Medley may read what people paste: Telegram's privacy mode is off, or Medley is an admin of the group. */
  | 'privacyMode'
  /** Medley, installed by one person, may answer so that everyone sees it, by Discord's Use External Apps. */
  | 'useExternalApps';

/** Answers requests. bot/runtime uses it without knowing what requests are about. */
export interface RequestHandler {
  /**
   * Begins to answer a request. Links that this batch leaves out are answered by the next batch. A failure becomes a
   * reply, except when the store is away.
   * @throws StoreAway when the request must be tried again; the promises of the replies may reject with it, too
   */
  answer(body: RequestBody, context: AttemptContext): Promise<ReplyBatch>;
  /** The language of the person and the settings of the chat. @throws StoreAway */
  preferences(caller: Caller): Promise<Preferences>;
  /** The texts in the caller's language: their setting's, else the chat's, else the platform's. Never rejects. */
  translator(caller: Caller): Promise<Translator>;
  /** The settings of the caller's chat; if they cannot be read the defaults, without hiding anything. Never rejects. */
  chatSettings(caller: Caller): Promise<ChatSettings>;
}

export interface Preferences {
  readonly t: Translator;
  readonly settings: ChatSettings;
}

/** How far a request is answered and charged. */
export interface Position {
  /** The index of the first link that is not answered; a request without links counts as one link. */
  readonly from: number;
  /** The index of the first link that is not charged to the person's rate limit yet. */
  readonly paid: number;
}

export type ProgressStage = 'resolving' | 'fetching' | 'preparing';

export interface AttemptContext extends Position {
  readonly caller: Caller;
  /** The preferences of the caller and the chat, if they were read already. */
  readonly preferences?: Preferences;
  /** Aborts when the replies are no longer wanted. */
  readonly signal: AbortSignal;
  /** To be called when work begins for which the person has to wait. */
  progress(stage: ProgressStage): void;
}

export interface PendingReply {
  /** The reply; undefined when it is no longer wanted. Rejects only with StoreAway. */
  readonly reply: Promise<Reply | undefined>;
  /** The index of the first link that neither this reply nor an earlier one answers. */
  readonly next: number;
}

/** Replies that are made at the same time. */
export interface ReplyBatch {
  /** The replies, in the order of the links that they answer. */
  readonly replies: readonly PendingReply[];
  readonly next: number;
  readonly paid: number;
  /** The links that are left for later; undefined when there are none. */
  readonly remaining: RemainingLinks | undefined;
}

export interface RemainingLinks {
  readonly links: number;
  /** The rate limit for which the links wait; undefined if they are only left for the next batch. */
  readonly refusal: AppError | undefined;
}

/** A batch of one reply, which answers the whole request. */
export function onlyReply(reply: Promise<Reply | undefined>, parts = 1): ReplyBatch {
  return { replies: [{ reply, next: parts }], next: parts, paid: parts, remaining: undefined };
}
