import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import {
  convertToJpeg,
  convertToM4a,
  convertToMp3,
  makeThumbnail,
  mostMp3Bytes,
  writeJpegByFfmpeg,
} from '../../../src/media/transcode/convert.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { type Probe, probeFile } from '../../../src/media/transcode/probe.ts';
import { makePost } from '../../fakes/post.ts';
import {
  FFMPEG_PATH,
  ffmpegMissing,
  ffmpegNote,
  ffprobe,
  makeFolder,
  makeSharedFolder,
  picture,
  QUICK_H264,
  ffmpeg as runReal,
  tone,
} from '../../ffmpeg.ts';

const signal = new AbortController().signal;
const noFfmpeg = undefined;
const VIDEO: Probe = {
  ...{ kind: 'video', width: 320, height: 180, durationMs: 2_000, videoCodec: 'avc', audioCodec: null },
  ...{ hasAudio: false, isCommon: true, hdr: null, frameRate: 30, fastStart: true, isFragmented: false },
};

/** A picture with detail everywhere, 600 x 400. */
function painting() {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 600, height: 400, channels: 3, background: '#345', noise } });
}

describe('photos', () => {
  it.each(['webp', 'avif', 'png', 'gif'] as const)('become JPEG from %s', async format => {
    const folder = await makeFolder();
    const inputPath = join(folder, 'in');
    const outputPath = join(folder, 'out.jpg');
    await painting().toFormat(format, { quality: 60, effort: 1 }).toFile(inputPath);
    expect(await convertToJpeg({ inputPath, outputPath, signal, ffmpeg: noFfmpeg })).toBe(true);
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'jpeg', width: 600, height: 400 });
  });

  it('are turned as they are shown, on white where they were clear', async () => {
    const folder = await makeFolder();
    const inputPath = join(folder, 'in.webp');
    const outputPath = join(folder, 'out.jpg');
    const clear = sharp({ create: { width: 60, height: 40, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
    await clear.withMetadata({ orientation: 6 }).webp().toFile(inputPath);
    await convertToJpeg({ inputPath, outputPath, signal, ffmpeg: noFfmpeg });
    const { data, info } = await sharp(outputPath).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, data[0]]).toEqual([40, 60, 255]);
  });

  it('that are none leave nothing behind', async () => {
    const folder = await makeFolder();
    const inputPath = join(folder, 'in.webp');
    const outputPath = join(folder, 'out.jpg');
    await writeFile(inputPath, '<html>URL signature expired</html>');
    const ffmpeg = await findFfmpeg({ searchPath: FFMPEG_PATH });
    expect(await convertToJpeg({ inputPath, outputPath, signal, ffmpeg })).toBe(false);
    expect(await makeThumbnail({ inputPath, probe: null, outputPath, signal, ffmpeg })).toBe(false);
    expect(existsSync(outputPath)).toBe(false);
  });

  it('do not wait for callers who gave up', async () => {
    const given = new AppError('too_large', 'enough');
    const request = { inputPath: '/nowhere', outputPath: '/nowhere', signal: AbortSignal.abort(given) };
    await expect(convertToJpeg({ ...request, ffmpeg: noFfmpeg })).rejects.toBe(given);
  });
});

describe('a thumbnail', () => {
  it.each([
    ['wide', 1_200, 400, 320, 107],
    ['upright', 400, 1_200, 107, 320],
    ['small', 100, 50, 100, 50],
  ])('of a %s picture is small enough for Telegram', async (_, width, height, thumbWidth, thumbHeight) => {
    const folder = await makeFolder();
    const inputPath = join(folder, 'in.webp');
    const outputPath = join(folder, 'thumb.jpg');
    await painting().resize(width, height, { fit: 'fill' }).webp().toFile(inputPath);
    expect(await makeThumbnail({ inputPath, probe: null, outputPath, signal, ffmpeg: noFfmpeg })).toBe(true);
    expect((await readFile(outputPath)).length).toBeLessThan(200_000);
    const expected = { format: 'jpeg', width: thumbWidth, height: thumbHeight };
    expect(await sharp(outputPath).metadata()).toMatchObject(expected);
  });

  it('is left out when there is nothing to make it of', async () => {
    const outputPath = join(await makeFolder(), 'thumb.jpg');
    const request = { inputPath: '/nowhere', outputPath, signal, ffmpeg: noFfmpeg };
    expect(await makeThumbnail({ ...request, probe: null })).toBe(false);
    expect(await makeThumbnail({ ...request, probe: VIDEO })).toBe(false);
  });
});

describe.skipIf(ffmpegMissing)(`with ffmpeg${ffmpegNote}`, () => {
  let folder: string;
  let ffmpeg: Ffmpeg | undefined;
  const at = (name: string) => join(folder, name);
  const read = async (name: string) => ({ inputPath: at(name), probe: await probeFile(at(name), signal) });

  beforeAll(async () => {
    ffmpeg = await findFfmpeg({ searchPath: FFMPEG_PATH });
    const shared = await makeSharedFolder();
    folder = shared.path;
    await runReal(...picture('320x180', 2), ...tone(2), ...QUICK_H264, '-c:a', 'aac', at('video.mp4'));
    await runReal('-i', at('video.mp4'), '-c:v', 'copy', '-c:a', 'libopus', at('opus.mp4'));
    await runReal('-i', at('video.mp4'), '-c', 'copy', '-an', at('silent.mp4'));
    await runReal(...tone(2), '-c:a', 'libmp3lame', at('audio.mp3'));
    const cover = ['-map', '0:a', '-map', '1:v', '-frames:v', '1', '-c:v', 'mjpeg', '-metadata', 'comment=made up'];
    await runReal('-i', at('audio.mp3'), '-i', at('video.mp4'), ...cover, '-c:a', 'copy', at('covered.mp3'));
    return shared.remove;
  });

  it.each(['video.mp4', 'opus.mp4', 'audio.mp3'])('the audio of %s becomes M4A', async name => {
    const outputPath = join(await makeFolder(), 'out.m4a');
    expect(await convertToM4a({ ...(await read(name)), outputPath, signal, ffmpeg })).toBe(true);
    const probe = await probeFile(outputPath, signal);
    expect(probe).toMatchObject({ kind: 'audio', audioCodec: 'aac', fastStart: true });
    expect(Math.abs((probe.durationMs ?? 0) - 2_000)).toBeLessThan(120);
  });

  const post = {
    author: { ...makePost().author, name: null, username: 'kelp.forest' },
    title: null,
    caption: '\n=Low\u0007 tide; "two" \u6d77 \u{1f30a}\nand more',
  };
  const toMp3 = async (name: string, outputPath: string, own = ffmpeg) => {
    const [inputPath, probe] = [at(name), await probeFile(at(name), signal)];
    return convertToMp3({ inputPath, outputPath, signal, ffmpeg: own, probe, post });
  };

  it.each(['video.mp4', 'opus.mp4', 'audio.mp3', 'covered.mp3'])(
    'the audio of %s becomes MP3 with title and artist, without a cover',
    async name => {
      const outputPath = join(await makeFolder(), 'out.mp3');
      expect(await toMp3(name, outputPath)).toBe(true);
      const probe = await probeFile(outputPath, signal);
      expect(probe).toMatchObject({ kind: 'audio', audioCodec: 'mp3' });
      expect(Math.abs((probe.durationMs ?? 0) - 2_000)).toBeLessThan(120);
      expect((await readFile(outputPath)).length).toBeLessThan(mostMp3Bytes(2_000));
      const said = await ffprobe(outputPath, 'stream=codec_name:format_tags=title,artist,comment');
      expect(said.trim().split('\n').sort()).toEqual([
        'TAG:artist=kelp.forest',
        'TAG:title==Low tide; "two" \u6d77 \u{1f30a}',
        'codec_name=mp3',
      ]);
    },
  );

  it('encodes no MP3 again', async () => {
    const folder = await makeFolder();
    const [before, after] = [join(folder, 'before.raw'), join(folder, 'after.raw')];
    await toMp3('audio.mp3', join(folder, 'out.mp3'));
    await runReal('-i', at('audio.mp3'), '-map', '0:a', '-c', 'copy', '-f', 'data', before);
    await runReal('-i', join(folder, 'out.mp3'), '-map', '0:a', '-c', 'copy', '-f', 'data', after);
    expect(await readFile(after)).toEqual(await readFile(before));
  });

  it('makes no MP3 of a silent video, or without an encoder for it', async () => {
    const own = await makeFolder();
    const outputPath = join(own, 'out.mp3');
    expect(await toMp3('silent.mp4', outputPath)).toBe(false);
    expect(await toMp3('video.mp4', outputPath, ffmpeg && { ...ffmpeg, hasMp3: false })).toBe(false);
    expect(await readdir(own)).toEqual([]);
  });

  it('says when there is no audio, or nothing to encode it with', async () => {
    const own = await makeFolder();
    const outputPath = join(own, 'out.m4a');
    expect(await convertToM4a({ ...(await read('silent.mp4')), outputPath, signal, ffmpeg })).toBe(false);
    expect(await convertToM4a({ ...(await read('opus.mp4')), outputPath, signal, ffmpeg: noFfmpeg })).toBe(false);
    expect(await readdir(own)).toEqual([]);
  });

  it('leaves nothing behind when ffmpeg fails', async () => {
    const own = await makeFolder();
    const outputPath = join(own, 'out.m4a');
    const failing: Ffmpeg | undefined = ffmpeg && {
      ...ffmpeg,
      async run() {
        await writeFile(outputPath, 'half');
        throw new AppError('internal', 'ffmpeg failed');
      },
    };
    const converting = convertToM4a({ ...(await read('opus.mp4')), outputPath, signal, ffmpeg: failing });
    await expect(converting).rejects.toMatchObject({ code: 'internal' });
    expect(await readdir(own)).toEqual([]);
  });

  it('a photo becomes JPEG by it where sharp cannot', async () => {
    const own = await makeFolder();
    const inputPath = join(own, 'in.webp');
    const outputPath = join(own, 'out.jpg');
    await painting().webp().toFile(inputPath);
    expect(await writeJpegByFfmpeg({ inputPath, outputPath, signal, ffmpeg, maxSide: 320, quality: 5 })).toBe(true);
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 213 });
  });

  it('a thumbnail is taken out of the video when there is no picture of it', async () => {
    const outputPath = join(await makeFolder(), 'thumb.jpg');
    expect(await makeThumbnail({ ...(await read('video.mp4')), outputPath, signal, ffmpeg })).toBe(true);
    expect((await readFile(outputPath)).length).toBeGreaterThan(500);
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 180 });
  });

  it.each([
    [2, 320, 120],
    [1 / 2, 213, 320],
  ])('a thumbnail has the shape of a video whose pixels are %s times as wide as high', async (shape, width, height) => {
    const folder = await makeFolder();
    const [inputPath, outputPath] = [join(folder, 'in.mp4'), join(folder, 'thumb.jpg')];
    await runReal(...picture('640x480', 1), '-vf', `setsar=${shape}`, ...QUICK_H264, inputPath);
    const probe = await probeFile(inputPath, signal);
    expect(await makeThumbnail({ inputPath, probe, outputPath, signal, ffmpeg })).toBe(true);
    expect(await sharp(outputPath).metadata()).toMatchObject({ width, height });
  });

  it('a thumbnail has the colours of the video', async () => {
    const folder = await makeFolder();
    const [inputPath, outputPath] = [join(folder, 'in.mp4'), join(folder, 'thumb.jpg')];
    const red = 'color=c=red:s=320x180:d=0.3,format=rgb24,scale=out_color_matrix=bt709,format=yuv420p';
    await runReal('-f', 'lavfi', '-i', red, '-vf', 'setparams=colorspace=bt709', ...QUICK_H264, inputPath);
    const probe = await probeFile(inputPath, signal);
    expect(await makeThumbnail({ inputPath, probe, outputPath, signal, ffmpeg })).toBe(true);
    expect((await sharp(outputPath).stats()).channels[0]?.mean).toBeGreaterThan(245);
  });

  it('a thumbnail of an HDR video is as bright as the video is shown', async () => {
    const folder = await makeFolder();
    const [inputPath, outputPath] = [join(folder, 'in.mp4'), join(folder, 'thumb.jpg')];
    const white = ['-f', 'lavfi', '-i', 'color=s=320x180:d=0.3,format=yuv420p10le,geq=572:512:512'];
    const tags = 'log-level=error:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc';
    await runReal(...white, '-c:v', 'libx265', '-x265-params', tags, inputPath);
    const probe = await probeFile(inputPath, signal);
    expect(await makeThumbnail({ inputPath, probe, outputPath, signal, ffmpeg })).toBe(true);
    expect((await sharp(outputPath).stats()).channels[0]?.mean).toBeGreaterThan(205);
  });

  it('a thumbnail of a still picture with music is that picture', async () => {
    const outputPath = join(await makeFolder(), 'thumb.jpg');
    const still = join(await makeFolder(), 'still.mp4');
    await runReal(...picture('320x180', 1, 1), ...tone(8), ...QUICK_H264, '-c:a', 'aac', still);
    const probe = await probeFile(still, signal);
    expect(await makeThumbnail({ inputPath: still, probe, outputPath, signal, ffmpeg })).toBe(true);
    expect(await sharp(outputPath).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 180 });
  });
});
