/** Turns a page of Threads, a post's or an embed, into the post or an AppError (seen in 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import { refusal, weakNotFound } from '../../extract/refusal.ts';
import type { PostRef } from '../../extract/source.ts';
import type { Body, SiteAnswer } from '../../parse/body.ts';
import { child, isJsonObject, type JsonObject, objectsWith, parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import type { Post } from '../../post.ts';
import { readAddress } from '../kit/cdn-address.ts';
import { type DraftItem, type PostDraft, type ReadContext, readableItems, toReadablePost } from '../kit/draft.ts';
import { failureOfPlace } from '../kit/failures.ts';
import { publishTimeOf } from '../kit/link-match.ts';
import { listedFile, orderedItem } from '../kit/media-files.ts';
import { PRODUCT, parseMedia } from '../kit/product.ts';
import { parseEmbed } from './embed.ts';
import { threadsRefOf } from './link.ts';

export const THREADS_LOGIN_PATH = /^\/(?:login|accounts|challenge|checkpoint)(?:\/|$)/;

/** @throws AppError why the requested post is not in the page. */
export function readThreadsPage({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const failure = failureOfPlace(head, context.now, THREADS_LOGIN_PATH);
  if (failure !== null) throw failure;
  const { ref } = context;
  const draft = body.includes('OuterContainer') ? parseEmbed(body, ref) : parsePage(body, context);
  // If the page does not state the time of publication, it is calculated from the post's id.
  const publishedAt = draft.publishedAt ?? publishTimeOf(ref.parts.mediaId ?? '');
  return toReadablePost({ ...draft, publishedAt }, context);
}

// The page of a post contains that post in Instagram's shape, among related posts and replies (2026-09).

function isPost(object: JsonObject): boolean {
  if (!('code' in object || 'pk' in object)) return false;
  return 'is_post_unavailable' in object || isJsonObject(object.user) || PRODUCT.keys.some(key => key in object);
}

function isAsked({ code, pk, id }: JsonObject, ref: PostRef): boolean {
  if (read.text(code) !== null) return code === ref.id;
  return (read.numericId(pk) ?? read.numericId(id)) === ref.parts.mediaId;
}

/** `isEmpty`: the page has a place for the post, but no post there. `isWalled`: it has the thread without any posts. */
function findPost(page: Body, ref: PostRef) {
  // The body may also be the JSON answer to the site's own query, which contains the same objects.
  const texts = page.startsWith('{') ? [page] : page.scripts.filter(({ isJson }) => isJson);
  const objects = texts.flatMap(({ text }) => objectsWith(parseJson(text), ['code', 'pk', 'data', 'thread_items']));
  const posts = objects.filter(isPost);
  return {
    copies: posts.filter(post => isAsked(post, ref)),
    hasOthers: posts.some(post => !isAsked(post, ref)),
    isEmpty: objects.some(({ data }) => isJsonObject(data) && (data.media === null || isEmptyList(data.edges))),
    isWalled: objects.some(({ thread_items }) => isEmptyList(thread_items)),
  };
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const infoOf = ({ text_post_app_info: info }: JsonObject): JsonObject => (isJsonObject(info) ? info : {});
const isUnavailable = (post: JsonObject) => [post, infoOf(post)].some(one => one.is_post_unavailable === true);

/** True when the site states that the post has no media (type 19), or all its lists of files are empty. */
function saysWordsOnly(post: JsonObject): boolean {
  const type = read.count(post.media_type);
  if (type !== null) return type === 19;
  const lists = [child(post.image_versions2, 'candidates'), post.video_versions, post.carousel_media];
  return 'image_versions2' in post && lists.every(list => read.list(list).length === 0);
}

/** The GIF of a post, from the site's own copy. The site calls such a post text alone. */
function gifOf({ giphy_media_info: info }: JsonObject): DraftItem {
  const shown = child(info, 'first_party_cdn_proxied_images', 'fixed_height');
  const files = (['gif', 'webp'] as const).flatMap(type => {
    const url = readAddress(child(shown, type === 'gif' ? 'url' : type));
    return url === null ? [] : [listedFile(url, { mime: `image/${type}`, hasVideo: false, ...read.dimensions(shown) })];
  });
  return orderedItem('image', files, { thumbnailUrl: files[0]?.url ?? null });
}

function parsePost(post: JsonObject): PostDraft {
  const info = infoOf(post);
  const own = parseMedia(post, PRODUCT, false);
  const { linked_inline_media: linked } = info;
  // If the post shares a reel of Instagram, the reel's files count as the post's own.
  const media = readableItems(own) === 0 && isJsonObject(linked) ? parseMedia(linked, PRODUCT, false) : own;
  const fragments = read.list(child(info.text_fragments, 'fragments'), 500);
  const words = fragments.map(one => read.text(child(one, 'plaintext'))).join('');
  const gif = readableItems(media) === 0 ? gifOf(post) : null;
  const isWordsOnly = gif === null && media === own && readableItems(own) === 0 && saysWordsOnly(post);
  return {
    ...own,
    title: null,
    caption: own.caption ?? read.text(words),
    stats: {
      ...own.stats,
      comments: read.count(info.direct_reply_count) ?? own.stats.comments,
      shares: read.count(info.reshare_count) ?? own.stats.shares ?? read.count(info.repost_count),
    },
    items: gif !== null ? [gif] : isWordsOnly ? [] : media.items,
    coverUrl: media.coverUrl,
    sensitive: read.boolean(info.is_spoiler_media) === true || [own, media].some(draft => draft.sensitive),
    isWordsOnly,
    quoted: quotedBy(info),
  };
}

/** The post that is quoted, shared or (the third key) attached. Of an attached post the site shows only the media. */
function quotedBy(info: JsonObject): NonNullable<PostDraft['quoted']> | null {
  const keys = ['quoted_post', 'reposted_post', 'quoted_attachment_post'];
  const post = keys.map(key => child(info.share_info, key)).find(isJsonObject);
  const ref = threadsRefOf(read.text(post?.code) ?? '');
  return post === undefined || ref === undefined || isUnavailable(post) ? null : { ref, draft: parsePost(post) };
}

/** How complete a copy of the post is. A page may contain several copies; the most complete one is used. */
const fullness = (draft: PostDraft) => 2 * readableItems(draft) + Number(draft.caption !== null);

/** @throws AppError when the post is not in the page. */
function parsePage(page: Body, { ref, kind }: ReadContext): PostDraft {
  const { copies, hasOthers, isEmpty, isWalled } = findPost(page, ref);
  const drafts = copies.filter(copy => !isUnavailable(copy)).map(parsePost);
  const [best] = drafts.sort((a, b) => fullness(b) - fullness(a));
  if (best !== undefined) return best;
  // This page appears for a post that only some people may see (seen in 2026-10).
  if (page.includes('BarcelonaGeoBlock')) throw refusal('audience', 'kept from a part of the visitors');
  if (copies.length > 0 || isEmpty) throw weakNotFound('the page says that the post is not available');
  if (isWalled) throw refusal('caller', 'the page of the thread comes without its posts');
  if (hasOthers) throw new AppError('upstream_changed', 'the page shows other posts only');
  // An embed without its post means that the site refuses the caller. A page without its post means a rate limit.
  throw kind === 'embed'
    ? refusal('caller', 'a shell in place of the embed')
    : refusal('limit', 'a shell in place of the page');
}
