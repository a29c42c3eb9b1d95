/** What a Facebook page holds. Scripts are parsed when something in them is asked for: a page has a hundred and a post is in few. */
import type { Body, Script } from '../../parse/body.ts';
import {
  createSearchBudget,
  isJsonObject,
  type JsonObject,
  parseJson,
  type SearchBudget,
  visitObjects,
} from '../../parse/json-search.ts';
import { type PageMeta, readMeta } from '../../parse/page-meta.ts';
import { legacyVideoData } from './legacy.ts';
import { matchFacebookLink } from './link.ts';
import { VIDEO_KEYS } from './video.ts';

export interface FacebookPage {
  readonly meta: PageMeta;
  /** For searches through the page's objects, all together. */
  readonly budget: SearchBudget;
  /** Objects that carry this id, in page order: Facebook's ids are unique, so all of them speak of one thing. */
  byId(id: string): readonly JsonObject[];
  /** Objects that may be the story of a post that is known by one of `ids`, in page order. */
  storiesNaming(ids: ReadonlySet<string>): readonly JsonObject[];
  /** Objects that name the video they are feedback on, one of `ids`, in page order. */
  feedbackNaming(ids: ReadonlySet<string>): readonly JsonObject[];
  /** Reads the scripts that were not asked for yet; whether there were any. */
  readAll(): boolean;
  /** The one story that the page as a whole is about; null when there is none or more than one. */
  rootStory(): JsonObject | null;
  /** Whether files of any video at all are in it. */
  hasVideos(): boolean;
  /** Whether any post at all may be in it. */
  hasPosts(): boolean;
  /** Whether anything in the page names one of the ids, in whatever place. */
  names(ids: ReadonlySet<string>): boolean;
  /** `videoData` of the player before 2020, still used by embedded players. */
  readonly legacyVideos: readonly JsonObject[];
}

const STORY = 1;
const VIDEO = 2;
const FEEDBACK = 4;
const DATA = 8;

/** What a property says of the object that has it, as bits: each object of a page is asked. */
const ROLES: ReadonlyMap<string, number> = new Map([
  ...['short_form_video_context', 'attachments', 'post_id', 'comet_sections', 'feedback_context', 'shareable'].map(
    key => [key, STORY] as const,
  ),
  ...VIDEO_KEYS.map(key => [key, VIDEO] as const),
  ['associated_video', FEEDBACK],
  ['data', DATA],
]);

function rolesOf(object: JsonObject): number {
  let roles = 0;
  for (const key in object) roles |= ROLES.get(key) ?? 0;
  return roles;
}

function textId(value: unknown): string | null {
  if (typeof value === 'string' && value.length > 0 && value.length <= 600) return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** The story of a query's answer about one node: `data.node`, `node_v2`, `nodes[0]`. */
function answeredStory(data: unknown): JsonObject | null {
  if (!isJsonObject(data)) return null;
  const first = Array.isArray(data.nodes) ? data.nodes[0] : undefined;
  const story = [data.node_v2, data.node, first].find(one => isJsonObject(one) && (rolesOf(one) & STORY) !== 0);
  return isJsonObject(story) ? story : null;
}

/** The objects of one script. */
interface Content {
  readonly index: ReadonlyMap<string, readonly JsonObject[]>;
  readonly stories: readonly JsonObject[];
  readonly feedback: readonly JsonObject[];
  readonly roots: readonly JsonObject[];
  readonly hasVideos: boolean;
}

function readContent(text: string): Content {
  const index = new Map<string, JsonObject[]>();
  const stories: JsonObject[] = [];
  const feedback: JsonObject[] = [];
  const roots: JsonObject[] = [];
  let hasVideos = false;
  visitObjects(parseJson(text), object => {
    const id = textId(object.id);
    if (id !== null) {
      const known = index.get(id);
      if (known === undefined) index.set(id, [object]);
      else known.push(object);
    }
    const roles = rolesOf(object);
    if ((roles & STORY) !== 0) stories.push(object);
    if ((roles & FEEDBACK) !== 0 && isJsonObject(object.associated_video)) feedback.push(object);
    hasVideos ||= (roles & VIDEO) !== 0 || object.__typename === 'Video';
    const root = (roles & DATA) === 0 ? null : answeredStory(object.data);
    if (root !== null) roots.push(root);
  });
  return { index, stories, feedback, roots, hasVideos };
}

/**
 * What a text has in it when it names an id, plain or inside the base64 of another: there the same digits are written in three
 * ways, by where among three bytes they begin.
 */
function tracesOf(id: string): readonly string[] {
  if (!/^\d{6,20}$/.test(id)) return [id.replace(/=+$/, '')];
  const encoded = [0, 1, 2].map(offset => {
    const text = Buffer.from('\0'.repeat(offset) + id).toString('base64');
    // Characters that share bits with what stands before or behind the id are left out.
    const start = offset === 0 ? 0 : offset + 1;
    return text.slice(start, Math.floor(((offset + id.length) * 8) / 6));
  });
  return [id, ...encoded];
}

/** Shorter ids name nothing in particular: enumerations, places in lists. */
const MIN_ID_CHARS = 6;
/** Ids looked for one by one; the scripts are all read where there are more. */
const MAX_LOOKUPS = 24;

export function openPage(body: Body): FacebookPage {
  const scripts = body.scripts.filter(({ isJson }) => isJson);
  const legacyVideos = body.includes('videoData') ? body.scripts.flatMap(({ text }) => legacyVideoData(text)) : [];
  const read = new Map<Script, Content>();
  const asked = new Set<string>();
  let isWhole = false;

  function readEach(wanted: readonly Script[]): void {
    for (const script of wanted) if (!read.has(script)) read.set(script, readContent(script.text));
  }

  /** Reads every script that has one of the traces of an id in it. */
  function readNaming(id: string, traces: readonly string[]): void {
    if (isWhole || asked.has(id) || id.length < MIN_ID_CHARS) return;
    asked.add(id);
    if (asked.size > MAX_LOOKUPS) readAll();
    else readEach(body.jsonScriptsWith(traces));
  }

  function readAll(): boolean {
    const isNew = read.size < scripts.length;
    isWhole = true;
    readEach(scripts);
    return isNew;
  }

  const contents = () => scripts.flatMap(script => read.get(script) ?? []);

  return {
    meta: readMeta(body.head),
    budget: createSearchBudget(),
    byId(id) {
      readNaming(id, [id]);
      return contents().flatMap(content => content.index.get(id) ?? []);
    },
    storiesNaming(ids) {
      for (const id of ids) readNaming(id, tracesOf(id));
      return contents().flatMap(content => content.stories);
    },
    feedbackNaming(ids) {
      for (const id of ids) readNaming(id, tracesOf(id));
      return contents().flatMap(content =>
        content.feedback.filter(
          one => isJsonObject(one.associated_video) && ids.has(textId(one.associated_video.id) ?? ''),
        ),
      );
    },
    readAll,
    rootStory() {
      readAll();
      const roots = contents().flatMap(content => content.roots);
      const ids = new Set(roots.map(root => textId(root.id) ?? textId(root.post_id)));
      return ids.size === 1 ? (roots[0] ?? null) : null;
    },
    hasVideos() {
      readAll();
      return legacyVideos.length > 0 || contents().some(content => content.hasVideos);
    },
    hasPosts() {
      readAll();
      return legacyVideos.length > 0 || contents().some(({ stories, hasVideos }) => hasVideos || stories.length > 0);
    },
    names(ids) {
      return [...ids].flatMap(tracesOf).some(trace => body.includes(trace));
    },
    legacyVideos,
  };
}

/** The id of the post that an address of the site names; null for any other address. */
export function idOfAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > 2_048 || !URL.canParse(address)) return null;
  const match = matchFacebookLink(new URL(address));
  return match?.kind === 'post' ? match.ref.id : null;
}
