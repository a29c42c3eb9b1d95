import { expect, it } from 'vitest';
import { AbortableThrottler } from '../../../../src/platforms/discord/incoming/gateway.ts';

it('lets no shard identify whose connection was closed while it waited', async () => {
  const throttler = new AbortableThrottler(1);
  await throttler.waitForIdentify(0, new AbortController().signal);
  const closed = new AbortController();
  const waiting = throttler.waitForIdentify(0, closed.signal);
  setImmediate(() => closed.abort());
  await expect(waiting).rejects.toThrow('aborted');
});
