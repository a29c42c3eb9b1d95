import { describe, expect, it } from 'vitest';
import { imageItem, videoItem } from '../../../../src/media/sources/meta/media-files.ts';

const HOST = 'https://scontent.cdninstagram.com';
const NO_SIZE = { width: null, height: null };

const videoOf = (
  covers: readonly { readonly url: unknown; readonly width: number | null; readonly height: number | null }[],
) =>
  videoItem({
    files: [{ url: `${HOST}/v.mp4`, width: 720, height: 1280 }],
    covers,
    original: NO_SIZE,
    dashManifest: null,
    durationMs: null,
    hasAudio: null,
    alt: null,
  });

describe('the cover of a video', () => {
  const square = { url: `${HOST}/c.jpg?stp=c0.248.640.640a_dst-jpg`, width: 2_000, height: 2_000 };
  const small = { url: `${HOST}/s.jpg`, width: 100, height: 100 };
  const large = { url: `${HOST}/l.jpg`, width: 200, height: 200 };

  it('is the largest, the first of several alike, and whole if one is', () => {
    expect(videoOf([small, square, large, { ...large, url: `${HOST}/l2.jpg` }])?.thumbnailUrl).toBe(large.url);
    expect(videoOf([square, small])?.thumbnailUrl).toBe(small.url);
    expect(videoOf([square])?.thumbnailUrl).toBe(square.url);
    expect(videoOf([{ url: small.url, ...NO_SIZE }])?.thumbnailUrl).toBe(small.url);
  });

  it('is never one that must not be fetched', () => {
    for (const url of ['https://evil.test/l.jpg', 'http://scontent.cdninstagram.com/l.jpg', '', null, 7, {}]) {
      expect(videoOf([{ ...large, url }, small])?.thumbnailUrl).toBe(small.url);
      expect(videoOf([{ ...large, url }])?.thumbnailUrl).toBeNull();
    }
  });
});

describe('files that are listed twice', () => {
  it('count once, as they were listed first', () => {
    const one = { url: `${HOST}/1.jpg`, width: 10, height: 10 };
    const other = { url: `${HOST}/2.jpg`, width: 20, height: 20 };
    const item = imageItem({
      files: [one, other, { ...one, width: 30 }, { url: null, ...NO_SIZE }],
      original: NO_SIZE,
      alt: null,
    });
    expect(item?.variants.map(({ url, width }) => [url, width])).toEqual([
      [other.url, 20],
      [one.url, 10],
    ]);
  });
});
