/** Reads any answer of Reddit into the post, or into the AppError that it means (2026-10). Pure. */
import { decodeHTML } from 'entities';
import { AppError, type ErrorCode } from '../../../errors.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import {
  child,
  isJsonObject,
  type JsonObject,
  parseJson,
  readCount,
  readDate,
  readId,
  readList,
  readSize,
  readText,
} from '../../parse/json-fields.ts';
import { readMarkup } from '../../parse/markup.ts';
import { NO_STATS, type Post } from '../../post.ts';
import { EMPTY_DRAFT, type PostDraft, type ReadContext, toPost, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { blocked, failureOfPlace, refusedCaller } from '../kit/refusal.ts';
import { gifOf, type Item, imageOf, namedVideo, readAddress } from './items.ts';
import { redditRefOf } from './link.ts';
import { readPostMarkup } from './page.ts';

export const WALL = /^\/(?:login|register|account)(?:\/|$)/;

function videoOf(media: unknown, target: unknown, thumbnailUrl: string | null): Item {
  const video = child(media, 'reddit_video');
  const seconds = readCount(child(video, 'duration'));
  const addresses = ['fallback_url', 'dash_url', 'hls_url'].map(key => child(video, key));
  return namedVideo([...addresses, target], {
    ...{ thumbnailUrl, width: readSize(child(video, 'width')), height: readSize(child(video, 'height')) },
    durationMs: seconds === null ? null : seconds * 1_000,
  });
}

/** The items of a gallery: `gallery_data` has their order and `media_metadata` their files. */
function galleryOf(post: JsonObject): readonly Item[] {
  return readList(child(post.gallery_data, 'items')).map(entry => {
    const id = readText(child(entry, 'media_id')) ?? '';
    const file = child(post.media_metadata, id);
    const size = { width: readSize(child(file, 's', 'x')), height: readSize(child(file, 's', 'y')) };
    if (child(file, 'e') === 'AnimatedImage') return gifOf(decoded(child(file, 's', 'mp4')), size);
    const type = /^image\/(png|jpe?g|webp|gif)$/.exec(readText(child(file, 'm')) ?? '')?.[1];
    const alt = readText(child(entry, 'caption'));
    const copy = imageOf(decoded(child(file, 's', 'u')), { ...size, alt });
    const original =
      type === undefined ? null : imageOf(`https://i.redd.it/${id}.${type.replace('jpeg', 'jpg')}`, { ...size, alt });
    return copy ?? original;
  });
}

function decoded(address: unknown): string {
  return decodeHTML(readText(address) ?? '');
}

/** Null when the post has no media. */
function itemsOf(post: JsonObject): readonly Item[] | null {
  const preview = child(readList(child(post.preview, 'images'))[0], 'source');
  const cover = readAddress(decoded(child(preview, 'url')));
  const media = isJsonObject(post.secure_media) ? post.secure_media : post.media;
  const target = readText(post.url_overridden_by_dest) ?? readText(post.url);
  if (isJsonObject(child(media, 'reddit_video'))) return [videoOf(media, target, cover)];
  if (post.is_gallery === true) return galleryOf(post);
  const moving = child(readList(child(post.preview, 'images'))[0], 'variants', 'mp4', 'source');
  const size = { width: readSize(child(preview, 'width')), height: readSize(child(preview, 'height')) };
  if (target?.endsWith('.gif') === true && isJsonObject(moving)) {
    const gif = gifOf(decoded(child(moving, 'url')), size);
    if (gif !== null) return [gif];
  }
  const image = imageOf(target, size);
  if (image !== null) return [image];
  const video = namedVideo(target, { thumbnailUrl: cover });
  return video === null ? null : [video];
}

function draftOf(post: JsonObject): PostDraft {
  const removed = readText(post.removed_by_category);
  if (removed !== null) throw new AppError('not_found', `the post was removed by ${removed.slice(0, 30)}`);
  const [parent] = readList(post.crosspost_parent_list, 1);
  const ref = isJsonObject(parent) ? redditRefOf(readText(parent.id) ?? '') : undefined;
  const items = ref === undefined ? itemsOf(post) : null;
  const username = readText(post.author);
  const created = readCount(post.created_utc);
  const words = readText(decoded(post.selftext).trim());
  const isOutside = post.is_self === false && items === null && ref === undefined;
  return {
    ...EMPTY_DRAFT,
    author: {
      ...UNKNOWN_AUTHOR,
      id: readId(post.author_fullname),
      username: username === '[deleted]' ? null : username,
    },
    title: readText(decoded(post.title)),
    caption: words ?? (isOutside ? readText(post.url_overridden_by_dest) : null),
    publishedAt: created === null ? null : created * 1_000,
    stats: { ...NO_STATS, likes: readCount(post.score), comments: readCount(post.num_comments) },
    sensitive: post.over_18 === true || post.quarantine === true || post.spoiler === true,
    items: items ?? [],
    isWordsOnly: items === null,
    quoted:
      ref !== undefined && isJsonObject(parent)
        ? { ref, draft: draftOf({ ...parent, crosspost_parent_list: [] }) }
        : null,
  };
}

/** The API's values for the reason why a community is closed. */
const REASONS: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['private', 'private'],
  ['gold_only', 'private'],
  ['quarantined', 'login_required'],
  ['banned', 'not_found'],
]);

function readListing(answer: unknown, { ref }: ReadContext): PostDraft {
  const listing = Array.isArray(answer) ? answer[0] : answer;
  const posts = readList(child(listing, 'data', 'children')).map(one => child(one, 'data'));
  const post = posts.find(one => child(one, 'id') === ref.id);
  if (!isJsonObject(post)) throw new AppError('upstream_changed', 'no such post in the listing');
  return draftOf(post);
}

const MAX_ENTRIES = 200;

/** One entry of a post's feed is the post itself; the others are comments. */
function readFeed(text: string, { ref }: ReadContext): PostDraft {
  const entry = text.split('<entry>', MAX_ENTRIES).find(part => part.includes(`<id>t3_${ref.id}</id>`));
  if (entry === undefined) throw new AppError('upstream_changed', 'no such post in the feed');
  const partOf = (name: string) =>
    decodeHTML(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]{0,100000})</${name}>`).exec(entry)?.[1] ?? '');
  const [target = null, words] = readFeedContent(partOf('content'));
  const cover = readAddress(decodeHTML(/<media:thumbnail\s+url="([^"]{1,2000})"/.exec(entry)?.[1] ?? ''));
  const item = imageOf(target) ?? namedVideo(target, { thumbnailUrl: cover });
  const isMedia = target !== null && /^https:\/\/(?:www\.reddit\.com\/gallery\/|[iv]\.redd\.it\/)/.test(target);
  const isOutside = target !== null && redditIdIn(target) === null;
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username: /^\/u\/([\w-]{2,40})$/.exec(partOf('name'))?.[1] ?? null },
    title: readText(partOf('title')),
    caption: readText(words) ?? (isOutside && !isMedia ? target : null),
    publishedAt: readDate(partOf('published')),
    // For a gallery, the feed contains only the address of its page.
    items: [item].filter(one => one !== null),
    isWordsOnly: item === null && !isMedia,
  };
}

function redditIdIn(address: string): string | null {
  return /^https:\/\/www\.reddit\.com\/r\/[\w-]{2,40}\/comments\/([a-z0-9]{4,12})\//.exec(address)?.[1] ?? null;
}

/** The target of `[link]`, and the text. */
function readFeedContent(html: string): readonly [target: string | undefined, words: string] {
  let address: string | undefined;
  let target: string | undefined;
  let words = '';
  let depth = 0;
  readMarkup(
    html,
    {
      onopentag(name, attributes) {
        if (name === 'a') address = attributes.href;
        if (depth > 0 || (name === 'div' && attributes.class === 'md')) depth += 1;
      },
      ontext(text) {
        if (text === '[link]') target = address;
        if (depth > 0) words += text;
      },
      onclosetag() {
        if (depth > 0) depth -= 1;
      },
    },
    { xml: false },
  );
  return [target, words.trim()];
}

/** @throws AppError the meaning of the answer when the requested post is not in it */
export function readRedditAnswer({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const { text } = body;
  const listing = context.kind === 'app' ? parseJson(text) : undefined;
  const code = REASONS.get(child(listing, 'reason'));
  if (code !== undefined) throw new AppError(code, 'the API says why the community is closed');
  const place = failureOfPlace(head, context.now, WALL);
  if (place !== null) throw place;
  // The page asks for proof of a person, which is not given; another strategy is asked.
  if (text.length < 64_000 && text.includes('js_challenge')) throw blocked('the page asks for proof of a person');
  if (text.includes('<title>Welcome to Reddit')) throw refusedCaller('a page to log in');
  if (context.kind === 'app') return toPost(readListing(listing, context), context);
  if (context.kind === 'card') return toPost(readFeed(text, context), context);
  const draft = readPostMarkup(text, context.ref.id);
  if (draft !== undefined) return toPost(draft, context);
  if (/<shreddit-(?:forbidden|private)|community is private/i.test(text))
    throw new AppError('private', 'the community is private');
  throw new AppError('upstream_changed', 'no such post in the page');
}
