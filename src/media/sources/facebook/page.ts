/**
 * The content of a Facebook page. A page has a hundred scripts and a post is in few of them, so a script is parsed only
 * when it is needed.
 */
import type { Body, Script } from '../../parse/body.ts';
import {
  child,
  createSearchBudget,
  findValues,
  isJsonObject,
  type JsonObject,
  parseJson,
  visitObjects,
} from '../../parse/json.ts';
import { readMeta } from '../../parse/markup.ts';
import * as read from '../../parse/read.ts';

export type FacebookPage = ReturnType<typeof openPage>;

export function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

export function valuesAt(objects: readonly unknown[], ...paths: readonly string[]): readonly unknown[] {
  const keys = paths.map(path => path.split('.'));
  return objects.flatMap(object => keys.map(path => child(object, ...path)));
}

/** Properties of a story that contain the post or reel that it shares. */
export const SHARED: readonly string[] = ['attached_story', 'fb_shorts_story'];

/** Properties of a story that contain other people's text and media. */
export const FOREIGN: ReadonlySet<string> = new Set([
  ...SHARED,
  'feedback',
  'feedback_context',
  'comments',
  'comment_list_renderer',
  'interesting_top_level_comments',
  'video_home_www_related_videos_section',
  'related_videos',
  'creation_story',
  'container_story',
  'lasso_blue_feed',
]);

/** All objects in parsed JSON: in document order, and grouped by their ids. */
function contentOf(root: unknown) {
  const objects: JsonObject[] = [];
  const byId = new Map<string, JsonObject[]>();
  visitObjects(root, object => {
    objects.push(object);
    // A video may have its id in `videoId`.
    const id = textOf(object.id ?? (object.__typename === 'Video' ? object.videoId : null));
    const known = id === null ? undefined : byId.get(id);
    if (known !== undefined) known.push(object);
    else if (id !== null) byId.set(id, [object]);
  });
  return { objects, byId };
}

/** The texts by which an id is found in a page. In base64 it looks different at each offset within three bytes. */
function tracesOf(id: string): readonly string[] {
  if (!/^\d{6,20}$/.test(id)) return [id.replace(/=+$/, '')];
  const encoded = [0, 1, 2].map(offset => {
    const text = Buffer.from('\0'.repeat(offset) + id).toString('base64');
    // Base64 characters at both ends are left out if they also encode neighbouring bytes.
    const start = offset === 0 ? 0 : offset + 1;
    return text.slice(start, Math.floor(((offset + id.length) * 8) / 6));
  });
  return [id, ...encoded];
}

/** The fewest digits of an id. Shorter numbers are enumerations or positions in lists. */
const MIN_ID_CHARS = 6;

/** The id of a photo or video, by which other objects about it are found; null if it is too short for an id. */
export function knownIdOf(media: JsonObject): string | null {
  const id = textOf(media.id);
  return id !== null && id.length >= MIN_ID_CHARS ? id : null;
}

/** For up to this many ids, the page's text is searched for each. For more ids, all scripts are parsed. */
const MAX_LOOKUPS = 24;

export function openPage(body: Body) {
  const scripts = body.scripts.filter(({ isJson }) => isJson);
  const player = contentOf(playerVideos(body));
  const parsed = new Map<Script, ReturnType<typeof contentOf>>();
  const asked = new Set<string>();
  const contents = () => [...scripts.flatMap(script => parsed.get(script) ?? []), player];
  /** All searches through this page's objects together are limited by one budget. */
  const budget = createSearchBudget();

  function readEach(wanted: readonly Script[]): void {
    for (const script of wanted) if (!parsed.has(script)) parsed.set(script, contentOf(parseJson(script.text)));
  }

  function readNaming(id: string, traces: readonly string[]): void {
    if (parsed.size === scripts.length || asked.has(id) || id.length < MIN_ID_CHARS) return;
    asked.add(id);
    readEach(asked.size > MAX_LOOKUPS ? scripts : body.jsonScriptsWith(traces));
  }

  return {
    meta: readMeta(body.head),
    budget,

    /** All objects with this id, in page order. Facebook's ids are unique, so they describe the same thing. */
    byId(id: string): readonly JsonObject[] {
      readNaming(id, [id]);
      return contents().flatMap(content => content.byId.get(id) ?? []);
    },

    /** Parses the scripts that contain one of `ids` (default: all); returns all objects parsed so far, in page order. */
    objects(ids?: ReadonlySet<string>): readonly JsonObject[] {
      if (ids === undefined) readEach(scripts);
      else for (const id of ids) readNaming(id, tracesOf(id));
      return contents().flatMap(content => content.objects);
    },

    /** All values of a property within an object, without other people's text and media. */
    ownValues(root: unknown, name: string | ((key: string) => boolean)): readonly unknown[] {
      return findValues(root, name, { skip: FOREIGN, budget });
    },

    /** Parses all scripts; returns true when some were not parsed before. */
    readAll(): boolean {
      const isNew = parsed.size < scripts.length;
      readEach(scripts);
      return isNew;
    },

    names(ids: readonly string[]): boolean {
      return ids.flatMap(tracesOf).some(trace => body.includes(trace));
    },
  };
}

const MAX_LISTS = 50;
const MAX_LIST_CHARS = 500_000;
/** Tokens of a JavaScript object literal. It differs from JSON: keys may be unquoted, and true is written `!0`. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|!0|!1|-?\d[\d.eE+-]{0,40}|[A-Za-z_$][\w$]{0,80}|\s+/gy;

function asJson(token: string): string {
  if (token.startsWith('!')) return String(token === '!0');
  return /^(?!true$|false$|null$)[A-Za-z_$]/.test(token) ? JSON.stringify(token) : token;
}

/** Reads the list literal at the beginning of a text; undefined when there is none. `length`: where it ends. */
function listAt(text: string): { readonly json: string; readonly length: number } | undefined {
  let json = '';
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    json += asJson(token);
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth === 0) return { json, length: index + token.length };
  }
  return undefined;
}

function videosIn(script: string): readonly unknown[] {
  const marks = /["']?videoData["']?\s{0,8}:\s{0,8}(?=\[)/g;
  const found: unknown[] = [];
  for (let lists = 0; lists < MAX_LISTS && marks.exec(script) !== null; lists += 1) {
    const list = listAt(script.slice(marks.lastIndex, marks.lastIndex + MAX_LIST_CHARS));
    // The search stops at a broken literal, because going on inside it could take quadratic time.
    if (list === undefined) break;
    found.push(...read.list(parseJson(list.json), Number.POSITIVE_INFINITY));
    marks.lastIndex += list.length;
  }
  return found;
}

/** The videos in `videoData: [...]` of the embedded player's script, which is not JSON. `video_id` becomes `id`. */
function playerVideos(body: Body): readonly JsonObject[] {
  if (!body.includes('videoData')) return [];
  const entries = body.scripts.flatMap(({ text }) => videosIn(text)).filter(isJsonObject);
  return entries.map(entry => ({ ...entry, __typename: 'Video', id: entry.video_id }));
}
