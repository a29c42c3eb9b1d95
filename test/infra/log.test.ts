import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createLogger, type LogLevel } from '../../src/infra/log.ts';

function createProbe(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = createLogger({ level, destination: { write: line => void lines.push(line) } });
  return {
    log,
    text: () => lines.join(''),
    last: (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}'),
    count: () => lines.length,
  };
}

const TELEGRAM = '123456789:AAFakeFakeFakeFakeFakeFakeFakeFake';
const DISCORD = 'MTAwMDAwMDAwMDAwMDAwMDAw.GfaKe1.fakefakefakefakefakefakefakefakefakefa';
const MEDIA = 'Q0zFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFake';

describe('createLogger', () => {
  it('writes one JSON line with a level word, a time and the message', () => {
    const { log, last, text } = createProbe();
    log.info({ source: 'instagram', ms: 12 }, 'post extracted');
    expect(last()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      source: 'instagram',
      ms: 12,
      msg: 'post extracted',
    });
    expect(text().split('\n')).toHaveLength(2);
  });

  it('leaves out what is below the level', () => {
    const { log, count } = createProbe('warn');
    log.debug({}, 'no');
    log.info({}, 'no');
    log.warn({}, 'yes');
    log.error({}, 'yes');
    expect(count()).toBe(2);
  });

  it('keeps the bindings of a child, cleaned, and of its child', () => {
    const { log, last } = createProbe();
    log.child({ room: 'media', token: 'abc' }).child({ strategy: 'embed' }).warn({}, 'fell through');
    expect(last()).toMatchObject({ room: 'media', token: '[redacted]', strategy: 'embed' });
  });

  it('writes an AppError with its code, params and causes', () => {
    const { log, last } = createProbe();
    const cause = new TypeError('socket closed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    log.error(new AppError('upstream_unavailable', 'no answer', { cause, params: { source: 'facebook' } }), 'failed');
    expect(last()).toMatchObject({
      msg: 'failed',
      err: {
        type: 'AppError',
        code: 'upstream_unavailable',
        message: 'no answer',
        params: { source: 'facebook' },
        stack: expect.stringContaining('log.test.ts'),
        cause: { type: 'TypeError', message: 'socket closed', cause: { code: 'ECONNRESET', message: 'reset' } },
      },
    });
  });

  it('writes every part of an aggregate', () => {
    const { log, last } = createProbe();
    const failures = [new AppError('timeout', 'first'), new AppError('not_found', 'second')];
    log.warn({ err: new AggregateError(failures, 'all failed') }, 'x');
    expect(last()).toMatchObject({ err: { errors: [{ code: 'timeout' }, { code: 'not_found' }] } });
  });

  it('writes the parts of an aggregate shortly, but for a mistake of ours', () => {
    const { log, text, last } = createProbe();
    const answer = new AppError('timeout', 'no answer', { cause: new AppError('timeout', 'below', { cause: {} }) });
    log.warn({ err: new AggregateError(Array(12).fill(answer), 'all failed') }, 'x');
    expect(text().length).toBeLessThan(3_000);
    const mistake = new AppError('upstream_changed', 'odd', { cause: new TypeError('x is undefined') });
    log.warn({ err: new AggregateError([answer, mistake], 'all failed') }, 'x');
    expect(last()).toMatchObject({
      err: { errors: [{ code: 'timeout' }, { cause: { stack: expect.stringContaining('log.test.ts') } }] },
    });
  });

  it('writes a failed extraction in less than 1 KB, with each cause once, where nobody asks for stacks', () => {
    const { log, text, last } = createProbe('info');
    const parts = ['page', 'embed', 'graphql'].map(name => {
      const cause = new AppError('timeout', 'no answer within 5000 ms', { cause: new Error('socket '.repeat(100)) });
      return new AppError('timeout', `${name}: no answer within 5000 ms`, { cause });
    });
    const cause = new AggregateError([...parts, ...parts], 'six strategies failed');
    log.error({ err: new AppError('timeout', 'every strategy failed', { cause }), code: 'timeout' }, 'request failed');
    expect(text().length).toBeLessThan(1_000);
    expect(text()).not.toContain('    at ');
    const { err } = last();
    expect(err).toMatchObject({ type: 'AppError', code: 'timeout', message: 'every strategy failed' });
    expect(err).toHaveProperty('causes', [
      expect.stringMatching(/^2x timeout: page: no answer/),
      expect.stringMatching(/^6x Error: socket /),
      expect.stringMatching(/^2x timeout: embed: no answer/),
      expect.stringMatching(/^2x timeout: graphql: no answer/),
    ]);
  });

  it('keeps short even what has twenty long causes, and takes secrets out of them', () => {
    const { log, text } = createProbe('info');
    const parts = Array.from({ length: 30 }, (_, i) => new AppError('upstream_changed', `${i} ${'y'.repeat(500)}`));
    log.error(new AppError('upstream_changed', 'z'.repeat(5_000), { cause: new AggregateError(parts) }), 'failed');
    expect(text().length).toBeLessThan(1_024);
    log.warn({ err: new Error('x', { cause: new Error(`at ${TELEGRAM}`) }) }, 'failed');
    expect(text()).toContain('[redacted]');
    expect(text()).not.toContain(TELEGRAM);
  });

  it('says where a mistake of ours happened, at every level', () => {
    const { log, last, text } = createProbe('info');
    const broken = new AppError('upstream_changed', 'odd', { cause: new TypeError('x is undefined') });
    log.warn({ err: new AggregateError([new AppError('timeout', 'late'), broken], 'all failed') }, 'x');
    expect(last()).toMatchObject({ err: { stack: expect.stringContaining('log.test.ts') } });
    expect(text().length).toBeLessThan(1_500);
  });

  it('bounds endless causes, cycles, width, depth and length', () => {
    const { log, text, last } = createProbe();
    const loop: Error & { cause?: unknown } = new Error('loop');
    loop.cause = loop;
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const wide = Array.from({ length: 10_000 }, (_, i) => i);
    log.error({ err: loop, cycle, long: 'x'.repeat(1_000_000), wide }, 'x');
    expect(text().length).toBeLessThan(80_000);
    expect(last()).toMatchObject({ level: 'error', err: { message: 'loop' } });
  });

  it.each([
    ['a Telegram address', `https://api.telegram.org/bot${TELEGRAM}/getMe`, TELEGRAM],
    ['a bare Telegram token', `token is ${TELEGRAM}`, TELEGRAM],
    ['a Discord header', `authorization Bot ${DISCORD}`, DISCORD],
    ['a short Bot header', 'Bot abc.def.ghi refused', 'abc.def.ghi'],
    ['a bare Discord token', `got ${DISCORD}!`, DISCORD],
    ['a bearer', 'Bearer fakefakefakefakefake123', 'fakefakefakefakefake123'],
    [
      'a CDN signature',
      'https://scontent.cdninstagram.com/v/a.mp4?oh=00_AfFakeSignature&oe=66AA',
      '00_AfFakeSignature',
    ],
    ['a signature first', 'https://x.example/?sig=deadbeef&b=1', 'deadbeef'],
    ['a token in a query', 'https://x.example/?a=1&access_token=fake-fake', 'fake-fake'],
    ['a session cookie', 'ds=1; sessionid=111%3Afake; x=2', '111%3Afake'],
    ['a cookie header', 'cookie: mid=fake1; csrftoken=fake2', 'fake1'],
    ['a media token', `GET /media/${MEDIA} 200`, MEDIA],
    ['a viewer token', `https://medley.example/v/${MEDIA}`, MEDIA],
    ['an interaction token', '/interactions/1000/aW50ZXJhY3Rpb246ZmFrZWZha2U/callback', 'aW50ZXJhY3Rpb246ZmFrZWZha2U'],
    ['a Redis password', 'redis://default:fakepass@127.0.0.1:6379', 'fakepass'],
  ])('takes out %s wherever it stands', (_name, text, secret) => {
    const { log, text: written } = createProbe();
    const inner = new Error(`inner ${text}`);
    log.error({ err: new AppError('internal', text, { cause: inner }), url: text, list: [{ deep: text }] }, text);
    log.child({ url: text }).info({ url: text.startsWith('http') ? new URL(text) : text }, 'x');
    expect(written()).not.toContain(secret);
    expect(written()).toContain('[redacted]');
  });

  it.each([
    'authorization',
    'Cookie',
    'set-cookie',
    'x-api-key',
    'botToken',
    'client_secret',
    'password',
    'sig',
    'lsd',
    'mediaKey',
    'REDIS_URL',
  ])('takes out the value of the key %s at any depth', key => {
    const { log, text } = createProbe();
    log.info({ [key]: 'plain', headers: { [key]: ['plain'] }, a: { b: { c: { [key]: { d: 'plain' } } } } }, 'x');
    expect(text()).not.toContain('plain');
  });

  it('leaves harmless things readable', () => {
    const { log, last } = createProbe();
    const details = {
      key: 'instagram:DXeh-kYiIge',
      hasToken: true,
      url: 'https://www.instagram.com/reel/DXeh-kYiIge/?img_index=2&oe=66AA',
      at: new Date(0),
      big: 12n,
      bytes: new Uint8Array(3),
      nothing: null,
    };
    log.info(details, 'Bot connected, 3 tokens left at 12:30:00');
    expect(last()).toMatchObject({
      ...details,
      at: '1970-01-01T00:00:00.000Z',
      big: '12',
      bytes: '[3 bytes]',
      msg: 'Bot connected, 3 tokens left at 12:30:00',
    });
  });

  it('never throws and always writes a line of JSON, whatever it is given', () => {
    const { log, last } = createProbe();
    fc.assert(
      fc.property(
        fc.object({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
        fc.string(),
        (value, text) => {
          log.info(value, text);
          expect(last()).toHaveProperty('msg');
        },
      ),
      { numRuns: 200 },
    );
  });
});
