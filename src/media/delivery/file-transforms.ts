import { stat } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import { createSemaphore, type Semaphore } from '../../infra/concurrency/semaphore.ts';
import type { Clip } from '../files/clip.ts';
import { cutClip } from '../transcode/clip.ts';
import type { Compressor } from '../transcode/compress.ts';
import { convertToJpeg, convertToM4a } from '../transcode/convert.ts';
import type { Ffmpeg } from '../transcode/ffmpeg.ts';
import { muxFiles, remuxFastStart } from '../transcode/mux.ts';
import { makeThumbnail } from '../transcode/thumbnail.ts';
import { diskFull, inspected } from './cached-download.ts';
import {
  type FileFailure,
  type FileStore,
  type HeldFile,
  isDiskFull,
  type MadeFile,
  type Workplace,
} from './file-store.ts';

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
  /** A video track and an audio track as one file. */
  readonly mux: Transform;
  /** The same video, so that it plays while it loads. */
  readonly straighten: Transform;
  /** Within `maxBytes`; only where ffmpeg is. */
  readonly compress: Transform;
  /** A part of a video. */
  readonly clip: (order: TransformRequest & { readonly range: Clip }, signal: AbortSignal) => ReturnType<Transform>;
  /** The audio of a video, or other audio, as M4A. */
  readonly toAudio: Transform;
  /** A photo as JPEG. */
  readonly toJpeg: Transform;
  /** A small JPEG of a photo or video. */
  readonly thumbnail: Transform;
}

export interface FileTransformsOptions {
  readonly store: FileStore;
  readonly ffmpeg: Ffmpeg | undefined;
  readonly compressor: Compressor | undefined;
  /** Bounds the files that are made at once, what they are made of included. Default no bound. */
  readonly enter?: Semaphore;
}

/** Tracks are copied in this thread: more at once are no sooner done, and take more memory. */
const COPIES_AT_ONCE = 2;
/** Containers add a little of their own. */
const OVERHEAD = 1.05;
const OVERHEAD_BYTES = 64 * 1024;

interface TransformWork {
  /** Of the file made; undefined when there is a reason not to make one. */
  readonly make: (inputs: readonly HeldFile[], path: string, signal: AbortSignal) => Promise<string | undefined>;
  /** More than the inputs together by a little, unless the transform says otherwise. */
  readonly roomBytes?: (inputs: readonly HeldFile[], maxBytes: number) => number;
}

export function createFileTransforms(options: FileTransformsOptions): FileTransforms {
  const { store, ffmpeg, compressor, enter = async () => () => undefined } = options;
  const copyTurn = createSemaphore({ atOnce: COPIES_AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY, name: 'copying' });

  function createTransform({ make, roomBytes = roomFor }: TransformWork): Transform {
    async function work(
      { maxBytes, inputs }: TransformRequest,
      { path, signal, reserve }: Workplace,
    ): Promise<MadeFile | FileFailure> {
      const held = await gather(inputs, signal);
      if ('status' in held) return held;
      try {
        const room = await reserve(roomBytes(held, maxBytes));
        if (room === undefined) return { status: 'timeout', cause: diskFull() };
        return await finished(await make(held, path, signal), path, maxBytes, signal);
      } catch (cause) {
        signal.throwIfAborted();
        return { status: isDiskFull(cause) ? 'disk' : 'tool', cause };
      } finally {
        await Promise.all(held.map(input => input.dispose()));
      }
    }

    /** In its turn. */
    async function makeInTurn(request: TransformRequest, workplace: Workplace): Promise<MadeFile | FileFailure> {
      let leave: () => void;
      try {
        leave = await enter(workplace.signal);
      } catch (cause) {
        return { status: 'timeout', cause };
      }
      try {
        return await work(request, workplace);
      } finally {
        leave();
      }
    }

    return (request, callerSignal) => {
      const { key, maxBytes } = request;
      return store.hold({ key, maxBytes, make: workplace => makeInTurn(request, workplace) }, callerSignal);
    };
  }

  async function copyInTurn(signal: AbortSignal, copy: () => Promise<void>): Promise<void> {
    const leave = await copyTurn(signal);
    try {
      await copy();
    } finally {
      leave();
    }
  }

  return {
    mux: createTransform({
      async make([video, audio], outputPath, signal) {
        if (video === undefined || audio === undefined) return undefined;
        await copyInTurn(signal, () => muxFiles({ videoPath: video.path, audioPath: audio.path, outputPath, signal }));
        return 'video/mp4';
      },
    }),
    straighten: createTransform({
      async make([video], outputPath, signal) {
        if (video === undefined) return undefined;
        await copyInTurn(signal, () => remuxFastStart({ inputPath: video.path, outputPath, signal }));
        return 'video/mp4';
      },
    }),
    compress: (order, signal) =>
      createTransform({
        async make([video], outputPath, own) {
          if (video?.probe == null || compressor === undefined) return undefined;
          const { path: inputPath, probe } = video;
          const { maxBytes } = order;
          const made = await compressor.compress({ inputPath, outputPath, probe, maxBytes, signal: own });
          return made && 'video/mp4';
        },
        // A video within a large budget is encoded for its codec alone and hardly grows.
        roomBytes: (inputs, maxBytes) => Math.min(maxBytes, roomFor(inputs) * 2),
      })(order, signal),
    clip: (order, signal) =>
      createTransform({
        async make([video], outputPath, own) {
          if (video?.probe == null) return undefined;
          const { path: inputPath, probe } = video;
          const { maxBytes, range: clip } = order;
          const isMade = await cutClip({ ffmpeg, inputPath, outputPath, probe, clip, maxBytes, signal: own });
          return isMade ? 'video/mp4' : undefined;
        },
        roomBytes: (inputs, maxBytes) => Math.min(maxBytes, roomFor(inputs) * 2),
      })(order, signal),
    toAudio: createTransform({
      async make([input], outputPath, signal) {
        const isMade = input && (await convertToM4a({ ffmpeg, inputPath: input.path, outputPath, signal }));
        return isMade ? 'audio/mp4' : undefined;
      },
    }),
    toJpeg: createTransform({
      async make([photo], outputPath, signal) {
        const isMade = photo && (await convertToJpeg({ ffmpeg, inputPath: photo.path, outputPath, signal }));
        return isMade ? 'image/jpeg' : undefined;
      },
    }),
    thumbnail: createTransform({
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

/** All of them, or why one is missing: then the others are not waited for. */
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
  if (mime === undefined) return { status: 'tool', cause: new AppError('too_large', 'there is no way to make it fit') };
  const { size: bytes } = await stat(path);
  if (bytes > maxBytes) return { status: 'too_large', bytes };
  return inspected({ status: 'done', bytes, mime, probe: null }, path, signal);
}

function roomFor(inputs: readonly HeldFile[]): number {
  return Math.ceil(inputs.reduce((total, { bytes }) => total + bytes, 0) * OVERHEAD) + OVERHEAD_BYTES;
}
