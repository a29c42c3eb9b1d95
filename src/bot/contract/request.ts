import * as z from 'zod';
import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Reply } from './reply.ts';
import { type ChatSettings, VIEWS } from './settings.ts';

/** `isEphemeral`: the result is shown only to the person who pressed the button, so the button may be another person's. */
const PressedButton = z
  .object({
    token: z.string(),
    isEphemeral: z.boolean().optional(),
    /** The name of `isEphemeral` in data stored by 0.2.0. */
    isAside: z.boolean().optional(),
  })
  .transform(({ token, isAside, isEphemeral = isAside }) => ({
    token,
    ...(isEphemeral !== undefined && { isEphemeral }),
  }));

/**
 * The part of a request that says what the person asks for, as it is stored until it is answered: links, a command with its options, a
 * button. It contains no other text of the message.
 */
export const RequestBody = z.discriminatedUnion('kind', [
  /** The links in order; each is canonical, unless it leads to no known site. */
  z.object({
    kind: z.literal('links'),
    what: z.array(
      z.object({
        url: z.string(),
        spoiler: z.boolean(),
        view: z.enum(VIEWS).optional().catch(undefined),
        clip: z.string().max(32).optional().catch(undefined),
        /** Options for an osu! map that stood beside its link: `mods`, `accuracy`. */
        options: z.record(z.string(), z.string()).optional().catch(undefined),
      }),
    ),
    /** True when the links were merely pasted in a group, and not addressed to Medley. */
    unasked: z.boolean().optional(),
  }),
  /** A command whose options came separately; they are checked when it runs. */
  z.object({
    kind: z.literal('command'),
    what: z.object({ name: z.string(), options: z.record(z.string(), z.unknown()) }),
  }),
  /** A command as it was typed: its name, whether it exists or not, and the text behind it. */
  z.object({ kind: z.literal('line'), what: z.object({ name: z.string(), args: z.string() }) }),
  z.object({ kind: z.literal('button'), what: PressedButton }),
  /** A message to Medley that asks for nothing. */
  z.object({ kind: z.literal('talk'), what: z.null() }),
]);
export type RequestBody = z.output<typeof RequestBody>;
export type LinksBody = Extract<RequestBody, { kind: 'links' }>;

/** A link in a message, found by the platform's own markup. */
export interface PastedLink {
  /** The address as it was written, or the target of a link whose text hides it. */
  readonly url: string;
  /** True when the link stands behind a spoiler; its files are then hidden in the same way. */
  readonly spoiler: boolean;
  /** True when the link stands in a quote or in a forwarded message. */
  readonly quoted?: boolean;
}

/** A message, whether or not it will be answered. */
export interface TextMessage {
  readonly caller: Caller;
  readonly text: string;
  /** True when the message is addressed to Medley, so that silence would be odd. By default only in private chats. */
  readonly direct?: boolean;
  /**
   * The whole message, given where `text` leaves it out because the message was written to everyone: only a short form and the options
   * beside links are read from it.
   */
  readonly line?: string;
  /** Used in place of the links in `text` when given. Addresses that are no posts are skipped. */
  readonly links?: readonly PastedLink[];
}

/** True for links that were merely pasted in a group. */
export function isUnasked(body: RequestBody): boolean {
  return body.kind === 'links' && body.unasked === true;
}

/** How many parts a request has: each link is a part, any other request is a single one. */
export function partsOf(body: RequestBody): number {
  return body.kind === 'links' ? body.what.length : 1;
}

/** Everything in a request except its body. */
const Envelope = z.object({
  /** `PLATFORM:EVENT`, with the event's own id, so that a repeated event is recognised. It identifies no person. */
  id: z.string(),
  platform: z.string(),
  chat: z.object({
    id: z.string(),
    kind: z.enum(['private', 'group']),
    /** The group whose settings several chats share: a Discord guild. */
    groupId: z.string().optional(),
    /** The channel that a thread belongs to. */
    parentId: z.string().optional(),
    /** True when the platform shows the chat to adults alone. */
    isAgeRestricted: z.boolean().optional(),
  }),
  user: z.object({
    id: z.string(),
    /** The key by which the person's rate limit is counted. */
    rateKey: z.string(),
    /** The languages that the person prefers according to the platform, best first. */
    locales: z.array(z.string()),
    /** Absent where finding out costs a request; then the platform is asked when it matters. */
    isChatAdmin: z.boolean().optional(),
  }),
  /** When the request was accepted, unix milliseconds. */
  at: z.number(),
  /** Unix milliseconds after which an answer can no longer arrive, because an interaction's token expires. */
  until: z.number().optional(),
  /** The address of the answer, in the platform's own form. */
  replyTo: z.unknown(),
});

/** A request of a person: its body, the place and the person. It can be stored, and any process can run it. */
export const Request = Envelope.and(RequestBody);
export type Request = z.output<typeof Request>;

/** The key of a person to whom queue entries belong. */
export function ownerKey(platform: string, userId: string): string {
  return `${platform}:${userId}`;
}

/** The key of the request's chat, for its settings and for its turns in the queue. */
export function chatKeyOf({ platform, chat: { id: chatId, groupId } }: Request): string {
  return chatKey({ platform, chatId, ...(groupId !== undefined && { groupId }) });
}

/** The person who asked, as commands see them. `more`: details that only the platform knows. */
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

/** The person who asked, and where. Ids are the platform's own, as text. */
export interface Caller {
  readonly platform: string;
  readonly userId: string;
  readonly chatId: string;
  readonly chatKind: 'private' | 'group';
  /** The group of chats that share their settings, such as a Discord guild. By default each chat has its own. */
  readonly groupId?: string;
  /** True when the platform shows the chat to adults alone. */
  readonly isAgeRestricted?: boolean;
  /** The channel that a thread belongs to. */
  readonly parentChatId?: string;
  /** The person's roles in the group, where the platform has roles. */
  readonly roleIds?: readonly string[];
  /**
   * True when the caller may change this chat's settings. Where finding out costs a request it is a function, called only when it
   * matters.
   */
  readonly isChatAdmin: boolean | (() => Promise<boolean>);
  /** True when the embed of a message can be hidden on this platform. */
  readonly hidesEmbeds?: boolean;
  /** True when Medley can delete other people's messages on this platform, so that an answer can replace the message with its link. */
  readonly deletesLinks?: boolean;
  /** True when links in quotes and forwarded messages are answered unless the chat chose otherwise. */
  readonly answersQuotes?: boolean;
  /** True when a reply for the caller alone is not seen by others in a group. By default they see it. */
  readonly answersAlone?: boolean;
  /** The address that adds Medley to one of the person's groups, where the platform has one. */
  readonly inviteUrl?: () => Promise<string>;
  /** Finds out what Medley may do in this chat; called only when that is shown. */
  readonly diagnose?: () => readonly PermissionCheck[] | Promise<readonly PermissionCheck[]>;
  /** The key by which the person's rate limit is counted. */
  readonly rateKey: string;
  /** A key that people beside them share, with a far higher limit: in the web chat the network address. */
  readonly sharedRateKey?: string;
  /** The languages that the person prefers according to the platform, best first; their settings come first. */
  readonly locales: readonly string[];
}

/** The parts of a caller that are keys of stored data. */
export type CallerPlace = Pick<Caller, 'platform' | 'userId' | 'chatId' | 'chatKind' | 'groupId'>;

/** The key of everything stored about a person: settings, buttons, data. */
export function callerKey({ platform, userId }: Pick<Caller, 'platform' | 'userId'>): string {
  return `${platform}:${userId}`;
}

/** The key of everything stored about a chat, or about the group of chats that share settings. */
export function chatKey({ platform, groupId, chatId }: Pick<Caller, 'platform' | 'groupId' | 'chatId'>): string {
  return `${platform}:${groupId ?? chatId}`;
}

/** Tells whether Medley may do one thing in a chat. Each language has a name for the thing and says how to allow it. */
export interface PermissionCheck {
  readonly key: PermissionCheckKey;
  readonly ok: boolean;
}

export type PermissionCheckKey =
  /** Write here, which on Discord takes seeing the channel too. */
  | 'sendMessages'
  /** Send photos and videos. */
  | 'attachFiles'
  /** Answer a message as a reply: Discord's Read Message History. */
  | 'readHistory'
  /** Hide the embed of the message that was answered: Discord's Manage Messages. */
  | 'manageMessages'
  /** Delete messages of others: Telegram's right of an admin. */
  | 'deleteMessages'
  /** See what is pasted: Discord's privileged intent. */
  | 'messageContent'
  /** See what is pasted: ok when Telegram's privacy mode is off, or Medley is an admin of the group. */
  | 'privacyMode'
  /** Answer visibly to everyone although only one person installed Medley: Discord's Use External Apps. */
  | 'useExternalApps';

/** Answers requests; the runtime calls it without knowing what requests mean. */
export interface RequestHandler {
  /**
   * Starts to answer; parts that this batch does not answer are left for the next one. A failure becomes a reply too, except when the
   * store is away.
   * @throws StoreAway, as the replies may too: the request must then be tried again
   */
  answer(body: RequestBody, context: AttemptContext): Promise<ReplyBatch>;
  /** @throws StoreAway */
  preferences(caller: Caller): Promise<Preferences>;
  /** The caller's language: their setting, else the chat's, else the one that the platform reports. Never rejects. */
  translator(caller: Caller): Promise<Translator>;
  /** The settings of the caller's chat; where they cannot be read the defaults, except that nothing is hidden. Never rejects. */
  chatSettings(caller: Caller): Promise<ChatSettings>;
}

/** The language of a person, and the settings of the chat they are in. */
export interface Preferences {
  readonly t: Translator;
  readonly settings: ChatSettings;
}

/** How far the answer to a request has come. */
export interface Position {
  /** The first part to answer; each link is a part, any other request is a single one. */
  readonly from: number;
  /** The parts before this one are already charged to the person's rate limit. */
  readonly paid: number;
}

export type ProgressStage = 'resolving' | 'fetching' | 'preparing';

export interface AttemptContext extends Position {
  readonly caller: Caller;
  /** The caller's own and their chat's, where they were read already. */
  readonly preferences?: Preferences;
  /** Aborts when the replies are no longer wanted. */
  readonly signal: AbortSignal;
  /** Called only when there is something to wait for. */
  progress(stage: ProgressStage): void;
}

export interface PendingReply {
  /** Rejects only with StoreAway; undefined means that the reply is no longer wanted. */
  readonly reply: Promise<Reply | undefined>;
  /** The part that follows this reply's. */
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
  /** The rate limit for which the links wait; undefined when they just belong to the next batch. */
  readonly refusal: AppError | undefined;
}

/** A batch of one reply, which answers the whole request. */
export function onlyReply(reply: Promise<Reply | undefined>, parts = 1): ReplyBatch {
  return { replies: [{ reply, next: parts }], next: parts, paid: parts, remaining: undefined };
}
