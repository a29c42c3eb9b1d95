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
      checks: [
        { name: 'store', check: () => undefined },
        { name: 'disk', check: async () => 'Only 3 MB of 200 are free.' },
        {
          name: 'queue',
          check: () => {
            throw new Error('a secret path');
          },
        },
        { name: 'platform', check: () => new Promise(() => undefined) },
      ],
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const response = await server.app.inject('/readyz');
    expect(response.statusCode).toBe(503);
    expect(response.json()).toEqual({
      status: 'unavailable',
      server: 'ready',
      checks: { store: 'ok', disk: 'failed', queue: 'failed', platform: 'failed' },
      reasons: [
        'disk: Only 3 MB of 200 are free.',
        'queue: It could not be checked.',
        'platform: No answer within 200 ms.',
      ],
    });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('tells what is amiss but not vital, and stays ready', async () => {
    const server = await createApiServer({
      checks: [{ name: 'canary', isVital: false, check: () => 'instagram embed: broken since noon.' }],
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    const response = await server.app.inject('/readyz');
    expect(response.statusCode).toBe(200);
    expect(response.json().reasons).toEqual(['canary: instagram embed: broken since noon.']);
  });
});

describe('/metrics', () => {
  const ask = { url: '/metrics', remoteAddress: '127.0.0.1' };

  it('answers this machine, by its real address and name', async () => {
    const { app } = await createApiServer();
    expect((await app.inject(ask)).statusCode).toBe(200);
    expect((await app.inject({ ...ask, remoteAddress: '::1' })).statusCode).toBe(200);
    expect((await app.inject({ ...ask, remoteAddress: '::ffff:127.0.0.1' })).statusCode).toBe(200);
    const forged = { 'x-forwarded-for': '127.0.0.1' };
    for (const stranger of [
      { ...ask, remoteAddress: '203.0.113.9' },
      { ...ask, remoteAddress: '203.0.113.9', headers: forged },
      { ...ask, headers: { 'x-forwarded-for': '198.51.100.1' } },
      { ...ask, headers: forged },
      { ...ask, headers: { host: 'rebound.example:3000' } },
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

  it.each([{ trustProxy: ['loopback'] }, { publicUrl: 'https://medley.example' }])(
    'answers no one without a key where %j says that there is a proxy',
    async options => {
      const { app } = await createApiServer({ ...options, keys: [KEY] });
      expect((await app.inject(ask)).statusCode).toBe(403);
      expect((await app.inject({ ...ask, headers: { 'x-api-key': KEY.key } })).statusCode).toBe(200);
    },
  );

  it('makes guessing keys slow, for who guesses alone', async () => {
    const { app } = await createApiServer({ keys: [KEY] });
    const guess = (remoteAddress: string, key = 'wrong-key-of-some-length') =>
      app.inject({ ...ask, remoteAddress, headers: { 'x-api-key': key } });
    for (let i = 0; i < 20; i += 1) expect((await guess('203.0.113.9')).statusCode).toBe(403);
    const refused = await guess('203.0.113.9');
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await guess('203.0.113.10')).statusCode).toBe(403);
    expect((await guess('203.0.113.9', KEY.key)).statusCode).toBe(200);
  });

  it('shows how things stand, and what was counted', async () => {
    const { app, metrics } = await createApiServer();
    metrics.countRequest('discord', 'ok', 1_200);
    metrics.countDelivery('mux', 5_000);
    metrics.countLookup('posts', 'cache');
    metrics.countRefusal('streams');
    metrics.countStreamEnd('slow');
    metrics.watch({
      platforms: () => ({ discord: true, telegram: false }),
      queue: async () => ({ depth: { accepted: 3, running: 1 }, oldestMs: 2_500 }),
      streams: () => 7,
      checks: async () => {
        throw new Error('cannot be read');
      },
      refusingSites: () => ({ instagram: true }),
      brokenStrategies: () => [{ source: 'instagram', strategy: 'embed' }],
    });
    const text = (await app.inject(ask)).body;
    for (const line of [
      'medley_requests_total{platform="discord",outcome="ok"} 1',
      'medley_request_duration_seconds_sum{platform="discord"} 1.2',
      'medley_deliveries_total{step="mux"} 1',
      'medley_delivered_bytes_total{step="mux"} 5000',
      'medley_cache_lookups_total{cache="posts",from="cache"} 1',
      'medley_refusals_total{limit="streams"} 1',
      'medley_stream_ends_total{reason="slow"} 1',
      'medley_platform_connected{platform="telegram"} 0',
      'medley_queue_requests{state="accepted"} 3',
      'medley_queue_oldest_seconds 2.5',
      'medley_streams 7',
      'medley_site_refuses{source="instagram"} 1',
      'medley_strategy_broken{source="instagram",strategy="embed"} 1',
    ])
      expect(text).toContain(line);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).not.toContain('medley_check_passed{');
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
