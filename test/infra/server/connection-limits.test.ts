import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { createServer, type ServerOptions } from '../../../src/infra/server/server.ts';
import { createRecordingLog } from '../../fakes/log.ts';

async function start(options: Partial<ServerOptions> = {}) {
  const server = createServer({
    log: createRecordingLog(),
    trustProxy: [],
    renderError: () => ({ status: 500, headers: {}, body: {} }),
    drainMs: 200,
    ...options,
  });
  onTestFinished(() => server.stop());
  const held: (() => void)[] = [];
  server.app.get('/healthz', () => ({ status: 'ok' }));
  server.app.get('/slow', () => new Promise(resolve => held.push(() => resolve({ done: true }))));
  const sockets = new WebSocketServer({ noServer: true });
  server.app.server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, () => undefined);
  });
  const { port } = await server.listen({ host: '0.0.0.0', port: 0 });

  /** Kept open; says nothing until it is asked to. */
  async function open(from = '127.0.0.1'): Promise<Socket & { isClosed: () => boolean }> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    let closed = false;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed = true;
      });
    // Else it would not notice its end.
    socket.resume();
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return Object.assign(socket, { isClosed: () => closed });
  }

  /** The status of an answer on a connection; undefined when it was closed instead. */
  function ask(socket: Socket, path = '/healthz', headers = ''): Promise<string | undefined> {
    return new Promise(resolve => {
      socket.once('close', () => resolve(undefined));
      socket.once('data', data => resolve(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1]));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
    });
  }
  return { server, held, open, ask };
}

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

describe('connections of one client', () => {
  it('beyond its bound take the place of the one that was idle for longest', async () => {
    const { open, ask } = await start({ maxConnectionsPerClient: 3 });
    const [first, second, third] = [await open(), await open(), await open()];
    expect(await ask(first)).toBe('200');
    const fourth = await open();
    expect(await ask(fourth)).toBe('200');
    await expect.poll(second.isClosed).toBe(true);
    expect([first.isClosed(), third.isClosed()]).toEqual([false, false]);
    expect(await ask(first)).toBe('200');
  });

  it('never take the place of a request under way, nor of an upgraded connection', async () => {
    const { open, ask, held } = await start({ maxConnectionsPerClient: 2 });
    const [busy, upgraded] = [await open(), await open()];
    const answer = ask(busy, '/slow');
    await expect.poll(() => held.length).toBe(1);
    expect(await ask(upgraded, '/', UPGRADE)).toBe('101');
    expect(await ask(await open())).toBeUndefined();
    held[0]?.();
    expect(await answer).toBe('200');
    expect([busy.isClosed(), upgraded.isClosed()]).toEqual([false, false]);
    // Idle again, it may go.
    expect(await ask(await open())).toBe('200');
    await expect.poll(busy.isClosed).toBe(true);
  });

  it('do not count for another client, and a trusted proxy has no bound of its own', async () => {
    const { open, ask } = await start({ maxConnectionsPerClient: 2, trustProxy: ['127.0.0.3'] });
    const own = [await open('127.0.0.2'), await open('127.0.0.2')];
    const proxied = [await open('127.0.0.3'), await open('127.0.0.3'), await open('127.0.0.3')];
    expect(await ask(await open('127.0.0.4'))).toBe('200');
    for (const socket of [...own, ...proxied]) expect(socket.isClosed()).toBe(false);
  });

  it('are let go when they end, so that many may come one after another', async () => {
    const { open, ask } = await start({ maxConnectionsPerClient: 2 });
    for (let i = 0; i < 20; i += 1) {
      const socket = await open();
      expect(await ask(socket)).toBe('200');
      socket.destroy();
    }
  });
});

describe('the connections of all', () => {
  it('leave room for the next request however many stand about', async () => {
    const { open, ask } = await start({ maxConnections: 50 });
    const standing: Awaited<ReturnType<typeof open>>[] = [];
    for (let i = 0; i < 120; i += 1) standing.push(await open(`127.0.1.${i + 1}`));
    expect(await ask(await open())).toBe('200');
    await expect.poll(() => standing.filter(socket => !socket.isClosed()).length).toBe(49);
  });

  it('that never finish their headers are closed in time', async () => {
    const { open } = await start({ headersTimeoutMs: 3_000 });
    const [silent, slow] = [await open(), await open()];
    slow.write('GET / HTTP/1.1\r\nHo');
    await pause(100);
    expect([silent.isClosed(), slow.isClosed()]).toEqual([false, false]);
    await expect.poll(() => [silent.isClosed(), slow.isClosed()]).toEqual([true, true]);
  });
});
