import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const script = fileURLToPath(new URL('../.ci/release-notes.mjs', import.meta.url));
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

const notesOf = (tag: string) => spawnSync(process.execPath, [script, tag], { encoding: 'utf8' });

describe('the notes of a release', () => {
  it("are the changelog's section of the tag, and how to upgrade", () => {
    const { status, stdout } = notesOf(`v${version}`);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^### \S/);
    expect(stdout).toContain('npm run backup');
    expect(stdout).not.toMatch(/^## /m);
  });

  it.each(['v9.9.9', '0.2.0', 'main', ''])('are refused for %j', tag => {
    const { status, stdout, stderr } = notesOf(tag);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^(expected a tag|the tag says)/);
  });
});
