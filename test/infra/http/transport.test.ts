import { describe, expect, it, onTestFinished } from 'vitest';
import { Deadline } from '../../../src/infra/concurrency/abortable.ts';
import { resolveBySystem } from '../../../src/infra/http/address-guard.ts';
import { createBodyTurns } from '../../../src/infra/http/body.ts';
import type { Transport } from '../../../src/infra/http/exchange.ts';
import { createPlainTransport } from '../../../src/infra/http/plain-transport.ts';
import { watchConnections } from '../../fakes/connection-watch.ts';
import { serveHttp } from '../../fakes/loopback.ts';

function openTransport(): Transport {
  const transport = createPlainTransport({
    resolve: resolveBySystem,
    connectTimeoutMs: 1_000,
    headersTimeoutMs: 1_000,
    pauseTimeoutMs: 1_000,
    connectionsPerHost: 8,
    bodyTurns: createBodyTurns(),
  });
  onTestFinished(() => transport.close());
  return transport;
}

function ask(transport: Transport, host: string, override?: string) {
  const target = { host, override, address: { name: 'direct' } };
  return transport.exchange(target, {
    method: 'GET',
    path: '/',
    headers: [],
    body: undefined,
    deadline: new Deadline(5_000, undefined, Date.now),
    maxBytes: 1_000_000,
    flowTimeoutMs: undefined,
    use: () => 'collect',
    onFlowClosed: () => {},
  });
}

describe('the connections to public hosts', () => {
  // Sockets look up names only: this is the last guard should an IP address ever come so far.
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '8.8.8.8'])(
    'refuse the IP address %s themselves',
    async host => {
      const watch = watchConnections();
      expect(await ask(openTransport(), host)).toMatchObject({ error: { code: 'forbidden' }, sent: false });
      expect(watch.attempts()).toEqual([]);
    },
  );

  it('are not those to overridden hosts, which lead to their replacement alone', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const watch = watchConnections();
    expect(await ask(openTransport(), 'www.a.test', server.origin)).toMatchObject({ head: { status: 200 } });
    expect(watch.attempts()).toEqual([`127.0.0.1:${server.port}`]);
  });
});
