import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { scripted } from './scripted.ts';
import { openStage, type Stage } from './stage.ts';

const ALL = ['A list, better', 'A song', 'A story', 'A view', 'A walk'];

function titled(words: string): Reply {
  const open = { kind: 'button' as const, label: 'Open', token: 'open', style: 'secondary' as const };
  return reply({
    blocks: [
      { kind: 'heading', text: [words] },
      { kind: 'card', title: ['Paper Comet'], lines: [['2:00']], action: open },
    ],
  });
}

/** Answers at once, and with the rest of it when the test wants that. */
function slowly() {
  const rest = new Map<string, () => void>();
  const dispatcher = scripted(said => {
    const words = 'text' in said ? `A ${said.text}` : 'A map';
    const later = new Promise<void>(resolve => rest.set(words, resolve)).then(() => titled(`${words}, better`));
    return [{ ...titled(words), later }];
  });
  return { dispatcher, bring: (words: string) => rest.get(words)?.() };
}

describe.skipIf(browserMissing !== undefined)(`what comes late${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  const { dispatcher, bring } = slowly();

  beforeAll(async () => {
    [built, browser] = await Promise.all([buildPage(), openBrowser()]);
    stage = await openStage({
      pageFolder: built.folder,
      dispatcher,
      limits: { drainMs: 50, closeMs: 200 },
    });
  });

  afterAll(async () => {
    await stage?.close();
    await browser?.close();
    await built?.remove();
  });

  it('comes into what it belongs to, and never over what was opened from it', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block' });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const heading = () => page.locator('.card-heading').first().textContent();
    await page.goto(stage.origin);
    await page.locator('#input').fill('list');
    await page.keyboard.press('Enter');
    await expect.poll(heading).toBe('A list');
    await page.getByRole('button', { name: 'Open: Paper Comet' }).click();
    await expect.poll(heading).toBe('A map');
    bring('A list');
    await page.locator('.pending:visible').waitFor({ state: 'detached' });
    expect(await heading()).toBe('A map');
    bring('A map');
    await expect.poll(heading).toBe('A map, better');
    await page.getByRole('button', { name: 'Back', exact: true }).first().click();
    await expect.poll(heading).toBe('A list, better');
    expect(await page.locator('.return').count()).toBe(0);
    await context.close();
  });

  it('keeps nothing waiting, and comes after a reload as well, however much was said meanwhile', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block' });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const heading = () => page.locator('.card-heading').first().textContent();
    await page.goto(stage.origin);
    await page.locator('#input').fill('list');
    await page.keyboard.press('Enter');
    await page.locator('.pending').waitFor({ state: 'detached' });
    expect(await heading()).toBe('A list');
    for (const line of ['song', 'story', 'view', 'walk']) {
      await page.locator('#input').fill(line);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `A ${line}` }).waitFor();
    }
    await page.goto('about:blank');
    bring('A list');
    await page.goto(stage.origin);
    await expect.poll(heading).toBe('A list, better');
    await expect(page.locator('.card-heading').allTextContents()).resolves.toEqual(ALL);
    await context.close();
  });
});
