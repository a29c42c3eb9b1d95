/**
 * `npm run pictures [-- FOLDER [SUBJECT ...]]`: draws what people see on every platform, for `docs/tour.md`, and the page itself (`page`) for
 * previews of it and for stores of installed apps. Discord and Telegram are drawn
 * from the payloads that the built program really sends, the web chat is its own page. Each picture shows a wide light window and a
 * narrow dark one. Needs Chromium; all on loopback, with made-up people and posts.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { openBrowser } from '../browser.ts';
import { type Look, type Platform, renderWindow } from './chat-window.ts';
import { openStage, type Stage } from './stage.ts';
import { EVENING_SUBJECTS, OSU_SUBJECTS, SITE_SUBJECTS, SUBJECTS, type Subject } from './subjects.ts';

const [folder = fileURLToPath(new URL('../../docs/pictures', import.meta.url)), ...names] = process.argv.slice(2);
type View = { readonly look: Look; readonly width: number };
const VIEWS: readonly View[] = [
  { look: 'light', width: 720 },
  { look: 'dark', width: 360 },
];
/** What is drawn for a subject: a picture each. The cards about osu! are looked at in four windows. */
const SHEETS: readonly (readonly [name: string, views: readonly View[]])[] = names.includes('osu')
  ? (['light', 'dark'] as const).map(look => [`-${look}`, [1_440, 360].map(width => ({ look, width }))])
  : [['', VIEWS]];
const PAGE_FILES = fileURLToPath(new URL('../../src/platforms/web/page/static', import.meta.url));
const PAGE_SIZES = [
  ['wide', 1_200, 630],
  ['narrow', 540, 960],
] as const;
const REEL = 'https://www.instagram.com/reel/DVclaybowl1/';
const MAX_HEIGHT = 1_400;
const GAP = 24;
const QUALITY = 82;
const EXAMPLES = `reel=${REEL},carousel=https://www.instagram.com/p/DWlightkeep/`;

const subjects = chosen();
if (folder.startsWith('-') || (subjects.length === 0 && !names.includes('page'))) {
  process.stderr.write(`There are ${SUBJECTS.map(({ name }) => name).join(', ')}, evening, sites, osu and page.\n`);
  process.exit(1);
}
const stage = await openStage(EXAMPLES);
const browser = await openBrowser();
await mkdir(folder, { recursive: true });
try {
  for (const subject of subjects) {
    await drawChat('discord', subject, await stage.discord(subject.discord));
    await drawChat('telegram', subject, await stage.telegram(subject.telegram));
    await drawPage(subject);
  }
  if (names.length === 0 || names.includes('page')) {
    for (const [name, width, height] of PAGE_SIZES) {
      const [image] = await pageWith(REEL, [{ width, height, look: 'light' }]);
      await sharp(image).jpeg({ quality: QUALITY }).toFile(`${PAGE_FILES}/screen-${name}.jpg`);
    }
  }
} finally {
  await browser.close();
  await stage.close();
}

function chosen(): readonly Subject[] {
  const named = SUBJECTS.filter(({ name }) => names.length === 0 || names.includes(name));
  return [
    ...named,
    ...(names.includes('evening') ? EVENING_SUBJECTS : []),
    ...(names.includes('sites') ? SITE_SUBJECTS : []),
    ...(names.includes('osu') ? OSU_SUBJECTS : []),
  ];
}

async function drawChat(platform: Platform, subject: Subject, answers: readonly string[]): Promise<void> {
  const { text, command } = subject[platform];
  const said = platform === 'discord' && command !== undefined ? undefined : text;
  for (const [name, views] of SHEETS) {
    const shots = [];
    for (const { look, width } of views) {
      const page = await openPage(browser, stage, width, look);
      await page.setContent(renderWindow({ platform, look, width, said, answers }), { waitUntil: 'networkidle' });
      shots.push(await shoot(page));
    }
    await save(`${platform}-${subject.name}${name}`, shots);
  }
}

async function drawPage({ name, web }: Subject): Promise<void> {
  if (web === undefined) return;
  const views = VIEWS.map(({ look, width }) => ({ look, width: width === 720 ? 1_120 : width, height: 800 }));
  await save(`web-${name}`, await pageWith(web, views));
}

/** The web chat with the answer to a line, which one visitor gets and looks at in several windows. */
async function pageWith(line: string, views: readonly (View & { height: number })[]): Promise<readonly Buffer[]> {
  // In the narrowest window, which comes last, an answer is scrolled to its beginning, and it stays there in the others.
  const fromNarrow = views.toReversed();
  const context = await browser.newContext({ viewport: fromNarrow[0] ?? null, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(stage.origin);
  const box = page.getByRole('textbox');
  await box.fill(line);
  await box.press('Enter');
  await page.waitForTimeout(4_000);
  const shots = [];
  for (const { look, width, height } of fromNarrow) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: look });
    await page.waitForTimeout(1_000);
    shots.push(await page.screenshot());
  }
  await context.close();
  return shots.toReversed();
}

async function openPage(browser: Browser, { fetchFile }: Stage, width: number, colorScheme: Look): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 100 }, colorScheme });
  const page = await context.newPage();
  await page.route(/^https:/, async route => {
    const file = await fetchFile(route.request().url());
    if (file === undefined) await route.fulfill({ status: 404 });
    else await route.fulfill({ contentType: file.type, body: file.body });
  });
  return page;
}

async function shoot(page: Page): Promise<Buffer> {
  // A video shows its first frame once it has some of it.
  await page.waitForFunction(`[...document.querySelectorAll('video')].every(video => video.readyState >= 2)`);
  await page.waitForTimeout(200);
  const shot = await page.screenshot({ fullPage: true });
  await page.context().close();
  return shot;
}

/** Side by side, on nothing. */
async function save(name: string, shots: readonly Buffer[]): Promise<void> {
  const parts = await Promise.all(
    shots.map(async shot => {
      const { width, height } = await sharp(shot).metadata();
      const cut = { left: 0, top: 0, width, height: Math.min(height, MAX_HEIGHT) };
      return { input: await sharp(shot).extract(cut).toBuffer(), ...cut };
    }),
  );
  const width = parts.reduce((sum, part) => sum + part.width, 0) + GAP * (parts.length - 1);
  const height = Math.max(...parts.map(part => part.height));
  let left = 0;
  const placed = parts.map(({ input, width: own }) => {
    const at = { input, left, top: 0 };
    left += own + GAP;
    return at;
  });
  const blank = sharp({ create: { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
  const picture = await blank.composite(placed).webp({ quality: QUALITY }).toBuffer();
  await writeFile(`${folder}/${name}.webp`, picture);
  process.stdout.write(`${name}.webp  ${width} x ${height}  ${Math.round(picture.length / 1024)} KB\n`);
}
