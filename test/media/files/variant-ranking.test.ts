import { describe, expect, it } from 'vitest';
import {
  likelyBytes,
  type MediaForm,
  sendableVariants,
  toChoice,
  variantKey,
} from '../../../src/media/files/variant-ranking.ts';
import type { MediaItem, Variant } from '../../../src/media/post.ts';
import { makeItem, makePhoto, makeVariant } from '../../fakes/post.ts';

const MB = 1024 * 1024;

function file(name: string, change: Partial<Variant> = {}): Variant {
  return makeVariant({ url: `https://video.xx.fbcdn.net/o1/v/${name}.mp4?oe=7F000000`, ...change });
}

function names(item: MediaItem, form: MediaForm = 'original'): string[] {
  return sendableVariants(item, form).map(variant => new URL(variant.url).pathname.replace(/^.*\/|\.\w+$/g, ''));
}

const hd = file('hd', { width: 1080, height: 1920, bytes: 9 * MB });
const sd = file('sd', { width: 720, height: 1280, bytes: 5 * MB });
const vp9 = file('vp9', { width: 1440, height: 2560, codecs: 'vp09.00.40.08', bytes: 4 * MB });
const webm = file('webm', { mime: 'video/webm', width: 1080, height: 1920, bytes: 4 * MB });
const track = file('track', { adaptive: true, hasAudio: false, width: 1080, height: 1920, bytes: MB });
const audio = file('audio', {
  adaptive: true,
  hasVideo: false,
  mime: 'audio/mp4',
  width: null,
  height: null,
  bitrate: 128_000,
  bytes: MB,
});

describe('sendableVariants', () => {
  it('takes videos that every player knows first, the larger before the smaller, never one track of two', () => {
    expect(names(makeItem({ variants: [track, vp9, webm, sd, hd, audio] }))).toEqual(['hd', 'sd', 'vp9', 'webm']);
  });

  it('takes the video track of a video without any audio', () => {
    const silent = file('silent', { hasAudio: false, width: 540, height: 960 });
    expect(names(makeItem({ variants: [silent, track] }))).toEqual(['track', 'silent']);
    expect(names(makeItem({ variants: [track, audio] }))).toEqual([]);
  });

  it('takes for the audio alone the best track, then the smallest video that has audio', () => {
    const quiet = file('quiet', { hasAudio: false });
    const low = file('low', { ...audio, url: 'https://video.xx.fbcdn.net/low.m4a', bitrate: 48_000 });
    expect(names(makeItem({ variants: [hd, sd, quiet, track, low, audio] }), 'audio')).toEqual([
      'audio',
      'low',
      'sd',
      'hd',
    ]);
    expect(names(makePhoto(), 'audio')).toEqual([]);
  });

  it('takes for the audio alone a video that every player knows before others, the smaller before the larger', () => {
    const hevc = file('hevc', { width: 540, height: 960, codecs: 'hvc1', bytes: 2 * MB });
    expect(names(makeItem({ variants: [vp9, hevc, hd, sd] }), 'audio')).toEqual(['sd', 'hd', 'hevc', 'vp9']);
  });

  it('takes the largest photo of a common type', () => {
    const photo = (name: string, change: Partial<Variant>) =>
      file(name, { mime: 'image/jpeg', hasVideo: false, hasAudio: false, ...change });
    const item = makePhoto({
      variants: [
        photo('heic', { mime: 'image/heic', width: 4000, height: 5000 }),
        photo('small', { width: 320, height: 400 }),
        photo('large', { width: 1440, height: 1800, bytes: 3 * MB }),
      ],
    });
    expect(names(item)).toEqual(['large', 'small', 'heic']);
  });
});

describe('variantKey', () => {
  it('stays when host and signature change, and differs between sizes of one photo', () => {
    const signed = (host: string, query: string) =>
      variantKey(makeVariant({ url: `https://${host}/v/a.jpg?${query}` }));
    const key = signed('scontent.cdninstagram.com', 'stp=dst-jpg_e35&oe=AAAA&oh=1');
    expect(signed('instagram.fcgk1-1.fna.fbcdn.net', 'oe=BBBB&oh=2&stp=dst-jpg_e35')).toBe(key);
    expect(signed('scontent.cdninstagram.com', 'stp=dst-jpg_s640x640&oe=AAAA&oh=1')).not.toBe(key);
    expect(key).toMatch(/^[\w-]{1,40}$/);
    expect(variantKey(makeVariant({ url: 'no address' }))).toMatch(/^[\w-]{1,40}$/);
  });

  it('differs between files of one size at one path, so that the size of one is never taken for that of another', () => {
    const blob = (cid: string) =>
      variantKey(makeVariant({ url: `https://reef.host.bsky.network/xrpc/com.atproto.sync.getBlob?did=a&cid=${cid}` }));
    expect(blob('bafone')).not.toBe(blob('baftwo'));
  });
});

describe('likelyBytes', () => {
  const likely = (variant: Variant, durationMs: number | null = 20_000) => {
    const item = makeItem({ durationMs, variants: [variant] });
    return likelyBytes(toChoice(variant, item), item);
  };

  it('knows the size, else guesses on the high side, else says so', () => {
    expect(likely(hd)).toBe(9 * MB);
    expect(likely(file('rated', { bitrate: 800_000 }))).toBe(2_200_000);
    expect(likely(file('plain'))).toBeGreaterThan(2_000_000);
    expect(likely(file('plain'), null)).toBeNull();
    expect(likely(file('odd', { width: null }))).toBeNull();
  });
});
