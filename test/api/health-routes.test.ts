import { describe, expect, it } from 'vitest';
import { createApiServer } from '../fakes/api-server.ts';

const KEY = { name: 'house', key: 'house-key-0123456789', perHour: 'unlimited' } as const;

describe('/healthz and /readyz', () => {
  it('lives at once, but is ready only while it listens', async () => {
    const server = await createApiServer();
    const status = async (url: string) => (await server.app.inject(url)).statusCode;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503]);
    await server.listen({ host: '127.0.0.1', port: 0 });
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
  });

  it('names the check that failed, one that throws too', async () => {
    const server = await createApiServer({
      checks: {
        store: () => true,
        cache: async () => false,
        queue: () => {
          throw new Error('no');
        },
      },
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const response = await server.app.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ checks: { store: 'ok', cache: 'failed', queue: 'failed' } });
    expect(response.headers['cache-control']).toBe('no-store');
  });
});

describe('/metrics', () => {
  const ask = { url: '/metrics', remoteAddress: '127.0.0.1' };

  it('answers this machine, by its real address', async () => {
    const { app } = await createApiServer({ trustProxy: ['loopback', '203.0.113.0/24'] });
    expect((await app.inject(ask)).statusCode).toBe(200);
    expect((await app.inject({ ...ask, remoteAddress: '::1' })).statusCode).toBe(200);
    expect((await app.inject({ ...ask, remoteAddress: '::ffff:127.0.0.1' })).statusCode).toBe(200);
    const forged = { 'x-forwarded-for': '127.0.0.1' };
    for (const stranger of [
      { ...ask, remoteAddress: '203.0.113.9' },
      { ...ask, remoteAddress: '203.0.113.9', headers: forged },
      { ...ask, headers: { 'x-forwarded-for': '198.51.100.1' } },
      { ...ask, headers: forged },
    ]) {
      const response = await app.inject(stranger);
      expect(response.statusCode).toBe(403);
      expect(response.json().error.code).toBe('forbidden');
    }
  });

  it('answers holders of a key from anywhere', async () => {
    const { app } = await createApiServer({ keys: [KEY] });
    const from = (key: string) =>
      app.inject({ ...ask, remoteAddress: '203.0.113.9', headers: { authorization: `Bearer ${key}` } });
    expect((await from(KEY.key)).statusCode).toBe(200);
    expect((await from('wrong')).statusCode).toBe(403);
  });

  it('counts requests by route pattern, never by address, and what the modules report', async () => {
    const { app, metrics } = await createApiServer();
    await app.inject('/api/post?url=https://www.instagram.com/p/SecretPath1/');
    await app.inject('/api/igdownload');
    await app.inject('/somewhere/private');
    metrics.countStrategy('instagram', 'graphql', 'ok');
    metrics.countStrategy('instagram', 'graphql', 'timeout');
    metrics.countStrategy('facebook', 'embed/crawler', 'ok', 180);
    metrics.countStrategy('facebook', 'embed/crawler', 'login_required', 90);
    metrics.countUpstream({ host: 'scontent-fra1.cdninstagram.com', status: 206, failure: undefined, durationMs: 12 });
    const text = (await app.inject(ask)).body;
    expect(text).toContain('medley_http_request_duration_seconds_count{method="GET",route="/api/post",status="200"} 1');
    expect(text).toContain(
      'medley_http_request_duration_seconds_count{method="GET",route="/api/igdownload",status="400"} 1',
    );
    expect(text).toContain('medley_http_request_duration_seconds_count{method="GET",route="unknown",status="404"} 1');
    expect(text).toContain('medley_strategy_outcomes_total{source="instagram",strategy="graphql",outcome="timeout"} 1');
    const took = 'medley_strategy_duration_seconds';
    const of = (result: string) => `source="facebook",strategy="embed/crawler",result="${result}"`;
    expect(text).toContain(`${took}_count{${of('ok')}} 1`);
    expect(text).toContain(`${took}_sum{${of('failed')}} 0.09`);
    expect(text).toMatch(new RegExp(`${took}_bucket{le="0.1",[^}]*result="ok"} 0`));
    expect(text).not.toMatch(new RegExp(`${took}_count{[^}]*graphql`));
    expect(text).toContain('domain="cdninstagram.com",outcome="206"} 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toMatch(/SecretPath1|private/);
  });
});
