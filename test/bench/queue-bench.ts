/**
 * What keeping a request costs: accepted, claimed, marked as being sent and as sent, settled, by the embedded queue on a file and by
 * the one on Redis (left out, with the reason, where there is none). `steady`: one request after the other, each started when
 * the one before is done. `burst`: thousands at once, 32 workers. CPU is that of this process; Redis has its own. `runtime` is a whole
 * request on the embedded queue, answered at once by a platform that does nothing: its start is the call that would send.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ChatPlatform, PlatformHost } from '../../src/bot/contract/chat-platform.ts';
import { Runtime } from '../../src/bot/runtime/runtime.ts';
import { createEmbeddedQueue } from '../../src/infra/queue/embedded-queue.ts';
import type { Claim, Queue, QueueLimits } from '../../src/infra/queue/queue.ts';
import { createRedisQueue } from '../../src/infra/redis/redis-queue.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createEcho } from '../bot/runtime/echo.ts';
import { linksDraft } from '../bot/runtime/scripted-platform.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { createRedisServer, redisMissing } from '../redis-server.ts';
import { atMost, detail, find } from './findings.ts';

const ROUNDS = 5;
const STEADY = 400;
/** The last of a burst may wait long for its answer on a crowded machine. */
const PATIENCE_MS = 60_000;
const BURST = 3_000;
const CHATS = 200;
const CONCURRENCY = 32;
const LIMITS: Partial<QueueLimits> = { entries: 100_000, entriesPerFairBy: 100_000 };
const PAYLOAD = JSON.stringify({
  request: { what: [{ url: 'https://example.org/p/AbCdEfGhIjK/' }], replyTo: 'x'.repeat(500) },
});

interface Round {
  readonly steadyCpuMs: number;
  readonly startMs: readonly number[];
  readonly burstCpuMs: number;
  readonly perSecond: number;
}

/** A queue whose handler does what a request's does, and nothing else. */
function openWork(queue: Queue) {
  let next = 0;
  const starts: number[] = [];
  const addedAt = new Map<string, number>();
  const waiting = new Map<string, () => void>();

  async function handle(claim: Claim) {
    starts.push(performance.now() - (addedAt.get(claim.id) ?? 0));
    await claim.save(claim.payload);
    await claim.save(claim.payload);
    // After the verdict is written, as far as this process can tell.
    setImmediate(() => waiting.get(claim.id)?.());
    return { done: true as const };
  }

  queue.work(handle, { concurrency: CONCURRENCY });
  return {
    starts,
    /** When the last verdict is written. */
    settled: () => idle(queue),
    async ask(): Promise<void> {
      const id = `bench:${next}`;
      const chat = `chat${next % CHATS}`;
      next += 1;
      const done = new Promise<void>(resolve => waiting.set(id, resolve));
      addedAt.set(id, performance.now());
      await queue.add({ id, lane: chat, fairBy: chat, owner: 'sari', payload: PAYLOAD });
      await done;
      waiting.delete(id);
      addedAt.delete(id);
    },
  };
}

/** The same by the runtime: accepted by a platform, answered, sent. */
async function openRuntime(queue: Queue): Promise<{ readonly work: Work; stop(): Promise<void> }> {
  let next = 0;
  let host: PlatformHost | undefined;
  const starts: number[] = [];
  const addedAt = new Map<string, number>();
  const waiting = new Map<string, () => void>();
  const platform: ChatPlatform = {
    id: 'bench',
    replyTo: z.unknown(),
    repliesAtOnce: 1,
    async connect(given) {
      host = given;
      return { close: async () => undefined };
    },
    verify: async () => undefined,
    async send(replies, { request, sendOnce }) {
      for await (const _ of replies) {
        await sendOnce('0', async () => void starts.push(performance.now() - (addedAt.get(request.id) ?? 0)));
      }
      setImmediate(() => waiting.get(request.id)?.());
    },
    outcomeOf: () => undefined,
    close: async () => undefined,
  };
  const { dispatcher } = createEcho();
  const runtime = new Runtime({ platforms: [platform], queue, dispatcher, log: createRecordingLog() });
  await runtime.start();
  return {
    work: {
      starts,
      settled: () => idle(queue),
      async ask() {
        const eventId = `${next}`;
        const id = `bench:${eventId}`;
        const chat = `chat${next % CHATS}`;
        next += 1;
        const done = new Promise<void>(resolve => waiting.set(id, resolve));
        addedAt.set(id, performance.now());
        await host?.accept(linksDraft(eventId, ['https://example.org/p/AbCdEfGhIjK/'], chat));
        await done;
        waiting.delete(id);
        addedAt.delete(id);
      },
    },
    stop: () => runtime.stop(),
  };
}

async function idle(queue: Queue): Promise<void> {
  for (;;) {
    const { waiting, running } = await queue.stats();
    if (waiting + running === 0) return;
    await new Promise(resolve => setTimeout(resolve, 2));
  }
}

type Work = ReturnType<typeof openWork>;

async function round({ ask, starts, settled }: Work): Promise<Round> {
  starts.length = 0;
  let cpu = process.cpuUsage();
  for (let n = 0; n < STEADY; n += 1) await ask();
  const steadyCpuMs = cpuMsSince(cpu) / STEADY;
  const startMs = starts.splice(0);
  cpu = process.cpuUsage();
  const since = performance.now();
  await Promise.all(Array.from({ length: BURST }, () => ask()));
  await settled();
  const seconds = (performance.now() - since) / 1_000;
  return { steadyCpuMs, startMs, burstCpuMs: cpuMsSince(cpu) / BURST, perSecond: BURST / seconds };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export async function runQueue(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'medley-queue-bench-'));
  const store = openStore(join(folder, 'medley.db'));
  const log = createRecordingLog();
  const server = redisMissing === undefined ? await createRedisServer() : undefined;
  await server?.start();
  const queues = new Map<string, Queue>([['embedded', createEmbeddedQueue({ store, log, limits: LIMITS })]]);
  if (server !== undefined)
    queues.set('Redis', createRedisQueue({ url: server.url, log, limits: LIMITS, timeoutMs: PATIENCE_MS }));
  const ownStore = openStore(join(folder, 'runtime.db'));
  const whole = createEmbeddedQueue({ store: ownStore, log, limits: LIMITS });
  const runtime = await openRuntime(whole);
  const works: { name: string; work: Work; rounds: Round[] }[] = [
    ...[...queues].map(([name, queue]) => ({ name, work: openWork(queue), rounds: [] })),
    { name: 'runtime', work: runtime.work, rounds: [] },
  ];
  for (const { work } of works) await round(work);
  for (let n = 0; n < ROUNDS; n += 1) for (const { work, rounds } of works) rounds.push(await round(work));

  detail('queue      steady: CPU/request   add to start p50   p99        burst: CPU/request   requests/s');
  for (const { name, rounds } of works) {
    const median = (of: (round: Round) => number) => quantile(rounds.map(of), 0.5);
    const starts = rounds.flatMap(({ startMs }) => startMs);
    const cells = [
      `${median(each => each.steadyCpuMs).toFixed(3)} ms`.padEnd(22),
      `${quantile(starts, 0.5).toFixed(2)} ms`.padEnd(19),
      `${quantile(starts, 0.99).toFixed(2)} ms`.padEnd(11),
      `${median(each => each.burstCpuMs).toFixed(3)} ms`.padEnd(21),
      median(each => each.perSecond).toFixed(0),
    ];
    detail(name.padEnd(11) + cells.join(''));
    const cpu = median(each => each.steadyCpuMs);
    const start = quantile(starts, 0.5);
    if (name === 'embedded')
      find({ work: 'queue, embedded, a request', ...atMost(cpu, 0.5, ' ms'), seen: `${cpu.toFixed(3)} ms CPU` });
    if (name === 'Redis')
      find({
        work: 'queue, Redis, accepted to started, p50',
        ...atMost(start, 5, ' ms'),
        seen: `${start.toFixed(2)} ms`,
      });
  }
  if (redisMissing !== undefined) detail(`Redis      left out: ${redisMissing}`);

  await runtime.stop();
  for (const queue of [...queues.values(), whole]) {
    await queue.drain();
    await queue.close();
  }
  await server?.stop();
  store.close();
  ownStore.close();
  rmSync(folder, { recursive: true });
  for (const { message } of log.at('warn', 'error').slice(0, 5)) detail(`logged: ${message}`);
}
