import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGuardedLookup, isPublicAddress, type ResolveHost } from '../../../src/infra/http/address-guard.ts';
import { PRIVATE_ADDRESSES, PUBLIC_ADDRESSES } from './ip-addresses.ts';

describe('isPublicAddress', () => {
  it.each(['1::2%-', '::%lo.1', '2001:db8::1%-', '2606:4700::1111%a.b'])(
    'refuses %s, of which readers differ',
    address => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it('never throws', () => {
    const zoned = fc.tuple(fc.ipV6(), fc.string()).map(([address, zone]) => `${address}%${zone}`);
    const named = fc
      .tuple(fc.ipV6(), fc.stringMatching(/^[\w.~-]{0,8}$/))
      .map(([address, zone]) => `${address}%${zone}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), zoned, named), text => {
        expect(typeof isPublicAddress(text)).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it.each(PRIVATE_ADDRESSES)('refuses %s', address => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(PUBLIC_ADDRESSES)('accepts %s', address => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each(['', 'example.com', '1.2.3', '256.1.1.1', '1.2.3.4.5', '::g', '8.8.8.8%eth0', '127.0.0.1 '])(
    'refuses what is no address: %j',
    text => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );

  it('sees a private IPv4 address through every way of carrying it in IPv6', () => {
    const byte = fc.nat(255);
    const privateIpv4 = fc.oneof(
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.constant(0), byte, byte, byte),
      fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
    );
    fc.assert(
      fc.property(privateIpv4, ([a, b, c, d]) => {
        const dotted = `${a}.${b}.${c}.${d}`;
        const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        const spellings = [
          dotted,
          `::ffff:${dotted}`,
          `::ffff:${groups}`,
          `::${groups}`,
          `::ffff:0:${groups}`,
          `64:ff9b::${groups}`,
          `64:ff9b:1::${groups}`,
          `2002:${groups}::1`,
          `2001:0:${groups}::1`,
        ];
        for (const spelling of spellings) expect(isPublicAddress(spelling), spelling).toBe(false);
      }),
    );
  });
});

describe('createGuardedLookup', () => {
  const outside: LookupAddress = { address: '8.8.8.8', family: 4 };
  const outside6: LookupAddress = { address: '2a00:1450:4001::1', family: 6 };
  const inside: LookupAddress = { address: '10.0.0.7', family: 4 };

  it('hands out exactly the addresses it checked, all or the first, of the family asked for', async () => {
    const lookup = createGuardedLookup(async () => [outside, outside6]);
    expect(await ask(lookup, { all: true })).toEqual([outside, outside6]);
    expect(await ask(lookup, {})).toEqual(['8.8.8.8', 4]);
    expect(await ask(lookup, { family: 6 })).toEqual(['2a00:1450:4001::1', 6]);
  });

  it('refuses a name when any of its addresses is not public', async () => {
    const lookup = createGuardedLookup(async () => [outside, inside]);
    await expect(ask(lookup, { all: true })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ask(lookup, {})).rejects.toMatchObject({ code: 'forbidden' });
    await expect(ask(lookup, { family: 6 })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('asks once for each connection, so a name that changes is judged anew and never between check and connect', async () => {
    const answers = [[outside], [inside]];
    let asked = 0;
    const resolve: ResolveHost = async () => answers[asked++] ?? [];
    const lookup = createGuardedLookup(resolve);
    expect(await ask(lookup, { all: true })).toEqual([outside]);
    expect(asked).toBe(1);
    await expect(ask(lookup, { all: true })).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toBe(2);
  });

  it('passes on that a name is unknown, or has no address', async () => {
    const unknown = Object.assign(new Error('unknown host'), { code: 'ENOTFOUND' });
    await expect(
      ask(
        createGuardedLookup(() => Promise.reject(unknown)),
        {},
      ),
    ).rejects.toBe(unknown);
    await expect(
      ask(
        createGuardedLookup(async () => []),
        {},
      ),
    ).rejects.toThrow('has no address');
  });
});

function ask(lookup: LookupFunction, options: { all?: boolean; family?: number }): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup('host.test', options, (error, address, family) => {
      if (error) reject(error);
      else resolve(family === undefined ? address : [address, family]);
    });
  });
}
