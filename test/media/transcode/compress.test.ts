import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { compressVideo, type EncodeRequest } from '../../../src/media/transcode/compress.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { type Probe, probeFile } from '../../../src/media/transcode/probe.ts';
import { browserMissing, openBrowser } from '../../browser.ts';
import {
  FFMPEG_PATH,
  ffmpegMissing,
  ffmpegNote,
  ffprobe,
  makeFolder,
  makeSharedFolder,
  picture,
  processesNaming,
  QUICK_H264,
  ffmpeg as runReal,
  tone,
} from '../../ffmpeg.ts';

const never = new AbortController().signal;

/** Whether Chromium plays the video to its end, and what it is to it. */
async function playInChromium(path: string) {
  const video = await readFile(path);
  const server = createServer((request, response) => {
    if (request.url === '/video.mp4') response.setHeader('content-type', 'video/mp4').end(video);
    else response.setHeader('content-type', 'text/html').end('<!doctype html><video muted src="/video.mp4"></video>');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page.evaluate(
    `new Promise((resolve, reject) => {
      const video = document.querySelector('video');
      video.playbackRate = 4;
      video.onerror = () => reject(new Error(video.error.message));
      video.onended = () => resolve({ width: video.videoWidth, height: video.videoHeight, seconds: Math.round(video.duration) });
      video.play().catch(reject);
    })`,
  );
}

describe.skipIf(ffmpegMissing)(`compressing${ffmpegNote}`, () => {
  let folder: string;
  let real: Ffmpeg;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    const found = await findFfmpeg({ searchPath: FFMPEG_PATH });
    if (found === undefined) throw new Error('there is no ffmpeg');
    real = found;
    const shared = await makeSharedFolder();
    folder = shared.path;
    await runReal(...picture('640x360', 3), ...tone(3), ...QUICK_H264, '-c:a', 'aac', at('plain.mp4'));
    await runReal('-i', at('plain.mp4'), '-c', 'copy', '-an', '-metadata:s:v', 'rotate=90', at('turned.mp4'));
    await runReal(
      ...picture('320x180', 2),
      '-c:v',
      'libvpx-vp9',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      at('vp9.webm'),
    );
    await runReal(
      ...picture('320x180', 1, 60),
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-x265-params',
      'log-level=error',
      '-pix_fmt',
      'yuv420p10le',
      at('hevc.mp4'),
    );
    const still = ['-f', 'lavfi', '-i', 'color=c=teal:s=640x360:r=30:d=3'];
    await runReal(...still, ...tone(3), ...QUICK_H264, '-c:a', 'aac', at('still.mp4'));
    return shared.remove;
  });

  /** The encoded video; undefined when there is none. */
  async function made(ffmpeg: Ffmpeg, request: EncodeRequest) {
    if (!(await compressVideo(ffmpeg, request))) return undefined;
    const { outputPath } = request;
    return { bytes: (await stat(outputPath)).size, probe: await probeFile(outputPath, never) };
  }

  async function compress(name: string, maxBytes: number, changes: Partial<EncodeRequest> = {}, ffmpeg = real) {
    const own = await makeFolder();
    const inputPath = at(name);
    const request = {
      inputPath,
      outputPath: join(own, 'out.mp4'),
      probe: await probeFile(inputPath, never),
      maxBytes,
      signal: never,
      ...changes,
    };
    return { own, request, result: made(ffmpeg, request) };
  }

  it('makes a video fit that every client plays', async () => {
    const maxBytes = 200_000;
    const { request, result } = await compress('plain.mp4', maxBytes);
    const video = await result;
    expect(video?.bytes).toBeGreaterThan(0);
    expect(video?.bytes).toBeLessThanOrEqual(maxBytes * 0.98);
    expect(video?.probe).toMatchObject({ videoCodec: 'avc', audioCodec: 'aac', fastStart: true, isFragmented: false });
    expect(video?.probe.durationMs).toBeGreaterThan(2_900);
    expect(video?.probe.durationMs).toBeLessThan(3_150);
    expect((video?.probe.width ?? 0) / (video?.probe.height ?? 1)).toBeCloseTo(16 / 9, 1);
    const stream = await ffprobe(request.outputPath, 'stream=codec_name,pix_fmt,sample_aspect_ratio');
    expect(stream).toContain('codec_name=h264');
    expect(stream).toContain('pix_fmt=yuv420p\n');
    if (browserMissing !== undefined) return;
    const { width, height } = video?.probe ?? {};
    expect(await playInChromium(request.outputPath)).toEqual({ width, height, seconds: 3 });
  });

  it.each([
    ['turned.mp4', { width: 360, height: 640, hasAudio: false }],
    ['vp9.webm', { width: 320, height: 180, videoCodec: 'avc' }],
    ['hevc.mp4', { width: 320, height: 180, videoCodec: 'avc', frameRate: 60 }],
  ] satisfies readonly [string, Partial<Probe>][])('makes H.264 of %s, the right way up', async (name, expected) => {
    const { request, result } = await compress(name, 4_000_000);
    expect((await result)?.probe).toMatchObject(expected);
    const stream = await ffprobe(request.outputPath, 'stream=pix_fmt:stream_side_data=rotation');
    expect(stream).toContain('pix_fmt=yuv420p\n');
    expect(stream).not.toContain('rotation');
  });

  it.each(['arib-std-b67', 'smpte2084'] as const)('gives HDR in %s the brightness of other videos', async transfer => {
    const folder = await makeFolder();
    const [inputPath, frame] = [join(folder, 'hdr.mp4'), join(folder, 'frame.png')];
    // The white of a page, as each curve states it.
    const white = transfer === 'smpte2084' ? 572 : 721;
    const tags = `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`;
    const grey = ['-f', 'lavfi', '-i', `color=s=320x180:d=0.3,format=yuv420p10le,geq=${white}:512:512`];
    await runReal(...grey, '-c:v', 'libx265', '-x265-params', `log-level=error:${tags}`, inputPath);
    const probe = await probeFile(inputPath, never);
    const { request, result } = await compress('plain.mp4', 1_000_000, { inputPath, probe });
    await result;
    const stream = await ffprobe(request.outputPath, 'stream=color_transfer,color_primaries,color_space');
    expect(stream.match(/bt709/g)).toHaveLength(3);
    await runReal('-i', request.outputPath, '-frames:v', '1', frame);
    expect((await sharp(frame).stats()).channels.map(({ mean }) => Math.round(mean / 10) * 10)).toEqual([
      220, 220, 220,
    ]);

    const plain = await compress('plain.mp4', 1_000_000, { inputPath, probe }, { ...real, mapsTones: false });
    expect((await plain.result)?.probe).toMatchObject({ videoCodec: 'avc', hdr: transfer });
  });

  it('does not blow a video up to fill its budget', async () => {
    const { request, result } = await compress('still.mp4', 50_000_000);
    expect((await result)?.bytes).toBeLessThan(Math.min(200_000, (await stat(request.inputPath)).size * 2));
  });

  it('gives up without a trace when a video cannot fit', async () => {
    const { own, result } = await compress('plain.mp4', 9_000);
    expect(await result).toBeUndefined();
    expect(await readdir(own)).toEqual([]);
  });

  it('tries once more, smaller, when the first result is too large', async () => {
    const sizes: string[] = [];
    const greedy: Ffmpeg = {
      ...real,
      async run(args, options) {
        sizes.push(String(args[args.indexOf('-maxrate') + 1]));
        await real.run(args, options);
        if (sizes.length > 1) return;
        await writeFile(String(args.at(-1)).replace('file:', ''), Buffer.alloc(260_000));
      },
    };
    const { result } = await compress('plain.mp4', 250_000, {}, greedy);
    expect((await result)?.bytes).toBeLessThan(245_000);
    expect(sizes).toHaveLength(2);
    expect(Number(sizes[1])).toBeLessThan(Number(sizes[0]) * 0.9);
  });

  it('gives up when the second result is too large as well', async () => {
    let runs = 0;
    const greedy: Ffmpeg = {
      ...real,
      async run(args) {
        runs += 1;
        await writeFile(String(args.at(-1)).replace('file:', ''), Buffer.alloc(260_000));
      },
    };
    const { own, result } = await compress('plain.mp4', 250_000, {}, greedy);
    expect(await result).toBeUndefined();
    expect([runs, await readdir(own)]).toEqual([2, []]);
  });

  it('does not hand over what is not the video', async () => {
    const careless: Ffmpeg = { ...real, run: args => writeFile(String(args.at(-1)).replace('file:', ''), 'oops') };
    const { own, result } = await compress('plain.mp4', 250_000, {}, careless);
    await expect(result).rejects.toBeInstanceOf(AppError);
    expect(await readdir(own)).toEqual([]);
  });

  it('leaves no process and no file when the caller gives up', async () => {
    const abort = new AbortController();
    const given = new AppError('too_large', 'enough');
    const { own, request, result } = await compress('plain.mp4', 300_000, { signal: abort.signal });
    const refused = expect(result).rejects.toBe(given);
    await expect.poll(() => processesNaming(request.outputPath).length, { interval: 2 }).toBeGreaterThan(0);
    abort.abort(given);
    await refused;
    expect(processesNaming(request.outputPath)).toEqual([]);
    expect(await readdir(own)).toEqual([]);
  });

  it.each([
    ['hangs', 'sleep 60', 'timeout'],
    ['is killed', 'kill -9 $$', 'internal'],
    ['fills the disk', 'echo "No space left on device" >&2; exit 228', 'internal'],
  ])('leaves no process and no file when ffmpeg %s', async (_, script, code) => {
    const programs = await makeFolder();
    const program = join(programs, 'ffmpeg');
    const talk =
      'case "$*" in *-version*) echo "ffmpeg version 9";; *-encoders*) echo " V....D libx264"; echo " A....D aac";;';
    const write = `for last; do :; done; echo begun > "\${last#file:}"`;
    await writeFile(program, `#!/bin/sh\n${talk} *) ${write}; ${script};; esac\n`);
    await chmod(program, 0o755);
    const found = await findFfmpeg({ searchPath: `${programs}:${FFMPEG_PATH}` });
    expect(found?.program).toBe(program);
    if (found === undefined) return;
    const hasty: Ffmpeg = { ...found, run: (args, options) => found.run(args, { ...options, deadlineMs: 400 }) };
    const { own, result } = await compress('plain.mp4', 300_000, {}, hasty);
    await expect(result).rejects.toMatchObject({ code });
    expect(await readdir(own)).toEqual([]);
    expect(processesNaming(programs)).toEqual([]);
  });

  it('works on so many at once, lets some wait and turns the rest away', async () => {
    let running = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const slow: Ffmpeg = {
      ...real,
      run: () =>
        new Promise((_, reject) => {
          running += 1;
          most = Math.max(most, running);
          ends.push(() => {
            running -= 1;
            reject(new AppError('internal', 'ended'));
          });
        }),
    };
    const atOnce = Math.max(1, Math.floor(availableParallelism() / 2));
    const { request, result } = await compress('plain.mp4', 9_000);
    await result;
    const jobs = Array.from({ length: atOnce + 17 }, () =>
      compressVideo(slow, { ...request, maxBytes: 300_000 }).catch((error: AppError) => error.code),
    );
    expect(await jobs.at(-1)).toBe('upstream_unavailable');
    let isOver = false;
    const all = Promise.all(jobs).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      ends.shift()?.();
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    expect(await all).toEqual([...Array.from({ length: atOnce + 16 }, () => 'internal'), 'upstream_unavailable']);
    expect(most).toBe(atOnce);
    expect(existsSync(request.outputPath)).toBe(false);
  });
});
