import { describe, expect, it } from 'vitest';
import { imageItem, videoItem } from '../../../../src/media/sources/kit/media-files.ts';

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

describe('a photo with crops among its sizes', () => {
  it.each([
    '1.jpg?stp=c0.135.1080.1080a_dst-jpg',
    'e35/c0.135.1080.1080a/s1080x1080/1.jpg',
    'e35/c0.135.1080.1080/1.jpg',
  ])('has its whole files only, not %s', cropped => {
    const whole = { url: `${HOST}/e35/p320x320/1.jpg`, width: 320, height: 400 };
    const crop = { url: `${HOST}/${cropped}`, width: 1_080, height: 1_080 };
    expect(imageItem({ files: [crop, whole] })?.variants.map(({ url }) => url)).toEqual([whole.url]);
    expect(imageItem({ files: [crop] })?.variants.map(({ url }) => url)).toEqual([crop.url]);
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

describe('the size of a photo that is not stated', () => {
  const efg = (encoding: string) =>
    `efg=${Buffer.from(JSON.stringify({ vencode_tag: encoding })).toString('base64url')}`;
  const sizesOf = (queries: readonly string[], original: { width: number | null; height: number | null }) =>
    imageItem({
      files: queries.map((query, index) => ({ url: `${HOST}/${index}.jpg?${query}`, ...NO_SIZE })),
      original,
      alt: null,
    })?.variants.map(({ width, height }) => (width === null ? null : `${width}x${height}`));

  it('is that of the original, within the frame that its address names', () => {
    const portrait = { width: 1080, height: 1350 };
    const frames = ['stp=dst-jpg_e35_tt6', 'stp=dst-jpg_e35_p640x640_sh0.08_tt6', 'stp=dst-jpg_e35_s640x640_tt6'];
    expect(sizesOf(frames, portrait)).toEqual(['1080x1350', '640x800', '512x640']);
    expect(sizesOf(['stp=dst-jpg_p640x640_tt6'], { width: 1440, height: 810 })).toEqual(['1138x640']);
    expect(sizesOf(['stp=dst-jpg_p1440x1440_tt6'], portrait)).toEqual(['1080x1350']);
    expect(sizesOf(['stp=c0.135.1080.1080a_dst-jpg_s480x480_tt6'], portrait)).toEqual(['480x480']);
  });

  it('is that of the encoding that its address names', () => {
    const encoding = efg('CAROUSEL_ITEM.image_urlgen.1080x1350.sdr.f75761.default_image');
    expect(sizesOf([`stp=dst-jpg_e35_p720x720&${encoding}`], NO_SIZE)).toEqual(['720x900']);
    expect(sizesOf([encoding], { width: 3024, height: 3780 })).toEqual(['1080x1350']);
    expect(sizesOf([efg('FEED.xpids.1080.sdr.C3')], { width: 3024, height: 3780 })).toEqual(['1080x1350']);
  });

  it('is unknown where nothing says it', () => {
    expect(sizesOf(['stp=dst-jpg_p640x640'], NO_SIZE)).toEqual([null]);
    expect(sizesOf([efg('FEED.xpids.1080.sdr.C3')], NO_SIZE)).toEqual([null]);
  });

  it('is not guessed beside sizes that are stated', () => {
    const item = imageItem({
      files: [
        { url: `${HOST}/unknown.jpg`, ...NO_SIZE },
        { url: `${HOST}/stated.jpg`, width: 1080, height: 1350 },
      ],
      original: { width: 3024, height: 3780 },
      alt: null,
    });
    expect(item?.variants.map(({ width }) => width)).toEqual([1080, null]);
  });
});

describe('the description of a photo', () => {
  const altOf = (alt: string) => imageItem({ files: [{ url: `${HOST}/photo.jpg` }], alt })?.alt;

  it('is kept as the site states it, but its words for a photo without one are none', () => {
    expect(altOf('May be an image of a fern')).toBe('May be an image of a fern');
    expect(altOf('No photo description available.')).toBeNull();
  });
});
