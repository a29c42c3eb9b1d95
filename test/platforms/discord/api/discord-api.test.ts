import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiscordApi } from '../../../../src/platforms/discord/api/discord-api.ts';
import { DiscordFailure, sendOutcome } from '../../../../src/platforms/discord/api/send-failure.ts';
import { createRecordingLog } from '../../../fakes/log.ts';

async function apiOver(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = addressOf(server.address());
  const api = createDiscordApi({ token: 'a.b.c', apiUrl: `http://127.0.0.1:${port}/api`, log: createRecordingLog() });
  onTestFinished(async () => {
    await api.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return api;
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === 'string') throw new Error('the server is not listening');
  return address;
}

/** More than fits the buffers on the way. */
async function bigUpload() {
  const folder = await mkdtemp(join(tmpdir(), 'medley-upload-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'big');
  const bytes = 24 * 1024 * 1024;
  await writeFile(path, Buffer.alloc(bytes));
  return { name: 'big.mp4', content: { path }, mime: 'video/mp4', bytes, spoiler: false };
}

type Api = Awaited<ReturnType<typeof apiOver>>;

async function failureOf(work: Promise<unknown>): Promise<DiscordFailure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscordFailure)) throw new Error('it did not fail', { cause: error });
  return error;
}

const post = (api: Api, signal = new AbortController().signal) =>
  api.post('200', { components: [], uploads: [] }, { nonce: 'n', replyTo: undefined }, signal);

describe('a call of Discord’s API', () => {
  it.each<readonly [number, object | string, object]>([
    [400, { code: 50_035, message: 'Invalid Form Body' }, { outcome: 'notSent', reason: 'refused' }],
    [400, { code: 40_005, message: 'too large' }, { outcome: 'notSent', reason: 'refused' }],
    [401, { code: 0, message: '401: Unauthorized' }, { outcome: 'notSent', reason: 'token' }],
    [401, { code: 50_027, message: 'Invalid Webhook Token' }, { outcome: 'notSent', reason: 'gone' }],
    [403, { code: 50_013, message: 'Missing Permissions' }, { outcome: 'notSent', reason: 'gone', isBarred: true }],
    [403, { code: 50_001, message: 'Missing Access' }, { outcome: 'notSent', reason: 'gone' }],
    [403, { code: 40_333, message: 'internal network error' }, { outcome: 'notSent', reason: 'away' }],
    [403, '<html>', { outcome: 'notSent', reason: 'away' }],
    [404, '<html>', { outcome: 'notSent', reason: 'away' }],
    [404, { code: 10_003, message: 'Unknown Channel' }, { outcome: 'notSent', reason: 'gone' }],
    [404, { code: 10_008, message: 'Unknown Message' }, { outcome: 'notSent', reason: 'gone' }],
    [404, { code: 10_062, message: 'Unknown interaction' }, { outcome: 'notSent', reason: 'gone' }],
    [400, { code: 160_005, message: 'This thread is locked' }, { outcome: 'notSent', reason: 'gone', isBarred: true }],
    [500, { code: 0, message: 'no' }, { outcome: 'unknown' }],
    [502, '<html>', { outcome: 'unknown' }],
    [503, '<html>', { outcome: 'notSent', reason: 'away' }],
    [504, '<html>', { outcome: 'unknown' }],
  ])('that is answered %s %j means %j', async (status, body, outcome) => {
    let calls = 0;
    const api = await apiOver((_, response) => {
      calls += 1;
      const isHtml = typeof body === 'string';
      response.writeHead(status, { 'content-type': isHtml ? 'text/html' : 'application/json' });
      response.end(isHtml ? body : JSON.stringify(body));
    });
    expect(sendOutcome(await failureOf(post(api)))).toEqual(outcome);
    expect(calls).toBe(1);
  });

  it.each([
    [10_008, 'Unknown Message'],
    [10_003, 'Unknown Channel'],
  ])('that deletes what is gone already has nothing to do: %s', async (code, message) => {
    const asked: string[] = [];
    const api = await apiOver((request, response) => {
      asked.push(`${request.method}`);
      response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ code, message }));
    });
    const { signal } = new AbortController();
    await api.deleteMessage('200', '300');
    await api.deleteOriginal({ applicationId: '1', token: 't' }, signal);
    await api.restoreEmbeds('200', '300');
    expect(asked).toEqual(['DELETE', 'DELETE', 'GET']);
  });

  it('that deletes without the right to fails', async () => {
    const api = await apiOver((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 50_013, message: 'Missing Permissions' }));
    });
    expect((await failureOf(api.deleteMessage('200', '300'))).problem).toBe('forbidden');
  });

  it('that is a follow-up may have been acted upon although 503 was answered', async () => {
    const api = await apiOver((_, response) => response.writeHead(503).end());
    const { signal } = new AbortController();
    const key = { applicationId: '1', token: 't' };
    const failure = await failureOf(api.followUp(key, { components: [], uploads: [] }, 0, signal));
    expect(sendOutcome(failure)).toEqual({ outcome: 'unknown' });
  });

  it.each<readonly [string, Record<string, string>, object, string]>([
    ['one chat', { 'retry-after': '7' }, { scope: 'chat', retryAfterMs: expect.closeTo(7_000, -3) }, ''],
    [
      'all chats',
      { 'retry-after': '7', 'x-ratelimit-global': 'true' },
      { scope: 'platform', retryAfterMs: expect.closeTo(7_000, -3) },
      '',
    ],
    ['this address, by Cloudflare', {}, { scope: 'platform', retryAfterMs: 30_000 }, ''],
    [
      'this address, by a page of Cloudflare with a time',
      { 'retry-after': '7', 'content-type': 'text/html' },
      { scope: 'platform', retryAfterMs: expect.closeTo(7_000, -3) },
      '<html>You are being rate limited</html>',
    ],
    [
      'one chat until a date',
      { 'retry-after': new Date(Date.now() + 600_000).toUTCString() },
      { scope: 'chat', retryAfterMs: expect.closeTo(600_000, -5) },
      '',
    ],
    [
      'this address until a date that is over',
      { 'retry-after': new Date(Date.now() - 5_000).toUTCString() },
      { scope: 'platform', retryAfterMs: 30_000 },
      '<html>You are being rate limited</html>',
    ],
    [
      'this address, by a page that states no time to wait',
      { 'retry-after': '0' },
      { scope: 'platform', retryAfterMs: 30_000 },
      '<html>You are being rate limited</html>',
    ],
    [
      'one chat for a time with many decimals',
      { 'retry-after': '1.53654670715' },
      { scope: 'chat', retryAfterMs: expect.closeTo(1_537, -3) },
      '',
    ],
  ])('that comes too often for %s is not made again', async (_, headers, wanted, page) => {
    let calls = 0;
    const api = await apiOver((_request, response) => {
      calls += 1;
      response.writeHead(429, headers).end(page);
    });
    expect(sendOutcome(await failureOf(post(api)))).toMatchObject({ outcome: 'notSent', reason: 'flood', ...wanted });
    expect(calls).toBe(1);
  });

  it('that is cut after it was sent may have arrived', async () => {
    const api = await apiOver(request => {
      request.resume().on('end', () => request.socket.destroy());
    });
    expect(sendOutcome(await failureOf(post(api)))).toEqual({ outcome: 'unknown' });
  });

  it('that finds nobody has not arrived', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = addressOf(server.address());
    await new Promise(resolve => server.close(resolve));
    const api = createDiscordApi({ token: 'a.b.c', apiUrl: `http://127.0.0.1:${port}`, log: createRecordingLog() });
    onTestFinished(() => api.close());
    expect(sendOutcome(await failureOf(post(api)))).toEqual({ outcome: 'notSent', reason: 'away' });
  });

  it.each<readonly [string, object, boolean]>([
    ['in its full size', { attachments: [{ size: 4 }] }, true],
    ['cut short', { attachments: [{ size: 3 }] }, false],
    ['with another beside it', { attachments: [{ size: 4 }, { size: 1 }] }, false],
    ['with an address', { components: [{ media: { url: 'https://cdn.example/a.mp4' } }] }, true],
    ['without one', { components: [{ media: { url: 'attachment://a.mp4' } }] }, false],
  ])('whose file stands there %s is told so', async (_, body, isConfirmed) => {
    const api = await apiOver((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: '9', ...body }));
      });
    });
    const data = Buffer.from('film');
    const uploads = [{ name: 'a.mp4', content: { data }, mime: 'video/mp4', bytes: data.length, spoiler: false }];
    const { signal } = new AbortController();
    const options = { nonce: 'n', replyTo: undefined };
    expect(await api.post('200', { components: [], uploads }, options, signal)).toEqual({ id: '9', isConfirmed });
  });

  it('whose upload breaks in the middle has not arrived', async () => {
    const api = await apiOver(request => {
      request.once('data', () => request.socket.destroy());
    });
    const content = { components: [], uploads: [await bigUpload()] };
    const { signal } = new AbortController();
    const failure = await failureOf(api.post('200', content, { nonce: 'n', replyTo: undefined }, signal));
    expect(sendOutcome(failure)).toEqual({ outcome: 'notSent', reason: 'away' });
  });

  it('whose upload is ended from here in the middle has not arrived', async () => {
    const stop = new AbortController();
    const api = await apiOver(request => {
      request.once('data', () => {
        request.pause();
        stop.abort();
      });
    });
    const content = { components: [], uploads: [await bigUpload()] };
    const failure = await failureOf(api.post('200', content, { nonce: 'n', replyTo: undefined }, stop.signal));
    expect(sendOutcome(failure)).toEqual({ outcome: 'notSent', reason: 'cut' });
  });

  it('goes on with its token after a 401', async () => {
    const seen: unknown[] = [];
    const api = await apiOver((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(seen.length === 1 ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(seen.length === 1 ? { code: 0, message: 'no' } : { id: '9' }));
    });
    await failureOf(post(api));
    expect(await post(api)).toMatchObject({ id: '9' });
    expect(seen).toEqual(['Bot a.b.c', 'Bot a.b.c']);
  });
});
