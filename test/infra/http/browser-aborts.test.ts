import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createCertificate } from '../../fakes/certificate.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

/** Several, each with a connection of its own: a server ends one on which a thousand requests were reset. */
const HOSTS = [
  'a.photos.test',
  'b.photos.test',
  'c.photos.test',
  'd.photos.test',
  'e.photos.test',
  'f.photos.test',
] as const;
const hosts = [...HOSTS];
const COUNT = 1_000;
const AT_ONCE = 12;
const MEBIBYTE = 1024 * 1024;

/** Where a request hangs when it is aborted. */
const PATHS = ['/silent', '/half', '/endless', '/declared', '/fine'] as const;

describe.skipIf(wreqMissing)(`a thousand aborted requests over the browser transport${wreqNote}`, () => {
  it('leave no stream, socket or timer open, and no memory taken', async () => {
    const server = await serveStreams();
    // What an abort cannot end, ends by these. Headers have longer: a machine that stands still must not end a request first.
    const patience = { pauseTimeoutMs: 1_000, headersTimeoutMs: 6_000 };
    const client = createTestClient(Object.fromEntries(hosts.map(each => [each, server.origin])), patience);
    const stop = new AppError('timeout', 'another strategy was faster');

    /** Every fifth after a while, wherever it is then; the others once the server has them, a little later. */
    async function abortOne(number: number): Promise<void> {
      const path = PATHS[number % PATHS.length] ?? '/silent';
      const host = HOSTS[number % HOSTS.length] ?? HOSTS[0];
      const abort = new AbortController();
      const timers: NodeJS.Timeout[] = [];
      const abortSoon = () => timers.push(setTimeout(() => abort.abort(stop), number % 7));
      const id = number % 25 < PATHS.length ? undefined : server.expect(abortSoon);
      if (id === undefined) abortSoon();
      const url = `https://${host}${path}?${id}`;
      const asked = client.request({ url, hosts, transport: 'browser', signal: abort.signal });
      const outcome = await asked.catch((error: unknown) => error);
      for (const timer of timers) clearTimeout(timer);
      if (path === '/silent' || path === '/half') expect(outcome).toBe(stop);
    }

    async function abortMany(): Promise<void> {
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < COUNT) await abortOne(next++);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }

    const fine = () => client.request({ url: `https://${HOSTS[0]}/fine`, hosts, transport: 'browser' });
    const settle = () =>
      expect.poll(async () => [(await fine()).status, server.open()], { interval: 400 }).toEqual([200, 0]);

    // What is loaded and kept once is not counted.
    await abortMany();
    await settle();
    const before = measure();
    await abortMany();
    await settle();
    const after = measure();
    const figures = { requests: server.streams(), sessions: server.sessions(), before, after };
    expect(server.streams()).toBeGreaterThan(COUNT);
    expect(after.timers, JSON.stringify(figures)).toBeLessThanOrEqual(before.timers);
    expect(after.rssMiB - before.rssMiB, JSON.stringify(figures)).toBeLessThan(96);
    expect(server.sessions(), JSON.stringify(figures)).toBeLessThanOrEqual(2 * HOSTS.length);
    await client.close();
    // The package keeps the body that was read last, and with it one connection, until the server or the process ends.
    await expect.poll(server.sessions).toBeLessThanOrEqual(1);
    process.stdout.write(`1,000 aborted requests: ${JSON.stringify(figures)}\n`);
  });
});

function measure() {
  globalThis.gc?.();
  const resources = process.getActiveResourcesInfo();
  return {
    rssMiB: Math.round(process.memoryUsage.rss() / MEBIBYTE),
    timers: resources.filter(name => name === 'Timeout').length,
  };
}

/** HTTP/2, where a request is a stream: counted as long as either side keeps it open. */
async function serveStreams() {
  const sessions = new Set<ServerHttp2Session>();
  const expected = new Map<string, () => void>();
  let open = 0;
  let streams = 0;
  let ids = 0;
  const server = createSecureServer(createCertificateOptions());
  server.on('session', session => {
    sessions.add(session);
    session.on('error', () => {}).on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    open++;
    streams++;
    stream.on('error', () => {}).on('close', () => open--);
    const [path, id = ''] = (headers[':path'] ?? '').split('?');
    expected.get(id)?.();
    expected.delete(id);
    if (path === '/silent') return;
    if (path === '/declared') {
      stream.respond({ ':status': 200, 'content-length': 1_000_000 });
      stream.write('half');
      return;
    }
    stream.respond({ ':status': 200 });
    if (path === '/fine') stream.end('fine');
    else if (path === '/half') stream.write('half');
    else {
      const pour = (): void => {
        while (!stream.destroyed && stream.write(Buffer.alloc(16_384)));
      };
      stream.on('drain', pour);
      pour();
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const session of sessions) session.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  return {
    origin: `https://127.0.0.1:${portOf(server.address())}`,
    /** Calls back when a request with this number in its query has come. */
    expect(callback: () => void): number {
      expected.set(String(++ids), callback);
      return ids;
    },
    open: () => open,
    streams: () => streams,
    sessions: () => sessions.size,
  };
}

function createCertificateOptions() {
  const { key, cert } = createCertificate(HOSTS);
  return { key, cert };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
