import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createDelivery,
  type DeliveredFile,
  type DeliveredLink,
  type DeliveryOptions,
} from '../../../src/media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../../src/media/delivery/delivery-plan.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import type { Post, Variant } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { filmOf, serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

const HOST = 'scontent.cdninstagram.com';
const MB = 1024 * 1024;
const never = new AbortController().signal;
const media = (name: string) => readFileSync(new URL(`../../fixtures/media/${name}`, import.meta.url));

const ffmpegPath = (process.env.PATH ?? '').split(':').find(folder => existsSync(join(folder, 'ffmpeg')));
const ffmpegMissing = ffmpegPath === undefined && process.env.REQUIRE_ALL !== '1' ? 'there is no ffmpeg' : undefined;
const ffmpegNote = ffmpegMissing === undefined ? '' : ` (skipped: ${ffmpegMissing})`;

interface SetupOptions extends Partial<DeliveryOptions> {
  readonly files?: Readonly<Record<string, Buffer>>;
  readonly listener?: RequestListener;
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'medley-ladder-'));
  folders.push(made);
  return made;
}

/** A delivery over the real HTTP client from a CDN on loopback; in the end nothing of it may be left. */
async function setUp({ files = {}, listener, ...options }: SetupOptions) {
  const asked: string[] = [];
  const { origin } = await serveHttp((request, response) => {
    const name = /\/v\/([\w-]+)\./.exec(request.url ?? '')?.[1] ?? '';
    asked.push(`${request.method} ${name}`);
    const file = files[name];
    if (listener !== undefined) listener(request, response);
    else if (file === undefined) response.writeHead(500).end();
    else serveFile(request, response, file, typeOf(name));
  });
  const tempDir = folder();
  const log = createRecordingLog();
  const before = childrenOf();
  const delivery = createDelivery({
    http: createTestClient({ [HOST]: origin }),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    tempDir,
    refresh: async () => ({ items: [] }),
    log,
    ...options,
  });
  const files_ = () => readdirSync(tempDir).flatMap(name => readdirSync(join(tempDir, name)));
  onTestFinished(async () => {
    await delivery.close();
    expect(readdirSync(tempDir)).toEqual([]);
    expect(childrenOf().filter(pid => !before.includes(pid))).toEqual([]);
  });
  return {
    delivery,
    asked,
    log,
    tempDir,
    onDisk: files_,
    deliver: (post: Post, change: Partial<DeliveryRequest> = {}, signal = never) =>
      delivery.deliver({ post, index: 0, form: 'original', maxBytes: 10 * MB, ...change }, signal),
  };
}

function typeOf(name: string): string {
  if (name.startsWith('cover') || name.startsWith('photo')) return 'image/jpeg';
  if (name === 'heic' || name === 'png') return `image/${name}`;
  return name.startsWith('audio') ? 'audio/mp4' : 'video/mp4';
}

/** Processes that were started here and run. */
function childrenOf(): readonly string[] {
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      return parent === String(process.pid) && state !== 'Z';
    } catch {
      return false;
    }
  });
}

function variant(name: string, change: Partial<Variant> = {}): Variant {
  return makeVariant({ url: `https://${HOST}/v/${name}.mp4?oe=7F000000`, ...change });
}
const hd = variant('hd', { width: 1080, height: 1920 });
const sd = variant('sd', { width: 720, height: 1280 });
const track = variant('track', { width: 1080, height: 1920, adaptive: true, hasAudio: false, codecs: 'avc1.640028' });
const audio = variant('audio', {
  ...{ mime: 'audio/mp4', hasVideo: false, adaptive: true, codecs: 'mp4a.40.2', width: null, height: null },
});
const video = (...variants: Variant[]) => makePost({ items: [makeItem({ variants, thumbnailUrl: null })] });

function asFile(delivered: DeliveredFile | DeliveredLink): DeliveredFile {
  if (delivered.kind !== 'file') throw new Error(`a link: ${delivered.reason}`);
  return delivered;
}

describe('picture and audio in two files', () => {
  const files = { track: media('clay-1080-video.mp4'), audio: media('clay-audio.mp4') };

  it('come as one that plays while it loads', async () => {
    const { deliver, asked } = await setUp({ files });
    const file = asFile(await deliver(video(track, audio)));
    expect(file).toMatchObject({ mime: 'video/mp4', width: 1080, height: 1920, hasAudio: true });
    expect(file.fileName).toBe('kelp.forest-2025-10-09-C9TestReef01.mp4');
    expect(await probeFile(file.path, never)).toMatchObject({
      ...{ videoCodec: 'avc', audioCodec: 'aac', fastStart: true, isFragmented: false },
    });
    expect(file.durationMs).toBeGreaterThan(5_800);
    expect(asked.sort()).toEqual(['GET audio', 'GET track']);
    await file.dispose();
  });

  it('are the next file when one of them cannot be had', async () => {
    const { deliver } = await setUp({ files: { track: files.track, sd: filmOf(9_000) } });
    expect(asFile(await deliver(video(track, audio, sd))).bytes).toBe(9_000);
  });

  it('are given up at once when one of them cannot be had, and no other picture is fetched for that audio', async () => {
    const smaller = { ...track, url: track.url.replace('track', 'smaller'), width: 720, height: 1280 };
    const { deliver, asked, onDisk } = await setUp({
      listener: (request, response) => {
        if (request.url?.includes('/audio') === true) response.writeHead(200, MP4).end('<!DOCTYPE html>');
        else if (request.url?.includes('/sd') === true) serveFile(request, response, filmOf(9_000));
        // Comes for ever.
        else response.writeHead(200, MP4).write(files.track.subarray(0, 50_000));
      },
    });
    const file = asFile(await deliver(video(track, smaller, audio, sd)));
    expect(file.bytes).toBe(9_000);
    expect(asked.filter(line => line !== 'GET track').sort()).toEqual(['GET audio', 'GET sd']);
    await file.dispose();
    expect(onDisk()).toEqual([]);
  });

  it('leave nothing behind when no caller wants them any more', async () => {
    const { deliver, onDisk } = await setUp({
      listener: (_, response) => void response.writeHead(200, { 'content-type': 'video/mp4' }).write(files.track),
    });
    const leaving = new AbortController();
    const going = deliver(video(track, audio), {}, leaving.signal);
    setTimeout(() => leaving.abort(), 200);
    await expect(going).rejects.toMatchObject({ code: 'timeout' });
    expect(onDisk()).toEqual([]);
  });
});

describe('only the audio', () => {
  it('is cut out of the smallest video that has it', async () => {
    const { deliver } = await setUp({ files: { hd: media('sea-720.mp4'), sd: media('sea-360.mp4') } });
    const file = asFile(await deliver(video(hd, sd), { form: 'audio' }));
    expect(file).toMatchObject({ mime: 'audio/mp4', fileName: 'kelp.forest-2025-10-09-C9TestReef01.m4a', width: null });
    expect(await probeFile(file.path, never)).toMatchObject({ kind: 'audio', audioCodec: 'aac', hasAudio: true });
  });
});

describe('an audio track that the CDN calls a video', () => {
  it('is sent as an audio track', async () => {
    const { deliver } = await setUp({ files: { music: media('clay-audio.mp4') } });
    const music = { ...audio, url: audio.url.replace('audio', 'music'), adaptive: false };
    const post = makePost({ items: [makeItem({ kind: 'audio', variants: [music] })] });
    const file = asFile(await deliver(post));
    expect(file).toMatchObject({ mime: 'audio/mp4', fileName: 'kelp.forest-2025-10-09-C9TestReef01.m4a', width: null });
  });
});

describe('only the audio of a video that has none', () => {
  it('cannot be had; that is not called too large', async () => {
    const { deliver } = await setUp({ files: { hd: media('silent-540.mp4') } });
    const untold = { ...hd, hasAudio: null };
    expect(await deliver(video(untold), { form: 'audio' })).toMatchObject({ reason: 'upstream_unavailable' });
  });
});

describe('what is wrong with a file', () => {
  const whole = media('sea-360.mp4');
  it.each<[string, RequestListener]>([
    ['a video cut off where it was kept', (_, to) => to.writeHead(200, MP4).end(whole.subarray(0, whole.length * 0.6))],
    [
      'a length that is too short',
      (_, to) => {
        to.socket?.end(
          `HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 30000\r\n\r\n${'x'.repeat(60_000)}`,
        );
      },
    ],
    [
      'a length that is too long, each time',
      (_, to) => {
        to.writeHead(200, { ...MP4, 'content-length': whole.length * 2 });
        to.write(whole, () => to.socket?.end());
      },
    ],
    ['noise', (_, to) => to.writeHead(200, MP4).end(Buffer.alloc(50_000, 7))],
    ['nothing', (_, to) => to.writeHead(200, MP4).end()],
    ['a page', (_, to) => to.writeHead(200, MP4).end('<!DOCTYPE html><title>Sorry</title>')],
  ])('%s: the next is taken, and nothing is left', async (_, broken) => {
    const { deliver, onDisk } = await setUp({
      listener: (request, response) => {
        if (request.url?.includes('/hd') === true) broken(request, response);
        else serveFile(request, response, filmOf(8_000));
      },
    });
    const file = asFile(await deliver(video(hd, sd)));
    expect(file.bytes).toBe(8_000);
    await file.dispose();
    expect(onDisk()).toEqual([]);
  });

  it('a disk that is full: a link, and nothing is left', async () => {
    const { deliver, tempDir, log } = await setUp({ files: { hd: filmOf(300_000) } });
    const own = join(tempDir, readdirSync(tempDir)[0] ?? '');
    symlinkSync('/dev/full', join(own, '1'));
    expect(await deliver(video(hd))).toMatchObject({ kind: 'link', reason: 'upstream_unavailable' });
    expect(JSON.stringify(log.at('error'))).toContain('a file could not be had');
    expect(readdirSync(own)).toEqual([]);
  });

  it('a disk that is full of kept files: they go, and it is tried again', async () => {
    const { deliver, tempDir } = await setUp({ files: { hd: filmOf(300_000), sd: filmOf(200_000) }, keptBytes: MB });
    const kept = asFile(await deliver(video(sd)));
    await kept.dispose();
    const own = join(tempDir, readdirSync(tempDir)[0] ?? '');
    symlinkSync('/dev/full', join(own, '2'));
    // The first try writes into the link; what cleans up takes it away.
    const file = await deliver(video(hd));
    expect(existsSync(kept.path)).toBe(false);
    expect(file.kind === 'file' ? file.bytes : file.reason).toBe(300_000);
  });
});

describe('kept files', () => {
  const files = { hd: filmOf(300_000, 'hd'), sd: filmOf(200_000, 'sd'), tiny: filmOf(100_000, 'tiny') };
  const tiny = variant('tiny', { width: 480, height: 854 });

  it('cost nothing when they are asked for again', async () => {
    const { deliver, asked } = await setUp({ files, keptBytes: MB });
    const first = asFile(await deliver(video(hd)));
    await first.dispose();
    const second = asFile(await deliver(video(hd)));
    expect(second.path).toBe(first.path);
    expect(asked).toEqual(['GET hd']);
  });

  it('go when they are the longest unwanted and there is no room', async () => {
    const { deliver, asked, onDisk } = await setUp({ files, keptBytes: 450_000 });
    for (const each of [hd, tiny, hd, sd]) await asFile(await deliver(video(each))).dispose();
    expect(asked).toEqual(['GET hd', 'GET tiny', 'GET sd']);
    // hd and sd together are too many: tiny and then hd, which was wanted before sd, went.
    expect(onDisk()).toHaveLength(1);
    await asFile(await deliver(video(sd))).dispose();
    expect(asked).toHaveLength(3);
  });

  it('that were deleted are made again', async () => {
    const { deliver, asked } = await setUp({ files, keptBytes: MB });
    const first = asFile(await deliver(video(hd)));
    await first.dispose();
    rmSync(first.path);
    const second = asFile(await deliver(video(hd)));
    expect(readFileSync(second.path).equals(files.hd)).toBe(true);
    expect(asked).toHaveLength(2);
  });
});

describe('thumbnails', () => {
  const files = { hd: media('sea-360.mp4'), cover: media('sea-cover.jpg') };
  const covered = makePost({
    items: [makeItem({ variants: [hd], thumbnailUrl: `https://${HOST}/v/cover.jpg?oe=7F000000` })],
  });

  it('are the upstream’s own picture made small, and only where they are wanted', async () => {
    const { deliver, asked, onDisk } = await setUp({ files });
    const plain = asFile(await deliver(covered));
    expect(plain.thumbnail).toBeNull();
    const file = asFile(await deliver(covered, { thumbnail: true }));
    const { path = '', bytes = 0 } = file.thumbnail ?? {};
    const picture = readFileSync(path);
    expect(picture.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(bytes).toBe(picture.length);
    expect(bytes).toBeLessThan(200_000);
    expect(asked).toEqual(['GET hd', 'GET cover']);
    await plain.dispose();
    await file.dispose();
    expect(onDisk()).toEqual([]);
  });

  it('are left out where there is nothing to make them of', async () => {
    const { deliver } = await setUp({ files: { hd: files.hd } });
    expect(asFile(await deliver(video(hd), { thumbnail: true })).thumbnail).toBeNull();
    expect(asFile(await deliver(covered, { thumbnail: true })).thumbnail).toBeNull();
  });
});

describe('photos', () => {
  it('that few clients show come as they are when nothing can read them', async () => {
    const heic = variant('heic', { mime: 'image/heic', hasVideo: false, hasAudio: false });
    const { deliver } = await setUp({ files: { heic: Buffer.alloc(9_000, 3) } });
    const post = makePost({ items: [makePhoto({ variants: [heic] })] });
    expect(asFile(await deliver(post))).toMatchObject({ mime: 'image/heic', bytes: 9_000 });
  });

  const png = variant('png', { mime: 'image/png', hasVideo: false, hasAudio: false });
  const pinned = makePost({ items: [makePhoto({ variants: [png] })] });

  it('that are too large come as a JPEG, also after the chat refused them', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const painting = sharp({ create: { width: 300, height: 200, channels: 3, background: '#345', noise } });
    const { deliver } = await setUp({ files: { png: await painting.png().toBuffer() } });
    const whole = asFile(await deliver(pinned));
    expect(whole.mime).toBe('image/png');
    const small = { mime: 'image/jpeg', fileName: expect.stringMatching(/\.jpg$/) };
    const again = asFile(await deliver(pinned, { refused: [whole.variantKey] }));
    expect(again).toMatchObject(small);
    const maxBytes = whole.bytes - 1;
    const fresh = await setUp({ files: { png: readFileSync(whole.path) } });
    expect(asFile(await fresh.deliver(pinned, { maxBytes }))).toMatchObject({ ...small, bytes: again.bytes });
    await expect(deliver(pinned, { refused: [whole.variantKey, again.variantKey] })).resolves.toMatchObject({
      reason: 'too_large',
    });
  });

  it('that are too large and cannot be read are said to be too large', async () => {
    const { deliver } = await setUp({ files: { png: Buffer.alloc(9_000, 3) } });
    await expect(deliver(pinned, { maxBytes: 8_000 })).resolves.toMatchObject({ reason: 'too_large' });
  });
});

describe.skipIf(ffmpegMissing)(`with ffmpeg${ffmpegNote}`, () => {
  let ffmpeg: Ffmpeg;
  let noisy: Buffer;
  let vp9: Buffer;
  let noiseTrack: Buffer;

  beforeAll(async () => {
    const found = await findFfmpeg({ searchPath: process.env.PATH ?? '' });
    if (found === undefined) throw new Error('there is no ffmpeg that can be used');
    ffmpeg = found;
    const noise = 'testsrc2=size=216x384:rate=12:duration=2,noise=alls=40:allf=t';
    const tone = ['-f', 'lavfi', '-i', 'sine=duration=2', '-c:a', 'aac'];
    noisy = clip('noisy.mp4', ['-f', 'lavfi', '-i', noise, ...tone, ...X264]);
    noiseTrack = clip('track.mp4', ['-f', 'lavfi', '-i', noise, '-an', ...X264]);
    vp9 = clip('vp9.mp4', [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=180x320:rate=12:duration=1',
      '-c:v',
      'libvpx-vp9',
      '-cpu-used',
      '8',
    ]);
  });

  function clip(name: string, args: readonly string[]): Buffer {
    const path = join(folder(), name);
    execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, '-movflags', '+faststart', path]);
    return readFileSync(path);
  }
  const big = variant('big', { width: 216, height: 384 });

  it('a video that is too large is made to fit, once for all who ask', async () => {
    const { deliver, asked } = await setUp({ files: { big: noisy }, ffmpeg, keptBytes: 100 * MB });
    const maxBytes = Math.floor(noisy.length / 2);
    const together = await Promise.all(Array.from({ length: 10 }, () => deliver(video(big), { maxBytes })));
    const [first, ...others] = together.map(asFile);
    expect(new Set(others.map(({ path }) => path))).toEqual(new Set([first?.path]));
    expect(first?.bytes).toBeLessThanOrEqual(maxBytes * 0.98);
    expect(first?.variantKey).toMatch(/^compress-/);
    const probe = await probeFile(first?.path ?? '', never);
    expect(probe).toMatchObject({ videoCodec: 'avc', audioCodec: 'aac', fastStart: true });
    expect(Math.abs((probe.durationMs ?? 0) - 2_000)).toBeLessThan(200);
    expect((probe.width ?? 0) / (probe.height ?? 1)).toBeCloseTo(216 / 384, 1);
    for (const file of together.map(asFile)) await file.dispose();
    const later = asFile(await deliver(video(big), { maxBytes }));
    expect(later.path).toBe(first?.path);
    expect(asked.filter(line => line === 'GET big').length).toBeLessThanOrEqual(2);
  });

  it('is made of the next video when the one it was to be made of cannot be had', async () => {
    const { deliver } = await setUp({ files: { big: noisy }, ffmpeg });
    const gone = variant('gone', { width: 720, height: 1280, bytes: 30 * MB });
    const change = { maxBytes: Math.floor(noisy.length / 2) };
    const [file, same] = (await Promise.all([1, 2].map(() => deliver(video(gone, big), change)))).map(asFile);
    expect(file?.variantKey).toMatch(/^compress-\d+-216x384-/);
    expect(same?.path).toBe(file?.path);
  });

  it('two halves that are too large together are put together and made to fit', async () => {
    const { deliver } = await setUp({ files: { track: noiseTrack, audio: media('clay-audio.mp4') }, ffmpeg });
    const maxBytes = Math.floor(noiseTrack.length / 2);
    const file = asFile(await deliver(video(track, audio), { maxBytes }));
    expect(file.bytes).toBeLessThanOrEqual(maxBytes * 0.98);
    expect(await probeFile(file.path, never)).toMatchObject({ videoCodec: 'avc', hasAudio: true });
  });

  it('a video of more bits than phones play is encoded again', async () => {
    const smooth = ['-f', 'lavfi', '-i', 'testsrc2=size=180x320:rate=12:duration=1', '-pix_fmt', 'yuv420p10le'];
    const deep = clip('deep.mp4', [...smooth, '-c:v', 'libx264', '-preset', 'ultrafast']);
    const { deliver } = await setUp({ files: { hd: deep }, ffmpeg });
    const file = asFile(await deliver(video(hd)));
    expect(file.variantKey).toMatch(/^compress-/);
    expect((await probeFile(file.path, never)).isCommon).toBe(true);
  });

  it('a video that few clients play is encoded again, whatever the upstream said of it; without ffmpeg it comes as it is', async () => {
    const { deliver, asked } = await setUp({ files: { hd: vp9 }, ffmpeg });
    const file = asFile(await deliver(video(hd)));
    expect(await probeFile(file.path, never)).toMatchObject({ videoCodec: 'avc' });
    expect(asked).toEqual(['GET hd']);
    const plain = await setUp({ files: { hd: vp9 } });
    expect(await probeFile(asFile(await plain.deliver(video(hd))).path, never)).toMatchObject({ videoCodec: 'vp9' });
    const choosy = await setUp({ files: { hd: vp9, sd: filmOf(9_000) } });
    expect(asFile(await choosy.deliver(video(hd, sd))).bytes).toBe(9_000);
  });

  it('a video that few clients play takes no more room than it needs, however large the budget', async () => {
    const { deliver } = await setUp({ files: { hd: vp9 }, ffmpeg, maxSpoolBytes: 2 * MB });
    const file = asFile(await deliver(video(hd), { maxBytes: 2_000 * MB }));
    expect(file.variantKey).toMatch(/^compress-/);
  });

  it('a video without a picture of its own gives one of its first', async () => {
    const { deliver } = await setUp({ files: { hd: media('sea-360.mp4') }, ffmpeg });
    const file = asFile(await deliver(video(hd), { thumbnail: true }));
    expect(file.thumbnail?.bytes).toBeGreaterThan(500);
  });

  /** A program that says it is ffmpeg and then does something else. */
  async function impostor(deed: string): Promise<Ffmpeg> {
    const at = folder();
    const path = join(at, 'ffmpeg');
    const trial = `case "$*" in *-version*|*-encoders*) exec ${ffmpeg.program} "$@";; esac`;
    writeFileSync(path, `#!/bin/sh\n${trial}\n${deed}\n`);
    chmodSync(path, 0o755);
    const found = await findFfmpeg({ searchPath: `${at}:${process.env.PATH}` });
    if (found?.program !== path) throw new Error('the impostor was not found');
    return found;
  }

  it.each([
    ['is killed', 'kill -9 $$'],
    ['fails', 'echo "No such filter" >&2; exit 1'],
    ['says that the disk is full', 'echo "No space left on device" >&2; exit 1'],
    ['writes something else', 'for last; do :; done; echo hello > "$' + '{last#file:}"'],
  ])('that %s: the page plays it, and nothing is left', async (_, deed) => {
    const page = 'https://medley.example/v/abc';
    const { deliver, onDisk } = await setUp({
      files: { big: noisy },
      ffmpeg: await impostor(deed),
      addresses: { file: () => 'https://medley.example/media/abc', page: () => page },
    });
    const delivered = await deliver(video(big), { maxBytes: Math.floor(noisy.length / 2) });
    expect(delivered.kind).toBe('link');
    if (!deed.includes('No space')) expect(delivered).toMatchObject({ url: page, reason: 'too_large' });
    expect(onDisk()).toEqual([]);
  });

  it('that hangs ends with the last who waits, with all it started', async () => {
    const { deliver, onDisk } = await setUp({ files: { big: noisy }, ffmpeg: await impostor('sleep 600 & sleep 600') });
    const leaving = new AbortController();
    const going = deliver(video(big), { maxBytes: Math.floor(noisy.length / 2) }, leaving.signal);
    const before = childrenOf().length;
    await expect.poll(() => childrenOf().length).toBeGreaterThan(before);
    leaving.abort();
    await expect(going).rejects.toMatchObject({ code: 'timeout' });
    expect(onDisk()).toEqual([]);
  });
});

const MP4 = { 'content-type': 'video/mp4' };
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '20', '-pix_fmt', 'yuv420p'];
