import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderNoPlayPage } from '../../../src/api/media/play-page.ts';

const STYLES = fileURLToPath(new URL('../../../src/platforms/web/page/styles/', import.meta.url));
const DESIGN = readFileSync(new URL('../../../docs/develop/design.md', import.meta.url), 'utf8');

const read = (name: string): string => readFileSync(`${STYLES}${name}`, 'utf8');
const TOKENS = read('tokens.css');

/** Rows of the tables whose first cell is one token. */
const ROWS = [...DESIGN.matchAll(/^\| `(--[a-z-]+)` \| (.+?) \|$/gm)].map(([, token = '', cells = '']) => ({
  token,
  cells: cells.split(' | ').map(cell => cell.replaceAll('`', '')),
}));

function tokenValue(token: string): string | undefined {
  return new RegExp(`^ {4}${token}: (.+);$`, 'm').exec(TOKENS)?.[1];
}

describe('the visual language', () => {
  it('has the colours that it is written down with', () => {
    const colours = ROWS.filter(({ cells: [first] }) => first?.startsWith('#'));
    expect(colours.length).toBeGreaterThan(10);
    for (const { token, cells } of colours) {
      const [light = '', dark = ''] = cells;
      expect(`${token}: ${tokenValue(token)}`).toBe(
        `${token}: ${light === dark ? light : `light-dark(${light}, ${dark})`}`,
      );
    }
  });

  it('has the sizes and durations that it is written down with', () => {
    const sizes = ROWS.filter(({ cells: [first] }) => /^[\d.]+ rem/.test(first ?? ''));
    const durations = ROWS.filter(({ cells: [first] }) => /^\d+ ms$/.test(first ?? ''));
    expect(sizes.length).toBeGreaterThan(5);
    expect(durations).toHaveLength(3);
    for (const { token, cells } of sizes) expect(tokenValue(token)).toBe(`${/^[\d.]+/.exec(cells[0] ?? '')?.[0]}rem`);
    for (const { token, cells } of durations) {
      expect(Number.parseFloat(tokenValue(token) ?? '') * 1000).toBeCloseTo(Number.parseFloat(cells[0] ?? ''));
    }
  });

  it('gives the page of a video its colours', () => {
    const page = renderNoPlayPage({ state: 'gone', url: undefined });
    const colours = page.match(/#[0-9a-f]{6}\b/gi) ?? [];
    expect(colours.length).toBeGreaterThan(5);
    expect(colours.filter(colour => !TOKENS.includes(colour))).toEqual([]);
  });

  it.each(readdirSync(STYLES).filter(name => name !== 'tokens.css'))('is what %s is made of', name => {
    const css = read(name);
    expect(css.match(/#[0-9a-f]{3,8}\b/gi)).toBeNull();
    const sizes = [...css.matchAll(/font-size: ([^;]+);/g)].map(([, value]) => value);
    expect(sizes.filter(value => !value?.startsWith('var(--text-'))).toEqual([]);
    const weights = [...css.matchAll(/font-weight: ([^;]+);/g)].map(([, value]) => value);
    expect(weights.filter(value => !value?.startsWith('var(--'))).toEqual([]);
    const used = new Set([...css.matchAll(/var\((--[a-z0-9-]+)/g)].map(([, token = '']) => token));
    const own = new Set([...css.matchAll(/^\s*(--[a-z0-9-]+):/gm)].map(([, token = '']) => token));
    /** Set by the page itself, for one element. */
    const perElement = ['--ratio', '--colour', '--on-colour', '--done', '--from', '--to'];
    const unknown = [...used].filter(
      each => !own.has(each) && !perElement.includes(each) && !TOKENS.includes(`${each}:`),
    );
    expect(unknown.filter(each => each !== '--tallest')).toEqual([]);
  });
});
