import { open } from 'node:fs/promises';
import type { Input } from 'mediabunny';
import { AppError } from '../../errors.ts';
import { abortReason } from '../../infra/concurrency/abortable.ts';
import { BrokenBoxes, type Mp4Structure, readExactly, readMp4Structure } from './mp4-boxes.ts';

/** A media file opened for reading in pieces. */
export interface MediaInput {
  readonly input: Input;
  readonly bytes: number;
  /** Undefined when it is no MP4. */
  readonly structure: Mp4Structure | undefined;
}

const MAX_CACHE_BYTES = 2 * 1024 * 1024;
/** The largest thing read at once is an index. */
const MAX_PIECE_BYTES = 32 * 1024 * 1024;

export function brokenFile(message: string, cause?: unknown): AppError {
  return new AppError('upstream_unavailable', message, { params: { what: 'broken_file' }, cause });
}

/** A full or failing disk, which says nothing about the file. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/**
 * Opens a file for `use` and closes it afterwards. Its structure is checked first, so that no count it claims is believed.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'` when it is no media file, is cut off or cannot be read;
 *   `timeout` or the signal's own AppError when it aborts; whatever else `use` throws as an AppError
 */
export async function withMediaInput<T>(
  path: string,
  signal: AbortSignal,
  use: (media: MediaInput) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw abortReason(signal);
  const { ADTS, CustomSource, Input, Logging, LogLevel, MATROSKA, MP3, MP4, MPEG_TS, OGG, QTFF, WAVE, WEBM } =
    await import('mediabunny');
  // It speaks of odd files on the console, where our log is.
  Logging.level = LogLevel.Silent;
  const file = await open(path, 'r');
  let input: Input | undefined;
  try {
    const { size: bytes } = await file.stat();
    if (bytes === 0) throw brokenFile('an empty file');
    const structure = await readMp4Structure(file, bytes, signal);
    const source = new CustomSource({
      getSize: () => bytes,
      read: async (start, end) => {
        if (signal.aborted) throw abortReason(signal);
        if (end - start > MAX_PIECE_BYTES) throw new BrokenBoxes('a piece larger than any video has');
        const piece = await readExactly(file, start, end - start);
        if (piece.byteLength < end - start) throw new BrokenBoxes('the file ended while it was read');
        return new Uint8Array(piece.buffer);
      },
      maxCacheSize: MAX_CACHE_BYTES,
      prefetchProfile: 'fileSystem',
      // The same failure reaches the next reader.
      handleUnhandledError: () => undefined,
    });
    // Playlists are left out: they name other files.
    const formats = structure === undefined ? [WEBM, MATROSKA, MPEG_TS, MP3, OGG, ADTS, WAVE] : [MP4, QTFF];
    input = new Input({ source, formats });
    return await use({ input, bytes, structure });
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    if (error instanceof AppError) throw error;
    if (isSystemError(error)) throw new AppError('internal', 'the disk failed', { cause: error });
    throw brokenFile('not a media file that can be read', error);
  } finally {
    input?.dispose();
    await file.close();
  }
}
