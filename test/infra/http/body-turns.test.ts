import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBodyTurns } from '../../../src/infra/http/body.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveTcp } from '../../fakes/loopback.ts';

const host = 'www.photos.test';
const request = { url: `https://${host}/p/1`, hosts: [host], retries: 0, timeoutMs: 60_000 };

describe('bodies that arrive at once', () => {
  it('wait from the first on, and are taken up in order, one at each turn of the loop', async () => {
    const turns = createBodyTurns();
    const events: string[] = [];
    const wait = (name: string) => turns.wait(() => void events.push(name));
    for (const name of ['a', 'b', 'c']) wait(name);
    expect(events).toEqual([]);
    await nextTurn();
    expect(events).toEqual(['a']);
    wait('d');
    await nextTurn();
    await nextTurn();
    await nextTurn();
    expect(events).toEqual(['a', 'b', 'c', 'd']);
    wait('e');
    await nextTurn();
    expect(events).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('are whole, whatever their length, and whether or not it is told', async () => {
    const lengths = [1, 65_535, 65_536, 65_537, 700_000, 3_000_000];
    const server = await serveHttp((incoming, response) => {
      const body = Buffer.alloc(Number(incoming.headers['x-length']), 'medley ');
      if (incoming.headers['x-told'] === 'yes') response.setHeader('content-length', body.length);
      else response.flushHeaders();
      response.end(body);
    });
    const client = createTestClient({ [host]: server.origin });
    const asked = lengths.flatMap(length => ['yes', 'no'].map(told => ({ length, told })));
    const answers = await Promise.all(
      [...asked, ...asked].map(({ length, told }) =>
        client.request({ ...request, headers: { 'x-length': String(length), 'x-told': told } }),
      ),
    );
    expect(answers.map(({ bytes }) => bytes.length)).toEqual([...asked, ...asked].map(({ length }) => length));
    for (const { bytes } of answers) expect(bytes.equals(Buffer.alloc(bytes.length, 'medley '))).toBe(true);
  });

  it('do not keep others waiting when one of them stands still or is given up', async () => {
    const stuck = await serveTcp(socket => {
      socket.once('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 900000\r\n\r\n${'x'.repeat(200_000)}`),
      );
    });
    const live = await serveHttp((_incoming, response) => response.end('y'.repeat(700_000)));
    const client = createTestClient({ [host]: stuck.origin, 'live.photos.test': live.origin });
    const signals = Array.from({ length: 8 }, () => new AbortController());
    const failures = signals.map(({ signal }) =>
      client.request({ ...request, signal }).catch((error: unknown) => error),
    );
    const others = Array.from({ length: 8 }, () =>
      client.request({ ...request, url: 'https://live.photos.test/', hosts: ['live.photos.test'] }),
    );
    for (const { bytes } of await Promise.all(others)) expect(bytes.length).toBe(700_000);
    for (const signal of signals) signal.abort();
    for (const failure of await Promise.all(failures)) expect(failure).toMatchObject({ code: 'timeout' });
    const last = await client.request({ ...request, url: 'https://live.photos.test/', hosts: ['live.photos.test'] });
    expect(last.text).toHaveLength(700_000);
  });
});
