import { describe, expect, it } from 'vitest';
import { renewedAddress, renewedTracks } from '../../../src/media/tunnel/tunnel-renewal.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

const at = (name: string) => `https://scontent.cdninstagram.com/${name}`;
const expired = { index: 0, url: `${at('old.mp4')}?oe=1`, mime: 'video/mp4' };

describe('renewedAddress', () => {
  it('finds the same file by its path', () => {
    const variants = ['a.mp4', 'old.mp4', 'c.mp4'].map(name => makeVariant({ url: `${at(name)}?oe=2` }));
    expect(renewedAddress(makePost({ items: [makeItem({ variants })] }), expired)?.url).toBe(`${at('old.mp4')}?oe=2`);
  });

  it('finds the one of the same size where all files have one path', () => {
    const file = (width: number) => makeVariant({ url: at(`play/?file=${width}&sign=2`), width, height: width * 2 });
    const post = makePost({ items: [makeItem({ variants: [1080, 720, 540].map(file) })] });
    const found = (width: number) => renewedAddress(post, { ...expired, url: at('play/?sign=1'), width, height: null });
    expect([540, 720, 1080].map(width => found(width)?.url)).toEqual([540, 720, 1080].map(width => file(width).url));
    const tracks = { video: at('play/?sign=1'), audio: at('audio.m4a') };
    const dash = [1080, 720].map(width => ({ ...file(width), adaptive: true, hasAudio: false }));
    const sound = makeVariant({ url: at('audio.m4a'), mime: 'audio/mp4', hasVideo: false });
    const parts = makePost({ items: [makeItem({ variants: [...dash, sound] })] });
    const pair = renewedTracks(parts, { index: 0, tracks, width: 720, height: 1440 });
    expect(pair?.video.url).toBe(file(720).url);
  });

  it('else the file of the same type and the nearest size', () => {
    const variants = [
      makeVariant({ url: at('1080.mp4'), width: 1080, height: 1920 }),
      makeVariant({ url: at('720.webm'), mime: 'video/webm' }),
      makeVariant({ url: at('dash.mp4'), adaptive: true, hasAudio: false }),
      makeVariant({ url: at('640.mp4'), width: 640, height: 1138 }),
    ];
    const post = makePost({ items: [makeItem({ variants })] });
    expect(renewedAddress(post, { ...expired, width: 720, height: 1280 })?.url).toBe(at('640.mp4'));
    expect(renewedAddress(post, expired)?.url).toBe(at('1080.mp4'));
  });

  it('gives a picture for a picture and an audio track for an audio track', () => {
    const audio = makeVariant({ url: at('audio.m4a'), mime: 'audio/mp4', hasVideo: false });
    const post = makePost({
      items: [makeItem({ thumbnailUrl: at('cover.jpg'), variants: [makeVariant({ url: at('video.mp4') }), audio] })],
    });
    expect(renewedAddress(post, { ...expired, mime: 'image/jpeg' })?.url).toBe(at('cover.jpg'));
    expect(renewedAddress(post, { ...expired, mime: 'audio/mp4' })?.url).toBe(at('audio.m4a'));
  });

  it('takes a photo in another format rather than none', () => {
    const post = makePost({ items: [makePhoto()] });
    expect(renewedAddress(post, { ...expired, mime: 'image/webp' })?.url).toBe(post.items[0]?.variants[0]?.url);
  });

  it('has nothing when the item is gone', () => {
    expect(renewedAddress(makePost({ items: [] }), expired)).toBeUndefined();
  });
});
