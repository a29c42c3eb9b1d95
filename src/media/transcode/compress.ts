import { rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { AppError } from '../../errors.ts';
import { createSemaphore, inTurn } from '../../infra/concurrency/running-work.ts';
import type { Clip } from '../files/clip.ts';
import { type CompressionPlan, MIN_BITRATE, planCompression, SAFE_SHARE } from './compression-plan.ts';
import { type Ffmpeg, inputArguments, outputArguments, timeLeft, toSdr } from './ffmpeg.ts';
import type { CopyRequest } from './mux.ts';
import { type Probe, probeFile } from './probe.ts';

/** A request to encode a video again so that it fits a size limit. */
export interface EncodeRequest extends CopyRequest {
  readonly probe: Probe;
  /** The part of the video to encode; by default all of it. */
  readonly clip?: Clip;
  /** The chat's size limit; the result stays 2 % below it. */
  readonly maxBytes: number;
  /** Called with the milliseconds that the encoding will still take. */
  readonly onLeft?: (leftMs: number) => void;
}

/** The second attempt aims lower: by the ratio by which the first result was too large, and by this factor. */
const SECOND_TRY_SHARE = 0.9;
const MAX_TRIES = 2;

/** @param sdr filters for an HDR video, made by `toSdr`; empty for any other video */
function encodingArguments(
  { inputPath, outputPath, clip }: Pick<EncodeRequest, 'inputPath' | 'outputPath' | 'clip'>,
  plan: CompressionPlan,
  sdr: string,
): readonly string[] {
  const { width, height, maxFrameRate, preset, crf, videoBitrate, bufferBits, audioBitrate, audioChannels } = plan;
  const audio =
    audioBitrate === 0
      ? ['-an']
      : ['-map', '0:a:0', '-c:a', 'aac', '-b:a', String(audioBitrate), '-ac', String(audioChannels), '-ar', '44100'];
  const seconds = (ms: number) => (ms / 1_000).toFixed(3);
  const length = clip === undefined ? [] : ['-t', seconds(clip.endMs - clip.startMs)];
  const cut = clip === undefined ? [] : ['-ss', seconds(clip.startMs), ...length];
  // With few frames a second (`isSlow`), the frame shown at the clip's start may begin long before it. Frames are then
  // repeated to 10 a second, and the cut is made between the repetitions.
  const repeats = plan.isSlow && clip !== undefined;
  const more = repeats ? `${sdr}fps=10,` : sdr;
  return [
    // With `-ss` and `-t` before the input, nothing outside of the clip is decoded, and the output begins where the
    // clip does. The second `-t` ends a track that begins late.
    ...(repeats ? [] : cut),
    ...[...inputArguments(inputPath), ...(repeats ? cut : length)],
    ...['-map', '0:v:0', '-vf', `scale=${width}:${height}:flags=bicubic,${more}setsar=1,format=yuv420p`],
    ...['-fpsmax', String(maxFrameRate), '-c:v', 'libx264', '-preset', preset, '-profile:v', 'high'],
    ...['-crf', String(crf), '-maxrate', String(videoBitrate), '-bufsize', String(bufferBits)],
    ...audio,
    ...['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart'],
    // The output is cut off at twice the limit: it has failed anyway by then, and more would only fill the disk.
    ...outputArguments(outputPath, 'mp4', plan.limitBytes * 2),
  ];
}

/** Says whether the result is complete and as planned. A video that was cut off at the size limit ends too early. */
function isAsPlanned(made: Probe, source: Probe, plan: CompressionPlan): boolean {
  const difference = Math.abs((made.durationMs ?? 0) - (source.durationMs ?? 0));
  return (
    made.videoCodec === 'avc' &&
    made.width === plan.width &&
    made.height === plan.height &&
    made.fastStart &&
    made.hasAudio === plan.audioBitrate > 0 &&
    difference <= Math.max(1_000, (source.durationMs ?? 0) * 0.03)
  );
}

const CORES = availableParallelism();
/** Half of the cores stay free for shorter work, such as the making of thumbnails. */
const enter = createSemaphore({ atOnce: Math.max(1, Math.floor(CORES / 2)), maxWaiting: 16, name: 'compression' });

/**
 * Encodes a whole video as `encodeToFit` does, in the order in which videos were requested.
 * @throws AppError `upstream_unavailable` when too many wait; whatever `encodeToFit` throws
 */
export function compressVideo(ffmpeg: Ffmpeg, request: EncodeRequest): Promise<boolean> {
  return inTurn(enter, request.signal, () => encodeToFit(ffmpeg, request));
}

/**
 * Encodes a video or a part of it to fit a size, as H.264 and AAC in an MP4 that every client plays, also while it
 * loads. False when no version that is worth watching would fit.
 * @throws AppError `timeout` when it takes too long; `internal` when ffmpeg fails; the signal's reason
 */
export async function encodeToFit(ffmpeg: Ffmpeg, request: EncodeRequest): Promise<boolean> {
  let isMade = false;
  try {
    isMade = await shrink(ffmpeg, request);
    return isMade;
  } finally {
    if (!isMade) await rm(request.outputPath, { force: true });
  }
}

async function shrink(ffmpeg: Ffmpeg, request: EncodeRequest): Promise<boolean> {
  const { outputPath, clip, maxBytes, signal, onLeft } = request;
  const durationMs = clip === undefined ? request.probe.durationMs : clip.endMs - clip.startMs;
  const probe = { ...request.probe, durationMs };
  const limitBytes = Math.floor(maxBytes * SAFE_SHARE);
  let budget = maxBytes;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const plan = planCompression(probe, budget, CORES);
    if (plan === undefined || (clip !== undefined && plan.videoBitrate < MIN_BITRATE)) return false;
    const onTime = timeLeft(durationMs, onLeft);
    const args = encodingArguments(request, plan, toSdr(ffmpeg, probe.hdr));
    await ffmpeg.run(args, { signal, deadlineMs: plan.deadlineMs, onTime });
    const { size: bytes } = await stat(outputPath);
    if (bytes <= limitBytes) {
      // A clip has no audio, or ends early, where its part of the video does.
      if (clip !== undefined || isAsPlanned(await probeFile(outputPath, signal), probe, plan)) return true;
      throw new AppError('internal', 'ffmpeg made another video than was asked for');
    }
    budget = Math.floor(budget * (limitBytes / bytes) * SECOND_TRY_SHARE);
  }
  return false;
}
