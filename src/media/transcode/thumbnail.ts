import { rm, stat } from 'node:fs/promises';
import { writeJpegByFfmpeg, writeJpegBySharp } from './convert.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { probeFile } from './probe.ts';

export interface ThumbnailRequest {
  /** The upstream's own image of the video; tried first. */
  readonly imagePath?: string | undefined;
  /** The video itself; only ffmpeg can look into it. */
  readonly videoPath?: string | undefined;
  /** Overwritten; removed unless there is a result. */
  readonly outputPath: string;
  readonly signal: AbortSignal;
  readonly ffmpeg?: Ffmpeg | undefined;
}

export interface Thumbnail {
  readonly path: string;
  readonly bytes: number;
}

/** Telegram's rule for thumbnails (Bot API, sendVideo): JPEG, at most 320 pixels a side, under 200 kB. */
const MAX_SIDE = 320;
const MAX_BYTES = 200_000;
/** The very first frame is often black. */
const LOOK_AT_SECONDS = 1;

async function checked(path: string): Promise<Thumbnail | undefined> {
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  );
  if (bytes > 0 && bytes < MAX_BYTES) return { path, bytes };
  await rm(path, { force: true });
  return undefined;
}

/** A small JPEG of a video for Telegram; undefined when nothing here can make one.
 * @throws AppError the signal's reason
 */
export async function makeThumbnail(request: ThumbnailRequest): Promise<Thumbnail | undefined> {
  const { imagePath, videoPath, outputPath, signal, ffmpeg } = request;
  if (imagePath !== undefined) {
    const image = { inputPath: imagePath, outputPath, signal, maxSide: MAX_SIDE };
    const isMade =
      (await writeJpegBySharp({ ...image, quality: 80 })) ||
      (await writeJpegByFfmpeg({ ...image, ffmpeg, quality: 5 }));
    const thumbnail = isMade ? await checked(outputPath) : undefined;
    if (thumbnail !== undefined) return thumbnail;
  }
  if (videoPath === undefined || ffmpeg === undefined) return undefined;
  const { durationMs } = await probeFile(videoPath, signal);
  const atSeconds = durationMs === null ? 0 : Math.min(LOOK_AT_SECONDS, durationMs / 3_000);
  const frame = { inputPath: videoPath, outputPath, signal, maxSide: MAX_SIDE, quality: 5, ffmpeg, atSeconds };
  return (await writeJpegByFfmpeg(frame)) ? checked(outputPath) : undefined;
}
