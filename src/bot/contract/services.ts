import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { Ratings } from '../../beatmaps/rating/ratings.ts';
import type { Recommend } from '../../beatmaps/recommend/recommend.ts';
import type { RecommendationHistory } from '../../beatmaps/recommend/recommendation-history.ts';
import type { Artwork } from '../../beatmaps/upstreams/osu-artwork.ts';
import type { TextTranslation } from '../../infra/text-translation.ts';
import type { Extractor } from '../../media/extract/extractor.ts';
import type { ChatMemory } from './chat-memory.ts';
import type { CardTheme, Picture, Size } from './reply.ts';
import type { SettingsStore } from './settings.ts';
import type { Site } from './site-name.ts';

/** The core gives these to every command. */
export interface Services {
  readonly extractor: Extractor;
  /** The sites that are offered. */
  readonly sites: readonly Site[];
  readonly beatmaps: Beatmaps;
  readonly recommend: Recommend;
  /** Remembers what was recommended to whom. */
  readonly recommendationHistory: Pick<RecommendationHistory, 'forgetUser'>;
  /** Stars and pp of difficulties as they are played. */
  readonly ratings: Ratings;
  /** Draws; replies go without image cards where it is absent. */
  readonly painter?: SvgRasterizer;
  /** Covers and avatars for image cards. */
  readonly artwork?: Artwork;
  readonly settings: SettingsStore;
  readonly optOuts: OptOuts;
  /** People prove who they are at osu!; absent where this Medley has no address of its own, or no key of osu!. */
  readonly accountLinks?: SignInOffers;
  /** It translates what people wrote; absent where the host has no endpoint for it. */
  readonly translation?: Pick<TextTranslation, 'isForeign' | 'translate'>;
  readonly memory: ChatMemory;
  readonly actions: ButtonTokens;
  /** Requests that are not answered yet, or have an answer with buttons that lead on. */
  readonly requests: { forgetUser(platform: string, userId: string): Promise<void> };
  /** A part of a video can begin at any of its frames. By default it begins only where the video lets it. */
  readonly cutsExactly?: boolean;
  /** The version of Medley, for people. */
  readonly version: string;
}

export interface ButtonPayload {
  /** The command to run when the button is pressed. */
  readonly command: string;
  /** Numbers must be finite. */
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** `${platform}:${userId}` when only that person may press it. */
  readonly owner?: string | undefined;
}

/**
 * Button tokens: at most 64 bytes, valid after a restart. Arguments ride inside when they fit, else under a key in the store for a
 * week. Tokens carry an HMAC; one bound to an owner is refused from anyone else.
 */
export interface ButtonTokens {
  /** Arguments that do not fit are stored meanwhile: see `stored`. */
  encode(payload: ButtonPayload): string;
  /** Resolves when the arguments of every token made so far are stored, or cannot be: before a reply with them is sent. */
  stored(): Promise<void>;
  /** @throws AppError `invalid_request` when forged or expired, `forbidden` when pressed by another than its owner, `internal` */
  decode(token: string, presser: string): Promise<ButtonPayload>;
  /** The same, for any person who presses it. @throws AppError `invalid_request`, `internal` */
  decodeForAnyone(token: string): Promise<Pick<ButtonPayload, 'command' | 'values'>>;
  /**
   * Deletes what is stored for buttons of that person, which then no longer work.
   * @throws AppError `internal`
   */
  forget(owner: string): Promise<void>;
}

/**
 * Remembers who wants their pasted links left alone: people by `callerKey`. Only a keyed hash is on record, so that no record names a person,
 * and it outlives `/forget me`. It is held in memory, so that a pasted link costs no query.
 *
 * @throws AppError `internal` from every method when the store cannot be read (and was not before) or written
 */
export interface OptOuts {
  has(person: string): Promise<boolean>;
  set(person: string, isOut: boolean): Promise<void>;
}

/** People prove at osu! itself which player they are. */
export interface SignInOffers {
  /**
   * The address of our page for that person; offers that they had before end.
   * @param user by `callerKey`
   */
  offer(user: string, mode: Ruleset | null): Promise<string>;
  /** Ends all offers that are open for that person. */
  forgetUser(user: string): Promise<void>;
}

/** Turns SVG into PNG. */
export interface SvgRasterizer {
  /**
   * Costs nothing until it is drawn. Equal SVGs are one image, kept for a while.
   * @param render a whole document of that size, with no address in it
   */
  picture(name: string, render: (theme: CardTheme) => string, size: Size): Picture;
}
