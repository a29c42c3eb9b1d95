import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mediaIdOfCode, publishTimeOf, shortcodeOf, splitCode } from '../../../../src/media/sources/kit/link-match.ts';

describe('shortcodes and media ids', () => {
  it.each([
    ['DXeh-kYiIge', '3881689364048676894'],
    ['Chunk8-jurw', '2913440072144448240'],
    ['aye83DjauH', '482584233761418119'],
  ])('%s is %s', (code, id) => {
    expect(mediaIdOfCode(code)).toBe(id);
    expect(shortcodeOf(id)).toBe(code);
  });

  it('go both ways for every 64-bit id', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), id => {
        const code = shortcodeOf(id.toString());
        expect(code).toMatch(/^[\w-]{1,11}$/);
        expect(mediaIdOfCode(code ?? '')).toBe(id.toString());
      }),
    );
  });

  it('are null for what is neither', () => {
    for (const text of ['', 'a b', 'ünder', 'A'.repeat(12), 'a/b']) expect(mediaIdOfCode(text)).toBeNull();
    for (const text of ['', '-1', '1.5', 'x', '9'.repeat(21)]) expect(shortcodeOf(text)).toBeNull();
  });
});

describe('splitCode', () => {
  it('takes the 28 characters of a private link off', () => {
    expect(splitCode('C5_A1TQNPrYw4c2g9KAUTPUl8RVHqiAdAcOOSY0')).toEqual({ code: 'C5_A1TQNPrY', isPrivate: true });
    expect(splitCode(`-Cmh1cukG2${'x'.repeat(28)}`)).toEqual({ code: '-Cmh1cukG2', isPrivate: true });
  });

  it('leaves public codes alone', () => {
    expect(splitCode('Chunk8-jurw')).toEqual({ code: 'Chunk8-jurw', isPrivate: false });
  });
});

describe('publishTimeOf', () => {
  it('reads the time in an id', () => {
    const ms = Date.UTC(2026, 3, 24, 3, 6, 40);
    const id = (BigInt(ms) - 1_314_220_021_721n) << 23n;
    expect(publishTimeOf(id.toString())).toBe(ms);
  });

  it('is null for ids without one', () => {
    for (const id of ['', '0', '12345', 'x']) expect(publishTimeOf(id)).toBeNull();
  });
});
