/** Reads an answer of Bluesky's API into the post, or into an AppError. Pure. */
import { AppError } from '../../../errors.ts';
import { weakNotFound } from '../../extract/refusal.ts';
import type { SiteAnswer } from '../../parse/body.ts';
import {
  child,
  isJsonObject,
  type JsonObject,
  mediaAddress,
  objectsWith,
  type PixelSize,
  parseJson,
  UNKNOWN_SIZE,
} from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import { type Author, PLAYLIST_MIME, type Post, type Variant } from '../../post.ts';
import { scaledDown } from '../kit/cdn-address.ts';
import { type DraftItem, EMPTY_DRAFT, type PostDraft, type ReadContext, toReadablePost } from '../kit/draft.ts';
import { failureBySign, failureOfStatus, plainWords, type Sign } from '../kit/failures.ts';
import { listedFile, listedItem, orderedItem } from '../kit/media-files.ts';
import { blueskyRefOf } from './link.ts';

/** The domain of Bluesky's own file servers; a directory tells which of them has the files of an author. */
export const OWN_SERVERS = 'host.bsky.network';
export const BLUESKY_MEDIA_HOSTS: readonly string[] = ['cdn.bsky.app', 'video.bsky.app', OWN_SERVERS];

/** @throws AppError when the answer states an error, lacks the post, or has a post that visitors may not see */
export function readBlueskyAnswer(answer: SiteAnswer, context: ReadContext): Post {
  const json = parseJson(answer.body.text.trim());
  const failure = failureOfStatus(answer, context.now);
  if (failure !== null) throw (answer.status === 429 ? null : failureOfError(json)) ?? failure;
  const post = findView(json, context.ref.parts);
  if (post === undefined) throw new AppError('upstream_changed', 'the answer is about another post');
  if (post === null) throw failureWithoutPost(json, context.kind);
  const labels = labelsOf(post.view.labels, post.author.labels);
  if (labels.includes('!takedown') || labels.includes('!hide')) throw new AppError('not_found', 'taken down');
  if (isForMembers(post)) throw new AppError('login_required', 'its author shows it only to people who are logged in');
  return toReadablePost(draftOf(post), context);
}

/** Patterns for an error's `NAME: MESSAGE` in lower case. For an unknown author only the message tells the reason. */
const SIGNS: readonly Sign[] = [
  [/^(?:blockedby|blockedactor|auth)/, 'login_required'],
  [/^(?:\w*notfound|account|repo)|(?:unable to|could not) (?:resolve|find)|not found/, 'not_found'],
];
const ACCOUNT = /^(?:account|repo)|suspended|taken ?down|deactivated/;

function failureOfError(json: unknown): AppError | null {
  const words = plainWords(`${read.text(child(json, 'error')) ?? ''}: ${read.text(child(json, 'message')) ?? ''}`);
  return failureBySign(words, SIGNS, ACCOUNT);
}

function failureWithoutPost(json: unknown, kind: ReadContext['kind']): AppError {
  const thread = child(json, 'thread');
  const type = read.text(child(thread, '$type')) ?? '';
  const isSaid = (ending: string, flag: string) => type.endsWith(ending) || child(thread, flag) === true;
  if (isSaid('#notFoundPost', 'notFound')) return new AppError('not_found', 'no such post');
  if (isSaid('#blockedPost', 'blocked')) return new AppError('login_required', 'its author has blocked another');
  const posts = child(json, 'posts');
  if (kind === 'posts' && Array.isArray(posts) && posts.length === 0) return weakNotFound('no post of this id');
  return failureOfError(json) ?? new AppError('upstream_changed', 'an answer without a post');
}

/** Smaller numbers state an aspect ratio, not pixels. */
const MIN_PIXELS = 64;

function frameOf(view: JsonObject): PixelSize {
  const size = read.dimensions(view.aspectRatio);
  return Math.min(size.width ?? 0, size.height ?? 0) >= MIN_PIXELS ? size : UNKNOWN_SIZE;
}

/** A file's address on the CDN. Addresses contain their owner's id; one with another person's id gives null. */
function addressOf(url: unknown, did: string): string | null {
  const address = mediaAddress(url, BLUESKY_MEDIA_HOSTS);
  const owner = /did(?::|%3a)\w+(?::|%3a)[a-z0-9.-]+/i.exec(address ?? '')?.[0].replace(/%3a/gi, ':');
  return owner === undefined || owner === did ? address : null;
}

/** The file of a photo in one of the CDN's two sizes. Its longer side has at most `most` pixels. */
function photoFile(url: string | null, view: JsonObject, most: number): readonly Variant[] {
  if (url === null) return [];
  const size = scaledDown(frameOf(view), (...sides) => most / Math.max(...sides), Math.round);
  const mime = `image/${/@(png|webp)$/.exec(url)?.[1] ?? 'jpeg'}`;
  return [listedFile(url, { mime, hasVideo: false, ...size })];
}

function photoOf(view: JsonObject, did: string, cid: string | null): DraftItem {
  const ofCid = (size: string) => (cid === null ? null : `https://cdn.bsky.app/img/${size}/plain/${did}/${cid}@jpeg`);
  const small = addressOf(view.thumb ?? view.thumbnail ?? ofCid('feed_thumbnail'), did);
  const large = addressOf(view.fullsize ?? ofCid('feed_fullsize'), did);
  const files = [...photoFile(large, view, 2_000), ...photoFile(small, view, 1_000)];
  return listedItem('image', files, { ...frameOf(view), thumbnailUrl: small ?? large, alt: read.text(view.alt) });
}

/** A video with two files: the original, whose server has to be found first, and the CDN's playlist. */
function videoOf(view: JsonObject, did: string, blob: JsonObject | undefined): DraftItem {
  const cid = cidOf(blob) ?? read.text(view.cid);
  const size = frameOf(view);
  const files: Variant[] = [];
  if (cid !== null && blob?.mimeType === 'video/mp4' && /^did:plc:[a-z2-7]{24}$/.test(did)) {
    const url = `https://${OWN_SERVERS}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams({ did, cid })}`;
    files.push(listedFile(url, { mime: 'video/mp4', hasVideo: true, bytes: read.positive(blob.size), ...size }));
  }
  const ofCid = cid && `https://video.bsky.app/watch/${encodeURIComponent(did)}/${cid}/playlist.m3u8`;
  const playlist = addressOf(view.playlist ?? ofCid, did);
  if (playlist !== null) files.push(listedFile(playlist, { mime: PLAYLIST_MIME, hasVideo: true }));
  const known = { ...size, thumbnailUrl: addressOf(view.thumbnail, did), alt: read.text(view.alt) };
  return orderedItem('video', files, known);
}

const cidOf = (blob: unknown) => /^[a-z2-7]{20,100}$/.exec(read.text(child(blob, 'ref', '$link')) ?? '')?.[0] ?? null;

/** The media that the API lists, with facts from the post's record. If the API lists none, the record's own media. */
function itemsOf(views: readonly JsonObject[], record: unknown, did: string): readonly DraftItem[] {
  const parts = [record, child(record, 'media')].filter(isJsonObject);
  const lists = [views, parts].map(embeds =>
    embeds.flatMap(one => [...read.list(one.images), ...read.list(one.items)]),
  );
  const [shown = [], written = []] = lists;
  const photos = (shown.length > 0 ? shown : written).map((one, index) =>
    photoOf(isJsonObject(one) ? one : {}, did, cidOf(child(written[index], 'image'))),
  );
  const blob = parts.map(one => one.video).find(isJsonObject);
  const played = views.find(({ playlist }) => playlist !== undefined) ?? parts.find(one => isJsonObject(one.video));
  return played === undefined ? photos : [...photos, videoOf(played, did, blob)];
}

/** A post with its own id (`key`) and its author's id (`did`); only both together identify it. */
interface PostView {
  readonly view: JsonObject;
  readonly record: JsonObject;
  readonly author: JsonObject;
  readonly did: string;
  readonly key: string;
  readonly quoted: PostView | null;
}

const URI = /^at:\/\/(did:[a-z]{1,10}:[\w.:%-]{1,200})\/app\.bsky\.feed\.post\/([\w~-]{1,64})$/;

/** The embeds of a post. An embed with both a quote and media gives two objects. */
function embedsOf(view: JsonObject): readonly JsonObject[] {
  const embeds = [view.embed, ...read.list(view.embeds)].filter(isJsonObject);
  return embeds.flatMap(embed => (isJsonObject(embed.media) ? [embed, embed.media] : [embed]));
}

/** Reads a post, else null. Its quoted post is read too, unless `isQuote` is true or visitors may not see that post. */
function readView(view: unknown, isQuote = false): PostView | null {
  if (!isJsonObject(view)) return null;
  const [, did, key] = URI.exec(read.text(view.uri) ?? '') ?? [];
  const record = view.record ?? view.value;
  if (did === undefined || key === undefined || !isJsonObject(record)) return null;
  const author = isJsonObject(view.author) ? view.author : {};
  if (author.did !== undefined && author.did !== did) return null;
  const embeds = embedsOf(view);
  const quotes = isQuote ? [] : embeds.map(one => readView(child(one, 'record', 'record') ?? one.record, true));
  const quoted = quotes.find(one => one !== null && !isForMembers(one)) ?? null;
  return { view, record, author, did, key, quoted };
}

/** Finds the requested post. Undefined when the answer contains only other posts, null when it contains none. */
function findView(answer: unknown, { actor = '', key }: ReadContext['ref']['parts']): PostView | undefined | null {
  const views = objectsWith(answer, ['uri']).flatMap(object => readView(object) ?? []);
  const isBy = ({ did, author }: PostView) => {
    const handle = read.text(author.handle)?.toLowerCase() ?? 'handle.invalid';
    return actor === did || (!actor.startsWith('did:') && (handle === actor || handle === 'handle.invalid'));
  };
  return views.length === 0 ? null : views.find(one => one.key === key && isBy(one));
}

function labelsOf(...lists: readonly unknown[]): readonly unknown[] {
  const labels = lists.flatMap(list => read.list(list)).filter(isJsonObject);
  return labels.filter(({ neg }) => neg !== true).map(({ val }) => val);
}

/** True when the author shows posts only to people who are logged in. */
const isForMembers = ({ author }: PostView) => labelsOf(author.labels).includes('!no-unauthenticated');

const SENSITIVE: ReadonlySet<unknown> = new Set(['porn', 'sexual', 'nudity', 'graphic-media', 'gore', 'nsfl']);

function authorOf({ author, did }: PostView): Author {
  const verified = child(author, 'verification', 'verifiedStatus');
  return {
    id: did,
    username: read.text(author.handle),
    name: read.text(author.displayName),
    verified: typeof verified === 'string' ? verified === 'valid' : null,
    avatarUrl: mediaAddress(author.avatar, BLUESKY_MEDIA_HOSTS),
  };
}

/** The links and mentions of a text, the last one first: replacing one then does not move the others' byte offsets. */
function facetsOf({ record }: PostView, bytes: Buffer) {
  const facets = read.list(record.facets, 200).flatMap(facet => {
    const [start, end] = ['byteStart', 'byteEnd'].map(side => read.count(child(facet, 'index', side)));
    const [feature] = read.list(child(facet, 'features')).filter(isJsonObject);
    if (start == null || end == null || start >= end || end > bytes.length || feature === undefined) return [];
    return [{ start, end, shown: bytes.toString('utf8', start, end), feature }];
  });
  return facets.sort((a, b) => b.start - a.start);
}

/** The text with full links, which the site shortens. The link of the post's card is added below the text. */
function captionOf(post: PostView): { readonly caption: string | null; readonly mentions: readonly string[] } {
  let bytes = Buffer.from(read.text(post.record.text) ?? '');
  const facets = facetsOf(post, bytes);
  for (const { start, end, shown, feature } of facets) {
    const uri = read.text(feature.uri);
    if (uri === null || !/^https?:\/\/\S{1,2000}$/.test(uri)) continue;
    const text = /^\S+\.\S+$/.test(shown) ? uri : `${shown} (${uri})`;
    bytes = Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(end)]);
  }
  const words = bytes.toString().trim();
  const cards = [...embedsOf(post.view), post.record.embed].map(embed => child(embed, 'external')).filter(isJsonObject);
  const [title, uri] = [read.text(cards[0]?.title), read.text(cards[0]?.uri)];
  const isNew = uri !== null && /^https?:\/\/\S{1,2000}$/.test(uri) && !words.includes(uri);
  const caption = [words, ...(isNew ? [[title, uri].filter(Boolean).join('\n')] : [])].filter(Boolean).join('\n\n');
  const mentions = facets.filter(({ feature }) => 'did' in feature).map(({ shown }) => shown);
  return { caption: caption === '' ? null : caption, mentions: [...new Set(mentions.reverse())] };
}

const STATS = { likes: 'likeCount', comments: 'replyCount', shares: 'repostCount', saves: 'bookmarkCount' };

function draftOf(post: PostView): PostDraft {
  const { view, record, author, did, quoted } = post;
  const { caption, mentions } = captionOf(post);
  const embeds = embedsOf(view);
  // A post without text or media counts as text alone if it quotes a post, even if the quoted post has been deleted
  // since.
  const isQuote = embeds.some(embed => isJsonObject(embed.record) && embed.media === undefined);
  const items = itemsOf(embeds, record.embed, did);
  const ref = quoted === null ? undefined : blueskyRefOf(`${quoted.did}_${quoted.key}`);
  const labels = labelsOf(view.labels, child(record, 'labels', 'values'), author.labels);
  return {
    ...EMPTY_DRAFT,
    author: authorOf(post),
    caption,
    mentions,
    publishedAt: read.writtenDate(record.createdAt) ?? read.writtenDate(view.indexedAt),
    stats: read.stats([view], STATS),
    items,
    isWordsOnly: items.length === 0 && (caption !== null || isQuote),
    sensitive: labels.some(label => SENSITIVE.has(label)),
    quoted: quoted === null || ref === undefined ? null : { ref, draft: draftOf(quoted) },
  };
}
