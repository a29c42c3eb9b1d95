/** Finds and reads media, stories and profiles in Instagram's answers (as seen in 2026-08). Pure. */
import { AppError } from '../../../errors.ts';
import { isVideoLink, type PostRef } from '../../extract/source.ts';
import { child, findValues, firstOf, isJsonObject, type JsonObject, objectsWith, parseJson } from '../../parse/json.ts';
import * as read from '../../parse/read.ts';
import { imageSize, readAddress } from '../kit/cdn-address.ts';
import { isComplete, type PostDraft, readableItems } from '../kit/draft.ts';
import { splitCode } from '../kit/link-match.ts';
import { listed, MAX_CHILDREN, type MediaShape, PRODUCT, parseMedia, readUsers } from '../kit/product.ts';
import { gatedAnswer, restrictionOf } from './failures.ts';

/**
 * The older GraphQL shape: `xdt_shortcode_media`, and `shortcode_media` in embeds. Names that the site used until 2017
 * are the last in their lists.
 */
const GRAPH: MediaShape = {
  keys: ['display_url', 'display_src', 'display_resources', 'video_url', 'edge_sidecar_to_children'],
  stats: {
    likes: ['edge_media_preview_like.count', 'edge_liked_by.count', 'likes.count'],
    comments: [
      ...['edge_media_to_parent_comment.count', 'edge_media_to_comment.count', 'edge_media_preview_comment.count'],
      'comments.count',
    ],
    plays: 'video_play_count',
    views: ['video_view_count', 'video_views'],
    authorFollowers: 'owner.edge_followed_by.count',
    authorPosts: 'owner.edge_owner_to_timeline_media.count',
  },
  factsOf(media) {
    const original = read.dimensions(media.dimensions);
    const url = readAddress(media.display_url) ?? read.text(media.display_src) ?? '';
    const smaller = listed(media.display_resources, 'src', 'config_width', 'config_height');
    const { edge_sidecar_to_children: edges, video_url: video } = media;
    const isCarousel = isJsonObject(edges) || /Sidecar$/.test(read.text(media.__typename) ?? '');
    return {
      original,
      // `dimensions` is the original's size, but the address may lead to a smaller copy.
      images: [{ url, ...imageSize(url, original) }, ...smaller, { url: media.thumbnail_src }],
      videos: read.text(video) === null ? [] : [{ url: video }],
      manifest: child(media.dash_info, 'video_dash_manifest'),
      saysVideo: read.boolean(media.is_video),
      hasVideoSign: read.count(media.video_view_count) !== null,
      children: isCarousel ? read.list(child(edges, 'edges'), MAX_CHILDREN).map(edge => child(edge, 'node')) : null,
      users: [media.owner],
      caption:
        read.text(child(read.list(child(media.edge_media_to_caption, 'edges'))[0], 'node', 'text')) ??
        read.text(media.caption),
      publishedAt: media.taken_at_timestamp ?? media.date,
    };
  },
};

function idOf(object: unknown): string | null {
  return read.numericId(child(object, 'pk')) ?? read.numericId(child(object, 'id'));
}

const SHAPES = [PRODUCT, GRAPH];
const MEDIA_KEYS = SHAPES.flatMap(shape => shape.keys);
const ID_KEYS = ['code', 'shortcode', 'pk', 'id'];
const GATED_PLACE = 'if_not_gated_logged_out';
/** Properties whose value is the requested media, or null when the answer lacks them. */
const PLACES = ['xdt_shortcode_media', 'shortcode_media', 'xig_polaris_media'];
const LIST = 'xdt_api__v1__media__shortcode__web_info';
const VISITED = [...PLACES, GATED_PLACE, LIST, 'contextJSON', ...ID_KEYS, ...MEDIA_KEYS];

/** The most copies of one post that are compared. A page contains two, one of them incomplete. */
const MAX_COPIES = 8;

/** The error for an answer without the requested media. The post may have been removed. */
function emptyAnswer(ref: PostRef, message: string): AppError {
  if (ref.parts.private === '1') return new AppError('private', message);
  return new AppError('not_found', message, { params: { weak: 1, empty: 1 } });
}

function isEmptyList(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Array.isArray(value.items) && value.items.length === 0);
}

function shapesOf(object: JsonObject): readonly MediaShape[] {
  return SHAPES.filter(({ keys }) => keys.some(key => key in object));
}

/** Joins objects about one media. If several state a property, the last of them counts. */
function joined(parts: readonly JsonObject[]): JsonObject {
  const isStated = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(parts.flatMap(part => Object.entries(part).filter(([, value]) => isStated(value))));
}

function fullness(draft: PostDraft): number {
  const facts = [draft.caption, draft.author.username, draft.author.id, draft.publishedAt, draft.stats.likes];
  return readableItems(draft) * 1_000 + (isComplete(draft) ? 100 : 0) + facts.filter(fact => fact !== null).length;
}

/**
 * Finds the requested media anywhere in an answer, because the site often moves them. Their id must match, because
 * pages also contain other people's posts.
 */
export class MediaFinder {
  draft: PostDraft | null = null;
  hasOthers = false;
  /** The failure if a property that should contain the media is empty; null if none is. */
  emptiness: AppError | null = null;
  readonly #ref: PostRef;
  /** Objects with the requested media in an unknown shape, or only with facts about them, such as the author. */
  readonly #rests: JsonObject[] = [];
  /** The copies of the requested media in a known shape, and the fullest of them. */
  readonly #copies: JsonObject[] = [];
  #best: JsonObject | null = null;
  /** Objects about the requested media, in which the site may state why it hides them. */
  readonly #gates: JsonObject[] = [];
  /** Media without an id, from properties that can contain only the requested media. */
  readonly #unnamed: JsonObject[] = [];

  constructor(ref: PostRef) {
    this.#ref = ref;
  }

  get isDone(): boolean {
    return this.draft !== null && isComplete(this.draft);
  }

  /** Why the site hides the media; null when it does not hide them. */
  get gate(): AppError | null {
    const isGated = this.#gates.some(object => object[GATED_PLACE] === null);
    return firstOf(this.#gates, restrictionOf) ?? (isGated ? gatedAnswer(this.#ref, 'gated for visitors') : null);
  }

  /** Why the media have no file; null when the answer does not contain the media at all. */
  get failure(): AppError | null {
    if (this.gate !== null || (this.draft === null && this.#rests.length === 0)) return this.gate;
    return new AppError('upstream_changed', 'the post came without a media address that we know');
  }

  read(document: unknown): void {
    for (const object of objectsWith(document, VISITED)) this.#visit(object);
    if (isJsonObject(document) && isEmptyList(document)) this.emptiness ??= emptyAnswer(this.#ref, 'no items');
  }

  /** Call this after all documents are read. If none had the right id, media without an id are used. */
  finish(): void {
    if (this.draft === null) for (const object of this.#unnamed.splice(0, MAX_COPIES)) this.#consider(object);
    // A page may send one media in several parts, of which one has the files and another the author or the text.
    const parts = [...this.#rests, ...this.#copies];
    if (this.#best !== null && parts.length > 1) this.#take(joined([...parts, this.#best]));
  }

  #visit(object: JsonObject): void {
    for (const place of PLACES) {
      const value = object[place];
      if (value === null) this.emptiness ??= emptyAnswer(this.#ref, `${place} is null`);
      else if (value !== undefined) this.#addUnnamed(value);
    }
    if (GATED_PLACE in object) this.#addUnnamed(object[GATED_PLACE]);
    if (LIST in object && isEmptyList(object[LIST])) this.emptiness ??= emptyAnswer(this.#ref, `${LIST} is empty`);
    // A page may contain another JSON document as a string.
    if (typeof object.contextJSON === 'string') this.read(parseJson(object.contextJSON));
    const isAsked = ID_KEYS.some(key => key in object) ? this.#isAsked(object) : null;
    if (isAsked === true) this.#consider(object);
    if (isAsked === true || (isAsked === null && GATED_PLACE in object)) this.#gates.push(object);
    this.hasOthers ||= isAsked === false && MEDIA_KEYS.some(key => key in object);
  }

  #addUnnamed(value: unknown): void {
    if (isJsonObject(value) && this.#isAsked(value) === null) this.#unnamed.push(value);
  }

  /** True for the requested media, false for other media, null for an object without any id. */
  #isAsked(object: JsonObject): boolean | null {
    const code = object.code ?? object.shortcode;
    if (typeof code === 'string' && code !== '') return splitCode(code).code === this.#ref.id;
    const { mediaId } = this.#ref.parts;
    const id = idOf(object);
    if (id !== null) return id === mediaId;
    // JavaScript loses the last digits of such a large number, so the requested id is rounded in the same way.
    return typeof object.pk === 'number' ? object.pk === Number(mediaId) : null;
  }

  #consider(object: JsonObject): void {
    const isShaped = shapesOf(object).length > 0;
    // The post's media have nested values. Route parameters have the post's id too, but only plain values.
    const isNested = Object.values(object).some(value => typeof value === 'object' && value !== null);
    if (!isShaped && (GATED_PLACE in object || !isNested)) return;
    const known = isShaped ? this.#copies : this.#rests;
    if (known.length >= MAX_COPIES) return;
    known.push(object);
    this.#take(object);
  }

  /** Reads the object, and keeps what is read if it is the fullest so far. */
  #take(object: JsonObject): void {
    for (const shape of shapesOf(object)) {
      const draft = parseMedia(object, shape, isVideoLink(this.#ref));
      if (this.draft !== null && fullness(draft) <= fullness(this.draft)) continue;
      this.draft = draft;
      this.#best = object;
    }
  }
}

/** The most items of a story or highlight that are read. An account may post 100 a day (2026). */
const MAX_ITEMS = 200;

/** Reads an item of a story. It keeps its own id, because its position changes when older items expire. */
function parseItem(item: unknown): PostDraft | null {
  const draft = isJsonObject(item) ? parseMedia(item, PRODUCT, false) : null;
  if (draft === null || readableItems(draft) === 0) return null;
  const id = idOf(item);
  return id === null ? draft : { ...draft, items: draft.items.map(each => each && { ...each, id }) };
}

/**
 * Reads all items of the story, or only the requested one; null when the answer contains no story.
 * @throws AppError `upstream_changed` when the answer is no JSON, or no item of the story can be read
 */
export function parseStories(body: string, { parts: { mediaId } }: PostRef): PostDraft | null {
  const answer = parseJson(body);
  if (answer === undefined) throw new AppError('upstream_changed', 'the answer about a story is no JSON');
  const reels = objectsWith(answer, ['items']).filter(({ items }) => read.list(items).length > 0);
  for (const reel of reels) {
    const shown = read.list(reel.items, MAX_ITEMS);
    const named = shown.filter(item => idOf(item) === mediaId);
    const drafts = (named.length > 0 ? named : shown).map(parseItem);
    const first = drafts.find(draft => draft !== null);
    if (first === undefined) continue;
    // Not every item states its owner, so the owner that the whole story states is used.
    const owner = readUsers([reel.user, reel.owner]);
    const author = owner.username === null ? first.author : owner;
    return { ...first, author, items: drafts.flatMap(draft => draft?.items ?? [null]) };
  }
  if (reels.length > 0) throw new AppError('upstream_changed', 'the story came without a file that we know');
  return null;
}

/** The user's id in a `web_profile_info` answer; null when it is missing. */
export function userIdOf(body: string): string | null {
  return firstOf(findValues(parseJson(body), 'user'), idOf);
}
