/** What a Facebook page holds. Scripts are parsed when something in them is asked for: a page has a hundred and a post is in few. */
import type { Body, Script } from '../../../parse/body.ts';
import {
  createSearchBudget,
  type JsonObject,
  parseJson,
  type SearchBudget,
  visitObjects,
} from '../../../parse/json-search.ts';
import { type PageMeta, readMeta } from '../../../parse/page-meta.ts';
import { matchFacebookLink } from '../link.ts';
import { playerVideos } from './player.ts';

export interface FacebookPage {
  readonly meta: PageMeta;
  /** For searches through the page's objects, all together. */
  readonly budget: SearchBudget;
  /** Objects that carry this id, in page order: Facebook's ids are unique, so all of them speak of one thing. */
  byId(id: string): readonly JsonObject[];
  /** The objects of the scripts that name one of `ids`, and of all that were read before, in page order. */
  around(ids: ReadonlySet<string>): readonly JsonObject[];
  /** Every object of the page, in page order. */
  objects(): readonly JsonObject[];
  /** Reads the scripts that were not asked for yet; whether there were any. */
  readAll(): boolean;
  /** Whether anything in the page names one of the ids, in whatever place. */
  names(ids: ReadonlySet<string>): boolean;
}

/** An id or a text; null for anything else, and for nothing. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What the first of them says that says anything. */
export function firstOf<Item, Value>(
  items: readonly Item[],
  read: (item: Item) => Value | null | undefined,
): Value | null {
  for (const item of items) {
    const value = read(item);
    if (value !== null && value !== undefined) return value;
  }
  return null;
}

/** The objects of one script. */
interface Content {
  readonly objects: readonly JsonObject[];
  readonly byId: ReadonlyMap<string, readonly JsonObject[]>;
}

function contentOf(objects: readonly JsonObject[]): Content {
  const byId = new Map<string, JsonObject[]>();
  for (const object of objects) {
    const id = textOf(object.id);
    if (id === null) continue;
    const known = byId.get(id);
    if (known === undefined) byId.set(id, [object]);
    else known.push(object);
  }
  return { objects, byId };
}

function readScript({ text }: Script): Content {
  const objects: JsonObject[] = [];
  visitObjects(parseJson(text), object => objects.push(object));
  return contentOf(objects);
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
  const player = contentOf(playerVideos(body));
  const read = new Map<Script, Content>();
  const asked = new Set<string>();
  let isWhole = false;

  function readEach(wanted: readonly Script[]): void {
    for (const script of wanted) if (!read.has(script)) read.set(script, readScript(script));
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

  const contents = () => [...scripts.flatMap(script => read.get(script) ?? []), player];
  const objects = () => contents().flatMap(content => content.objects);

  return {
    meta: readMeta(body.head),
    budget: createSearchBudget(),
    byId(id) {
      readNaming(id, [id]);
      return contents().flatMap(content => content.byId.get(id) ?? []);
    },
    around(ids) {
      for (const id of ids) readNaming(id, tracesOf(id));
      return objects();
    },
    objects() {
      readAll();
      return objects();
    },
    readAll,
    names(ids) {
      return [...ids].flatMap(tracesOf).some(trace => body.includes(trace));
    },
  };
}

/** The id of the post that an address of the site names; null for any other address. */
export function idOfAddress(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > 2_048 || !URL.canParse(address)) return null;
  const match = matchFacebookLink(new URL(address));
  return match?.kind === 'post' ? match.ref.id : null;
}
