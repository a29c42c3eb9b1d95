import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import {
  createMemoryRateLimiter,
  type RateLimiter,
  type RateLimitRule,
} from '../../src/infra/rate-limit/rate-limit.ts';
import { createApiServer } from '../fakes/api-server.ts';

const POST = '/api/post?url=x';
const KEYS = [
  { name: 'partner', key: 'partner-key-0123456789', perHour: 5 },
  { name: 'house', key: 'house-key-0123456789', perHour: 'unlimited' },
] as const;

/** Counts for real, and keeps what it was asked. */
function watchedLimiter() {
  const real = createMemoryRateLimiter();
  const asked: { readonly rule: RateLimitRule; readonly key: string }[] = [];
  const limiter: RateLimiter = {
    consume: (rule, key, cost) => {
      asked.push({ rule, key });
      return real.consume(rule, key, cost);
    },
  };
  return { limiter, asked };
}

function numbers(headers: Record<string, unknown>) {
  return {
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
    reset: Number(headers['x-ratelimit-reset']),
  };
}

describe('the hourly limit', () => {
  it('is 1000 an hour of the clock, stated on every answer', async () => {
    const { app } = await createApiServer();
    const { headers } = await app.inject(POST);
    const hour = 3600;
    expect(numbers(headers)).toMatchObject({ limit: 1000, remaining: 999 });
    expect(numbers(headers).reset % hour).toBe(0);
    expect(numbers(headers).reset).toBeGreaterThan(Date.now() / 1000);
    expect(numbers(headers).reset).toBeLessThanOrEqual(Date.now() / 1000 + hour);
  });

  it('counts errors, 304, HEAD, wrong methods and unknown paths below /api', async () => {
    const { app } = await createApiServer();
    const etag = String((await app.inject(POST)).headers.etag);
    const answers = [
      await app.inject('/api/igdownload'),
      await app.inject({ url: POST, headers: { 'if-none-match': etag } }),
      await app.inject({ method: 'HEAD', url: POST }),
      await app.inject({ method: 'DELETE', url: POST }),
      await app.inject('/api/nothing/here'),
      await app.inject('/api'),
      await app.inject('/api/%zz'),
    ];
    expect(answers.map(answer => answer.statusCode)).toEqual([400, 304, 200, 405, 404, 404, 404]);
    expect(answers.map(answer => numbers(answer.headers).remaining)).toEqual([998, 997, 996, 995, 994, 993, 992]);
  });

  it('does not count preflights or anything outside /api', async () => {
    const { app } = await createApiServer();
    await app.inject({ method: 'OPTIONS', url: POST });
    for (const url of ['/openapi.json', '/docs', '/healthz', '/readyz', '/nowhere', '/apix']) {
      expect((await app.inject(url)).headers['x-ratelimit-limit']).toBeUndefined();
    }
    expect(numbers((await app.inject(POST)).headers).remaining).toBe(999);
  });

  it('refuses with 429, says when to come back, and lets browsers read it', async () => {
    const { app } = await createApiServer({
      limiter: {
        consume: async rule => ({
          allowed: false,
          limit: rule.limit,
          remaining: 0,
          resetAt: 1_800_000_000_000,
        }),
      },
      now: () => 1_800_000_000_000 - 90_400,
    });
    const response = await app.inject({ url: POST, headers: { origin: 'https://elsewhere.example' } });
    expect(response.statusCode).toBe(429);
    expect(response.json()).toMatchObject({ status: 429, error: { code: 'rate_limited' } });
    expect(response.headers).toMatchObject({
      'retry-after': '91',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1800000000',
      'access-control-allow-origin': '*',
    });
    expect(response.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining');
    expect(response.headers['access-control-expose-headers']).toContain('Retry-After');
  });

  it('does not ask the upstream for whom it refuses', async () => {
    let asked = 0;
    const { app } = await createApiServer({
      keys: [{ name: 'tiny', key: 'tiny-key', perHour: 1 }],
      extract: async () => {
        asked++;
        throw new AppError('not_found', 'gone');
      },
    });
    const ask = () => app.inject({ url: POST, headers: { 'x-api-key': 'tiny-key' } });
    expect([(await ask()).statusCode, (await ask()).statusCode]).toEqual([404, 429]);
    expect(asked).toBe(1);
  });

  it('counts clients by address: IPv6 by /64, mapped IPv4 as IPv4', async () => {
    const { limiter, asked } = watchedLimiter();
    const { app } = await createApiServer({ limiter });
    for (const remoteAddress of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '2001:db8:1:2:3:4:5:6',
      '2001:db8:1:2::9',
      '2001:db8:1:3::9',
    ]) {
      await app.inject({ url: POST, remoteAddress });
    }
    const [v4, mapped, a, b, other] = asked.map(({ key }) => key);
    expect(mapped).toBe(v4);
    expect(b).toBe(a);
    expect(other).not.toBe(a);
    expect(a).not.toBe(v4);
  });

  it('believes X-Forwarded-For only of trusted proxies', async () => {
    const { limiter, asked } = watchedLimiter();
    const headers = { 'x-forwarded-for': '198.51.100.4' };
    const trusting = await createApiServer({ limiter, trustProxy: ['loopback', '10.0.0.0/8'] });
    await trusting.app.inject({ url: POST, remoteAddress: '10.1.2.3', headers });
    await trusting.app.inject({ url: POST, remoteAddress: '203.0.113.9', headers });
    const plain = await createApiServer({ limiter });
    await plain.app.inject({ url: POST, remoteAddress: '127.0.0.1', headers });
    expect(asked.map(({ key }) => key)).toEqual(['198.51.100.4', '203.0.113.9', '127.0.0.1']);
  });
});

describe('API keys', () => {
  it('have a bucket and a limit of their own, from any address', async () => {
    const { app } = await createApiServer({ keys: KEYS });
    const first = await app.inject({ url: POST, headers: { 'x-api-key': KEYS[0].key }, remoteAddress: '203.0.113.1' });
    const second = await app.inject({
      url: POST,
      headers: { authorization: `Bearer ${KEYS[0].key}` },
      remoteAddress: '203.0.113.2',
    });
    expect(numbers(first.headers)).toMatchObject({ limit: 5, remaining: 4 });
    expect(numbers(second.headers)).toMatchObject({ limit: 5, remaining: 3 });
    expect(numbers((await app.inject({ url: POST, remoteAddress: '203.0.113.1' })).headers).remaining).toBe(999);
  });

  it('without a limit count nothing', async () => {
    const { limiter, asked } = watchedLimiter();
    const { app } = await createApiServer({ keys: KEYS, limiter });
    const { headers, statusCode } = await app.inject({ url: POST, headers: { 'x-api-key': KEYS[1].key } });
    expect(statusCode).toBe(200);
    expect(numbers(headers)).toMatchObject({ limit: 2_147_483_647, remaining: 2_147_483_647 });
    expect(numbers(headers).reset).toBeGreaterThan(Date.now() / 1000);
    expect(asked).toEqual([]);
  });

  it.each([{ 'x-api-key': 'wrong' }, { authorization: 'Bearer wrong' }, { 'x-api-key': `${KEYS[0].key}x` }])(
    'that are wrong get 403, counted for the client: %o',
    async headers => {
      const { app } = await createApiServer({ keys: KEYS });
      const response = await app.inject({ url: POST, headers });
      expect(response.statusCode).toBe(403);
      expect(response.json().error.code).toBe('forbidden');
      expect(numbers(response.headers)).toMatchObject({ limit: 1000, remaining: 999 });
      expect(numbers((await app.inject(POST)).headers).remaining).toBe(998);
    },
  );

  it('are not looked for in other kinds of authorization', async () => {
    const { app } = await createApiServer({ keys: KEYS });
    const headers = { authorization: 'Basic d3Jvbmc6d3Jvbmc=' };
    expect((await app.inject({ url: POST, headers })).statusCode).toBe(200);
  });
});

describe('CORS', () => {
  it('answers preflights for any site', async () => {
    const { app } = await createApiServer();
    const response = await app.inject({
      method: 'OPTIONS',
      url: '/api/igdownload',
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'GET',
        // Many programs say of a request without a body, too, of what type it is.
        'access-control-request-headers': 'content-type,x-api-key',
      },
    });
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({ 'access-control-allow-origin': '*', 'access-control-max-age': '86400' });
    expect(response.headers['access-control-allow-headers']).toBe('content-type,x-api-key');
    expect(response.headers['access-control-allow-methods']).toContain('GET');
    expect(response.headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('shows browsers the limit headers, the tag and the name of a file', async () => {
    const { app } = await createApiServer();
    const { headers } = await app.inject(POST);
    expect(headers['access-control-allow-origin']).toBe('*');
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'Retry-After',
        'Content-Disposition',
        'ETag',
      ]),
    );
  });

  it('stays below /api', async () => {
    const { app } = await createApiServer();
    expect((await app.inject('/healthz')).headers['access-control-allow-origin']).toBeUndefined();
  });
});
