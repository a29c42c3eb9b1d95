import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseClip } from '../../../src/bot/commands/download.ts';
import { AppError } from '../../../src/errors.ts';
import { momentText } from '../../../src/media/files/clip.ts';

const hintOf = (text: string) => {
  try {
    parseClip(text);
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error.params.hint : error;
  }
};

describe('a clip', () => {
  it.each([
    ['0:05-0:20', 5_000, 20_000],
    ['5-20', 5_000, 20_000],
    ['1:02:03-1:02:10.5', 3_723_000, 3_730_500],
    ['0:05–0:20', 5_000, 20_000],
    ['0:05.25 .. 0:06', 5_250, 6_000],
  ])('%s is from %d to %d ms', (text, startMs, endMs) => {
    expect(parseClip(text)).toEqual({ startMs, endMs });
  });

  it.each([
    ['', 'clipForm'],
    ['0:05', 'clipForm'],
    ['a-b', 'clipForm'],
    ['0:75-2:00', 'clipForm'],
    ['1:75:00-2:00:00', 'clipForm'],
    ['-5-20', 'clipForm'],
    ['0:20-0:05', 'clipOrder'],
    ['5-5', 'clipOrder'],
    ['0:00-5:01', 'clipLong'],
    ['0:05-0:20; rm -rf /', 'clipForm'],
  ])('%s is hinted at: %s', (text, hint) => {
    expect(hintOf(text)).toBe(hint);
  });

  it('is a range or a hint, whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9:.–-]{0,20}$/)), text => {
        const hint = hintOf(text);
        if (hint !== undefined) {
          expect(String(hint)).toMatch(/^clip/);
          return;
        }
        const { startMs, endMs } = parseClip(text);
        expect(endMs).toBeGreaterThan(startMs);
        expect(Number.isSafeInteger(startMs) && Number.isSafeInteger(endMs)).toBe(true);
      }),
    );
  });

  it('is said as a player shows it', () => {
    expect([0, 5_000, 65_300, 3_723_000].map(momentText)).toEqual(['0:00', '0:05', '1:05.3', '1:02:03']);
  });
});
