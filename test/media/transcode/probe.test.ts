import { copyFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import {
  ffmpeg,
  ffmpegMissing,
  ffmpegNote,
  makeFolder,
  makeSharedFolder,
  picture,
  QUICK_H264,
  tone,
} from '../../ffmpeg.ts';

const never = new AbortController().signal;
const broken = { code: 'upstream_unavailable', params: { what: 'broken_file' } };

async function write(content: string | Uint8Array): Promise<string> {
  const path = join(await makeFolder(), 'file');
  await writeFile(path, content);
  return path;
}

/** A box of an MP4: its length, its name, its content. */
function box(type: string, ...content: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

const words = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4);
  });
  return bytes;
};

describe('what is no media file', () => {
  it.each([
    ['nothing at all', ''],
    ['a page', '<!DOCTYPE html><html><body>Please log in</body></html>'],
    ['a signature that expired', 'URL signature expired'],
    ['one byte', 'x'],
    ['a playlist that names files of ours', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'],
    ['noise', Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 251)],
    ['a box of half a head', box('ftyp').subarray(0, 6)],
    ['an MP4 of nothing', box('ftyp', Buffer.from('isom\0\0\0\0isom'))],
    ['an index without media', Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), box('moov')])],
    ['media without an index', Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), box('mdat', words(1, 2))])],
    ['boxes shorter than their heads', Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), words(4, 0x6d6f6f76)])],
  ])('is refused: %s', async (_, content) => {
    const error: unknown = await probeFile(await write(content), never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject(broken);
  });

  it.each([
    ['stts', words(0, 1, 0xffffffff, 1)],
    ['ctts', words(0, 1, 0xffffffff, 1)],
    ['stts', words(0, 0xffffffff)],
    ['stsz', words(0, 0, 0xffffffff)],
    ['stsc', words(0, 1, 0xfffffff0, 1, 1)],
    ['stsc', words(0, 1, 1, 0xfffffff0, 1)],
    ['stts', words(0)],
  ])('is refused when its %s claims what no video has', async (type, content) => {
    const index = box('moov', box('trak', box('mdia', box('minf', box('stbl', box(type, content))))));
    const path = await write(Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0')), index, box('mdat', words(1))]));
    await expect(probeFile(path, never)).rejects.toMatchObject(broken);
  });

  it('distinguishes the disk from the file', async () => {
    await expect(probeFile('/nowhere/at/all', never)).rejects.toThrow('ENOENT');
  });

  it('gives up with the caller', async () => {
    const given = new AppError('too_large', 'enough');
    await expect(probeFile(await write('x'), AbortSignal.abort(given))).rejects.toBe(given);
    await expect(probeFile(await write('x'), AbortSignal.abort('bored'))).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe.skipIf(ffmpegMissing)(`probing${ffmpegNote}`, () => {
  let folder: string;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    const shared = await makeSharedFolder();
    folder = shared.path;
    const sounded = [...picture('320x180', 2), ...tone(2), ...QUICK_H264];
    await ffmpeg(...sounded, '-c:a', 'aac', at('plain.mp4'));
    const copy = ['-i', at('plain.mp4'), '-c', 'copy'];
    await ffmpeg(...copy, '-movflags', '+faststart', at('fast.mp4'));
    await ffmpeg(...copy, '-an', '-movflags', '+faststart', at('silent.mp4'));
    await ffmpeg(...copy, '-metadata:s:v', 'rotate=90', at('turned.mp4'));
    await ffmpeg(...copy, '-movflags', '+frag_keyframe+empty_moov+default_base_moof', at('dash.mp4'));
    await ffmpeg(...copy, '-vn', at('audio.m4a'));
    await ffmpeg('-i', at('plain.mp4'), '-vf', 'setsar=2', ...QUICK_H264, '-an', at('wide.mp4'));
    await ffmpeg('-i', at('plain.mp4'), ...QUICK_H264, '-pix_fmt', 'yuv420p10le', '-an', at('deep.mp4'));
    await ffmpeg('-i', at('plain.mp4'), ...QUICK_H264, '-pix_fmt', 'yuv444p', '-an', at('full-colour.mp4'));
    await ffmpeg('-i', at('plain.mp4'), '-c:v', 'copy', '-c:a', 'libopus', at('opus.mp4'));
    await ffmpeg(...tone(1), '-c:a', 'libmp3lame', at('audio.mp3'));
    await ffmpeg(...tone(1), '-c:a', 'libopus', at('audio.ogg'));
    await ffmpeg(...picture('160x90', 1), '-c:v', 'libvpx-vp9', '-deadline', 'realtime', at('small.webm'));
    return shared.remove;
  });

  it('says what a video is', async () => {
    expect(await probeFile(at('plain.mp4'), never)).toEqual({
      kind: 'video',
      width: 320,
      height: 180,
      durationMs: 2_000,
      videoCodec: 'avc',
      audioCodec: 'aac',
      hasAudio: true,
      isCommon: true,
      hdr: null,
      frameRate: 30,
      fastStart: false,
      isFragmented: false,
    });
  });

  it.each([
    ['fast.mp4', { fastStart: true, hasAudio: true }],
    ['silent.mp4', { hasAudio: false, audioCodec: null, kind: 'video', isCommon: true }],
    ['deep.mp4', { videoCodec: 'avc', isCommon: false }],
    ['full-colour.mp4', { videoCodec: 'avc', isCommon: false }],
    ['opus.mp4', { videoCodec: 'avc', audioCodec: 'opus', isCommon: false }],
    ['turned.mp4', { width: 180, height: 320 }],
    ['wide.mp4', { width: 640, height: 180 }],
    ['dash.mp4', { isFragmented: true, fastStart: true, videoCodec: 'avc', audioCodec: 'aac' }],
    ['audio.m4a', { kind: 'audio', audioCodec: 'aac', width: null, height: null, videoCodec: null, frameRate: null }],
    ['audio.mp3', { kind: 'audio', audioCodec: 'mp3', fastStart: true }],
    ['audio.ogg', { kind: 'audio', audioCodec: 'opus' }],
    ['small.webm', { kind: 'video', videoCodec: 'vp9', isCommon: false, width: 160, hasAudio: false }],
  ])('says what %s is', async (name, expected) => {
    const probe = await probeFile(at(name), never);
    expect(probe).toMatchObject(expected);
    expect(probe.durationMs).toBeGreaterThan(900);
    expect(probe.durationMs).toBeLessThan(2_100);
  });

  it.each(['plain.mp4', 'fast.mp4', 'dash.mp4', 'audio.m4a'])('refuses %s cut anywhere but at its end', async name => {
    const path = join(await makeFolder(), name);
    const { size } = await stat(at(name));
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      await copyFile(at(name), path);
      await truncate(path, Math.floor(size * share));
      await expect(probeFile(path, never), `${share}`).rejects.toMatchObject(broken);
    }
  });

  it('either answers or refuses, soon and with little memory, whatever was done to a file', async () => {
    const path = join(await makeFolder(), 'mutant');
    const memoryBefore = process.memoryUsage().rss;
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      value: fc.integer({ min: 0, max: 255 }),
    });
    const place = fc.constantFrom('head', 'tail', 'anywhere');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('fast.mp4', 'plain.mp4', 'dash.mp4', 'audio.ogg', 'audio.mp3', 'small.webm'),
        fc.array(change, { minLength: 1, maxLength: 24 }),
        place,
        fc.option(fc.double({ min: 0.05, max: 1, noNaN: true })),
        async (name, changes, where, cut) => {
          const mutant = await readFile(at(name));
          const reach = Math.min(mutant.length, where === 'anywhere' ? mutant.length : 6_000);
          const from = where === 'tail' ? mutant.length - reach : 0;
          for (const { at: share, value } of changes)
            mutant[from + Math.min(reach - 1, Math.floor(share * reach))] = value;
          await writeFile(path, cut === null ? mutant : mutant.subarray(0, Math.floor(mutant.length * cut)));
          const startedAt = performance.now();
          const outcome: unknown = await probeFile(path, never).catch((error: unknown) => error);
          expect(performance.now() - startedAt).toBeLessThan(30_000);
          if (outcome instanceof Error) expect(outcome).toMatchObject(broken);
        },
      ),
      { numRuns: 400 },
    );
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(300 * 1024 * 1024);
  });
});
