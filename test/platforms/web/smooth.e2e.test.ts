import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reply } from '../../../src/bot/contract/reply-parts.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { type BuiltPage, buildPage } from './built-page.ts';
import { scripted } from './scripted.ts';
import { openStage, type Stage } from './stage.ts';

const answer = (words: string) => reply({ blocks: [{ kind: 'text', text: [words] }] });
const TURNS = 60;
const MANY = 10;
const ANSWERS = Array.from({ length: MANY }, (_, n) => answer(`Answer ${n + 1}.`));

const Trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      ts: z.number(),
      dur: z.number().default(0),
      args: z.looseObject({ elementCount: z.number().optional() }).default({}),
    }),
  ),
});
type TraceEvent = z.infer<typeof Trace>['traceEvents'][number];

// Run in the page; as text, since these tests know no DOM types.
const FAR = (of: string) =>
  `[...document.querySelectorAll('${of}')].map(each => getComputedStyle(each).contentVisibility === 'auto')`;

const SHOW_ALL = `for (const each of document.querySelectorAll('.turn, .card')) each.style.contentVisibility = 'visible'`;

/** Counts the cards that the task which runs the page has made. */
const FIRST_CARDS = `new MutationObserver((_, observer) => {
  globalThis.firstCards = document.querySelectorAll('.card').length;
  if (firstCards > 0) observer.disconnect();
}).observe(document, { childList: true, subtree: true })`;

/** Says whether an event happened within another. */
const isWithin = (outer: TraceEvent) => (each: TraceEvent) =>
  each.pid === outer.pid && each.tid === outer.tid && each.ts >= outer.ts && each.ts <= outer.ts + outer.dur;

describe.skipIf(browserMissing !== undefined)(`a long conversation${browserNote}`, () => {
  let built: BuiltPage;
  let browser: Browser;
  let stage: Stage;
  let page: Page;
  let events: readonly TraceEvent[];

  beforeAll(async () => {
    [built, browser] = await Promise.all([buildPage(), openBrowser()]);
    stage = await openStage({
      pageFolder: built.folder,
      dispatcher: scripted(said => ('text' in said && said.text === 'many' ? ANSWERS : [answer('An answer.')])),
      limits: { drainMs: 50, closeMs: 200 },
    });
    page = await browser.newPage({ serviceWorkers: 'block', reducedMotion: 'reduce', isMobile: true, hasTouch: true });
    page.setDefaultTimeout(30_000);
    await page.goto(stage.origin);
    await page.locator('.welcome-foot button').waitFor();
    for (let n = 1; n <= TURNS; n++) await ask(`question ${n}`);
    await page
      .locator('.card')
      .nth(TURNS - 1)
      .waitFor();
    await page.locator('.pending').first().waitFor({ state: 'detached' });
    events = await traced(async () => {
      await ask('the last question');
      await page.locator('.card').nth(TURNS).waitFor();
    });
  });

  afterAll(async () => {
    await stage?.close();
    await browser?.close();
    await built?.remove();
  });

  async function ask(line: string): Promise<void> {
    await page.locator('#input').fill(line);
    await page.keyboard.press('Enter');
  }

  async function traced(act: () => Promise<void>): Promise<readonly TraceEvent[]> {
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
    await act();
    return Trace.parse(JSON.parse((await browser.stopTracing()).toString())).traceEvents;
  }

  it('has its far turns neither laid out nor painted, and its newest three always', async () => {
    const far = await page.evaluate(FAR('.turn'));
    expect(far).toEqual([...Array(TURNS - 2).fill(true), false, false, false]);
  });

  it('is not styled again for a new question or answer', () => {
    const counts = events.map(({ args }) => args.elementCount ?? 0);
    expect(Math.max(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThan(TURNS);
  });

  it('lays out an answer in another task than that which builds it', () => {
    const messages = events.filter(({ name }) => name === 'WebSocketReceive');
    const layouts = events.filter(({ name }) => name === 'Layout');
    const tasks = events.filter(({ name }) => name.endsWith('RunTask'));
    const receiving = tasks.filter(task => messages.some(isWithin(task)));
    expect(receiving.length).toBeGreaterThan(0);
    expect(layouts.length).toBeGreaterThan(0);
    expect(layouts.filter(each => receiving.some(task => isWithin(task)(each)))).toEqual([]);
  });

  it('is laid out, when it is opened again, in another task than that which runs the page', async () => {
    const opening = await traced(async () => {
      await page.reload();
      await page
        .locator('.turn')
        .nth(TURNS - 1)
        .waitFor();
    });
    const running = opening.filter(({ name }) => name === 'v8.evaluateModule');
    expect(running.length).toBeGreaterThan(0);
    expect(opening.filter(each => each.name === 'Layout' && running.some(task => isWithin(task)(each)))).toEqual([]);
  });

  it('has of many answers to one message all but the last three neither laid out nor painted', async () => {
    await ask('many');
    await page
      .locator('.turn:last-child .card')
      .nth(MANY - 1)
      .waitFor();
    await page.locator('.pending').waitFor({ state: 'detached' });
    const far = await page.evaluate(FAR('.turn:last-child .card'));
    expect(far).toEqual([...Array(MANY - 3).fill(true), false, false, false]);
  });

  it('shows one of many answers first when it is opened again, and the others in tasks of their own, in their order', async () => {
    const words = () => page.locator('.turn:last-child .card').allTextContents();
    const before = await words();
    await page.addInitScript(FIRST_CARDS);
    await page.reload();
    await expect.poll(words).toEqual(before);
    expect(await page.evaluate('firstCards')).toBe(1);
    await expect
      .poll(() => page.evaluate(FAR('.turn:last-child .card')))
      .toEqual([...Array(MANY - 3).fill(true), false, false, false]);
  });

  it('has its real height when it is opened again, so that nothing moves what is read', async () => {
    const height = () => page.evaluate(`document.querySelector('#thread').scrollHeight`);
    await page.reload();
    await expect.poll(() => page.locator('.turn').count()).toBe(TURNS);
    await expect.poll(() => page.locator('.fresh').count()).toBe(0);
    const known = await height();
    await page.evaluate(SHOW_ALL);
    expect(await height()).toBe(known);
  });
});
