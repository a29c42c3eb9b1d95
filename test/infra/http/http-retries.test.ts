import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { Deadline } from '../../../src/infra/concurrency/abortable.ts';
import { createRetry } from '../../../src/infra/http/attempt.ts';
import type { HttpClient, HttpRequest } from '../../../src/infra/http/http-client.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1';
const hosts = [host];

type Step = number | 'reset' | { readonly status: number; readonly retryAfter: string | (() => string) };

/** Answers with the steps in order, then with 200; notes when each request came. */
async function serveSteps(...steps: Step[]) {
  const times: number[] = [];
  const server = await serveHttp((request, response) => {
    times.push(performance.now());
    request.resume();
    const step = steps[times.length - 1];
    if (step === undefined) response.end('fine');
    else if (step === 'reset') request.socket.resetAndDestroy();
    else if (typeof step === 'number') response.writeHead(step).end('busy');
    else {
      const { status, retryAfter } = step;
      response.writeHead(status, { 'retry-after': typeof retryAfter === 'string' ? retryAfter : retryAfter() });
      response.end('busy');
    }
  });
  return { times, client: createTestClient({ [host]: server.origin }) };
}

describe('a call without retries', () => {
  it('has nothing to wait for, whatever comes', () => {
    const deadline = new Deadline(60_000, undefined, Date.now);
    onTestFinished(() => deadline.end());
    const retry = createRetry(0, true, deadline, Date.now);
    for (const status of [429, 502, 503, 504]) {
      expect(retry.afterAnswer({ status, headers: { 'retry-after': '1' }, setCookies: [] })).toBeUndefined();
    }
    const error = new AppError('upstream_unavailable', 'reset');
    expect(retry.afterFailure({ error, sent: false, transient: true })).toBeUndefined();
  });
});

describe('retries over the plain transport', () => checkRetries('plain'));

describe.skipIf(wreqMissing)(`retries over the browser transport${wreqNote}`, () => checkRetries('browser'));

function checkRetries(transport: NonNullable<HttpRequest['transport']>): void {
  const request = (client: HttpClient, more: Partial<HttpRequest> = {}) =>
    client.request({ url, hosts, transport, ...more });

  it.each<Step>([429, 502, 503, 504, 'reset'])('repeat a GET once after %s', async step => {
    const { client, times } = await serveSteps(step);
    expect(await request(client)).toMatchObject({ status: 200, text: 'fine' });
    expect(times).toHaveLength(2);
  });

  it.each([400, 403, 404, 500, 501])('do not repeat after %d', async status => {
    const { client, times } = await serveSteps(status);
    expect(await request(client)).toMatchObject({ status, text: 'busy' });
    expect(times).toHaveLength(1);
  });

  it('end with the last answer, or the last failure', async () => {
    const answers = await serveSteps(503, 502, 429);
    expect(await request(answers.client, { retries: 2 })).toMatchObject({ status: 429, text: 'busy' });
    expect(answers.times).toHaveLength(3);
    const failures = await serveSteps(503, 'reset', 'reset');
    await expect(request(failures.client, { retries: 2 })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(failures.times).toHaveLength(3);
  });

  it.each<Step>([503, 'reset', { status: 429, retryAfter: '40' }])(
    'are none when none are wanted, and nothing is waited for (%o)',
    async step => {
      const { client, times } = await serveSteps(step);
      const startedAt = performance.now();
      await request(client, { retries: 0, timeoutMs: 60_000 }).catch(() => undefined);
      expect(performance.now() - startedAt).toBeLessThan(30_000);
      expect(times).toHaveLength(1);
    },
  );

  it.each<Step>([503, 'reset'])('never repeat a POST that was sent (%s)', async step => {
    const { client, times } = await serveSteps(step);
    await request(client, { method: 'POST', body: 'a', retries: 3 }).catch(() => undefined);
    expect(times).toHaveLength(1);
  });

  it.each<Step>([503, 'reset'])('repeat a POST that says it only reads (%s)', async step => {
    const { client, times } = await serveSteps(step);
    expect(await request(client, { method: 'POST', body: 'a', repeatable: true })).toMatchObject({
      status: 200,
    });
    expect(times).toHaveLength(2);
  });

  it('repeat a POST whose connection was never made', async () => {
    const client = createTestClient({ [host]: 'http://127.0.0.1:1' });
    const startedAt = performance.now();
    const asked = request(client, { method: 'POST', body: 'a', retries: 2 });
    await expect(asked).rejects.toMatchObject({ code: 'upstream_unavailable', cause: expect.any(Error) });
    // Two pauses of at least 100 and 200 ms lie between three tries.
    expect(performance.now() - startedAt).toBeGreaterThan(250);
  });

  it('wait as long as Retry-After says, in seconds', async () => {
    const { client, times } = await serveSteps({ status: 429, retryAfter: '1' });
    expect(await request(client)).toMatchObject({ status: 200 });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  it('wait as long as Retry-After says, as a date', async () => {
    const { client, times } = await serveSteps({
      status: 503,
      retryAfter: () => new Date(Date.now() + 2_000).toUTCString(),
    });
    expect(await request(client)).toMatchObject({ status: 200 });
    // Dates have whole seconds.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900);
  });

  it.each(['3600', 'Fri, 31 Dec 2100 23:59:59 GMT'])(
    'hand the answer back when Retry-After is beyond the deadline: %s',
    async retryAfter => {
      for (const status of [429, 503]) {
        const { client, times } = await serveSteps({ status, retryAfter });
        expect(await request(client)).toMatchObject({
          status,
          text: 'busy',
          headers: { 'retry-after': retryAfter },
        });
        expect(times).toHaveLength(1);
      }
    },
  );

  it('do not outlive the deadline or an abort', async () => {
    const { client, times } = await serveSteps({ status: 503, retryAfter: '40' });
    const abort = new AbortController();
    const asked = request(client, { signal: abort.signal, timeoutMs: 60_000 });
    asked.catch(() => undefined);
    await expect.poll(() => times).toHaveLength(1);
    abort.abort();
    await expect(asked).rejects.toMatchObject({ code: 'timeout' });
    expect(times).toHaveLength(1);
  });
}

describe('retries of a stream', () => {
  it('happen for streams too, before the body begins', async () => {
    const { client, times } = await serveSteps(503);
    const { status, body } = await client.stream({ url, hosts });
    let text = '';
    for await (const chunk of body) text += String(chunk);
    expect([status, text, times.length]).toEqual([200, 'fine', 2]);
  });
});
