import { stat } from 'node:fs/promises';
import type { EncodedPacketSink, InputVideoTrack } from 'mediabunny';
import type { Clip } from '../files/clip.ts';
import { type Ffmpeg, inputArguments, makeFile, outputArguments, timeLeft } from './ffmpeg.ts';
import { withMediaInput } from './media-input.ts';
import { addAudio, addVideo, breathe, type CopyRequest, type Packet, primaryTrack, writeMp4 } from './mux.ts';
import type { Probe } from './probe.ts';

export interface CutRequest extends CopyRequest {
  /** The ffmpeg program; without it a clip begins at the key frame before its start. */
  readonly ffmpeg: Ffmpeg | undefined;
  readonly clip: Clip;
  /** The properties of the input file. */
  readonly probe: Probe;
  /** Largest size of the clip: an encoded clip is made to fit; a copy may be larger. */
  readonly maxBytes: number;
  /** Hears how many milliseconds an encoding takes still. */
  readonly onLeft?: (leftMs: number) => void;
}

/** The share of the limit that is used: the other part is for the container, and for the encoder's overshoot. */
const SAFE_SHARE = 0.94;
const AUDIO_BITRATE = 128_000;
/** With fewer bits a second a video cannot be watched. */
const MIN_VIDEO_BITRATE = 150_000;
/** At this quality, more bits a second gain nothing. */
const MAX_VIDEO_BITRATE = 12_000_000;
const CRF = 20;
/** With fewer bits per pixel and second than this, a smaller picture looks better: 0.04 for each of thirty frames. */
const MIN_BITS_PER_PIXEL = 1.2;
const FULL_HD = 1_080;
const SHORT_SIDES = [FULL_HD, 720, 480, 360, 240];

/**
 * Cuts a clip out of a video as an MP4: as a copy if the video can begin and end there unchanged, else encoded again so that it begins
 * and ends within one frame, else as a copy that begins earlier. False when that part has no content, or cannot be made to fit.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'`, `internal` when ffmpeg fails, `timeout`, the signal's reason
 */
export async function cutClip(request: CutRequest): Promise<boolean> {
  const { inputPath, outputPath, clip, ffmpeg, probe, maxBytes, signal } = request;
  if (probe.durationMs !== null && clip.startMs >= probe.durationMs) return false;
  const isExact = await isExactCopy(inputPath, clip, signal);
  if (isExact === undefined) return false;
  const isPlayable = probe.videoCodec === 'avc' && (!probe.hasAudio || probe.audioCodec === 'aac');
  if (ffmpeg === undefined || (isExact && isPlayable)) {
    await copyPart({ inputPath, outputPath, clip, signal });
    if (ffmpeg === undefined || (await stat(outputPath)).size <= maxBytes) return true;
  }
  return encode({ ...request, ffmpeg });
}

async function encode(request: CutRequest & { readonly ffmpeg: Ffmpeg }): Promise<boolean> {
  const { inputPath, outputPath, clip, ffmpeg, probe, maxBytes, signal, onLeft } = request;
  const lengthMs = clip.endMs - clip.startMs;
  const seconds = lengthMs / 1_000;
  const bits = maxBytes * 8 * SAFE_SHARE - (probe.hasAudio ? AUDIO_BITRATE * seconds : 0);
  // The encoder may use up its buffer in addition to its rate, which matters in a short clip.
  const bufferSeconds = Math.min(1, seconds / 4);
  const bitrate = Math.min(MAX_VIDEO_BITRATE, Math.floor(bits / (seconds + bufferSeconds)));
  if (bitrate < MIN_VIDEO_BITRATE) return false;
  const args = [
    // `-ss` and `-t` stand before the input: nothing before the start is decoded, and the first frame is the one at that moment. Nothing
    // after the end is decoded either, because a track that begins later would otherwise begin there.
    ...['-ss', (clip.startMs / 1_000).toFixed(3), '-t', seconds.toFixed(3), ...inputArguments(inputPath)],
    ...['-t', seconds.toFixed(3)],
    ...['-map', '0:v:0', '-map', '0:a:0?', '-vf', `${scaleOf(probe, bitrate)}setsar=1,format=yuv420p`, '-fpsmax', '60'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', `${CRF}`],
    ...['-maxrate', `${bitrate}`, '-bufsize', `${Math.floor(bitrate * bufferSeconds)}`],
    ...['-c:a', 'aac', '-b:a', `${AUDIO_BITRATE}`, '-ac', '2', '-sn', '-dn', '-map_metadata', '-1'],
    ...['-map_chapters', '-1', '-movflags', '+faststart', ...outputArguments(outputPath, 'mp4', maxBytes * 2)],
  ];
  const onTime = timeLeft(lengthMs, onLeft);
  await makeFile(ffmpeg, outputPath, args, { signal, deadlineMs: 60_000 + lengthMs * 2, onTime });
  return true;
}

/** A filter that scales to the largest picture for which the bits suffice; none when the size stays. */
function scaleOf({ width, height }: Probe, bitrate: number): string {
  if (width === null || height === null) return '';
  const short = Math.min(width, height);
  const isEnough = (side: number) => bitrate / (width * height * (side / short) ** 2) >= MIN_BITS_PER_PIXEL;
  const side = SHORT_SIDES.find(each => each <= short && isEnough(each)) ?? SHORT_SIDES.at(-1) ?? short;
  const target = short <= FULL_HD && isEnough(short) ? short : Math.min(side, short);
  // H.264 in this form requires even sides.
  return width <= height ? `scale=${even(target)}:-2,` : `scale=-2:${even(target)},`;
}

function even(pixels: number): number {
  return Math.max(2, Math.floor(pixels / 2) * 2);
}

/** In no file is a frame stored more than this many frames after one that is shown later. */
const MAX_REORDERED = 32;

/**
 * Says whether a copied clip would begin and end within one frame of the wanted moments, since a copy can begin only at a key frame;
 * undefined when the video has no such part.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'` when it is not a complete video; the signal's reason
 */
function isExactCopy(inputPath: string, clip: Clip, signal: AbortSignal): Promise<boolean | undefined> {
  return withMediaInput(inputPath, signal, async ({ input }) => {
    const video = await primaryTrack(input.getPrimaryVideoTrack(), 'video');
    const part = await rangeOf(video, clip, signal);
    if (part === undefined) return undefined;
    const { first, surplus } = part;
    const lateMs = clip.startMs - first.timestamp * 1_000;
    const frameMs = Math.max(1, first.duration * 1_000);
    return lateMs <= frameMs / 2 && surplus <= 1;
  });
}

/**
 * Copies a part of a video unchanged, from the key frame at or before its start.
 * @throws AppError as `isExactCopy`
 */
function copyPart({ inputPath, outputPath, signal, clip }: CopyRequest & { readonly clip: Clip }): Promise<void> {
  return withMediaInput(inputPath, signal, async ({ input }) => {
    const video = await primaryTrack(input.getPrimaryVideoTrack(), 'video');
    const audio = await input.getPrimaryAudioTrack();
    const part = await primaryTrack(
      rangeOf(video, clip, signal).then(found => found ?? null),
      'such a part',
    );
    const from = part.first.timestamp;
    await writeMp4(outputPath, signal, async output => {
      const pictures = await addVideo(output, video, signal);
      const copies = [{ ...pictures, packets: () => shifted(pictures.sink, part.first, from, part.count) }];
      if (audio === null) return copies;
      const sounds = await addAudio(output, audio, signal);
      return [...copies, { ...sounds, packets: () => until(sounds.sink, from, clip.endMs / 1_000) }];
    });
  });
}

interface PacketRange {
  readonly first: Packet;
  /** How many packets are copied from the first one on, in the order of the file. */
  readonly count: number;
  /** How many of them are shown after the end; they are copied because other frames depend on them. */
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
    await breathe(seen, signal);
    if (timestamp < end) range = { count: seen, surplus: late };
    else late += 1;
    if (late > MAX_REORDERED) break;
  }
  return { first, ...range };
}

/** Frames stored after the first one but shown before it are dropped, since they depend on frames that are not copied. */
async function* shifted(
  sink: EncodedPacketSink,
  first: Packet,
  from: number,
  count: number,
): AsyncGenerator<Packet, void> {
  let left = count;
  for await (const packet of sink.packets(first)) {
    if (left === 0) return;
    left -= 1;
    if (packet.timestamp >= from) yield packet.clone({ timestamp: packet.timestamp - from });
  }
}

async function* until(sink: EncodedPacketSink, from: number, end: number): AsyncGenerator<Packet, void> {
  const first = (await sink.getPacket(from)) ?? (await sink.getFirstPacket());
  if (first === null) return;
  for await (const packet of sink.packets(first)) {
    if (packet.timestamp >= end) return;
    if (packet.timestamp >= from) yield packet.clone({ timestamp: packet.timestamp - from });
  }
}
