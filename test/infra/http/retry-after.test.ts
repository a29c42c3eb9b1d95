import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/infra/http/retry-after.ts';
import { anyText } from '../../any-text.ts';

const now = Date.UTC(2026, 7, 3, 12, 0, 0);

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['Mon, 03 Aug 2026 12:00:30 GMT', 30_000],
    ['Monday, 03-Aug-26 12:00:30 GMT', 30_000],
    ['Mon, 03 Aug 2026 11:00:00 GMT', 0],
  ])('reads %j as %d ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  it.each([
    undefined,
    '',
    '-1',
    '1e9',
    'soon',
    '99999999999999',
    'Mon, 99 Foo 2026 12:00:30 GMT',
    '2026-08-03',
    '0x10',
  ])('makes nothing of %j', header => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  });

  it('gives undefined or a finite wait for any text', () => {
    fc.assert(
      fc.property(anyText(), text => {
        const waitMs = parseRetryAfter(text, now);
        expect(waitMs === undefined || (Number.isFinite(waitMs) && waitMs >= 0)).toBe(true);
      }),
    );
  });
});
