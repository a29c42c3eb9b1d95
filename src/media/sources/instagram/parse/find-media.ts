/**
 * Finds the asked media in an answer. The site swaps shapes and places, so media are looked for anywhere, whichever endpoint
 * answered, and bound to the asked id: pages carry other people's posts. One walk through each document.
 */
import type { AppError } from '../../../../errors.ts';
import type { PostRef } from '../../../extract/source.ts';
import { readId } from '../../../parse/fields.ts';
import {
  createSearchBudget,
  isJsonObject,
  type JsonObject,
  parseJson,
  visitObjects,
} from '../../../parse/json-search.ts';
import { isComplete, type PostDraft, readableItems } from '../../kit/draft.ts';
import { emptyAnswer, gatedAnswer, restrictionOf } from '../failures.ts';
import { splitCode } from '../shortcode.ts';
import { GRAPH_KEYS, parseGraphMedia } from './graph.ts';
import { PRODUCT_KEYS, parseProduct } from './product.ts';

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'reels', 'tv']);

/** Whether the link itself says that the post is a video. */
export function isReelLink(ref: PostRef): boolean {
  return VIDEO_FORMS.has(ref.form);
}

const GATED_PLACE = 'if_not_gated_logged_out';
/** Keys whose value is the media itself, when the answer has one; null when it has none. */
const MEDIA_PLACES = ['xdt_shortcode_media', 'shortcode_media', 'xig_polaris_media'];
const LIST_PLACE = 'xdt_api__v1__media__shortcode__web_info';

/** What a property says of the object that has it, as bits: each object of a page is asked. */
const PRODUCT = 1;
const GRAPH = 2;
const IDENTITY = 4;
const GATE = 8;
const PLACE = 16;
const LIST = 32;
const CONTEXT = 64;

const ROLES: ReadonlyMap<string, number> = new Map([
  ...PRODUCT_KEYS.map(key => [key, PRODUCT] as const),
  ...GRAPH_KEYS.map(key => [key, GRAPH] as const),
  ...['code', 'shortcode', 'pk', 'id'].map(key => [key, IDENTITY] as const),
  ...MEDIA_PLACES.map(key => [key, PLACE] as const),
  [GATED_PLACE, GATE],
  [LIST_PLACE, LIST],
  ['contextJSON', CONTEXT],
]);

/** Copies of one post that are compared; a page carries two, one of them a stub. */
const MAX_COPIES = 8;

export interface Finding {
  /** The fullest draft of the asked media. */
  readonly draft: PostDraft | null;
  /** The asked media is there, in a shape that is not known. */
  readonly isHeld: boolean;
  readonly hasOthers: boolean;
  /** Why the site keeps the asked media to itself, by its own words. */
  readonly restriction: AppError | null;
  /** What the empty place of the media means; null when there is none. */
  readonly gate: AppError | null;
  readonly emptiness: AppError | null;
}

export interface MediaFinder {
  /** Looks through one more document. */
  read(document: unknown): void;
  /** Whether nothing is missing any more. */
  isDone(): boolean;
  finding(): Finding;
}

function isEmptyList(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Array.isArray(value.items) && value.items.length === 0);
}

/** How much a draft says. */
function fullness(draft: PostDraft): number {
  const facts = [draft.caption, draft.author.username, draft.author.id, draft.publishedAt, draft.stats.likes];
  const known = facts.filter(fact => fact !== null).length;
  return readableItems(draft) * 1_000 + (isComplete(draft) ? 100 : 0) + known;
}

/** Something beside flat values: the parameters of a page's route name the post, too. */
function hasBody(object: JsonObject): boolean {
  return Object.values(object).some(value => typeof value === 'object' && value !== null);
}

function rolesOf(object: JsonObject): number {
  return Object.keys(object).reduce((roles, key) => roles | (ROLES.get(key) ?? 0), 0);
}

export function createMediaFinder(ref: PostRef): MediaFinder {
  const { mediaId } = ref.parts;
  const isReel = isReelLink(ref);
  let best: PostDraft | null = null;
  /** Media without any id, in the place where only the asked one stands. */
  const unnamed: JsonObject[] = [];
  let copies = 0;
  let isHeld = false;
  let hasOthers = false;
  let restriction: AppError | null = null;
  let gate: AppError | null = null;
  let emptiness: AppError | null = null;

  /** Whether an object is the asked media; null when it carries no id at all. */
  function isAsked(object: JsonObject): boolean | null {
    const code = object.code ?? object.shortcode;
    if (typeof code === 'string' && code !== '') return splitCode(code).code === ref.id;
    const id = readId(object.pk) ?? readId(object.id);
    if (id !== null) return id === mediaId;
    // An id that came as a number has lost its last digits.
    return typeof object.pk === 'number' ? object.pk === Number(mediaId) : null;
  }

  function consider(object: JsonObject, roles: number): void {
    if ((roles & (PRODUCT | GRAPH)) === 0) {
      if ((roles & GATE) === 0) isHeld ||= hasBody(object);
      return;
    }
    if (copies >= MAX_COPIES) return;
    copies += 1;
    const drafts = [
      ...((roles & PRODUCT) === 0 ? [] : [parseProduct(object, isReel)]),
      ...((roles & GRAPH) === 0 ? [] : [parseGraphMedia(object, isReel)]),
    ];
    for (const draft of drafts) if (best === null || fullness(draft) > fullness(best)) best = draft;
  }

  /** A place where only the asked media stands, or a script that holds another document. */
  function visitPlace(role: number, key: string, value: unknown): void {
    if (role === PLACE && value === null) emptiness ??= emptyAnswer(ref, `${key} is null`);
    else if (role === LIST && isEmptyList(value)) emptiness ??= emptyAnswer(ref, `${key} is empty`);
    else if (role === CONTEXT && typeof value === 'string') read(parseJson(value));
    else if ((role & (PLACE | GATE)) !== 0 && isJsonObject(value) && isAsked(value) === null) unnamed.push(value);
  }

  /** Why the asked media is kept from visitors, where an object that may be it says so. */
  function visitRestrictions(object: JsonObject, roles: number): void {
    restriction ??= restrictionOf(object);
    if ((roles & GATE) !== 0 && object[GATED_PLACE] === null) {
      gate ??= gatedAnswer(ref, 'the media is gated for visitors');
    }
  }

  function visit(object: JsonObject): void {
    let roles = 0;
    for (const key in object) {
      const role = ROLES.get(key);
      if (role === undefined) continue;
      roles |= role;
      if (role > IDENTITY) visitPlace(role, key, object[key]);
    }
    if (roles === 0) return;
    const asked = (roles & IDENTITY) === 0 ? null : isAsked(object);
    if (asked === true) consider(object, roles);
    if (asked === true || (asked === null && (roles & GATE) !== 0)) visitRestrictions(object, roles);
    hasOthers ||= asked === false && (roles & (PRODUCT | GRAPH)) !== 0;
  }

  function read(document: unknown): void {
    visitObjects(document, visit, createSearchBudget());
    if (isJsonObject(document) && isEmptyList(document)) emptiness ??= emptyAnswer(ref, 'no items');
  }

  return {
    read,
    isDone: () => best !== null && isComplete(best),
    finding() {
      if (best === null) for (const object of unnamed.splice(0, MAX_COPIES)) consider(object, rolesOf(object));
      return { draft: best, isHeld, hasOthers, restriction, gate, emptiness };
    },
  };
}
