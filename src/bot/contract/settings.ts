import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';
import type { SourceId } from '../../media/post.ts';
import type { Prefix } from './short-forms.ts';

/** How a post is shown: with its text and files, with its files alone, or with its text alone. */
export const VIEWS = ['card', 'media', 'text'] as const;
export type View = (typeof VIEWS)[number];

/**
 * The chats in which posts that their site marks as sensitive are shown, always behind a spoiler: in age-restricted channels, in all channels, or in
 * none.
 */
export const SENSITIVE = ['restricted', 'spoiler', 'never'] as const;

/** A source as people see it and switch it on or off. */
export type Site = Pick<SourceDescriptor, 'id' | 'name' | 'onInGroups'>;

export interface UserSettings {
  /** BCP 47 tag of a language Medley speaks, or null for automatic. */
  readonly language: string | null;
  /** The person's osu! player, and the ruleset they want to see when they name none. */
  readonly player: LinkedPlayer | null;
  /** How posts are shown in the person's private chats; null for the default. */
  readonly view: View | null;
}

export interface LinkedPlayer {
  readonly id: number;
  readonly name: string;
  /** Null for the ruleset that the player plays most. */
  readonly mode: Ruleset | null;
  /** True when the person signed in at osu! as that player; false when they only said so. */
  readonly proven: boolean;
}

/** The choices of a group's admins. */
export interface ChatSettings {
  /** True when pasted links are answered; null for the default of such a chat, which is yes. */
  readonly autoDetect: boolean | null;
  /** True when pasted osu! links are answered. */
  readonly osuLinks: boolean;
  /** Ids of the channels whose pasted links are not answered. */
  readonly offChannels: readonly string[];
  /** Ids of the only channels whose pasted links are answered; empty for all channels. */
  readonly onlyChannels: readonly string[];
  /** True when links in quotes and in forwarded messages are answered too; null for the platform's default. */
  readonly quotedLinks: boolean | null;
  readonly view: View;
  /** The chats in which sensitive posts are shown; private chats show them whatever is set. */
  readonly sensitive: (typeof SENSITIVE)[number];
  /** The most files that are shown of one post; null for all. */
  readonly albumCap: number | null;
  /** Ids of the roles of people whose pasted links are not answered. */
  readonly offRoles: readonly string[];
  /** Words in lower case: a pasted link beside one of them is not answered. */
  readonly offWords: readonly string[];
  /** True when answers come without a notification; null for the default of such a chat, which is yes. */
  readonly silent: boolean | null;
  /** True when Medley says nothing about pasted links that cannot be answered. */
  readonly quietErrors: boolean;
  /** Seconds after which a notice about a pasted link is deleted; with 0 it stays. */
  readonly noticeSeconds: number;
  /** True when a message of nothing but links is deleted once all are answered, where Medley may do so. */
  readonly deleteSource: boolean;
  /** True when the embed of a message is hidden once its link is answered, where Medley may do so. */
  readonly suppressEmbeds: boolean;
  /** True when replies include the caption of a post. */
  readonly captions: boolean;
  /** BCP 47 tag, for people who chose none themselves; null for the language that the platform reports. */
  readonly language: string | null;
  /** The prefix of short forms of commands; null where there are none. */
  readonly prefix: Prefix | null;
  /** For each site, whether its pasted links are answered; a site without a choice has its own default. */
  readonly sources: Readonly<Record<SourceId, boolean>>;
}

/**
 * Durable settings, of people by `callerKey` and of chats by `chatKey`; a person or chat that set nothing has the defaults. They are held
 * in memory, so that a message costs no query. While the store cannot be read, the settings that were read last count.
 *
 * @throws AppError `internal` from every method when the store cannot be read (and was not before) or written
 */
export interface SettingsStore {
  user(key: string): Promise<UserSettings>;
  setUser(key: string, change: Partial<UserSettings>): Promise<void>;
  /** The people who signed in at osu! as that player, the last one first; people of the web chat are not among them. */
  provenUsers(playerId: number): Promise<readonly string[]>;
  /** Deletes the settings of that person. */
  forgetUser(key: string): Promise<void>;
  chat(key: string): Promise<ChatSettings>;
  setChat(key: string, change: Partial<ChatSettings>): Promise<void>;
  forgetChat(key: string): Promise<void>;
  /** The chat has got a new id. Settings that exist under the new id stay. */
  moveChat(from: string, to: string): Promise<void>;
  /** Medley was removed from the chat at that moment (unix milliseconds), or is back (null). After 30 days away its settings are deleted. */
  markChatLeft(key: string, at: number | null): Promise<void>;
}
