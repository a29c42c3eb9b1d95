import { AppError } from '../../errors.ts';
import { createLru } from '../../infra/cache/create-lru.ts';
import type { Post } from '../post.ts';
import { type DiskFile, diskResponse } from './disk-response.ts';
import { noSuchFile, type RefreshPost, type TunnelRequest, type TunnelResponse } from './tunnel-exchange.ts';
import type { TrackPair, TunnelFile } from './tunnel-file.ts';
import { renewedTracks } from './tunnel-renewal.ts';

export interface MuxOrder {
  readonly post: Pick<Post, 'source' | 'id'>;
  /** Place of the item in the post. */
  readonly index: number;
  readonly tracks: TrackPair;
}

/**
 * Two tracks as one MP4 on the disk; those who want the same one share it.
 * @throws AppError `not_found` when an address has run out, `too_large`, `timeout`, `upstream_unavailable`, `internal`; the signal's
 *   reason when it aborts
 */
export type MuxTracks = (order: MuxOrder, signal: AbortSignal) => Promise<DiskFile>;

/** A file of two tracks. */
export type MuxedFile = TunnelFile & { readonly tracks: TrackPair };

/** Gives what comes of a file's tracks, within `waitMs`. @throws AppError as `MuxTracks`, and what `refresh` throws */
export type MuxedRelay = (file: MuxedFile, request: TunnelRequest, waitMs: number) => Promise<TunnelResponse>;

export interface MuxedRelayOptions {
  readonly muxTracks: MuxTracks;
  readonly refresh: RefreshPost;
}

export function createMuxedRelay({ muxTracks, refresh }: MuxedRelayOptions): MuxedRelay {
  // A player asks for many ranges of one file: only the first of them pays for an expired address.
  const renewed = createLru<string, TrackPair>({ max: 500, ttl: 30 * 60_000 });

  async function mux({ post, index = 0, tracks, ...file }: MuxedFile, signal: AbortSignal): Promise<DiskFile> {
    if (post === undefined) throw noSuchFile('tracks that belong to no post');
    try {
      return await muxTracks({ post, index, tracks: renewed.get(tracks.video) ?? tracks }, signal);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      renewed.delete(tracks.video);
      const current = renewedTracks(await refresh(post, signal), { ...file, index, tracks });
      if (current === undefined) throw noSuchFile('the post has no such tracks any more', error);
      const disk = await muxTracks({ post, index, tracks: current }, signal);
      renewed.set(tracks.video, current);
      return disk;
    }
  }

  return async (file, request, waitMs) => {
    const patience = AbortSignal.timeout(waitMs);
    try {
      const disk = await mux(file, AbortSignal.any([request.signal, patience]));
      return await diskResponse(disk, file, request);
    } catch (error) {
      request.signal.throwIfAborted();
      if (!patience.aborted || error instanceof AppError) throw error;
      throw new AppError('timeout', `two tracks did not come within ${waitMs} ms`, { cause: error });
    }
  };
}
