import { describe, expect, it, onTestFinished } from 'vitest';
import { createOverrides, type Override } from '../../../src/infra/http/overrides.ts';
import { createTransport, type Transport } from '../../../src/infra/http/transport.ts';
import { watchConnections } from '../../fakes/connection-watch.ts';
import { serveHttp } from '../../fakes/loopback.ts';

function openTransport(...overrides: Override[]): Transport {
  const transport = createTransport({
    overrides: createOverrides(overrides),
    connectTimeoutMs: 1_000,
    headersTimeoutMs: 1_000,
    pauseTimeoutMs: 1_000,
  });
  onTestFinished(() => transport.close());
  return transport;
}

describe('the connections to public hosts', () => {
  // Sockets look up names only: this is the last guard should an IP address ever come so far.
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '8.8.8.8'])(
    'refuse the IP address %s themselves',
    async host => {
      const { dispatcher, origin } = openTransport().route(host);
      const watch = watchConnections();
      await expect(dispatcher.request({ origin, path: '/', method: 'GET' })).rejects.toMatchObject({
        code: 'forbidden',
      });
      expect(watch.attempts()).toEqual([]);
    },
  );

  it('are not those to overridden hosts, which lead to their stand-in alone', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const transport = openTransport({ host: '*.a.test', origin: server.origin });
    expect(transport.route('www.a.test')).toMatchObject({ origin: server.origin, overridden: true });
    expect(transport.route('a.test')).toMatchObject({ origin: 'https://a.test', overridden: false });
    expect(transport.route('www.a.test').dispatcher).not.toBe(transport.route('a.test').dispatcher);
  });
});
