import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import { byteRange } from '../files/tunnel-range.ts';
import { PLAYLIST_MIME, type Post } from '../post.ts';
import { renewedTracks, type TrackAddresses } from './tunnel-renewal.ts';
import {
  noSuchFile,
  type RefreshPost,
  type RelayedFile,
  type TrackPair,
  type TunnelFile,
  type TunnelRequest,
} from './tunnel-token.ts';

/** A file on the disk. It stays there until it is released. */
export interface DiskFile {
  readonly path: string;
  readonly bytes: number;
  /** Releases the file. Safe to call twice; never throws. */
  release(): void;
}

export interface MuxOrder {
  readonly post: Pick<Post, 'source' | 'id'>;
  readonly index: number;
  readonly tracks: TrackAddresses;
}

/**
 * Makes one MP4 of two tracks on the disk. Requests for the same file share the work.
 * @throws AppError `not_found` when an address has expired, `too_large`, `timeout`, `upstream_unavailable`, `internal`;
 * the signal's reason when it aborts
 */
export type MuxTracks = (order: MuxOrder, signal: AbortSignal) => Promise<DiskFile>;

/** A file of the tunnel that has to be made of two tracks. */
export type MuxedFile = TunnelFile & { readonly tracks: TrackPair };

export function createMuxedRelay(muxTracks: MuxTracks, find: RefreshPost, refresh: RefreshPost) {
  // A player makes many range requests. Later ones reuse the tracks that the first one looked up, by video address.
  const known = createLru<string, TrackAddresses>({ max: 500, ttl: 30 * 60_000 });

  async function mux(file: MuxedFile, signal: AbortSignal): Promise<DiskFile> {
    const { post, index = 0, hasHeaders, tracks } = file;
    const { video } = tracks;
    if (post === undefined) throw noSuchFile('tracks that belong to no post');
    const lookUp = async (ask: RefreshPost) => {
      const found = renewedTracks(await ask(post, signal), { ...file, index });
      if (found === undefined) throw noSuchFile('the post has no such tracks any more');
      return found;
    };
    const own = known.get(video) ?? (hasHeaders ? await lookUp(find) : addressesOf(tracks));
    if (hasHeaders) known.set(video, own);
    try {
      return await muxTracks({ post, index, tracks: own }, signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      known.delete(video);
      const fresh = await lookUp(refresh);
      const disk = await muxTracks({ post, index, tracks: fresh }, signal);
      known.set(video, fresh);
      return disk;
    }
  }

  /**
   * Answers with the muxed file, if it is ready within `waitMs`; else it throws `timeout`.
   * @throws AppError as `MuxTracks`, and whatever `refresh` throws
   */
  return async (file: MuxedFile, request: TunnelRequest, waitMs: number): Promise<RelayedFile> => {
    const patience = AbortSignal.timeout(waitMs);
    try {
      const disk = await mux(file, AbortSignal.any([request.signal, patience]));
      return await diskResponse(disk, file.mime, request);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!patience.aborted || error instanceof AppError) throw error;
      throw new AppError('timeout', `two tracks did not come within ${waitMs} ms`, { cause: error });
    }
  };
}

function addressesOf({ video, audio, inPieces = false }: TrackPair): TrackAddresses {
  const mimeOf = (kind: string) => (inPieces ? PLAYLIST_MIME : `${kind}/mp4`);
  return {
    video: { url: video, mime: mimeOf('video') },
    ...(audio !== undefined && { audio: { url: audio, mime: mimeOf('audio') } }),
  };
}

/** Answers with a file on the disk, whole or in part. The file is released when the answer was read or aborted. */
async function diskResponse(
  disk: DiskFile,
  mime: string,
  { method, range, ifRange, signal }: TunnelRequest,
): Promise<RelayedFile> {
  let isRead = false;
  try {
    const { path, bytes } = disk;
    const { mtimeMs, mtime } = await stat(path);
    // The ETag contains the file's time, because a file that is made again may have other bytes.
    const etag = `"${bytes.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
    const part = ifRange === undefined || ifRange === etag ? byteRange(range, bytes) : undefined;
    if (part === 'unsatisfiable')
      return { status: 416, headers: { 'content-range': `bytes */${bytes}` }, body: undefined };
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
    if (method === 'HEAD') return { status, headers, body: undefined };
    const body = createReadStream(path, { start: first, end: last, signal });
    body.once('close', () => disk.release());
    isRead = true;
    return { status, headers, body };
  } finally {
    if (!isRead) disk.release();
  }
}
