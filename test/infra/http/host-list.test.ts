import { describe, expect, it } from 'vitest';
import { createOverrides } from '../../../src/infra/http/host-list.ts';

describe('overrides', () => {
  const overrides = createOverrides([
    { host: '*.a.test', origin: 'http://127.0.0.1:9002' },
    { host: 'www.a.test', origin: 'http://127.0.0.1:9001' },
    { host: '*.deep.a.test', origin: 'https://relay.test' },
    { host: 'b.test', origin: 'http://[::1]:7' },
  ]);

  it.each([
    ['www.a.test', 'http://127.0.0.1:9001'],
    ['x.a.test', 'http://127.0.0.1:9002'],
    ['y.x.a.test', 'http://127.0.0.1:9002'],
    ['x.deep.a.test', 'https://relay.test'],
    ['deep.a.test', 'http://127.0.0.1:9002'],
    ['b.test', 'http://[::1]:7'],
  ])('send %s to %s', (host, origin) => {
    expect(overrides.find(host)).toBe(origin);
  });

  it.each(['a.test', 'xa.test', 'www.a.test.evil.test', 'www.b.test', '', '.a.test', '.a.test.'])(
    'leave %j alone',
    host => {
      expect(overrides.find(host)).toBeUndefined();
    },
  );

  it('are none when none are given', () => {
    expect(createOverrides([]).find('a.test')).toBeUndefined();
  });
});
