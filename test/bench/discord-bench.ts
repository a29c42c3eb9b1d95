/**
 * Medley on Discord beside a small discord.js bot: memory while it answers 32 links at once with files of 8 MB, and CPU time of
 * 20,000 messages in which there is no link. Discord and the CDN are played here, each bot has a process of its own.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { filmOf } from '../fakes/cdn.ts';
import { createFakeDiscord, type FakeDiscord } from '../fakes/discord.ts';
import { AS_STARTED, type Child, startChild } from './child.ts';
import { atMost, detail, find } from './findings.ts';

const FILES = 32;
const FILE_BYTES = 8 * 1000 * 1000;
const DELIVERY_TIMEOUT_MS = 40_000;
const MESSAGES = 20_000;
const WARM_UP_MESSAGES = 3_000;
const MESSAGES_AT_ONCE = 50;
const ROUNDS = 3;
const PASTE_BYTES = 5 * 1000 * 1000;
const PASTES = 9;
const IDLE_MS = 1_500;
/** A bot that takes less CPU time than this in a quarter of a second has nothing left to do. */
const QUIET_CPU_MS = 10;
const SETTLE_TIMEOUT_MS = 30_000;

const BOTS = [
  { name: 'discord.js bot', file: 'discord-baseline-child.ts', args: [], env: {} },
  { name: 'Medley', file: 'discord-medley-child.ts', ...AS_STARTED },
] as const;
type Bot = (typeof BOTS)[number];
const [, MEDLEY] = BOTS;

const TEXTS = [
  'anyone up for a swim after work?',
  'lol',
  'the ferry leaves at 7:40 and/or 8:10, depends on the tide',
  'I think that was the best one so far, the part with the drums most of all 🥁',
  'yes',
  '**not** sure, ask the others; `npm run` it and see',
];

const execProgram = promisify(execFile);

const Usage = z.object({ cpuMs: z.number(), grownBytes: z.number(), idleBytes: z.number() });

interface Scene {
  readonly fake: FakeDiscord;
  readonly guildIds: readonly string[];
  readonly child: Child;
}

async function onScene<T>(bot: Bot, cdn: string, act: (scene: Scene) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
  const fake = await createFakeDiscord();
  const guildIds = Array.from({ length: FILES }, () => fake.addGuild().id);
  let child: Child | undefined;
  try {
    const path = fileURLToPath(new URL(bot.file, import.meta.url));
    const args = ['--import', 'tsx', path, fake.apiUrl, fake.token, cdn, folder];
    child = await startChild(bot.name, [...bot.args, ...args], bot.env);
    await pause(IDLE_MS);
    return await act({ fake, guildIds, child });
  } finally {
    await child?.stop();
    await fake.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function usage(child: Child): Promise<z.infer<typeof Usage>> {
  return Usage.parse(await child.ask('usage'));
}

interface Delivered {
  readonly idleBytes: number;
  readonly grownBytes: number;
  readonly ms: number;
}

/** Each link in a guild of its own, so that no bot makes one wait for another. */
function deliver(bot: Bot, cdn: string): Promise<Delivered> {
  return onScene(bot, cdn, async ({ fake, guildIds, child }) => {
    await child.ask('start');
    const start = performance.now();
    for (const [index, guildId] of guildIds.entries()) {
      fake.message({ guildId, content: `https://www.instagram.com/p/SeaLight${index + 10}/` });
    }
    await fake
      .waitFor(() => {
        const files = [...fake.messages.values()].flatMap(message => (message.own ? message.files : []));
        return files.length >= FILES && files.every(({ bytes }) => bytes === FILE_BYTES) ? files : undefined;
      }, DELIVERY_TIMEOUT_MS)
      .catch((cause: unknown) => {
        const own = [...fake.messages.values()].filter(message => message.own);
        const sizes = own.flatMap(message => message.files.map(({ bytes }) => bytes));
        const last = JSON.stringify(own.find(message => message.files.length === 0)?.body ?? null);
        throw new Error(`${own.length} answers with files of ${sizes.join(', ')} bytes; one without: ${last}`, {
          cause,
        });
      });
    const ms = performance.now() - start;
    return { ...(await usage(child)), ms };
  });
}

/** @returns CPU milliseconds of each round */
function readMessages(bot: Bot, cdn: string): Promise<readonly number[]> {
  return onScene(bot, cdn, async ({ fake, guildIds, child }) => {
    const send = async (count: number): Promise<number> => {
      await child.ask('start');
      for (let sent = 0; sent < count; sent += 1) {
        const guildId = guildIds[sent % guildIds.length] ?? '';
        fake.message({ guildId, content: TEXTS[sent % TEXTS.length] ?? '' });
        if (sent % MESSAGES_AT_ONCE === 0) await pause(1);
      }
      return settled(child);
    };
    await send(WARM_UP_MESSAGES);
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await send(MESSAGES));
    return rounds;
  });
}

/** CPU milliseconds once everything that was sent has been handled. */
async function settled(child: Child): Promise<number> {
  const until = performance.now() + SETTLE_TIMEOUT_MS;
  let { cpuMs } = await usage(child);
  while (performance.now() < until) {
    await pause(250);
    const before = cpuMs;
    cpuMs = (await usage(child)).cpuMs;
    if (cpuMs - before < QUIET_CPU_MS) return before;
  }
  throw new Error('a bot did not come to rest');
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Of Medley beside the other bot. */
function findBeside(work: string, value: number, base: number, aim: number, unit: string): void {
  const anchor = `${BOTS[0].name}: ${base.toFixed(1)}`;
  find({ work, ...atMost(value / base, aim, 'x'), anchor, seen: `${value.toFixed(1)}${unit}`, ratio: value / base });
}

/** Writes the table of memory. */
async function compareMemory(cdn: string): Promise<void> {
  detail(`${FILES} files of ${FILE_BYTES / 1e6} MB at once, peak of resident memory over idle:\n`);
  detail('| bot | idle MB | growth MB | s | x discord.js |\n|---|--:|--:|--:|--:|');
  let base = Number.NaN;
  for (const bot of BOTS) {
    const { idleBytes, grownBytes, ms } = await deliver(bot, cdn);
    if (bot === BOTS[0]) base = grownBytes;
    else
      findBeside(
        `${FILES} files of ${FILE_BYTES / 1e6} MB at once, memory`,
        grownBytes / 2 ** 20,
        base / 2 ** 20,
        0.08,
        ' MB',
      );
    const cells = [megabytes(idleBytes), megabytes(grownBytes), (ms / 1000).toFixed(1), (grownBytes / base).toFixed(3)];
    detail(`| ${bot.name} | ${cells.join(' | ')} |`);
  }
}

/** Prints the table of CPU time. */
async function compareReading(cdn: string): Promise<void> {
  detail(`\n${MESSAGES} messages without a link, CPU time, median of ${ROUNDS} rounds:\n`);
  detail('| bot | CPU ms | us a message | x discord.js |\n|---|--:|--:|--:|');
  let base = Number.NaN;
  for (const bot of BOTS) {
    const cpuMs = median(await readMessages(bot, cdn));
    if (bot === BOTS[0]) base = cpuMs;
    else findBeside('a message without a link', (cpuMs * 1000) / MESSAGES, (base * 1000) / MESSAGES, 0.5, ' us CPU');
    const cells = [cpuMs.toFixed(0), ((cpuMs * 1000) / MESSAGES).toFixed(1), (cpuMs / base).toFixed(2)];
    detail(`| ${bot.name} | ${cells.join(' | ')} |`);
  }
}

/** A CDN that has one film of that size under every name. */
async function withCdn(bytes: number, use: (origin: string) => Promise<void>): Promise<void> {
  const file = filmOf(bytes);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': file.length }).end(file);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${portOf(server.address())}`);
  } finally {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
}

/** Milliseconds from a pasted link to the confirmed upload of its file, one link after the other. */
function pasteAndWait(cdn: string, bytes: number): Promise<readonly number[]> {
  return onScene(MEDLEY, cdn, async ({ fake, guildIds }) => {
    const times: number[] = [];
    for (let round = 0; round <= PASTES; round += 1) {
      const start = performance.now();
      fake.message({ guildId: guildIds[round] ?? '', content: `https://www.instagram.com/p/SeaLight${round + 10}/` });
      await fake.waitFor(() => {
        const files = [...fake.messages.values()].flatMap(message => (message.own ? message.files : []));
        return files.filter(file => file.bytes === bytes).length > round || undefined;
      }, DELIVERY_TIMEOUT_MS);
      times.push(performance.now() - start);
    }
    // The first finds everything cold, and no bot stays so.
    return times.slice(1);
  });
}

/** Milliseconds that curl takes to fetch the file and to post it as a form. */
async function curlBothWays(cdn: string): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
  const path = join(folder, 'film.mp4');
  const sink = createServer((request, response) => void request.resume().once('end', () => response.end('{}')));
  await new Promise<void>(resolve => sink.listen(0, '127.0.0.1', resolve));
  try {
    const times: number[] = [];
    for (let round = 0; round <= PASTES; round += 1) {
      const start = performance.now();
      await execProgram('curl', ['-sS', '-o', path, `${cdn}/film.mp4`]);
      await execProgram('curl', ['-sS', '-F', `file=@${path}`, `http://127.0.0.1:${portOf(sink.address())}/`]);
      times.push(performance.now() - start);
    }
    return times.slice(1);
  } finally {
    await new Promise(resolve => sink.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Prints memory and CPU time beside the other bot. About a minute. */
export function run(): Promise<void> {
  return withCdn(FILE_BYTES, async cdn => {
    await compareMemory(cdn);
    await compareReading(cdn);
  });
}

/** Prints what many deliveries at once take, and how long one takes beside curl. */
export async function runDelivery(): Promise<void> {
  await withCdn(FILE_BYTES, compareMemory);
  await withCdn(PASTE_BYTES, async cdn => {
    detail(`\nfrom a pasted link to the confirmed upload of ${PASTE_BYTES / 1e6} MB, median of ${PASTES}:\n`);
    detail('| way | ms | x curl |\n|---|--:|--:|');
    const curl = median(await curlBothWays(cdn));
    const medley = median(await pasteAndWait(cdn, PASTE_BYTES));
    const anchor = `curl down and up: ${curl.toFixed(0)}`;
    const work = `paste to confirmed upload, ${PASTE_BYTES / 1e6} MB`;
    find({ work, ...atMost(medley / curl, 0.8, 'x'), anchor, seen: `${medley.toFixed(0)} ms`, ratio: medley / curl });
    detail(`| curl down, curl up | ${curl.toFixed(0)} | 1.00 |`);
    detail(`| Medley | ${medley.toFixed(0)} | ${(medley / curl).toFixed(2)} |`);
  });
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
