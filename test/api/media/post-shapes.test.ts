import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fbDownloadAnswer, igDownloadAnswer } from '../../../src/api/media/post-schema.ts';
import { formatDuration, type OwnAddress, toFbDownload, toIgDownload } from '../../../src/api/media/post-shapes.ts';
import type { MediaItem, Variant } from '../../../src/media/post.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

/** Says which tracks of which item it is of. */
const muxedAddress: OwnAddress = (index, { variant, audio }) => `muxed ${index} ${variant.url} ${audio?.url}`;

function mediaOf(...items: MediaItem[]) {
  return toIgDownload(makePost({ items }), 'Tester', muxedAddress).result.response.data;
}

const dash = (height: number, changes: Partial<Variant> = {}) =>
  makeVariant({
    url: `https://cdn/dash-${height}.mp4`,
    height,
    width: (height * 9) / 16,
    adaptive: true,
    hasAudio: false,
    ...changes,
  });

const audio = makeVariant({
  url: 'https://cdn/audio.m4a',
  ...{ mime: 'audio/mp4', codecs: 'mp4a.40.2', width: null, height: null, adaptive: true, hasVideo: false },
});

describe('toIgDownload', () => {
  it('leaves unknown strings empty, unknown lists empty and everything else null', () => {
    const post = makePost({
      author: { id: null, username: null, name: null, verified: null, avatarUrl: null },
      caption: null,
      hashtags: [],
      mentions: [],
      items: [
        makePhoto({
          width: null,
          height: null,
          variants: [makeVariant({ width: null, height: null, hasVideo: false })],
        }),
      ],
    });
    const answer = toIgDownload(post, 'Tester', muxedAddress);
    expect(igDownloadAnswer.safeParse(answer).success).toBe(true);
    const { profile, caption, statistics, data } = answer.result.response;
    expect(profile).toEqual({ id: '', full_name: '', username: '', is_verified: null, profile_pic_url: '' });
    expect(caption).toMatchObject({ hashtags: [], mentions: [], text: '' });
    expect(new Set(Object.values(statistics))).toEqual(new Set([null]));
    expect(data).toMatchObject([{ type: 'image', width: null, height: null }]);
  });

  it('has an entry for each item of the post, empty for those that could not be read', () => {
    const items = [makePhoto({ position: 1 }), makeItem({ position: 2 })];
    const answer = toIgDownload(makePost({ items, missingItems: 2 }), 'Tester', muxedAddress);
    expect(igDownloadAnswer.safeParse(answer).success).toBe(true);
    const { data } = answer.result.response;
    expect(data.map(({ type, url }) => `${type} ${url !== ''}`)).toEqual([
      'image false',
      'image true',
      'video true',
      'image false',
    ]);
    expect(data[0]).toEqual({ type: 'image', height: null, width: null, thumb: '', url: '' });
  });

  it('never gives a video-only track, however sharp', () => {
    const small = makeVariant({ url: 'https://cdn/small.mp4', width: 360, height: 640 });
    expect(mediaOf(makeItem({ variants: [dash(1920), dash(1280), small] }))[0]?.url).toBe('https://cdn/small.mp4');
  });

  it('gives the track of a video that has no audio', () => {
    expect(mediaOf(makeItem({ variants: [dash(1920), dash(1280)] }))[0]?.url).toBe('https://cdn/dash-1920.mp4');
  });

  it('states the size of the file it gives, not that of the original', () => {
    const small = makeVariant({ url: 'https://cdn/720.mp4', width: 720, height: 1280 });
    const item = makeItem({ width: 1080, height: 1920, variants: [dash(1920), small, audio] });
    expect(mediaOf(item)[0]).toMatchObject({ url: 'https://cdn/720.mp4', width: 720, height: 1280 });
    const unknown = makeVariant({ width: null, height: null });
    expect(mediaOf(makeItem({ variants: [unknown] }))[0]).toMatchObject({ width: null, height: null });
  });

  it('leads to what is put together where there are only tracks', () => {
    const item = makeItem({ width: 2160, height: 3840, variants: [dash(1280), audio, dash(1920)] });
    expect(mediaOf(makePhoto(), item)[1]).toMatchObject({
      url: 'muxed 1 https://cdn/dash-1920.mp4 https://cdn/audio.m4a',
      width: 1080,
      height: 1920,
    });
    const mute = makeVariant({ url: 'https://cdn/mute.mp4', hasAudio: false });
    expect(mediaOf(makeItem({ variants: [mute, dash(1280), audio] }))[0]?.url).toContain('dash-1280');
  });

  it('puts together what plays everywhere and is not too large, if it can', () => {
    const vp9 = dash(1920, { codecs: 'vp09.00.40.08' });
    const chosen = (...variants: Variant[]) => mediaOf(makeItem({ variants: [...variants, audio] }))[0]?.url;
    expect(chosen(vp9, dash(1280))).toContain('dash-1280');
    expect(chosen(vp9)).toContain('dash-1920');
    const huge = { bytes: 2 * 1024 ** 3 };
    expect(chosen(dash(1920, huge), dash(1280))).toContain('dash-1280');
    expect(chosen(dash(1920, huge), dash(1280, huge))).toContain('dash-1280');
  });

  it('prefers a file with sound over a larger one without', () => {
    const mute = makeVariant({ url: 'https://cdn/mute.mp4', width: 1080, height: 1920, hasAudio: false });
    const loud = makeVariant({ url: 'https://cdn/loud.mp4', width: 360, height: 640 });
    expect(mediaOf(makeItem({ variants: [mute, loud] }))[0]?.url).toBe('https://cdn/loud.mp4');
    expect(mediaOf(makeItem({ variants: [mute] }))[0]?.url).toBe('https://cdn/mute.mp4');
  });

  it('prefers H.264 in MP4, then the most pixels, else the order of the source', () => {
    const av1 = makeVariant({ url: 'https://cdn/av1.mp4', width: 1080, height: 1920, codecs: 'av01.0.08M.08' });
    const webm = makeVariant({ url: 'https://cdn/x.webm', width: 1080, height: 1920, mime: 'video/webm' });
    const small = makeVariant({
      url: 'https://cdn/small.mp4',
      width: 360,
      height: 640,
      codecs: 'avc1.4D401E, mp4a.40.2',
    });
    const large = makeVariant({ url: 'https://cdn/large.mp4', width: 720, height: 1280 });
    const unknown = makeVariant({ url: 'https://cdn/unknown.mp4', width: null, height: null });
    expect(mediaOf(makeItem({ variants: [av1, webm, small, large] }))[0]?.url).toBe('https://cdn/large.mp4');
    expect(mediaOf(makeItem({ variants: [av1] }))[0]?.url).toBe('https://cdn/av1.mp4');
    expect(mediaOf(makeItem({ variants: [unknown, small] }))[0]?.url).toBe('https://cdn/unknown.mp4');
  });

  it('shows a photo by its largest file and previews it by its smallest', () => {
    const sizes = [1440, 1080, 320].map(width =>
      makeVariant({ url: `https://cdn/${width}.jpg`, mime: 'image/jpeg', width, height: width, hasVideo: false }),
    );
    expect(mediaOf(makePhoto({ variants: sizes }))[0]).toMatchObject({
      url: 'https://cdn/1440.jpg',
      thumb: 'https://cdn/320.jpg',
    });
  });

  it('has no preview for a video without one', () => {
    expect(mediaOf(makeItem({ thumbnailUrl: null }))[0]?.thumb).toBe('');
  });
});

describe('toFbDownload', () => {
  const one = makeItem({ variants: [makeVariant({ url: 'https://cdn/only.mp4' })] });

  it('repeats the only file', () => {
    const answer = toFbDownload(makePost({ items: [one] }), 'Tester', muxedAddress);
    expect(answer?.data).toMatchObject({ hd_url: 'https://cdn/only.mp4', sd_url: 'https://cdn/only.mp4' });
    expect(fbDownloadAnswer.safeParse(answer).success).toBe(true);
  });

  it('takes the title, else the first line of the caption, else nothing', () => {
    const title = (changes: object) =>
      toFbDownload(makePost({ items: [one], ...changes }), 'Tester', muxedAddress)?.data.title;
    expect(title({ title: 'A title', caption: 'x' })).toBe('A title');
    expect(title({ title: null, caption: '\n First line \r\nsecond' })).toBe('First line');
    expect(title({ title: null, caption: null })).toBe('');
  });

  it('is nothing without a video that plays', () => {
    expect(toFbDownload(makePost({ items: [makePhoto()] }), 'Tester', muxedAddress)).toBeUndefined();
    expect(
      toFbDownload(makePost({ items: [makeItem({ variants: [audio] })] }), 'Tester', muxedAddress),
    ).toBeUndefined();
  });

  it('puts the best and the smallest together where there are only tracks', () => {
    const urls = (...variants: Variant[]) => {
      const answer = toFbDownload(makePost({ items: [makePhoto(), makeItem({ variants })] }), 'Tester', muxedAddress);
      return [answer?.data.hd_url, answer?.data.sd_url];
    };
    expect(urls(dash(640), dash(1920), dash(1280), audio)).toEqual([
      'muxed 1 https://cdn/dash-1920.mp4 https://cdn/audio.m4a',
      'muxed 1 https://cdn/dash-640.mp4 https://cdn/audio.m4a',
    ]);
    const plain = makeVariant({ url: 'https://cdn/plain.mp4' });
    expect(urls(dash(1920), plain, audio)).toEqual(['https://cdn/plain.mp4', 'https://cdn/plain.mp4']);
  });

  it('gives one address twice when there is one', () => {
    let count = 0;
    const numbered: OwnAddress = () => `muxed ${++count}`;
    const answer = toFbDownload(makePost({ items: [makeItem({ variants: [dash(720), audio] })] }), 'Tester', numbered);
    expect([answer?.data.hd_url, answer?.data.sd_url]).toEqual(['muxed 1', 'muxed 1']);
  });
});

describe('formatDuration', () => {
  it.each([
    [null, ''],
    [0, '0:00'],
    [7_000, '0:07'],
    [67_499, '1:07'],
    [67_500, '1:08'],
    [3_599_600, '1:00:00'],
    [3_725_000, '1:02:05'],
    [36_000_000, '10:00:00'],
  ])('%s ms is "%s"', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('reads back to the same second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400_000 }), seconds => {
        const parts = formatDuration(seconds * 1000)
          .split(':')
          .map(Number);
        expect(parts.reduce((sum, part) => sum * 60 + part, 0)).toBe(seconds);
      }),
    );
  });
});
