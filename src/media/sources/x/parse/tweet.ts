/** A post as syndication lists it, or the query for one: both name its fields alike, one level apart. */
import {
  child,
  isJsonObject,
  type JsonObject,
  mediaAddress,
  readCount,
  readFlag,
  readList,
  readText,
  visitObjects,
} from '../../../parse/json-fields.ts';
import { type Author, NO_STATS, type Stats } from '../../../post.ts';
import { EMPTY_DRAFT, type PostDraft } from '../../kit/draft.ts';
import { xIdOf, xRefOf } from './link.ts';
import { itemOf, X_MEDIA_HOSTS } from './media.ts';

/** The fields of some of its parts beside its own. */
function flat(object: unknown, ...parts: readonly string[]): JsonObject {
  return isJsonObject(object) ? Object.assign({}, ...parts.map(part => object[part]), object) : {};
}

function idOf({ rest_id, id_str }: JsonObject): string | null {
  return /^\d{1,20}$/.exec(readText(rest_id) ?? readText(id_str) ?? '')?.[0] ?? null;
}

/** Those of all versions of a post that was edited. */
function idsOf(tweet: JsonObject): readonly unknown[] {
  const { edit_control: control } = tweet;
  return [idOf(tweet), ...readList(child(flat(control, 'edit_control_initial'), 'edit_tweet_ids'))];
}

/** The post of this id anywhere in an answer; undefined where it holds other posts alone, null where it holds none. */
export function findTweet(answer: unknown, id: string): JsonObject | undefined | null {
  const tweets: JsonObject[] = [];
  visitObjects(answer, object => {
    const isTweet = ['legacy', 'text', 'full_text', 'mediaDetails'].some(key => key in object);
    const tweet = isTweet ? flat(object, 'legacy') : {};
    // People have ids as well.
    if (idOf(tweet) !== null && !('screen_name' in tweet)) tweets.push(tweet);
  });
  return tweets.length === 0 ? null : tweets.find(tweet => idsOf(tweet).includes(id));
}

/** What stands under one of these names, beneath the wrapper of posts that not everyone may answer. */
function inner(tweet: JsonObject, ...names: readonly string[]): JsonObject | null {
  const [found] = names.map(name => child(tweet, name, 'result') ?? tweet[name]).filter(isJsonObject);
  return found === undefined ? null : flat(child(found, 'tweet') ?? found, 'legacy');
}

function authorOf(user: JsonObject): Author {
  const flags = [user.is_blue_verified, user.verified, child(user, 'verification', 'verified')].map(readFlag);
  return {
    id: idOf(user),
    username: readText(user.screen_name),
    name: readText(user.name),
    verified: flags.includes(true) ? true : (flags.find(flag => flag !== null) ?? null),
    avatarUrl: mediaAddress(user.profile_image_url_https ?? child(user, 'avatar', 'image_url'), X_MEDIA_HOSTS),
  };
}

function statsOf(tweet: JsonObject, user: JsonObject): Stats {
  return {
    ...NO_STATS,
    likes: readCount(tweet.favorite_count),
    comments: readCount(tweet.reply_count ?? tweet.conversation_count),
    views: readCount(child(tweet, 'views', 'count')),
    shares: readCount(tweet.retweet_count),
    saves: readCount(tweet.bookmark_count),
    authorFollowers: readCount(user.followers_count),
    authorPosts: readCount(user.statuses_count),
  };
}

/** What names another post in its address is that one's, unless it is shown with its source. */
function mediaOf(tweet: JsonObject): readonly JsonObject[] {
  const plain = [...readList(tweet.photos), ...(isJsonObject(tweet.video) ? [tweet.video] : [])];
  const [extended, short] = ['extended_entities', 'entities'].map(name => readList(child(tweet, name, 'media')));
  const media = [readList(tweet.mediaDetails), extended, plain, short].find(list => list && list.length > 0) ?? [];
  const own = idsOf(tweet);
  return media
    .map(one => flat(one))
    .filter(({ expanded_url, source_status_id_str }) => {
      const id = xIdOf(expanded_url);
      return id === null || own.includes(id) || id === source_status_id_str;
    });
}

/** Unix milliseconds; an id says it where the answer does not (since 2010-11). */
function publishTimeOf(tweet: JsonObject): number | null {
  const [stated, id] = [Date.parse(readText(tweet.created_at) ?? ''), idOf(tweet) ?? ''];
  if (!Number.isNaN(stated)) return stated;
  return id.length < 15 ? null : Number((BigInt(id) >> 22n) + 1_288_834_974_657n);
}

/** Quotes go one level deep. */
export function readTweet(listed: JsonObject, isQuote = false) {
  const tweet = inner(listed, 'retweeted_status_result', 'retweeted_tweet', 'retweeted_status') ?? listed;
  const quote = isQuote ? null : inner(tweet, 'quoted_status_result', 'quoted_tweet', 'quoted_status');
  const quotes = quote === null ? [] : idsOf(quote).filter(id => id !== null && id !== idOf(tweet));
  const isMeant = [undefined, null, ...quotes].includes(tweet.quoted_status_id_str);
  const ref = quote !== null && quotes.length > 0 && isMeant ? xRefOf(idOf(quote) ?? '') : undefined;
  const user = flat(tweet.user ?? child(tweet, 'core', 'user_results', 'result'), 'legacy', 'core');
  const media = mediaOf(tweet);
  const shown = [...idsOf(tweet), ...(ref === undefined ? [] : quotes)];
  const { caption, isCut } = wordsOf(tweet, media, target => shown.includes(xIdOf(target) ?? ''));
  const draft: PostDraft = {
    ...EMPTY_DRAFT,
    author: authorOf(user),
    caption,
    publishedAt: publishTimeOf(tweet),
    stats: statsOf(tweet, user),
    items: media.map(itemOf),
    isWordsOnly: media.length === 0 && (caption !== null || ref !== undefined),
    sensitive: readFlag(tweet.possibly_sensitive) === true || media.some(one => flat(one).sensitive_media_warning),
    quoted: quote === null || ref === undefined ? null : { ref, draft: readTweet(quote, true).draft },
  };
  return { draft, isCut, reason: readText(child(media[0], 'ext_media_availability', 'reason')) };
}

// The words of a post as people read them: addresses written out, those of what the post shows beside them left out.

const SHORT_TAIL = /(?:\s*https?:\/\/t\.co\/\w{1,30})+\s*$/;

/** The part between the names of those whom a reply answers and the addresses behind the words; its bounds count characters. */
function withinRange(text: string, range: unknown): string {
  const [start, end] = readList(range);
  if (typeof start !== 'number' || typeof end !== 'number') return text;
  const characters = Array.from(text);
  const from = /^(?:@\w{1,50}\s*)*$/.test(characters.slice(0, start).join('')) ? start : 0;
  return characters.slice(from, SHORT_TAIL.test(characters.slice(end).join('')) ? end : undefined).join('');
}

/**
 * @param media what the answer says of its media: their short addresses are no words
 * @param isShown tells the addresses of what is shown beside the words: the post itself, and the one that it quotes
 * @returns with an ellipsis where the answer has the beginning of a long text alone
 */
function wordsOf(tweet: JsonObject, media: readonly JsonObject[], isShown: (target: string) => boolean) {
  const notes = child(tweet, 'note_tweet', 'note_tweet_results') ?? tweet.note_tweet;
  const note = child(notes, 'result') ?? notes;
  const long = readText(child(note, 'text'));
  const isCut = long === null && (isJsonObject(note) || tweet.truncated === true);
  const addresses = new Map<unknown, string>(media.map(({ url }) => [url, '']));
  const listed = [child(tweet, 'entities', 'urls'), child(note, 'entity_set', 'urls')];
  for (const one of listed.flatMap(urls => readList(urls)).filter(isJsonObject)) {
    const target = readText(one.expanded_url) ?? '';
    if (/^https?:\/\/\S{1,2000}$/.test(target)) addresses.set(one.url, isShown(target) ? '' : target);
  }
  const written =
    long ?? withinRange(readText(tweet.full_text) ?? readText(tweet.text) ?? '', tweet.display_text_range);
  const whole = written
    .replace(/&(amp|lt|gt);/g, (_, name) => (name === 'amp' ? '&' : name === 'lt' ? '<' : '>'))
    .replace(/(\s*)(https?:\/\/t\.co\/\w{1,30})/g, (found, space, short) => {
      const target = addresses.get(short);
      return target === undefined ? found : target && space + target;
    });
  const text = (media.length > 0 ? whole.replace(SHORT_TAIL, '') : whole).trim();
  const ended = isCut ? `${text.replace(/\s*(?:\u2026|\.{3})$/, '')}\u2026` : text;
  return { caption: text === '' ? null : ended, isCut };
}
