/**
 * The shape every media source yields. What the upstream did not say is `null`, never 0, '' or false.
 * Sources list all variants; choosing one by a chat's limits is delivery's work.
 */
export type SourceId = 'instagram' | 'facebook';

export type MediaKind = 'video' | 'image' | 'audio';

export interface Author {
  readonly id: string | null;
  readonly username: string | null;
  readonly name: string | null;
  readonly verified: boolean | null;
  readonly avatarUrl: string | null;
}

/** Counts as the upstream gave them; null when it was silent or hides them. */
export interface Stats {
  readonly likes: number | null;
  readonly comments: number | null;
  readonly plays: number | null;
  readonly views: number | null;
  readonly shares: number | null;
  readonly saves: number | null;
  readonly facebookLikes: number | null;
  readonly facebookPlays: number | null;
  readonly authorFollowers: number | null;
  readonly authorPosts: number | null;
}

/** One file of an item. `expiresAt` is unix milliseconds, from the address's own signature (`oe=`). */
export interface Variant {
  readonly url: string;
  readonly mime: string;
  readonly width: number | null;
  readonly height: number | null;
  /** Bits per second. */
  readonly bitrate: number | null;
  readonly bytes: number | null;
  /** RFC 6381 codecs when the upstream names them, e.g. `avc1.64001F`. */
  readonly codecs: string | null;
  /**
   * Whether sound is in this file; null when the upstream did not say. A DASH video representation is `false`: it never
   * plays with sound alone. A progressive file of a silent video is `false` too, and then no variant of the item has sound.
   */
  readonly hasAudio: boolean | null;
  readonly hasVideo: boolean;
  /** True for a DASH representation: one track of what has to be muxed. */
  readonly adaptive: boolean;
  readonly expiresAt: number | null;
}

/** One photo, video or sound of a post. Variants are best first and never empty. */
export interface MediaItem {
  readonly kind: MediaKind;
  /** Pixels of the original, else of the best variant. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly thumbnailUrl: string | null;
  readonly alt: string | null;
  readonly variants: readonly Variant[];
}

export interface Post {
  readonly source: SourceId;
  /** Canonical id: Instagram's shortcode, Facebook's numeric or pfbid id. `${source}:${id}` is the cache key. */
  readonly id: string;
  /** Canonical address, rebuilt from the id. */
  readonly url: string;
  readonly author: Author;
  readonly title: string | null;
  readonly caption: string | null;
  /** With their `#`, in order, without repeats. */
  readonly hashtags: readonly string[];
  /** With their `@`, in order, without repeats. */
  readonly mentions: readonly string[];
  /** Unix milliseconds. */
  readonly publishedAt: number | null;
  readonly stats: Stats;
  readonly items: readonly MediaItem[];
  readonly fetchedAt: number;
  /** Unix milliseconds: the earliest expiry of any address in the post, else null. */
  readonly expiresAt: number | null;
  /** Name of the strategy that answered, for the log and `/api/post`. */
  readonly strategy: string;
}

export const NO_STATS: Stats = {
  likes: null,
  comments: null,
  plays: null,
  views: null,
  shares: null,
  saves: null,
  facebookLikes: null,
  facebookPlays: null,
  authorFollowers: null,
  authorPosts: null,
};

/**
 * Variants that play as they are, best first: never one track of a DASH pair. For a silent video these are its silent files.
 */
export function playableVariants(item: MediaItem): readonly Variant[] {
  if (item.kind === 'image') return item.variants;
  if (item.kind === 'audio') return item.variants.filter(variant => variant.hasAudio !== false);
  return item.variants.filter(variant => variant.hasVideo && !variant.adaptive);
}

/** Rough bytes a post takes in memory: its addresses and words, and what every object around them costs. */
export function postBytes(post: Post): number {
  let bytes = 2_000 + (post.caption?.length ?? 0) * 2;
  for (const item of post.items) {
    bytes += 400 + (item.thumbnailUrl?.length ?? 0);
    for (const variant of item.variants) bytes += 200 + variant.url.length;
  }
  return bytes;
}
