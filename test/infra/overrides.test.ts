import { describe, expect, it } from 'vitest';
import { parseOverrides } from '../../src/infra/overrides.ts';

describe('parseOverrides', () => {
  const overrides = parseOverrides(
    ' www.a.test=http://127.0.0.1:9001, *.a.test=http://127.0.0.1:9002 ,*.deep.a.test=https://relay.test,B.test=http://[::1]:7/,',
  );

  it.each([
    ['www.a.test', 'http://127.0.0.1:9001'],
    ['x.a.test', 'http://127.0.0.1:9002'],
    ['y.x.a.test', 'http://127.0.0.1:9002'],
    ['x.deep.a.test', 'https://relay.test'],
    ['b.test', 'http://[::1]:7'],
  ])('sends %s to %s', (host, origin) => {
    expect(overrides.find(host)).toBe(origin);
  });

  it.each(['a.test', 'xa.test', 'www.a.test.evil.test', 'www.b.test', '', '.a.test.'])('leaves %j alone', host => {
    expect(overrides.find(host)).toBeUndefined();
  });

  it('reads nothing from an empty text', () => {
    expect(parseOverrides('').find('a.test')).toBeUndefined();
    expect(parseOverrides(' , ').find('a.test')).toBeUndefined();
  });

  it.each([
    ['a.test', /host=origin/],
    ['=http://127.0.0.1:1', /not a host name/],
    ['*=http://127.0.0.1:1', /not a host name/],
    ['a b=http://127.0.0.1:1', /not a host name/],
    ['https://a.test=http://127.0.0.1:1', /not a host name/],
    ['a..test=http://127.0.0.1:1', /not a host name/],
    ['a.test=127.0.0.1:9001', /must point to an origin/],
    ['a.test=ftp://127.0.0.1', /must point to an origin/],
    ['a.test=http://127.0.0.1:1/path', /must point to an origin/],
    ['a.test=http://127.0.0.1:1/?q', /must point to an origin/],
    ['a.test=', /must point to an origin/],
    ['a.test=http://127.0.0.1:1,A.test=http://127.0.0.1:2', /twice/],
  ])('refuses %j', (text, reason) => {
    expect(() => parseOverrides(text)).toThrow(reason);
  });

  it('does not repeat a password in its message', () => {
    expect(() => parseOverrides('a.test=http://ann:s3cret@127.0.0.1:1')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('s3cret') }),
    );
  });
});
