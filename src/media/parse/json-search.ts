/**
 * JSON that a page carries in its scripts, and searches through it. Both are bounded and iterative: pages come from outside,
 * may be many megabytes, nested without end or cut in the middle.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface SearchOptions {
  /** Levels below the root that are looked at. Default 64: Instagram and Facebook nest about 40. */
  readonly maxDepth?: number;
  /** Objects and lists looked at before the search gives up. Default 400 000. */
  readonly maxNodes?: number;
  /** Properties that are neither yielded nor searched. */
  readonly skip?: ReadonlySet<string>;
}

const MAX_SCRIPTS = 2_000;
const MAX_SCRIPT_CHARS = 16 * 1024 * 1024;
/** A start tag longer than this is not one of theirs. */
const MAX_TAG_CHARS = 4_096;
const JSON_SCRIPT = /\stype\s*=\s*["']?application\/json|\sdata-sjs\b/i;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Their pages nest about 40 levels; parsing millions would block the process and take its memory. */
const MAX_NESTING = 1_000;

/** Whether brackets nest deeper than anything of theirs, without parsing. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) inString = !inString;
    else if (inString) {
      if (code === 0x5c) index += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > MAX_NESTING) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** The value of a JSON text, or undefined when it is not JSON or nests beyond all reason. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Text of each `<script>` of the page with its start tag, in order. */
export function* pageScripts(html: string): Generator<{ readonly tag: string; readonly text: string }> {
  const open = /<script(?=[\s>])/gi;
  const close = /<\/script/gi;
  for (let count = 0; count < MAX_SCRIPTS; count += 1) {
    const start = open.exec(html);
    if (start === null) return;
    const tagEnd = html.indexOf('>', start.index);
    if (tagEnd === -1) return;
    close.lastIndex = tagEnd;
    const end = close.exec(html);
    if (end === null) return;
    if (tagEnd - start.index <= MAX_TAG_CHARS && end.index - tagEnd <= MAX_SCRIPT_CHARS) {
      yield { tag: html.slice(start.index, tagEnd + 1), text: html.slice(tagEnd + 1, end.index) };
    }
    open.lastIndex = end.index;
  }
}

/** Every parsed JSON of the page's `application/json` and `data-sjs` scripts, in order; broken ones are skipped. */
export function* embeddedJson(html: string): Generator<unknown> {
  for (const script of pageScripts(html)) {
    if (!JSON_SCRIPT.test(script.tag)) continue;
    const value = parseJson(script.text);
    if (value !== undefined) yield value;
  }
}

interface Frame {
  readonly keys: readonly string[] | null;
  readonly values: readonly unknown[];
  next: number;
}

function frameOf(value: unknown): Frame | null {
  if (Array.isArray(value)) return { keys: null, values: value, next: 0 };
  if (!isJsonObject(value)) return null;
  return { keys: Object.keys(value), values: Object.values(value), next: 0 };
}

/** Every property and list element below `root`, parents before children, in document order. `key` is null in lists. */
function* walk(root: unknown, options: SearchOptions): Generator<{ key: string | null; value: unknown }> {
  const maxDepth = options.maxDepth ?? 64;
  let nodesLeft = options.maxNodes ?? 400_000;
  const first = frameOf(root);
  const stack = first === null ? [] : [first];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    if (frame.next >= frame.values.length) {
      stack.pop();
      continue;
    }
    const value = frame.values[frame.next];
    const key = frame.keys?.[frame.next] ?? null;
    frame.next += 1;
    if (key !== null && options.skip?.has(key)) continue;
    yield { key, value };
    const child = stack.length < maxDepth ? frameOf(value) : null;
    if (child === null) continue;
    nodesLeft -= 1;
    if (nodesLeft < 0) return;
    stack.push(child);
  }
}

/** Every value stored under `key` anywhere below `root`, outer ones first. */
export function* findValues(root: unknown, key: string, options: SearchOptions = {}): Generator<unknown> {
  for (const entry of walk(root, options)) if (entry.key === key) yield entry.value;
}

/** Every object for which `predicate` holds, `root` included, outer ones first. */
export function* findObjects(
  root: unknown,
  predicate: (object: JsonObject) => boolean,
  options: SearchOptions = {},
): Generator<JsonObject> {
  if (isJsonObject(root) && predicate(root)) yield root;
  for (const { value } of walk(root, options)) if (isJsonObject(value) && predicate(value)) yield value;
}
