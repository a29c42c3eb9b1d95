import { readFileSync } from 'node:fs';
import {
  AdtsOutputFormat,
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputTrack,
  MP4,
  Mp4OutputFormat,
  MpegTsOutputFormat,
  Output,
} from 'mediabunny';

const FORMATS = {
  mp4: () => new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: 1 }),
  ts: () => new MpegTsOutputFormat(),
  aac: () => new AdtsOutputFormat(),
} as const;

type StreamKind = keyof typeof FORMATS;

/** The clock of a stream in MPEG-TS is seldom at zero when it begins. */
const BEGINS_AT: Readonly<Record<StreamKind, number>> = { mp4: 0, ts: 10, aac: 0 };

/** A film of the fixtures as a stream, its tracks as they are. */
export async function streamOf(film: string, kind: StreamKind, tracks: 'both' | 'video' | 'audio'): Promise<Buffer> {
  const bytes = readFileSync(new URL(`../fixtures/media/${film}`, import.meta.url));
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4] });
  const target = new BufferTarget();
  const output = new Output({ format: FORMATS[kind](), target });
  const copies: (() => Promise<void>)[] = [];
  const copy = (track: InputTrack, add: (packet: EncodedPacket) => Promise<void>) => {
    copies.push(async () => {
      for await (const packet of new EncodedPacketSink(track).packets()) {
        await add(packet.clone({ timestamp: Math.max(0, packet.timestamp) + BEGINS_AT[kind] }));
      }
    });
  };
  const video = tracks === 'audio' ? null : await input.getPrimaryVideoTrack();
  if (video !== null) {
    const source = new EncodedVideoPacketSource('avc');
    const meta = { decoderConfig: (await video.getDecoderConfig()) ?? undefined };
    output.addVideoTrack(source);
    copy(video, packet => source.add(packet, meta));
  }
  const audio = tracks === 'video' ? null : await input.getPrimaryAudioTrack();
  if (audio !== null) {
    const source = new EncodedAudioPacketSource('aac');
    const meta = { decoderConfig: (await audio.getDecoderConfig()) ?? undefined };
    output.addAudioTrack(source);
    copy(audio, packet => source.add(packet, meta));
  }
  await output.start();
  await Promise.all(copies.map(run => run()));
  await output.finalize();
  if (target.buffer === null) throw new Error('no stream was written');
  return Buffer.from(target.buffer);
}

/** Bytes that are cut into so many pieces; a reader needs them all, in their order. */
export function piecesOf(stream: Buffer, count: number): readonly Buffer[] {
  const size = Math.ceil(stream.length / count);
  return Array.from({ length: count }, (_, index) => stream.subarray(index * size, (index + 1) * size));
}
