import type { EncodedPacketSink, InputVideoTrack } from 'mediabunny';
import type { Clip } from '../files/clip.ts';
import { withMediaInput } from './media-input.ts';
import { addAudio, addVideo, breathe, type CopyRequest, type Packet, primaryTrack, writeMp4 } from './mux.ts';

/** What a copy of a part would be: a video can be entered only at a key frame. */
export interface CopyablePart {
  /** Whether it would begin and end within one frame of what is wanted. */
  readonly isExact: boolean;
}

/** Pictures that are shown earlier come no further behind in any file. */
const MAX_REORDERED = 32;

/**
 * What copying a part of a video would give, before anything is written.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'` when it is no whole video; the signal's reason
 */
export function findPart(inputPath: string, clip: Clip, signal: AbortSignal): Promise<CopyablePart | undefined> {
  return withMediaInput(inputPath, signal, async ({ input }) => {
    const video = await primaryTrack(input.getPrimaryVideoTrack(), 'video');
    const part = await rangeOf(video, clip, signal);
    if (part === undefined) return undefined;
    const { first, surplus } = part;
    const lateMs = clip.startMs - first.timestamp * 1_000;
    const frameMs = Math.max(1, first.duration * 1_000);
    return { isExact: lateMs <= frameMs / 2 && surplus <= 1 };
  });
}

/**
 * Copies a part of a video as it is, from the key frame at or before its beginning.
 * @throws as `findPart`
 */
export function copyPart({
  inputPath,
  outputPath,
  signal,
  clip,
}: CopyRequest & { readonly clip: Clip }): Promise<void> {
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
  /** Packets from the first one on, in the order of the file. */
  readonly count: number;
  /** Those among them that are shown after the end, since others are made of them. */
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

/** Pictures that come behind the first but are shown before it were made of others that are not there. */
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
