import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddedJson, findObjects, findValues, pageScripts, parseJson } from '../../../src/media/parse/json-search.ts';

function nested(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = { next: value };
  return value;
}

describe('parseJson', () => {
  it('refuses nesting beyond all reason before it is parsed', () => {
    expect(parseJson('['.repeat(6_000_000))).toBeUndefined();
    expect(parseJson(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)).toBeUndefined();
    expect(parseJson(`${'['.repeat(500)}${']'.repeat(500)}`)).toBeDefined();
    expect(parseJson(JSON.stringify({ text: '[{"\\'.repeat(2_000) }))).toBeDefined();
  });
});

describe('embeddedJson', () => {
  it('reads application/json and data-sjs scripts in order and skips the broken ones', () => {
    const html = `<script>{"code":0}</script><script type="application/json" data-sjs>{"n":1}</script>
      <SCRIPT data-sjs>[2]</SCRIPT><script type="application/json">{"n":</script><script type='application/json'>3</script>`;
    expect([...embeddedJson(html)]).toEqual([{ n: 1 }, [2], 3]);
  });

  it('gives nothing for a script that never ends', () => {
    expect([...embeddedJson('<script type="application/json">{"n":1}')]).toEqual([]);
  });

  it('names the tag of each script', () => {
    expect([...pageScripts('<script id="a">x</script>')]).toEqual([{ tag: '<script id="a">', text: 'x' }]);
  });

  it('takes a second at most for a megabyte of what looks like scripts', () => {
    for (const piece of [
      '<script',
      '<script>',
      '<script type="application/json">{',
      '</script>',
      '<script data-sjs>[',
    ]) {
      const started = performance.now();
      expect([...embeddedJson(piece.repeat(Math.ceil(1_000_000 / piece.length)))].length).toBeGreaterThanOrEqual(0);
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<script', ' data-sjs', '>', '{', '"', '\\', '</script>', 'a', '}')),
        parts => {
          expect(Array.isArray([...embeddedJson(parts.join(''))])).toBe(true);
        },
      ),
    );
  });
});

describe('findValues', () => {
  it('finds a key at any level, outer ones first, null included', () => {
    const root = { a: [{ wanted: 1, deeper: { wanted: null } }], wanted: { wanted: 2 } };
    expect([...findValues(root, 'wanted')]).toEqual([1, null, { wanted: 2 }, 2]);
  });

  it('stops at the depth it is given', () => {
    expect([...findValues(nested(10, { wanted: 1 }), 'wanted', { maxDepth: 5 })]).toEqual([]);
    expect([...findValues(nested(10, { wanted: 1 }), 'wanted', { maxDepth: 11 })]).toEqual([1]);
  });

  it('survives nesting that would overflow a recursive search', () => {
    const root: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
    expect([...findValues(root, 'wanted', { maxDepth: 1_000_000 })]).toEqual([]);
    expect([...findValues(nested(100_000, 1), 'wanted')]).toEqual([]);
  });

  it('gives up after the nodes it is given', () => {
    const root = Array.from({ length: 100 }, (_, index) => ({ wanted: index }));
    expect([...findValues(root, 'wanted', { maxNodes: 10 })]).toHaveLength(10);
  });

  it('finds nothing in what is no object', () => {
    for (const root of [null, undefined, 1, 'wanted', true]) expect([...findValues(root, 'wanted')]).toEqual([]);
  });
});

describe('findObjects', () => {
  it('yields the root too, and objects within found ones', () => {
    const root = { id: 1, list: [{ id: 2, inner: { id: 3 } }, { other: 4 }] };
    expect([...findObjects(root, object => 'id' in object)].map(object => object.id)).toEqual([1, 2, 3]);
  });
});
