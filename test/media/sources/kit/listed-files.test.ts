import { describe, expect, it } from 'vitest';
import { listedFile, listedItem } from '../../../../src/media/sources/kit/media-files.ts';

const url = 'https://cdn.toy.example/a';

describe('a listed file', () => {
  it('says nothing that the answer did not', () => {
    expect(listedFile(url, { mime: 'video/mp4', hasVideo: true, width: 640 })).toEqual({
      url,
      mime: 'video/mp4',
      hasVideo: true,
      hasAudio: null,
      adaptive: false,
      width: 640,
      height: null,
      bitrate: null,
      bytes: null,
      codecs: null,
      expiresAt: null,
    });
    expect(listedFile(url, { mime: 'image/png', hasVideo: false }).hasAudio).toBe(false);
    expect(listedFile(url, { mime: 'audio/mpeg', hasVideo: false, hasAudio: true }).hasAudio).toBe(true);
  });
});

describe('a listed item', () => {
  const small = listedFile(`${url}1`, { mime: 'video/mp4', hasVideo: true, width: 320, height: 180 });
  const large = listedFile(`${url}2`, { mime: 'video/mp4', hasVideo: true, width: 1280, height: 720 });

  it('has its best file first, and that one’s size where its own is not known', () => {
    const item = listedItem('video', [small, large], { durationMs: 5 });
    expect(item).toMatchObject({ kind: 'video', width: 1280, height: 720, durationMs: 5, alt: null });
    expect(item?.variants).toEqual([large, small]);
    expect(listedItem('video', [small], { width: 1920, height: 1080 })).toMatchObject({ width: 1920, height: 1080 });
  });

  it('is none without a file', () => {
    expect(listedItem('image', [])).toBeNull();
  });
});
