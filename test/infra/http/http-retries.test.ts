import { describe, expect, it } from 'vitest';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';

const host = 'www.photos.test';
const url = 'https://www.photos.test/p/1';
const hosts = [host];

type Step = number | 'reset' | { readonly status: number; readonly retryAfter: string };

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
    else response.writeHead(step.status, { 'retry-after': step.retryAfter }).end('busy');
  });
  return { times, client: createTestClient({ [host]: server.origin }) };
}

describe('retries', () => {
  it.each<Step>([429, 502, 503, 504, 'reset'])('repeat a GET once after %s', async step => {
    const { client, times } = await serveSteps(step);
    expect(await client.request({ url, hosts })).toMatchObject({ status: 200, text: 'fine' });
    expect(times).toHaveLength(2);
  });

  it.each([400, 403, 404, 500, 501])('do not repeat after %d', async status => {
    const { client, times } = await serveSteps(status);
    expect(await client.request({ url, hosts })).toMatchObject({ status, text: 'busy' });
    expect(times).toHaveLength(1);
  });

  it('end with the last answer, or the last failure', async () => {
    const answers = await serveSteps(503, 502, 429);
    expect(await answers.client.request({ url, hosts, retries: 2 })).toMatchObject({ status: 429, text: 'busy' });
    expect(answers.times).toHaveLength(3);
    const failures = await serveSteps(503, 'reset', 'reset');
    await expect(failures.client.request({ url, hosts, retries: 2 })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(failures.times).toHaveLength(3);
  });

  it('are none when none are wanted', async () => {
    const { client, times } = await serveSteps(503);
    expect(await client.request({ url, hosts, retries: 0 })).toMatchObject({ status: 503 });
    expect(times).toHaveLength(1);
  });

  it.each<Step>([503, 'reset'])('never repeat a POST that was sent (%s)', async step => {
    const { client, times } = await serveSteps(step);
    await client.request({ url, hosts, method: 'POST', body: 'a', retries: 3 }).catch(() => undefined);
    expect(times).toHaveLength(1);
  });

  it.each<Step>([503, 'reset'])('repeat a POST that says it only reads (%s)', async step => {
    const { client, times } = await serveSteps(step);
    expect(await client.request({ url, hosts, method: 'POST', body: 'a', repeatable: true })).toMatchObject({
      status: 200,
    });
    expect(times).toHaveLength(2);
  });

  it('repeat a POST whose connection was never made', async () => {
    const client = createTestClient({ [host]: 'http://127.0.0.1:1' });
    const startedAt = performance.now();
    const asked = client.request({ url, hosts, method: 'POST', body: 'a', retries: 2 });
    await expect(asked).rejects.toMatchObject({ code: 'upstream_unavailable', cause: { code: 'ECONNREFUSED' } });
    // Two pauses of at least 100 and 200 ms lie between three tries.
    expect(performance.now() - startedAt).toBeGreaterThan(250);
  });

  it('wait as long as Retry-After says, in seconds', async () => {
    const { client, times } = await serveSteps({ status: 429, retryAfter: '1' });
    expect(await client.request({ url, hosts })).toMatchObject({ status: 200 });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  it('wait as long as Retry-After says, as a date', async () => {
    const { client, times } = await serveSteps({ status: 503, retryAfter: new Date(Date.now() + 2_000).toUTCString() });
    expect(await client.request({ url, hosts })).toMatchObject({ status: 200 });
    // Dates have whole seconds.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900);
  });

  it.each(['3600', 'Fri, 31 Dec 2100 23:59:59 GMT'])(
    'hand the answer back when Retry-After is beyond the deadline: %s',
    async retryAfter => {
      for (const status of [429, 503]) {
        const { client, times } = await serveSteps({ status, retryAfter });
        expect(await client.request({ url, hosts })).toMatchObject({
          status,
          text: 'busy',
          headers: { 'retry-after': retryAfter },
        });
        expect(times).toHaveLength(1);
      }
    },
  );

  it('do not outlive the deadline or an abort', async () => {
    const { client, times } = await serveSteps({ status: 503, retryAfter: '5' });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    await expect(client.request({ url, hosts, signal: abort.signal })).rejects.toMatchObject({ code: 'timeout' });
    expect(times).toHaveLength(1);
  });

  it('happen for streams too, before the body begins', async () => {
    const { client, times } = await serveSteps(503);
    const { status, body } = await client.stream({ url, hosts });
    let text = '';
    for await (const chunk of body) text += String(chunk);
    expect([status, text, times.length]).toEqual([200, 'fine', 2]);
  });
});
