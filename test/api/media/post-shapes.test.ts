import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fbDownloadAnswer, igDownloadAnswer } from '../../../src/api/media/post-schema.ts';
import { formatDuration, toFbDownload, toIgDownload } from '../../../src/api/media/post-shapes.ts';
import type { MediaItem } from '../../../src/media/post.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

function mediaOf(...items: MediaItem[]) {
  return toIgDownload(makePost({ items }), 'Tester').result.response.data;
}

const dash = (height: number) =>
  makeVariant({
    url: `https://cdn/dash-${height}.mp4`,
    height,
    width: (height * 9) / 16,
    adaptive: true,
    hasAudio: false,
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
    const answer = toIgDownload(post, 'Tester');
    expect(igDownloadAnswer.safeParse(answer).success).toBe(true);
    const { profile, caption, statistics, data } = answer.result.response;
    expect(profile).toEqual({ id: '', full_name: '', username: '', is_verified: null, profile_pic_url: '' });
    expect(caption).toMatchObject({ hashtags: [], mentions: [], text: '' });
    expect(new Set(Object.values(statistics))).toEqual(new Set([null]));
    expect(data).toMatchObject([{ type: 'image', width: null, height: null }]);
  });

  it('never gives a video-only track, however sharp', () => {
    const small = makeVariant({ url: 'https://cdn/small.mp4', width: 360, height: 640 });
    expect(mediaOf(makeItem({ variants: [dash(1920), dash(1280), small] }))[0]?.url).toBe('https://cdn/small.mp4');
    expect(mediaOf(makeItem({ variants: [dash(1920)] }))[0]?.url).toBe('');
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
    const answer = toFbDownload(makePost({ items: [one] }), 'Tester');
    expect(answer?.data).toMatchObject({ hd_url: 'https://cdn/only.mp4', sd_url: 'https://cdn/only.mp4' });
    expect(fbDownloadAnswer.safeParse(answer).success).toBe(true);
  });

  it('takes the title, else the first line of the caption, else nothing', () => {
    const title = (changes: object) => toFbDownload(makePost({ items: [one], ...changes }), 'Tester')?.data.title;
    expect(title({ title: 'A title', caption: 'x' })).toBe('A title');
    expect(title({ title: null, caption: '\n First line \r\nsecond' })).toBe('First line');
    expect(title({ title: null, caption: null })).toBe('');
  });

  it('is nothing without a video that plays', () => {
    expect(toFbDownload(makePost({ items: [makePhoto()] }), 'Tester')).toBeUndefined();
    expect(toFbDownload(makePost({ items: [makeItem({ variants: [dash(720)] })] }), 'Tester')).toBeUndefined();
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
