/**
 * Six kinds of 1080p video made to fit the share of 10 MiB that their length has of a minute, beside one pass of ffmpeg into 720p veryfast
 * at the size that Medley's result has: processor time, sizes and likeness to the original (SSIM at 1080p).
 */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { compressVideo } from '../../../src/media/transcode/compress.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { atMost, detail, find } from '../findings.ts';
import { compareCopying } from './copying-bench.ts';
import { type MeasuredFfmpeg, measureFfmpeg } from './measured-ffmpeg.ts';
import { makeVideos } from './videos.ts';

const MINUTE_BYTES = 10 * 1024 * 1024;
const AUDIO_BITRATE = 128_000;
const DEADLINE_MS = 1_200_000;
/** Every fourth frame is compared: it is as good and takes a quarter of the time. */
const COMPARED = 4;
const signal = new AbortController().signal;

interface Result {
  readonly cpuSeconds: number;
  readonly bytes: number;
  readonly shape: string;
}

async function ours(
  { ffmpeg, cpuSecondsOf }: MeasuredFfmpeg,
  original: string,
  outputPath: string,
  maxBytes: number,
): Promise<Result> {
  let isMade = false;
  const cpuSeconds = await cpuSecondsOf(async () => {
    const probe = await probeFile(original, signal);
    isMade = await compressVideo(ffmpeg, { inputPath: original, outputPath, probe, maxBytes, signal });
  });
  if (!isMade) throw new Error('it did not fit');
  const { size: bytes } = await stat(outputPath);
  const { width, height } = await probeFile(outputPath, signal);
  if (bytes > maxBytes) throw new Error('the limit is exceeded');
  return { cpuSeconds, bytes, shape: `${width}x${height}` };
}

async function baseline(
  { ffmpeg, cpuSecondsOf }: MeasuredFfmpeg,
  original: string,
  output: string,
  bytes: number,
): Promise<Result> {
  const seconds = ((await probeFile(original, signal)).durationMs ?? 0) / 1_000;
  const bitrate = Math.floor((bytes * 8) / seconds - AUDIO_BITRATE - 12_000);
  const args = [
    ...['-i', original, '-vf', 'scale=-2:720', '-c:v', 'libx264', '-preset', 'veryfast', '-b:v', String(bitrate)],
    ...['-c:a', 'aac', '-b:a', String(AUDIO_BITRATE), '-movflags', '+faststart', output],
  ];
  const cpuSeconds = await cpuSecondsOf(() => ffmpeg.run(args, { signal, deadlineMs: DEADLINE_MS }));
  return { cpuSeconds, bytes: (await stat(output)).size, shape: '1280x720' };
}

async function likeness(ffmpeg: Ffmpeg, made: string, original: string, log: string): Promise<number> {
  const some = `select='not(mod(n,${COMPARED}))'`;
  const filter = `[0:v]${some},scale=1920:1080:flags=bicubic[a];[1:v]${some}[b];[a][b]ssim=stats_file='${log}'`;
  await ffmpeg.run(['-i', made, '-i', original, '-filter_complex', filter, '-f', 'null', '/dev/null'], {
    signal,
    deadlineMs: DEADLINE_MS,
  });
  const all = [...(await readFile(log, 'utf8')).matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value));
  return all.reduce((sum, value) => sum + value, 0) / all.length;
}

const median = (all: readonly number[]) => [...all].sort((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(2);

async function compare(measured: MeasuredFfmpeg, original: string, folder: string, maxBytes: number, rounds: number) {
  const [mine, theirs] = [join(folder, 'medley.mp4'), join(folder, 'baseline.mp4')];
  const ratios: number[] = [];
  let own: Result | undefined;
  let other: Result | undefined;
  for (let round = 0; round < rounds; round += 1) {
    own = await ours(measured, original, mine, maxBytes);
    other = await baseline(measured, original, theirs, own.bytes);
    ratios.push(own.cpuSeconds / other.cpuSeconds);
  }
  if (own === undefined || other === undefined) throw new Error('no rounds');
  const anchor = `720p veryfast: ${other.cpuSeconds.toFixed(1)}`;
  const seen = `${own.cpuSeconds.toFixed(1)} s CPU`;
  find({
    work: `compress, ${basename(original, '.mp4')}`,
    ...atMost(median(ratios), 1, 'x'),
    anchor,
    seen,
    ratio: median(ratios),
  });
  const log = join(folder, 'ssim.log');
  const [ownSsim, otherSsim] = [
    await likeness(measured.ffmpeg, mine, original, log),
    await likeness(measured.ffmpeg, theirs, original, log),
  ];
  const range = `[${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}]`;
  const row = [
    `${median(ratios).toFixed(2)} ${range}`,
    `${own.cpuSeconds.toFixed(1)} / ${other.cpuSeconds.toFixed(1)} s`,
    own.shape,
    `${mebibytes(own.bytes)} / ${mebibytes(other.bytes)} MiB`,
    `${ownSsim.toFixed(4)} / ${otherSsim.toFixed(4)}`,
  ];
  return row.join(' | ');
}

/** Videos of so many seconds, each compressed so many times by either in turn. */
export async function run(seconds: number, rounds: number): Promise<void> {
  const real = await findFfmpeg({ searchPath: process.env.PATH ?? '' });
  if (real === undefined) return detail('skipped: there is no ffmpeg');
  const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
  try {
    const measured = await measureFfmpeg(folder);
    if (measured === undefined) return;
    const videos = await makeVideos(measured.ffmpeg, folder, seconds);
    const maxBytes = Math.floor((MINUTE_BYTES * seconds) / 60);
    detail(
      `${seconds} s of 1080p into ${mebibytes(maxBytes)} MiB, ${rounds} rounds; Medley / 720p veryfast at its size`,
    );
    detail('| kind | processor time, median | last round | frames | size | SSIM |\n|---|---|---|---|---|---|');
    // What is loaded once a process is not part of a compression.
    for (const original of videos.values()) await probeFile(original, signal);
    for (const [kind, original] of videos) {
      detail(`| ${kind} | ${await compare(measured, original, folder, maxBytes, rounds)} |`);
    }
    const pan = videos.get('slow pan');
    if (pan !== undefined) await compareCopying(real, pan, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
