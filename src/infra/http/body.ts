import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { AppError } from '../../errors.ts';
import { OWN_DOING } from './read-failure.ts';

const decoders = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zlib: promisify(inflate),
  raw: promisify(inflateRaw),
};

const MAX_CODINGS = 3;
/** A decompressed page or JSON text is about 8 times as large as the compressed one. */
const GROWTH = 8;
/**
 * The smallest piece to decompress at once. Each is a round trip to another thread, so larger bodies get larger pieces.
 */
const MIN_PIECE_BYTES = 16 * 1024;
const MAX_PIECE_BYTES = 256 * 1024;
const EMPTY = Buffer.alloc(0);

/** Collects chunks in one growing buffer, so that many tiny chunks cost no more than one large chunk. */
export class ByteBuffer {
  #bytes: Buffer = EMPTY;
  length = 0;

  append(chunk: Buffer, expectedLength = 0): void {
    const length = this.length + chunk.length;
    if (this.length === 0) this.#bytes = chunk;
    else if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(length * 2, expectedLength));
      this.#bytes.copy(grown, 0, 0, this.length);
      this.#bytes = grown;
    }
    if (this.length > 0) chunk.copy(this.#bytes, this.length);
    this.length = length;
  }

  take(): Buffer {
    return this.#bytes.length === this.length ? this.#bytes : this.#bytes.subarray(0, this.length);
  }
}

/**
 * Decompresses a body by its `content-encoding` (gzip, br, deflate, several of them), never producing more than
 * `maxBytes`.
 * @throws AppError `too_large`; `upstream_unavailable` when the bytes are damaged or coded otherwise
 */
export async function decodeBody(
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  if (contentEncoding === undefined || bytes.length === 0) return bytes;
  const codings = contentEncoding
    .toLowerCase()
    .split(',', MAX_CODINGS + 1)
    .map(coding => coding.trim());
  if (codings.length > MAX_CODINGS) throw new AppError('upstream_unavailable', 'too many content codings');
  let decoded = bytes;
  for (const coding of codings.reverse()) {
    if (coding !== '' && coding !== 'identity') decoded = await decodeOnce(decoded, coding, maxBytes);
  }
  return decoded;
}

async function decodeOnce(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const decode = findDecoder(coding, bytes);
  if (decode === undefined) throw new AppError('upstream_unavailable', `unknown content coding ${coding.slice(0, 40)}`);
  try {
    // zlib stops as soon as its output passes the bound, so a compression bomb costs no more than that.
    return await decode(bytes, { maxOutputLength: Math.max(1, maxBytes), chunkSize: pieceBytes(bytes.length) });
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new AppError('too_large', `body unpacks to more than ${maxBytes} bytes`, { cause, ...OWN_DOING });
    throw new AppError('upstream_unavailable', `broken ${coding} body`, { cause });
  }
}

function pieceBytes(codedBytes: number): number {
  return Math.min(MAX_PIECE_BYTES, Math.max(MIN_PIECE_BYTES, GROWTH * codedBytes));
}

function findDecoder(coding: string, bytes: Buffer) {
  if (coding === 'gzip' || coding === 'x-gzip') return decoders.gzip;
  if (coding === 'br') return decoders.br;
  if (coding !== 'deflate') return undefined;
  // Some servers send "deflate" in the zlib format, as the RFC says, others without it. The zlib format is recognised
  // by these bits of its first two bytes.
  const isZlib = ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return isZlib ? decoders.zlib : decoders.raw;
}

/** True for the name of a compression. Some file hosts write other words, such as `utf-8`, into `content-encoding`. */
export function isCompressed(contentEncoding = ''): boolean {
  return /\b(?:gzip|br|deflate|zstd|compress)\b/i.test(contentEncoding);
}

/** The bytes as UTF-8 text, without a byte order mark. */
export function decodeText(bytes: Buffer): string {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}

/**
 * Frees the memory of a body that has been read and is not needed any more. The garbage collector does so only when it
 * looks through the whole heap: under load a hundred read bodies wait for that. On Node 20 this does nothing.
 */
export function releaseBody({ buffer, byteLength }: Uint8Array): void {
  // A smaller body may lie in the pool that Node shares among buffers, whose memory must not be freed.
  if (buffer instanceof ArrayBuffer && byteLength > Buffer.poolSize) buffer.transfer?.(0);
}

/** The most bytes of a body that need not wait for its turn to be parsed (see `createBodyTurns`). */
const MAX_HASTY_BYTES = 64 * 1024;
/** While bodies wait for their turn, at most 8 are being read or wait; others are paused in their connections. */
const MOST_HELD = 8;
/**
 * If no body waits for its turn after this time, the bodies being read must be slow, so all paused ones are resumed.
 */
const SLOW_MS = 250;

export type BodyTurns = ReturnType<typeof createBodyTurns>;

/**
 * The line in which large bodies wait to be parsed: one continues per turn of the event loop. Otherwise all bodies that
 * are complete at the same time would be parsed in one turn, and other work would wait. While bodies wait, only a few
 * more are read, so that a busy machine does not fill its memory with them.
 */
export function createBodyTurns() {
  let last = Promise.resolve();
  let waiting = 0;
  const reading = new Set<object>();
  /**
   * Functions that resume paused bodies, oldest first. The timer runs as long as there is any, so that none is
   * forgotten.
   */
  const paused = new Map<object, () => void>();
  let timer: NodeJS.Timeout | undefined;

  function resume(mostHeld: number): void {
    for (const [body, readOn] of paused) {
      if (waiting + reading.size >= mostHeld) break;
      paused.delete(body);
      reading.add(body);
      readOn();
    }
    if (paused.size > 0) startTimer();
  }

  function startTimer(): void {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      resume(waiting === 0 ? Number.POSITIVE_INFINITY : MOST_HELD);
    }, SLOW_MS);
  }

  async function passTurn(before: Promise<void>): Promise<void> {
    await before;
    await nextTurn();
    waiting -= 1;
    resume(MOST_HELD);
  }

  return {
    /** Resolves at the body's turn; undefined for a small body, which need not wait. */
    take(body: Buffer): Promise<void> | undefined {
      if (body.length <= MAX_HASTY_BYTES) return undefined;
      waiting += 1;
      last = passTurn(last);
      return last;
    },
    /**
     * To be called when a part of a body comes; `bytes` is the least size of the whole. False when reading must pause
     * until `readOn` is called, which happens once.
     */
    begin(body: object, bytes: number, readOn: () => void): boolean {
      if (bytes <= MAX_HASTY_BYTES || reading.has(body)) return true;
      if (waiting === 0 || waiting + reading.size < MOST_HELD) {
        reading.add(body);
        return true;
      }
      paused.set(body, readOn);
      startTimer();
      return false;
    },
    /** To be called when the whole body has come, or when its rest will not come. */
    end(body: object): void {
      paused.delete(body);
      reading.delete(body);
    },
  };
}
