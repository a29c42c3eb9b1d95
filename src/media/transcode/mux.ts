import { type FileHandle, open, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EncodedPacketSink, Input, InputAudioTrack, InputVideoTrack, Output, StreamTargetChunk } from 'mediabunny';
import { AppError } from '../../errors.ts';
import { type Ffmpeg, inputArguments, makeFile, outputArguments } from './ffmpeg.ts';
import { brokenFile, withMediaInput } from './media-input.ts';

export interface CopyRequest {
  readonly inputPath: string;
  /** The file to write. An existing file is overwritten; the file is removed when copying fails. */
  readonly outputPath: string;
  readonly signal: AbortSignal;
}

export interface MuxRequest extends CopyRequest {
  /** The file with the audio. Without it, the audio of the video's file is used. */
  readonly audioPath?: string | undefined;
}

/** A track to copy, and what the muxer must know before its packets come. */
export interface TrackCopy {
  readonly sink: EncodedPacketSink;
  /** The packets to copy, in the order of the file. Default: all. */
  readonly packets?: () => AsyncGenerator<Packet, void>;
  readonly add: (packet: Packet, isFirst: boolean) => Promise<void>;
  /** True for a format without timestamps, such as plain AAC. Such a track starts together with the others. */
  readonly isUntimed?: boolean;
}

const CHUNK_BYTES = 512 * 1024;
/**
 * The tracks of a file begin within a few frames of 0. Tracks that begin later than this were cut from a longer stream
 * and keep its times, so all times are moved to make them begin at 0.
 */
const MAX_LEAD_SECONDS = 0.5;

export type Packet = NonNullable<Awaited<ReturnType<EncodedPacketSink['getFirstPacket']>>>;

async function countPackets(sink: EncodedPacketSink, signal: AbortSignal): Promise<number> {
  let count = 0;
  for await (const _ of sink.packets(undefined, undefined, { metadataOnly: true })) {
    count += 1;
    await letOtherWorkRun(count, signal);
  }
  return count;
}

/** Pauses now and then. Copying from memory would otherwise let no other work run, not even an abort. */
export async function letOtherWorkRun(count: number, signal: AbortSignal): Promise<void> {
  if (count % 500 === 0) await nextTurn();
  signal.throwIfAborted();
}

export async function addVideo(output: Output, track: InputVideoTrack, signal: AbortSignal): Promise<TrackCopy> {
  const { EncodedPacketSink, EncodedVideoPacketSource } = await import('mediabunny');
  const [codec, decoderConfig] = [await track.getCodec(), await track.getDecoderConfig()];
  if (codec === null || decoderConfig === null) throw brokenFile('video in an unknown codec');
  const sink = new EncodedPacketSink(track);
  const source = new EncodedVideoPacketSource(codec);
  const transformationMatrix = await track.getTransformationMatrix();
  output.addVideoTrack(source, { transformationMatrix, maximumPacketCount: await countPackets(sink, signal) });
  return { sink, add: (packet, isFirst) => source.add(packet, isFirst ? { decoderConfig } : undefined) };
}

export async function addAudio(output: Output, track: InputAudioTrack, signal: AbortSignal): Promise<TrackCopy> {
  const { ADTS, EncodedAudioPacketSource, EncodedPacketSink, MP3 } = await import('mediabunny');
  const [codec, decoderConfig] = [await track.getCodec(), await track.getDecoderConfig()];
  if (codec === null || decoderConfig === null) throw brokenFile('audio in an unknown codec');
  const sink = new EncodedPacketSink(track);
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source, { maximumPacketCount: await countPackets(sink, signal) });
  const isUntimed = [ADTS, MP3].includes(await track.input.getFormat());
  return { sink, isUntimed, add: (packet, isFirst) => source.add(packet, isFirst ? { decoderConfig } : undefined) };
}

/**
 * Copies the packets of all tracks in the order of their times: the tracks are then interleaved in the file, and few
 * packets wait in memory. If all tracks begin late, as in a stream, they are moved to the beginning.
 */
async function copyPackets(copies: readonly TrackCopy[], signal: AbortSignal): Promise<void> {
  const cursors = await Promise.all(
    copies.map(async copy => {
      const packets = copy.packets?.() ?? copy.sink.packets();
      return { copy, packets, next: await packets.next(), isFirst: true };
    }),
  );
  const timed = cursors.filter(({ copy }) => copy.isUntimed !== true);
  const begins = Math.min(...timed.map(({ next }) => next.value?.timestamp ?? Number.POSITIVE_INFINITY));
  const late = begins > MAX_LEAD_SECONDS && Number.isFinite(begins) ? begins : 0;
  const timeOf = ({ copy, next }: (typeof cursors)[number]) =>
    (next.value?.timestamp ?? 0) - (copy.isUntimed === true ? 0 : late);
  try {
    for (let count = 0; ; count += 1) {
      await letOtherWorkRun(count, signal);
      const [cursor] = cursors.filter(({ next }) => next.done !== true).toSorted((a, b) => timeOf(a) - timeOf(b));
      if (cursor === undefined || cursor.next.done === true) return;
      const { value } = cursor.next;
      await cursor.copy.add(late === 0 ? value : value.clone({ timestamp: timeOf(cursor) }), cursor.isFirst);
      cursor.isFirst = false;
      cursor.next = await cursor.packets.next();
    }
  } finally {
    await Promise.all(cursors.map(({ packets }) => packets.return()));
  }
}

/** A stream into a file that the caller opens and closes: mediabunny's own stream leaves it open after a failure. */
function streamTo(file: FileHandle): WritableStream<StreamTargetChunk> {
  return new WritableStream({
    async write({ data, position }) {
      for (let done = 0; done < data.length; ) {
        const { bytesWritten } = await file.write(data, done, data.length - done, position + done);
        done += bytesWritten;
      }
    },
  });
}

/** Writes an MP4 that can be played while it loads. After a failure the file is deleted. */
export async function writeMp4(
  outputPath: string,
  signal: AbortSignal,
  addTracks: (output: Output) => Promise<readonly TrackCopy[]>,
): Promise<void> {
  const { Mp4OutputFormat, Output, StreamTarget } = await import('mediabunny');
  const file = await open(outputPath, 'w');
  const output = new Output({
    // The index's size is known before it is written, so space is reserved for it and nothing is written twice.
    format: new Mp4OutputFormat({ fastStart: 'reserve' }),
    target: new StreamTarget(streamTo(file), { chunked: true, chunkSize: CHUNK_BYTES }),
  });
  try {
    const copies = await addTracks(output);
    await output.start();
    await copyPackets(copies, signal);
    await output.finalize();
    await file.close();
  } catch (error) {
    await output.cancel().catch(() => {
      // Closing fails only after an earlier failure. The earlier one is thrown, because it tells more.
    });
    await file.close();
    await rm(outputPath, { force: true });
    throw error;
  }
}

export async function primaryTrack<T>(track: Promise<T | null>, what: string): Promise<T> {
  const found = await track;
  if (found === null) throw brokenFile(`a file without ${what}`);
  return found;
}

/**
 * Writes video and audio into one unfragmented MP4 that plays while it loads. The video is that of one file or of a
 * stream's joined pieces; the audio, if any, is from the same file or another. Nothing is encoded.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'` when one of them is not a complete media file; the
 * signal's reason
 */
export function muxFiles({ inputPath, audioPath, outputPath, signal }: MuxRequest): Promise<void> {
  const write = async (videoInput: Input, audio: InputAudioTrack | null) => {
    const video = await primaryTrack(videoInput.getPrimaryVideoTrack(), 'video');
    await writeMp4(outputPath, signal, async output => [
      await addVideo(output, video, signal),
      ...(audio === null ? [] : [await addAudio(output, audio, signal)]),
    ]);
  };
  return withMediaInput(inputPath, signal, async ({ input }) => {
    if (audioPath === undefined) return write(input, await input.getPrimaryAudioTrack());
    return withMediaInput(audioPath, signal, async ({ input: audioInput }) =>
      write(input, await primaryTrack(audioInput.getPrimaryAudioTrack(), 'audio')),
    );
  });
}

/**
 * Copies a file's audio unchanged into an M4A. The audio must be AAC.
 * @throws AppError `invalid_request` when the audio is not AAC; else as `muxFiles`
 */
export function extractAudio({ inputPath, outputPath, signal }: CopyRequest): Promise<void> {
  return withMediaInput(inputPath, signal, async ({ input }) => {
    const audio = await primaryTrack(input.getPrimaryAudioTrack(), 'audio');
    const codec = await audio.getCodec();
    if (codec !== 'aac') throw new AppError('invalid_request', `${codec ?? 'unknown'} is not copied to M4A`);
    await writeMp4(outputPath, signal, async output => [await addAudio(output, audio, signal)]);
  });
}

const JOIN_MS = 60_000;

/**
 * Does the same as `muxFiles` with ffmpeg, for tracks that mediabunny cannot read.
 * @throws AppError `internal` when it fails, `timeout`; the signal's reason
 */
export async function muxByFfmpeg(
  ffmpeg: Ffmpeg,
  { inputPath, audioPath, outputPath, signal }: MuxRequest,
): Promise<void> {
  const inputs = [inputPath, ...(audioPath === undefined ? [] : [audioPath])].flatMap(inputArguments);
  const tracks = ['-map', '0:v:0', '-map', audioPath === undefined ? '0:a:0?' : '1:a:0'];
  const copy = ['-c', 'copy', '-map_metadata', '-1', '-movflags', '+faststart', ...outputArguments(outputPath, 'mp4')];
  await makeFile(ffmpeg, outputPath, [...inputs, ...tracks, ...copy], { signal, deadlineMs: JOIN_MS });
}
