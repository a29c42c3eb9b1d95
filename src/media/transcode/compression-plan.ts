import type { Probe } from './probe.ts';

/** The encoder's arguments. They are chosen before it starts, so that one pass stays below a chat's size limit. */
export type CompressionPlan = NonNullable<ReturnType<typeof planCompression>>;

/** Only this share of a chat's limit is used, because chats also count some bytes beside the file. */
export const SAFE_SHARE = 0.98;
/** A video with fewer bits a second than this looks too poor to watch. */
export const MIN_BITRATE = 150_000;
/** An MP4's index takes about this many bytes for each frame and each piece of audio. */
const INDEX_BYTES_PER_SAMPLE = 20;
const FIXED_INDEX_BYTES = 4_096;
/** The quality factor of x264. A better one makes no visible difference on a phone, only larger files. */
const CRF = 21;
/** A frame size is only chosen if it leaves at least this many bits per pixel: with fewer, frames show blocks. */
const MIN_BITS_PER_PIXEL = 0.04;
/** The frame's shorter side is one of these. Smaller frames would not be worth watching. */
const NARROW_SIDES = [1080, 900, 720, 600, 480, 360, 270, 192] as const;
const MAX_LONG_SIDE = 1920;
/** The highest bit rate to ask for: more than any frame needs, and still accepted by x264. */
const MAX_VIDEO_BITRATE = 50_000_000;
/** The bit rates for audio. The first entry is used whose `fromTotal` is at most the bit rate of the whole file. */
const AUDIO_STEPS = [
  { audioBitrate: 128_000, audioChannels: 2, fromTotal: 1_200_000 },
  { audioBitrate: 96_000, audioChannels: 2, fromTotal: 600_000 },
  { audioBitrate: 64_000, audioChannels: 2, fromTotal: 300_000 },
  { audioBitrate: 40_000, audioChannels: 1, fromTotal: 0 },
] as const;
/**
 * Presets, each with the million pixels a second that one core encodes and scales (measured in 2026-11 with x264 164).
 * Slower presets take 50 % longer for a gain that hardly anyone sees on a phone.
 */
const SPEEDS = [
  { preset: 'veryfast', megapixels: 65 },
  { preset: 'superfast', megapixels: 86 },
] as const;
const [, QUICKEST] = SPEEDS;
/** One core decodes this many million pixels a second. */
const DECODED_MEGAPIXELS = 500;
/** One core maps this many million pixels of HDR video a second to ordinary brightness. */
const MAPPED_MEGAPIXELS = 40;
/** The most cores to count with: further cores hardly speed up a single video. */
const MAX_CORES = 8;
/** If encoding would take longer than people like to wait, a faster preset is used. */
const PATIENCE_MS = 18_000;
/** Encoding is not started if it would take longer than this. */
const MAX_ESTIMATE_MS = 240_000;
const MAX_DEADLINE_MS = 600_000;
/** If its short side is at most this, a video may also get 15 frames a second; larger ones would look choppy. */
const CHOPPY_SIDE = 270;

/** With fewer frames a second than this, the frame nearest to a clip's start or end may be far from it. */
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
 * The best frame size (even, as displayed) and frame rate for a bit rate. At high frame rates, frames are dropped
 * before the size is reduced.
 */
function framesFor(shape: Shape, frameRate: number, videoBitrate: number) {
  for (const narrowSide of NARROW_SIDES) {
    const { width, height } = shrink(shape, narrowSide);
    // Each frame rate is half of the one before it, because other ratios make movement stutter.
    for (const maxFrameRate of [...(frameRate > 31 ? [60] : []), 30, ...(narrowSide <= CHOPPY_SIDE ? [15] : [])]) {
      const pixels = width * height * Math.min(maxFrameRate, frameRate);
      if (videoBitrate / pixels >= MIN_BITS_PER_PIXEL) return { width, height, maxFrameRate, pixels };
    }
  }
  return undefined;
}

/**
 * Plans the encoding of a video to 98 % of `maxBytes` at most: a lower limit gives smaller frames, a long video a
 * faster preset. Undefined when the result would not be worth watching, encoding would take minutes, or the duration or
 * size is unknown.
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
  // The encoder's buffer is full at the start, so its bits may be used in addition to those of the bit rate. The bit
  // rate is chosen so low that both fit into the file.
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
    /** The video's bits per second. The encoder may exceed this rate only for a moment. */
    videoBitrate,
    /** By how many bits the track may exceed `videoBitrate` for a moment. */
    bufferBits: Math.floor(videoBitrate * bufferSeconds),
    /** Bits per second of the audio track; 0 for a silent video. */
    audioBitrate,
    audioChannels: audio?.audioChannels ?? 2,
    /** The largest size of the result that is accepted. */
    limitBytes,
    deadlineMs: Math.min(MAX_DEADLINE_MS, Math.round(30_000 + 3 * durationMs + 4 * millisAt(megapixels))),
  };
}
