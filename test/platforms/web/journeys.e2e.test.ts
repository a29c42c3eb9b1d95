import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { WebExample } from '../../../src/platforms/web/page/base/protocol.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { lengthened } from './long-words.ts';
import { openStage, type Stage } from './stage.ts';

const REEL = 'https://www.instagram.com/reel/SeaLight_01/';
const CAROUSEL = 'https://www.instagram.com/p/FiveThings/';
const SIZES = 'https://www.instagram.com/reel/Sizes/';
const PRIVATE = 'https://www.instagram.com/reel/Private/';

// Run in the page; as text, since these tests know no DOM types.
const OVERFLOW = `[document.documentElement, document.querySelector('#thread')].map(box => box.scrollWidth - box.clientWidth)`;
/** What reaches beyond the screen, or beyond what its card shows; a carousel's other slides and the end of a shortened line do so by intent. */
const OUTSIDE = `[...document.querySelectorAll('body *')]
  .filter(element => element.checkVisibility() && !element.closest('.track, .backdrop, .unseen, .skip, .brief > *, svg'))
  .filter(element => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
  })
  .map(element => [element.parentElement.className, element.tagName, element.textContent.slice(0, 40)].join(' '))`;
/** How much shines through in the middle of what is behind the file. */
const SIDES = `document.querySelector('.single > canvas').getContext('2d').getImageData(16, 16, 1, 1).data[3]`;
const NAMES = `[...document.querySelectorAll('.card')].map(card => card.getAttribute('aria-label'))`;
/** Of everything that can be pressed or played in an answer; what steps and folds is one for each card. */
const CONTROL_NAMES = `[...document.querySelectorAll('.card :is(a, button, video, audio[controls])')]
  .filter(element => element.checkVisibility() && !element.closest('.choices') && !element.matches('.fold, .turn-previous, .turn-next, .actions > *, .photo'))
  .map(element => element.getAttribute('aria-label') ?? element.textContent)`;
const PASTE = (line: string) => `(() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', ${JSON.stringify(line)});
  document.activeElement.blur();
  document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
})()`;
const DROP = (line: string) => `(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.setData('text/uri-list', ${JSON.stringify(line)});
  for (const type of ['dragover', 'drop'])
    document.querySelector('#thread').dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
})()`;

const EXAMPLES: readonly WebExample[] = [
  { label: 'A reel', text: REEL },
  { label: 'Search beatmaps', text: '/beatmap search lantern', about: 'beatmaps' },
];

/** Of the bar that shows how far a file has come. */
const BAR_HEIGHT = `getComputedStyle(document.querySelector('.saving'), '::after').height`;

describe.skipIf(browserMissing !== undefined)(`journeys on the page${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [built, browser] = await Promise.all([buildPage(), openBrowser()]);
    stage = await openStage({
      pageFolder: built.folder,
      examples: EXAMPLES,
      limits: { drainMs: 50, closeMs: 200 },
    });
  });

  afterAll(async () => {
    await stage?.close();
    await browser?.close();
    await built?.remove();
  });

  afterEach(async () => {
    await context.close();
  });

  async function visit(options: Parameters<Browser['newContext']>[0] = {}, path = '/'): Promise<void> {
    context = await browser.newContext({
      reducedMotion: 'reduce',
      locale: 'en-GB',
      viewport: { width: 1100, height: 900 },
      serviceWorkers: 'block',
      ...options,
    });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${stage.origin}${path}`);
  }

  async function say(line: string): Promise<void> {
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.pending').count(), { timeout: 30_000 }).toBe(0);
  }

  const heading = () => page.locator('.card-heading').first().textContent();

  it('keeps a list under what is opened from it: Back goes there, its own and the browser’s, after a reload too', async () => {
    await visit();
    await say('found');
    await page.getByRole('link', { name: 'Slow Tram' }).click();
    await expect.poll(heading).toContain('Slow Tram');
    await page.getByRole('button', { name: 'Back', exact: true }).first().click();
    await expect.poll(heading).toContain('page 1');
    await page.getByRole('button', { name: 'Open: Marble Lanterns - Paper Comet' }).click();
    await expect.poll(heading).toContain('Paper Comet');
    await page.reload();
    await expect.poll(heading).toContain('Paper Comet');
    await page.goBack();
    await expect.poll(heading).toContain('page 1');
    await expect(page.locator('.card').count()).resolves.toBe(1);
    await expect(page.locator('.return').count()).resolves.toBe(0);
    await page.getByRole('button', { name: 'Older' }).click();
    await expect.poll(heading).toContain('page 2');
    await page.getByRole('button', { name: /^Open: The Tin Orchard/ }).click();
    await expect.poll(heading).toContain('Slow Tram');
    await page.goBack();
    await expect.poll(heading).toContain('page 2');
    await page.goBack();
    await expect.poll(heading).toContain('page 1');
  });

  it('has one Back in a section of the help, which goes up where the section was not opened from anything', async () => {
    await visit();
    const backs = page.getByRole('button', { name: 'Back', exact: true });
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await say('/help');
    await press('Beatmaps');
    await expect.poll(heading).toContain('Beatmaps');
    await expect(backs.count()).resolves.toBe(1);
    await press('Back');
    await expect.poll(() => backs.count()).toBe(0);
    await page.reload();
    await say('/help beatmap search');
    await press('Back');
    await expect.poll(heading).toContain('Beatmaps');
    await expect(page.locator('.return').count()).resolves.toBe(0);
    await press('Back');
    await expect.poll(() => backs.count()).toBe(0);
  });

  it('opens again with one Forward what one Back closed, however often', async () => {
    await visit();
    await say('found');
    await page.getByRole('link', { name: 'Slow Tram' }).click();
    await expect.poll(heading).toContain('Slow Tram');
    for (const round of ['first', 'after a reload']) {
      await page.goBack();
      await expect.poll(heading, { message: round }).toContain('page 1');
      if (round !== 'first') await page.reload();
      await page.goForward();
      await expect.poll(heading, { message: round }).toContain('Slow Tram');
    }
    await page.getByRole('button', { name: 'Back', exact: true }).first().click();
    await expect.poll(heading).toContain('page 1');
    await page.goForward();
    await expect.poll(heading).toContain('Slow Tram');
    await page.goBack();
    await page.getByRole('button', { name: 'Open: Marble Lanterns - Paper Comet' }).click();
    await expect.poll(heading).toContain('Paper Comet');
    await page.goBack();
    await expect.poll(heading).toContain('page 1');
    await page.goForward();
    await expect.poll(heading).toContain('Paper Comet');
  });

  it('does not need a second Back after a Forward with nothing to show', async () => {
    await visit();
    await say('found');
    await page.getByRole('link', { name: 'Slow Tram' }).click();
    await expect.poll(heading).toContain('Slow Tram');
    await page.locator('#menu-button').click();
    await page.getByRole('button', { name: 'Clear this conversation' }).click();
    await page.getByRole('button', { name: 'Clear everything shown here?' }).click();
    await expect.poll(() => page.evaluate('history.state')).toBeNull();
    await page.goForward();
    await expect.poll(() => page.evaluate('history.state')).toBeNull();
    await say('found');
    await page.getByRole('link', { name: 'Slow Tram' }).click();
    await expect.poll(heading).toContain('Slow Tram');
    await page.goBack();
    await expect.poll(heading).toContain('page 1');
  });

  it('fills the sides of a narrow file with itself, in a few pixels', async () => {
    await visit();
    await say(REEL);
    await expect.poll(() => page.evaluate(SIDES)).toBeGreaterThan(0);
  });

  it('opens a difficulty here by its name, with its stars on their colour', async () => {
    await visit();
    await say('/beatmap info paper comet');
    const level = page.locator('.level').first();
    await level.waitFor();
    await expect(level.locator('.pill').textContent()).resolves.toMatch(/^[\d.]+★$/);
    const name = (await level.locator('a').textContent()) ?? '';
    await level.locator('a').click();
    await page.locator('.return').waitFor();
    await page.locator('.card-subheading').filter({ hasText: name }).waitFor();
  });

  it('has one thing to press first of a download', async () => {
    await visit();
    await say('/beatmap download paper comet');
    const primary = page.locator('.card .primary');
    await expect(primary.count()).resolves.toBe(1);
    await expect(page.locator('.actions > :first-child').textContent()).resolves.toBe(await primary.textContent());
  });

  it('takes a link that is pasted anywhere, dropped, or shared to it; other text waits to be sent', async () => {
    await visit();
    await page.locator('.chip').first().waitFor();
    await page.evaluate(PASTE(REEL));
    await page.locator('.card video').waitFor();
    await page.evaluate(DROP(CAROUSEL));
    await page.locator('.carousel').waitFor();
    await page.evaluate(PASTE('/help'));
    await expect(page.locator('#input').inputValue()).resolves.toBe('/help');
    await expect(page.locator('.said').count()).resolves.toBe(2);
    await context.close();
    await visit({}, `/?text=${encodeURIComponent(`Look at this ${REEL}`)}`);
    await page.locator('.card video').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await context.close();
    await visit({}, '/?text=%2Fforget%20me');
    await expect.poll(() => page.locator('#input').inputValue()).toBe('/forget me');
    await expect(page.locator('.said').count()).resolves.toBe(0);
  });

  it('opens without a connection, says so, and sends what was written when it is back', async () => {
    await visit({ serviceWorkers: 'allow' });
    await page.locator('.chip').first().waitFor();
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
    const kept = `caches.open('medley-page-1').then(cache => cache.keys()).then(keys => keys.map(({ url }) => new URL(url).pathname))`;
    await expect(page.evaluate(kept)).resolves.toEqual([
      '/',
      '/assets/main.js',
      '/assets/static/page.css',
      '/assets/static/figtree-latin.woff2',
      '/assets/static/mark.svg',
    ]);
    const { port } = stage;
    await stage.stop();
    await stage.close();
    await page.reload();
    await page.locator('#state').filter({ hasText: 'Reconnecting' }).waitFor();
    await page.locator('#input').fill(REEL);
    await page.keyboard.press('Enter');
    stage = await openStage({ pageFolder: built.folder, port, examples: EXAMPLES });
    await page.locator('.card video').waitFor({ timeout: 30_000 });
  });

  it('offers beside a video its sizes and audio, goes on where it was, and takes link and caption along', async () => {
    await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await say(SIZES);
    const video = page.locator('.card video');
    await video.waitFor();
    await page.evaluate(`document.querySelector('video').currentTime = 1`);
    await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime`)).toBe(1);
    await page.getByRole('radio', { name: '360p' }).check();
    await expect(video.getAttribute('src')).resolves.toBe('/media/clay-360.mp4');
    await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime`)).toBe(1);
    const download = page.getByRole('link', { name: 'Download' });
    await expect(download.getAttribute('href')).resolves.toBe('/media/clay-360.mp4?download=1');
    await page.getByRole('link', { name: /^Download 360p · MP4 Mira Holm/ }).waitFor();
    await expect(page.getByRole('link', { name: 'Audio only' }).getAttribute('href')).resolves.toBe(
      '/media/tune-0.mp3?download=1',
    );
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await expect(page.locator('#announcer').textContent()).resolves.toBe('Copied');
    await expect(page.evaluate('navigator.clipboard.readText()')).resolves.toBe('https://www.instagram.com/p/Sizes/');
    await page.getByRole('button', { name: 'Copy caption' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('Two sizes.');
  });

  it('saves a file by its name and says so, then offers it as before', async () => {
    await visit();
    await say(REEL);
    const link = page.getByRole('link', { name: /^Download/ });
    const before = await link.textContent();
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe(await link.getAttribute('download'));
    await expect.poll(() => link.textContent()).toContain('Saved');
    await expect.poll(() => page.locator('#announcer').textContent()).toBe('Saved');
    await expect.poll(() => link.textContent(), { timeout: 10_000 }).toBe(before);
  });

  it('shows how far a file has come beside that file alone, while others can be saved', async () => {
    await visit();
    await say(CAROUSEL);
    const link = page.getByRole('link', { name: /^Download/ });
    let release = (): void => undefined;
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/media/photo-dusk.jpg?download=1', async route => {
      await held;
      await route.continue();
    });
    await link.click();
    await expect.poll(() => link.textContent(), { timeout: 10_000 }).toContain('sec');
    await expect(page.evaluate(BAR_HEIGHT)).resolves.toBe('44px');
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => link.getAttribute('href')).toBe('/media/photo-fern.jpg?download=1');
    const second = await link.textContent();
    const [other] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(other.suggestedFilename()).toMatch(/-2\.jpg$/);
    await expect.poll(() => link.textContent(), { timeout: 10_000 }).toBe(second);
    await page.evaluate(`window.shown = new Set(); new MutationObserver(records => {
      for (const { target } of records) shown.add(target.textContent);
    }).observe(document.querySelector('.tools'), { childList: true, subtree: true })`);
    const [first] = await Promise.all([page.waitForEvent('download'), release()]);
    expect(first.suggestedFilename()).toMatch(/-1\.jpg$/);
    expect(await page.evaluate('[...shown]')).toEqual([]);
  });

  it('shows no progress of a clip beside another part, when a handle is moved meanwhile', async () => {
    await visit();
    await say(REEL);
    await page.getByRole('button', { name: /^Clip/ }).click();
    await page.route('**/api/clip?**', () => undefined);
    await page.getByRole('link', { name: /^Download, Clip/ }).click();
    await expect.poll(() => page.locator('.saving').count(), { timeout: 10_000 }).toBe(1);
    await page.getByRole('slider', { name: 'Start of the clip' }).fill('2');
    await expect(page.locator('.saving').count()).resolves.toBe(0);
  });

  it.each([
    ['photo', '.photo >> nth=0'],
    ['button that saves the file', '.tools a[download] >> nth=0'],
    ['button that saves all files', '.tools button[title="Download all"]'],
  ])('offers expired files anew when their %s is pressed, on a page left open', async (_, pressed) => {
    await visit();
    await say(CAROUSEL);
    await page.evaluate('{ const later = Date.now() + 7 * 3_600_000; Date.now = () => later; }');
    await page.locator(pressed).click();
    await expect.poll(() => page.locator('.media.expired').count()).toBe(1);
    await expect(page.locator('#lightbox').isVisible()).resolves.toBe(false);
    await expect(page.locator('.tools a[download]').first().isVisible()).resolves.toBe(false);
    await expect(page.evaluate('document.activeElement.closest(".expired") !== null')).resolves.toBe(true);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.turn').count()).toBe(2);
  });

  it('says that a photo could not be loaded where it is shown over the whole page', async () => {
    await visit();
    await say(CAROUSEL);
    await page.route('**/media/photo-fern.jpg*', route => route.abort());
    await page.locator('.photo').first().click();
    const dialog = page.locator('#lightbox');
    await dialog.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => dialog.textContent()).toContain('2 of 4');
    const sentence = dialog.getByText('This file could not be loaded.');
    await expect.poll(() => sentence.isVisible()).toBe(true);
    await expect(dialog.locator('img').isVisible()).resolves.toBe(false);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => dialog.locator('img').isVisible()).toBe(true);
    await expect(sentence.isVisible()).resolves.toBe(false);
  });

  it('gives the focus back to the button of the menu that Escape closes', async () => {
    await visit();
    await page.locator('#menu-button').press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await expect(page.evaluate('document.activeElement.id')).resolves.toBe('menu-button');
  });

  it('chooses a clip by two handles, which never cross', async () => {
    await visit();
    await say(REEL);
    const tool = page.getByRole('button', { name: /^Clip/ });
    const saved = page.getByRole('link', { name: /^Download, Clip/ });
    await expect(saved.isVisible()).resolves.toBe(false);
    await tool.click();
    await expect(tool.getAttribute('aria-expanded')).resolves.toBe('true');
    const [from, to] = ['Start of the clip', 'End of the clip'].map(name => page.getByRole('slider', { name }));
    await to?.fill('4');
    await from?.fill('2');
    await expect(saved.getAttribute('href')).resolves.toMatch(/^\/api\/clip\?url=.*&from=2\.0&to=4\.0$/);
    await from?.fill('6');
    await expect(saved.getAttribute('href')).resolves.toMatch(/&from=6\.0&to=6\.5$/);
    await to?.fill('1');
    await expect(saved.getAttribute('href')).resolves.toMatch(/&from=0\.5&to=1\.0$/);
    await from?.press('Escape');
    await expect(tool.getAttribute('aria-expanded')).resolves.toBe('false');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await expect(saved.getAttribute('href')).resolves.toMatch(/&from=0\.6&to=1\.1$/);
  });

  it('downloads all of a carousel', async () => {
    await visit();
    await say(CAROUSEL);
    const names: string[] = [];
    page.on('download', download => names.push(download.suggestedFilename()));
    await page.getByRole('button', { name: 'Download all' }).click();
    await expect.poll(() => names.length).toBe(5);
    expect(names.sort()[4]).toBe('studio.lumen-2026-05-17-FiveThings-5.jpg');
  });

  it('calls each answer by what it is', async () => {
    await visit();
    await say(CAROUSEL);
    await say(REEL);
    await say('found');
    await expect(page.evaluate(NAMES)).resolves.toEqual([
      'Medley, 4 photos, 1 video, Studio Lumen @studio.lumen',
      'Medley, 1 video, Mira Holm @mira.holm\u00a0✓',
      'Medley, Beatmaps like “lantern”, page 1',
    ]);
    await expect(page.locator('.carousel').getAttribute('aria-label')).resolves.toBe('4 photos, 1 video');
    const names = z.array(z.string()).parse(await page.evaluate(CONTROL_NAMES));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.length).toBeGreaterThan(20);
  });

  it('shows dates as the reader writes them', async () => {
    await visit({ locale: 'en-GB' });
    await say(REEL);
    await expect(page.locator('time').textContent()).resolves.toBe('17 May 2026');
    await expect(page.locator('#announcer').textContent()).resolves.toMatch(/ · 17 May 2026\. \S/);
    await context.close();
    await visit({ locale: 'en-US' });
    await say(REEL);
    await expect(page.locator('time').textContent()).resolves.toBe('May 17, 2026');
  });

  it.each([
    [360, 740],
    [390, 844],
    [320, 568],
  ])('keeps a reel below 55 % of %i x %i, and all that can be done with it in sight', async (width, height) => {
    await visit({ viewport: { width, height }, isMobile: true, hasTouch: true });
    await say(REEL);
    await page.locator('.card video').waitFor();
    const box = await page.locator('.single').boundingBox();
    expect(box?.height ?? height).toBeLessThanOrEqual(height * 0.55 + 1);
    const dock = await page.locator('.dock').boundingBox();
    const tools = await page.locator('.tools').boundingBox();
    expect((tools?.y ?? height) + (tools?.height ?? 0)).toBeLessThanOrEqual(dock?.y ?? 0);
    expect(tools?.height).toBeLessThan(60);
  });

  it.each([
    [320, 568],
    [360, 740],
    [1280, 800],
  ])('fits %i x %i with words that are 40 percent longer', async (width, height) => {
    context = await browser.newContext({
      reducedMotion: 'reduce',
      serviceWorkers: 'block',
      viewport: { width, height },
    });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.routeWebSocket(/\/chat$/, socket => {
      const server = socket.connectToServer();
      server.onMessage(message => socket.send(lengthened(String(message))));
    });
    await page.goto(stage.origin);
    await page.locator('.chip').first().waitFor();
    await expect(page.locator('.chip-label').first().textContent()).resolves.toBe('[Aa reelee]');
    const fits = async (): Promise<void> => {
      await expect(page.evaluate(OVERFLOW)).resolves.toEqual([0, 0]);
      await expect(page.evaluate(OUTSIDE)).resolves.toEqual([]);
    };
    await fits();
    await page.locator('#menu-button').click();
    await fits();
    await page.keyboard.press('Escape');
    const lines = [
      REEL,
      CAROUSEL,
      PRIVATE,
      'found',
      '/beatmap info paper comet',
      '/beatmap download paper comet',
      '/osu profile lamp post',
      '/osu scores lamp post',
      '/beatmap recommend lamp post',
      '/settings',
      '/help',
    ];
    for (const line of lines) {
      await say(line);
      await fits();
    }
    await page.locator('#input').fill('/beatmap info lan');
    await page.locator('.suggestion').first().waitFor();
    await fits();
  });
});
