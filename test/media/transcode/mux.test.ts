import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { extractAudio, muxFiles } from '../../../src/media/transcode/mux.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import {
  ffmpeg,
  ffmpegMissing,
  ffmpegNote,
  ffprobe,
  makeFolder,
  makeSharedFolder,
  picture,
  QUICK_H264,
  tone,
} from '../../ffmpeg.ts';

const signal = new AbortController().signal;
const broken = { code: 'upstream_unavailable', params: { what: 'broken_file' } };
const DASH = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof'];

/** Every packet's bytes, as a checksum each: what is copied must be the same. */
async function packetsOf(path: string, stream: 'v' | 'a'): Promise<readonly string[]> {
  const sums = join(await makeFolder(), 'sums');
  await ffmpeg('-i', path, '-map', `0:${stream}:0`, '-c', 'copy', '-f', 'framemd5', `file:${sums}`);
  const lines = (await readFile(sums, 'utf8')).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return lines.map(line => line.split(',')[5]?.trim() ?? '');
}

describe.skipIf(ffmpegMissing)(`muxing${ffmpegNote}`, () => {
  let folder: string;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    const shared = await makeSharedFolder();
    folder = shared.path;
    // Frames out of order, as every upstream has them.
    const coded = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3', '-g', '30', '-c:a', 'aac'];
    await ffmpeg(...picture('320x180', 3), ...tone(3), ...coded, at('plain.mp4'));
    const copy = ['-i', at('plain.mp4'), '-c', 'copy'];
    await ffmpeg(...copy, '-an', ...DASH, at('picture.mp4'));
    await ffmpeg(...copy, '-vn', ...DASH, at('audio.mp4'));
    await ffmpeg(...copy, '-an', '-metadata:s:v', 'rotate=90', at('turned.mp4'));
    await ffmpeg(...tone(1), '-c:a', 'libmp3lame', at('audio.mp3'));
    await ffmpeg(...picture('160x90', 1), ...QUICK_H264, at('silent.mp4'));
    return shared.remove;
  });

  it('joins the picture of one file and the audio of another, packet by packet', async () => {
    const outputPath = join(await makeFolder(), 'out.mp4');
    await muxFiles({ inputPath: at('picture.mp4'), audioPath: at('audio.mp4'), outputPath, signal });
    expect(await probeFile(outputPath, signal)).toMatchObject({
      videoCodec: 'avc',
      audioCodec: 'aac',
      fastStart: true,
      isFragmented: false,
      width: 320,
      height: 180,
      frameRate: 30,
    });
    expect(await packetsOf(outputPath, 'v')).toEqual(await packetsOf(at('plain.mp4'), 'v'));
    expect(await packetsOf(outputPath, 'a')).toEqual(await packetsOf(at('plain.mp4'), 'a'));
    // No decoder has anything to complain about.
    await ffmpeg('-xerror', '-i', outputPath, '-f', 'null', '-');
    const inputs = await Promise.all(['picture.mp4', 'audio.mp4'].map(async name => (await stat(at(name))).size));
    expect((await stat(outputPath)).size).toBeLessThan(inputs.reduce((sum, size) => sum + size) * 1.05 + 8_192);
  });

  it('keeps picture and audio together in time', async () => {
    const outputPath = join(await makeFolder(), 'out.mp4');
    await muxFiles({ inputPath: at('plain.mp4'), outputPath, signal });
    const entries = 'stream=codec_type,start_time,duration,nb_frames';
    expect(await ffprobe(outputPath, entries)).toBe(await ffprobe(at('plain.mp4'), entries));
    expect((await probeFile(at('plain.mp4'), signal)).fastStart).toBe(false);
    expect((await probeFile(outputPath, signal)).fastStart).toBe(true);
  });

  it('keeps how a video is turned', async () => {
    const outputPath = join(await makeFolder(), 'out.mp4');
    await muxFiles({ inputPath: at('turned.mp4'), outputPath, signal });
    expect(await probeFile(outputPath, signal)).toMatchObject({ width: 180, height: 320, hasAudio: false });
    const rotation = await ffprobe(outputPath, 'stream_side_data=rotation');
    expect(rotation).toMatch(/^rotation=-?90$/m);
    expect(rotation).toBe(await ffprobe(at('turned.mp4'), 'stream_side_data=rotation'));
  });

  it('copies audio as M4A', async () => {
    const outputPath = join(await makeFolder(), 'out.m4a');
    await extractAudio({ inputPath: at('plain.mp4'), outputPath, signal });
    expect(await probeFile(outputPath, signal)).toMatchObject({ kind: 'audio', audioCodec: 'aac', durationMs: 3_000 });
    expect(await packetsOf(outputPath, 'a')).toEqual(await packetsOf(at('plain.mp4'), 'a'));
  });

  it('says so when an audio track cannot be copied or there is none', async () => {
    const outputPath = join(await makeFolder(), 'out.m4a');
    const mp3 = extractAudio({ inputPath: at('audio.mp3'), outputPath, signal });
    await expect(mp3).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(extractAudio({ inputPath: at('silent.mp4'), outputPath, signal })).rejects.toMatchObject(broken);
    expect(existsSync(outputPath)).toBe(false);
  });

  it.each(['picture.mp4', 'audio.mp4'])('leaves nothing behind when %s is cut off', async name => {
    const own = await makeFolder();
    const cut = join(own, 'cut.mp4');
    const outputPath = join(own, 'out.mp4');
    await copyFile(at(name), cut);
    await truncate(cut, Math.floor((await stat(cut)).size * 0.7));
    const paths = name === 'picture.mp4' ? [cut, at('audio.mp4')] : [at('picture.mp4'), cut];
    const [inputPath = '', audioPath = ''] = paths;
    await expect(muxFiles({ inputPath, audioPath, outputPath, signal })).rejects.toMatchObject(broken);
    expect(existsSync(outputPath)).toBe(false);
  });

  it('leaves nothing behind when the caller gives up', async () => {
    const outputPath = join(await makeFolder(), 'out.mp4');
    const abort = new AbortController();
    const given = new AppError('too_large', 'enough');
    const muxing = muxFiles({
      inputPath: at('picture.mp4'),
      audioPath: at('audio.mp4'),
      outputPath,
      signal: abort.signal,
    });
    setImmediate(() => abort.abort(given));
    await expect(muxing).rejects.toBe(given);
    expect(existsSync(outputPath)).toBe(false);
  });

  it('distinguishes a disk that fails from a broken file', async () => {
    const outputPath = join(await makeFolder(), 'out.mp4');
    const request = { inputPath: at('picture.mp4'), audioPath: at('audio.mp4'), signal };
    const nowhere = muxFiles({ ...request, outputPath: join(outputPath, 'out.mp4') });
    await expect(nowhere).rejects.toMatchObject({ code: 'internal', cause: { code: 'ENOENT' } });
    await symlink('/dev/full', outputPath);
    const full = muxFiles({ ...request, outputPath });
    await expect(full).rejects.toMatchObject({ code: 'internal', cause: { code: 'ENOSPC' } });
    expect(existsSync(outputPath)).toBe(false);
  });

  it('either copies or refuses whatever was done to a file', async () => {
    const own = await makeFolder();
    const mutantPath = join(own, 'mutant.mp4');
    const outputPath = join(own, 'out.mp4');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('plain.mp4', 'picture.mp4'),
        fc.array(fc.tuple(fc.nat(5_000), fc.nat(255)), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (name, changes, atEnd) => {
          const mutant = await readFile(at(name));
          for (const [offset, value] of changes)
            mutant[atEnd ? mutant.length - 1 - offset : Math.min(offset, mutant.length - 1)] = value;
          await writeFile(mutantPath, mutant);
          await rm(outputPath, { force: true });
          const startedAt = performance.now();
          const outcome: unknown = await muxFiles({ inputPath: mutantPath, outputPath, signal }).catch(
            (error: unknown) => error,
          );
          expect(performance.now() - startedAt).toBeLessThan(30_000);
          expect(existsSync(outputPath)).toBe(outcome === undefined);
          if (outcome !== undefined) expect(outcome).toBeInstanceOf(AppError);
        },
      ),
      { numRuns: 150 },
    );
  });
});
