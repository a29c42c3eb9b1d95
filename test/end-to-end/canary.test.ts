import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRedisServer, redisMissing, redisNote } from '../redis-server.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { type Program, startProgram } from './program.ts';

const ENOUGH = 12;

async function upstreamRequests({ ready }: Program): Promise<number> {
  const text = await (await fetch(`${await ready}metrics`)).text();
  return [...text.matchAll(/^medley_upstream_request_duration_seconds_count\{.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

describe.skipIf(redisMissing)(`the canary of several processes${redisNote}`, () => {
  it('is run by one worker, whichever DATA_DIR it has, since the owners are told by workers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medley-canary-'));
    const [sandbox, redis] = [await createSandbox(), await createRedisServer('--maxmemory-policy', 'noeviction')];
    await redis.start();
    const programs: Program[] = [];
    onTestFinished(async () => {
      await Promise.all(programs.map(program => program.kill()));
      await Promise.all([sandbox.close(), redis.stop()]);
      rmSync(folder, { recursive: true });
    });
    const environment = { REDIS_URL: redis.url, UPSTREAM_OVERRIDES: sandbox.overrides, CATALOGUE_FILL: 'off' };
    for (const [ROLES, place] of [
      ['web', 'a'],
      ['worker', 'a'],
      ['worker', 'b'],
    ] as const) {
      const program = await startProgram({ ...environment, ROLES, DATA_DIR: join(folder, place), CANARY: 'on' });
      programs.push(program);
      await program.ready;
    }
    await expect.poll(() => sandbox.requests.length).toBeGreaterThan(ENOUGH);
    const [web, ...workers] = await Promise.all(programs.map(upstreamRequests));
    expect(web).toBe(0);
    expect(workers.filter(requests => requests > 0)).toHaveLength(1);
  });
});
