import { open, truncate } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import { hostsBelow } from '../../infra/http/host-list.ts';
import { isGone } from '../files/cdn.ts';
import { MAX_PLAYLIST_BYTES, type Piece, playlistPieces } from '../parse/playlist.ts';
import {
  type Download,
  type DownloadFailure,
  type DownloadOptions,
  type DownloadRequest,
  noSpace,
  PATIENCE,
} from './download.ts';

/** Pieces are MP4, MPEG-TS or AAC. All are requested as this type; joining them shows the real one. */
const PIECE_MIME = 'video/mp4';
const PLAYLIST_MS = 10_000;
const MAX_STREAM_MS = 10 * 60_000;
/** When this share of the playing time is downloaded, the whole size is estimated from its bytes. */
const ENOUGH_PLAYED = 0.1;
/** The download is given up if the estimated size is this many times the limit. */
const FAR_TOO_LARGE = 1.5;

/** Downloads a stream by its playlist: the pieces are written one after another into one file. */
export function createStreamDownload(options: DownloadOptions, download: Download): Download {
  const hosts = hostsBelow(options.mediaHosts);
  const { graceMs, bytesPerSecond } = { ...PATIENCE, ...options.patience };

  async function askPieces(request: DownloadRequest): Promise<readonly Piece[] | DownloadFailure> {
    const { url, source, signal } = request;
    const headers = options.cdnHeaders(source, request);
    const call = { url, hosts, headers, signal, timeoutMs: PLAYLIST_MS, maxBytes: MAX_PLAYLIST_BYTES };
    try {
      const answer = await options.http.request(call);
      if (answer.status === 200) return playlistPieces(answer.text, answer.url);
      const cause = new AppError('upstream_unavailable', `the CDN answers ${answer.status} for a playlist`);
      return { status: isGone(answer.status) ? 'expired' : 'unavailable', cause };
    } catch (cause) {
      signal.throwIfAborted();
      const isLate = cause instanceof AppError && cause.code === 'timeout';
      return { status: isLate ? 'timeout' : 'unavailable', cause };
    }
  }

  /** Fetches the pieces in order. When they need more disk space than expected, more is reserved before the next one. */
  async function fetchPieces(pieces: readonly Piece[], request: DownloadRequest): ReturnType<Download> {
    const { path, maxBytes } = request;
    let { spaceBytes } = request;
    const totalMs = pieces.reduce((sum, { durationMs }) => sum + durationMs, 0);
    const known = pieces.reduce((sum, { range }) => sum + (range?.length ?? Number.NaN), 0);
    if (known > maxBytes) return { status: 'too_large', bytes: known };
    let bytes = 0;
    let playedMs = 0;
    for (const { durationMs, ...address } of pieces) {
      const own = { ...pieceRequest(request, address), maxBytes: maxBytes - bytes, at: bytes };
      let piece = await download({ ...own, spaceBytes: spaceBytes - bytes });
      if (piece.status === 'needs_space') {
        const space = await request.reserve(maxBytes);
        if (space === undefined) return noSpace();
        spaceBytes = space;
        piece = await download({ ...own, spaceBytes: spaceBytes - bytes });
      }
      if (piece.status === 'too_large') return { status: 'too_large', bytes: null };
      if (piece.status !== 'done') return piece;
      bytes += await withoutTag(path, bytes, piece.bytes);
      playedMs += durationMs;
      if (isFarTooLarge(bytes, playedMs / totalMs, maxBytes)) return { status: 'too_large', bytes: null };
    }
    await truncate(path, bytes);
    return { status: 'done', bytes, mime: PIECE_MIME };
  }

  return async request => {
    const { signal, maxBytes } = request;
    const patience = AbortSignal.timeout(
      Math.min(MAX_STREAM_MS, graceMs + Math.ceil((maxBytes / bytesPerSecond) * 1_000)),
    );
    const own = { ...request, signal: AbortSignal.any([signal, patience]) };
    try {
      const pieces = await askPieces(own);
      return 'status' in pieces ? pieces : await fetchPieces(pieces, own);
    } catch (cause) {
      signal.throwIfAborted();
      if (!patience.aborted) throw cause;
      return { status: 'timeout', cause: new AppError('timeout', 'the CDN is too slow', { cause }) };
    }
  };
}

/** @param share the share of the playing time that has these bytes */
function isFarTooLarge(bytes: number, share: number, maxBytes: number): boolean {
  return share > ENOUGH_PLAYED && bytes / share > maxBytes * FAR_TOO_LARGE;
}

/** The request for a piece. The variant's headers are only sent if the piece is on the variant's own host. */
function pieceRequest(
  { headers, ...request }: DownloadRequest,
  { url, range }: Pick<Piece, 'url' | 'range'>,
): DownloadRequest {
  const isOwn = headers !== undefined && new URL(url).host === new URL(request.url).host;
  return { ...request, url, range, mime: PIECE_MIME, ...(isOwn && { headers }) };
}

const TAG_HEAD_BYTES = 10;
/** A larger piece cannot be plain AAC, so no ID3 tag is removed from it. */
const MAX_TAGGED_BYTES = 4 * 1024 * 1024;

/**
 * Removes the ID3 tag at the beginning of a piece of plain AAC: in the joined file it would look like the file's end.
 * @returns the bytes that are left
 */
async function withoutTag(path: string, at: number, bytes: number): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(TAG_HEAD_BYTES);
    await file.read(head, 0, TAG_HEAD_BYTES, at);
    if (head.toString('latin1', 0, 3) !== 'ID3' || bytes > MAX_TAGGED_BYTES) return bytes;
    const size = [6, 7, 8, 9].reduce((sum, index) => sum * 128 + (head.readUInt8(index) & 0x7f), 0) + TAG_HEAD_BYTES;
    const rest = Buffer.alloc(Math.max(0, bytes - size));
    await file.read(rest, 0, rest.length, at + size);
    await file.write(rest, 0, rest.length, at);
    return rest.length;
  } finally {
    await file.close();
  }
}
