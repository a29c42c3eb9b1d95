import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCommonFile } from '../../../src/media/files/variant-ranking.ts';
import type { MediaItem, Variant } from '../../../src/media/post.ts';
import { choosePlayerFile, isMuxable, playerTunnelFile } from '../../../src/media/tunnel/player-file.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

const MB = 1024 * 1024;
const at = (name: string) => `https://video.xx.fbcdn.net/v/${name}`;
const tall = (width: number, changes: Partial<Variant> = {}) =>
  makeVariant({ url: at(`plain-${width}`), width, height: (width * 16) / 9, ...changes });
const track = (width: number, changes: Partial<Variant> = {}) =>
  tall(width, { url: at(`track-${width}`), adaptive: true, hasAudio: false, ...changes });
const audio = makeVariant({
  url: at('audio'),
  ...{ mime: 'audio/mp4', codecs: 'mp4a.40.2', width: null, height: null, adaptive: true, hasVideo: false },
});
const VP9 = { codecs: 'vp09.00.40.08' };

/** `video+audio|fallback`, without the names of hosts. */
function chosen(...variants: Variant[]): string {
  return described(makeItem({ variants }));
}

function described(item: MediaItem): string {
  const file = choosePlayerFile(item, 'original');
  const name = (variant: Variant | undefined) => variant?.url.replace(at(''), '');
  if (file === undefined) return 'nothing';
  return `${name(file.variant)}${file.audio ? `+${name(file.audio)}` : ''}${file.fallback ? `|${name(file.fallback)}` : ''}`;
}

describe('choosePlayerFile', () => {
  it.each<[what: string, variants: readonly Variant[], file: string]>([
    ['a plain file', [tall(720)], 'plain-720'],
    ['tracks that are larger', [tall(720), track(1080), audio], 'track-1080+audio|plain-720'],
    ['tracks that are as large', [tall(1080), track(1080), audio], 'plain-1080'],
    ['tracks alone', [track(720), track(1080), audio], 'track-1080+audio'],
    ['tracks beyond 1080p', [tall(720), track(2160), track(1080), audio], 'track-1080+audio|plain-720'],
    ['nothing but tracks beyond 1080p', [track(2160), track(1440), audio], 'track-1440+audio'],
    ['tracks that few browsers play', [tall(720), track(1080, VP9), audio], 'plain-720'],
    ['nothing but tracks that few browsers play', [track(1080, VP9), audio], 'track-1080+audio'],
    ['audio that few browsers play', [tall(720), track(1080), { ...audio, codecs: 'opus' }], 'plain-720'],
    ['tracks too large to wait for', [tall(720), track(1080, { bytes: 300 * MB }), audio], 'plain-720'],
    [
      'tracks that are all too large',
      [track(1080, { bytes: 400 * MB }), track(540, { bytes: 90 * MB }), audio],
      'track-540+audio',
    ],
    ['a plain file without audio', [tall(720, { hasAudio: false }), track(540), audio], 'track-540+audio'],
    ['a video without any audio', [tall(540, { hasAudio: false }), track(1080)], 'track-1080'],
    ['nothing but audio', [audio], 'audio'],
  ])('of %s', (_, variants, file) => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...variants], { minLength: variants.length }), shuffled => {
        expect(chosen(...shuffled)).toBe(file);
      }),
    );
  });

  it('leaves the tracks, and then the fallback, where addresses are too long for a token', () => {
    const long = (variant: Variant) => ({ ...variant, url: `${variant.url}?${'x'.repeat(3_500)}` });
    expect(chosen(tall(720), long(track(1080)), long(audio))).toMatch(/^track-1080.*\+audio.*\|plain-720$/);
    expect(chosen(long(tall(720)), long(track(1080)), long(audio))).toMatch(/^track-1080\?x+\+audio\?x+$/);
    const endless = { ...audio, url: `${audio.url}?${'x'.repeat(8_000)}` };
    expect(chosen(tall(720), track(1080), endless)).toBe('plain-720');
  });

  it('is the best photo, the best audio, and no photo’s audio', () => {
    expect(described(makePhoto())).toMatch(/pier\.jpg/);
    const low = { ...audio, url: at('low'), bitrate: 1 };
    expect(choosePlayerFile(makeItem({ variants: [tall(720), low, audio] }), 'audio')?.variant.url).toBe(at('low'));
    expect(choosePlayerFile(makeItem({ variants: [tall(720), tall(360)] }), 'audio')?.variant.width).toBe(360);
    expect(choosePlayerFile(makePhoto(), 'audio')).toBeUndefined();
  });

  it('never pairs what is too large, and always says whether every browser plays it', () => {
    const any = fc.record({
      width: fc.integer({ min: 1, max: 4_000 }),
      bytes: fc.option(fc.integer({ min: 1, max: 600 * MB })),
      codecs: fc.constantFrom(null, 'avc1.4d401f', 'vp09.00.40.08', 'mp4a.40.2', 'opus'),
      mime: fc.constantFrom('video/mp4', 'video/webm', 'audio/mp4'),
      hasVideo: fc.boolean(),
      hasAudio: fc.option(fc.boolean()),
      adaptive: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 6 }), shapes => {
        const item = makeItem({
          variants: shapes.map((shape, index) => makeVariant({ ...shape, url: at(`${index}`) })),
        });
        const file = choosePlayerFile(item, 'original');
        expect(file).toBeDefined();
        if (file?.audio === undefined) return;
        expect(file.variant.hasVideo && !file.audio.hasVideo).toBe(true);
        const hasOther = item.variants.some(variant => variant.hasVideo && !variant.adaptive && variant.hasAudio);
        if (hasOther) expect(isMuxable(file, item)).toBe(true);
        if (isCommonFile(file)) expect(file.variant.mime).toBe('video/mp4');
      }),
    );
  });
});

describe('playerTunnelFile', () => {
  const post = makePost({ items: [makePhoto(), makeItem({ variants: [tall(720), track(1080), audio] })] });
  const file = choosePlayerFile(post.items[1] ?? makeItem(), 'original') ?? { variant: tall(720) };

  it('names the tracks, the plain file, and the size of what is given', () => {
    expect(playerTunnelFile(post, 1, file, 5)).toEqual({
      post: { source: 'instagram', id: 'C9TestReef01' },
      index: 1,
      url: at('plain-720'),
      tracks: { video: at('track-1080'), audio: at('audio') },
      ...{ mime: 'video/mp4', width: 1080, height: 1920 },
      fileName: 'kelp.forest-2025-10-09-C9TestReef01-2.mp4',
      expiresAt: 5,
    });
  });

  it('is called by its author and day, in characters that are safe everywhere; by its site where both are unknown', () => {
    const named = (author: Partial<typeof post.author>, publishedAt: number | null) =>
      playerTunnelFile({ ...post, author: { ...post.author, ...author }, publishedAt }, 1, file, 5).fileName;
    expect(named({ username: null, name: '../Kelp & Reef..' }, null)).toBe('Kelp-Reef-C9TestReef01-2.mp4');
    expect(named({ username: null, name: '海藻' }, Number.MAX_VALUE)).toBe('instagram-C9TestReef01-2.mp4');
  });

  it('repeats the video track where there is no plain file', () => {
    const { url, tracks } = playerTunnelFile(post, 1, { variant: track(1080), audio }, 5);
    expect(url).toBe(tracks?.video);
  });

  it('is an MP4 whatever the tracks were', () => {
    const webm = track(1080, { mime: 'video/webm' });
    expect(playerTunnelFile(post, 1, { variant: webm, audio }, 5)).toMatchObject({
      mime: 'video/mp4',
      fileName: expect.stringMatching(/\.mp4$/),
    });
  });
});
