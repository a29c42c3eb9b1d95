/**
 * What the web chat's page costs and whom it leaves out, in Chromium: accessibility findings (axe, of any level) with content of every kind
 * on the page, in light and dark, on a phone and a desktop; compressed weight and requests of a first visit; the largest paint over
 * slow 4G; the longest frame while 100 messages scroll by, beside that of an empty page in the same moments; the longest task on a slow
 * phone. Medley is the built program, beside the demo's sites. A figure over its aim ends the bench with 1.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { openBrowser } from '../browser.ts';
import { startDemo } from '../end-to-end/demo-program.ts';
import { detail, find } from './findings.ts';

const AIMS = { findings: 0, kilobytes: 60, requests: 7, paintMs: 2_500, frameMs: 50, slowMs: 100 } as const;

/** A line for each kind of content, and one of them twice: what is alike must not be a landmark. */
const LINES = [
  'https://www.instagram.com/reel/DVclaybowl1/',
  'https://www.instagram.com/p/DWlightkeep/',
  'https://www.instagram.com/p/DXtramshed1/',
  'https://www.instagram.com/reel/DXkilnfire1/',
  '/beatmap search lantern',
  '/beatmap info paper comet +HDDT',
  'https://osu.ppy.sh/beatmapsets/900001#osu/9000014',
  '/beatmap download paper comet',
  '/osu profile lamp post',
  '/osu scores Drum_Kitten recent',
  '/osu maps lamp post most_played',
  '/beatmap recommend lamp post',
  '/settings',
  '/help',
  'https://www.instagram.com/p/DWlightkeep/',
] as const;

/** Pasted at once. */
const LINKS = [
  ...['DVclaybowl1', 'DYnightsky7', 'DZsilentsky', 'DZmanywords', 'DZtwotracks'].map(id => `instagram.com/reel/${id}/`),
  ...['DWlightkeep', 'Cjpotfern42', 'DXtramshed1'].map(id => `instagram.com/p/${id}/`),
  ...['facebook.com/watch/?v=731904415522087', 'facebook.com/reel/1184420716302551/'],
].map(path => `https://www.${path}`);

const VIEWS = [
  ['phone', { width: 360, height: 740 }],
  ['desktop', { width: 1280, height: 800 }],
] as const;

/** Chrome's "slow 4G": 1.6 Mbit/s down, 750 kbit/s up, 150 ms; its phones have a quarter of this processor. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const SLOW_PROCESSOR = 4;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// Run in the page; as text, since these programs know no DOM types.
const FINDINGS = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target }) => ({ id, impact: String(impact), target: target.join(' ') }))))`;
const WATCH_PAINT = `new PerformanceObserver(list => {
  for (const entry of list.getEntries()) globalThis.paint = entry.startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true })`;
const SCROLL = `(async () => {
  const thread = document.querySelector('#thread');
  const frames = [];
  let top = thread.scrollHeight;
  thread.scrollTop = top;
  await new Promise(resolve => setTimeout(resolve, 500));
  let last = performance.now();
  while (top > 0) {
    top -= 240;
    thread.scrollTop = top;
    const now = await new Promise(resolve => requestAnimationFrame(resolve));
    frames.push(now - last);
    last = now;
  }
  return { longest: Math.max(...frames.slice(2)), frames: frames.length, messages: document.querySelectorAll('.turn').length };
})()`;

const Findings = z.array(z.object({ id: z.string(), impact: z.string(), target: z.string() }));
const Frames = z.object({ longest: z.number(), frames: z.number(), messages: z.number() });

let isOver = false;

function report(name: string, shown: string, value: number, aim: number): void {
  isOver ||= value > aim;
  find({ work: name, aim: `<= ${aim}`, seen: shown, isMet: value <= aim });
}

export async function runPage(): Promise<void> {
  const { child, printed } = startDemo({ USER_LIMIT: '10000/60' });
  const browser = await openBrowser();
  try {
    const origin = /http:\S+/.exec(await printed)?.[0] ?? '';
    await weigh(browser, origin);
    await paint(browser, origin);
    for (const [name, viewport] of VIEWS) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({
          viewport,
          colorScheme,
          reducedMotion: 'reduce',
          serviceWorkers: 'block',
        });
        await examine(context, origin, `axe findings, ${name}, ${colorScheme}`);
        await context.close();
      }
    }
    await scroll(browser, origin);
  } finally {
    await browser.close();
    const ended = new Promise(resolve => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  if (isOver) process.exitCode = 1;
}

/** Bytes as they come over the wire, headers included, and requests, until the page is ready to be used. */
async function weigh(browser: Browser, origin: string): Promise<void> {
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  const asked = new Set<string>();
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  session.on('Network.requestWillBeSent', ({ request }) => asked.add(request.url));
  session.on('Network.webSocketCreated', ({ url }) => asked.add(url));
  await page.goto(origin, { waitUntil: 'networkidle' });
  await page.locator('.chip').first().waitFor();
  report('weight of a first visit, kB', (bytes / 1000).toFixed(1), bytes / 1000, AIMS.kilobytes);
  report('requests, the socket among them', String(asked.size), asked.size, AIMS.requests);
  await context.close();
}

async function paint(browser: Browser, origin: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, serviceWorkers: 'block' });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
  await page.addInitScript(WATCH_PAINT);
  await page.goto(origin, { waitUntil: 'networkidle' });
  await page.locator('.chip').first().waitFor();
  const ms = z.number().parse(await page.evaluate('globalThis.paint'));
  report('largest paint over slow 4G, ms', ms.toFixed(0), ms, AIMS.paintMs);
  await context.close();
}

async function examine(context: BrowserContext, origin: string, name: string): Promise<void> {
  const page = await open(context, origin);
  const empty = await findingsOf(page);
  for (const line of LINES) await ask(page, line);
  const full = await findingsOf(page);
  await page.locator('#input').fill('/beatmap info lan');
  await page.locator('.suggestion').first().waitFor();
  const suggesting = await findingsOf(page);
  await page.locator('#input').fill('');
  await page.locator('#menu-button').click();
  const all = [...empty, ...full, ...suggesting, ...(await findingsOf(page))];
  const distinct = [...new Set(all.map(({ id, impact, target }) => `  ${impact}: ${id}: ${target}`))];
  report(name, String(distinct.length), distinct.length, AIMS.findings);
  for (const each of distinct) detail(each);
}

async function findingsOf(page: Page): Promise<z.infer<typeof Findings>> {
  await page.evaluate(AXE);
  return Findings.parse(await page.evaluate(FINDINGS));
}

async function open(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(origin);
  await page.locator('.chip').first().waitFor();
  return page;
}

async function ask(page: Page, line: string): Promise<void> {
  await page.locator('#input').fill(line);
  await page.keyboard.press('Enter');
  await page.locator('.pending').waitFor({ state: 'detached' });
}

const Trace = z.object({
  traceEvents: z.array(
    z.looseObject({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      ts: z.number(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
    }),
  ),
});

type TraceEvent = z.infer<typeof Trace>['traceEvents'][number];

interface Longest {
  readonly ofPage: number;
  /** Of the tasks in which the browser gives up the page that is left. It shows no frame meanwhile, and the new page has not begun. */
  readonly ofLeaving: number;
}

/** The longest tasks, in milliseconds of the processor's time, which other programs do not lengthen. */
function longestTasksMs(trace: string): Longest {
  const { traceEvents } = Trace.parse(JSON.parse(trace));
  const ofPage = new Set(
    traceEvents
      .filter(({ name }) => name === 'FunctionCall' || name === 'UpdateLayoutTree')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && ofPage.has(`${pid} ${tid}`));
  const commits = traceEvents.filter(({ name }) => name === 'CommitLoad');
  const isLeaving = (task: TraceEvent) => commits.some(isWithin(task));
  const longest = (some: readonly TraceEvent[]) => Math.max(0, ...some.map(({ tdur = 0 }) => tdur / 1000));
  return { ofPage: longest(tasks.filter(task => !isLeaving(task))), ofLeaving: longest(tasks.filter(isLeaving)) };
}

function isWithin({ pid, tid, ts, dur = 0 }: TraceEvent): (each: TraceEvent) => boolean {
  return each => each.pid === pid && each.tid === tid && each.ts >= ts && each.ts <= ts + dur;
}

const MESSAGES = 100;
/** The middle one counts: a busy machine drops frames of its own, of an empty page as well. */
const PASSES = 5;
const EMPTY = '<main id="thread" style="height: 700px; overflow: auto"><div style="height: 80000px"></div></main>';

async function scroll(browser: Browser, origin: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, serviceWorkers: 'block' });
  const page = await open(context, origin);
  for (let place = 0; place < MESSAGES; place++) await ask(page, LINES[place % LINES.length] ?? LINES[0]);
  await page.waitForTimeout(500);
  const empty = await context.newPage();
  await empty.setContent(EMPTY);
  const passes: z.infer<typeof Frames>[] = [];
  const ofEmpty: z.infer<typeof Frames>[] = [];
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  while (passes.length < PASSES) {
    ofEmpty.push(await scrollThrough(empty));
    passes.push(await scrollThrough(page));
  }
  const { ofPage: taskMs } = longestTasksMs((await browser.stopTracing()).toString());
  const { longest, frames, messages } = middleOf(passes);
  const least = middleOf(ofEmpty).longest;
  report(`longest of ${frames} frames over ${messages} messages, ms`, longest.toFixed(1), longest, AIMS.frameMs);
  report('longest task of the page meanwhile, ms of CPU', taskMs.toFixed(1), taskMs, AIMS.frameMs);
  detail(`  in each of ${PASSES} passes: ${longestOf(passes)}; load average ${loadavg()[0]?.toFixed(1)}`);
  detail(
    `  of an empty page between them: ${longestOf(ofEmpty)}; ${(longest / least).toFixed(1)} times its middle one`,
  );
  await slowDown(browser, page);
  await context.close();
}

/** Opening, scrolling, asking, opening right after many answers, and choosing on a phone with a quarter of this processor. */
async function slowDown(browser: Browser, page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await page.reload();
  await page.locator('.turn').first().waitFor();
  await scrollThrough(page);
  await ask(page, LINKS.join(' '));
  await page.reload();
  await page.locator('.turn').first().waitFor();
  for (const line of LINES) await ask(page, line);
  await scrollThrough(page);
  await page.locator('#menu-button').click();
  for (const theme of ['dark', 'light']) await page.locator(`#menu input[value="${theme}"]`).check({ force: true });
  await page.locator('#menu select').selectOption('de');
  await page.locator('html[lang="de"]').waitFor();
  const { ofPage, ofLeaving } = longestTasksMs((await browser.stopTracing()).toString());
  report(`longest task of a ${SLOW_PROCESSOR} times slower phone, ms of CPU`, ofPage.toFixed(1), ofPage, AIMS.slowMs);
  detail(`  the browser's longest task of leaving a page there, which no frame waits for: ${ofLeaving.toFixed(1)}`);
}

async function scrollThrough(page: Page): Promise<z.infer<typeof Frames>> {
  await page.bringToFront();
  return Frames.parse(await page.evaluate(SCROLL));
}

function middleOf(passes: readonly z.infer<typeof Frames>[]): z.infer<typeof Frames> {
  const sorted = passes.toSorted((a, b) => a.longest - b.longest);
  return sorted[Math.floor(sorted.length / 2)] ?? { longest: Number.NaN, frames: 0, messages: 0 };
}

function longestOf(passes: readonly z.infer<typeof Frames>[]): string {
  return passes.map(({ longest }) => longest.toFixed(1)).join(', ');
}
