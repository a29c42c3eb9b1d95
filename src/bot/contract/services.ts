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
import type { SettingsStore, Site } from './settings.ts';

/** The services that the core gives to every command. */
export interface Services {
  readonly extractor: Extractor;
  /** The sites whose posts are shown. */
  readonly sites: readonly Site[];
  readonly beatmaps: Beatmaps;
  readonly recommend: Recommend;
  /** Records which maps were recommended to whom. */
  readonly recommendationHistory: Pick<RecommendationHistory, 'forgetUser'>;
  /** Stars and pp of difficulties with given mods and figures. */
  readonly ratings: Ratings;
  /** Draws image cards; without it replies have none. */
  readonly painter?: SvgRasterizer;
  /** Covers and avatars for image cards. */
  readonly artwork?: Artwork;
  readonly settings: SettingsStore;
  readonly optOuts: OptOuts;
  /** Lets people prove at osu! which player they are; absent where this Medley has no public address, or no osu! key. */
  readonly accountLinks?: SignInOffers;
  /** Translates what people wrote; absent where the operator has configured no endpoint for it. */
  readonly translation?: Pick<TextTranslation, 'isForeign' | 'translate'>;
  readonly memory: ChatMemory;
  readonly actions: ButtonTokens;
  /** Requests that are not answered yet, and the stored views of messages with buttons. */
  readonly requests: { forgetUser(platform: string, userId: string): Promise<void> };
  /** True when a clip can begin at any frame of a video. By default it begins only at a key frame. */
  readonly cutsExactly?: boolean;
  /** Medley's version, as people read it. */
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
 * Button tokens: at most 64 bytes, valid after a restart. Arguments that fit are part of the token, others are stored under a key for a
 * week. Tokens carry an HMAC; one bound to an owner is refused from anyone else.
 */
export interface ButtonTokens {
  /** Starts to store arguments that do not fit into the token; `stored` waits for that. */
  encode(payload: ButtonPayload): string;
  /**
   * Resolves when the arguments of every token made so far are stored, or cannot be. To be awaited before a reply with these tokens is
   * sent.
   */
  stored(): Promise<void>;
  /**
   * @throws AppError `invalid_request` when the token is forged or expired, `forbidden` when another person than its owner pressed the
   * button, `internal`
   */
  decode(token: string, presser: string): Promise<ButtonPayload>;
  /**
   * Like `decode`, for any person who presses the button.
   * @throws AppError `invalid_request`, `internal`
   */
  decodeForAnyone(token: string): Promise<Pick<ButtonPayload, 'command' | 'values'>>;
  /**
   * Deletes the arguments stored for that person's buttons, which then no longer work.
   * @throws AppError `internal`
   */
  forget(owner: string): Promise<void>;
}

/**
 * Records the people (by `callerKey`) whose pasted links must not be answered. Only a keyed hash is stored, so that no record names a
 * person, and it is kept after `/forget me`. The records are held in memory, so that a pasted link costs no query.
 *
 * @throws AppError `internal` from every method when the store cannot be read (and was not before) or written
 */
export interface OptOuts {
  has(person: string): Promise<boolean>;
  set(person: string, isOut: boolean): Promise<void>;
}

/** Lets people prove at osu! itself which player they are. */
export interface SignInOffers {
  /**
   * The address of our sign-in page for that person; earlier offers to them become invalid.
   * @param user by `callerKey`
   */
  offer(user: string, mode: Ruleset | null): Promise<string>;
  /** Makes all open offers to that person invalid. */
  forgetUser(user: string): Promise<void>;
}

/** Turns SVG into PNG. */
export interface SvgRasterizer {
  /**
   * The image costs nothing until it is drawn. Equal SVGs become one image, which is kept for a while.
   * @param render a whole document of that size, with no address in it
   */
  picture(name: string, render: (theme: CardTheme) => string, size: Size): Picture;
}
