/** Turns a page of TikTok, as seen in 2026-10 (a post's own page or its embed), into the post or an AppError. Pure. */
import { AppError } from '../../../errors.ts';
import type { HttpResponse } from '../../../infra/http/http-client.ts';
import { asWeak, isWithdrawn, refusal, weakNotFound } from '../../extract/refusal.ts';
import type { PostRef } from '../../extract/source.ts';
import { type Body, type SiteAnswer, siteAnswer } from '../../parse/body.ts';
import {
  addressReader,
  child,
  firstOf,
  isJsonObject,
  type JsonObject,
  objectsWith,
  parseJson,
} from '../../parse/json.ts';
import { compareTracks } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';
import type { Author, Post, UnplacedItem, Variant } from '../../post.ts';
import { type PostDraft, type ReadContext, readableItems, toPost } from '../kit/draft.ts';
import { failureBySign, failureOfPlace, type Sign } from '../kit/failures.ts';
import { imageMime, listedFile, orderedItem } from '../kit/media-files.ts';

export const TIKTOK_LOGIN_PATH = /^\/login(?:\/|$)/;

/** The failure for a page that demands proof of a person (such a page has about 8 KB); null for any other page. */
function failureOfChallenge(body: Body): AppError | null {
  const isChallenge = body.length < 64 * 1024 && /_wafchallengeid|SlardarWAF|\sid="[wr]ci"/.test(body.text);
  return isChallenge ? refusal('limit', 'asked for proof of a person') : null;
}

/** The target that a short link's page states, else null. @throws AppError when proof of a person is wanted */
export function targetOfPage(answer: HttpResponse): string | null {
  const { body } = siteAnswer(answer);
  const failure = failureOfChallenge(body);
  if (failure !== null) throw failure;
  const named = /<a\s[^<>]{0,200}?href="(https:\/\/[^"<>]{1,2000})"/.exec(body.text.slice(0, 64 * 1024))?.[1];
  return named?.replaceAll('&amp;', '&') ?? null;
}

/** @throws AppError why the requested post is not in the answer. */
export function readTiktokPage({ body, ...head }: SiteAnswer, context: ReadContext): Post {
  const failure = failureOfChallenge(body) ?? failureOfPlace(head, context.now, TIKTOK_LOGIN_PATH);
  // An embed without its post may have status 400, so the page is read before that status counts (2026-09).
  if (failure !== null && failure.code !== 'upstream_changed') throw failure;
  const { item, state, isAbsent } = findItem(body, context.ref);
  if (item !== undefined) {
    const draft = draftOf(item, context.ref);
    if (readableItems(draft) === 0) throw failureWithoutFile(item, draft);
    return toPost(draft, context, 'files');
  }
  const stated = failureOfState(state);
  if (stated !== null) throw stated;
  if (isAbsent) throw weakNotFound('the embed has no post');
  if (failure !== null) throw failure;
  // The site sometimes sends a shell of the page; a moment later it sends the whole page (2026-08).
  const isShell = body.includes('downgrade-mssdk-preload');
  throw new AppError(isShell ? 'upstream_unavailable' : 'upstream_changed', 'a page without the post');
}

/**
 * Patterns for the site's status code and text (seen until 2026-10). 10204 without a text may have any reason, so
 * `failureOfState` lets another strategy confirm it.
 */
const STATES: readonly Sign[] = [
  [/cross_border|region|geo_|^10231/, 'region_blocked'],
  [/self_see|friend_see|author_secret|^10216|^10222/, 'private'],
  [/content_classification/, 'age_restricted'],
  [/^10204|^10217/, 'not_found'],
];

/** The failure that the status in the page's data means; null for status 0. */
function failureOfState(state: JsonObject | undefined): AppError | null {
  const code = read.count(state?.statusCode) ?? 0;
  if (code === 0) return null;
  const words = `${code} ${read.text(state?.statusMsg) ?? ''}`.slice(0, 100);
  const failure = failureBySign(words, STATES) ?? new AppError('upstream_changed', `state ${words}`);
  // Callers whom the site refuses get the same status as for a missing post, so another strategy has to confirm it.
  return isWithdrawn(failure) && failure.code !== 'private' ? asWeak(failure) : failure;
}

function failureWithoutFile(item: JsonObject, { sensitive }: PostDraft): AppError {
  const isPrivate = [item.privateItem, item.secret, child(item.author, 'privateAccount')].includes(true);
  if (isPrivate) return new AppError('private', 'the post of a private account');
  if (sensitive) return new AppError('age_restricted', 'the post is classified and comes without a file');
  return new AppError('upstream_changed', 'the post came without a file that we know');
}

/** Gives the data of an embed the names that a page has for the same data. */
function itemOfEmbed({ itemInfos, authorInfos, musicInfos, imagePostInfo }: JsonObject): JsonObject {
  const info = isJsonObject(itemInfos) ? itemInfos : {};
  const meta = child(info.video, 'videoMeta');
  const cover = read.list(info.coversOrigin)[0] ?? read.list(info.covers)[0];
  return {
    ...info,
    desc: info.text,
    author: isJsonObject(authorInfos) ? { ...authorInfos, nickname: authorInfos.nickName } : null,
    music: musicInfos,
    imagePost: { images: child(imagePostInfo, 'displayImages') },
    video: { ...(isJsonObject(meta) ? meta : {}), cover, playAddr: child(info.video, 'urls') },
  };
}

/** The names of the object with a page's status: on pages for browsers, for shared links and for phones. */
const DETAILS = ['webapp.video-detail', 'webapp.reflow.video.detail', 'videoDetail'];

/** Finds the post by its id anywhere in the page: the site often moves its data, and pages show related posts too. */
function findItem(page: Body, { id }: PostRef) {
  const route = `/embed/v2/${id}`;
  const keys = ['itemInfos', 'video', 'imagePost', 'itemInfo', ...DETAILS, route];
  const scripts = page.scripts.filter(({ isJson }) => isJson);
  const objects = scripts.flatMap(({ text }) => objectsWith(parseJson(text), keys));
  const embedded = objects.findLast(({ itemInfos }) => read.numericId(child(itemInfos, 'id')) === id);
  // The object of a post contains a video object with the post's id. That object has no media of its own and is not the
  // post.
  const isItem = ({ video, imagePost }: JsonObject) => isJsonObject(video) || isJsonObject(imagePost);
  const item = embedded ? itemOfEmbed(embedded) : objects.find(one => isItem(one) && read.numericId(one.id) === id);
  const details = objects.flatMap(object => ('itemInfo' in object ? [object] : DETAILS.map(name => object[name])));
  const routes = objects.map(object => object[route]).filter(isJsonObject);
  const refused = routes.find(({ videoData, customErrorCode }) => !videoData && Boolean(customErrorCode));
  const ofEmbed = refused && { statusCode: refused.customErrorCode };
  const state = details.filter(isJsonObject).find(detail => 'statusCode' in detail) ?? ofEmbed;
  const isAbsent = routes.some(one => one.is404 === true || one.isError === true || one.videoData === null);
  return { item, state, isAbsent };
}

function readAuthor({ author, nickname }: JsonObject): Author {
  const user = isJsonObject(author) ? author : { uniqueId: author, nickname };
  return {
    id: read.numericId(user.id) ?? read.numericId(user.userId),
    username: read.text(user.uniqueId),
    name: read.text(user.nickname),
    verified: read.boolean(user.verified),
    avatarUrl: firstOf([user.avatarLarger, user.avatarMedium, user.avatarThumb], readAddress),
  };
}

const STATS: read.StatPaths = {
  likes: 'diggCount',
  comments: 'commentCount',
  plays: 'playCount',
  shares: 'shareCount',
  saves: 'collectCount',
};

function draftOf(item: JsonObject, { id }: PostRef): PostDraft {
  return {
    author: readAuthor(item),
    title: read.text(child(item.imagePost, 'title')),
    caption: read.text(item.desc)?.trim() || null,
    // The upper half of an id is the time of publication, in seconds since 1970.
    publishedAt: read.instant(item.createTime) ?? Number(BigInt(id) >> 32n) * 1000,
    // Counts are texts in `statsV2`, numbers (some rounded) in `stats`, or properties of an embed's post (2026).
    stats: read.stats([item.statsV2, item.stats, item], STATS),
    items: readItems(item),
    coverUrl: firstOf([child(item.video, 'originCover'), child(item.video, 'cover')], readAddress),
    sensitive: read.boolean(item.isContentClassified) === true,
  };
}

/** The photos in order with their music, or the video. */
function readItems({ imagePost, video, music }: JsonObject): PostDraft['items'] {
  const images = read.list(child(imagePost, 'images')).map(one => (isJsonObject(one) ? imageItem(one) : null));
  if (images.length === 0) return [isJsonObject(video) ? videoItem(video) : null];
  const audio = isJsonObject(music) ? audioItem(music) : null;
  return audio === null ? images : [...images, audio];
}

/** Domains of the media hosts. The site's own host is one of them, because it serves files too. */
export const TIKTOK_MEDIA_HOSTS: readonly string[] = [
  ...['tiktok.com', 'tiktokcdn.com', 'tiktokcdn-us.com', 'tiktokcdn-eu.com', 'tiktokv.com', 'tiktokv.us', 'tiktokv.eu'],
  ...['byteoversea.com', 'ibyteimg.com', 'ibytedtos.com', 'muscdn.com'],
];

const readAddress = addressReader(TIKTOK_MEDIA_HOSTS);

/**
 * True for a file that may not work: on the site's own host or of a new encoding (2026), which often fails or is
 * silent, or a photo of a type that few programs show.
 */
function isDoubtful(url: string): boolean {
  return url.startsWith('https://www.tiktok.com/') || /\/media-video-hvc1\/|\.heic(?:\?|$)/.test(url);
}

/** The best address of one file. @param value an address, a list of addresses, or an object that contains a list */
function addressOf(value: unknown): string | undefined {
  const listed = ['UrlList', 'urlList', 'url_list'].flatMap(key => read.list(child(value, key)));
  const urls = [value, ...read.list(value), ...listed].flatMap(url => readAddress(url) ?? []);
  return urls.find(url => !isDoubtful(url)) ?? urls[0];
}

/** The expiry of an address, unix milliseconds: from its query, or from hex digits in its path. */
function addressExpiry(url: string): number | null {
  const seconds = /[?&](?:expire|x-expires)=(\d{9,11})(?:&|$)/.exec(url)?.[1];
  const hex = /^https:\/\/[^/]{1,200}\/[0-9a-f]{32}\/([0-9a-f]{8})\//.exec(url)?.[1];
  return read.instant(seconds ?? Number.parseInt(hex ?? '', 16));
}

/** @param names values that may contain the name of the codec */
function videoFile(places: unknown, names: readonly unknown[], facts: Partial<Variant>): Variant | null {
  const url = addressOf(places);
  const named = names.flatMap(one => read.text(one) ?? []).join(' ');
  // No player supports ByteDance's codec of 2023.
  if (url === undefined || /bytevc2|h266|vvc/i.test(named)) return null;
  const isHevc = /bytevc1|h265|hevc|hvc1|hev1/i.test(`${named} ${url.split('?', 1)[0]}`);
  const codecs = isHevc ? 'hvc1' : /h264|avc/i.test(named) ? 'avc1' : null;
  return listedFile(url, { mime: 'video/mp4', hasVideo: true, ...facts, codecs, expiresAt: addressExpiry(url) });
}

/** The files without the site's watermark. Doubtful files are used only if no other file plays in every chat. */
function filesOf(video: JsonObject): readonly Variant[] {
  const listed = read.list(video.bitrateInfo).map(info => {
    const places = child(info, 'PlayAddr') ?? child(info, 'playAddr');
    const weight = { bitrate: read.positive(child(info, 'Bitrate')), bytes: read.positive(child(places, 'DataSize')) };
    const names = [child(info, 'CodecType'), child(places, 'UrlKey')];
    return videoFile(places, names, { ...read.dimensions(places, 'Width', 'Height'), ...weight });
  });
  const weight = { bitrate: read.positive(video.bitrate), bytes: read.positive(video.size) };
  // `PlayAddrStruct` has further addresses of the file in `playAddr`; sometimes only `PlayAddrStruct` exists.
  const places = addressOf(video.playAddr) ?? video.PlayAddrStruct;
  const names = [video.codecType, child(video.PlayAddrStruct, 'UrlKey')];
  const whole = videoFile(places, names, { ...read.dimensions(video), ...weight });
  // The same file may be listed on several hosts; it is kept once.
  const nameOf = ({ url }: Variant) => (isDoubtful(url) ? url : new URL(url).pathname);
  const all = [...listed, whole].filter(file => file !== null);
  const files = all.filter((file, index) => all.findIndex(one => nameOf(one) === nameOf(file)) === index);
  const good = files.filter(({ url }) => !isDoubtful(url));
  return good.some(({ codecs }) => codecs !== 'hvc1') ? good : files;
}

/** A file with the site's watermark is used only if there is no other. Files that every chat plays come first. */
function videoItem(video: JsonObject): UnplacedItem | null {
  const size = read.dimensions(video);
  const unmarked = filesOf(video);
  const marked = unmarked.length > 0 ? null : videoFile(video.downloadAddr, [], size);
  const isHevc = ({ codecs }: Variant) => Number(codecs === 'hvc1');
  const files = marked === null ? unmarked : [marked];
  const sorted = files.toSorted((a, b) => isHevc(a) - isHevc(b) || compareTracks(a, b));
  return orderedItem('video', sorted, {
    durationMs: read.seconds(video.duration),
    thumbnailUrl: firstOf([video.originCover, video.cover], readAddress),
    ...(size.width !== null && size),
  });
}

function imageItem(image: JsonObject): UnplacedItem | null {
  const url = addressOf(image.imageURL ?? image);
  if (url === undefined) return null;
  const size = read.dimensions({ width: image.imageWidth ?? image.width, height: image.imageHeight ?? image.height });
  const file = listedFile(url, { mime: imageMime(url), hasVideo: false, ...size, expiresAt: addressExpiry(url) });
  return orderedItem('image', [file], { thumbnailUrl: url });
}

function audioItem({ playUrl, duration }: JsonObject): UnplacedItem | null {
  const url = addressOf(playUrl);
  if (url === undefined) return null;
  const mime = /mime_type=audio_mp4|\.(?:m4a|mp4)(?:\?|$)/.test(url) ? 'audio/mp4' : 'audio/mpeg';
  const file = listedFile(url, { mime, hasVideo: false, hasAudio: true, expiresAt: addressExpiry(url) });
  return orderedItem('audio', [file], { durationMs: read.seconds(duration) });
}
