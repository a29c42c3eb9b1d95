import * as z from 'zod';
import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Reply } from './reply.ts';
import { type ChatSettings, VIEWS } from './settings.ts';

/** A pressed button. `isEphemeral`: only the person who pressed sees the result, so another person may press it too. */
const PressedButton = z
  .object({
    token: z.string(),
    isEphemeral: z.boolean().optional(),
    /** The name of `isEphemeral` in requests that 0.2.0 stored. */
    isAside: z.boolean().optional(),
  })
  .transform(({ token, isAside, isEphemeral = isAside }) => ({
    token,
    ...(isEphemeral !== undefined && { isEphemeral }),
  }));

/**
 * What a person asks for, stored until it is answered: links, a command with its options, a button. It contains no
 * other text of the message.
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
        /** Options that stood beside the link of an osu! map: `mods`, `accuracy`. */
        options: z.record(z.string(), z.string()).optional().catch(undefined),
      }),
    ),
    /** True when the links were merely pasted in a group, without addressing Medley. */
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
  /** The written address, or the target of a link with other text. */
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
  /** True when the message addresses Medley, so that it expects an answer. Default: only in private chats. */
  readonly direct?: boolean;
  /**
   * The whole message, set if `text` leaves it out because it was written to everyone: only a short command (`!rs`) and
   * options beside links are read from it.
   */
  readonly line?: string;
  /** Used instead of the links in `text`. Addresses that are no posts are ignored. */
  readonly links?: readonly PastedLink[];
}

/** True when links were merely pasted in a group. */
export function isUnasked(body: RequestBody): boolean {
  return body.kind === 'links' && body.unasked === true;
}

/** The number of parts of a request: one for each link, and one for any other request. */
export function partsOf(body: RequestBody): number {
  return body.kind === 'links' ? body.what.length : 1;
}

/** Everything of a request but its body. */
const Envelope = z.object({
  /** `PLATFORM:EVENT`, with the event's own id, by which a repeat is recognised. It does not identify a person. */
  id: z.string(),
  platform: z.string(),
  chat: z.object({
    id: z.string(),
    kind: z.enum(['private', 'group']),
    /** The group whose settings several chats share, such as a Discord server. */
    groupId: z.string().optional(),
    /** The channel of a thread. */
    parentId: z.string().optional(),
    /** True when the platform shows the chat only to adults. */
    isAgeRestricted: z.boolean().optional(),
  }),
  user: z.object({
    id: z.string(),
    /** The key of the person's rate limit. */
    rateKey: z.string(),
    /** The person's preferred languages according to the platform, best first. */
    locales: z.array(z.string()),
    /** Absent when it costs a request to the platform, which is then made when it matters. */
    isChatAdmin: z.boolean().optional(),
  }),
  /** When the request was accepted, unix milliseconds. */
  at: z.number(),
  /** The time after which no answer can arrive, because an interaction's token expires; unix milliseconds. */
  until: z.number().optional(),
  /** Where to answer, in the platform's own form. */
  replyTo: z.unknown(),
});

/** A person's request: what is asked, by whom and where. It can be stored, and any process can run it. */
export const Request = Envelope.and(RequestBody);
export type Request = z.output<typeof Request>;

/** The key of a person, by which all queue entries of theirs can be deleted. */
export function ownerKey(platform: string, userId: string): string {
  return `${platform}:${userId}`;
}

/** The key of the request's chat, for its settings and for fairness in the queue. */
export function chatKeyOf({ platform, chat: { id: chatId, groupId } }: Request): string {
  return chatKey({ platform, chatId, ...(groupId !== undefined && { groupId }) });
}

/** The person who asked, as commands see them. `more`: further details that only the platform knows. */
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

/** The person who asked, and the chat. Ids are the platform's, as text. */
export interface Caller {
  readonly platform: string;
  readonly userId: string;
  readonly chatId: string;
  readonly chatKind: 'private' | 'group';
  /** The group whose settings several chats share, such as a Discord server. By default each chat has its own. */
  readonly groupId?: string;
  /** True when the platform shows the chat only to adults. */
  readonly isAgeRestricted?: boolean;
  /** The channel of a thread. */
  readonly parentChatId?: string;
  /** The person's roles in the group, if the platform has roles. */
  readonly roleIds?: readonly string[];
  /**
   * True when the caller may change this chat's settings. A function where it costs a request, called only when it
   * matters.
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
  /** The key of the person's rate limit. */
  readonly rateKey: string;
  /** A key that they share with others, with a far higher limit: in the web chat the network address. */
  readonly sharedRateKey?: string;
  /** The person's preferred languages according to the platform, best first; their settings come before these. */
  readonly locales: readonly string[];
}

/** The fields of a caller that are in keys of stored data. */
export type CallerPlace = Pick<Caller, 'platform' | 'userId' | 'chatId' | 'chatKind' | 'groupId'>;

/** The key of everything that is stored about a person: settings, buttons, data. */
export function callerKey({ platform, userId }: Pick<Caller, 'platform' | 'userId'>): string {
  return `${platform}:${userId}`;
}

/** The key of everything that is stored about a chat, or about the group whose settings it shares. */
export function chatKey({ platform, groupId, chatId }: Pick<Caller, 'platform' | 'groupId' | 'chatId'>): string {
  return `${platform}:${groupId ?? chatId}`;
}

/** Whether Medley may do one thing in a chat. Each language has texts that name the thing and say how to allow it. */
export interface PermissionCheck {
  readonly key: PermissionCheckKey;
  readonly ok: boolean;
}

export type PermissionCheckKey =
  /** To write, which on Discord includes to see the channel. */
  | 'sendMessages'
  /** To send photos and videos. */
  | 'attachFiles'
  /** To answer by replying to a message: Discord's Read Message History. */
  | 'readHistory'
  /** To hide the preview (embed) of the answered message: Discord's Manage Messages. */
  | 'manageMessages'
  /** To delete people's messages: a right of Telegram's admins. */
  | 'deleteMessages'
  /** To read what is pasted: Discord's privileged intent. */
  | 'messageContent'
  /** To read what is pasted: possible when Telegram's privacy mode is off, or Medley is an admin of the group. */
  | 'privacyMode'
  /** To answer visibly to everyone though only one person installed Medley: Discord's Use External Apps. */
  | 'useExternalApps';

/** Answers requests. bot/runtime calls it without knowing what requests mean. */
export interface RequestHandler {
  /**
   * Begins to answer; parts that are not in this batch are left for the next one. A failure becomes a reply, except
   * when the store is away.
   * @throws StoreAway, as the replies may too: the request must then be tried again
   */
  answer(body: RequestBody, context: AttemptContext): Promise<ReplyBatch>;
  /** @throws StoreAway */
  preferences(caller: Caller): Promise<Preferences>;
  /** The texts in the caller's language: by their setting, else the chat's, else the platform. Never rejects. */
  translator(caller: Caller): Promise<Translator>;
  /** The settings of the caller's chat; if they cannot be read the defaults, without hiding anything. Never rejects. */
  chatSettings(caller: Caller): Promise<ChatSettings>;
}

/** A person's language and the settings of the chat. */
export interface Preferences {
  readonly t: Translator;
  readonly settings: ChatSettings;
}

/** Which parts of a request were answered and charged. */
export interface Position {
  /** The first part that is not answered: each link is a part, any other request is one. */
  readonly from: number;
  /** The parts before this one are already charged to the person's rate limit. */
  readonly paid: number;
}

export type ProgressStage = 'resolving' | 'fetching' | 'preparing';

export interface AttemptContext extends Position {
  readonly caller: Caller;
  /** The preferences of the caller and the chat, if they were read already. */
  readonly preferences?: Preferences;
  /** Aborts when the replies are no longer wanted. */
  readonly signal: AbortSignal;
  /** Called when the person has to wait for something. */
  progress(stage: ProgressStage): void;
}

export interface PendingReply {
  /** Undefined when the reply is no longer wanted. Rejects only with StoreAway. */
  readonly reply: Promise<Reply | undefined>;
  /** The part after this reply's part. */
  readonly next: number;
}

/** Replies that are made at the same time. */
export interface ReplyBatch {
  /** The replies, in order. */
  readonly replies: readonly PendingReply[];
  readonly next: number;
  readonly paid: number;
  /** The links that are left for later; undefined when there are none. */
  readonly remaining: RemainingLinks | undefined;
}

export interface RemainingLinks {
  readonly links: number;
  /** The rate limit that the links wait for; undefined when they only belong to the next batch. */
  readonly refusal: AppError | undefined;
}

/** A batch of one reply, which answers the whole request. */
export function onlyReply(reply: Promise<Reply | undefined>, parts = 1): ReplyBatch {
  return { replies: [{ reply, next: parts }], next: parts, paid: parts, remaining: undefined };
}
