import { stat } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import { createSemaphore, inTurn, type Semaphore } from '../../infra/concurrency/running-work.ts';
import { isPlaylist } from '../files/cdn.ts';
import type { Clip } from '../files/clip.ts';
import { refusedStream } from '../parse/playlist.ts';
import type { Post } from '../post.ts';
import { compressVideo, type EncodeRequest } from '../transcode/compress.ts';
import { type ConvertRequest, convertToJpeg, convertToM4a, convertToMp3, makeThumbnail } from '../transcode/convert.ts';
import { cutClip } from '../transcode/cut-clip.ts';
import type { Ffmpeg } from '../transcode/ffmpeg.ts';
import { muxByFfmpeg, muxFiles } from '../transcode/mux.ts';
import { probeFile } from '../transcode/probe.ts';
import { createCdnDownload, type Download, type DownloadOptions, type DownloadRequest, noSpace } from './download.ts';
import {
  type FileFailure,
  type FileOrder,
  FileStore,
  type FileStoreOptions,
  type HeldFile,
  isDiskFull,
  type MadeFile,
  type Workplace,
} from './file-store.ts';
import { createStreamDownload } from './stream-download.ts';

export interface FetchRequest extends Pick<DownloadRequest, 'source' | 'url' | 'headers' | 'mime' | 'maxBytes'> {
  /** Identifies the file: equal keys mean the same file. */
  readonly key: string;
  /** The known or estimated size; null when not even an estimate exists. */
  readonly expectedBytes: number | null;
}

export interface MakeRequest extends Pick<FileOrder, 'key' | 'maxBytes'> {
  /** Functions that fetch the inputs. They run only if the file must be made; afterwards the inputs are released. */
  readonly inputs: readonly ((signal: AbortSignal) => Promise<HeldFile | FileFailure>)[];
}

export type MediaFiles = ReturnType<typeof createMediaFiles>;

/** The key by which the store identifies a file of an item. */
export function fileKey({ source, id }: Pick<Post, 'source' | 'id'>, index: number, name: string): string {
  return [source, id, index, name].join(' ');
}

export interface MediaFilesOptions extends FileStoreOptions, DownloadOptions {
  readonly ffmpeg?: Ffmpeg | undefined;
  /** True when fetched files are kept for later callers. Default true. */
  readonly keepsFetched?: boolean;
  /** Bounds how many files are made at once, including the fetching of their inputs. Default: no bound. */
  readonly enter?: Semaphore;
}

/** Disk space reserved for a file of unknown size. Few files are larger; for a larger one, more is reserved later. */
const USUAL_BYTES = 32 * 1024 * 1024;
/** A file of unknown size reserves at most this share of all disk space for files. */
const UNKNOWN_SHARE = 1 / 16;
/** How many files are muxed at once in the main thread: more at once would be no faster and take more memory. */
const COPIES_AT_ONCE = 2;
/** The container makes a file this much larger than its tracks. */
const OVERHEAD = 1.05;
const OVERHEAD_BYTES = 64 * 1024;

/** Everything that a function of type `Work` needs to make a file. */
interface Job extends ConvertRequest, Pick<EncodeRequest, 'maxBytes'> {
  readonly onLeft: Workplace['encoding'];
  readonly inputs: readonly HeldFile[];
}

/** Makes the file; resolves with false when the file cannot be made. */
type Work = (job: Job) => Promise<boolean>;

/** The disk space to reserve for a file made from these inputs. */
type SpaceBytes = (inputs: readonly HeldFile[], maxBytes: number) => number;

/**
 * Media files on the disk. Callers who want the same file share the making of it. A file that cannot be played counts
 * as a failure. All methods reject with the signal's reason when it aborts.
 */
export function createMediaFiles(options: MediaFilesOptions) {
  const { ffmpeg, keepsFetched = true, enter = async () => () => undefined, maxBytes: totalBytes } = options;
  const store = new FileStore(options);
  const download = createCdnDownload(options);
  const streamDownload = createStreamDownload(options, download);
  const enterCopying = createSemaphore({ atOnce: COPIES_AT_ONCE, maxWaiting: Infinity, name: 'copying' });

  function hold(request: MakeRequest, signal: AbortSignal, mime: string, work: Work, space: SpaceBytes = spaceFor) {
    const { key, maxBytes } = request;
    const make = async (workplace: Workplace) => {
      const leave = await enter(workplace.signal).catch((cause: unknown) => ({ status: 'timeout', cause }) as const);
      if (typeof leave !== 'function') return leave;
      return makeFile(request, mime, job => work({ ...job, ffmpeg }), space, workplace).finally(leave);
    };
    return store.hold({ key, maxBytes, make }, signal);
  }

  async function mux({ inputs: [video, audio], ...job }: Job): Promise<boolean> {
    const request = { ...job, audioPath: audio?.path };
    if (isRead(video, true) && (audio === undefined || isRead(audio, false)))
      await inTurn(enterCopying, job.signal, () => muxFiles(request));
    else if (ffmpeg === undefined) throw refusedStream('only ffmpeg reads it');
    else await muxByFfmpeg(ffmpeg, request);
    return true;
  }

  const compress: Work = async ({ probe, ...job }) =>
    probe !== null && ffmpeg !== undefined && compressVideo(ffmpeg, { ...job, probe });

  return {
    /** Fetches a file from the CDN; for a playlist, its pieces in order, as one file. */
    fetch(request: FetchRequest, signal: AbortSignal) {
      const way = isPlaylist(request) ? streamDownload : download;
      const make = (workplace: Workplace) => fetchFile(way, request, totalBytes, workplace);
      return store.hold({ key: request.key, maxBytes: request.maxBytes, isKept: keepsFetched, make }, signal);
    },
    /** Joins a video track and an audio track, or rewrites one file, so that it can be played while it loads. */
    mux: (request: MakeRequest, signal: AbortSignal) => hold(request, signal, 'video/mp4', mux),
    /** Encodes a video again to fit `maxBytes`; only where ffmpeg is installed. */
    compress: (request: MakeRequest, signal: AbortSignal) =>
      hold(request, signal, 'video/mp4', compress, spaceForEncoded),
    clip(request: MakeRequest, clip: Clip, signal: AbortSignal) {
      const cut: Work = async ({ probe, ...job }) => probe !== null && cutClip({ ...job, probe, clip });
      return hold(request, signal, 'video/mp4', cut, spaceForEncoded);
    },
    /** Makes an M4A of the audio of a video or audio file. */
    toM4a: (request: MakeRequest, signal: AbortSignal) => hold(request, signal, 'audio/mp4', convertToM4a),
    /** Makes an MP3 of the audio of a video or audio file. Its tags are the title and author of the post. */
    toMp3: (request: MakeRequest, post: Post, signal: AbortSignal) =>
      hold(request, signal, 'audio/mpeg', job => convertToMp3({ ...job, post }), spaceForEncoded),
    toJpeg: (request: MakeRequest, signal: AbortSignal) => hold(request, signal, 'image/jpeg', convertToJpeg),
    /** Makes a small JPEG of a photo or video. */
    thumbnail: (request: MakeRequest, signal: AbortSignal) =>
      hold(request, signal, 'image/jpeg', makeThumbnail, () => OVERHEAD_BYTES * 4),
    /** Ends running work and removes every file, even those still held. */
    close: () => store.close(),
  };
}

async function fetchFile(
  download: Download,
  { key: _, expectedBytes, maxBytes: wishedBytes, ...file }: FetchRequest,
  totalBytes: number,
  { path, signal, reserve }: Workplace,
): Promise<MadeFile | FileFailure> {
  const maxBytes = Math.min(wishedBytes, totalBytes);
  const usual = Math.min(USUAL_BYTES, totalBytes * UNKNOWN_SHARE);
  for (let wanted = Math.min(expectedBytes ?? usual, maxBytes); ; ) {
    const spaceBytes = await reserve(wanted);
    if (spaceBytes === undefined) return noSpace();
    const outcome = await download({ ...file, path, maxBytes, spaceBytes, reserve, signal });
    if (outcome.status === 'done') {
      const made = await inspected(outcome, path, signal);
      // Medley cannot read every stream that ffmpeg can, so a stream is kept even if its tracks are unknown.
      return made.status === 'unavailable' && isPlaylist(file) ? { ...outcome, probe: null } : made;
    }
    if (outcome.status !== 'needs_space') return outcome;
    if (outcome.bytes <= wanted) return { status: 'too_large', bytes: outcome.bytes };
    wanted = outcome.bytes;
  }
}

async function makeFile(
  { inputs, maxBytes }: MakeRequest,
  mime: string,
  work: (job: Omit<Job, 'ffmpeg'>) => Promise<boolean>,
  spaceBytes: SpaceBytes,
  { path, signal, reserve, encoding }: Workplace,
): Promise<MadeFile | FileFailure> {
  const held = await gather(inputs, signal);
  if ('status' in held) return held;
  try {
    const space = await reserve(spaceBytes(held, maxBytes));
    if (space === undefined) return noSpace();
    const [input] = held;
    const job = { inputs: held, outputPath: path, maxBytes, signal, onLeft: encoding };
    const isMade = input && (await work({ ...job, inputPath: input.path, probe: input.probe }));
    if (!isMade) return { status: 'tool', cause: new AppError('too_large', 'there is no way to make it fit') };
    const { size: bytes } = await stat(path);
    if (bytes > maxBytes) return { status: 'too_large', bytes };
    return await inspected({ status: 'done', bytes, mime }, path, signal);
  } catch (cause) {
    signal.throwIfAborted();
    return { status: isDiskFull(cause) ? 'disk' : 'tool', cause };
  } finally {
    await Promise.all(held.map(input => input.dispose()));
  }
}

/** All input files, or the first failure; after a failure the fetching of the other files is aborted. */
async function gather(inputs: MakeRequest['inputs'], signal: AbortSignal): Promise<readonly HeldFile[] | FileFailure> {
  const cancelRest = new AbortController();
  const own = AbortSignal.any([signal, cancelRest.signal]);
  let failure: FileFailure | undefined;
  const outcomes = await Promise.allSettled(
    inputs.map(async fetch => {
      const outcome = await fetch(own);
      if ('path' in outcome) return outcome;
      failure ??= outcome;
      cancelRest.abort(failure);
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

/** Adds codecs, duration and frame size to the description of a file, read from the file itself. */
async function inspected(
  file: Omit<MadeFile, 'probe'>,
  path: string,
  signal: AbortSignal,
): Promise<MadeFile | FileFailure> {
  if (!/^(?:video|audio)\//.test(file.mime)) return { ...file, probe: null };
  try {
    const probe = await probeFile(path, signal);
    // Some CDNs send audio in an MP4 with the type of a video, so the type is corrected.
    const mime = probe.kind === 'audio' ? file.mime.replace(/^video\//, 'audio/') : file.mime;
    return { ...file, mime, probe };
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof AppError) return { status: 'unavailable', cause };
    throw cause;
  }
}

/** Says whether Medley knows the audio's codec and, if `isVideo`, the video's codec. */
function isRead(file: HeldFile | undefined, isVideo: boolean): boolean {
  const probe = file?.probe ?? null;
  if (probe === null || (isVideo && probe.videoCodec === null)) return false;
  return !probe.hasAudio || probe.audioCodec !== null;
}

/** The disk space for a file made from these inputs: a little more than all of them together. */
function spaceFor(inputs: readonly HeldFile[]): number {
  return Math.ceil(inputs.reduce((total, { bytes }) => total + bytes, 0) * OVERHEAD) + OVERHEAD_BYTES;
}

/** The disk space for an encoded file: twice that of its inputs, because encoded files are hardly ever larger. */
function spaceForEncoded(inputs: readonly HeldFile[], maxBytes: number): number {
  return Math.min(maxBytes, spaceFor(inputs) * 2);
}
