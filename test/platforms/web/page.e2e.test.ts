import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { browserMissing, browserNote, isComplaint, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { openStage, type Stage } from './stage.ts';

const REEL = 'https://www.instagram.com/reel/SeaLight_01/';
const CAROUSEL = 'https://www.instagram.com/p/FiveThings/';
const WAITS = 'https://www.instagram.com/reel/Waits/';
const PRIVATE = 'https://www.instagram.com/reel/Private/';

// Run in the page; as text, since these tests know no DOM types.
const READY_STATE = `document.querySelector('video').readyState`;
const OVERFLOW = `[document.documentElement, document.querySelector('#thread')].map(box => box.scrollWidth - box.clientWidth)`;
const TOO_SMALL = `[...document.querySelectorAll('button, a.action, .card a')]
  .filter(element => element.checkVisibility())
  .map(element => ({ box: element.getBoundingClientRect(), name: element.className + element.textContent }))
  .filter(({ box }) => box.height < 44 || box.width < 44)
  .map(({ name }) => name)`;
/** Safari on a phone zooms into a field with letters below 16 pixels, and stays there. */
const FIELDS = `[...document.querySelectorAll('textarea, select')].map(field => getComputedStyle(field).fontSize)`;
/** The colours of the sentence are those of the page, not those of a black box for files. */
const SCHEME_OF_NOTE = `getComputedStyle(document.querySelector('.media-note')).colorScheme`;

describe.skipIf(browserMissing !== undefined)(`the page${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  let context: BrowserContext;
  let page: Page;
  /** Everything the browser complained about, violations of the policy among it. */
  let complaints: string[];

  beforeAll(async () => {
    [built, browser] = await Promise.all([buildPage(), openBrowser()]);
  });

  afterAll(async () => {
    await browser?.close();
    await built?.remove();
  });

  beforeEach(async () => {
    stage = await openStage({ pageFolder: built.folder, limits: { drainMs: 50, closeMs: 200 } });
    await visit({ locale: 'en-GB', viewport: { width: 1100, height: 800 } });
  });

  afterEach(async () => {
    await context.close();
    await stage.close();
  });

  async function visit(options: Parameters<Browser['newContext']>[0]): Promise<void> {
    await context?.close();
    context = await browser.newContext({ reducedMotion: 'reduce', serviceWorkers: 'block', ...options });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    complaints = [];
    page.on('console', message => {
      if (isComplaint(message)) complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(stage.origin);
    await page.locator('.welcome-foot button').waitFor();
  }

  async function say(line: string): Promise<void> {
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
  }

  async function paste(line: string): Promise<void> {
    await page.locator('#input').focus();
    await page.keyboard.insertText(line);
    await page.keyboard.press('Enter');
  }

  it('answers a pasted link with a film that can play, and nothing offends its policy', async () => {
    await paste(REEL);
    await page.locator('.card video').waitFor();
    await expect.poll(() => page.evaluate(READY_STATE)).toBeGreaterThanOrEqual(2);
    await page.evaluate(`Object.assign(document.querySelector('video'), { muted: true }).play()`);
    await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime`)).toBeGreaterThan(0);
    await expect(page.locator('.card-heading').textContent()).resolves.toContain('@mira.holm');
    const download = page.getByRole('link', { name: 'Download' });
    await expect(download.getAttribute('href')).resolves.toBe('/media/sea-360.mp4?download=1');
    await expect(page.getByRole('link', { name: 'Open original' }).getAttribute('href')).resolves.toBe(
      'https://www.instagram.com/p/SeaLight_01/',
    );
    expect(complaints).toEqual([]);
  });

  it('folds a long caption where there is little room, and unfolds it', async () => {
    await visit({ viewport: { width: 390, height: 844 }, locale: 'en-GB' });
    await say(REEL);
    const caption = page.locator('.foldable .card-text');
    await page.getByRole('button', { name: 'Show more' }).waitFor();
    const folded = (await caption.boundingBox())?.height ?? 0;
    await page.getByRole('button', { name: 'Show more' }).click();
    expect((await caption.boundingBox())?.height).toBeGreaterThan(folded * 1.5);
    await page.getByRole('button', { name: 'Show less' }).click();
    expect((await caption.boundingBox())?.height).toBe(folded);
    await say(CAROUSEL);
    await page.locator('.carousel').waitFor();
    await expect(page.locator('.fold:visible').count()).resolves.toBe(1);
  });

  it('steps through a carousel with arrow keys, and opens its photos', async () => {
    await say(CAROUSEL);
    const place = page.locator('.carousel .place');
    await page.locator('.carousel .track').focus();
    // A video that is partly in the window would be given controls of that width.
    const hasControls = () => page.evaluate(`document.querySelector('.slide video').controls`);
    await page.keyboard.press('ArrowRight');
    await expect(hasControls()).resolves.toBe(false);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => place.textContent()).toBe('3 / 5');
    await expect(page.locator('#announcer').textContent()).resolves.toContain('3 of 5');
    await expect.poll(hasControls).toBe(true);
    await expect.poll(() => page.evaluate(READY_STATE)).toBeGreaterThanOrEqual(2);
    await expect(page.getByRole('link', { name: 'Download 3 of 5' }).getAttribute('download')).resolves.toBe(
      'studio.lumen-2026-05-17-FiveThings-3.mp4',
    );
    await page.keyboard.press('End');
    await expect.poll(() => place.textContent()).toBe('5 / 5');
    await page.keyboard.press('Home');
    await expect.poll(() => place.textContent()).toBe('1 / 5');

    const photo = page.getByRole('button', { name: 'A field of colours at dusk' });
    await photo.click();
    const shown = page.locator('#lightbox .lightbox-photo');
    await expect(shown.getAttribute('src')).resolves.toBe('/media/photo-dusk.jpg');
    await page.keyboard.press('ArrowRight');
    await expect(shown.getAttribute('src')).resolves.toBe('/media/photo-fern.jpg');
    // The button that leads no further gives its focus away, and the arrow keys go on working.
    const last = page.locator('#lightbox .turn-next');
    for (const _ of ['third', 'fourth']) await last.press('Enter');
    await page.waitForTimeout(100);
    await page.keyboard.press('ArrowLeft');
    await expect(shown.getAttribute('src')).resolves.toBe('/media/photo-lights.jpg');
    await page.keyboard.press('Escape');
    await page.locator('#lightbox').waitFor({ state: 'hidden' });
    await expect(page.evaluate(`document.activeElement?.querySelector('img')?.alt`)).resolves.toContain('at dusk');
    expect(complaints).toEqual([]);
  });

  it('covers the files of a sensitive post until each is uncovered, by the keyboard too', async () => {
    await say('https://www.instagram.com/p/Sensitive/');
    const covers = page.locator('.card .spoiler');
    await covers.nth(1).waitFor({ state: 'attached' });
    await expect(covers.allTextContents()).resolves.not.toContainEqual(expect.stringMatching(/heron|fern/));
    await expect(page.locator('.card .media img').count()).resolves.toBe(0);
    const isOnCover = () => page.evaluate(`document.activeElement?.matches('.spoiler') ?? false`);
    for (let presses = 0; presses < 30 && !(await isOnCover()); presses += 1) await page.keyboard.press('Shift+Tab');
    expect(await isOnCover()).toBe(true);
    await covers.first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'A heron at dusk' }).waitFor();
    await expect(covers.count()).resolves.toBe(1);
    // The focus is on what was uncovered, which opens; a step does not lead to what is covered still.
    await page.keyboard.press('Enter');
    const shown = page.locator('#lightbox .lightbox-photo');
    await shown.waitFor();
    await page.keyboard.press('ArrowRight');
    await expect(shown.getAttribute('src')).resolves.toBe('/media/photo-dusk.jpg');
    await page.keyboard.press('Escape');
    expect(complaints).toEqual([]);
  });

  it('suggests commands while they are typed; arrows, Tab, Escape and Enter do as they do elsewhere', async () => {
    const input = page.locator('#input');
    const options = page.getByRole('option');
    await input.pressSequentially('/');
    await expect.poll(() => options.count()).toBeGreaterThan(2);
    await expect(page.locator('#suggestions').isVisible()).resolves.toBe(true);
    await expect(input.getAttribute('aria-activedescendant')).resolves.toBeNull();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(input.getAttribute('aria-activedescendant')).resolves.toBe('suggestion-1');
    await expect(options.nth(1).getAttribute('aria-selected')).resolves.toBe('true');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    const last = (await options.count()) - 1;
    await expect(input.getAttribute('aria-activedescendant')).resolves.toBe(`suggestion-${last}`);
    await page.keyboard.press('Escape');
    await expect(page.locator('#suggestions').isVisible()).resolves.toBe(false);
    await input.pressSequentially('set');
    await page.keyboard.press('Tab');
    await expect(input.inputValue()).resolves.toBe('/settings ');
    await options.filter({ hasText: 'Bahasa Indonesia' }).click();
    await expect(input.inputValue()).resolves.toMatch(/^\/settings .*id/);
    expect(complaints).toEqual([]);
  });

  it('sends what was typed with Enter; a suggestion only when it was moved to', async () => {
    const input = page.locator('#input');
    const options = page.getByRole('option');
    const said = page.locator('.said');
    for (const [place, line] of ['/osu scores lamp post', '/beatmap info paper comet', '/osu scores lamp'].entries()) {
      await input.pressSequentially(line);
      await expect.poll(() => options.count()).toBeGreaterThan(0);
      await page.keyboard.press('Enter');
      await expect.poll(() => said.nth(place).textContent()).toContain(line);
      await expect(input.inputValue()).resolves.toBe('');
    }

    // At once, so that no later answer takes back what was moved to.
    await input.fill('/osu scores lamp');
    await expect.poll(() => options.first().textContent()).toContain('paper crane');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(input.inputValue()).resolves.toBe('/osu scores "paper crane"');
    await expect(said.count()).resolves.toBe(3);
    await page.keyboard.press('Enter');
    await expect.poll(() => said.count()).toBe(4);

    // What was moved to belongs to what was typed then.
    await input.pressSequentially('/osu scores lamp');
    await expect.poll(() => options.first().textContent()).toContain('paper crane');
    await page.keyboard.press('ArrowDown');
    await input.pressSequentially(' post');
    await page.keyboard.press('Enter');
    await expect.poll(() => said.nth(4).textContent()).toContain('/osu scores lamp post');
    expect(complaints).toEqual([]);
  });

  it('speaks another language from the moment it is chosen', async () => {
    await say('/settings');
    await page.getByRole('button', { name: 'Language', exact: true }).click();
    await page.getByRole('button', { name: 'Language: Bahasa Indonesia' }).click();
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('id');
    await expect(page.locator('#input').getAttribute('placeholder')).resolves.toContain('tautan');
    await page.reload();
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('id');
  });

  it('asks again when the connection comes back, and is answered once', async () => {
    await say(WAITS);
    await page.locator('.pending').waitFor();
    await expect.poll(() => stage.asked.length).toBe(1);
    await stage.stop();
    await stage.close();
    await page
      .locator('#state')
      .filter({ hasText: /^Reconnecting…$/ })
      .waitFor();
    await say(REEL);
    stage = await openStage({ pageFolder: built.folder, port: stage.port });
    await page.locator('.card video').waitFor();
    await expect.poll(() => stage.asked).toEqual(expect.arrayContaining([WAITS, REEL]));
    stage.release();
    await expect.poll(() => page.locator('.card').count()).toBe(2);
    await expect.poll(() => page.locator('.pending').count(), { timeout: 30_000 }).toBe(0);
    expect(stage.asked).toHaveLength(2);
  });

  it('keeps the conversation over a reload, and what was waited for still comes', async () => {
    await say(CAROUSEL);
    await page.locator('.carousel').waitFor();
    await say(WAITS);
    await page.locator('.pending').waitFor();
    await expect.poll(() => stage.asked.length).toBe(2);
    await page.reload();
    await page.locator('.carousel').waitFor();
    await page.locator('.pending').waitFor();
    stage.release();
    await page.locator('.card video').nth(1).waitFor();
    await expect.poll(() => page.locator('.card').count()).toBe(2);
    expect(stage.asked).toEqual([CAROUSEL, WAITS]);
  });

  it('says calmly that a file cannot be loaded, and brings it again when asked', async () => {
    await say('https://www.instagram.com/reel/Broken/');
    const note = page.locator('.media-note');
    await note.waitFor();
    await note.getByRole('button', { name: 'Load it again' }).click();
    await expect.poll(() => stage.asked.length).toBe(2);
  });

  it('offers to bring again what is too old to be here still', async () => {
    await say(REEL);
    await page.locator('.card video').waitFor();
    await page.clock.setFixedTime(Date.now() + 7 * 3_600_000);
    await page.reload();
    const again = page.getByRole('button', { name: 'Load it again' });
    await again.waitFor();
    expect((await page.locator('.single').boundingBox())?.height).toBeLessThan(140);
    await expect(page.getByRole('link', { name: /^Download/ }).count()).resolves.toBe(0);
    await again.click();
    await expect.poll(() => stage.asked).toEqual([REEL, REEL]);
    // This device's clock is seven hours ahead of the server's, and what has just come plays nevertheless.
    await page.locator('.card video').waitFor({ timeout: 5_000 });
    expect(complaints).toEqual([]);
  });

  it('says once of several files that all are too old, in a low box', async () => {
    await say(CAROUSEL);
    await page.locator('.carousel').waitFor();
    await page.clock.setFixedTime(Date.now() + 7 * 3_600_000);
    await page.reload();
    await page.getByRole('button', { name: 'Load it again' }).waitFor();
    await expect(page.locator('.media-note').count()).resolves.toBe(1);
    for (const theme of ['light', 'dark']) {
      await page.evaluate(`document.documentElement.style.colorScheme = '${theme}'`);
      expect(await page.evaluate(SCHEME_OF_NOTE)).toBe(theme);
    }
    await expect(page.locator('.carousel').count()).resolves.toBe(0);
    await expect(page.getByRole('button', { name: /^Download all/ }).count()).resolves.toBe(0);
    expect((await page.locator('.single').boundingBox())?.height).toBeLessThan(140);
  });

  it('says for each of several links what became of it, that the rest waits, and under every command that it is over the limit', async () => {
    await stage.close();
    stage = await openStage({ pageFolder: built.folder, units: 6, limits: { drainMs: 50, closeMs: 200 } });
    await visit({ locale: 'en-GB', viewport: { width: 1100, height: 800 } });
    await paste(`${PRIVATE} ${REEL}`);
    const cards = page.locator('.answers').last().locator('article');
    await expect.poll(() => cards.count()).toBe(2);
    await expect(cards.first().textContent()).resolves.toBe(
      'instagram.com/reel/Private: That post is private, so only its followers can see it.',
    );
    await expect(cards.first().locator('code').textContent()).resolves.toBe('instagram.com/reel/Private');
    await expect(cards.first().locator('a').count()).resolves.toBe(0);

    await paste(`${REEL} ${CAROUSEL}`);
    await expect
      .poll(() => page.locator('.stage').textContent())
      .toMatch(/^That was a lot at once\. One link waits and follows by itself in \d+ seconds\.$/);
    await expect(page.locator('#announcer').textContent()).resolves.toBe(await page.locator('.stage').textContent());
    await expect(cards.count()).resolves.toBe(1);
    for (const line of [`/download ${REEL}`, '/osu profile lamp post', `/download ${CAROUSEL}`]) {
      await say(line);
      await expect.poll(() => page.locator('.said').last().textContent()).toContain(line);
      await expect
        .poll(() => cards.last().locator('.card-text').textContent())
        .toMatch(/^Too many requests\. Please try again in \d+ seconds\.$/);
    }
    await expect(page.getByText('That did not go through').count()).resolves.toBe(0);
    expect(complaints).toEqual([]);
  });

  it('has words for failures, and a way to give up waiting', async () => {
    await say('https://www.instagram.com/reel/Private/');
    await expect(page.locator('.card[data-tone="notice"]').textContent()).resolves.toContain('private');
    await expect.poll(() => page.locator('.pending').count()).toBe(0);
    await say(WAITS);
    await page.keyboard.press('Enter');
    await page.locator('.pending').getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.note').filter({ hasText: 'Cancelled' }).waitFor();
    await expect(page.locator('#announcer').textContent()).resolves.toBe('Cancelled.');
    stage.release();
    await say('/help');
    await page.locator('.card').nth(1).waitFor();
    await expect(page.locator('video').count()).resolves.toBe(0);
  });

  it('clears the conversation and remembers the theme', async () => {
    await say('/help');
    await page.locator('.card').waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('radio', { name: 'Dark' }).check();
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await expect.poll(ground).toBe('rgb(14, 22, 20)');
    await page.getByRole('button', { name: 'Clear this conversation' }).click();
    await page.getByRole('button', { name: 'Clear everything shown here?' }).click();
    await page.locator('.welcome-foot button').waitFor();
    await expect(page.locator('.turn').count()).resolves.toBe(0);
    await page.reload();
    await page.locator('.welcome-foot button').waitFor();
    await expect(ground()).resolves.toBe('rgb(14, 22, 20)');
  });

  it('fits a screen of 320 pixels, and everything to press is large enough', async () => {
    await visit({ viewport: { width: 320, height: 568 }, isMobile: true, hasTouch: true, locale: 'en-GB' });
    await say(CAROUSEL);
    await page.locator('.carousel').waitFor();
    await say(`${'very-long-word-'.repeat(30)}\n${REEL}`);
    await page.locator('.card video').nth(1).waitFor();
    await say('/help');
    await page.locator('.card').nth(2).waitFor();
    await expect(page.evaluate(OVERFLOW)).resolves.toEqual([0, 0]);
    const small = await page.evaluate(TOO_SMALL);
    expect(small).toEqual([]);
    expect(new Set(z.array(z.string()).parse(await page.evaluate(FIELDS)))).toEqual(new Set(['16px']));
    expect(complaints).toEqual([]);
  });

  it('has whole addresses for previews elsewhere, and every picture that its manifest names, in its size', async () => {
    const manifest = z
      .object({ screenshots: z.array(z.object({ src: z.string(), sizes: z.string() })), icons: z.array(z.unknown()) })
      .parse(await (await fetch(`${stage.origin}/assets/static/manifest.webmanifest`)).json());
    for (const { src, sizes } of manifest.screenshots) {
      const image = await fetch(`${stage.origin}${src}`);
      const { width, height } = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
      expect(`${width}x${height}`).toBe(sizes);
    }
    const named = await openStage({ pageFolder: built.folder, publicUrl: 'https://medley.example/' });
    const home = await fetch(`${named.origin}/`);
    expect(home.headers.get('content-security-policy')).toContain('wss://medley.example');
    await expect(home.text()).resolves.toContain(
      '<meta property="og:image" content="https://medley.example/assets/static/screen-wide.jpg">',
    );
    await named.close();
  });

  it('is served with a strict policy, and asked again only for what changed', async () => {
    const home = await fetch(`${stage.origin}/`);
    const policy = home.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${stage.port}`);
    expect(home.headers.get('referrer-policy')).toBe('no-referrer');
    expect(home.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    const script = await fetch(`${stage.origin}/assets/main.js`, { headers: { 'accept-encoding': 'br' } });
    expect(script.headers.get('content-encoding')).toBe('br');
    expect(script.headers.get('vary')).toBe('accept-encoding');
    expect(script.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    expect(script.headers.get('x-content-type-options')).toBe('nosniff');
    const etag = script.headers.get('etag') ?? '';
    // `fetch` would ask for a fresh copy of its own accord.
    const again = await request(`${stage.origin}/assets/main.js`, {
      headers: { 'if-none-match': etag, 'accept-encoding': 'br' },
    });
    await again.body.dump();
    expect(again.statusCode).toBe(304);
    const traversal = await fetch(`${stage.origin}/assets/..%2f..%2fpackage.json`);
    expect(traversal.status).toBe(404);
  });
});
