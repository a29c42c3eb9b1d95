import * as z from 'zod';
import { RULESETS } from '../../beatmaps/model/beatmapset.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';
import { sourceIdSchema } from '../../media/post.ts';
import { PREFIXES } from './short-forms.ts';

/** How a post is shown: as text and files, as files alone, or as text alone. */
export const VIEWS = ['card', 'media', 'text'] as const;
export type View = (typeof VIEWS)[number];

/**
 * The channels that show posts which their site marks as sensitive: age-restricted ones, all (`spoiler`), or none. Such
 * posts are always in a spoiler.
 */
export const SENSITIVE = ['restricted', 'spoiler', 'never'] as const;

/** A source that people may switch on or off. */
export type Site = Pick<SourceDescriptor, 'id' | 'name' | 'onInGroups'>;

/** The person's osu! player. A player that another version stored in an unknown shape is read as null. */
const LinkedPlayer = z.object({
  id: z.number().int().positive(),
  name: z.string(),
  /** The ruleset to show when the person names none; null for the one that the player plays most. */
  mode: z.enum(RULESETS).nullable().catch(null),
  /** True when the person signed in at osu! as that player; false when they only named the player. */
  proven: z.boolean().catch(false),
});
export type LinkedPlayer = Readonly<z.output<typeof LinkedPlayer>>;

export const UserSettings = z.object({
  /** The language of Medley's texts, as a BCP 47 tag; null to choose it automatically. */
  language: z.string().nullable(),
  player: LinkedPlayer.nullable().catch(null),
  /** How posts are shown in private chats with the person; null for the default. */
  view: z.enum(VIEWS).nullable().catch(null),
});
export type UserSettings = Readonly<z.output<typeof UserSettings>>;

/** How many seconds admins may let notices stay in their group; 0 means for ever. */
export const NOTICE_SECONDS = { min: 0, max: 3_600 } as const;
/** The least and most files of a post that a group's admins may choose to show. */
export const ALBUM_CAP = { min: 1, max: 20 } as const;
/** The most entries of each list of channels. */
export const MAX_CHANNEL_RULES = 100;
/** The most roles in the list of roles whose people's links are not answered. */
export const MAX_OFF_ROLES = 100;
/** The most words in the list of words beside which links are not answered, and the most characters of each word. */
export const OFF_WORD = { most: 50, maxLength: 50 } as const;

const idsUpTo = (most: number) => z.array(z.string().max(64)).max(most).readonly().catch([]);

/** The choices of a group's admins. A setting that is missing or has an unknown shape gets its default. */
export const ChatSettings = z.object({
  /** True when pasted links are answered; null for the default, which is yes. */
  autoDetect: z.boolean().nullable().catch(null),
  /** True when pasted osu! links are answered. */
  osuLinks: z.boolean().catch(false),
  /** Ids of channels in which pasted links are not answered. */
  offChannels: idsUpTo(MAX_CHANNEL_RULES),
  /** Ids of the only channels in which pasted links are answered; empty for all channels. */
  onlyChannels: idsUpTo(MAX_CHANNEL_RULES),
  /** True when links in quotes and forwarded messages are answered too; null for the platform's default. */
  quotedLinks: z.boolean().nullable().catch(null),
  view: z.enum(VIEWS).catch('card'),
  /** The channels in which sensitive posts are shown; private chats always show them. */
  sensitive: z.enum(SENSITIVE).catch('restricted'),
  /** The most files that are shown of one post; null for no limit. */
  albumCap: z.int().min(ALBUM_CAP.min).max(ALBUM_CAP.max).nullable().catch(null),
  /** Ids of roles: pasted links of people who have one are not answered. */
  offRoles: idsUpTo(MAX_OFF_ROLES),
  /** Words in lower case: a pasted link in a message with one of them is not answered. */
  offWords: z.array(z.string().max(OFF_WORD.maxLength)).max(OFF_WORD.most).readonly().catch([]),
  /** True when answers are sent without a notification; null for the default, which is yes. */
  silent: z.boolean().nullable().catch(null),
  /** True when there is no notice about a pasted link that cannot be answered. */
  quietErrors: z.boolean().catch(false),
  /** After how many seconds a notice about a pasted link is deleted; 0: never. */
  noticeSeconds: z.int().min(NOTICE_SECONDS.min).max(NOTICE_SECONDS.max).catch(30),
  /** True when a message of only links is deleted after all are answered, if Medley may do so. */
  deleteSource: z.boolean().catch(false),
  /** True when the preview (embed) of a message is hidden after its link is answered, if Medley may do so. */
  suppressEmbeds: z.boolean().catch(true),
  /** True when replies contain the caption of a post. */
  captions: z.boolean().catch(true),
  /** The language for people who chose none, as a BCP 47 tag; null for that of the platform. */
  language: z.string().nullable().catch(null),
  /** The prefix of short commands (`!rs`); null if they are off. */
  prefix: z.enum(PREFIXES).nullable().catch(null),
  /**
   * By site id, true when the site's pasted links are answered; a missing site has its default. A choice for a source
   * that this version does not know is kept, since another version may know it.
   */
  sources: z.record(sourceIdSchema, z.boolean()).readonly().catch({}),
});
export type ChatSettings = Readonly<z.output<typeof ChatSettings>>;

export const CHAT_DEFAULTS: ChatSettings = ChatSettings.parse({});

/**
 * Durable settings of people, by `callerKey`, and chats, by `chatKey`; without own choices they have the defaults. They
 * are held in memory, so that a message costs no query. While the store cannot be read, the last settings are used.
 * @throws AppError `internal` from every method when the store cannot be written, or read for the first time
 */
export interface SettingsStore {
  user(key: string): Promise<UserSettings>;
  setUser(key: string, change: Partial<UserSettings>): Promise<void>;
  /** The people who signed in at osu! as that player, most recent first, except for people of the web chat. */
  provenUsers(playerId: number): Promise<readonly string[]>;
  forgetUser(key: string): Promise<void>;
  chat(key: string): Promise<ChatSettings>;
  setChat(key: string, change: Partial<ChatSettings>): Promise<void>;
  forgetChat(key: string): Promise<void>;
  /** Moves a chat's settings to its new id; settings that exist under the new id stay. */
  moveChat(from: string, to: string): Promise<void>;
  /** Notes when Medley left the chat (unix milliseconds; null: it is back). Settings are deleted 30 days later. */
  markChatLeft(key: string, at: number | null): Promise<void>;
}
