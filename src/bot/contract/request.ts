import * as z from 'zod';
import type { AppError } from '../../errors.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Reply } from './reply.ts';
import { type ChatSettings, VIEWS } from './settings.ts';

/** `isEphemeral`: what it opens is shown to the person who pressed it alone, so the button need not be theirs. */
const PressedButton = z
  .object({
    token: z.string(),
    isEphemeral: z.boolean().optional(),
    /** The name that 0.2.0 stored it by. */
    isAside: z.boolean().optional(),
  })
  .transform(({ token, isAside, isEphemeral = isAside }) => ({
    token,
    ...(isEphemeral !== undefined && { isEphemeral }),
  }));

/**
 * The part of a request that says what the person asks for, as it is stored until it is answered: links, a command with its options, a button. No message's text is
 * in it beyond that.
 */
export const RequestBody = z.discriminatedUnion('kind', [
  /** Links, in order; canonical, but for one that leads nowhere known. */
  z.object({
    kind: z.literal('links'),
    what: z.array(
      z.object({
        url: z.string(),
        spoiler: z.boolean(),
        view: z.enum(VIEWS).optional().catch(undefined),
        clip: z.string().max(32).optional().catch(undefined),
        /** How an osu! map is wanted, by what stood beside its link: `mods`, `accuracy`. */
        options: z.record(z.string(), z.string()).optional().catch(undefined),
      }),
    ),
    /** True when they were merely pasted where many talk, and not said to Medley. */
    unasked: z.boolean().optional(),
  }),
  /** A command whose options are known one by one; they are checked when it runs. */
  z.object({
    kind: z.literal('command'),
    what: z.object({ name: z.string(), options: z.record(z.string(), z.unknown()) }),
  }),
  /** A command as it was typed: its name, known or not, and what stood behind it. */
  z.object({ kind: z.literal('line'), what: z.object({ name: z.string(), args: z.string() }) }),
  z.object({ kind: z.literal('button'), what: PressedButton }),
  /** Words to Medley that ask for nothing. */
  z.object({ kind: z.literal('talk'), what: z.null() }),
]);
export type RequestBody = z.output<typeof RequestBody>;
export type LinksBody = Extract<RequestBody, { kind: 'links' }>;

/** A link that a platform found in a message by its own rules of markup. */
export interface PastedLink {
  /** The address as it was written, or its target where the text hides it. */
  readonly url: string;
  /** True where only people who want to see it look; its files are then hidden in the same way. */
  readonly spoiler: boolean;
  /** True in a quote or in a forwarded message. */
  readonly quoted?: boolean;
}

/** A message, whether or not it will be answered. */
export interface TextMessage {
  readonly caller: Caller;
  readonly text: string;
  /** True when it was said to Medley itself, so that silence would be odd. By default in private chats only. */
  readonly direct?: boolean;
  /**
   * The whole of what was written, where `text` leaves it out because it was said to everyone: only a short form is read in it, and how links
   * are wanted.
   */
  readonly line?: string;
  /** Taken instead of the links found in `text`, where given. Addresses of no post are passed over. */
  readonly links?: readonly PastedLink[];
}

/** True for links that were merely pasted where many talk. */
export function isUnasked(body: RequestBody): boolean {
  return body.kind === 'links' && body.unasked === true;
}

/** How many parts a request has: links are answered one by one, all else at once. */
export function partsOf(body: RequestBody): number {
  return body.kind === 'links' ? body.what.length : 1;
}

/** All that a request knows beside its body. */
const Envelope = z.object({
  /** `PLATFORM:EVENT`: the event's own id, so that a replay is recognised. Names no person. */
  id: z.string(),
  platform: z.string(),
  chat: z.object({
    id: z.string(),
    kind: z.enum(['private', 'group']),
    /** The group whose settings several chats share: a Discord guild. */
    groupId: z.string().optional(),
    /** The channel that a thread belongs to. */
    parentId: z.string().optional(),
    /** The platform shows it to adults alone. */
    isAgeRestricted: z.boolean().optional(),
  }),
  user: z.object({
    id: z.string(),
    /** The key their limit is counted by. */
    rateKey: z.string(),
    /** Languages they prefer by what the platform says, best first. */
    locales: z.array(z.string()),
    /** Absent where finding out costs a request; the platform is asked when it matters. */
    isChatAdmin: z.boolean().optional(),
  }),
  /** When it was accepted, unix milliseconds. */
  at: z.number(),
  /** Unix milliseconds; an answer cannot arrive any more after it: an interaction's token. */
  until: z.number().optional(),
  /** The address of the answer, in the platform's own form. */
  replyTo: z.unknown(),
});

/** A request of a person: its body, where it was made and by whom. It can be stored, and run by any process. */
export const Request = Envelope.and(RequestBody);
export type Request = z.output<typeof Request>;

/** The key of the person to whom entries of the queue belong. */
export function ownerKey(platform: string, userId: string): string {
  return `${platform}:${userId}`;
}

/** The key on which the settings of the request's chat, and its turns in the queue, hang. */
export function chatKeyOf({ platform, chat: { id: chatId, groupId } }: Request): string {
  return chatKey({ platform, chatId, ...(groupId !== undefined && { groupId }) });
}

/** The person who asked, as commands see them. `more`: what only the platform can tell. */
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
  /** The chat's settings hang on this when several chats share them: a Discord guild. By default they hang on the chat itself. */
  readonly groupId?: string;
  /** The platform shows the chat to adults alone. */
  readonly isAgeRestricted?: boolean;
  /** The channel that a thread belongs to. */
  readonly parentChatId?: string;
  /** Their roles in the group, where the platform has such. */
  readonly roleIds?: readonly string[];
  /** The caller may change this chat's settings. It is a function, called only when it matters, where finding out costs a request. */
  readonly isChatAdmin: boolean | (() => Promise<boolean>);
  /** The embed of a message can be hidden on this platform. */
  readonly hidesEmbeds?: boolean;
  /** A message of someone else can be deleted on this platform, so that an answer takes the place of its link. */
  readonly deletesLinks?: boolean;
  /** Links in quotes and forwarded messages are answered where the chat chose nothing. */
  readonly answersQuotes?: boolean;
  /** Others in a group do not see a reply that is for the caller. By default they do. */
  readonly answersAlone?: boolean;
  /** The address that adds Medley to a group of theirs, where the platform has one. */
  readonly inviteUrl?: () => Promise<string>;
  /** Finds out what Medley may do in this chat; called only when that is shown. */
  readonly diagnose?: () => readonly PermissionCheck[] | Promise<readonly PermissionCheck[]>;
  /** Their rate limit is counted by this key. */
  readonly rateKey: string;
  /** A key that they share with people beside them, with a far higher limit: in the web chat their network address. */
  readonly sharedRateKey?: string;
  /** Languages they prefer by what the platform says, best first; settings come before them. */
  readonly locales: readonly string[];
}

/** The parts of a caller that stored data hang on. */
export type CallerPlace = Pick<Caller, 'platform' | 'userId' | 'chatId' | 'chatKind' | 'groupId'>;

/** The key that everything about a person hangs on: settings, buttons, data. */
export function callerKey({ platform, userId }: Pick<Caller, 'platform' | 'userId'>): string {
  return `${platform}:${userId}`;
}

/** The key that everything about a chat hangs on, or about the group of chats that share their settings. */
export function chatKey({ platform, groupId, chatId }: Pick<Caller, 'platform' | 'groupId' | 'chatId'>): string {
  return `${platform}:${groupId ?? chatId}`;
}

/** Says whether Medley may do one thing in a chat. The languages name each thing, and how to allow it. */
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
  /** Answer where everyone sees it although a person alone installed Medley: Discord's Use External Apps. */
  | 'useExternalApps';

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

export type ProgressStage = 'resolving' | 'fetching' | 'preparing';

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
