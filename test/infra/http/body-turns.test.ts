import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createBodyTurns, releaseBody } from '../../../src/infra/http/body.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp, serveTcp } from '../../fakes/loopback.ts';
import { wreqMissing, wreqNote } from '../../wreq.ts';

const host = 'www.photos.test';
const request = { url: `https://${host}/p/1`, hosts: [host], retries: 0, timeoutMs: 60_000 };

/** Counts the turns of the event loop until the test is over. */
function watchTurns(): { readonly now: () => number } {
  let turn = 0;
  let next = setImmediate(function look() {
    turn += 1;
    next = setImmediate(look);
  });
  onTestFinished(() => clearImmediate(next));
  return { now: () => turn };
}

for (const transport of ['plain', 'browser'] as const) {
  const [missing, note] = transport === 'browser' ? [wreqMissing, wreqNote] : [undefined, ''];
  it.skipIf(missing)(
    `large bodies of the ${transport} transport come one at each turn of the loop${note}`,
    async () => {
      const count = 12;
      const held: ServerResponse[] = [];
      const server = await serveHttp((_incoming, response) => {
        held.push(response);
        if (held.length === count) for (const each of held) each.end(Buffer.alloc(200_000, 'medley '));
      });
      const client = createTestClient({ [host]: server.origin });
      const turns = watchTurns();
      const seen = await Promise.all(
        Array.from({ length: count }, () => client.request({ ...request, transport }).then(turns.now)),
      );
      expect(new Set(seen).size).toBe(count);
    },
  );
}

describe('bodies that arrive at once', () => {
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

describe('bodies that come while many wait for their turn', () => {
  const page = Buffer.alloc(100_000);

  it('are read on one by one as those before them leave, and all at once when those that are read are slow', async () => {
    const turns = createBodyTurns();
    const line = Array.from({ length: 8 }, () => turns.take(page));
    const resumed: number[] = [];
    const bodies = Array.from({ length: 20 }, (_, at) => turns.begin({}, page.length, () => resumed.push(at)));
    expect(new Set(bodies)).toEqual(new Set([false]));
    await line[0];
    expect(resumed).toEqual([0]);
    await line[7];
    expect(resumed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await expect.poll(() => resumed, { timeout: 5_000 }).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });

  it('are not paused when they are small, nor read on when they are given up', async () => {
    const turns = createBodyTurns();
    const line = Array.from({ length: 8 }, () => turns.take(page));
    const [given, kept] = [{}, {}];
    const resumed: object[] = [];
    expect(turns.begin({}, 1_000, () => undefined)).toBe(true);
    for (const body of [given, kept]) turns.begin(body, page.length, () => resumed.push(body));
    turns.end(given);
    await line[7];
    expect(resumed).toEqual([kept]);
    expect(turns.begin(kept, page.length, () => undefined)).toBe(true);
  });
});

it('a body that has been read gives its memory back where Node can do that, the pool of buffers does not', () => {
  const [page, word] = [Buffer.alloc(200_000, 'medley '), Buffer.from('medley')];
  releaseBody(page);
  releaseBody(word);
  const left = 'transfer' in ArrayBuffer.prototype ? 0 : 200_000;
  expect([page.length, word.toString()]).toEqual([left, 'medley']);
});
