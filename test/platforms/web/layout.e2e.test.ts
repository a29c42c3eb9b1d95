import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { photo, post } from './posts.ts';
import { scripted } from './scripted.ts';
import { openStage, type Stage } from './stage.ts';

const REEL = 'https://www.instagram.com/reel/SeaLight_01/';
const CAROUSEL = 'https://www.instagram.com/p/FiveThings/';
const PORTRAIT = post({
  id: 'Portrait',
  author: { id: '4', username: 'city.tram.friends', name: 'Friends of the Tram', verified: true, avatarUrl: null },
  caption: 'Car 14 is back from the paint shop. Come and ring the bell!',
  items: [photo('photo-tram.jpg')],
});
const SHALOM = '\u05e9\u05dc\u05d5\u05dd';
const CAPTION = `Night bake\n${SHALOM} \u05dc\u05db\u05d5\u05dc\u05dd!\nGood night`;
const NAME = '\u05e2\u05d5\u05de\u05e8';

const draw = () =>
  sharp({ create: { width: 1080, height: 600, channels: 3, background: '#16211e' } })
    .png()
    .toBuffer();

const SCENES: Readonly<Record<string, Reply>> = {
  portrait: reply({
    blocks: [
      { kind: 'heading', text: [{ kind: 'strong', children: ['Friends of the Tram'] }, ' @city.tram.friends'] },
      { kind: 'text', text: [PORTRAIT.caption ?? ''], folded: true },
    ],
    gallery: [{ kind: 'media', post: PORTRAIT, index: 0, form: 'original', spoiler: false }],
    actions: [{ kind: 'link', label: 'Open original', url: PORTRAIT.url }],
  }),
  levels: reply({
    blocks: [
      {
        kind: 'text',
        text: [
          { kind: 'swatch', colour: '#4fc0ff', symbol: '🔵' },
          ' Insane · 7.94★ · AR 10.1 OD 9.2 CS 4.2 HP 5.6 · 1:20 · 874x',
        ],
      },
    ],
  }),
  linked: reply({
    blocks: [
      {
        kind: 'text',
        text: [
          'like ',
          { kind: 'link', url: 'https://osu.ppy.sh/b/1', children: ['Slow Tram · Night Line'] },
          ' · 2:00 · 180 BPM',
        ],
      },
    ],
  }),
  figures: reply({
    blocks: [
      { kind: 'heading', text: ['lamp post'] },
      {
        kind: 'fields',
        fields: Object.entries({
          Peringkat: '#21.480 · ID #537',
          pp: '6.241',
          Akurasi: '97,85%',
          'Kombo terpanjang': '1.830x',
          'Skor ranked': '9.120.000.000',
          'Peringkat terbaik': '#20.580 · 2 Feb 2026',
        }).map(([label, value]) => ({ label, value: [value] })),
      },
      { kind: 'image', url: 'https://cdn.test/tram-cover.jpg', alt: 'Cover', ratio: 3.6 },
    ],
  }),
  led: reply({
    blocks: [
      {
        kind: 'heading',
        text: [{ kind: 'strong', children: ['Friends of the Tram'] }, ' @city.tram.friends'],
        image: { kind: 'image', url: 'https://cdn.test/person-1.jpg', alt: 'Avatar' },
        site: { name: 'Tramway', colour: '#1877f2' },
      },
    ],
  }),
  command: reply({ blocks: [{ kind: 'text', text: ['Which player are you? Send /osu link and your osu! name.'] }] }),
  values: reply({
    blocks: [2, 3, 4, 5, 6].map(length => ({
      kind: 'text',
      text: [`Tramway${' · a value of some words'.repeat(length)} · `, { kind: 'strong', children: ['last · one'] }],
    })),
  }),
  charts: reply({
    blocks: [
      {
        kind: 'picture',
        picture: { key: 'none', width: 1, height: 1, draw: () => Promise.reject(new Error('not drawn')) },
        alt: '',
        repeats: true,
        charts: () => [
          {
            label: 'rank, last 3 days',
            points: [
              { height: -30, text: '#30', name: '2 days ago' },
              { height: -10, text: '#10', name: 'yesterday' },
              { height: -20, text: '#20', name: 'today' },
            ],
          },
        ],
      },
    ],
  }),
  picture: reply({
    blocks: [
      { kind: 'heading', text: ['lamp post: most recent play'] },
      { kind: 'picture', picture: { key: 'drawn', width: 1080, height: 600, draw }, alt: 'A play' },
    ],
  }),
  caption: reply({
    blocks: [
      { kind: 'heading', text: [{ kind: 'strong', children: [NAME] }, ' @7omer'] },
      { kind: 'text', text: [CAPTION], folded: true },
    ],
  }),
};

// Run in the page; as text, since these tests know no DOM types.
/** What of the last card reaches beyond what the card shows. */
const CUT_OFF = `(() => {
  const card = [...document.querySelectorAll('.card')].at(-1);
  const edge = card.getBoundingClientRect();
  return [...card.querySelectorAll('.card-body, .card-body *, .media')]
    .filter(element => element.checkVisibility() && element.getBoundingClientRect().right > edge.right + 1)
    .map(element => element.className || element.tagName);
})()`;
/** How wide the words beside the files are, in pixels, and how tall the photo is beside them. */
const WORDS_WIDTH = `document.querySelector('.card-body').getBoundingClientRect().width`;
const UNFILLED = `document.querySelector('.card').getBoundingClientRect().height - document.querySelector('.single').getBoundingClientRect().height`;
const SHAPE_OF_SLIDE = `(({ width, height }) => width / height)(document.querySelector('.slide').getBoundingClientRect())`;
const COLUMNS = `new Set([...document.querySelectorAll('.card dl > div')].map(each => Math.round(each.getBoundingClientRect().left))).size`;
/** Every separator, with its width and whether a line ends with it. */
const SEPARATORS = `[...document.querySelectorAll('.separator')].map(each => {
  const range = document.createRange();
  range.selectNodeContents(each.nextSibling);
  const { width, top } = each.getBoundingClientRect();
  return { width, isLast: range.getBoundingClientRect().top > top + 4 };
})`;
const Separators = z.array(z.object({ width: z.number(), isLast: z.boolean() }));
const BROKEN_UNDERLINES = `[...document.querySelectorAll('.card a *')].filter(each => getComputedStyle(each).display === 'inline-block').length`;
const OPACITY_OF_BACKDROP = `document.querySelector('canvas.backdrop').getContext('2d').getImageData(1, 16, 1, 1).data[3]`;
const EDGES = `(() => {
  const edges = selector => {
    const { left, right } = document.querySelector(selector).getBoundingClientRect();
    return [Math.round(left), Math.round(right)];
  };
  return { answer: edges('.card'), composer: edges('#composer') };
})()`;
const Edges = z.object({ answer: z.array(z.number()), composer: z.array(z.number()) });
const PLAYER = `(({ paused, currentTime }) => ({ paused, currentTime }))(document.querySelector('video'))`;
const Player = z.object({ paused: z.boolean(), currentTime: z.number() });
/** Left edge of the first occurrence of some words in an element. */
const LEFT_OF = (selector: string, words: string) => `(() => {
  const walker = document.createTreeWalker(document.querySelector('${selector}'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.indexOf('${words}');
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + ${words.length});
    return range.getBoundingClientRect().left;
  }
})()`;

describe.skipIf(browserMissing !== undefined)(`the layout of answers${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  let scenes: Stage;
  let context: BrowserContext;
  let page: Page;

  const dispatcher = scripted(said => {
    const scene = 'text' in said ? SCENES[said.text.split(' ', 1).join()] : undefined;
    return scene ? [scene] : [];
  });

  beforeAll(async () => {
    [built, browser] = await Promise.all([buildPage(), openBrowser()]);
    const limits = { drainMs: 50, closeMs: 200 };
    stage = await openStage({ pageFolder: built.folder, limits });
    scenes = await openStage({ pageFolder: built.folder, dispatcher, limits });
  });

  afterAll(async () => {
    await stage?.close();
    await scenes?.close();
    await browser?.close();
    await built?.remove();
  });

  afterEach(async () => {
    await context.close();
  });

  async function ask(origin: string, line: string, options: Parameters<Browser['newContext']>[0]): Promise<void> {
    context = await browser.newContext({
      reducedMotion: 'reduce',
      locale: 'en-GB',
      serviceWorkers: 'block',
      ...options,
    });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(origin);
    await page.locator('.welcome-foot button').waitFor();
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
    await page.locator('.card').waitFor();
    await page.locator('.pending').waitFor({ state: 'detached' });
  }

  it.each([
    [390, 844],
    [720, 900],
    [768, 1024],
    [1440, 900],
    [1920, 1080],
    [2560, 1440],
  ])('shows all of a photo of 4 to 5 and of its words at %i x %i', async (width, height) => {
    await ask(scenes.origin, 'portrait', { viewport: { width, height } });
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    expect(await page.evaluate(WORDS_WIDTH)).toBeGreaterThan(270);
    if (width > 704) expect(await page.evaluate(UNFILLED)).toBeLessThan(4);
  });

  it('shows all values of a difficulty on a phone whose letters are half as large again', async () => {
    // To the page, that is a screen of two thirds of its width.
    await ask(scenes.origin, 'levels', { viewport: { width: 260, height: 563 } });
    await expect(page.locator('.level-values').count()).resolves.toBe(1);
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
  });

  it.each([
    [360, 740],
    [390, 844],
    [393, 852],
  ])('shows several photos of 4 to 5 as wide as their card at %i x %i', async (width, height) => {
    await ask(stage.origin, CAROUSEL, { viewport: { width, height } });
    expect(await page.evaluate(SHAPE_OF_SLIDE)).toBeCloseTo(4 / 5, 2);
  });

  it('shows an answer as wide as the message box, also beside the bar of a phone held sideways', async () => {
    await ask(scenes.origin, 'figures', { viewport: { width: 390, height: 844 } });
    for (const [width, height] of [
      [390, 844],
      [800, 360],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      const { answer, composer } = Edges.parse(await page.evaluate(EDGES));
      expect([width, answer]).toEqual([width, composer]);
    }
  });

  it('shows a video as wide as the message box', async () => {
    await ask(stage.origin, 'https://www.facebook.com/watch/?v=1234567890', { viewport: { width: 640, height: 900 } });
    const { answer, composer } = Edges.parse(await page.evaluate(EDGES));
    expect(answer).toEqual(composer);
  });

  it('fills the sides of a tall video on a phone by a blurred copy', async () => {
    await ask(stage.origin, REEL, { viewport: { width: 390, height: 844 } });
    await expect.poll(() => page.evaluate(OPACITY_OF_BACKDROP)).toBeGreaterThan(100);
  });

  it('breaks no line within the name of a command', async () => {
    await ask(scenes.origin, 'command', { viewport: { width: 320, height: 640 } });
    const name = page.locator('.card .whole');
    await expect(name.textContent()).resolves.toBe('/osu link');
    for (const width of [320, 300, 280, 260]) {
      await page.setViewportSize({ width, height: 640 });
      expect((await name.boundingBox())?.height).toBeLessThan(30);
    }
  });

  it('hides what addresses share, at the beginning of a word alone', async () => {
    const nested = 'https://web.archive.org/web/https://www.instagram.com/p/SeaLight_01/';
    await ask(scenes.origin, `linked ${nested}`, {});
    const said = page.locator('.said');
    await expect(said.textContent()).resolves.toBe(`You: linked ${nested}`);
    await expect(said.locator('.unseen').allTextContents()).resolves.toEqual(['You: ', 'https://']);
  });

  it('puts figures with long labels side by side', async () => {
    await ask(scenes.origin, 'figures', { viewport: { width: 1440, height: 900 } });
    expect(await page.evaluate(COLUMNS)).toBeGreaterThan(2);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(COLUMNS)).toBeGreaterThan(1);
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
  });

  it('ends no line with a separator, and shows every other one', async () => {
    await ask(scenes.origin, 'values', { viewport: { width: 390, height: 844 } });
    for (const width of [320, 390, 768]) {
      await page.setViewportSize({ width, height: 844 });
      const separators = Separators.parse(await page.evaluate(SEPARATORS));
      expect(separators.some(({ isLast }) => isLast)).toBe(true);
      for (const { width: shown, isLast } of separators) expect([isLast, shown > 4]).toEqual([isLast, !isLast]);
    }
    await expect(page.locator('.card p').first().textContent()).resolves.toBe(
      'Tramway · a value of some words · a value of some words · last · one',
    );
  });

  it('draws separators with a system’s own colours, too', async () => {
    await ask(scenes.origin, 'values', { forcedColors: 'active' });
    const drawn = page.evaluate(`getComputedStyle(document.querySelector('.separator')).backgroundImage`);
    await expect(drawn).resolves.toContain('gradient');
  });

  it('leads with the avatar, brought by this server, and with the letter of the site where there is none', async () => {
    await ask(scenes.origin, 'led', { viewport: { width: 390, height: 844 } });
    const avatar = page.locator('.portrait img');
    await expect(avatar.getAttribute('src')).resolves.toBe('/media/person-1.jpg');
    await expect(page.locator('.site-mark').textContent()).resolves.toBe('T');
    const width = async () => (await page.locator('.site-mark').boundingBox())?.width;
    expect(await width()).toBeLessThan(24);
    await avatar.evaluate('document.querySelector(".portrait img").dispatchEvent(new Event("error"))');
    await expect(avatar.count()).resolves.toBe(0);
    expect(await width()).toBe(40);
  });

  it('says the value of a curve under the pointer, and of the point that the keys reach', async () => {
    await ask(scenes.origin, 'charts', { viewport: { width: 390, height: 844 } });
    const said = page.locator('figcaption');
    const slider = page.getByRole('slider', { name: 'rank, last 3 days' });
    await expect(said.textContent()).resolves.toBe('rank, last 3 daystoday #20');
    await slider.hover();
    await expect.poll(() => said.textContent()).toContain('yesterday #10');
    await slider.press('ArrowLeft');
    await expect.poll(() => said.textContent()).toContain('2 days ago #30');
    await expect(slider.getAttribute('aria-valuetext')).resolves.toBe('#30, 2 days ago');
  });

  it('shows an answer as wide as its image card, beside which nothing is empty', async () => {
    await ask(scenes.origin, 'picture', { viewport: { width: 1440, height: 900 } });
    const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0;
    expect(await widthOf('.card-picture')).toBeGreaterThan(400);
    expect((await widthOf('.card')) - (await widthOf('.card-picture'))).toBeLessThan(50);
  });

  it('underlines a link in one piece', async () => {
    await ask(scenes.origin, 'linked', {});
    await page.locator('.card a').waitFor();
    expect(await page.evaluate(BROKEN_UNDERLINES)).toBe(0);
  });

  it('gives every paragraph the direction of its own language, and lets no name turn what stands beside it', async () => {
    await ask(scenes.origin, 'caption', { viewport: { width: 1100, height: 900 } });
    const left = async (selector: string, words: string): Promise<number> =>
      Number(await page.evaluate(LEFT_OF(selector, words)));
    expect(await left('.card-text', '!')).toBeLessThan(await left('.card-text', SHALOM));
    expect(await left('.card-text', SHALOM)).toBeGreaterThan(await left('.card-text', 'Night bake'));
    expect(await left('.card-text', 'Good night')).toBe(await left('.card-text', 'Night bake'));
    expect(await left('.card-heading', NAME)).toBeLessThan(await left('.card-heading', '@'));
    expect(await left('.card-heading', '@')).toBeLessThan(await left('.card-heading', '7'));
  });

  it('plays of a part of a video that part alone, again too', async () => {
    await ask(stage.origin, `/download ${REEL} clip:2-3`, {});
    const play = () => page.evaluate(`Object.assign(document.querySelector('video'), { muted: true }).play()`);
    const video = async () => Player.parse(await page.evaluate(PLAYER));
    for (const _ of ['first', 'second', 'third']) {
      await play();
      await expect.poll(async () => (await video()).paused, { timeout: 20_000 }).toBe(true);
      const { currentTime: at } = await video();
      expect(at).toBeGreaterThan(2.9);
      expect(at).toBeLessThan(3.6);
    }
  });
});
