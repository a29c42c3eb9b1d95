import { expect, it } from 'vitest';
import type { Claim } from '../../../src/infra/queue/queue.ts';
import { type ClaimLease, type ClaimStore, QueueWorker } from '../../../src/infra/queue/queue-worker.ts';
import { createRecordingLog } from '../../fakes/log.ts';

it('a worker loses the claim whose lease is lost, not a later one of its own of the same entry', async () => {
  const claims: Claim[] = [];
  const store: ClaimStore = {
    claim: async () => [{ id: 'a', lane: 'square', payload: '', addedAt: 0, lostWorkers: claims.length }],
    renew: async (leases: readonly ClaimLease[]) => leases.slice(0, 1),
    save: async () => true,
    finish: async () => true,
    putBack: async () => undefined,
  };
  const worker = new QueueWorker(store, createRecordingLog(), () => undefined);
  worker.work(claim => {
    claims.push(claim);
    return new Promise(() => undefined);
  }, 2);
  await worker.take();
  await worker.take();
  await worker.keepUp();
  expect(claims.map(({ signal }) => signal.aborted)).toEqual([true, false]);
});
