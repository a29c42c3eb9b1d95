import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { SourceDescriptor } from '../../media/extract/source-descriptor.ts';
import type { SourceId } from '../../media/post.ts';
import type { Prefix } from './short-forms.ts';

/** How a post is shown: as text and files, as files alone, or as text alone. */
export const VIEWS = ['card', 'media', 'text'] as const;
export type View = (typeof VIEWS)[number];

/**
 * Where posts are shown that their site marks as sensitive, always in a spoiler: in age-restricted
 * channels, in all channels, or nowhere.
 */
export const SENSITIVE = ['restricted', 'spoiler', 'never'] as const;

/** A source that people may switch on or off. */
export type Site = Pick<SourceDescriptor, 'id' | 'name' | 'onInGroups'>;

export interface UserSettings {
  /** The language of Medley's texts, as a BCP 47 tag; null to choose it automatically. */
  readonly language: string | null;
  /** The person's osu! player, and the ruleset to show when they name none. */
  readonly player: LinkedPlayer | null;
  /** How posts are shown in private chats with the person; null for the default. */
  readonly view: View | null;
}

export interface LinkedPlayer {
  readonly id: number;
  readonly name: string;
  /** The ruleset; null for the one that the player plays most. */
  readonly mode: Ruleset | null;
  /** True when the person signed in at osu! as that player; false when they only named the player. */
  readonly proven: boolean;
}

/** The choices of a group's admins. */
export interface ChatSettings {
  /** True when pasted links are answered; null for the default, which is yes. */
  readonly autoDetect: boolean | null;
  /** True when pasted osu! links are answered. */
  readonly osuLinks: boolean;
  /** Ids of channels in which pasted links are not answered. */
  readonly offChannels: readonly string[];
  /** Ids of the only channels in which pasted links are answered; empty for all channels. */
  readonly onlyChannels: readonly string[];
  /** True when links in quotes and forwarded messages are answered too; null for the platform's default. */
  readonly quotedLinks: boolean | null;
  readonly view: View;
  /** Where sensitive posts are shown; private chats always show them. */
  readonly sensitive: (typeof SENSITIVE)[number];
  /** The most files that are shown of one post; null for no limit. */
  readonly albumCap: number | null;
  /** Ids of roles: pasted links of people who have one are not answered. */
  readonly offRoles: readonly string[];
  /** Words in lower case: a pasted link in a message with one of them is not answered. */
  readonly offWords: readonly string[];
  /** True when answers are sent without a notification; null for the default, which is yes. */
  readonly silent: boolean | null;
  /** True when there is no notice about a pasted link that cannot be answered. */
  readonly quietErrors: boolean;
  /** After how many seconds a notice about a pasted link is deleted; 0: never. */
  readonly noticeSeconds: number;
  /** True when a message of only links is deleted after all are answered, if Medley may do so. */
  readonly deleteSource: boolean;
  /** True when the preview (embed) of a message is hidden after its link is answered, if Medley may do so. */
  readonly suppressEmbeds: boolean;
  /** True when replies contain the caption of a post. */
  readonly captions: boolean;
  /** The language for people who chose none, as a BCP 47 tag; null for that of the platform. */
  readonly language: string | null;
  /** The prefix of short commands (`!rs`); null if they are off. */
  readonly prefix: Prefix | null;
  /** Whether pasted links of each site are answered; a site that is missing has its default. */
  readonly sources: Readonly<Record<SourceId, boolean>>;
}

/**
 * Durable settings of people, by `callerKey`, and chats, by `chatKey`; without own choices they have the defaults. They
 * are held in memory, so that a message costs no query. While the store cannot be read, the last settings are used.
 * @throws AppError `internal` from every method when the store cannot be read (and was not before) or written
 */
export interface SettingsStore {
  user(key: string): Promise<UserSettings>;
  setUser(key: string, change: Partial<UserSettings>): Promise<void>;
  /** The people who signed in at osu! as that player, most recent first, except for people of the web chat. */
  provenUsers(playerId: number): Promise<readonly string[]>;
  /** Deletes that person's settings. */
  forgetUser(key: string): Promise<void>;
  chat(key: string): Promise<ChatSettings>;
  setChat(key: string, change: Partial<ChatSettings>): Promise<void>;
  forgetChat(key: string): Promise<void>;
  /** Moves a chat's settings to its new id; settings that exist under the new id stay. */
  moveChat(from: string, to: string): Promise<void>;
  /** Notes when Medley left the chat (unix milliseconds; null: it is back). Settings are deleted 30 days later. */
  markChatLeft(key: string, at: number | null): Promise<void>;
}
