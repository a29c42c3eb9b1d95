/** Reads a post from the syndication endpoint or the query. Both have the same fields, the query one level deeper. */
import {
  child,
  findValues,
  isJsonObject,
  type JsonObject,
  mediaAddress,
  objectsWith,
  type PixelSize,
  parseJson,
} from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { Author, Variant } from '../../post.ts';
import { type DraftItem, EMPTY_DRAFT, type PostDraft } from '../kit/draft.ts';
import { listedFile, listedItem } from '../kit/media-files.ts';
import { xIdOf, xRefOf } from './link.ts';

/**
 * Adds the fields of the nested objects named by `parts`, such as `legacy`, to the fields of the object around them.
 */
function flat(object: unknown, ...parts: readonly string[]): JsonObject {
  return isJsonObject(object) ? Object.assign({}, ...parts.map(part => object[part]), object) : {};
}

function idOf({ rest_id, id_str }: JsonObject): string | null {
  return /^\d{1,20}$/.exec(read.text(rest_id) ?? read.text(id_str) ?? '')?.[0] ?? null;
}

/** The ids of all versions of an edited post. */
function idsOf(tweet: JsonObject): readonly unknown[] {
  const { edit_control: control } = tweet;
  return [idOf(tweet), ...read.list(child(flat(control, 'edit_control_initial'), 'edit_tweet_ids'))];
}

/** Finds the requested post. Undefined when the answer contains only other posts, null when it contains none. */
export function findTweet(answer: unknown, id: string): JsonObject | undefined | null {
  const objects = objectsWith(answer, ['legacy', 'text', 'full_text', 'mediaDetails']);
  // Objects of people have ids too. Only they have a `screen_name`, by which they are left out.
  const tweets = objects
    .map(object => flat(object, 'legacy'))
    .filter(tweet => idOf(tweet) !== null && !('screen_name' in tweet));
  return tweets.length === 0 ? null : tweets.find(tweet => idsOf(tweet).includes(id));
}

/** The object under one of these names. If its replies are limited, a post is inside a wrapper, which is removed. */
function inner(tweet: JsonObject, ...names: readonly string[]): JsonObject | null {
  const [found] = names.map(name => child(tweet, name, 'result') ?? tweet[name]).filter(isJsonObject);
  return found === undefined ? null : flat(child(found, 'tweet') ?? found, 'legacy');
}

function authorOf(user: JsonObject): Author {
  const flags = [user.is_blue_verified, user.verified, child(user, 'verification', 'verified')].map(read.boolean);
  return {
    id: idOf(user),
    username: read.text(user.screen_name),
    name: read.text(user.name),
    verified: flags.includes(true) ? true : (flags.find(flag => flag !== null) ?? null),
    avatarUrl: mediaAddress(user.profile_image_url_https ?? child(user, 'avatar', 'image_url'), X_MEDIA_HOSTS),
  };
}

/** The media of an advertisement. They are JSON inside a text of its card. */
function mediaOfCard(card: unknown): readonly unknown[] {
  const text = findValues(card, 'string_value')
    .map(read.text)
    .find(one => one?.includes('"media_entities"'));
  return Object.values(flat(child(parseJson(text ?? ''), 'media_entities'))).slice(0, 10);
}

/**
 * The post's media. Media whose address contains another post's id are left out, unless that post is stated as their
 * source. `isAny`: the answer lists media, even if all were left out.
 */
function mediaOf(tweet: JsonObject) {
  const plain = [...read.list(tweet.photos), ...(isJsonObject(tweet.video) ? [tweet.video] : [])];
  const [extended = [], short = []] = ['extended_entities', 'entities'].map(name =>
    read.list(child(tweet, name, 'media')),
  );
  const lists = [read.list(tweet.mediaDetails), extended, plain, short, mediaOfCard(tweet.card)];
  const media = (lists.find(list => list.length > 0) ?? []).map(one => flat(one));
  const ids = idsOf(tweet);
  const own = media.filter(one => [null, one.source_status_id_str, ...ids].includes(xIdOf(one.expanded_url)));
  // If a video is taken from another post, syndication does not state that post as its source. Then the video is
  // recognised by its short address, which the text of this post contains.
  const addresses = short.flatMap(one => read.text(child(one, 'url')) ?? []);
  const taken = media.filter(({ url }) => addresses.some(address => address === url));
  return { media: own.length > 0 ? own : taken, isAny: media.length > 0 };
}

/**
 * The choices of a poll, one a line, with their shares of the votes. A poll is a card, whose values syndication gives as
 * an object and the query as a list (2026-10).
 */
function pollOf(card: unknown): string | null {
  const { binding_values: values } = flat(card, 'legacy');
  const listed = read.list(values).map(one => [child(one, 'key'), child(one, 'value')]);
  const named = listed.length > 0 ? Object.fromEntries(listed) : values;
  const stated = (name: string) => child(named, name, 'string_value');
  const choices = [1, 2, 3, 4].flatMap(place => {
    const label = read.text(stated(`choice${place}_label`));
    // One unknown count makes the sum `NaN`, and so all shares unknown.
    return label === null ? [] : [{ label, votes: read.count(stated(`choice${place}_count`)) ?? Number.NaN }];
  });
  const total = choices.reduce((sum, { votes }) => sum + votes, 0);
  const shareOf = (votes: number) => (total > 0 ? `: ${Math.round((100 * votes) / total)}%` : '');
  return choices.map(({ label, votes }) => `\u2022 ${label}${shareOf(votes)}`).join('\n') || null;
}

/** The time of publication, unix milliseconds. If it is missing, it is calculated from the id (since 2010-11). */
function publishTimeOf(tweet: JsonObject): number | null {
  const id = idOf(tweet) ?? '';
  return (
    read.writtenDate(tweet.created_at) ?? (id.length < 15 ? null : Number((BigInt(id) >> 22n) + 1_288_834_974_657n))
  );
}

const STATS: read.StatPaths = {
  likes: 'favorite_count',
  comments: ['reply_count', 'conversation_count'],
  views: 'views.count',
  shares: 'retweet_count',
  saves: 'bookmark_count',
  authorFollowers: 'user.followers_count',
  authorPosts: 'user.statuses_count',
};

/** Reads a post and the post that it quotes; quotes inside the quoted post are left out. */
export function readTweet(listed: JsonObject, isQuote = false) {
  const tweet = inner(listed, 'retweeted_status_result', 'retweeted_tweet', 'retweeted_status') ?? listed;
  const quote = isQuote ? null : inner(tweet, 'quoted_status_result', 'quoted_tweet', 'quoted_status');
  const quotes = quote === null ? [] : idsOf(quote).filter(id => id !== null && id !== idOf(tweet));
  const isMeant = [undefined, null, ...quotes].includes(tweet.quoted_status_id_str);
  const ref = quote !== null && quotes.length > 0 && isMeant ? xRefOf(idOf(quote) ?? '') : undefined;
  const user = flat(tweet.user ?? child(tweet, 'core', 'user_results', 'result'), 'legacy', 'core');
  const { media, isAny } = mediaOf(tweet);
  const shown = [...idsOf(tweet), ...(ref === undefined ? [] : quotes)];
  const { caption: words, isCut } = wordsOf(tweet, media, target => shown.includes(xIdOf(target) ?? ''));
  // The text of a post with an article is only the article's address, so the article's preview comes before it.
  const article = child(tweet.article, 'article_results', 'result') ?? tweet.article;
  const parts = [read.text(child(article, 'preview_text')), words, pollOf(tweet.card)];
  const caption = parts.filter(part => part !== null).join('\n\n') || null;
  const draft: PostDraft = {
    ...EMPTY_DRAFT,
    author: authorOf(user),
    title: read.text(child(article, 'title')),
    caption,
    publishedAt: publishTimeOf(tweet),
    stats: read.stats([{ ...tweet, user }], STATS),
    items: media.map(itemOf),
    isWordsOnly: !isAny && (caption !== null || ref !== undefined),
    sensitive: read.boolean(tweet.possibly_sensitive) === true || media.some(one => one.sensitive_media_warning),
    quoted: quote === null || ref === undefined ? null : { ref, draft: readTweet(quote, true).draft },
  };
  return { draft, isCut, reason: read.text(child(media[0], 'ext_media_availability', 'reason')) };
}

// The text of a post as people see it: short addresses become their targets, or are removed if the target is shown
// beside the text.

// The look-behinds keep the time linear: without them, a search could begin at every blank of a long run.
const SHORT_TAIL = /(?<!\s)(?:\s*https?:\/\/t\.co\/\w{1,30})+\s*$/;

/** The text without the names of recipients at its start and the addresses at its end. `range` counts characters. */
function withinRange(text: string, range: unknown): string {
  const [start, end] = read.list(range);
  if (typeof start !== 'number' || typeof end !== 'number') return text;
  const characters = Array.from(text);
  const from = /^(?:@\w{1,50}\s*)*$/.test(characters.slice(0, start).join('')) ? start : 0;
  return characters.slice(from, SHORT_TAIL.test(characters.slice(end).join('')) ? end : undefined).join('');
}

/**
 * Makes the text that people read. @param media their short addresses are removed from the text
 * @param isShown says whether the target of an address is shown beside the text: the post itself or its quote
 * @returns the text, with an ellipsis if the answer contains only the beginning of a long one
 */
function wordsOf(tweet: JsonObject, media: readonly JsonObject[], isShown: (target: string) => boolean) {
  const notes = child(tweet, 'note_tweet', 'note_tweet_results') ?? tweet.note_tweet;
  const note = child(notes, 'result') ?? notes;
  const long = read.text(child(note, 'text'));
  const isCut = long === null && (isJsonObject(note) || tweet.truncated === true);
  const addresses = new Map<unknown, string>(media.map(({ url }) => [url, '']));
  const listed = [child(tweet, 'entities', 'urls'), child(note, 'entity_set', 'urls')];
  for (const one of listed.flatMap(urls => read.list(urls)).filter(isJsonObject)) {
    const target = read.text(one.expanded_url) ?? '';
    if (/^https?:\/\/\S{1,2000}$/.test(target)) addresses.set(one.url, isShown(target) ? '' : target);
  }
  const written =
    long ?? withinRange(read.text(tweet.full_text) ?? read.text(tweet.text) ?? '', tweet.display_text_range);
  const whole = written
    .replace(/&(amp|lt|gt);/g, (_, name) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))
    .replace(/(?<!\s)(\s*)(https?:\/\/t\.co\/\w{1,30})/g, (found, space, short) => {
      const target = addresses.get(short);
      return target === undefined ? found : target && space + target;
    });
  const text = (media.length > 0 ? whole.replace(SHORT_TAIL, '') : whole).trim();
  const ended = isCut ? `${text.replace(/(?<!\s)\s*(?:\u2026|\.{3})$/, '')}\u2026` : text;
  return { caption: text === '' ? null : ended, isCut };
}

// The items of a post: photos, videos, and silent loops (`gif`).

export const X_MEDIA_HOSTS: readonly string[] = ['pbs.twimg.com', 'video.twimg.com'];

/** The address of a photo in one of its sizes; a query parameter selects the size. */
function sized(url: string, name: string): string {
  const address = new URL(url);
  address.searchParams.set('name', name);
  return address.href;
}

function photoOf(media: JsonObject): DraftItem {
  // Old addresses end in the name of a size, such as `:large`, which is removed.
  const url = mediaAddress(read.text(media.media_url_https ?? media.url)?.replace(/:\w{1,10}$/, ''), X_MEDIA_HOSTS);
  if (url === null) return null;
  const type = /[?&]format=(\w{3,4})/.exec(url)?.[1] ?? /\.(\w{3,4})(?:\?|$)/.exec(url)?.[1] ?? 'jpg';
  const fileOf = (name: string, size: PixelSize) =>
    listedFile(sized(url, name), { mime: `image/${type.replace('jpg', 'jpeg')}`, hasVideo: false, ...size });
  const original = read.dimensions(isJsonObject(media.original_info) ? media.original_info : media);
  const smaller = ['large', 'medium'].flatMap(name => {
    const size = read.dimensions(child(media, 'sizes', name), 'w', 'h');
    return (size.width ?? Number.POSITIVE_INFINITY) < (original.width ?? 0) ? [fileOf(name, size)] : [];
  });
  const known = { thumbnailUrl: sized(url, 'small'), alt: read.text(media.ext_alt_text) };
  return listedItem('image', [fileOf('orig', original), ...smaller], known);
}

/** Makes a variant of a video. Its address contains its size in pixels and its codec. */
function videoFile(variant: JsonObject, isSilent: boolean): readonly Variant[] {
  const url = mediaAddress(variant.url ?? variant.src, X_MEDIA_HOSTS);
  const type = variant.content_type ?? variant.type;
  if (url === null || (type !== 'video/mp4' && !/\.mp4(?:\?|$)/.test(url))) return [];
  const [, width, height] = /\/(\d{2,5})x(\d{2,5})\//.exec(url) ?? [];
  const codecs = /\/(hevc|hvc1|av1|vp9)\//.exec(url)?.[1] ?? null;
  const facts = { ...read.dimensions({ width, height }), bitrate: read.positive(variant.bitrate), codecs };
  return [listedFile(url, { mime: 'video/mp4', hasVideo: true, hasAudio: isSilent ? false : null, ...facts })];
}

function videoOf(media: JsonObject): DraftItem {
  const isSilent = media.type === 'animated_gif';
  const info = isJsonObject(media.video_info) ? media.video_info : media;
  const variants = read.list(info.variants).filter(isJsonObject);
  const files = variants.flatMap(variant => videoFile(variant, isSilent));
  const { width, height } = read.dimensions(media.original_info);
  const size = width !== null && height !== null ? { width, height } : {};
  // A gif has only one file, whose address does not contain its size.
  return listedItem('video', isSilent ? files.map(file => ({ ...file, ...size })) : files, {
    ...size,
    durationMs: read.positive(info.duration_millis ?? info.durationMs),
    thumbnailUrl: mediaAddress(media.media_url_https ?? media.poster, X_MEDIA_HOSTS),
    alt: read.text(media.ext_alt_text),
  });
}

function itemOf(media: JsonObject): DraftItem {
  const status = read.text(child(media.ext_media_availability, 'status')) ?? 'Available';
  if (status !== 'Available') return null;
  const isVideo = isJsonObject(media.video_info) || Array.isArray(media.variants);
  if (isVideo || media.type === 'video' || media.type === 'animated_gif') return videoOf(media);
  return (media.type ?? 'photo') === 'photo' ? photoOf(media) : null;
}
