/** What it takes to look at a video and to join video and audio, beside ffprobe and ffmpeg as programs. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ffmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { muxFiles } from '../../../src/media/transcode/mux.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { detail } from '../findings.ts';

const execute = promisify(execFile);
const TURNS = 20;
const DEADLINE_MS = 1_200_000;
const signal = new AbortController().signal;

async function median(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    const startedAt = performance.now();
    await work();
    all.push(performance.now() - startedAt);
  }
  return all.sort((a, b) => a - b)[TURNS >> 1] ?? Number.NaN;
}

const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(2)} MiB`;

export async function compareCopying(ffmpeg: Ffmpeg, original: string, folder: string): Promise<void> {
  const [video, audio, output] = ['video.mp4', 'audio.mp4', 'joined.mp4'].map(name => join(folder, name));
  if (video === undefined || audio === undefined || output === undefined) return;
  const dash = ['-c', 'copy', '-movflags', '+frag_keyframe+empty_moov+default_base_moof'];
  await ffmpeg.run(['-i', original, '-an', ...dash, video], { signal, deadlineMs: DEADLINE_MS });
  await ffmpeg.run(['-i', original, '-vn', ...dash, audio], { signal, deadlineMs: DEADLINE_MS });
  const ffprobe = join(ffmpeg.program, '..', 'ffprobe');
  const shown = ['-v', 'error', '-show_streams', '-show_format', original];
  const probing = await median(() => probeFile(original, signal));
  const theirProbing = await median(() => execute(ffprobe, shown));
  detail(
    `probe: ${probing.toFixed(1)} ms; ffprobe ${theirProbing.toFixed(1)} ms: ${(theirProbing / probing).toFixed(1)}x`,
  );
  const joined = ['-v', 'error', '-y', '-i', video, '-i', audio, '-c', 'copy', '-movflags', '+faststart', output];
  const muxing = await median(() => muxFiles({ inputPath: video, audioPath: audio, outputPath: output, signal }));
  const theirMuxing = await median(() => execute(ffmpeg.program, joined));
  const size = mebibytes((await stat(video)).size);
  detail(
    `mux of ${size}: ${muxing.toFixed(0)} ms; ffmpeg -c copy ${theirMuxing.toFixed(0)} ms: ${(theirMuxing / muxing).toFixed(1)}x`,
  );
  const before = process.memoryUsage().rss;
  const peak = { bytes: before };
  const timer = setInterval(() => {
    peak.bytes = Math.max(peak.bytes, process.memoryUsage().rss);
  }, 5);
  await muxFiles({ inputPath: video, audioPath: audio, outputPath: output, signal });
  clearInterval(timer);
  detail(`mux: memory grows by ${mebibytes(peak.bytes - before)}`);
}
