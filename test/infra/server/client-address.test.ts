import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientKey, isLoopback } from '../../../src/infra/server/client-address.ts';

describe('clientKey', () => {
  it('keeps IPv4, and finds it in mapped addresses', () => {
    expect(clientKey('192.0.2.1')).toBe('192.0.2.1');
    expect(clientKey('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(clientKey('::ffff:c000:201')).toBe('192.0.2.1');
  });

  it('is one for every address of a /64, and another for its neighbour', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map(n => n.toString(16));
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 4, maxLength: 4 }),
        fc.array(group, { minLength: 4, maxLength: 4 }),
        (net, host) => {
          const inside = `2001:db8:${net[0]}:${net[1]}`;
          expect(clientKey(`${inside}:${host.join(':')}`)).toBe(clientKey(`${inside}::1`));
          expect(clientKey(`2001:db9:${net[0]}:${net[1]}::1`)).not.toBe(clientKey(`${inside}::1`));
        },
      ),
    );
  });

  it('does not count a port that a proxy forwards', () => {
    expect(clientKey('192.0.2.1:50123')).toBe('192.0.2.1');
    expect(clientKey('[2001:db8:1:2::1]:443')).toBe(clientKey('2001:db8:1:2::1'));
    expect(clientKey('[2001:db8:1:2::1]')).toBe(clientKey('2001:db8:1:2::9'));
  });

  it('lets what is no address stand for itself', () => {
    expect(clientKey('not:an:address')).toBe('not:an:address');
  });
});

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('%s is', ip => expect(isLoopback(ip)).toBe(true));
  it.each(['10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', 'localhost', '', undefined])('%s is not', ip =>
    expect(isLoopback(ip)).toBe(false),
  );
});
