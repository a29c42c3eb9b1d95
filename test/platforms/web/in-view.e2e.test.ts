import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { reel } from './posts.ts';
import { scripted } from './scripted.ts';
import { openStage, type Stage } from './stage.ts';

const REEL = 'https://www.instagram.com/reel/SeaLight_01/';
const CAROUSEL = 'https://www.instagram.com/p/FiveThings/';
const PRIVATE = 'https://www.instagram.com/reel/Private/';
const LINES = [REEL, '/help', 'found', CAROUSEL, PRIVATE, '/osu profile lamp post', REEL, 'found', PRIVATE, '/about'];

// Run in the page; as text, since these tests know no DOM types.
/** What of the newest message is out of sight: its words and its end where all of it fits, else where its answer begins. */
const OUT_OF_SIGHT = `(() => {
  const view = document.querySelector('#thread').getBoundingClientRect();
  const turn = [...document.querySelectorAll('.turn')].at(-1);
  const box = turn.getBoundingClientRect();
  const answer = turn.querySelector('.answers > *').getBoundingClientRect();
  if (box.height <= view.height) return box.top < view.top - 1 || box.bottom > view.bottom + 1 ? [box.top, box.bottom, view.bottom] : [];
  return answer.top < view.top - 1 || answer.top > view.bottom - view.height / 3 ? [answer.top, view.bottom] : [];
})()`;
const COMPOSER_WIDTH = `document.querySelector('#composer').offsetWidth`;
/** Resolves when nothing has scrolled for a while. */
const AT_REST = `new Promise(resolve => {
  const thread = document.querySelector('#thread');
  const settled = () => { clearInterval(timer); resolve(thread.scrollTop); };
  let wait = setTimeout(settled, 500);
  let top = thread.scrollTop;
  const timer = setInterval(() => {
    if (thread.scrollTop === top) return;
    top = thread.scrollTop;
    clearTimeout(wait);
    wait = setTimeout(settled, 500);
  }, 20);
})`;
/**
 * How many screens the end of the conversation was ever away from view in a painted frame, after the page has kept its place: a long one
 * must not pass by.
 */
const FURTHEST = `
  window.furthest = 0;
  (function begin() {
    const thread = document.querySelector('#thread');
    if (thread?.querySelector('.turn') == null) return requestAnimationFrame(begin);
    new ResizeObserver(() => {
      const left = (thread.scrollHeight - thread.scrollTop) / thread.clientHeight - 1;
      window.furthest = Math.max(window.furthest, left);
    }).observe(document.querySelector('#log'));
  })();
`;
/** Where what the reader looks at stands on the screen. */
const LOOKED_AT = `document.querySelector('.card').getBoundingClientRect().top`;
const IMAGES = `[...document.querySelectorAll('.card-image')].filter(image => image.complete && image.naturalHeight > 0).length`;

describe.skipIf(browserMissing !== undefined)(`the newest message and its answer${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  let context: BrowserContext;
  let page: Page;

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

  /** Most people have not asked for less motion: scrolling glides. */
  async function visit(width: number, height: number, origin = stage.origin): Promise<void> {
    context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', viewport: { width, height } });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(origin);
    await page.locator('.welcome-foot button').waitFor();
  }

  async function say(line: string): Promise<void> {
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
  }

  /** Also when everything has come to rest. */
  async function expectInView(): Promise<void> {
    await page.locator('.pending').first().waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(OUT_OF_SIGHT)).toEqual([]);
    await page.evaluate(AT_REST);
    expect(await page.evaluate(OUT_OF_SIGHT)).toEqual([]);
  }

  it.each([
    [390, 844],
    [1440, 900],
    [2560, 1440],
  ])('are in view at %i x %i after every one of many', async (width, height) => {
    await visit(width, height);
    for (const line of LINES) {
      await say(line);
      await expectInView();
    }
  });

  it.each([
    [390, 844],
    [1440, 900],
  ])('are in view at %i x %i after a burst, whatever came while they were asked', async (width, height) => {
    await visit(width, height);
    for (const line of [...LINES, ...LINES]) await say(line);
    await expect.poll(() => page.locator('.turn').count()).toBe(2 * LINES.length);
    await expectInView();
    await say(REEL);
    await expectInView();
  });

  it('stay in view when images come late, and come back to it after the reader scrolled up', async () => {
    const image = (name: string) => ({ kind: 'image' as const, url: `https://cdn.test/${name}`, alt: 'A view' });
    const blocks = [{ kind: 'heading' as const, text: ['A view'] }, image('tram-cover.jpg'), image('sea-cover.jpg')];
    const views = await openStage({
      pageFolder: built.folder,
      dispatcher: scripted(() => [reply({ blocks })]),
      limits: { drainMs: 50, closeMs: 200 },
    });
    let release = (): void => undefined;
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    try {
      await visit(1100, 800, views.origin);
      await page.route('**/media/**', async route => {
        await held;
        await route.continue();
      });
      for (const line of ['one', 'two', 'three', 'four', 'five']) {
        await say(line);
        await expectInView();
      }
      release();
      await expect.poll(() => page.evaluate(IMAGES)).toBeGreaterThan(3);
      await expectInView();

      await page.mouse.move(400, 300);
      await page.mouse.wheel(0, -900);
      await expect.poll(() => page.evaluate(OUT_OF_SIGHT)).not.toEqual([]);
      await say('six');
      await expectInView();
    } finally {
      await views.close();
    }
  });

  it('are in view with the first of several answers, which do not fit together', async () => {
    const answer = reply({ gallery: [{ kind: 'media', post: reel, index: 0, form: 'original', spoiler: false }] });
    const views = await openStage({
      pageFolder: built.folder,
      dispatcher: scripted(() => [answer, answer, answer]),
      limits: { drainMs: 50, closeMs: 200 },
    });
    try {
      await visit(1100, 800, views.origin);
      await say('one');
      await expect.poll(() => page.locator('.card').count()).toBe(3);
      await expectInView();
      await page.getByRole('button', { name: 'New replies' }).waitFor();
    } finally {
      await views.close();
    }
  });

  it('are in view above the keyboard of a phone, when it opens and when it goes', async () => {
    await visit(390, 844);
    for (const line of [REEL, PRIVATE]) await say(line);
    await expectInView();
    for (const height of [430, 844]) {
      await page.setViewportSize({ width: 390, height });
      await expectInView();
    }
  });

  it.each([
    [390, 844],
    [1440, 900],
  ])('are in view at %i x %i right after a long conversation was loaded again', async (width, height) => {
    await visit(width, height);
    const lines = Array.from({ length: 4 }, () => LINES).flat();
    for (const line of lines) await say(line);
    await expect.poll(() => page.locator('.turn').count()).toBe(lines.length);
    await expectInView();
    await context.addInitScript(FURTHEST);
    for (const come of [() => page.reload(), comeBack]) {
      await come();
      await say(REEL);
      await expectInView();
      expect(await page.evaluate('furthest')).toBeLessThan(2);
    }
  });

  async function comeBack(): Promise<void> {
    await page.goto(`${stage.origin}/api/ping`);
    await page.goBack();
  }

  it('do not take the beginning of the empty page away nor any width, when the keyboard opens or all is cleared', async () => {
    await visit(320, 640);
    const width = await page.evaluate(COMPOSER_WIDTH);
    await page.setViewportSize({ width: 320, height: 360 });
    expect(await page.evaluate(AT_REST)).toBe(0);
    expect(await page.evaluate(COMPOSER_WIDTH)).toBe(width);
    for (const line of [REEL, '/help']) await say(line);
    await expectInView();
    await page.locator('#menu-button').click();
    for (const _ of ['asks', 'clears']) await page.locator('.menu-item').last().click();
    await page.locator('.welcome-foot button').waitFor();
    expect(await page.evaluate(AT_REST)).toBe(0);
  });

  it('leave the reader alone who looks at what was before', async () => {
    await visit(1100, 800);
    for (const line of [REEL, CAROUSEL, 'found', 'https://www.instagram.com/reel/Waits/']) await say(line);
    await expect.poll(() => page.locator('.card').count()).toBe(3);
    await page.mouse.move(400, 300);
    await page.mouse.wheel(0, -1_500);
    await page.evaluate(AT_REST);
    const before = await page.evaluate(LOOKED_AT);
    stage.release();
    await expect.poll(() => page.locator('.card').count()).toBe(4);
    await page.locator('#latest').waitFor();
    await page.evaluate(AT_REST);
    expect(await page.evaluate(LOOKED_AT)).toBeCloseTo(Number(before), 0);
    await page.locator('#latest').click();
    await expectInView();
  });
});
