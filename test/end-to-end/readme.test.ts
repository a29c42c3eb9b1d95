import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemo } from './demo-program.ts';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
const PAGES = `${read('README.md')}\n${read('docs/api.md')}`;
const EXAMPLES = [
  ...new Set([...PAGES.matchAll(/^curl '(http:\/\/127\.0\.0\.1:3000\/\S+)'$/gm)].map(([, address = '']) => address)),
];

describe('the examples of the API in the documents', () => {
  let demo: ReturnType<typeof startDemo>;
  let address = '';

  beforeAll(async () => {
    // The settings of a real bot, which stands beside it.
    demo = startDemo({ ROLES: 'gateway', FACEBOOK_COOKIES_FILE: 'none.txt', UPSTREAM_CONSTANTS: '{' });
    address = /^Medley is ready at (\S+)$/m.exec(await demo.printed)?.[1] ?? '';
  });
  afterAll(() => demo.child.kill('SIGTERM'));

  it('are there', () => {
    expect(EXAMPLES.length).toBeGreaterThan(5);
  });

  it.each(EXAMPLES)('%s is answered by the demo', async example => {
    const response = await fetch(example.replace('http://127.0.0.1:3000/', address));
    const text = await response.text();
    expect(response.status, text.slice(0, 300)).toBe(200);
    // A list that is empty shows nothing.
    for (const list of ['beatmapsets', 'scores', 'recommendations']) expect(text).not.toContain(`"${list}":[]`);
  });
});
