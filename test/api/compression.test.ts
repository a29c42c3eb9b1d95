import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { acceptedEncoding, createCompressed } from '../../src/api/send-answer.ts';

describe('an answer', () => {
  it('is the same in every encoding, and compressed once', () => {
    const body = Buffer.from(JSON.stringify({ text: 'clay '.repeat(1_000) }));
    const compressed = createCompressed(body);
    const br = compressed?.('br');
    const gzip = compressed?.('gzip');
    expect(brotliDecompressSync(br ?? '')).toEqual(body);
    expect(gunzipSync(gzip ?? '')).toEqual(body);
    expect(compressed?.('br')).toBe(br);
  });

  it('is left alone when it is small, or so large that it takes a while', () => {
    expect(createCompressed(Buffer.alloc(1_399))).toBeUndefined();
    expect(createCompressed(Buffer.alloc(33 * 1024))).toBeUndefined();
  });
});

describe('what a client accepts', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.8', 'gzip'],
    ['br; q=0.0', undefined],
    ['identity', undefined],
    ['*', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s: %s', (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });
});
