/**
 * Reading JSON that comes from outside, and searches through it. All of it is bounded: such JSON may be many megabytes, nested
 * without end or cut in the middle.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at the end of a path of properties; undefined where the path ends early. */
export function child(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) current = isJsonObject(current) ? current[key] : undefined;
  return current;
}

/** The sites' pages nest about 40 levels; parsing millions would take the process's memory. */
const MAX_NESTING = 1_000;
/** Shorter texts cannot nest deep enough to do harm. */
const MIN_SCANNED_CHARS = 64 * 1024;

/** Says whether brackets nest deeper than in any answer of the sites, without parsing. */
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

/** The value of a JSON text, or undefined when it is not JSON or nests too deep. */
export function parseJson(text: string): unknown {
  if (text.length > MIN_SCANNED_CHARS && isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Levels below the root that are looked at: the sites nest about 40. It also keeps the recursion shallow. */
const MAX_DEPTH = 64;

/** Objects and lists that searches may still look at; one budget shared by several searches bounds them all together. */
export interface SearchBudget {
  nodes: number;
}

export function createSearchBudget(nodes = 400_000): SearchBudget {
  return { nodes };
}

/**
 * Calls `visit` for every object below and including `root`, which came out of JSON, parents before children, in document order. What lies deeper than 64 levels or beyond the budget is left out.
 */
export function visitObjects(
  root: unknown,
  visit: (object: JsonObject) => void,
  budget: SearchBudget = createSearchBudget(),
): void {
  const enterObject = (object: JsonObject, depth: number): void => {
    visit(object);
    // Unlike Object.keys it makes no list; out of JSON there are no other keys than an object's own.
    for (const key in object) {
      const value = object[key];
      if (isNested(value)) enter(value, depth);
    }
  };
  const enter = (value: object, depth: number): void => {
    if (depth > MAX_DEPTH || budget.nodes <= 0) return;
    budget.nodes -= 1;
    if (isJsonObject(value)) enterObject(value, depth + 1);
    else if (Array.isArray(value)) for (const element of value) if (isNested(element)) enter(element, depth + 1);
  };
  if (isNested(root)) enter(root, 0);
}

/** Every value below `root` whose property name fits, outer ones first, in document order. `skip`: these are neither given nor searched. */
export function findValues(
  root: unknown,
  name: string | ((key: string) => boolean),
  { skip, budget = createSearchBudget() }: { skip?: ReadonlySet<string>; budget?: SearchBudget } = {},
): readonly unknown[] {
  const fits = typeof name === 'string' ? (key: string) => key === name : name;
  const ownKeys = (object: JsonObject) => Object.keys(object).filter(key => skip?.has(key) !== true);
  const found: unknown[] = [];
  const enter = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || budget.nodes <= 0) return;
    budget.nodes -= 1;
    if (Array.isArray(value)) {
      for (const element of value) enter(element, depth + 1);
    } else if (isJsonObject(value)) {
      for (const key of ownKeys(value)) {
        const inner = value[key];
        if (fits(key)) found.push(inner);
        enter(inner, depth + 1);
      }
    }
  };
  enter(root, 0);
  return found;
}
