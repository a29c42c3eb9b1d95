import { stat } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import type { Compressor } from '../transcode/compress.ts';
import { convertToJpeg, convertToM4a } from '../transcode/convert.ts';
import type { Ffmpeg } from '../transcode/ffmpeg.ts';
import { muxFiles, remuxFastStart } from '../transcode/mux.ts';
import { makeThumbnail } from '../transcode/thumbnail.ts';
import { diskFull, inspected } from './cached-download.ts';
import { type FileFailure, type FileStore, type HeldFile, isDiskFull, type MadeFile } from './file-store.ts';

export interface TransformRequest {
  /** The same for the same file. */
  readonly key: string;
  readonly maxBytes: number;
  /** Called when the file has to be made; what they bring is let go of afterwards. */
  readonly inputs: readonly ((signal: AbortSignal) => Promise<HeldFile | FileFailure>)[];
}

/** A file made of others, or why not; shared like those. Rejects with the signal's reason when it aborts. */
export type Transform = (order: TransformRequest, signal: AbortSignal) => Promise<HeldFile | FileFailure>;

/** What is done to files on the disk, each once for all who ask. */
export interface FileTransforms {
  /** Picture and sound. */
  readonly mux: Transform;
  /** The same film, so that it plays while it loads. */
  readonly straighten: Transform;
  /** Within `maxBytes`; only where ffmpeg is. */
  readonly compress: Transform;
  /** The sound of a film or another sound as M4A. */
  readonly toSound: Transform;
  /** A photo as JPEG. */
  readonly toJpeg: Transform;
  /** A small JPEG of a photo or film. */
  readonly thumbnail: Transform;
}

export interface FileTransformsOptions {
  readonly store: FileStore;
  readonly ffmpeg: Ffmpeg | undefined;
  readonly compressor: Compressor | undefined;
}

/** Containers add a little of their own. */
const OVERHEAD = 1.05;
const OVERHEAD_BYTES = 64 * 1024;

interface Craft {
  /** Of the file made; undefined when there is a reason not to make one. */
  readonly make: (inputs: readonly HeldFile[], path: string, signal: AbortSignal) => Promise<string | undefined>;
  /** More than the inputs together by a little, unless told otherwise. */
  readonly roomBytes?: (inputs: readonly HeldFile[], maxBytes: number) => number;
}

export function createFileTransforms({ store, ffmpeg, compressor }: FileTransformsOptions): FileTransforms {
  function craft({ make, roomBytes = roomFor }: Craft): Transform {
    return ({ key, maxBytes, inputs }, callerSignal) =>
      store.hold(
        {
          key,
          maxBytes,
          async make({ path, signal, reserve }) {
            const held = await gather(inputs, signal);
            if ('why' in held) return held;
            try {
              const room = await reserve(roomBytes(held, maxBytes));
              if (room === undefined) return { why: 'timeout', cause: diskFull() };
              return await finished(await make(held, path, signal), path, maxBytes, signal);
            } catch (cause) {
              signal.throwIfAborted();
              return { why: isDiskFull(cause) ? 'disk' : 'tool', cause };
            } finally {
              await Promise.all(held.map(input => input.dispose()));
            }
          },
        },
        callerSignal,
      );
  }

  return {
    mux: craft({
      async make([video, audio], outputPath, signal) {
        if (video === undefined || audio === undefined) return undefined;
        await muxFiles({ videoPath: video.path, audioPath: audio.path, outputPath, signal });
        return 'video/mp4';
      },
    }),
    straighten: craft({
      async make([film], outputPath, signal) {
        if (film === undefined) return undefined;
        await remuxFastStart({ inputPath: film.path, outputPath, signal });
        return 'video/mp4';
      },
    }),
    compress: (order, signal) =>
      craft({
        async make([film], outputPath, own) {
          if (film?.probe == null || compressor === undefined) return undefined;
          const { path: inputPath, probe } = film;
          const { maxBytes } = order;
          const made = await compressor.compress({ inputPath, outputPath, probe, maxBytes, signal: own });
          return made && 'video/mp4';
        },
        // A film within a large budget is encoded for its codec alone and hardly grows.
        roomBytes: (inputs, maxBytes) => Math.min(maxBytes, roomFor(inputs) * 2),
      })(order, signal),
    toSound: craft({
      async make([input], outputPath, signal) {
        const isMade = input && (await convertToM4a({ ffmpeg, inputPath: input.path, outputPath, signal }));
        return isMade ? 'audio/mp4' : undefined;
      },
    }),
    toJpeg: craft({
      async make([picture], outputPath, signal) {
        const isMade = picture && (await convertToJpeg({ ffmpeg, inputPath: picture.path, outputPath, signal }));
        return isMade ? 'image/jpeg' : undefined;
      },
    }),
    thumbnail: craft({
      async make([input], outputPath, signal) {
        if (input === undefined) return undefined;
        const of = input.mime.startsWith('image/') ? { imagePath: input.path } : { videoPath: input.path };
        const made = await makeThumbnail({ ffmpeg, ...of, outputPath, signal });
        return made && 'image/jpeg';
      },
      roomBytes: () => OVERHEAD_BYTES * 4,
    }),
  };
}

/** All of them, or why one is missing: then nobody waits for the others. */
async function gather(
  inputs: TransformRequest['inputs'],
  signal: AbortSignal,
): Promise<readonly HeldFile[] | FileFailure> {
  const inVain = new AbortController();
  const own = AbortSignal.any([signal, inVain.signal]);
  let failure: FileFailure | undefined;
  const outcomes = await Promise.allSettled(
    inputs.map(async fetch => {
      const outcome = await fetch(own);
      if ('path' in outcome) return outcome;
      failure ??= outcome;
      inVain.abort(failure);
      return undefined;
    }),
  );
  const held = outcomes.flatMap(each => (each.status === 'fulfilled' && each.value !== undefined ? [each.value] : []));
  const rejected = outcomes.find(each => each.status === 'rejected');
  if (rejected === undefined && failure === undefined) return held;
  for (const file of held) await file.dispose();
  signal.throwIfAborted();
  if (failure === undefined) throw rejected?.reason;
  return failure;
}

async function finished(
  mime: string | undefined,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<MadeFile | FileFailure> {
  if (mime === undefined) return { why: 'tool', cause: new AppError('too_large', 'there is no way to make it fit') };
  const { size: bytes } = await stat(path);
  if (bytes > maxBytes) return { why: 'too_large', bytes };
  return inspected({ why: 'done', bytes, mime, probe: null }, path, signal);
}

function roomFor(inputs: readonly HeldFile[]): number {
  return Math.ceil(inputs.reduce((total, { bytes }) => total + bytes, 0) * OVERHEAD) + OVERHEAD_BYTES;
}
