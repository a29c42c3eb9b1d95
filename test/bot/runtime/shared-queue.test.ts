import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Runtime } from '../../../src/bot/runtime/runtime.ts';
import type { Queue } from '../../../src/infra/queue/queue.ts';
import { createRedisQueue } from '../../../src/infra/redis/redis-queue.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { createRedisServer, type RedisServer, redisMissing, redisNote } from '../../redis-server.ts';
import { createEcho } from './echo.ts';
import {
  createScriptedPlatform,
  createWorld,
  linksDraft,
  type ScriptedPlatform,
  type World,
} from './scripted-platform.ts';

interface Process {
  readonly runtime: Runtime;
  readonly queue: Queue;
  readonly platform: ScriptedPlatform;
}

describe.skipIf(redisMissing)(`processes that share a queue on Redis${redisNote}`, () => {
  let server: RedisServer;
  let world: World;
  const processes: Process[] = [];

  beforeEach(async () => {
    server = await createRedisServer();
    await server.start();
    world = createWorld();
  });

  afterEach(async () => {
    for (const { runtime, queue } of processes.splice(0)) {
      await runtime.stop();
      await queue.close();
    }
    await server.stop();
  });

  async function open(gateway: boolean, worker: boolean, callMs = 0): Promise<Process> {
    const log = createRecordingLog();
    const queue = createRedisQueue({ url: server.url, log, limits: { leaseMs: 3_000 } });
    const platform = createScriptedPlatform({ world, repeatMs: 60_000, callMs });
    const { dispatcher } = createEcho();
    const runtime = new Runtime({
      platforms: [platform],
      queue,
      dispatcher,
      log,
      hears: () => gateway,
      works: worker,
      drainMs: 500,
    });
    await runtime.start();
    const process = { runtime, queue, platform };
    processes.push(process);
    return process;
  }

  const said = () => world.shown.map(({ text }) => text).toSorted();

  it('hear each event once and answer it once, whoever hears it and whoever answers', async () => {
    const gateways = [await open(true, false), await open(true, false)];
    for (let n = 0; n < 3; n += 1) await open(false, true);
    const ids = Array.from({ length: 40 }, (_, index) => `e${index}`);
    const acceptances = await Promise.all(
      gateways.flatMap(({ platform }) =>
        ids.map((id, index) => platform.host()?.accept(linksDraft(id, [id], `chat${index % 5}`))),
      ),
    );
    expect(acceptances.filter(acceptance => acceptance === 'accepted').length).toBeGreaterThanOrEqual(ids.length);
    await expect.poll(() => said()).toEqual(ids.map(id => `answer of ${id}`).toSorted());
    await expect.poll(() => gateways[0]?.runtime.status()).toMatchObject({ waiting: 0, running: 0 });
    expect(said()).toHaveLength(ids.length);
  });

  it('end a request that is cancelled in one of them while another answers it', async () => {
    const gateway = await open(true, false);
    await open(false, true, 300);
    await gateway.platform.host()?.accept(linksDraft('1', ['a', 'b', 'c', 'd']));
    await expect.poll(() => said()).toEqual(['answer of a']);
    await gateway.platform.host()?.cancel('1');
    await expect.poll(() => gateway.runtime.status()).toMatchObject({ waiting: 0, running: 0 });
    await new Promise(resolve => setTimeout(resolve, 1_500));
    // The message that was on its way when the request was cancelled may arrive.
    expect(said().length).toBeLessThan(3);
    expect(await gateway.platform.host()?.accept(linksDraft('1', ['a', 'b', 'c', 'd']))).toBe('known');
  });

  it('take over what a process leaves that stops in the middle, or dies', async () => {
    const gateway = await open(true, false);
    const slow = await open(false, true, 60_000);
    await gateway.platform.host()?.accept(linksDraft('1', ['stopped']));
    await expect.poll(() => world.calls).toBe(1);
    await slow.runtime.stop();
    const dying = await open(false, true, 60_000);
    await gateway.platform.host()?.accept(linksDraft('2', ['dead']));
    await expect.poll(() => world.calls).toBe(3);
    await dying.queue.close();
    await open(false, true);
    await expect.poll(() => said()).toEqual(['answer of dead', 'answer of stopped']);
  });
});
