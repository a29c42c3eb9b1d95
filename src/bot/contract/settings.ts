import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { SourceId } from '../../media/post.ts';
import type { Prefix } from './short-forms.ts';

/** How a post is shown: its words and files, its files alone, or its words alone. */
export const VIEWS = ['card', 'media', 'text'] as const;
export type View = (typeof VIEWS)[number];

/** Where posts that their site marks as sensitive are shown, always behind a spoiler: in age-restricted channels, in all, or in none. */
export const SENSITIVE = ['restricted', 'spoiler', 'never'] as const;

export interface UserSettings {
  /** BCP 47 tag of a language Medley speaks, or null for automatic. */
  readonly language: string | null;
  /** The person's osu! player, and the ruleset they want to see when they name none. */
  readonly player: LinkedPlayer | null;
  /** How posts are shown where they are alone with Medley; null for the usual way. */
  readonly view: View | null;
}

export interface LinkedPlayer {
  readonly id: number;
  readonly name: string;
  /** Null for what that player plays most. */
  readonly mode: Ruleset | null;
  /** The person signed in at osu! as that player; else they only said so. */
  readonly proven: boolean;
}

/** The choices of a group's admins. */
export interface ChatSettings {
  /** Pasted links are answered unasked; null for what is usual in such a chat, which is yes. */
  readonly autoDetect: boolean | null;
  /** Pasted links of osu! are answered unasked. */
  readonly osuLinks: boolean;
  /** Channels whose pasted links are left alone, by their ids. */
  readonly offChannels: readonly string[];
  /** Pasted links are answered in these channels alone, where there are any. */
  readonly onlyChannels: readonly string[];
  /** Links in quotes and in forwarded messages are answered too; null for what is usual on the platform. */
  readonly quotedLinks: boolean | null;
  readonly view: View;
  /** Private chats show them whatever is set. */
  readonly sensitive: (typeof SENSITIVE)[number];
  /** Files of one post that are shown at most; null for all. */
  readonly albumCap: number | null;
  /** Roles of people whose pasted links are left alone, by their ids. */
  readonly offRoles: readonly string[];
  /** A pasted link is left alone where one of these stands beside it; lower case. */
  readonly offWords: readonly string[];
  /** Answers come without a notification; null for what is usual in such a chat, which is yes. */
  readonly silent: boolean | null;
  /** Nothing is said when a pasted link cannot be answered. */
  readonly quietErrors: boolean;
  /** Seconds after which a notice about a pasted link is deleted; 0: it stays. */
  readonly noticeSeconds: number;
  /** A message of nothing but links is deleted once all of them are answered, where Medley may do so. */
  readonly deleteSource: boolean;
  /** The embed of a message is hidden once its link is answered, where Medley may do so. */
  readonly suppressEmbeds: boolean;
  /** Replies quote what was written under a post. */
  readonly captions: boolean;
  /** BCP 47 tag, for those who chose none themselves; null for what the platform says. */
  readonly language: string | null;
  /** Short forms of commands begin with this; null where there are none. */
  readonly prefix: Prefix | null;
  /** The sites whose pasted links are answered, or left alone; each goes by its own default where nothing was chosen. */
  readonly sources: Readonly<Record<SourceId, boolean>>;
}

/**
 * Durable settings, of people by `callerKey` and of chats by `chatKey`; who set nothing has defaults. They are held in memory, so that a
 * message costs no query. While the store cannot be read, what was read last counts.
 *
 * @throws AppError `internal` from every method when the store cannot be read (and was not before) or written
 */
export interface SettingsStore {
  user(key: string): Promise<UserSettings>;
  setUser(key: string, change: Partial<UserSettings>): Promise<void>;
  /** People, but those of the web chat, who signed in at osu! as that player, the last one first. */
  provenUsers(playerId: number): Promise<readonly string[]>;
  /** Deletes the settings of that person. */
  forgetUser(key: string): Promise<void>;
  chat(key: string): Promise<ChatSettings>;
  setChat(key: string, change: Partial<ChatSettings>): Promise<void>;
  forgetChat(key: string): Promise<void>;
  /** The chat has a new id. What was set under the new one already stays. */
  moveChat(from: string, to: string): Promise<void>;
  /** Medley was removed from the chat at that moment (unix milliseconds), or is back (null). After 30 days away its settings are deleted. */
  markChatLeft(key: string, at: number | null): Promise<void>;
}
