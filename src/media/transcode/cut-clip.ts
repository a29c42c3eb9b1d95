import { stat } from 'node:fs/promises';
import type { EncodedPacketSink, InputVideoTrack } from 'mediabunny';
import type { Clip } from '../files/clip.ts';
import { type EncodeRequest, encodeToFit } from './compress.ts';
import { isSlow } from './compression-plan.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { withMediaInput } from './media-input.ts';
import { addAudio, addVideo, letOtherWorkRun, type Packet, primaryTrack, writeMp4 } from './mux.ts';

/** With ffmpeg the clip is made to fit `maxBytes`. Without ffmpeg it is copied and may be larger. */
export interface CutRequest extends EncodeRequest {
  /** The ffmpeg program. Without it, a clip can only begin at the last key frame before the requested time. */
  readonly ffmpeg: Ffmpeg | undefined;
  readonly clip: Clip;
}

/**
 * Cuts a clip out of a video as an MP4. It is copied if a copy begins and ends within a frame of the wanted times, else
 * encoded, or, without ffmpeg, copied from an earlier start. False when it is empty or cannot be made to fit.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'`, or when too many wait; `internal` when ffmpeg
 * fails; `timeout`; the signal's reason
 */
export async function cutClip(request: CutRequest): Promise<boolean> {
  const { inputPath, outputPath, clip, ffmpeg, probe, maxBytes, signal } = request;
  if (probe.durationMs !== null && clip.startMs >= probe.durationMs) return false;
  const outcome = await withMediaInput(inputPath, signal, async ({ input }) => {
    const video = await primaryTrack(input.getPrimaryVideoTrack(), 'video');
    const part = await rangeOf(video, clip, signal);
    if (part === undefined) return 'empty';
    if (ffmpeg !== undefined && !(probe.isCommon && !isSlow(probe) && isExact(part, clip))) return 'inexact';
    await copyPart(video, part, request);
    return 'copied';
  });
  if (outcome === 'empty') return false;
  if (ffmpeg === undefined) return true;
  if (outcome === 'copied' && (await stat(outputPath)).size <= maxBytes) return true;
  // A clip is short and a person waits for it, so it does not wait for whole videos that take minutes to encode.
  return encodeToFit(ffmpeg, request);
}

/** Files store some frames before others that are shown earlier (B-frames), but never more than this many. */
const MAX_REORDERED = 32;

/** Says whether a copy of the part, which starts at a key frame, would fit the clip's times to within one frame. */
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
  /** The key frame at or before the clip's start, else the first frame. */
  readonly first: Packet;
  /** How many packets to copy in the file's order, starting with `first`. */
  readonly count: number;
  /** How many of the copied packets are shown after the clip's end. They are needed, as other frames depend on them. */
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

/** Moves packets to earlier times: `from` becomes 0. Packets before `from` are dropped: they need missing frames. */
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
