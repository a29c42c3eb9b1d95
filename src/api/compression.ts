/** Answers that are compressed once for all who ask for them; what flows or is larger is compressed as it is sent (api.ts). */
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Smaller answers fit one packet anyhow. */
export const MIN_COMPRESSED_BYTES = 1_400;
/** Up to so many it takes a fraction of a millisecond. */
const MAX_AT_ONCE_BYTES = 32 * 1024;
/** Brotli's usual quality takes longer than all else about an answer together. */
export const BROTLI_PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 4 };
/** The window as large as what is compressed: else the compressor takes megabytes each time. */
const WINDOW_BITS = 16;

function compress(body: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'gzip') return gzipSync(body);
  return brotliCompressSync(body, {
    params: {
      ...BROTLI_PARAMS,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  });
}

export type Compressed = (encoding: Encoding) => Buffer;

/** The body in an encoding, made when first asked for; undefined where it is not to be compressed at once. */
export function createCompressed(body: Buffer): Compressed | undefined {
  if (body.length < MIN_COMPRESSED_BYTES || body.length > MAX_AT_ONCE_BYTES) return undefined;
  const made: Partial<Record<Encoding, Buffer>> = {};
  return encoding => {
    made[encoding] ??= compress(body, encoding);
    return made[encoding];
  };
}

/** The best encoding that an `Accept-Encoding` names by itself; undefined for none. */
export function acceptedEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const named = header
    .toLowerCase()
    .split(',', 20)
    .filter(part => !/;\s*q=0(?:\.0*)?\s*$/.test(part))
    .map(part => part.split(';', 1)[0]?.trim());
  return ENCODINGS.find(encoding => named.includes(encoding));
}
