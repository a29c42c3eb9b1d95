/** A worker of its own: claims one entry, and finishes it when it is told so. Usage: `frozen-worker.ts redis URL`, or `file PATH`. */
import { once } from 'node:events';
import { createEmbeddedQueue } from '../../src/infra/queue/embedded-queue.ts';
import { createRedisQueue } from '../../src/infra/redis/redis-queue.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createRecordingLog } from '../fakes/log.ts';

const [, , kind, place = ''] = process.argv;
const options = { log: createRecordingLog(), limits: { leaseMs: 3_000 } };
const queue =
  kind === 'redis'
    ? createRedisQueue({ url: place, ...options })
    : createEmbeddedQueue({ store: openStore(place), ...options });
queue.work(
  async claim => {
    process.stdout.write(`claimed ${claim.id}\n`);
    await once(process.stdin, 'data');
    process.stdout.write(`saved: ${await claim.save('too late')}\n`);
    return { done: true };
  },
  { concurrency: 1 },
);
