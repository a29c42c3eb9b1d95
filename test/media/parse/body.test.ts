import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Body } from '../../../src/media/parse/body.ts';
import { visibleMarkup } from '../../../src/media/parse/markup.ts';
import { cpuMsOf } from '../../cpu-time.ts';
import { bodyOf } from '../body-of.ts';

const PIECES = ['<script', ' data-sjs', '>', '{', '"', '\\', '</script>', 'a', '}', '<p>', 'é', '漢'];

const scriptsOf = (html: string) => bodyOf(html).scripts;

/** The scripts of a page, by a pattern over its text. */
function scriptsByPattern(html: string): readonly string[] {
  return [...html.matchAll(/<script(?=[\s>])[^>]*>([\s\S]*?)(?=<\/script)/gi)].map(match => match[1] ?? '');
}

describe('a body', () => {
  it('gives each script of a page with its tag, in order, and says which are JSON', () => {
    const html = `<script>{"code":0}</script><script type="application/json" data-sjs>{"n":1}</script>
      <SCRIPT data-sjs>["é"]</SCRIPT><script type='application/json'>3</script><script src="a.js"></script>
      <script id="__PWS_DATA__">{"n":4}</script><scripts>`;
    expect(scriptsOf(html).map(({ text, isJson }) => [text, isJson])).toEqual([
      ['{"code":0}', false],
      ['{"n":1}', true],
      ['["é"]', true],
      ['3', true],
      ['', false],
      ['{"n":4}', true],
    ]);
    expect(scriptsOf('<script id="a">x</script>')).toMatchObject([
      { tag: '<script id="a">', text: 'x', length: 1, isJson: false },
    ]);
  });

  it('leaves out a script that never ends', () => {
    expect(scriptsOf('<script type="application/json">{"n":1}')).toEqual([]);
  });

  it('finds the JSON scripts that have a text in them, wherever it begins, and none in which it only begins', () => {
    const page = bodyOf(
      `abc <script data-sjs>abc</script>abc<script data-sjs>xab</script>c<script>abc</script>
      <script data-sjs>abd</script><script data-sjs>1abcabc</script>`,
    );
    const textsWith = (...texts: string[]) => page.jsonScriptsWith(texts).map(({ text }) => text);
    expect(textsWith('abc')).toEqual(['abc', '1abcabc']);
    expect(textsWith('abd', 'abc')).toEqual(['abc', 'abd', '1abcabc']);
    expect(textsWith('nothing', '')).toEqual([]);
  });

  it('has a head up to its body, and a text without byte order mark', () => {
    expect(bodyOf('<head>é</head><BODY class="a"><body>').head).toBe('<head>é</head>');
    expect(bodyOf('<bodyguard>').head).toBe('<bodyguard>');
    const marked = new Body(Uint8Array.of(0xef, 0xbb, 0xbf, 0x20, 0x0a, 0x7b));
    expect(marked.text).toBe(' \n{');
    expect([marked.startsWith('{'), marked.startsWith('{}'), marked.startsWith('<')]).toEqual([true, false, false]);
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
        const scripts = scriptsOf(html);
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
        expect(scriptsOf(html).map(({ text }) => text)).toEqual(scriptsByPattern(html));
        expect(bodyOf(html).text).toBe(html);
      }),
    );
  });

  it.each(['<script', '<script>', '<script type="application/json">{', '</script>', '<script data-sjs>[', '<p>'])(
    'takes a second at most for a megabyte of %s',
    piece => {
      const html = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const tookMs = cpuMsOf(() => {
        expect(scriptsOf(html)).toEqual([]);
        expect(bodyOf(html).jsonScriptsWith(['a', '<'])).toEqual([]);
        expect(bodyOf(html).head.length).toBeLessThanOrEqual(2 ** 20);
        expect(visibleMarkup(html, 1_000_000).length).toBeLessThanOrEqual(1_000_000);
      });
      expect(tookMs).toBeLessThan(1_000);
    },
  );
});
