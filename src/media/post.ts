/**
 * The shape of the posts of every media source. Types, the API's schema and the stored form derive from the one schema
 * below. A value that the site did not state is `null`, never 0, '' or false. Sources list all variants; the delivery
 * chooses one that fits a chat.
 */
import * as z from 'zod';

const text = z.string().nullable();
const number = z.number().nullable();
const moment = z.number().nullable().meta({ description: 'Unix milliseconds.' });

/**
 * The MIME type of a variant that is an HLS stream. The variant's address is that of a media playlist; the pieces that
 * the playlist lists are joined into one MP4 before anyone gets the file. `playlistVariants` makes such variants from a
 * master playlist.
 */
export const PLAYLIST_MIME = 'application/vnd.apple.mpegurl';

const file = z
  .object({
    url: z.string().startsWith('https://'),
    mime: z.string().meta({ description: `\`${PLAYLIST_MIME}\` for a playlist of pieces.` }),
    width: number,
    height: number,
    bitrate: number.meta({ description: 'Bits per second.' }),
    bytes: number,
    codecs: text.meta({ description: 'RFC 6381, e.g. `avc1.64001F`.' }),
    hasAudio: z.boolean().nullable().meta({
      description:
        'Null when the site did not say. False for one track of what has to be put together, and for a silent video.',
    }),
    hasVideo: z.boolean(),
    adaptive: z.boolean().meta({ description: 'One track of what has to be put together.' }),
    expiresAt: moment,
  })
  .meta({ description: 'One file of the item.' });

const headerValue = z.string().regex(/^[\x20-\x7e]{1,4096}$/);
/** Headers that the host of a variant's address requires. They are sent to that host alone and are in no API answer. */
const requestHeaders = z
  .object({
    referer: headerValue.exactOptional(),
    cookie: headerValue.exactOptional(),
    'user-agent': headerValue.exactOptional(),
  })
  .readonly();
const variant = file.extend({ headers: requestHeaders.exactOptional() });

const author = z
  .object({ id: text, username: text, name: text, verified: z.boolean().nullable(), avatarUrl: text })
  .readonly()
  .meta({ id: 'Author' });

const counts = z.object({
  likes: number,
  comments: number,
  plays: number,
  views: number,
  shares: number,
  saves: number,
  crosspostLikes: number.meta({ description: 'Where the post was shown on another site as well.' }),
  crosspostPlays: number,
  authorFollowers: number,
  authorPosts: number,
});
const stats = counts
  .readonly()
  .meta({ id: 'PostStats', description: 'Counts as the site gave them; null when it was silent or hides them.' });

/** The format of a source's id. The source need not exist: stored posts stay valid when a source is removed. */
export const sourceIdSchema = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,30}$/)
  .meta({ description: 'The site.' });

function itemOf<File extends z.ZodType>(variant: File) {
  return z.object({
    kind: z.enum(['video', 'image', 'audio']),
    position: z.number().int().nonnegative().meta({
      description: 'Zero-based place in the post; places of items that could not be read are left out.',
    }),
    width: number.meta({ description: 'Pixels of the original, else of the best variant.' }),
    height: number,
    durationMs: number,
    thumbnailUrl: text,
    alt: text,
    variants: z.array(variant).min(1).readonly().meta({ description: 'Best first, never empty.' }),
  });
}

/** `id` identifies an item whose position can change, such as an item of a story. It is in no API answer. */
const item = itemOf(variant).extend({ id: z.string().exactOptional() });

function postOf<Item extends z.ZodType>(source: z.ZodType<string>, item: Item) {
  const alone = z.object({
    source,
    id: z.string().meta({ description: "Canonical id; with the source it is the cache's key." }),
    url: z.string().meta({ description: 'Canonical address, rebuilt from the id.' }),
    author,
    title: text,
    caption: text,
    hashtags: z.array(z.string()).readonly().meta({ description: 'With their #, in order, without repeats.' }),
    mentions: z.array(z.string()).readonly().meta({ description: 'With their @, in order, without repeats.' }),
    publishedAt: moment,
    stats,
    sensitive: z.boolean().default(false).meta({
      description: 'The site marks it, or the post that it quotes, as not for everyone.',
    }),
    items: z.array(item).readonly().meta({ description: 'Empty for a post of words alone.' }),
    missingItems: z.number().int().nonnegative().meta({
      description: 'Items that the post has and that could not be read; 0 for a complete answer.',
    }),
    coverUrl: text.meta({ description: "The post's own cover, where no item shows it." }),
    fetchedAt: z.number().meta({ description: 'Unix milliseconds.' }),
    expiresAt: moment.meta({ description: 'Unix milliseconds until which every address lives.' }),
    strategy: z.string().meta({ description: 'Which way of asking the site gave the answer.' }),
  });
  const quoted = alone.extend({ quoted: z.null().default(null).meta({ description: 'Quotes go one level deep.' }) });
  return alone.extend({
    quoted: quoted.readonly().nullable().default(null).meta({
      description: "The post that it quotes or shares, with that one's own author and items.",
    }),
  });
}

/** The schema of stored posts. Earlier versions stored no `quoted` and `sensitive`, so both have defaults. */
export const postSchema = postOf(sourceIdSchema, item.readonly()).readonly();

export type Post = z.infer<typeof postSchema>;
export type SourceId = Post['source'];

/**
 * The schema of the posts that the API answers with, from these sources. It has no `headers` in a variant: only Medley
 * itself sends these request headers, to the host of the file.
 */
export function postSchemaOf(sources: readonly SourceId[]) {
  const source = z.enum(sources).meta({ description: 'The site.' });
  const url = z.string().startsWith('http').meta({
    description: "The CDN's own address, or this server's for a file that the CDN does not give to everyone.",
  });
  const shown = file.extend({ url }).meta({ ...file.meta(), id: 'Variant' });
  const description = 'One photo, video or audio of the post.';
  return postOf(source, itemOf(shown).readonly().meta({ id: 'MediaItem', description }))
    .readonly()
    .meta({ description: 'The whole post. What the site did not say is null.' });
}

export type Author = Post['author'];
/** An author's page: in `address`, `NAME` is replaced by the first of the author's `names` that matches `form`. */
export type AuthorPage = readonly [address: string, form: RegExp, ...names: ('username' | 'id')[]];
export type Stats = Post['stats'];
/** One photo, video or audio of a post. */
export type MediaItem = Post['items'][number];
/** One file of an item. */
export type Variant = MediaItem['variants'][number];

/** An item before it has a position in a post. */
export type UnplacedItem = Omit<MediaItem, 'position'>;

/** Gives each item its position in the post; null stands for an item that exists but cannot be read. */
export function placeItems(listed: readonly (UnplacedItem | null)[]): Pick<Post, 'items' | 'missingItems'> {
  const items = listed.flatMap((item, position) => (item === null ? [] : [{ ...item, position }]));
  return { items, missingItems: listed.length - items.length };
}

/** How many items a post has, including those that could not be read. */
export function itemCount({ items, missingItems }: Pick<Post, 'items' | 'missingItems'>): number {
  return items.length + missingItems;
}

/** Identifies an item within its post, also after the post was fetched again. */
export function itemKey({ id, position }: Pick<MediaItem, 'id' | 'position'>): string | number {
  return id ?? position;
}

/** The index in `items` of the item at that position; undefined if it could not be read or does not exist. */
export function indexAt({ items }: Pick<Post, 'items'>, position: number): number | undefined {
  const index = items.findIndex(item => item.position === position);
  return index === -1 ? undefined : index;
}

/** The address of an author's page; undefined when the author's name or id is unknown or has another form. */
export function authorAddress([address, form, ...names]: AuthorPage, author: Pick<Author, 'id' | 'username'>) {
  const name = names.map(key => author[key]).find(one => one !== null && form.test(one));
  return name ? address.replace('NAME', name) : undefined;
}

export const NO_STATS: Stats = counts.parse(Object.fromEntries(Object.keys(counts.shape).map(name => [name, null])));

/** Variants that play without joining tracks, best first; for a silent video these are files without audio. */
export function playableVariants(item: Pick<MediaItem, 'kind' | 'variants'>): readonly Variant[] {
  if (item.kind === 'image') return item.variants;
  if (item.kind === 'audio') return item.variants.filter(variant => variant.hasAudio !== false);
  return item.variants.filter(variant => variant.hasVideo && !variant.adaptive);
}
