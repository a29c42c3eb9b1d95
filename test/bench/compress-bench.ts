/**
 * A video of 60 s in 1080p made to fit 10 MiB, beside ffmpeg's two passes into the same frames at the same limit; and what it takes to
 * look at a video and to join video and audio, beside ffprobe and ffmpeg as programs.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createCompressor } from '../../src/media/transcode/compress.ts';
import { planCompression } from '../../src/media/transcode/compression-plan.ts';
import { type Ffmpeg, findFfmpeg } from '../../src/media/transcode/ffmpeg.ts';
import { muxFiles } from '../../src/media/transcode/mux.ts';
import { probeFile } from '../../src/media/transcode/probe.ts';

const execute = promisify(execFile);
const MAX_BYTES = 10 * 1024 * 1024;
const SECONDS = 60;
const LOOP_SECONDS = 10;
const TURNS = 20;
const DEADLINE_MS = 1_200_000;
const signal = new AbortController().signal;

interface Timing<T> {
  readonly ms: number;
  readonly value: T;
}

async function timed<T>(work: () => Promise<T>): Promise<Timing<T>> {
  const startedAt = performance.now();
  const value = await work();
  return { ms: performance.now() - startedAt, value };
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) all.push((await timed(work)).ms);
  return all.sort((a, b) => a - b)[TURNS >> 1] ?? Number.NaN;
}

/** A zoom with a grain and small sharp things in it, so that it does not compress to nothing; ten seconds of it, again and again. */
async function makeVideo(ffmpeg: Ffmpeg, folder: string): Promise<string> {
  const loop = join(folder, 'loop.mp4');
  const original = join(folder, 'original.mp4');
  const picture = '[0:v]scale=1920:1080,noise=alls=6:allf=t[a];[a][1:v]overlay=60:60,format=yuv420p[v]';
  const sources = ['mandelbrot=s=640x360:r=30:maxiter=60:end_pts=10', 'testsrc2=s=480x270:r=30', 'sine=f=440'];
  const inputs = sources.flatMap(source => ['-f', 'lavfi', '-i', source]);
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '24', '-c:a', 'aac'];
  const made = [...inputs, '-filter_complex', picture, '-map', '[v]', '-map', '2:a', '-t', String(LOOP_SECONDS)];
  await ffmpeg.run([...made, ...coded, loop], { signal, deadlineMs: DEADLINE_MS });
  const again = ['-stream_loop', String(SECONDS / LOOP_SECONDS - 1), '-i', loop, '-c', 'copy', original];
  await ffmpeg.run(again, { signal, deadlineMs: DEADLINE_MS });
  return original;
}

async function twoPasses(
  ffmpeg: Ffmpeg,
  original: string,
  folder: string,
  scale: string,
  preset: string,
): Promise<number> {
  const output = join(folder, 'two-pass.mp4');
  const bitrate = Math.floor((MAX_BYTES * 0.98 * 8) / SECONDS - 128_000 - 12_000);
  const picture = ['-i', original, '-vf', scale, '-c:v', 'libx264', '-preset', preset, '-b:v', String(bitrate)];
  const log = ['-passlogfile', join(folder, `passes-${preset}`)];
  // Into a video as well: thrown away, frames are counted otherwise than in the second pass.
  await ffmpeg.run([...picture, '-pass', '1', ...log, '-an', output], { signal, deadlineMs: DEADLINE_MS });
  const audio = ['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart'];
  await ffmpeg.run([...picture, '-pass', '2', ...log, ...audio, output], { signal, deadlineMs: DEADLINE_MS });
  return (await stat(output)).size;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(2)} MiB`;

async function compare(ffmpeg: Ffmpeg, original: string, folder: string): Promise<void> {
  const probe = await probeFile(original, signal);
  const plan = planCompression(probe, MAX_BYTES, availableParallelism());
  if (plan === undefined) throw new Error('no plan');
  const outputPath = join(folder, 'medley.mp4');
  const compressor = createCompressor({ ffmpeg });
  const ours = await timed(() =>
    compressor.compress({ inputPath: original, outputPath, probe, maxBytes: MAX_BYTES, signal }),
  );
  const size = `${plan.width}x${plan.height}`;
  console.log(
    `original: ${SECONDS} s, 1920x1080, ${mebibytes((await stat(original)).size)}; limit ${mebibytes(MAX_BYTES)}`,
  );
  const made = ours.value;
  if (made === undefined) throw new Error('it did not fit');
  console.log(`Medley, one pass, ${size} ${plan.preset}: ${seconds(ours.ms)}, ${mebibytes(made.bytes)}`);
  const rivals = [
    { preset: plan.preset, width: plan.width, height: plan.height, note: '' },
    { preset: 'medium', width: plan.width, height: plan.height, note: '' },
    { preset: 'medium', width: 1920, height: 1080, note: " (ffmpeg's defaults, aim >= 1.6x)" },
  ];
  for (const { preset, width, height, note } of rivals) {
    const theirs = await timed(() => twoPasses(ffmpeg, original, folder, `scale=${width}:${height}`, preset));
    const ratio = (theirs.ms / ours.ms).toFixed(2);
    const result = `${seconds(theirs.ms)}, ${mebibytes(theirs.value)}: ${ratio}x`;
    console.log(`two passes, ${width}x${height} ${preset}: ${result} of Medley's time${note}`);
  }
}

async function compareCopying(ffmpeg: Ffmpeg, original: string, folder: string): Promise<void> {
  const [video, audio, output] = ['video.mp4', 'audio.mp4', 'joined.mp4'].map(name => join(folder, name));
  if (video === undefined || audio === undefined || output === undefined) return;
  const dash = ['-c', 'copy', '-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
  await ffmpeg.run(['-i', original, '-an', ...dash, video], { signal, deadlineMs: DEADLINE_MS });
  await ffmpeg.run(['-i', original, '-vn', ...dash, audio], { signal, deadlineMs: DEADLINE_MS });
  const ffprobe = join(ffmpeg.program, '..', 'ffprobe');
  const shown = ['-v', 'error', '-show_streams', '-show_format', original];
  const probing = await median(() => probeFile(original, signal));
  const theirProbing = await median(() => execute(ffprobe, shown));
  console.log(
    `probe: ${probing.toFixed(1)} ms; ffprobe ${theirProbing.toFixed(1)} ms: ${(theirProbing / probing).toFixed(1)}x`,
  );
  const joined = ['-v', 'error', '-y', '-i', video, '-i', audio, '-c', 'copy', '-movflags', '+faststart', output];
  const muxing = await median(() => muxFiles({ videoPath: video, audioPath: audio, outputPath: output, signal }));
  const theirMuxing = await median(() => execute(ffmpeg.program, joined));
  const size = mebibytes((await stat(video)).size);
  console.log(
    `mux of ${size}: ${muxing.toFixed(0)} ms; ffmpeg -c copy ${theirMuxing.toFixed(0)} ms: ${(theirMuxing / muxing).toFixed(1)}x`,
  );
  const before = process.memoryUsage().rss;
  const peak = { bytes: before };
  const timer = setInterval(() => {
    peak.bytes = Math.max(peak.bytes, process.memoryUsage().rss);
  }, 5);
  await muxFiles({ videoPath: video, audioPath: audio, outputPath: output, signal });
  clearInterval(timer);
  console.log(`mux: memory grows by ${mebibytes(peak.bytes - before)}`);
}

export async function run(): Promise<void> {
  const ffmpeg = await findFfmpeg({ searchPath: process.env.PATH ?? '' });
  if (ffmpeg === undefined) return console.log('skipped: there is no ffmpeg');
  const folder = await mkdtemp(join(tmpdir(), 'medley-bench-'));
  try {
    const original = await makeVideo(ffmpeg, folder);
    await compareCopying(ffmpeg, original, folder);
    await compare(ffmpeg, original, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
