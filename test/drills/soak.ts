/**
 * `npm run soak -- MINUTES [ACTIONS_A_SECOND]`: mixed traffic on the API, media, the web chat, Discord and Telegram, all on loopback, and what it does to the
 * program's memory. After the first ten minutes (or the first sixth of a shorter run) it should grow by less than 5 % an hour. Exit
 * code 1 when it grows more in a run of half an hour or longer, or when more than one in a hundred requests fails.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sealTunnelFile } from '../../src/media/tunnel/tunnel-token.ts';
import { GROUP, openChats } from '../end-to-end/chats.ts';
import { connect, type PageClient } from '../platforms/web/page-client.ts';
import { ask } from './bystander.ts';
import { readMemory, readResident } from './memory.ts';

const KEY = 'soak-key-of-some-length';
const MEDIA_KEY = Buffer.alloc(32, 9);
const PAGES = 4;
const PEOPLE = 60;
const ACTIONS_A_SECOND = 8;
const MAX_GROWTH = 5;
const WHOLE_RUN_MINUTES = 30;
/** The heap goes up and down within minutes: what grows is seen in its lows and highs. */
const WINDOW_MINUTES = 10;

interface Figure {
  readonly minutes: number;
  readonly megabytes: number;
}

const minutes = Number(process.argv[2] ?? 5);
const pace = Number(process.argv[3] ?? ACTIONS_A_SECOND);
if (!(minutes > 0 && minutes <= 600 && pace > 0 && pace <= 200)) {
  process.stderr.write('npm run soak -- MINUTES [ACTIONS_A_SECOND], from 1 to 600, up to 200\n');
  process.exit(1);
}

const chats = await openChats({
  sandbox: { generate: true, beatmapsets: 200 },
  environment: {
    MEDIA_KEY: MEDIA_KEY.toString('hex'),
    API_KEYS: `soak:${KEY}:unlimited`,
    LOG_LEVEL: 'warn',
    MEDIA_CACHE_MB: '64',
  },
});
for (let i = 0; i < PEOPLE; i += 1) chats.telegram.addChat({ id: 20_000 + i, type: 'private' });
const medley = await chats.start();
const origin = (await medley.ready).replace(/\/$/, '');
const pages: PageClient[] = [];
for (let i = 0; i < PAGES; i += 1) pages.push(await connect(origin));

const counts = new Map<string, { asked: number; failed: number }>();
let turn = 0;
/** On the sandbox's CDN. */
let fileUrl = '';

/** Some are asked for again, most are new. */
function link(): string {
  const number = Math.random() < 0.4 ? Math.floor(Math.random() * 50) : turn;
  return `https://www.instagram.com/reel/S${String(number).padStart(10, '0')}/`;
}

async function api(path: string, wanted = 200): Promise<boolean> {
  const { status, body } = await ask(`${origin}${path}`, '127.0.0.50', { 'x-api-key': KEY });
  const url = /"url":"(https:[^"]+\.mp4[^"]*)"/.exec(body)?.[1];
  if (url !== undefined) fileUrl = url.replaceAll('\\u0026', '&');
  return status === wanted;
}

const person = () => Math.floor(Math.random() * PEOPLE);

/** What happens, and how often in a hundred times. */
const ACTIONS: readonly { readonly name: string; readonly weight: number; readonly act: () => Promise<boolean> }[] = [
  { name: 'api post', weight: 25, act: () => api(`/api/post?url=${encodeURIComponent(link())}`) },
  { name: 'api refused', weight: 10, act: () => api('/api/igdownload?url=nonsense', 400) },
  { name: 'api search', weight: 10, act: () => api(`/api/search?q=${'abcdefgh'.charAt(turn % 8)}`) },
  {
    name: 'media',
    weight: 15,
    async act() {
      if (fileUrl === '') return api(`/api/post?url=${encodeURIComponent(link())}`);
      const post = { source: 'instagram', id: 'S0000000000' };
      const file = { url: fileUrl, mime: 'video/mp4', fileName: 'a.mp4', expiresAt: Date.now() + 3_600_000 };
      const path = `/media/${sealTunnelFile(MEDIA_KEY, { ...file, post, index: 0 })}`;
      const { status } = await ask(origin + path, '127.0.0.51', { range: 'bytes=0-65535' });
      return status === 206 || status === 200;
    },
  },
  {
    name: 'web chat',
    weight: 15,
    async act() {
      const page = pages[turn % PAGES];
      const id = `soak-${turn}`;
      page?.send({ type: 'message', id, text: turn % 3 === 0 ? '/help' : link() });
      return page !== undefined;
    },
  },
  {
    name: 'discord',
    weight: 12,
    async act() {
      chats.discord.message({ guildId: chats.guildId, content: link(), authorId: String(700_000 + person()) });
      return true;
    },
  },
  {
    name: 'telegram',
    weight: 12,
    async act() {
      chats.telegram.message({ from: { id: 20_000 + person(), first_name: 'Dewi' }, text: link() });
      return true;
    },
  },
  {
    name: 'chatter',
    weight: 1,
    async act() {
      chats.telegram.message({ chat: GROUP, from: { id: 20_000, first_name: 'Dewi' }, text: 'no link in here' });
      return true;
    },
  },
];
const BAG = ACTIONS.flatMap(action => Array.from({ length: action.weight }, () => action));

async function actOnce(): Promise<void> {
  const action = BAG[Math.floor(Math.random() * BAG.length)];
  if (action === undefined) return;
  turn += 1;
  const count = counts.get(action.name) ?? { asked: 0, failed: 0 };
  counts.set(action.name, count);
  count.asked += 1;
  if (!(await action.act())) count.failed += 1;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Percent of the mean that the straight line through the figures rises in an hour. */
function growthPerHour(figures: readonly Figure[]): number {
  const at = mean(figures.map(figure => figure.minutes));
  const size = mean(figures.map(figure => figure.megabytes));
  const rise = figures.reduce((sum, figure) => sum + (figure.minutes - at) * (figure.megabytes - size), 0);
  const run = figures.reduce((sum, figure) => sum + (figure.minutes - at) ** 2, 0);
  return run === 0 ? 0 : ((rise / run) * 60 * 100) / size;
}

const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 60_000;
const figures: Figure[] = [];
const everyMinutes = Math.min(1, minutes / 20);
/** Between two samples of resident memory, of which the line is made: the heap goes up and down within minutes. */
const sampleMinutes = everyMinutes / 12;
let nextAt = 0;
let nextSampleAt = 0;
const running = new Set<Promise<void>>();
while (elapsed() < minutes) {
  if (elapsed() >= nextSampleAt) {
    figures.push({ minutes: elapsed(), megabytes: readResident(medley.child.pid) });
    nextSampleAt += sampleMinutes;
  }
  if (elapsed() >= nextAt) {
    const parts = Object.entries(await readMemory(medley.child.pid, origin, KEY));
    const line = parts.map(([name, size]) => `${name} ${size.toFixed(1)}`).join('  ');
    process.stdout.write(`${elapsed().toFixed(1).padStart(6)} min  ${turn} actions  ${line}\n`);
    nextAt += everyMinutes;
  }
  const action = actOnce().finally(() => running.delete(action));
  running.add(action);
  await pause(1_000 / pace);
}
await Promise.all(running);

const settled = figures.filter(figure => figure.minutes >= Math.min(10, minutes / 6));
const growth = growthPerHour(settled);
for (const [name, { asked, failed }] of counts) process.stdout.write(`${name}: ${asked}, failed ${failed}\n`);
const answered = [...chats.discord.messages.values()].filter(({ own }) => own).length;
const brought = [...chats.telegram.messages.values()].filter(({ byBot }) => byBot).length;
const heard = pages.reduce((sum, { heard: frames }) => sum + frames.length, 0);
process.stdout.write(`answers: Discord ${answered}, Telegram ${brought}, frames on the web ${heard}\n`);
for (let from = 0; from < minutes; from += WINDOW_MINUTES) {
  const sizes = figures.flatMap(({ minutes: at, megabytes }) =>
    at >= from && at < from + WINDOW_MINUTES ? [megabytes] : [],
  );
  process.stdout.write(
    `minutes ${from} to ${from + WINDOW_MINUTES}: ${Math.min(...sizes).toFixed(1)} to ${Math.max(...sizes).toFixed(1)} MB, ` +
      `${mean(sizes).toFixed(1)} in the mean\n`,
  );
}
process.stdout.write(
  `resident memory after the first ${Math.min(10, minutes / 6).toFixed(1)} minutes: ${settled[0]?.megabytes.toFixed(1)} MB to ` +
    `${settled.at(-1)?.megabytes.toFixed(1)} MB, ${growth.toFixed(1)} % an hour by the straight line through ${settled.length} samples\n`,
);
const asked = [...counts.values()].reduce((sum, count) => sum + count.asked, 0);
const failed = [...counts.values()].reduce((sum, count) => sum + count.failed, 0);
for (const page of pages) page.socket.close();
await chats.close();
process.exit((minutes >= WHOLE_RUN_MINUTES && growth >= MAX_GROWTH) || failed > asked / 100 ? 1 : 0);
