import { expect, it, onTestFinished, vi } from 'vitest';
import { fileRoutes } from '../../../src/api/media/file-routes.ts';
import { abortable, abortReason } from '../../../src/infra/concurrency/abortable.ts';
import { createResponseStreams } from '../../../src/infra/server/response-streams.ts';
import { createApiServer } from '../../fakes/api-server.ts';
import { makePost } from '../../fakes/post.ts';

const LINK = 'https://www.instagram.com/reel/C9TestReef01/';

it.each(['clip?from=1&to=3&', 'audio?'])('answers /api/%surl in time where the file takes too long', async asked => {
  const post = makePost();
  const extract = async () => ({ post, itemIndex: null, from: 'load' as const });
  const deliver = vi.fn((_: unknown, signal: AbortSignal) =>
    abortable(new Promise<never>(() => undefined), signal).catch(() => Promise.reject(abortReason(signal))),
  );
  const streams = createResponseStreams();
  const routes = [fileRoutes({ extractor: { extract }, delivery: { deliver }, streams, example: LINK })];
  const { app } = await createApiServer({ routes });
  await app.ready();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const answer = app.inject(`/api/${asked}url=${LINK}`);
  await vi.waitUntil(() => deliver.mock.calls.length > 0);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(deliver.mock.calls[0]?.[1].aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(deliver.mock.calls[0]?.[1].aborted).toBe(true);
  // The server would close the connection without an answer when nothing was sent for so long.
  expect(app.server.timeout).toBeGreaterThan(115_000);
  const { statusCode, headers } = await answer;
  expect([statusCode, headers['cache-control']]).toEqual([504, 'no-store']);
});
