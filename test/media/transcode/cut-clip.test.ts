import { once } from 'node:events';
import { readFile, stat, truncate } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compressVideo } from '../../../src/media/transcode/compress.ts';
import { cutClip } from '../../../src/media/transcode/cut-clip.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { FFMPEG_PATH, ffmpegMissing, ffmpegNote, makeSharedFolder, ffmpeg as runReal, tone } from '../../ffmpeg.ts';

const never = new AbortController().signal;
const MAX = 10 * 1024 * 1024;
const BARS = 8;
const BAR = 32;
/** Frames a second of the samples, and from key frame to key frame. */
const RATE = 30;
const GROUP = 60;

/** Every frame shows its number: eight bars, white for a one. */
const NUMBERED = `color=black:s=${BARS * BAR}x64:r=${RATE}:d=8,geq=lum='if(bitand(floor(N/pow(2\\,floor(X/${BAR})))\\,1)\\,235\\,16)':cb=128:cr=128,format=yuv420p`;

describe.skipIf(ffmpegMissing)(`a part of a video${ffmpegNote}`, () => {
  let folder: string;
  let real: Ffmpeg;
  let runs = 0;
  let files = 0;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    const found = await findFfmpeg({ searchPath: FFMPEG_PATH });
    if (found === undefined) throw new Error('there is no ffmpeg');
    real = {
      ...found,
      run(...args) {
        runs += 1;
        return found.run(...args);
      },
    };
    const shared = await makeSharedFolder();
    folder = shared.path;
    const input = ['-f', 'lavfi', '-i', NUMBERED, ...tone(8), '-c:a', 'aac'];
    const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '18', '-g', `${GROUP}`, '-sc_threshold', '0'];
    await runReal(...input, ...h264, '-bf', '0', at('plain.mp4'));
    await runReal(...input, ...h264, '-bf', '3', at('reordered.mp4'));
    return shared.remove;
  });

  /** Cuts it, and says which frames came. */
  async function cut(name: string, startMs: number, endMs: number, ffmpeg: Ffmpeg | undefined, maxBytes = MAX) {
    files += 1;
    const [inputPath, outputPath] = [at(name), at(`part-${files}.mp4`)];
    const probe = await probeFile(inputPath, never);
    const before = runs;
    const clip = { startMs, endMs };
    const isMade = await cutClip({ inputPath, outputPath, clip, ffmpeg, probe, maxBytes, signal: never });
    return { isMade, isEncoded: runs > before, outputPath };
  }

  async function framesOf(path: string): Promise<readonly number[]> {
    const raw = `${path}.gray`;
    await runReal('-i', path, '-vf', `scale=${BARS * BAR}:64`, '-f', 'rawvideo', '-pix_fmt', 'gray', raw);
    const pixels = await readFile(raw);
    const size = BARS * BAR * 64;
    return Array.from({ length: pixels.length / size }, (_, frame) => {
      const row = frame * size + 32 * BARS * BAR;
      const bits = Array.from({ length: BARS }, (_, bar) => ((pixels[row + bar * BAR + BAR / 2] ?? 0) > 128 ? 1 : 0));
      return bits.reduce<number>((number, bit, bar) => number + bit * 2 ** bar, 0);
    });
  }

  /** The second at which the first sound is. */
  async function loudFrom(path: string): Promise<number> {
    const raw = `${path}.s16`;
    await runReal('-i', path, '-vn', '-ac', '1', '-ar', '8000', '-f', 's16le', raw);
    const bytes = await readFile(raw);
    return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2).findIndex(value => value > 3_000) / 8_000;
  }

  it.each([
    ['plain.mp4', 2_500, 4_000],
    ['reordered.mp4', 2_500, 4_000],
    ['reordered.mp4', 3_333, 5_017],
    ['plain.mp4', 500, 1_700],
  ])('of %s from %d to %d ms begins and ends within one frame', async (name, startMs, endMs) => {
    const { isMade, isEncoded, outputPath } = await cut(name, startMs, endMs, real);
    expect([isMade, isEncoded]).toEqual([true, true]);
    const frames = await framesOf(outputPath);
    expect(Math.abs((frames[0] ?? -9) - (startMs * RATE) / 1_000)).toBeLessThanOrEqual(1);
    expect(Math.abs((frames.at(-1) ?? -9) + 1 - (endMs * RATE) / 1_000)).toBeLessThanOrEqual(1);
    const { durationMs, hasAudio, fastStart } = await probeFile(outputPath, never);
    expect(Math.abs((durationMs ?? 0) - (endMs - startMs))).toBeLessThanOrEqual(60);
    expect([hasAudio, fastStart]).toEqual([true, true]);
  });

  it.each(['plain.mp4', 'reordered.mp4'])('of %s that begins at a key frame is copied as it is', async name => {
    const { isMade, isEncoded, outputPath } = await cut(name, 2_000, 4_000, real);
    expect([isMade, isEncoded]).toEqual([true, false]);
    const frames = await framesOf(outputPath);
    expect([frames[0], frames.length]).toEqual([60, 60]);
    const { durationMs, hasAudio } = await probeFile(outputPath, never);
    expect(Math.abs((durationMs ?? 0) - 2_000)).toBeLessThanOrEqual(60);
    expect(hasAudio).toBe(true);
  });

  it('begins at the key frame before where there is no ffmpeg', async () => {
    const { isMade, outputPath } = await cut('reordered.mp4', 2_500, 4_000, undefined);
    expect(isMade).toBe(true);
    const frames = await framesOf(outputPath);
    expect(frames[0]).toBe(60);
    expect(Math.abs((frames.at(-1) ?? 0) + 1 - 120)).toBeLessThanOrEqual(3);
  });

  it('is made to fit, with a smaller picture where bits are few', async () => {
    const { outputPath } = await cut('plain.mp4', 100, 7_000, real, 300_000);
    const { size } = await stat(outputPath);
    expect(size).toBeLessThanOrEqual(300_000);
    expect((await cut('plain.mp4', 100, 7_000, real, 100_000)).isMade).toBe(false);
  });

  it('is encoded once more, smaller, when the first result is too large', async () => {
    const rates: number[] = [];
    const greedy: Ffmpeg = {
      ...real,
      async run(args, options) {
        rates.push(Number(args[args.indexOf('-maxrate') + 1]));
        await real.run(args, options);
        if (rates.length === 1) await truncate(String(args.at(-1)).replace('file:', ''), 350_000);
      },
    };
    const { isMade, outputPath } = await cut('plain.mp4', 100, 7_000, greedy, 300_000);
    expect([isMade, rates.length]).toEqual([true, 2]);
    expect(rates[1]).toBeLessThan((rates[0] ?? 0) * 0.9);
    expect((await stat(outputPath)).size).toBeLessThanOrEqual(300_000);
  });

  it('is encoded at once while whole videos wait for each other', async () => {
    const input = { inputPath: at('plain.mp4'), probe: await probeFile(at('plain.mp4'), never), maxBytes: 300_000 };
    const stop = new AbortController();
    const endless: Ffmpeg = {
      ...real,
      run: async (_, { signal }) => {
        await once(signal, 'abort');
        signal.throwIfAborted();
      },
    };
    const videos = Array.from({ length: availableParallelism() }, (_, n) =>
      compressVideo(endless, { ...input, outputPath: at(`whole-${n}.mp4`), signal: stop.signal }),
    );
    expect((await cut('plain.mp4', 100, 1_500, real)).isMade).toBe(true);
    stop.abort();
    expect((await Promise.allSettled(videos)).every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('is no longer for audio that begins after it', async () => {
    const video = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=30:d=8', '-itsoffset', '5', ...tone(2)];
    await runReal(...video, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', at('late.mp4'));
    const { isEncoded, outputPath } = await cut('late.mp4', 500, 3_000, real);
    const { durationMs } = await probeFile(outputPath, never);
    expect([isEncoded, Math.abs((durationMs ?? 0) - 2_500) <= 60]).toEqual([true, true]);
  });

  it.each([
    [3_000, 6_000],
    [6_000, 7_500],
  ])('of a still picture with music from %d to %d ms has that music, and the picture', async (startMs, endMs) => {
    const still = ['-f', 'lavfi', '-i', `color=teal:s=320x180:r=1/8:d=8`, '-vf', 'format=yuv420p', '-c:v', 'libx264'];
    await runReal(...still, at('picture.mp4'));
    const music = ['-f', 'lavfi', '-i', "aevalsrc='gt(t,5)*sin(2764*t)':d=8", '-c:v', 'copy', '-c:a', 'aac'];
    await runReal('-i', at('picture.mp4'), ...music, at('still.mp4'));
    const { isMade, outputPath } = await cut('still.mp4', startMs, endMs, real);
    expect(isMade).toBe(true);
    const { durationMs, width } = await probeFile(outputPath, never);
    expect([durationMs, width]).toEqual([endMs - startMs, 320]);
    expect(await framesOf(outputPath)).toHaveLength((endMs - startMs) / 100);
    expect(await loudFrom(outputPath)).toBeCloseTo(Math.max(0, 5 - startMs / 1_000), 1);
  });

  it('is not made where there is nothing in it', async () => {
    expect((await cut('plain.mp4', 60_000, 61_000, real)).isMade).toBe(false);
    expect((await cut('plain.mp4', 60_000, 61_000, undefined)).isMade).toBe(false);
  });

  it('ends with its caller, and leaves nothing', async () => {
    const [inputPath, outputPath] = [at('plain.mp4'), at('ended.mp4')];
    const probe = await probeFile(inputPath, never);
    const signal = AbortSignal.abort(new Error('gone'));
    const clip = { startMs: 2_500, endMs: 4_000 };
    await expect(
      cutClip({ inputPath, outputPath, clip, ffmpeg: real, probe, maxBytes: MAX, signal }),
    ).rejects.toMatchObject({ code: 'timeout' });
    await expect(stat(outputPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
