import { AppError } from '../../../errors.ts';
import { isVideoLink, type PostRef } from '../../extract/source.ts';
import { firstOf, isJsonObject, type JsonObject, parseJson, readId, visitObjects } from '../../parse/json-fields.ts';
import { isComplete, type PostDraft, readableItems } from '../kit/draft.ts';
import { splitCode } from '../kit/link-match.ts';
import { PRODUCT, parseMedia } from '../kit/product.ts';
import { restrictionOf } from './failures.ts';
import { GRAPH } from './media.ts';

/** What a property means for the object that has it: each role is a bit, looked up for every object of a page. */
const ROLE = { media: 1, identity: 2, gate: 4, place: 8, list: 16, context: 32 } as const;
const SHAPES = [PRODUCT, GRAPH];
const GATED_PLACE = 'if_not_gated_logged_out';
const KEYS: readonly (readonly [number, readonly string[]])[] = [
  [ROLE.media, SHAPES.flatMap(shape => shape.keys)],
  [ROLE.identity, ['code', 'shortcode', 'pk', 'id']],
  [ROLE.gate, [GATED_PLACE]],
  // The value of these properties is the requested media, or null when the answer does not have it.
  [ROLE.place, ['xdt_shortcode_media', 'shortcode_media', 'xig_polaris_media']],
  [ROLE.list, ['xdt_api__v1__media__shortcode__web_info']],
  [ROLE.context, ['contextJSON']],
];
const ROLES = new Map(KEYS.flatMap(([role, keys]) => keys.map(key => [key, role] as const)));

/** How many copies of one post are compared; a page contains two, one of which is incomplete. */
const MAX_COPIES = 8;

/** The error for an answer without the requested media: perhaps the post was removed. */
function emptyAnswer(ref: PostRef, message: string): AppError {
  if (ref.parts.private === '1') return new AppError('private', message);
  return new AppError('not_found', message, { params: { weak: 1, empty: 1 } });
}

/** The error for media that exist but are hidden from visitors: by age, sensitivity or region, or because an account is required. */
export function gatedAnswer(ref: PostRef, message: string): AppError {
  return new AppError(ref.parts.private === '1' ? 'private' : 'login_required', message);
}

function isEmptyList(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Array.isArray(value.items) && value.items.length === 0);
}

function fullness(draft: PostDraft): number {
  const facts = [draft.caption, draft.author.username, draft.author.id, draft.publishedAt, draft.stats.likes];
  return readableItems(draft) * 1_000 + (isComplete(draft) ? 100 : 0) + facts.filter(fact => fact !== null).length;
}

/** Says whether an object has nested values: the flat parameters of a page's route name the post, too. */
function hasBody(object: JsonObject): boolean {
  return Object.values(object).some(value => typeof value === 'object' && value !== null);
}

/**
 * Finds the requested media anywhere in an answer, since the site often moves it. It must have the requested id,
 * because pages contain other people's posts.
 */
export class MediaFinder {
  draft: PostDraft | null = null;
  hasOthers = false;
  /** The failure that an empty property for the media means; null when there is none. */
  emptiness: AppError | null = null;
  readonly #ref: PostRef;
  /** True when the requested media is there, but in an unknown shape. */
  #isHeld = false;
  /** Objects of the requested media, which may say why the site hides it. */
  readonly #gates: JsonObject[] = [];
  /** Media without an id, found in properties that only the requested media can have. */
  readonly #unnamed: JsonObject[] = [];
  #copies = 0;

  constructor(ref: PostRef) {
    this.#ref = ref;
  }

  get isDone(): boolean {
    return this.draft !== null && isComplete(this.draft);
  }

  /** Why the site hides the media; null when it does not. */
  get gate(): AppError | null {
    const isGated = this.#gates.some(object => object[GATED_PLACE] === null);
    return firstOf(this.#gates, restrictionOf) ?? (isGated ? gatedAnswer(this.#ref, 'gated for visitors') : null);
  }

  /** Why the media has no file; null when the media is not there at all. */
  get failure(): AppError | null {
    if (this.gate !== null || (this.draft === null && !this.#isHeld)) return this.gate;
    return new AppError('upstream_changed', 'the post came without a media address that we know');
  }

  read(document: unknown): void {
    visitObjects(document, object => this.#visit(object));
    if (isJsonObject(document) && isEmptyList(document)) this.emptiness ??= emptyAnswer(this.#ref, 'no items');
  }

  /** To be called when all documents are read: only then media without an id are used. */
  finish(): void {
    if (this.draft !== null) return;
    for (const object of this.#unnamed.splice(0, MAX_COPIES)) this.#consider(object);
  }

  #visit(object: JsonObject): void {
    let roles = 0;
    for (const key in object) {
      const role = ROLES.get(key);
      if (role === undefined) continue;
      roles |= role;
      if (role > ROLE.identity) this.#visitPlace(role, key, object[key]);
    }
    if (roles === 0) return;
    const isAsked = (roles & ROLE.identity) === 0 ? null : this.#isAsked(object);
    if (isAsked === true) this.#consider(object);
    if (isAsked === true || (isAsked === null && (roles & ROLE.gate) !== 0)) this.#gates.push(object);
    this.hasOthers ||= isAsked === false && (roles & ROLE.media) !== 0;
  }

  /** Reads a property that only the requested media can have, or a script that contains another document. */
  #visitPlace(role: number, key: string, value: unknown): void {
    if (role === ROLE.place && value === null) this.emptiness ??= emptyAnswer(this.#ref, `${key} is null`);
    else if (role === ROLE.list && isEmptyList(value)) this.emptiness ??= emptyAnswer(this.#ref, `${key} is empty`);
    else if (role === ROLE.context && typeof value === 'string') this.read(parseJson(value));
    else if ((role & (ROLE.place | ROLE.gate)) !== 0 && isJsonObject(value) && this.#isAsked(value) === null) {
      this.#unnamed.push(value);
    }
  }

  /** True for the requested media, null for an object without any id. */
  #isAsked(object: JsonObject): boolean | null {
    const code = object.code ?? object.shortcode;
    if (typeof code === 'string' && code !== '') return splitCode(code).code === this.#ref.id;
    const { mediaId } = this.#ref.parts;
    const id = readId(object.pk) ?? readId(object.id);
    if (id !== null) return id === mediaId;
    // An id that was sent as a number has lost its last digits, so it is compared as a number.
    return typeof object.pk === 'number' ? object.pk === Number(mediaId) : null;
  }

  #consider(object: JsonObject): void {
    const shapes = SHAPES.filter(({ keys }) => keys.some(key => key in object));
    if (shapes.length === 0 && !(GATED_PLACE in object)) this.#isHeld ||= hasBody(object);
    if (shapes.length === 0 || this.#copies >= MAX_COPIES) return;
    this.#copies += 1;
    for (const shape of shapes) {
      const draft = parseMedia(object, shape, isVideoLink(this.#ref));
      if (this.draft === null || fullness(draft) > fullness(this.draft)) this.draft = draft;
    }
  }
}
