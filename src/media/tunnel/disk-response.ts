import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { byteRange } from '../files/tunnel-range.ts';
import type { TunnelRequest, TunnelResponse } from './tunnel-exchange.ts';
import type { TunnelFile } from './tunnel-file.ts';

/** A file on the disk that stays until it is released. */
export interface DiskFile {
  readonly path: string;
  readonly bytes: number;
  /** Safe to call twice; never throws. */
  release(): void;
}

/** Answers from a file on the disk, whole or in parts, and releases it when the answer has been read or given up. */
export async function diskResponse(
  disk: DiskFile,
  { mime, fileName, expiresAt }: Pick<TunnelFile, 'mime' | 'fileName' | 'expiresAt'>,
  { method, range, ifRange, signal }: TunnelRequest,
): Promise<TunnelResponse> {
  let isRead = false;
  try {
    const { path, bytes } = disk;
    const { mtimeMs, mtime } = await stat(path);
    // Made again, it may differ in a byte.
    const etag = `"${bytes.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
    const part = ifRange === undefined || ifRange === etag ? byteRange(range, bytes) : undefined;
    const named = { fileName, expiresAt };
    if (part === 'unsatisfiable')
      return { status: 416, headers: { 'content-range': `bytes */${bytes}` }, body: undefined, ...named };
    const { first, last } = part ?? { first: 0, last: bytes - 1 };
    const headers = {
      'content-type': mime,
      'content-length': String(last - first + 1),
      'accept-ranges': 'bytes',
      etag,
      'last-modified': mtime.toUTCString(),
      ...(part === undefined ? {} : { 'content-range': `bytes ${first}-${last}/${bytes}` }),
    };
    const status = part === undefined ? 200 : 206;
    if (method === 'HEAD') return { status, headers, body: undefined, ...named };
    const body = createReadStream(path, { start: first, end: last, signal });
    body.once('close', () => disk.release());
    isRead = true;
    return { status, headers, body, ...named };
  } finally {
    if (!isRead) disk.release();
  }
}
