import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { starSwatch } from '../../../src/bot/cards/star-colour.ts';
import type { Card } from '../../../src/bot/contract/reply.ts';
import { reply, strong } from '../../../src/bot/contract/reply-parts.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { contrast } from '../../contrast.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { scripted } from './scripted.ts';
import { openStage, type Stage } from './stage.ts';

const REEL = 'https://www.instagram.com/reel/SeaLight_01/';
const CAROUSEL = 'https://www.instagram.com/p/FiveThings/';
const PRIVATE = 'https://www.instagram.com/reel/Private/';
const SILENT = 'https://www.instagram.com/reel/Silent/';
const LIMITED = 'https://www.instagram.com/reel/Limited/';

// Run in the page; as text, since these tests know no DOM types.
const COPY = (line: string) => `navigator.clipboard.writeText(${JSON.stringify(line)})`;

/** A sheet that takes files, or links alone, and notes what it was given. */
const SHEET = (takesFiles: boolean) => `Object.assign(globalThis, { shared: [] });
  Object.defineProperty(navigator, 'canShare', { configurable: true, value: () => ${takesFiles} });
  Object.defineProperty(navigator, 'share', { configurable: true, value: async ({ url, files }) => {
    shared.push(url ?? [files[0].name, files[0].type, files[0].size > 1000]);
  } });`;

/** The words of each coloured label, their colour and that under them. */
const PILLS = `[...document.querySelectorAll('.pill')].map(pill => {
  const { color, backgroundColor } = getComputedStyle(pill);
  const [ink, ground] = [color, backgroundColor].map(rgb => '#' + rgb.match(/\\d+/g).map(part => Number(part).toString(16).padStart(2, '0')).join(''));
  return [pill.textContent, ink, ground];
})`;

function playOf(grade: string, accuracy: string, mod: string): Card {
  const lines = [[strong(accuracy), ' · ', 'counts 190 pp'], ['12x']];
  return {
    kind: 'card',
    title: [`Of ${grade}`],
    lines,
    worth: { value: '201 pp', lines, play: { grade, colour: '#88da20', mods: [mod] } },
  };
}

describe.skipIf(browserMissing !== undefined)(`asking on the page${browserNote}`, () => {
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

  async function visit(options: Parameters<Browser['newContext']>[0] = {}, origin = stage.origin): Promise<void> {
    context = await browser.newContext({
      reducedMotion: 'reduce',
      locale: 'en-GB',
      viewport: { width: 1100, height: 900 },
      serviceWorkers: 'block',
      permissions: ['clipboard-read', 'clipboard-write'],
      ...options,
    });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(origin);
    await page.locator('.welcome-foot button').waitFor();
  }

  async function say(line: string): Promise<void> {
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
    await answered();
  }

  /** A turn goes on for a moment after its last card. */
  async function answered(): Promise<void> {
    await page.locator('.pending').waitFor({ state: 'detached' });
  }

  const value = () => page.locator('#input').inputValue();
  const said = () => page.locator('.said').allTextContents();

  it('sends a lone link that is pasted into the empty box; other words, or beside others, wait to be sent', async () => {
    await visit();
    const paste = page.getByRole('button', { name: 'Paste' });
    await page.evaluate(COPY(REEL));
    await paste.click();
    await page.locator('.card video').waitFor();
    await page.locator('#input').focus();
    await page.keyboard.press('ControlOrMeta+v');
    await expect.poll(said).toHaveLength(2);
    await expect(value()).resolves.toBe('');

    await page.locator('#input').fill('/download ');
    await expect(paste.isVisible()).resolves.toBe(false);
    await page.keyboard.press('ControlOrMeta+v');
    await expect.poll(value).toBe(`/download ${REEL}`);
    await page.locator('#input').fill('');
    await page.evaluate(COPY('two words'));
    await paste.click();
    await expect.poll(value).toBe('two words');
    await expect(said()).resolves.toHaveLength(2);
  });

  it('keeps in the box what is too long to be sent, and stays connected', async () => {
    await visit();
    let connections = 0;
    page.on('websocket', () => {
      connections += 1;
    });
    for (const start of ['/settings ', 'https://www.instagram.com/p/']) {
      await page.locator('#input').fill('');
      await page.evaluate(COPY(start + 'x'.repeat(70_000)));
      await page.keyboard.press('ControlOrMeta+v');
      await expect.poll(() => page.locator('#hint').textContent()).toContain('10000');
      await page.waitForTimeout(300);
    }
    await expect(said()).resolves.toHaveLength(0);
    expect(connections).toBe(0);
  });

  it('has no Paste button where the page may not read the clipboard, and leads to the box where it is refused', async () => {
    await visit({ permissions: [] });
    await page.getByRole('button', { name: 'Menu' }).focus();
    await page.getByRole('button', { name: 'Paste' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('input');
    await page.addInitScript('delete Clipboard.prototype.readText');
    await page.reload();
    await page.locator('.welcome-foot button').waitFor();
    await expect(page.locator('#paste').isVisible()).resolves.toBe(false);
  });

  it('recalls what was sent with the arrows, from an empty box alone', async () => {
    await visit();
    await say(REEL);
    await say('/help');
    await page.locator('#input').focus();
    await page.keyboard.press('ArrowUp');
    await expect(value()).resolves.toBe('/help');
    await expect(page.locator('#suggestions').isVisible()).resolves.toBe(false);
    for (const _ of 'again') await page.keyboard.press('ArrowUp');
    await expect(value()).resolves.toBe(REEL);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(value()).resolves.toBe('');
    await page.keyboard.type('half');
    await page.keyboard.press('ArrowUp');
    await expect(value()).resolves.toBe('half');
  });

  it('speaks the language that is chosen in the menu, by its own name, without a word in the conversation', async () => {
    await visit();
    await page.getByRole('button', { name: 'Menu' }).click();
    const languages = page.locator('#menu select');
    await expect(languages.locator('option').allTextContents()).resolves.toEqual(LANGUAGES.map(({ name }) => name));
    await languages.focus();
    await languages.selectOption({ label: 'Türkçe' });
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('tr');
    await expect(page.evaluate(`document.activeElement.matches('#menu select')`)).resolves.toBe(true);
    await expect(page.locator('.steps li').last().textContent()).resolves.toBe('Oynat, kaydet, paylaş');
    await expect(page.locator('.turn').count()).resolves.toBe(0);
    await page.reload();
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('tr');
    await page.getByRole('button', { name: 'Menü' }).click();
    await expect(languages.inputValue()).resolves.toBe('tr');
  });

  it('marks an answer that stays in another language than the page as such', async () => {
    await visit();
    await say('/help');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('#menu select').selectOption({ label: 'Türkçe' });
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe('tr');
    await expect(page.locator('.card').getAttribute('lang')).resolves.toBe('en');
  });

  it('keeps conversations on the device once that is chosen, and forgets them', async () => {
    await visit();
    await say('/help');
    const inNewTab = async () => {
      const tab = await context.newPage();
      await tab.goto(stage.origin);
      await expect.poll(() => tab.evaluate('document.documentElement.dataset.connection')).toBe('open');
      const count = await tab.locator('.turn').count();
      await tab.close();
      return count;
    };
    await expect(inNewTab()).resolves.toBe(0);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: 'Keep conversations on this device' }).click();
    await expect(inNewTab()).resolves.toBe(1);
    await page.getByRole('button', { name: 'Forget conversations on this device' }).click();
    await expect(inNewTab()).resolves.toBe(0);
    await expect(
      page.evaluate(`Object.keys(localStorage).filter(key => key.startsWith('medley.turns'))`),
    ).resolves.toEqual([]);
    await page.reload();
    await expect(page.locator('.turn').count()).resolves.toBe(1);
  });

  it('stores the turns that changed, not the whole conversation again', async () => {
    await visit();
    await say('/help');
    await say('/settings');
    const ids = `JSON.parse(sessionStorage.getItem('medley.turns')).map(id => 'medley.turns.' + id)`;
    // A turn is stored twice: as it is asked, and once it is answered.
    const states = `${ids}.map(key => JSON.parse(sessionStorage.getItem(key)).state)`;
    await expect.poll(() => page.evaluate(states)).toEqual(['done', 'done']);
    await page.evaluate(`globalThis.stored = new Set();
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = function (key, value) {
        stored.add(key);
        setItem.call(this, key, value);
      };`);
    await say('/help');
    await expect.poll(() => page.evaluate(`${ids}.length`)).toBe(3);
    const stored = `[...stored].filter(key => key.startsWith('medley.turns.'))`;
    await expect(page.evaluate(stored)).resolves.toEqual([await page.evaluate(`${ids}[2]`)]);
  });

  it('shows on its first page the way in three steps, and the sites that are offered', async () => {
    await visit();
    await expect(page.locator('.steps li').allTextContents()).resolves.toHaveLength(3);
    await expect(page.locator('#sites').textContent()).resolves.toBe('Works with Instagram and Facebook.');
    await context.close();
    await visit({ viewport: { width: 740, height: 360 }, isMobile: true, hasTouch: true });
    await expect.poll(() => page.getByText('Paste it here').isVisible()).toBe(true);
    const title = await page.locator('#welcome-title').boundingBox();
    expect(title?.y).toBeGreaterThanOrEqual(0);
    await say(REEL);
    const download = await page.getByRole('link', { name: 'Download' }).boundingBox();
    expect(download?.y).toBeGreaterThan(0);
    expect((download?.y ?? 0) + (download?.height ?? 0)).toBeLessThan(300);
  });

  it('shares the file itself on a phone, and its link where the sheet takes no files', async () => {
    await visit({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await page.evaluate(SHEET(true));
    await say(REEL);
    await page.getByRole('button', { name: 'Share' }).click();
    await expect
      .poll(() => page.evaluate('shared'))
      .toEqual([['mira.holm-2026-05-17-SeaLight_01.mp4', 'video/mp4', true]]);
    await page.evaluate(SHEET(false));
    await say(CAROUSEL);
    await page.getByRole('button', { name: 'Share' }).last().click();
    await expect.poll(() => page.evaluate('shared')).toEqual(['https://www.instagram.com/p/FiveThings/']);
  });

  it('shows the shape of the answer while it waits for it, and none of it afterwards', async () => {
    await visit();
    await page.locator('#input').fill('https://www.instagram.com/reel/Waits/');
    await page.keyboard.press('Enter');
    await page.locator('.skeleton.of-media').waitFor();
    await expect.poll(() => page.locator('.stage').textContent()).not.toBe('');
    await expect.poll(() => stage.asked.at(-1)).toBe('https://www.instagram.com/reel/Waits/');
    stage.release();
    await page.locator('.card video').waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  });

  it('lists plays in aligned rows: grade, accuracy and mods on the left, pp on the right', async () => {
    const plays = await openStage({
      pageFolder: built.folder,
      dispatcher: scripted(() => [reply({ blocks: [playOf('A', '96.30%', 'DT 1.3×'), playOf('SS', '100%', 'HD')] })]),
      limits: { drainMs: 50, closeMs: 200 },
    });
    onTestFinished(() => plays.close());
    await visit({}, plays.origin);
    await say('plays');
    await page.locator('.play').nth(1).waitFor();
    for (const part of ['.play > .pill', '.play > strong', '.worth-value']) {
      const edges = page.evaluate(
        `[...document.querySelectorAll('${part}')].map(each => each.getBoundingClientRect()).map(({ left, right }) => Math.round('${part}' === '.worth-value' ? right : left))`,
      );
      const seen = new Set(
        z
          .array(z.number())
          .length(2)
          .parse(await edges),
      );
      expect([part, seen.size]).toEqual([part, 1]);
    }
    await expect(page.locator('.play').allTextContents()).resolves.toEqual([
      'A 96.30% DT 1.3× counts 190 pp ',
      'SS 100% HD counts 190 pp ',
    ]);
  });

  it('writes stars so that they can be read on the colour of every rating', async () => {
    const ratings = Array.from({ length: 110 }, (_, tenths) => (tenths + 1) / 10);
    const text = ['Stars: ', ...ratings.flatMap(stars => [starSwatch(stars), ` ${stars.toFixed(1)}★ `])];
    const rated = await openStage({
      pageFolder: built.folder,
      dispatcher: scripted(() => [reply({ blocks: [{ kind: 'text', text }] })]),
      limits: { drainMs: 50, closeMs: 200 },
    });
    onTestFinished(() => rated.close());
    await visit({}, rated.origin);
    await say('stars');
    await page.locator('.pill').last().waitFor();
    const pills = z.array(z.tuple([z.string(), z.string(), z.string()])).parse(await page.evaluate(PILLS));
    expect(pills).toHaveLength(ratings.length);
    expect(pills.filter(([, ink, ground]) => contrast(ink, ground) < 4.5)).toEqual([]);
  });

  it('offers to try again where that can help, the failed link of several alone, and when it may', async () => {
    await visit();
    const again = page.locator('.card').getByRole('button', { name: 'Try again' });
    await say(PRIVATE);
    await expect(again.count()).resolves.toBe(0);
    await say(`${CAROUSEL} ${SILENT}`);
    const asked = stage.asked.length;
    await again.click();
    await expect.poll(() => again.count()).toBe(2);
    await answered();
    expect(stage.asked.slice(asked)).toEqual([SILENT]);
    await say(LIMITED);
    await expect(again.last().isDisabled()).resolves.toBe(true);
  });
});
