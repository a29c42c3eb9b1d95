import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { CallerPlace } from './request.ts';

/** Data about chats, apart from their settings. */
export interface ChatMemory {
  readonly maps: ShownMaps;
  readonly members: ChatMembers;
  readonly tracked: TrackedPlayers;
  /**
   * Deletes what is kept about the person with that `callerKey`.
   * @throws AppError `internal`
   */
  forgetUser(key: string): Promise<void>;
  /**
   * Medley was removed from the chat with that `chatKey`.
   * @throws AppError `internal`
   */
  leaveChat(key: string): Promise<void>;
  /**
   * The chat has got a new id.
   * @throws AppError `internal`
   */
  moveChat(from: string, to: string): Promise<void>;
}

/** A difficulty, and the ruleset in which it was shown. */
export interface ShownMap {
  readonly id: number;
  readonly ruleset: Ruleset;
}

/**
 * The difficulty that each chat saw last, so that people need not name it again. That of a private chat belongs to the person.
 *
 * Only `forgetUser` rejects, since a reply can do without this memory.
 */
export interface ShownMaps {
  last(place: CallerPlace): Promise<ShownMap | undefined>;
  remember(place: CallerPlace, map: ShownMap): Promise<void>;
  /**
   * Forgets the difficulties of the person's private chats.
   * @throws AppError `internal`
   */
  forgetUser(key: string): Promise<void>;
}

/**
 * Records who used an osu! command in which group while they had a player linked, for lists of a group's members. People are given by
 * `callerKey`, groups by `chatKey`; a person who did not come back for 90 days is left out.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface ChatMembers {
  note(chat: string, user: string): Promise<void>;
  has(chat: string, user: string): Promise<boolean>;
  /** The people of the group, the last one to come first. */
  list(chat: string): Promise<readonly string[]>;
  /** Forgets the person in every group. */
  forgetUser(user: string): Promise<void>;
  forgetChat(chat: string): Promise<void>;
  moveChat(from: string, to: string): Promise<void>;
}

export interface TrackedPlayer {
  readonly id: number;
  readonly name: string;
  readonly mode: Ruleset;
}

/** A chat that wants news of players. */
export interface TrackingChat {
  readonly platform: string;
  /** The chat in which news are posted. */
  readonly chatId: string;
  /** The group that the chat belongs to: when Medley is removed from the group, nothing is posted any more. */
  readonly group: string;
  readonly players: readonly TrackedPlayer[];
}

/** The best plays of a player in one ruleset, as they were seen last. */
export interface TrackMark {
  readonly polledAt: number;
  /** The best plays at that time. */
  readonly scoreIds: readonly number[];
}

/**
 * Players whose new best plays are posted in chats. Nothing is kept about the people who asked for the news.
 *
 * @throws AppError `internal` from every method when the store cannot be read or written
 */
export interface TrackedPlayers {
  /** Tells whether anything can be posted unasked on that platform. */
  canPost(platform: string): boolean;
  /** Lists the players of that chat. */
  list(place: ChatPlace): Promise<readonly TrackedPlayer[]>;
  /** Tracks the player; false when the chat, or Medley, tracks as many as it may. */
  add(place: ChatPlace, player: TrackedPlayer): Promise<boolean>;
  /** Stops tracking; resolves with true when the player was tracked. */
  remove(place: ChatPlace, player: Pick<TrackedPlayer, 'id' | 'mode'>): Promise<boolean>;
  /** Every chat that wants news. */
  chats(): Promise<readonly TrackingChat[]>;
  mark(player: Pick<TrackedPlayer, 'id' | 'mode'>): Promise<TrackMark | undefined>;
  setMark(player: Pick<TrackedPlayer, 'id' | 'mode'>, mark: TrackMark): Promise<void>;
  /**
   * Medley was removed from the group.
   * @param group by `chatKey`
   */
  leave(group: string): Promise<void>;
  /** Nothing can be posted in that one chat any more. */
  drop(place: Pick<CallerPlace, 'platform' | 'chatId'>): Promise<void>;
  moveChat(from: string, to: string): Promise<void>;
}

export type ChatPlace = Pick<CallerPlace, 'platform' | 'groupId' | 'chatId'>;
