import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBotApi } from '../../../../src/platforms/telegram/api/bot-api.ts';
import { BotApiError, isAboutFile, sendFailureOf } from '../../../../src/platforms/telegram/api/bot-api-error.ts';
import { TELEGRAM_LIMITS, type TelegramLimits } from '../../../../src/platforms/telegram/api/limits.ts';
import type { Method } from '../../../../src/platforms/telegram/api/methods.ts';

const BYTES = 16 * 1024 * 1024;
const TOKEN = '7000000001:AAFakeTokenForLoopbackOnly_0123456789a';

async function openServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port }: Pick<AddressInfo, 'port'> = Object(server.address());
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>(resolve => server.close(() => resolve()));
  };
  onTestFinished(close);
  return { apiRoot: `http://127.0.0.1:${port}/`, close };
}

function apiAt(apiRoot: string, limits: Partial<TelegramLimits> = {}) {
  const api = createBotApi({ token: TOKEN, apiRoot, limits: { ...TELEGRAM_LIMITS, ...limits } });
  onTestFinished(() => api.close());
  return api;
}

function upload() {
  const folder = mkdtempSync(join(tmpdir(), 'medley-upload-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'video.mp4');
  writeFileSync(path, Buffer.alloc(BYTES, 'x'));
  return { chat_id: 1, video: { content: { path }, fileName: 'video.mp4', bytes: BYTES } };
}

async function outcome(call: Promise<unknown>) {
  const error = await call.then(
    () => expect.unreachable('the call came through'),
    (failure: unknown) => failure,
  );
  expect(String(error)).not.toContain(TOKEN);
  return sendFailureOf(error);
}

const TEXT = { chat_id: 1, text: 'hello' };

describe('an upload', () => {
  it('that is ended from here before its end has certainly not arrived', async () => {
    const stopping = new AbortController();
    const { apiRoot } = await openServer(request => {
      request.once('data', () => {
        request.pause();
        stopping.abort(new Error('Medley stops'));
      });
    });
    const sent = apiAt(apiRoot).call('sendVideo', upload(), { signal: stopping.signal });
    expect(await outcome(sent)).toEqual({ outcome: 'notSent', reason: 'cut' });
  });

  it('that takes too long before its end has certainly not arrived', async () => {
    const { apiRoot } = await openServer(request => request.once('data', () => request.pause()));
    const api = apiAt(apiRoot, { fileMs: 200, uploadBytesPerSecond: BYTES * 10 });
    expect(await outcome(api.call('sendVideo', upload()))).toEqual({ outcome: 'notSent', reason: 'cut' });
  });

  it('that is ended from there before its end has certainly not arrived', async () => {
    const { apiRoot } = await openServer(request => request.once('data', () => request.socket.destroy()));
    expect(await outcome(apiAt(apiRoot).call('sendVideo', upload()))).toEqual({ outcome: 'notSent', reason: 'away' });
  });

  it('that was sent to its end may have arrived, whichever side ended the wait for its answer', async () => {
    const stopping = new AbortController();
    const { apiRoot } = await openServer(request => request.resume().once('end', () => stopping.abort()));
    const sent = apiAt(apiRoot).call('sendVideo', upload(), { signal: stopping.signal });
    expect(await outcome(sent)).toEqual({ outcome: 'unknown' });
    const other = await openServer(request => request.resume().once('end', () => request.socket.destroy()));
    expect(await outcome(apiAt(other.apiRoot).call('sendVideo', upload()))).toEqual({ outcome: 'unknown' });
  });
});

describe('a call', () => {
  it('that reaches no server has certainly not arrived', async () => {
    const { apiRoot, close } = await openServer(() => undefined);
    await close();
    expect(await outcome(apiAt(apiRoot).call('sendMessage', TEXT))).toEqual({ outcome: 'notSent', reason: 'away' });
  });

  it('that is not begun has certainly not arrived', async () => {
    const { apiRoot } = await openServer(() => expect.unreachable('nothing is asked'));
    const sent = apiAt(apiRoot).call('sendMessage', TEXT, { signal: AbortSignal.abort() });
    expect(await outcome(sent)).toEqual({ outcome: 'notSent', reason: 'cut' });
  });

  it('that puts nothing anywhere is only away when its answer gets lost', async () => {
    const { apiRoot } = await openServer(request => request.socket.destroy());
    expect(await outcome(apiAt(apiRoot).call('getMe', {}))).toEqual({ outcome: 'notSent', reason: 'away' });
    expect(await outcome(apiAt(apiRoot).call('sendMessage', TEXT))).toEqual({ outcome: 'unknown' });
  });

  it('with an answer of a proxy is refused', async () => {
    const { apiRoot } = await openServer((_, response) => response.writeHead(404).end('<html>not here</html>'));
    expect(await outcome(apiAt(apiRoot).call('sendMessage', TEXT))).toEqual({ outcome: 'notSent', reason: 'refused' });
  });

  it.each([
    [502, { outcome: 'unknown' }],
    [503, { outcome: 'notSent', reason: 'away' }],
  ])('with a page of a proxy that has no server behind it, %i, is repeated later', async (status, meaning) => {
    const { apiRoot } = await openServer((_, response) => response.writeHead(status).end('<html>no server</html>'));
    expect(await outcome(apiAt(apiRoot).call('sendMessage', TEXT))).toEqual(meaning);
  });
});

function failure(code: number | undefined, description = '', method: Method = 'sendMessage') {
  return new BotApiError({ method, code, description, isNotDone: code !== undefined && (code < 500 || code === 503) });
}

describe('what became of it', () => {
  it.each([
    [401, 'Unauthorized', { reason: 'token' }],
    [400, 'Bad Request: chat not found', { reason: 'gone' }],
    [400, 'Bad Request: PEER_ID_INVALID', { reason: 'gone' }],
    [400, 'Bad Request: message to be replied not found', { reason: 'gone' }],
    [400, 'Bad Request: CHAT_RESTRICTED', { reason: 'gone', isBarred: true }],
    [403, 'Forbidden: bot was blocked by the user', { reason: 'gone' }],
    [403, 'Forbidden: bot was kicked from the supergroup chat', { reason: 'gone' }],
    [400, 'Bad Request: not enough rights to send text messages to the chat', { reason: 'gone', isBarred: true }],
    [400, 'Bad Request: message text is empty', { reason: 'refused' }],
    [404, 'Not Found', { reason: 'refused' }],
    [413, 'Request Entity Too Large', { reason: 'refused' }],
    [409, 'Conflict: terminated by other getUpdates request', { reason: 'away' }],
    [503, 'Service Unavailable', { reason: 'away' }],
  ])('%s %s is certain', (code, description, meaning) => {
    expect(sendFailureOf(failure(code, description))).toEqual({ outcome: 'notSent', ...meaning });
  });

  it.each([500, 502, 504, undefined])('%s leaves open whether a message arrived', code => {
    expect(sendFailureOf(failure(code))).toEqual({ outcome: 'unknown' });
    expect(sendFailureOf(failure(code, '', 'editMessageText'))).toEqual({ outcome: 'unknown' });
    expect(sendFailureOf(failure(code, '', 'getMe'))).toEqual({ outcome: 'notSent', reason: 'away' });
  });

  it.each([
    [413, 'Request Entity Too Large', true],
    [400, 'Bad Request: wrong file identifier/HTTP URL specified', true],
    [400, 'Bad Request: REPLY_MESSAGE_ID_INVALID', false],
    [400, 'Bad Request: CHANNEL_PRIVATE', false],
    [400, 'Bad Request: message to be replied not found', false],
  ])('%s %s is about the file: %s', (code, description, isAbout) => {
    expect(isAboutFile(failure(code, description, 'sendVideo'))).toBe(isAbout);
  });

  it('a token that Telegram has never given out is refused with 404', () => {
    expect(sendFailureOf(failure(404, 'Not Found', 'getMe'))).toEqual({ outcome: 'notSent', reason: 'token' });
  });

  it('429 concerns the chat, for as long as Telegram says', () => {
    const parts = { method: 'sendMessage', code: 429, description: 'Too Many Requests', isNotDone: true };
    expect(sendFailureOf(new BotApiError({ ...parts, retryAfterMs: 30_000 }))).toEqual({
      ...{ outcome: 'notSent', reason: 'flood', scope: 'chat', retryAfterMs: 30_000 },
    });
  });

  it('what is none of Telegram is left to others', () => {
    expect(sendFailureOf(new TypeError('a defect'))).toBeUndefined();
  });
});
