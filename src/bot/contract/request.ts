import * as z from 'zod';
import { type Caller, chatKey } from './caller.ts';
import { VIEWS } from './settings.ts';

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
