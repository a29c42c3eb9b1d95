/** Reads a page of TikTok, a post's own or its embed, into the post, or into the AppError that it means (2026-08 to 2026-10). Pure. */
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import type { PostRef } from '../../extract/source.ts';
import { type Body, type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import {
  child,
  firstOf,
  isJsonObject,
  type JsonObject,
  parseJson,
  readCount,
  readFlag,
  readId,
  readInstant,
  readList,
  readText,
  visitObjects,
} from '../../parse/json-fields.ts';
import { type Author, NO_STATS, type Post, type Stats } from '../../post.ts';
import { type PostDraft, type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { blocked, failureOfPlace, weakNotFound } from '../kit/refusal.ts';
import { imageItem, readAddress, soundItem, videoItem } from './parse/media.ts';

export const WALL = /^\/login(?:\/|$)/;

/** The failure when the answer is the page that asks for proof of a person; that page has 8 KB. */
function failureOfChallenge(body: Body): AppError | null {
  const isChallenge = body.length < 64 * 1024 && /_wafchallengeid|SlardarWAF|\sid="[wr]ci"/.test(body.text);
  return isChallenge ? blocked('asked for proof of a person') : null;
}

/**
 * The address that the page of a short link names.
 * @throws AppError when the page asks for proof of a person
 */
export function targetOfPage(answer: HttpResponse): string | null {
  const { body } = siteAnswer(answer);
  const failure = failureOfChallenge(body);
  if (failure !== null) throw failure;
  const named = /<a\s[^<>]{0,200}?href="(https:\/\/[^"<>]{1,2000})"/.exec(body.text.slice(0, 64 * 1024))?.[1];
  return named?.replaceAll('&amp;', '&') ?? null;
}

function failureOfState({ statusCode, statusMsg }: NonNullable<FoundItem['state']>): AppError | null {
  const code = readCount(statusCode) ?? 0;
  const words = readText(statusMsg) ?? '';
  if (code === 0) return null;
  const message = `state ${code}: ${words.slice(0, 100)}`;
  if (/cross_border|region/.test(words)) return new AppError('region_blocked', message, { params: { weak: 1 } });
  if (code === 10_216 || code === 10_222) return new AppError('private', message);
  // The site also sends this code to callers that it does not want to answer.
  return code === 10_204 ? weakNotFound(message) : new AppError('upstream_changed', message);
}

/** Why a post that exists has no file. */
function failureWithoutFile({ sensitive, isPrivate }: PostDraft & { readonly isPrivate: boolean }): AppError {
  if (isPrivate) return new AppError('private', 'the post of a private account');
  if (sensitive) return new AppError('age_restricted', 'the post is classified and comes without a file');
  return new AppError('upstream_changed', 'the post came without a file that we know');
}

/** @throws AppError the meaning of the answer when the requested post is not in it. */
export function readTiktokPage({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const failure = failureOfChallenge(body) ?? failureOfPlace(head, context.now, WALL);
  if (failure !== null) throw failure;
  const { item, state, isAbsent } = findItem(body, context.ref);
  if (item !== null) {
    const { isPrivate, ...draft } = parseItem(item, context.ref);
    if (readableItems(draft) === 0) throw failureWithoutFile({ ...draft, isPrivate });
    return toPost(draft, context, 'files');
  }
  const stated = state === null ? null : failureOfState(state);
  if (stated !== null) throw stated;
  throw isAbsent ? weakNotFound('the embed has no post') : new AppError('upstream_changed', 'a page without the post');
}

export interface FoundItem {
  readonly item: JsonObject | null;
  /** The status that the site gives in its answer. */
  readonly state: JsonObject | null;
  /** True when the embed says that there is no such post. */
  readonly isAbsent: boolean;
}

/** An embed has the same data as a page, in other places. */
function itemOfEmbed({ itemInfos, authorInfos, musicInfos, imagePostInfo }: JsonObject): JsonObject {
  const info = isJsonObject(itemInfos) ? itemInfos : {};
  const meta = child(info.video, 'videoMeta');
  const cover = readList(info.coversOrigin)[0] ?? readList(info.covers)[0];
  const images = child(imagePostInfo, 'displayImages');
  return {
    ...info,
    desc: info.text,
    author: isJsonObject(authorInfos) ? { ...authorInfos, nickname: authorInfos.nickName } : null,
    music: musicInfos,
    ...(Array.isArray(images) && { imagePost: { images } }),
    video: { ...(isJsonObject(meta) ? meta : {}), cover, playAddr: child(info.video, 'urls') },
  };
}

/**
 * Finds the post anywhere in the page, since the site moves its data now and then. It must have the requested id, because pages contain
 * related posts.
 */
function findItem(page: Body, { id }: PostRef): FoundItem {
  const items: JsonObject[] = [];
  let state: JsonObject | null = null;
  let isAbsent = false;
  const visit = (object: JsonObject) => {
    if (isJsonObject(object.itemInfos) && readId(object.itemInfos.id) === id) items.unshift(itemOfEmbed(object));
    // The video object inside the post has the same id, but no media of its own.
    const isItem = isJsonObject(object.video) || isJsonObject(object.imagePost);
    if (isItem && readId(object.id) === id) items.push(object);
    const detail = 'itemInfo' in object ? object : object['webapp.video-detail'];
    if (isJsonObject(detail) && 'statusCode' in detail) state ??= detail;
    const route = object[`/embed/v2/${id}`];
    if (isJsonObject(route)) isAbsent ||= route.is404 === true || route.isError === true || route.videoData === null;
  };
  for (const script of page.scripts) if (script.isJson) visitObjects(parseJson(script.text), visit);
  return { item: items[0] ?? null, state, isAbsent };
}

const MAX_IMAGES = 60;

const STATS: Readonly<Partial<Record<keyof Stats, string>>> = {
  likes: 'diggCount',
  comments: 'commentCount',
  plays: 'playCount',
  shares: 'shareCount',
  saves: 'collectCount',
};

/** In 2026 the site gives counts as text and as numbers, which are sometimes rounded; embeds have them next to the text. */
function readStats(item: JsonObject): Stats {
  const read = (name: string) => firstOf([item.statsV2, item.stats, item], place => readCount(child(place, name)));
  return { ...NO_STATS, ...Object.fromEntries(Object.entries(STATS).map(([key, name]) => [key, read(name)])) };
}

function readAuthor({ author, nickname }: JsonObject): Author {
  const user = isJsonObject(author) ? author : { uniqueId: author, nickname };
  return {
    id: readId(user.id) ?? readId(user.userId),
    username: readText(user.uniqueId),
    name: readText(user.nickname),
    verified: readFlag(user.verified),
    avatarUrl: firstOf([user.avatarLarger, user.avatarMedium, user.avatarThumb], readAddress),
  };
}

/** The upper half of an id is the time in seconds since 1970. */
function publishTimeOf(id: string): number {
  return Number(BigInt(id) >> 32n) * 1000;
}

/** Photos in their order with the music that plays to them, or a video. */
function readItems({ imagePost, video, music }: JsonObject): PostDraft['items'] {
  const images = readList(child(imagePost, 'images'), MAX_IMAGES).map(one =>
    isJsonObject(one) ? imageItem(one) : null,
  );
  if (images.length === 0) return [isJsonObject(video) ? videoItem(video) : null];
  const sound = isJsonObject(music) ? soundItem(music) : null;
  return sound === null ? images : [...images, sound];
}

/** Null stands for everything that the item does not state. */
function parseItem(item: JsonObject, { id }: PostRef): PostDraft & { readonly isPrivate: boolean } {
  return {
    author: readAuthor(item),
    title: readText(child(item.imagePost, 'title')),
    caption: readText(item.desc)?.trim() || null,
    publishedAt: readInstant(item.createTime) ?? publishTimeOf(id),
    stats: readStats(item),
    items: readItems(item),
    coverUrl: firstOf([child(item.video, 'originCover'), child(item.video, 'cover')], readAddress),
    sensitive: readFlag(item.isContentClassified) === true,
    isPrivate: [item.privateItem, item.secret, child(item.author, 'privateAccount')].includes(true),
  };
}
