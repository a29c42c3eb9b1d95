import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageScripts, visibleMarkup } from '../../../src/media/parse/page-scripts.ts';
import { cpuMsOf } from '../../cpu-time.ts';

const PIECES = ['<script', ' data-sjs', '>', '{', '"', '\\', '</script>', 'a', '}', '<p>'];

describe('pageScripts', () => {
  it('gives each script with its tag, in order, and says which are JSON', () => {
    const html = `<script>{"code":0}</script><script type="application/json" data-sjs>{"n":1}</script>
      <SCRIPT data-sjs>[2]</SCRIPT><script type='application/json'>3</script><script src="a.js"></script>`;
    expect([...pageScripts(html)].map(({ text, isJson }) => [text, isJson])).toEqual([
      ['{"code":0}', false],
      ['{"n":1}', true],
      ['[2]', true],
      ['3', true],
      ['', false],
    ]);
    expect([...pageScripts('<script id="a">x</script>')]).toEqual([
      { tag: '<script id="a">', text: 'x', isJson: false },
    ]);
  });

  it('leaves out a script that never ends', () => {
    expect([...pageScripts('<script type="application/json">{"n":1}')]).toEqual([]);
  });
});

describe('visibleMarkup', () => {
  it('is the page without its scripts', () => {
    expect(visibleMarkup('<p>a</p><script>b</script><p>c</p><SCRIPT data-sjs>d</SCRIPT >e', 100)).toBe(
      '<p>a</p><p>c</p>e',
    );
    expect(visibleMarkup('a<script>b', 100)).toBe('a');
    expect(visibleMarkup('abcdef', 3)).toBe('abc');
  });

  it('and the scripts together are the page', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('<script>x</script>', '<p>', 'y', '</p>')), parts => {
        const html = parts.join('');
        const scripts = [...pageScripts(html)];
        expect(visibleMarkup(html, 1_000)).toBe(html.replaceAll('<script>x</script>', ''));
        expect(scripts).toHaveLength(parts.filter(part => part.startsWith('<script')).length);
      }),
    );
  });
});

describe('any page', () => {
  it('is read without a throw', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES)), parts => {
        const html = parts.join('');
        expect(visibleMarkup(html, 1_000).length).toBeLessThanOrEqual(html.length);
        expect([...pageScripts(html)].length).toBeLessThanOrEqual(parts.length);
      }),
    );
  });

  it.each(['<script', '<script>', '<script type="application/json">{', '</script>', '<script data-sjs>[', '<p>'])(
    'takes a second at most for a megabyte of %s',
    piece => {
      const html = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const tookMs = cpuMsOf(() => {
        expect([...pageScripts(html)]).toEqual([]);
        expect(visibleMarkup(html, 1_000_000).length).toBeLessThanOrEqual(1_000_000);
      });
      expect(tookMs).toBeLessThan(1_000);
    },
  );
});
