/** Turns any answer of Reddit into the post or an AppError (shapes as seen in 2026-10). Pure. */
import { decodeHTML } from 'entities';
import { AppError, type ErrorCode } from '../../../errors.ts';
import { refusal, weakNotFound } from '../../extract/refusal.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, type JsonObject, parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import { NO_STATS, type Post } from '../../post.ts';
import { type DraftItem, EMPTY_DRAFT, type PostDraft, type ReadContext, toPost, UNKNOWN_AUTHOR } from '../kit/draft.ts';
import { failureOfPlace } from '../kit/failures.ts';
import { gifOf, imageOf, linkedItem, namedVideo, readAddress } from './items.ts';
import { redditRefOf } from './link.ts';
import { readPostMarkup } from './page.ts';

export const REDDIT_LOGIN_PATH = /^\/(?:login|register|account)(?:\/|$)/;

/** The items of a gallery. `gallery_data` states their order, `media_metadata` their files. */
function galleryOf(post: JsonObject): readonly DraftItem[] {
  return read.list(child(post.gallery_data, 'items')).map(entry => {
    const id = read.text(child(entry, 'media_id')) ?? '';
    const file = child(post.media_metadata, id);
    const known = { ...read.dimensions(child(file, 's'), 'x', 'y'), alt: read.text(child(entry, 'caption')) };
    if (child(file, 'e') === 'AnimatedImage') return gifOf(decoded(child(file, 's', 'mp4')), known);
    const type = /^image\/(png|jpe?g|webp|gif)$/.exec(read.text(child(file, 'm')) ?? '')?.[1];
    const original = type && `https://i.redd.it/${id}.${type.replace('jpeg', 'jpg')}`;
    return imageOf(decoded(child(file, 's', 'u')), known) ?? imageOf(original, known);
  });
}

/** The files in a text post in the text's order, shaped like `gallery_data`. Emotes (ids with `|`) are left out. */
function orderInWords({ media_metadata, selftext }: JsonObject): JsonObject {
  const words = read.text(selftext) ?? '';
  const found = Object.keys(isJsonObject(media_metadata) ? media_metadata : {})
    .filter(id => !id.includes('|') && words.includes(id))
    .sort((a, b) => words.indexOf(a) - words.indexOf(b));
  return { items: found.map(media_id => ({ media_id })) };
}

/** Matches lines of a text post that only show a file. */
const FILE_LINE = /^(?:!\[[^\]\n]{0,300}\]\([^)\n]{1,300}\)|https:\/\/preview\.redd\.it\/\S+)$\n*/gm;

function decoded(address: unknown): string {
  return decodeHTML(read.text(address) ?? '');
}

/** The items of a post; null when it has no media. */
function itemsOf(post: JsonObject): readonly DraftItem[] | null {
  const [preview] = read.list(child(post.preview, 'images'));
  const size = read.dimensions(child(preview, 'source'));
  const cover = readAddress(decoded(child(preview, 'source', 'url')));
  const own = child(isJsonObject(post.secure_media) ? post.secure_media : post.media, 'reddit_video');
  // For a post that links to a moving image elsewhere, such as a GIF, Reddit may have made a video.
  const video = own ?? child(post.preview, 'reddit_video_preview');
  const target = read.text(post.url_overridden_by_dest) ?? read.text(post.url);
  if (isJsonObject(video)) {
    const addresses = [video.fallback_url, video.dash_url, video.hls_url, target];
    return [
      namedVideo(addresses, {
        thumbnailUrl: cover,
        ...read.dimensions(video),
        durationMs: read.seconds(video.duration),
      }),
    ];
  }
  if (isJsonObject(post.gallery_data) || post.is_gallery === true) return galleryOf(post);
  const inWords = galleryOf({ ...post, gallery_data: orderInWords(post) });
  if (inWords.length > 0) return inWords;
  const moving = target?.endsWith('.gif') ? child(preview, 'variants', 'mp4', 'source', 'url') : undefined;
  const item = gifOf(decoded(moving), size) ?? linkedItem(target, size, cover);
  return item === null ? null : [item];
}

/** The site shows one of these words in place of the text of a removed post. */
const GONE = /^\[(?:deleted|removed)\]$/;

/** Says who removed a post, or gives the word in place of its text; undefined for a post that was not removed. */
function removalOf(post: JsonObject): string | undefined {
  return read.text(post.removed_by_category) ?? GONE.exec(read.text(post.selftext) ?? '')?.[0];
}

function draftOf(post: JsonObject): PostDraft {
  const removed = removalOf(post);
  if (removed !== undefined) throw new AppError('not_found', `the post was removed: ${removed.slice(0, 30)}`);
  const [parent] = read.list(post.crosspost_parent_list, 1).filter(isJsonObject);
  const ref = redditRefOf(read.text(parent?.id) ?? '');
  const items = ref === undefined ? itemsOf(post) : null;
  const words = items === null ? decoded(post.selftext) : decoded(post.selftext).replace(FILE_LINE, '');
  const username = post.author === '[deleted]' ? null : read.text(post.author);
  const isOutside = post.is_self === false && items === null && ref === undefined;
  // If the post that a crosspost shares is removed, the crosspost is still shown, without the shared post.
  const shared = parent === undefined || removalOf(parent) !== undefined ? null : parent;
  // A new post's score is hidden for some hours, and the answer then states 1.
  const likes = post.hide_score === true ? null : read.count(post.score);
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, id: read.numericId(post.author_fullname), username },
    title: read.text(decoded(post.title)),
    caption: read.text(words.trim()) ?? (isOutside ? read.text(post.url_overridden_by_dest) : null),
    publishedAt: read.instant(post.created_utc),
    stats: { ...NO_STATS, likes, comments: read.count(post.num_comments) },
    sensitive: post.over_18 === true || post.quarantine === true || post.spoiler === true,
    items: items ?? [],
    isWordsOnly: items === null,
    quoted:
      ref === undefined || shared === null ? null : { ref, draft: draftOf({ ...shared, crosspost_parent_list: [] }) },
  };
}

/** The API's values for why a community is closed or behind a warning, each with our error code. */
const REASONS = new Map<unknown, ErrorCode>([
  ['private', 'private'],
  ['gold_only', 'private'],
  ['quarantined', 'login_required'],
  ['gated', 'login_required'],
  ['banned', 'not_found'],
]);

function readListing(answer: unknown, { ref }: ReadContext): PostDraft {
  const listing = Array.isArray(answer) ? answer[0] : answer;
  const posts = read.list(child(listing, 'data', 'children')).map(one => child(one, 'data'));
  const post = posts.find(one => child(one, 'id') === ref.id);
  if (!isJsonObject(post)) throw new AppError('upstream_changed', 'no such post in the listing');
  return draftOf(post);
}

/** Reads a feed. Its entries are the post and its comments. */
function readFeed(feed: string, { ref }: ReadContext): PostDraft {
  const entry = feed.split('<entry>', 200).find(part => part.includes(`<id>t3_${ref.id}</id>`));
  if (entry === undefined) throw new AppError('upstream_changed', 'no such post in the feed');
  const partOf = (name: string) =>
    decodeHTML(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]{0,100000})</${name}>`).exec(entry)?.[1] ?? '');
  const content = partOf('content');
  // The post's text may contain a link named `[link]` too, but the feed's own link comes last.
  const [, address = ''] = [...content.matchAll(/<a href="([^"]{1,2000})">\[link\]</g)].at(-1) ?? [];
  const target = read.text(decodeHTML(address));
  const words = content.split('<div class="md">', 2)[1]?.split('</div>', 1)[0] ?? '';
  const lines = words.replace(/(?:<\/(?:p|li|h[1-6]|pre)>\s*)+/g, '\n\n').replace(/<[^<>]*>/g, '');
  const text = decodeHTML(lines).trim();
  if (GONE.test(text)) throw new AppError('not_found', 'the words of the post were removed');
  const cover = readAddress(decodeHTML(/<media:thumbnail\s+url="([^"]{1,2000})"/.exec(entry)?.[1] ?? ''));
  const item = linkedItem(target, {}, cover);
  const isMedia = /^https:\/\/(?:www\.reddit\.com\/gallery\/|[iv]\.redd\.it\/)/.test(target ?? '');
  const isPost = /^https:\/\/www\.reddit\.com\/r\/[\w-]{2,40}\/comments\/[a-z0-9]{4,12}\//.test(target ?? '');
  return {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, username: /^\/u\/([\w-]{2,40})$/.exec(partOf('name'))?.[1] ?? null },
    title: read.text(partOf('title')),
    caption: read.text(text) ?? (isPost || isMedia ? null : target),
    publishedAt: read.writtenDate(partOf('published')),
    // The feed gives no files for a gallery, only the address of its page.
    items: item === null ? [] : [item],
    isWordsOnly: item === null && !isMedia,
  };
}

/** @throws AppError why the requested post is not in the answer */
export function readRedditAnswer({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const { text } = body;
  const listing = body.startsWith('[') || body.startsWith('{') ? parseJson(text) : undefined;
  const code = REASONS.get(child(listing, 'reason'));
  if (code !== undefined) throw new AppError(code, 'the API says why the community is closed');
  const place = failureOfPlace(head, context.now, REDDIT_LOGIN_PATH);
  if (place !== null) throw place;
  // The page demands proof of a person, which Medley never gives, so another strategy runs.
  if (text.length < 64_000 && text.includes('js_challenge'))
    throw refusal('limit', 'the page asks for proof of a person');
  if (text.includes('<title>Welcome to Reddit')) throw refusal('caller', 'a page to log in');
  if (listing !== undefined) return toPost(readListing(listing, context), context);
  if (context.kind === 'card') return toPost(readFeed(text, context), context);
  const draft = readPostMarkup(text, context.ref.id);
  if (draft !== undefined) return toPost(draft, context);
  if (/<shreddit-private|community is private|private community/i.test(text))
    throw new AppError('private', 'the community is closed');
  // This element is shown for a deleted post and for any post of a banned community (2026-03).
  if (text.includes('shreddit-forbidden')) throw weakNotFound('the page says that there is nothing to see');
  // The embed says this, with status 200, of a post that does not exist or is in a closed community (2026-10).
  if (context.kind === 'embed' && text.includes('Page not found')) throw weakNotFound('the embed knows no such post');
  throw new AppError('upstream_changed', 'a page without the post');
}
