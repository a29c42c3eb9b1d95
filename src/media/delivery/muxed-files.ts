import { AppError } from '../../errors.ts';
import { createSemaphore } from '../../infra/concurrency/running-work.ts';
import { muxKey, variantKey } from '../files/variant-ranking.ts';
import type { MuxTracks } from '../tunnel/muxed-relay.ts';
import { MAX_MUX_BYTES } from '../tunnel/player-file.ts';
import type { DownloadOptions } from './download.ts';
import type { FileFailure, FileStoreOptions } from './file-store.ts';
import { createMediaFiles, fileKey } from './media-files.ts';

export interface MuxedFilesOptions extends DownloadOptions, Pick<FileStoreOptions, 'tempDir' | 'keptBytes' | 'log'> {
  /** The most bytes of all files that are being made or read. Default 1 GiB. */
  readonly maxBytes?: number;
  /**
   * How long one file is kept for the next request if `keptBytes` is too small for it: players request a file in many
   * parts. Milliseconds, default 30 000.
   */
  readonly lingerMs?: number;
  /** The largest size of each track, and also of the muxed file. Default `MAX_MUX_BYTES`. */
  readonly maxFileBytes?: number;
}

const DEFAULT_BYTES = 1024 * 1024 * 1024;
/** How many files are made at once, including the fetching of their tracks. */
const AT_ONCE = 8;
const MAX_WAITING = 64;

/** Muxed video and audio for clients that stream them. The files are stored apart from those for chats. */
export function createMuxedFiles(options: MuxedFilesOptions) {
  const { log, keptBytes, maxBytes = DEFAULT_BYTES, maxFileBytes = MAX_MUX_BYTES, lingerMs = 30_000 } = options;
  const files = createMediaFiles({
    ...options,
    maxBytes,
    keptBytes: Math.max(keptBytes, maxFileBytes),
    ...(keptBytes < maxFileBytes && { keptMs: lingerMs }),
    // The fetched tracks are not needed once they are in one file.
    keepsFetched: false,
    enter: createSemaphore({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, name: 'putting two tracks together' }),
  });

  const muxTracks: MuxTracks = async ({ post, index, tracks }, signal) => {
    const parts = [tracks.video, ...(tracks.audio === undefined ? [] : [tracks.audio])].map(track => ({
      ...track,
      key: variantKey({ url: track.url, width: null, height: null }),
    }));
    const shared = { source: post.source, maxBytes: maxFileBytes, expectedBytes: null };
    const order = {
      key: fileKey(post, index, muxKey(parts.map(({ key }) => key))),
      maxBytes: maxFileBytes,
      inputs: parts.map(({ key, ...file }) => (own: AbortSignal) => {
        return files.fetch({ ...file, ...shared, key: fileKey(post, index, key) }, own);
      }),
    };
    const outcome = await files.mux(order, signal);
    if (outcome.status !== 'done') throw failureOf(outcome);
    const { path, bytes } = outcome;
    const release = () =>
      void outcome.dispose().catch(error => log.error({ err: error }, 'a file could not be removed'));
    return { path, bytes, release };
  };

  return {
    muxTracks,
    /** Ends running work and removes every file, even those still being read. */
    close: files.close,
  };
}

function failureOf(failure: FileFailure): AppError {
  if (failure.status === 'too_large') return new AppError('too_large', 'the tracks are too large to be put together');
  const { status, cause } = failure;
  if (status === 'expired')
    return new AppError('not_found', 'a track’s address has run out', { params: { what: 'file' }, cause });
  if (status !== 'disk' && cause instanceof AppError) return cause;
  const code = status === 'timeout' ? 'timeout' : status === 'unavailable' ? 'upstream_unavailable' : 'internal';
  return new AppError(code, 'two tracks could not be put together', { cause });
}
