import type { InputAudioTrack, InputVideoTrack } from 'mediabunny';
import { brokenFile, type MediaInput, withMediaInput } from './media-input.ts';

/** Facts that a media file states about itself. */
export type Probe = Awaited<ReturnType<typeof examine>>;

const TIMEOUT_MS = 15_000;
const SAMPLED_FRAMES = 60;
/**
 * The profiles Baseline, Main, Extended and High. Phones cannot play the profiles with more than 8 bits a colour or
 * with 4:2:2 or 4:4:4 chroma.
 */
const COMMON_H264 = /^avc[13]\.(?:42|4d|58|64)/i;
/** Transfer functions (brightness curves) of HDR, each with ffmpeg's name for it. */
const HDR_CURVES = new Map([
  ['pq', 'smpte2084'],
  ['hlg', 'arib-std-b67'],
]);

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) && value > 0 ? value : null;
}

async function durationOf(video: InputVideoTrack | null, audio: InputAudioTrack | null): Promise<number | null> {
  const ends = await Promise.all(
    [video, audio].map(async track => {
      if (track === null) return null;
      return (await track.getDurationFromMetadata()) ?? (await track.computeDuration());
    }),
  );
  const seconds = finite(Math.max(...ends.map(end => end ?? 0)));
  return seconds === null ? null : Math.round(seconds * 1_000);
}

async function examine({ input, structure }: MediaInput) {
  const video = await input.getPrimaryVideoTrack();
  const audio = await input.getPrimaryAudioTrack();
  if (video === null && audio === null) throw brokenFile('neither video nor audio');
  const durationMs = await durationOf(video, audio);
  const frames = video === null ? null : await video.computePacketStats(SAMPLED_FRAMES);
  if (frames !== null && frames.packetCount === 0) throw brokenFile('a video without frames');
  const frameRate = finite(frames?.averagePacketRate ?? null);
  const audioCodec = audio === null ? null : await audio.getCodec();
  const profile = video === null ? null : await video.getCodecParameterString();
  const colours = await video?.getColorSpace();
  return {
    kind: video === null ? 'audio' : 'video',
    /** Pixels as displayed, after rotation; null for a file with only audio. */
    width: video === null ? null : await video.getDisplayWidth(),
    height: video === null ? null : await video.getDisplayHeight(),
    durationMs,
    /** `avc`, `hevc`, `vp9`, `av1`, ...; null when there is no video or its codec is unknown. */
    videoCodec: video === null ? null : await video.getCodec(),
    /** `aac`, `mp3`, `opus`, ...; null when there is no audio or its codec is unknown. */
    audioCodec,
    hasAudio: audio !== null,
    /** True for a video that plays on every device: H.264 of 8 bits a colour, and AAC or MP3 if it has audio. */
    isCommon: COMMON_H264.test(profile ?? '') && (audio === null || audioCodec === 'aac' || audioCodec === 'mp3'),
    /** The transfer function of an HDR video, by ffmpeg's name for it; null for every other file. */
    hdr: HDR_CURVES.get(colours?.transfer ?? '') ?? null,
    /** Frames a second, measured on the first frames. */
    frameRate: frameRate === null ? null : Math.round(frameRate * 1_000) / 1_000,
    /** True when the file can be played while it loads; always true for a file that is not an MP4. */
    fastStart: structure?.fastStart ?? true,
    /** True for a fragmented MP4, as in DASH: it consists of fragments that each have an index. */
    isFragmented: structure?.isFragmented ?? false,
  } as const;
}

/**
 * Reads facts about a media file. It reads the file in parts, so that memory does not grow with the file's size.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'` when it is not a complete media file (a page, an
 * empty or cut-off file, no track); `timeout` or the signal's own AppError when it aborts
 */
export function probeFile(path: string, signal: AbortSignal): Promise<Probe> {
  return withMediaInput(path, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]), examine);
}
