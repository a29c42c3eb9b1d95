import { AppError } from '../../errors.ts';
import { createSemaphore } from '../../infra/concurrency/semaphore.ts';
import type { Logger } from '../../infra/log.ts';
import { muxKey, variantKey } from '../files/variant-choice.ts';
import type { MuxTracks } from '../tunnel/muxed-relay.ts';
import { MAX_MUX_BYTES } from '../tunnel/player-file.ts';
import type { DownloadOptions } from './download.ts';
import type { FileFailure, HeldFile } from './file-store.ts';
import { createMediaFiles } from './media-files.ts';

/** Video and audio tracks put together for those who stream them, apart from what is delivered to chats. */
export interface MuxedFiles {
  readonly muxTracks: MuxTracks;
  /** Ends what runs and removes every file, those still read too. */
  close(): Promise<void>;
}

export interface MuxedFilesOptions extends DownloadOptions {
  /** Made when missing; for these files alone. */
  readonly tempDir: string;
  readonly log: Pick<Logger, 'error'>;
  /** All files that are made or read, together. Default 1 GiB. */
  readonly maxBytes?: number;
  /** All files that are kept for those who ask later, together. */
  readonly keptBytes: number;
  /** A player asks for a file in many parts: where less than one file is kept, one stays this long for the next. Default 30 000. */
  readonly lingerMs?: number;
  /** The most that each track may have, and the file made of two. Default `MAX_MUX_BYTES`. */
  readonly maxFileBytes?: number;
}

const DEFAULT_BYTES = 1024 * 1024 * 1024;
/** Files in the making, their tracks on the way included. */
const AT_ONCE = 8;
const MAX_WAITING = 64;

export function createMuxedFiles(options: MuxedFilesOptions): MuxedFiles {
  const { log, keptBytes, maxBytes = DEFAULT_BYTES, maxFileBytes = MAX_MUX_BYTES, lingerMs = 30_000 } = options;
  const files = createMediaFiles({
    ...options,
    maxBytes,
    keptBytes: Math.max(keptBytes, maxFileBytes),
    ...(keptBytes < maxFileBytes && { keptMs: lingerMs }),
    // The tracks are of no use once they are one file.
    keepsFetched: false,
    enter: createSemaphore({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, name: 'putting two tracks together' }),
  });

  function release(file: HeldFile): void {
    file.dispose().catch(error => log.error({ err: error }, 'a file could not be removed'));
  }

  return {
    async muxTracks({ post, index, tracks }, signal) {
      const { source, id } = post;
      const keyIn = (key: string) => [source, id, index, key].join(' ');
      const parts = [tracks.video, ...(tracks.audio === undefined ? [] : [tracks.audio])].map(track => ({
        ...track,
        key: variantKey({ url: track.url, width: null, height: null }),
      }));
      const order = {
        key: keyIn(muxKey(parts.map(({ key }) => key))),
        maxBytes: maxFileBytes,
        inputs: parts.map(({ key, ...file }) => (own: AbortSignal) => {
          const track = { ...file, key: keyIn(key), source, maxBytes: maxFileBytes, expectedBytes: null };
          return files.fetch(track, own);
        }),
      };
      const outcome = await files.mux(order, signal);
      if (outcome.status !== 'done') throw failureOf(outcome);
      return { path: outcome.path, bytes: outcome.bytes, release: () => release(outcome) };
    },
    close: () => files.close(),
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
