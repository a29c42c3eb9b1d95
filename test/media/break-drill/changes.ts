/** What a site may do to a property of its answers from one day to the next. */

type Json = Record<string, unknown>;

export interface Change {
  readonly name: string;
  /** The object with the property changed. */
  apply(object: Json, key: string): Json;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(object: Json, key: string): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (isObject(value)) return {};
  return typeof value === 'number' ? 0 : '';
}

function oddlyTyped(value: unknown): unknown {
  if (Array.isArray(value)) return { edges: value };
  if (isObject(value)) return [value];
  return typeof value === 'string' ? 7 : 'odd';
}

function elsewhere(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/https:(?:\\\/\\\/|\/\/)[^/\\"]+/g, 'https://media.example.org');
  if (Array.isArray(value)) return value.map(elsewhere);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, elsewhere(inner)]));
}

export const CHANGES: readonly Change[] = [
  { name: 'renamed', apply: (object, key) => ({ ...without(object, key), [`${key}_v2`]: object[key] }) },
  { name: 'removed', apply: without },
  { name: 'null', apply: (object, key) => ({ ...object, [key]: null }) },
  { name: 'emptied', apply: (object, key) => ({ ...object, [key]: emptied(object[key]) }) },
  { name: 'oddly typed', apply: (object, key) => ({ ...object, [key]: oddlyTyped(object[key]) }) },
  { name: 'moved', apply: (object, key) => ({ ...without(object, key), delivery: { [`new_${key}`]: object[key] } }) },
  { name: 'on another host', apply: (object, key) => ({ ...object, [key]: elsewhere(object[key]) }) },
];

/** Where a property stands: names and places in lists, from the root of the documents. */
export type Path = readonly (string | number)[];

/** The value with the object at the path's parent changed. */
export function changeAt(value: unknown, path: Path, change: Change): unknown {
  const [head, ...tail] = path;
  if (head === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((element, index) => (index === head ? changeElement(element, tail, change) : element));
  }
  if (!isObject(value) || typeof head !== 'string') return value;
  return tail.length === 0 ? change.apply(value, head) : { ...value, [head]: changeAt(value[head], tail, change) };
}

/** An element of a list has no name to change: its value is. */
function changeElement(element: unknown, tail: Path, change: Change): unknown {
  return tail.length === 0 ? (change.apply({ element }, 'element').element ?? null) : changeAt(element, tail, change);
}

/** The value with the property changed in every object that has it. */
export function changeEverywhere(value: unknown, key: string, change: Change): unknown {
  if (Array.isArray(value)) return value.map(element => changeEverywhere(element, key, change));
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, changeEverywhere(one, key, change)]),
  );
  return key in inner ? change.apply(inner, key) : inner;
}

/** Every property and every place of a list below a value. */
export function pathsOf(value: unknown): readonly Path[] {
  const paths: Path[] = [];
  const enter = (inner: unknown, path: Path): void => {
    const entries = Array.isArray(inner) ? [...inner.entries()] : isObject(inner) ? Object.entries(inner) : [];
    for (const [key, one] of entries) {
      paths.push([...path, key]);
      enter(one, [...path, key]);
    }
  };
  enter(value, []);
  return paths;
}
