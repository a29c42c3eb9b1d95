import type { Beatmaps } from '../../beatmaps/beatmaps.ts';
import type { Ruleset } from '../../beatmaps/model/beatmapset.ts';
import type { Ratings } from '../../beatmaps/rating/ratings.ts';
import type { Recommend } from '../../beatmaps/recommend/recommend.ts';
import type { RecommendationHistory } from '../../beatmaps/recommend/recommendation-history.ts';
import type { Artwork } from '../../beatmaps/upstreams/osu-artwork.ts';
import type { TextTranslation } from '../../infra/text-translation.ts';
import type { Extractor } from '../../media/extract/extractor.ts';
import type { ChatMemory } from './chat-memory.ts';
import type { SvgRasterizer } from './picture.ts';
import type { SettingsStore, Site } from './settings.ts';

/** The services that every command can use. */
export interface Services {
  readonly extractor: Extractor;
  readonly sites: readonly Site[];
  readonly beatmaps: Beatmaps;
  readonly recommend: Recommend;
  /** Records which maps were recommended to whom. */
  readonly recommendationHistory: Pick<RecommendationHistory, 'forgetUser'>;
  /** Star ratings and pp of difficulties, with given mods and hit results. */
  readonly ratings: Ratings;
  /** Draws image cards; without it replies have none. */
  readonly painter?: SvgRasterizer;
  readonly artwork?: Artwork;
  readonly settings: SettingsStore;
  readonly optOuts: OptOuts;
  /** Lets people prove by signing in at osu! which player they are; absent without a public address or an osu! key. */
  readonly accountLinks?: SignInOffers;
  /** Translates people's texts; absent if the operator configured no endpoint. */
  readonly translation?: Pick<TextTranslation, 'isForeign' | 'translate'>;
  readonly memory: ChatMemory;
  readonly actions: ButtonTokens;
  /** Deletes a person's waiting requests, and the stored earlier views to which buttons lead back. */
  readonly requests: { forgetUser(owner: string): Promise<void> };
  /** True when a clip can begin at any frame of a video; else it can only begin at a key frame. */
  readonly cutsExactly?: boolean;
  /** Medley's version, in the form that people read. */
  readonly version: string;
}

export interface ButtonPayload {
  readonly command: string;
  /** The options' values. Numbers must be finite. */
  readonly values: Readonly<Record<string, string | number | boolean>>;
  /** Set when only this person, `${platform}:${userId}`, may press the button. */
  readonly owner?: string | undefined;
}

/**
 * Button tokens: at most 64 bytes, valid after a restart. Options that do not fit into a token are stored for a week.
 * Tokens carry an HMAC. If a token has an owner, no other person may press its button.
 */
export interface ButtonTokens {
  /** Makes a token. Options that do not fit into the token begin to be stored; `stored` waits until they are. */
  encode(payload: ButtonPayload): string;
  /**
   * Resolves when the options of all tokens made so far are stored, or could not be. To be awaited before a
   * reply with the tokens is sent.
   */
  stored(): Promise<void>;
  /**
   * Opens a token. @throws AppError `invalid_request` when the token is forged or expired, `forbidden` when another
   * person than the owner pressed the button, `internal`
   */
  decode(token: string, presser: string): Promise<ButtonPayload>;
  /** Like `decode`, but anyone may press the button. @throws AppError `invalid_request`, `internal` */
  decodeForAnyone(token: string): Promise<Pick<ButtonPayload, 'command' | 'values'>>;
  /**
   * A keyed hash of the person. The data that their buttons need is stored under it, so that no record names the
   * person.
   */
  tagOf(owner: string): string;
  /**
   * Deletes the stored options of that person's buttons, which then no longer work, and the stored earlier answers to
   * which the buttons in their messages lead back.
   * @throws AppError `internal`
   */
  forget(owner: string): Promise<void>;
}

/**
 * Records people (by `callerKey`) whose pasted links must not be answered. Only a keyed hash is stored, so no record
 * names a person. It stays after `/forget me`, so that the links of people who leave Medley are still ignored. Records
 * are held in memory, so a pasted link costs no query.
 * @throws AppError `internal` from every method when the store cannot be written, or read for the first time
 */
export interface OptOuts {
  has(person: string): Promise<boolean>;
  set(person: string, isOut: boolean): Promise<void>;
}

/** Lets people prove by signing in at osu! which player they are. */
export interface SignInOffers {
  /**
   * The address of Medley's sign-in page for a person; earlier addresses for that person become invalid.
   * @param user by `callerKey`
   */
  offer(user: string, mode: Ruleset | null): Promise<string>;
  /** Makes all sign-in addresses of that person invalid. */
  forgetUser(user: string): Promise<void>;
}
