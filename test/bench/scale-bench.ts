/**
 * Gateway and workers as processes of their own over one Redis: links a second with one, two and four workers, and what a link costs the
 * processes and Redis. On a machine with few cores more workers share what there is: what it takes a link says how many fit on one.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { openWorld, type World } from '../drills/requests/world.ts';
import type { Program } from '../end-to-end/program.ts';
import { redisMissing } from '../redis-server.ts';
import { atMost, detail, find } from './findings.ts';

const WORKERS = [1, 2, 4];
const LINKS = 300;
const AT_ONCE = 48;
const WARM_UP = 60;
const SETTLE_MS = 120_000;
const TICK_MS = 10;

function cpuMsOf({ child }: Program): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Calls by command, those of scripts included. */
async function callsOf(redis: Redis): Promise<ReadonlyMap<string, number>> {
  const stats = await redis.info('commandstats');
  return new Map(
    [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].map(([, name = '', calls]) => [name, Number(calls)]),
  );
}

/** Whose keys a command is about: the queue's, records, caches, limits. */
const CALLER = /^medley:(?:(queue)\b|\d+:(\w[\w-]*))/;
const NAMES: Readonly<Record<string, string>> = { group: 'record', order: 'record' };

/** Commands a link by caller, seen while some are answered. Watching slows Redis down: nothing else is measured meanwhile. */
async function callersOf(redis: Redis, world: World): Promise<ReadonlyMap<string, number>> {
  const calls = new Map<string, number>();
  const monitor = await redis.monitor();
  monitor.on('monitor', (_at: string, words: readonly string[]) => {
    const [, queue, kind = 'none'] = words.map(word => CALLER.exec(word)).find(found => found !== null) ?? [];
    const caller = NAMES[queue ?? kind] ?? queue ?? kind;
    calls.set(caller, (calls.get(caller) ?? 0) + 1 / WARM_UP);
  });
  await answer(world, WARM_UP);
  monitor.disconnect();
  return calls;
}

function listed(counts: Iterable<readonly [string, number]>): string {
  const most = [...counts].filter(([, count]) => count >= 0.5).toSorted(([, a], [, b]) => b - a);
  return most.map(([name, count]) => `${name} ${count.toFixed(1)}`).join(', ');
}

/** @returns the seconds until the last one was answered */
async function answer(world: World, links: number): Promise<number> {
  const from = performance.now();
  const before = world.tally('discord').asked;
  for (let asked = 0; asked < links; ) {
    const { answered } = world.tally('discord');
    if (before + asked - answered >= AT_ONCE) {
      await pause(5);
      continue;
    }
    world.ask('discord');
    asked += 1;
  }
  const until = performance.now() + SETTLE_MS;
  while (world.tally('discord').lost > 0 && performance.now() < until) await pause(5);
  const seconds = (performance.now() - from) / 1_000;
  await world.settle(SETTLE_MS);
  return seconds;
}

async function measure(workers: number): Promise<void> {
  const world = await openWorld({ redis: true });
  const redis = new Redis(world.redis?.url ?? '');
  try {
    const gateway = await world.start({ roles: 'gateway' });
    const all = await Promise.all(Array.from({ length: workers }, () => world.start({ roles: 'worker' })));
    await Promise.all([gateway, ...all].map(program => program.ready));
    await world.heard();
    await answer(world, WARM_UP);
    const [calls, cpu] = [await callsOf(redis), [gateway, ...all].map(cpuMsOf)];
    const seconds = await answer(world, LINKS);
    const now = await callsOf(redis);
    const [ofGateway = 0, ...ofWorkers] = [gateway, ...all].map((program, at) => cpuMsOf(program) - (cpu[at] ?? 0));
    const made = [...now].map(([name, count]) => [name, (count - (calls.get(name) ?? 0)) / LINKS] as const);
    const commands = made.filter(([name]) => name !== 'info').reduce((sum, [, count]) => sum + count, 0);
    const { answered, asked, lost, twice } = world.tally('discord');
    const workerMs = ofWorkers.reduce((sum, ms) => sum + ms, 0) / LINKS;
    const cells = [
      workers,
      (LINKS / seconds).toFixed(0),
      (ofGateway / LINKS).toFixed(1),
      workerMs.toFixed(1),
      commands.toFixed(0),
    ];
    detail(`| ${[...cells, `${answered} of ${asked}, ${lost} lost, ${twice} twice`].join(' | ')} |`);
    if (workers !== WORKERS.at(-1)) return;
    find({ work: 'Redis commands a link', ...atMost(commands, 50, ''), seen: commands.toFixed(0) });
    detail(`\nCommands a link: ${listed(made)}`);
    detail(`By caller: ${listed(await callersOf(redis, world))}`);
  } finally {
    redis.disconnect();
    await world.close();
  }
}

export async function runScale(): Promise<void> {
  if (redisMissing !== undefined) return detail(`left out: ${redisMissing}`);
  detail('| workers | links/s | gateway, ms CPU a link | workers, ms CPU a link | Redis commands a link | answers |');
  detail('|--:|--:|--:|--:|--:|---|');
  for (const workers of WORKERS) await measure(workers);
}
