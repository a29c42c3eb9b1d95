import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGES = [
  ...readdirSync(ROOT).filter(name => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
];

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** The anchors that a forge makes of the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page: string): readonly string[] {
  const targets = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter(target => {
    if (/^(https?:|mailto:)/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
}

describe('the documents', () => {
  it.each(PAGES)('%s has no link that leads nowhere', page => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it('are short at the front door, and list every page', () => {
    expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(1_400);
    const contents = read('docs/README.md') + read('docs/decisions/README.md');
    const listed = PAGES.filter(page => /^docs\/.+\/(?!README)/.test(page)).filter(
      page => !contents.includes(`(${page.replace('docs/', '').replace('decisions/', '')})`),
    );
    expect(listed).toEqual([]);
  });
});
