import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { AppError } from '../../errors.ts';
import { abortReason } from '../../infra/concurrency/abortable.ts';
import type { Post } from '../post.ts';
import { type Ffmpeg, inputArguments, makeFile, outputArguments, timeLeft, toSdr } from './ffmpeg.ts';
import { type CopyRequest, extractAudio } from './mux.ts';
import type { Probe } from './probe.ts';

export interface ConvertRequest extends CopyRequest {
  /** The ffmpeg program; without it nothing is encoded. */
  readonly ffmpeg: Ffmpeg | undefined;
  /** Facts about the input file; null for an image and for a file that cannot be read. */
  readonly probe: Probe | null;
}

const AUDIO_BITRATE = '128k';
/** The quality of LAME's variable bit rate. At about 190 kbit/s few people hear a difference from the original. */
const MP3_QUALITY = '2';
/** The highest bit rate of MP3. */
const MAX_MP3_BITRATE = 320_000;
const MAX_TAG_CHARS = 200;
const IMAGE_DEADLINE_MS = 20_000;
const JPEG_QUALITY = 88;
/** The longest side of a converted photo. Telegram hardly accepts larger photos, and no phone shows them larger. */
const MAX_IMAGE_SIDE = 4096;
const MAX_IMAGE_PIXELS = 67_108_864;

/**
 * Writes a file's audio as M4A. AAC is copied unchanged, everything else is encoded. False when the file is silent, or
 * ffmpeg is needed and not installed.
 * @throws AppError `upstream_unavailable` with `what: 'broken_file'`, `internal` when ffmpeg fails, `timeout`, the
 * signal's reason
 */
export async function convertToM4a({ inputPath, outputPath, signal, ffmpeg, probe }: ConvertRequest): Promise<boolean> {
  if (!probe?.hasAudio) return false;
  if (probe.audioCodec === 'aac') {
    await extractAudio({ inputPath, outputPath, signal });
    return true;
  }
  if (ffmpeg === undefined) return false;
  const encoding = ['-c:a', 'aac', '-b:a', AUDIO_BITRATE, '-ac', '2', '-movflags', '+faststart'];
  const output = [...encoding, ...outputArguments(outputPath, 'ipod')];
  await writeAudio({ ffmpeg, inputPath, outputPath, signal, probe }, output);
  return true;
}

interface Mp3Request extends ConvertRequest {
  /** The post, whose title and author are written into the file. */
  readonly post: Pick<Post, 'author' | 'title' | 'caption'>;
  /** Called with the milliseconds that the encoding will still take. */
  readonly onLeft?: (leftMs: number) => void;
}

/**
 * Writes a file's audio as MP3, without a cover. MP3 is copied unchanged, everything else is encoded. False when the
 * file is silent, or ffmpeg is missing or cannot encode MP3.
 * @throws AppError `internal` when ffmpeg fails, `timeout`, the signal's reason
 */
export async function convertToMp3({ probe, post, ffmpeg, ...request }: Mp3Request): Promise<boolean> {
  if (!probe?.hasAudio || !ffmpeg?.hasMp3) return false;
  const { author, title, caption } = post;
  const encoding = probe.audioCodec === 'mp3' ? ['copy'] : ['libmp3lame', '-q:a', MP3_QUALITY, '-ac', '2'];
  const tags = { title: title ?? caption, artist: author.name ?? author.username };
  const output = Object.entries(tags).flatMap(([name, text]) => ['-metadata', `${name}=${tagOf(text)}`]);
  // ID3 tags of version 3 are the newest that all players can read.
  output.push('-id3v2_version', '3', ...outputArguments(request.outputPath, 'mp3'));
  await writeAudio({ ...request, ffmpeg, probe }, ['-c:a', ...encoding, ...output]);
  return true;
}

/** The first line of a text, shortened and without control characters. */
function tagOf(text: string | null): string {
  const [line = ''] = (text ?? '').trim().split(/[\r\n]/, 1);
  return [...line.replace(/\p{Cc}/gu, '').trim()].slice(0, MAX_TAG_CHARS).join('');
}

/** The most bytes that an MP3 of this duration can have; 0 when the duration is unknown. */
export function mostMp3Bytes(durationMs: number | null): number {
  return Math.ceil(((durationMs ?? 0) * MAX_MP3_BITRATE) / 8_000);
}

type AudioRequest = Omit<Mp3Request, 'post'> & { readonly ffmpeg: Ffmpeg; readonly probe: Probe };

async function writeAudio(request: AudioRequest, output: readonly string[]): Promise<void> {
  const { ffmpeg, inputPath, outputPath, signal, probe, onLeft } = request;
  const audioAlone = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'];
  const args = [...inputArguments(inputPath), ...audioAlone, ...output];
  const deadlineMs = 20_000 + Math.min(280_000, probe.durationMs ?? 280_000);
  await makeFile(ffmpeg, outputPath, args, { signal, deadlineMs, onTime: timeLeft(probe.durationMs, onLeft) });
}

/**
 * Converts a photo (WebP, AVIF, HEIC, PNG, ...) to an upright JPEG, with sharp or else with ffmpeg. False when neither
 * can read the photo.
 * @throws AppError the signal's reason
 */
export async function convertToJpeg(request: Omit<ConvertRequest, 'probe'>): Promise<boolean> {
  const image = { ...request, maxSide: MAX_IMAGE_SIDE };
  return (await writeJpegBySharp({ ...image, quality: JPEG_QUALITY })) || writeJpegByFfmpeg({ ...image, quality: 3 });
}

interface JpegRequest extends CopyRequest {
  readonly maxSide: number;
  /** sharp takes 1 to 100, of which higher is better; ffmpeg takes 2 to 31, of which lower is better. */
  readonly quality: number;
}

/** Writes a JPEG with sharp. Returns false when sharp is not installed or cannot read the image. */
async function writeJpegBySharp(request: JpegRequest): Promise<boolean> {
  const { inputPath, outputPath, signal, maxSide, quality } = request;
  if (signal.aborted) throw abortReason(signal);
  const module = await import('sharp').catch(() => undefined);
  if (module === undefined) return false;
  const { default: sharp } = module;
  try {
    await sharp(inputPath, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error' })
      .timeout({ seconds: 20 })
      .rotate()
      .resize({ width: maxSide, height: maxSide, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality, progressive: false, mozjpeg: false })
      .toFile(outputPath);
    if (!signal.aborted) return true;
  } catch {
    // If sharp cannot read the image, the caller tries ffmpeg next.
  }
  await rm(outputPath, { force: true });
  if (signal.aborted) throw abortReason(signal);
  return false;
}

interface FrameRequest extends JpegRequest {
  readonly ffmpeg: Ffmpeg | undefined;
  readonly atSeconds?: number;
  readonly hdr?: Probe['hdr'];
}

/** Writes an image, or a video's frame at `atSeconds`. False when ffmpeg is missing or cannot read the file. */
export async function writeJpegByFfmpeg(request: FrameRequest): Promise<boolean> {
  const { inputPath, outputPath, signal, ffmpeg, maxSide, quality, atSeconds = 0, hdr = null } = request;
  if (signal.aborted) throw abortReason(signal);
  if (ffmpeg === undefined) return false;
  // A JPEG has square pixels and the colours of BT.601, so the image is converted to both.
  const square = `scale='iw*min(sar,1)':'ih*min(1/sar,1)'`;
  const scale = `scale='min(${maxSide},iw)':'min(${maxSide},ih)':force_original_aspect_ratio=decrease`;
  const args = [
    ...(atSeconds > 0 ? ['-ss', atSeconds.toFixed(3)] : []),
    ...inputArguments(inputPath),
    ...['-map', '0:v:0', '-frames:v', '1'],
    ...['-vf', `${square},${scale},${toSdr(ffmpeg, hdr)}scale=out_color_matrix=bt601,setsar=1,format=yuvj420p`],
    ...['-c:v', 'mjpeg', '-q:v', String(quality), '-map_metadata', '-1', ...outputArguments(outputPath, 'image2')],
  ];
  try {
    await makeFile(ffmpeg, outputPath, args, { signal, deadlineMs: IMAGE_DEADLINE_MS });
    // If the video ends before that time, ffmpeg succeeds but writes no file.
    return existsSync(outputPath);
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    if (error instanceof AppError && error.code === 'internal') return false;
    throw error;
  }
}

/** Telegram's limit for thumbnails (Bot API, sendVideo). */
const MAX_THUMBNAIL_SIDE = 320;
/** Thumbnails show the frame at this time, because the very first frame is often black. */
const LOOK_AT_SECONDS = 1;

/**
 * Makes a small JPEG of a photo, or of a frame of a video; false when neither sharp nor ffmpeg can.
 * @throws AppError the signal's reason
 */
export async function makeThumbnail({ probe, ...request }: ConvertRequest): Promise<boolean> {
  const small = { ...request, maxSide: MAX_THUMBNAIL_SIDE, quality: 5 };
  if (probe === null) return (await writeJpegBySharp({ ...small, quality: 80 })) || writeJpegByFfmpeg(small);
  const atSeconds = probe.durationMs === null ? 0 : Math.min(LOOK_AT_SECONDS, probe.durationMs / 3_000);
  const frame = { ...small, hdr: probe.hdr };
  if (await writeJpegByFfmpeg({ ...frame, atSeconds })) return true;
  return atSeconds > 0 && writeJpegByFfmpeg(frame);
}
