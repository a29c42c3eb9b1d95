import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PHONE } from '../../../src/bot/cards/theme.ts';
import { browserMissing, browserNote, isComplaint, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { openStage, type Stage } from './stage.ts';

// Run in the page; as text, since these tests know no DOM types.
const PLAYING = `[...document.querySelectorAll('audio, video')].filter(each => !each.paused).length`;
const DONE = `parseFloat(document.querySelector('.preview').style.getPropertyValue('--done'))`;
/** Adds up how far things moved since `standsAt`, without what the person caused. */
const SHIFTS = `new PerformanceObserver(list => {
  for (const { hadRecentInput, startTime, value } of list.getEntries())
    if (!hadRecentInput && startTime > globalThis.standsAt) globalThis.shifted = (globalThis.shifted ?? 0) + value;
}).observe({ type: 'layout-shift', buffered: true })`;
const OVERFLOW = `[document.documentElement, document.querySelector('#thread')].map(box => box.scrollWidth - box.clientWidth)`;
const TOO_SMALL = `[...document.querySelectorAll('.card button, .card a')]
  // All of a row opens what its name opens.
  .filter(element => element.checkVisibility() && !element.matches('.item-title a'))
  .map(element => ({ box: element.getBoundingClientRect(), name: element.className }))
  .filter(({ box }) => box.height < 44 || box.width < 44)
  .map(({ name }) => name)`;

describe.skipIf(browserMissing !== undefined)(`cards on the page${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [built, browser] = await Promise.all([buildPage(), openBrowser()]);
    stage = await openStage({ pageFolder: built.folder, limits: { drainMs: 50, closeMs: 200 } });
  });

  afterAll(async () => {
    await stage?.close();
    await browser?.close();
    await built?.remove();
  });

  afterEach(async () => {
    await context.close();
  });

  /** Opens the page and asks for a list. @param prepare called before the page is opened */
  async function find(
    options: Parameters<Browser['newContext']>[0] = {},
    prepare?: () => Promise<void>,
  ): Promise<void> {
    context = await browser.newContext({
      reducedMotion: 'reduce',
      locale: 'en-GB',
      viewport: { width: 1100, height: 900 },
      serviceWorkers: 'block',
      ...options,
    });
    await prepare?.();
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    complaints = [];
    page.on('console', message => {
      const isMissingFile = message.text().includes('404');
      if (isComplaint(message) && !isMissingFile) complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    await page.addInitScript(SHIFTS);
    await page.goto(stage.origin);
    await page.locator('.welcome-foot button').waitFor();
    await say('found');
    await page.locator('.item').nth(4).waitFor();
  }

  async function say(line: string): Promise<void> {
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
  }

  const heading = () => page.locator('.card-heading').first().textContent();

  it('shows drawn cards in the theme of the page, and follows it', async () => {
    await find({ colorScheme: 'light' });
    await page.locator('.item-open').first().click();
    const card = page.locator('img.card-picture').first();
    await card.waitFor();
    const source = () => card.getAttribute('src');
    expect(await source()).toMatch(/\.png\?theme=light$/);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(source).toMatch(/\.png$/);
    await page.evaluate("document.documentElement.dataset.theme = 'light'");
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(source).toMatch(/\?theme=light$/);
    await expect
      .poll(() => page.evaluate("document.querySelector('img.card-picture').naturalWidth"))
      .toBeGreaterThan(0);
  });

  it('shows drawn cards on a phone as wide as their words need', async () => {
    await find({ viewport: { width: 360, height: 740 } });
    await page.locator('.item-open').first().click();
    const card = page.locator('img.card-picture').first();
    await card.waitFor();
    expect((await card.boundingBox())?.width).toBeGreaterThanOrEqual(PHONE);
    expect(await page.evaluate(OVERFLOW)).toEqual([0, 0]);
  });

  it('plays one preview at a time, from the keyboard too', async () => {
    await find();
    const first = page.getByRole('button', { name: 'Play: Preview of Paper Comet' });
    await first.focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause: Preview of Paper Comet' }).waitFor();
    await expect.poll(() => page.evaluate(PLAYING)).toBe(1);
    await expect.poll(() => page.evaluate(DONE)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Play: Preview of Slow Tram' }).click();
    await page.getByRole('button', { name: 'Pause: Preview of Slow Tram' }).waitFor();
    await first.waitFor();
    await expect(page.evaluate(PLAYING)).resolves.toBe(1);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(PLAYING)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('says on the button that a preview cannot be had, and leaves the others alone', async () => {
    await find();
    await page.getByRole('button', { name: 'Play: Preview of Northbound' }).click();
    await page.getByRole('button', { name: 'This audio could not be loaded' }).waitFor();
    await page.getByRole('button', { name: 'Play: Preview of Paper Comet' }).click();
    await page.getByRole('button', { name: 'Pause: Preview of Paper Comet' }).waitFor();
  });

  it('loads covers from this server alone, and nothing moves when they come or do not', async () => {
    let release = (): void => undefined;
    const stands = new Promise<void>(resolve => {
      release = resolve;
    });
    const view = { reducedMotion: 'no-preference', viewport: { width: 360, height: 740 } } as const;
    // On a crowded machine the answer itself comes so long after Enter that it would count as a shift of its own.
    await find(view, async () => {
      await context.route('**/*', async route => {
        if (route.request().resourceType() === 'image') await stands;
        await route.continue();
      });
    });
    await page.evaluate('globalThis.standsAt = performance.now()');
    release();
    await page.locator('.item').last().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator('.item-cover > img').count()).toBe(4);
    await expect
      .poll(() => page.evaluate(`[...document.querySelectorAll('.item-cover > img')].every(each => each.complete)`))
      .toBe(true);
    await expect(page.evaluate('globalThis.shifted ?? 0')).resolves.toBeLessThan(0.01);
    const foreign = `performance.getEntriesByType('resource').filter(({ name }) => new URL(name).origin !== location.origin)`;
    await expect(page.evaluate(foreign)).resolves.toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each([
    [320, 568],
    [360, 740],
    [1280, 800],
  ])('fits %i x %i, and everything to press is large enough', async (width, height) => {
    await find({ viewport: { width, height }, hasTouch: width < 500 });
    await expect(page.evaluate(OVERFLOW)).resolves.toEqual([0, 0]);
    await expect(page.evaluate(TOO_SMALL)).resolves.toEqual([]);
    await page.locator('.item-open').first().click();
    await page.locator('.opener').click();
    await page.locator('.choice').first().waitFor();
    await expect(page.evaluate(OVERFLOW)).resolves.toEqual([0, 0]);
    await expect(page.evaluate(TOO_SMALL)).resolves.toEqual([]);
  });

  it('turns pages in their place, the button under the finger and the focus on it', async () => {
    await find();
    const older = page.getByRole('button', { name: 'Older' });
    await older.focus();
    const before = (await older.boundingBox())?.y ?? 0;
    await page.keyboard.press('Enter');
    await expect.poll(heading).toContain('page 2');
    await expect(page.evaluate('document.activeElement.dataset.name')).resolves.toBe('Older');
    expect(Math.abs(((await older.boundingBox())?.y ?? 0) - before)).toBeLessThan(2);
    await page.keyboard.press('Enter');
    await expect.poll(heading).toContain('page 3');
    await page.getByRole('button', { name: 'Newer' }).click();
    await expect.poll(heading).toContain('page 2');
    await expect(page.locator('.card').count()).resolves.toBe(1);
    await expect(page.locator('.said').count()).resolves.toBe(1);
    await page.locator('#send[aria-label="Send"]').waitFor();
    await page.reload();
    await expect.poll(heading).toContain('page 2');
    await expect(page.locator('.card').count()).resolves.toBe(1);
    expect(complaints).toEqual([]);
  });

  it('opens one from its card, and another from a menu', async () => {
    await find();
    await page.getByRole('button', { name: 'Open: Yukari Amane - Hoshi no Tegami' }).click();
    await expect.poll(heading).toBe('Yukari Amane - Hoshi no Tegami');
    await page.getByRole('img', { name: 'The strain of drawn' }).waitFor();
    // The one that could not be drawn is said in words.
    await page.locator('.card p').filter({ hasText: 'The strain of undrawn' }).waitFor();
    await expect.poll(() => page.locator('#announcer').textContent()).toContain('The strain of drawn');
    const menu = page.getByRole('button', { name: 'Difficulties' });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await expect(menu.getAttribute('aria-expanded')).resolves.toBe('false');
    await page.keyboard.press('Enter');
    await expect(menu.getAttribute('aria-expanded')).resolves.toBe('true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(page.evaluate('document.activeElement.dataset.name')).resolves.toBe('Normal');
    await page.keyboard.press('Escape');
    await expect(menu.getAttribute('aria-expanded')).resolves.toBe('false');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Hard/ }).click();
    await expect.poll(heading).toContain('page 3');
    expect(complaints).toEqual([]);
  });

  it('tells of a failure beside what still works', async () => {
    await find();
    await page.getByRole('button', { name: 'Broken' }).click();
    await page.locator('.card[data-tone="notice"]').waitFor();
    await expect(heading()).resolves.toContain('page 1');
    await expect(page.locator('.card').first().getAttribute('aria-busy')).resolves.toBeNull();
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(heading).toContain('page 2');
  });

  it('waits in the place of what was pressed over a reload of the page', async () => {
    await find();
    await stage.stop();
    await stage.close();
    await page.locator('#state').filter({ hasText: 'Reconnecting' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await expect(page.locator('.card').getAttribute('aria-busy')).resolves.toBe('true');
    stage = await openStage({ pageFolder: built.folder, port: stage.port });
    await page.reload();
    await expect.poll(heading).toContain('page 2');
    await expect(page.locator('.card').count()).resolves.toBe(1);
  });

  it('brings files below, where they may stay', async () => {
    await find();
    await page.getByRole('button', { name: 'Film' }).click();
    await page.locator('.card video').waitFor();
    await expect(heading()).resolves.toContain('page 1');
    await expect(page.locator('.said').last().textContent()).resolves.toBe('You: Film');
  });
});
