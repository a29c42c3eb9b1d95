import { rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { EncodedPacketSink, InputVideoTrack } from 'mediabunny';
import { AppError } from '../../errors.ts';
import { createSemaphore, inTurn } from '../../infra/concurrency/running-work.ts';
import type { Clip } from '../files/clip.ts';
import { type CompressionPlan, MIN_BITRATE, planCompression, SAFE_SHARE } from './compression-plan.ts';
import { type Ffmpeg, inputArguments, makeFile, outputArguments, timeLeft } from './ffmpeg.ts';
import { withMediaInput } from './media-input.ts';
import { addAudio, addVideo, type CopyRequest, letOtherWorkRun, type Packet, primaryTrack, writeMp4 } from './mux.ts';
import { type Probe, probeFile } from './probe.ts';

/** A request to encode a video again within a size limit. */
export interface EncodeRequest extends CopyRequest {
  /** The properties of the input file. */
  readonly probe: Probe;
  /** The chat's size limit; the result stays 2 % below it. */
  readonly maxBytes: number;
  /** Called with the milliseconds that the encoding will still take. */
  readonly onLeft?: (leftMs: number) => void;
}

/** The second attempt's limit is lower by the ratio by which the first result was too large, and by this factor. */
const SECOND_TRY_SHARE = 0.9;
const MAX_TRIES = 2;

/** @param clip the part of the video that is encoded; by default all of it */
function encodingArguments(
  inputPath: string,
  outputPath: string,
  plan: CompressionPlan,
  clip?: Clip,
): readonly string[] {
  const { width, height, maxFrameRate, preset, crf, videoBitrate, bufferBits, audioBitrate, audioChannels } = plan;
  const audio =
    audioBitrate === 0
      ? ['-an']
      : ['-map', '0:a:0', '-c:a', 'aac', '-b:a', String(audioBitrate), '-ac', String(audioChannels), '-ar', '44100'];
  const seconds = (ms: number) => (ms / 1_000).toFixed(3);
  const length = clip === undefined ? [] : ['-t', seconds(clip.endMs - clip.startMs)];
  return [
    // With `-ss` and `-t` before the input, nothing outside of the clip is decoded, and the output begins at the clip's
    // start. The second `-t` ends a track that begins late.
    ...(clip === undefined ? [] : ['-ss', seconds(clip.startMs), ...length]),
    ...[...inputArguments(inputPath), ...length],
    ...['-map', '0:v:0', '-vf', `scale=${width}:${height}:flags=bicubic,setsar=1,format=yuv420p`],
    ...['-fpsmax', String(maxFrameRate), '-c:v', 'libx264', '-preset', preset, '-profile:v', 'high'],
    ...['-crf', String(crf), '-maxrate', String(videoBitrate), '-bufsize', String(bufferBits)],
    ...audio,
    ...['-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1', '-movflags', '+faststart'],
    // The output is cut off at twice the limit: a larger one has failed anyway and would fill the disk.
    ...outputArguments(outputPath, 'mp4', plan.limitBytes * 2),
  ];
}

/** Says whether the result is the planned one and complete: a video that was cut off by the size limit ends early. */
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
 * Encodes a video to fit a size, as H.264 and AAC in an MP4 that every client plays, also while it loads. False when it
 * cannot be made to fit and still be worth watching. Calls start in the order they came.
 * @throws AppError `upstream_unavailable` when too many wait; `timeout` when it takes too long; `internal` when ffmpeg
 * fails; the signal's reason
 */
export async function compressVideo(ffmpeg: Ffmpeg, request: EncodeRequest): Promise<boolean> {
  let isMade = false;
  try {
    isMade = await inTurn(enter, request.signal, () => shrink(ffmpeg, request));
    return isMade;
  } finally {
    if (!isMade) await rm(request.outputPath, { force: true });
  }
}

async function shrink(ffmpeg: Ffmpeg, request: EncodeRequest): Promise<boolean> {
  const { inputPath, outputPath, probe, maxBytes, signal, onLeft } = request;
  const limitBytes = Math.floor(maxBytes * SAFE_SHARE);
  let budget = maxBytes;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const plan = planCompression(probe, budget, CORES);
    if (plan === undefined) return false;
    const onTime = timeLeft(probe.durationMs, onLeft);
    await ffmpeg.run(encodingArguments(inputPath, outputPath, plan), { signal, deadlineMs: plan.deadlineMs, onTime });
    const { size: bytes } = await stat(outputPath);
    if (bytes <= limitBytes) {
      if (isAsPlanned(await probeFile(outputPath, signal), probe, plan)) return true;
      throw new AppError('internal', 'ffmpeg made another video than was asked for');
    }
    budget = Math.floor(budget * (limitBytes / bytes) * SECOND_TRY_SHARE);
  }
  return false;
}

/** An encoded clip is made to fit `maxBytes`; a copied one may be larger. */
interface CutRequest extends EncodeRequest {
  /** The ffmpeg program; without it a clip begins at the last key frame before the requested time. */
  readonly ffmpeg: Ffmpeg | undefined;
  readonly clip: Clip;
}

/**
 * Cuts a clip out of a video as an MP4: as a copy if one can begin and end within a frame of the wanted times, else
 * encoded, else (without ffmpeg) as a copy that begins earlier. False when the part has no content or cannot fit.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'`, `internal` when ffmpeg fails, `timeout`, the
 * signal's reason
 */
export async function cutClip(request: CutRequest): Promise<boolean> {
  const { inputPath, outputPath, clip, ffmpeg, probe, maxBytes, signal } = request;
  if (probe.durationMs !== null && clip.startMs >= probe.durationMs) return false;
  const isPlayable = probe.videoCodec === 'avc' && (!probe.hasAudio || probe.audioCodec === 'aac');
  const outcome = await withMediaInput(inputPath, signal, async ({ input }) => {
    const video = await primaryTrack(input.getPrimaryVideoTrack(), 'video');
    const part = await rangeOf(video, clip, signal);
    if (part === undefined) return 'empty';
    if (ffmpeg !== undefined && !(isPlayable && isExact(part, clip))) return 'inexact';
    await copyPart(video, part, request);
    return 'copied';
  });
  if (outcome === 'empty') return false;
  if (ffmpeg === undefined) return true;
  if (outcome === 'copied' && (await stat(outputPath)).size <= maxBytes) return true;
  return encode({ ...request, ffmpeg });
}

async function encode(request: CutRequest & { readonly ffmpeg: Ffmpeg }): Promise<boolean> {
  const { inputPath, outputPath, clip, ffmpeg, probe, maxBytes, signal, onLeft } = request;
  const durationMs = clip.endMs - clip.startMs;
  const plan = planCompression({ ...probe, durationMs }, maxBytes, availableParallelism());
  if (plan === undefined || plan.videoBitrate < MIN_BITRATE) return false;
  const options = { signal, deadlineMs: plan.deadlineMs, onTime: timeLeft(durationMs, onLeft) };
  await makeFile(ffmpeg, outputPath, encodingArguments(inputPath, outputPath, plan, clip), options);
  return true;
}

/** In the file, at most this many frames that are shown later may stand before a frame (B-frames). */
const MAX_REORDERED = 32;

/** Says whether a copy of the part, which begins at a key frame, begins and ends within one frame of the clip's times. */
function isExact({ first, surplus }: PacketRange, clip: Clip): boolean {
  const lateMs = clip.startMs - first.timestamp * 1_000;
  const frameMs = Math.max(1, first.duration * 1_000);
  return lateMs <= frameMs / 2 && surplus <= 1;
}

/** Copies a part of a video unchanged, from the key frame at or before its start. */
async function copyPart(
  video: InputVideoTrack,
  part: PacketRange,
  { outputPath, signal, clip }: Pick<CutRequest, 'outputPath' | 'signal' | 'clip'>,
): Promise<void> {
  const audio = await video.input.getPrimaryAudioTrack();
  const from = part.first.timestamp;
  await writeMp4(outputPath, signal, async output => {
    const pictures = await addVideo(output, video, signal);
    const copies = [{ ...pictures, packets: () => moved(pictures.sink, part.first, from, part.count) }];
    if (audio === null) return copies;
    const sounds = await addAudio(output, audio, signal);
    const first = (await sounds.sink.getPacket(from)) ?? (await sounds.sink.getFirstPacket());
    return [...copies, { ...sounds, packets: () => moved(sounds.sink, first, from, Infinity, clip.endMs / 1_000) }];
  });
}

interface PacketRange {
  readonly first: Packet;
  /** How many packets are copied from the first key frame on, in the order of the file. */
  readonly count: number;
  /** How many of these are shown after the clip's end; they are copied because other frames depend on them. */
  readonly surplus: number;
}

async function rangeOf(video: InputVideoTrack, clip: Clip, signal: AbortSignal): Promise<PacketRange | undefined> {
  const { EncodedPacketSink: Sink } = await import('mediabunny');
  const sink = new Sink(video);
  const end = clip.endMs / 1_000;
  const first = (await sink.getKeyPacket(clip.startMs / 1_000)) ?? (await sink.getFirstPacket());
  if (first === null || first.timestamp >= end) return undefined;
  let seen = 0;
  let late = 0;
  let range = { count: 0, surplus: 0 };
  for await (const { timestamp } of sink.packets(first, undefined, { metadataOnly: true })) {
    seen += 1;
    await letOtherWorkRun(seen, signal);
    if (timestamp < end) range = { count: seen, surplus: late };
    else late += 1;
    if (late > MAX_REORDERED) break;
  }
  return { first, ...range };
}

/** Shifts packets in time, so that second `from` becomes 0. Earlier frames are dropped: they need frames not copied. */
async function* moved(
  sink: EncodedPacketSink,
  first: Packet | null,
  from: number,
  count: number,
  end = Infinity,
): AsyncGenerator<Packet, void> {
  if (first === null) return;
  let left = count;
  for await (const packet of sink.packets(first)) {
    if (left === 0 || packet.timestamp >= end) return;
    left -= 1;
    if (packet.timestamp >= from) yield packet.clone({ timestamp: packet.timestamp - from });
  }
}
