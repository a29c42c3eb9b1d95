import { AppError } from '../../errors.ts';
import { probeFile } from '../transcode/probe.ts';
import type { Download, DownloadRequest } from './download.ts';
import type { FileFailure, FileStore, HeldFile, MadeFile, Workplace } from './file-store.ts';

export interface CachedDownloadRequest extends Pick<DownloadRequest, 'source' | 'url' | 'mime' | 'maxBytes'> {
  /** The same for the same file. */
  readonly key: string;
  /** What is known or thought of its size. */
  readonly expectedBytes: number | null;
}

/**
 * Files from the CDN on the disk, and what is in them: one that cannot be played counts as not to be had.
 * Rejects with the signal's reason when it aborts.
 */
export type CachedDownload = (request: CachedDownloadRequest, signal: AbortSignal) => Promise<HeldFile | FileFailure>;

export interface CachedDownloadOptions {
  readonly store: FileStore;
  readonly download: Download;
  /** All files of the store together. */
  readonly totalBytes: number;
  /** Whether files stay for those who ask later. Default true. */
  readonly isKept?: boolean;
}

/** Room for a file of unknown size: few are larger, and for those room is made when the CDN says so. */
const USUAL_BYTES = 32 * 1024 * 1024;
/** So that a few of unknown size do not take it all. */
const UNKNOWN_SHARE = 1 / 16;

export function createCachedDownload(options: CachedDownloadOptions): CachedDownload {
  const { store, download, totalBytes, isKept = true } = options;
  const usual = Math.min(USUAL_BYTES, totalBytes * UNKNOWN_SHARE);

  async function fetchFile(request: CachedDownloadRequest, workplace: Workplace): Promise<MadeFile | FileFailure> {
    const { source, url, mime, expectedBytes } = request;
    const { path, signal } = workplace;
    const maxBytes = Math.min(request.maxBytes, totalBytes);
    for (let wanted = Math.min(expectedBytes ?? usual, maxBytes); ; ) {
      const roomBytes = await workplace.reserve(wanted);
      if (roomBytes === undefined) return { status: 'timeout', cause: diskFull() };
      const outcome = await download({ source, url, mime, path, maxBytes, roomBytes, signal });
      if (outcome.status === 'done') return inspected({ ...outcome, probe: null }, path, signal);
      if (outcome.status !== 'needs_room') return outcome;
      if (outcome.bytes <= wanted) return { status: 'too_large', bytes: outcome.bytes };
      wanted = outcome.bytes;
    }
  }

  return (request, signal) =>
    store.hold(
      { key: request.key, maxBytes: request.maxBytes, isKept, make: workplace => fetchFile(request, workplace) },
      signal,
    );
}

/** What waited for room as long as a person would. */
export function diskFull(): AppError {
  return new AppError('timeout', 'no room on the disk for now');
}

/** The file with what is in it. */
export async function inspected(file: MadeFile, path: string, signal: AbortSignal): Promise<MadeFile | FileFailure> {
  if (!/^(?:video|audio)\//.test(file.mime)) return file;
  try {
    const probe = await probeFile(path, signal);
    // CDNs call anything in an MP4 a video.
    const mime = probe.kind === 'audio' ? file.mime.replace(/^video\//, 'audio/') : file.mime;
    return { ...file, mime, probe };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof AppError) return { status: 'unavailable', cause };
    throw cause;
  }
}
