/** A worker of its own: claims one entry, and finishes it when it is told so. Usage: `frozen-worker.ts REDIS_URL`. */
import { once } from 'node:events';
import { createRedisQueue } from '../../../src/infra/redis/redis-queue.ts';
import { createRecordingLog } from '../../fakes/log.ts';

const [, , url = ''] = process.argv;
const queue = createRedisQueue({ url, log: createRecordingLog(), limits: { leaseMs: 3_000 } });
queue.work(
  async claim => {
    process.stdout.write(`claimed ${claim.id}\n`);
    await once(process.stdin, 'data');
    process.stdout.write(`saved: ${await claim.save('too late')}\n`);
    return { done: true };
  },
  { concurrency: 1 },
);
