import type { Probe } from './probe.ts';

/** The encoder's arguments, chosen before it starts, by which one pass brings a video below a chat's size limit. */
export type CompressionPlan = NonNullable<ReturnType<typeof planCompression>>;

/** The share of a chat's limit to use, since chats count some bytes beside the file itself. */
export const SAFE_SHARE = 0.98;
/** A video with fewer bits a second is not worth watching. */
export const MIN_BITRATE = 150_000;
/** Bytes in an MP4's index for each frame or piece of audio. */
const INDEX_BYTES_PER_SAMPLE = 20;
const FIXED_INDEX_BYTES = 4_096;
/** The quality factor of x264. A better one makes no visible difference on a phone, only larger files. */
const CRF = 21;
/** With fewer bits per pixel x264's frames show blocks; in small frames sooner than in large ones. */
const MIN_BITS_PER_PIXEL = 0.04;
/** Short sides of the frame to choose from; a smaller one would not be worth watching. */
const NARROW_SIDES = [1080, 900, 720, 600, 480, 360, 270, 192] as const;
const MAX_LONG_SIDE = 1920;
/** Far more than any frame needs, but a number that x264 still accepts. */
const MAX_VIDEO_BITRATE = 50_000_000;
/** Bit rates of the audio, each with the total bit rate from which it is used. */
const AUDIO_STEPS = [
  { audioBitrate: 128_000, audioChannels: 2, fromTotal: 1_200_000 },
  { audioBitrate: 96_000, audioChannels: 2, fromTotal: 600_000 },
  { audioBitrate: 64_000, audioChannels: 2, fromTotal: 300_000 },
  { audioBitrate: 40_000, audioChannels: 1, fromTotal: 0 },
] as const;
/**
 * Presets with the million pixels a second that one core encodes, including scaling (measured in 2026-11 with x264
 * 164). Slower presets take 50 % longer for a gain that hardly anyone sees on a phone.
 */
const SPEEDS = [
  { preset: 'veryfast', megapixels: 65 },
  { preset: 'superfast', megapixels: 86 },
] as const;
const [, QUICKEST] = SPEEDS;
/** The million pixels a second that one core decodes. */
const DECODED_MEGAPIXELS = 500;
/** The million pixels a second that one core turns from HDR into the brightness of other videos. */
const MAPPED_MEGAPIXELS = 40;
/** More cores than this hardly make one video faster. */
const MAX_CORES = 8;
/** If encoding would take longer than this, a faster preset is used, because people do not gladly wait longer. */
const PATIENCE_MS = 18_000;
/** Encoding is not started if it would take longer than this. */
const MAX_ESTIMATE_MS = 240_000;
const MAX_DEADLINE_MS = 600_000;
/** With this short side or a smaller one, a video may also get 15 frames a second. */
const CHOPPY_SIDE = 270;

/** With fewer frames a second, each is shown for so long that a clip may begin or end far from the next one. */
const SLOW_FRAMES = 8;

export function isSlow({ frameRate }: Pick<Probe, 'frameRate'>): boolean {
  return frameRate !== null && frameRate < SLOW_FRAMES;
}

const even = (pixels: number) => Math.max(2, Math.round(pixels / 2) * 2);

interface Shape {
  readonly width: number;
  readonly height: number;
}

function shrink({ width, height }: Shape, narrowSide: number): Shape {
  const scale = Math.min(1, narrowSide / Math.min(width, height), MAX_LONG_SIDE / Math.max(width, height));
  return { width: even(width * scale), height: even(height * scale) };
}

/**
 * The best frame size (even, as displayed) and rate for a bit rate:
 * a video of many frames a second loses frames first, then size.
 */
function framesFor(shape: Shape, frameRate: number, videoBitrate: number) {
  for (const narrowSide of NARROW_SIDES) {
    const { width, height } = shrink(shape, narrowSide);
    // Each rate is half of the one before, because other ratios make movement stutter.
    for (const maxFrameRate of [...(frameRate > 31 ? [60] : []), 30, ...(narrowSide <= CHOPPY_SIDE ? [15] : [])]) {
      const pixels = width * height * Math.min(maxFrameRate, frameRate);
      if (videoBitrate / pixels >= MIN_BITS_PER_PIXEL) return { width, height, maxFrameRate, pixels };
    }
  }
  return undefined;
}

/**
 * Plans the encoding of a video to at most `maxBytes` less 2 %, with smaller frames for a lower limit and a faster
 * preset for a long video. Undefined when the result would not be worth watching, encoding would take minutes, or the
 * duration or size is unknown.
 */
export function planCompression(probe: Probe, maxBytes: number, cores: number) {
  const { durationMs, width, height } = probe;
  if (durationMs === null || width === null || height === null || durationMs <= 0) return undefined;
  const seconds = durationMs / 1_000;
  const limitBytes = Math.floor(maxBytes * SAFE_SHARE);
  const frameRate = probe.frameRate ?? 30;
  // AAC at 48 kHz has 47 samples (of 1024 values) a second.
  const samplesPerSecond = Math.min(frameRate, 60) + (probe.hasAudio ? 47 : 0);
  const indexBytes = FIXED_INDEX_BYTES + seconds * samplesPerSecond * INDEX_BYTES_PER_SAMPLE;
  const totalBits = (limitBytes - indexBytes) * 8;
  const total = totalBits / seconds;
  const audio = probe.hasAudio ? AUDIO_STEPS.find(({ fromTotal }) => total >= fromTotal) : undefined;
  const audioBitrate = audio?.audioBitrate ?? 0;
  // The encoder starts with a full buffer, so it may use the buffer's bits in addition.
  const bufferSeconds = Math.min(2, Math.max(0.25, seconds / 8));
  const affordable = Math.floor((totalBits - audioBitrate * 1.03 * seconds) / (seconds + bufferSeconds));
  const videoBitrate = Math.min(affordable, MAX_VIDEO_BITRATE);
  const frames = framesFor({ width, height }, frameRate, videoBitrate);
  if (frames === undefined) return undefined;
  const decodeSeconds = (width * height * frameRate * seconds) / (DECODED_MEGAPIXELS * 1e6);
  const { pixels, ...frame } = frames;
  const mapSeconds = probe.hdr === null ? 0 : (pixels * seconds) / (MAPPED_MEGAPIXELS * 1e6);
  const encodeSeconds = (megapixels: number) => mapSeconds + (pixels * seconds) / (megapixels * 1e6);
  const millisAt = (megapixels: number) =>
    ((decodeSeconds + encodeSeconds(megapixels)) * 1_000) / Math.min(cores, MAX_CORES);
  const fitting = SPEEDS.find(speed => millisAt(speed.megapixels) <= PATIENCE_MS);
  const { preset, megapixels } = fitting ?? QUICKEST;
  if (millisAt(megapixels) > MAX_ESTIMATE_MS) return undefined;
  return {
    ...frame,
    isSlow: isSlow(probe),
    preset,
    crf: CRF,
    /** Bits per second that the video track may exceed only for a moment. */
    videoBitrate,
    /** Bits by which the video track may exceed `videoBitrate` for a moment. */
    bufferBits: Math.floor(videoBitrate * bufferSeconds),
    /** Bits per second of the audio track; 0 for a silent video. */
    audioBitrate,
    audioChannels: audio?.audioChannels ?? 2,
    /** The largest allowed size of the result. */
    limitBytes,
    deadlineMs: Math.min(MAX_DEADLINE_MS, Math.round(30_000 + 3 * durationMs + 4 * millisAt(megapixels))),
  };
}
