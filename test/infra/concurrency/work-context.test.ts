import { expect, it } from 'vitest';
import { type Departure, waitInQueue, withContext } from '../../../src/infra/concurrency/running-work.ts';

it('says when work left our own line, and that it still stands there', async () => {
  const departure: Departure = { at: 5 };
  let admit = () => {};
  const turn = new Promise<void>(resolve => {
    admit = resolve;
  });
  const work = withContext({ departure }, () => waitInQueue(turn));
  expect(departure.at).toBeUndefined();
  const before = performance.now();
  admit();
  await work;
  expect(departure.at).toBeGreaterThanOrEqual(before);
});

it('hands on what a turn comes to, its failure too', async () => {
  const departure: Departure = { at: undefined };
  await expect(withContext({ departure }, () => waitInQueue(Promise.resolve('here')))).resolves.toBe('here');
  await expect(withContext({ departure }, () => waitInQueue(Promise.reject(new Error('full'))))).rejects.toThrow(
    'full',
  );
  await expect(waitInQueue(Promise.reject(new Error('full')))).rejects.toThrow('full');
  expect(departure.at).toBeDefined();
});
