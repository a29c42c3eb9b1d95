import { describe, expect, it } from 'vitest';
import {
  child,
  createSearchBudget,
  findValues,
  type JsonObject,
  parseJson,
  visitObjects,
} from '../../../src/media/parse/json.ts';
import * as read from '../../../src/media/parse/read.ts';

function nested(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = { next: value };
  return value;
}

function objectsOf(root: unknown): readonly JsonObject[] {
  const found: JsonObject[] = [];
  visitObjects(root, object => found.push(object));
  return found;
}

describe('parseJson', () => {
  it('refuses nesting beyond all reason before it is parsed', () => {
    expect(parseJson('['.repeat(6_000_000))).toBeUndefined();
    expect(parseJson(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).toBeUndefined();
    expect(parseJson(`${'['.repeat(500)}${']'.repeat(500)}`)).toBeDefined();
    expect(parseJson(JSON.stringify({ text: '[{"\\'.repeat(200_000) }))).toBeDefined();
  });
});

describe('child', () => {
  it('follows a path through objects alone', () => {
    expect(child({ a: { b: 7 } }, 'a', 'b')).toBe(7);
    for (const odd of [null, undefined, 'text', [{ b: 7 }], { a: null }, { a: [7] }]) {
      expect(child(odd, 'a', 'b')).toBeUndefined();
    }
  });
});

describe('visitObjects', () => {
  it('visits the root and every object below it, parents first', () => {
    const root = { id: 1, list: [{ id: 2, inner: { id: 3 } }, [{ id: 4 }], 'text', null] };
    expect(objectsOf(root).map(object => object.id)).toEqual([1, 2, 3, 4]);
  });

  it('leaves out what lies too deep or beyond its budget', () => {
    expect(objectsOf(nested(100_000, {}))).toHaveLength(65);
    const seen: JsonObject[] = [];
    const many = Array.from({ length: 100 }, () => ({}));
    const budget = createSearchBudget(11);
    visitObjects(many, object => seen.push(object), budget);
    visitObjects(many, object => seen.push(object), budget);
    expect(seen).toHaveLength(10);
  });
});

describe('findValues', () => {
  it('finds a name at any level, outer ones first, null included', () => {
    const root = { a: [{ wanted: 1, deeper: { wanted: null } }], wanted: { wanted: 2 } };
    expect(findValues(root, 'wanted')).toEqual([1, null, { wanted: 2 }, 2]);
    expect(findValues(root, key => key.startsWith('want'))).toEqual([1, null, { wanted: 2 }, 2]);
  });

  it('neither gives nor searches what it is to skip', () => {
    const root = { other: { wanted: 1 }, own: { wanted: 2 } };
    expect(findValues(root, 'wanted', { skip: new Set(['other']) })).toEqual([2]);
  });

  it('survives nesting that would overflow the stack', () => {
    const root: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect(findValues(root, 'wanted')).toEqual([]);
    expect(findValues(nested(100_000, 1), 'wanted')).toEqual([]);
  });

  it('gives up when its budget is spent', () => {
    const root = Array.from({ length: 100 }, (_, index) => ({ wanted: index }));
    expect(findValues(root, 'wanted', { budget: createSearchBudget(11) })).toHaveLength(10);
  });

  it('finds nothing in what is no object', () => {
    for (const root of [null, undefined, 1, 'wanted', true]) expect(findValues(root, 'wanted')).toEqual([]);
  });
});

it.each([
  ['1,234', 1_234],
  ['987', 987],
  [987, 987],
  ['4.7K', 4_700],
  ['1.25 M', 1_250_000],
  ['1.234', null],
  ['1,2 Tsd.', null],
])('reads the count %s', (text, count) => {
  expect(read.shownCount(text)).toBe(count);
});
