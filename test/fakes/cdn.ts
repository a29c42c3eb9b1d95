import { createCipheriv, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A file on a make-believe CDN, with ranges and validators; what it held can be checked by its bytes. */
export function fileOf(bytes: number, seed = 'reef'): Buffer {
  const key = createHash('sha256').update(seed).digest();
  return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
}

const SPECK = readFileSync(new URL('../fixtures/media/speck.mp4', import.meta.url));
const BOX_HEADER_BYTES = 8;

/** Pixels and milliseconds of every `filmOf`. */
export const FILM = { width: 36, height: 64, durationMs: 400 } as const;

/** A film that plays, of so many bytes (at least 4,000); what it holds can be told by its seed. */
export function filmOf(bytes: number, seed = 'reef'): Buffer {
  const free = Buffer.alloc(BOX_HEADER_BYTES);
  free.writeUInt32BE(bytes - SPECK.length, 0);
  free.write('free', 4, 'latin1');
  return Buffer.concat([SPECK, free, fileOf(bytes - SPECK.length - BOX_HEADER_BYTES, seed)]);
}

export const ETAG = '"f1le"';
const MODIFIED = 'Tue, 03 Mar 2026 10:00:00 GMT';

/** Answers as a CDN does: one range, If-Range, HEAD, 416. */
export function serveFile(request: IncomingMessage, response: ServerResponse, file: Buffer, type = 'video/mp4'): void {
  const validators = { etag: ETAG, 'last-modified': MODIFIED, 'accept-ranges': 'bytes', 'content-type': type };
  const ifRange = request.headers['if-range'];
  const wanted = ifRange === undefined || ifRange === ETAG ? request.headers.range : undefined;
  const range = wanted === undefined ? undefined : parseRange(wanted, file.length);
  if (range === 'unsatisfiable') {
    response
      .writeHead(416, { 'content-range': `bytes */${file.length}`, 'content-type': 'text/html' })
      .end('<h1>no</h1>');
    return;
  }
  const [start, end] = range ?? [0, file.length - 1];
  response.writeHead(range === undefined ? 200 : 206, {
    ...validators,
    'content-length': end - start + 1,
    ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${file.length}` }),
  });
  if (request.method === 'HEAD') response.end();
  else response.end(file.subarray(start, end + 1));
}

function parseRange(header: string, size: number): [number, number] | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header);
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  const start = first === '' ? size - Number(last) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start >= size || start > end ? 'unsatisfiable' : [Math.max(0, start), end];
}
