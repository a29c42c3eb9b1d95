import { type MediaItem, NO_STATS, type Post, type Variant } from '../../../src/media/post.ts';

/** Made-up posts whose addresses name files of `test/fixtures/media`. */

export function variant(parts: Partial<Variant>): Variant {
  return {
    url: 'https://cdn.test/sea-360.mp4',
    mime: 'video/mp4',
    width: 360,
    height: 640,
    bitrate: null,
    bytes: null,
    codecs: null,
    hasAudio: true,
    hasVideo: true,
    adaptive: false,
    expiresAt: null,
    ...parts,
  };
}

export function film(file: string, width: number, height: number, cover: string): MediaItem {
  return {
    kind: 'video',
    position: 0,
    width,
    height,
    durationMs: 8_000,
    thumbnailUrl: `https://cdn.test/${cover}`,
    alt: null,
    variants: [variant({ url: `https://cdn.test/${file}`, width, height })],
  };
}

export function photo(file: string, alt: string | null = null): MediaItem {
  const url = `https://cdn.test/${file}`;
  return {
    kind: 'image',
    position: 0,
    width: 1080,
    height: 1350,
    durationMs: null,
    thumbnailUrl: null,
    alt,
    variants: [variant({ url, mime: 'image/jpeg', width: 1080, height: 1350, hasAudio: false, hasVideo: false })],
  };
}

export function post({ items = [], ...parts }: Partial<Post>): Post {
  return {
    source: 'instagram',
    id: 'SeaLight_01',
    url: 'https://www.instagram.com/p/SeaLight_01/',
    author: { id: '1', username: 'mira.holm', name: 'Mira Holm', verified: true, avatarUrl: null },
    title: null,
    caption: null,
    hashtags: [],
    mentions: [],
    publishedAt: Date.UTC(2026, 4, 17, 18, 30),
    stats: NO_STATS,
    items: items.map((item, position) => ({ ...item, position })),
    missingItems: 0,
    quoted: null,
    sensitive: false,
    coverUrl: null,
    fetchedAt: 0,
    expiresAt: null,
    strategy: 'test',
    ...parts,
  };
}

export const reel = post({
  caption: `Last light at the old tower.\nThe lamp still turns, and nobody remembers who winds it.\n\n${'We waited for the ferry, and it came late, as it does. '.repeat(4)}\n#sea #evening #slow`,
  stats: { ...NO_STATS, plays: 48_213, likes: 3_127, comments: 84 },
  items: [film('sea-360.mp4', 360, 640, 'sea-cover.jpg')],
});

export const sizes = post({
  id: 'Sizes',
  url: 'https://www.instagram.com/p/Sizes/',
  caption: 'Two sizes.',
  items: [
    {
      ...film('sea-360.mp4', 720, 1280, 'sea-cover.jpg'),
      variants: [
        variant({ url: 'https://cdn.test/sea-360.mp4', width: 720, height: 1280 }),
        variant({ url: 'https://cdn.test/clay-360.mp4' }),
        variant({ url: 'https://cdn.test/tune-0.mp3', mime: 'audio/mp4', adaptive: true, hasVideo: false }),
      ],
    },
  ],
});

export const carousel = post({
  id: 'FiveThings',
  url: 'https://www.instagram.com/p/FiveThings/',
  author: { id: '2', username: 'studio.lumen', name: 'Studio Lumen', verified: null, avatarUrl: null },
  caption: 'Colours of the week.',
  stats: { ...NO_STATS, likes: 912 },
  items: [
    photo('photo-dusk.jpg', 'A field of colours at dusk'),
    photo('photo-fern.jpg'),
    film('clay-360.mp4', 360, 640, 'clay-cover.jpg'),
    photo('photo-lights.jpg'),
    photo('photo-shore.jpg'),
  ],
});

export const tram = post({
  source: 'facebook',
  id: '1234567890',
  url: 'https://www.facebook.com/watch/?v=1234567890',
  author: { id: '3', username: null, name: 'Hill Line Friends', verified: null, avatarUrl: null },
  title: 'Car 12 climbs again',
  caption: null,
  stats: { ...NO_STATS, views: 5_400, likes: 310 },
  items: [film('tram-360.mp4', 640, 360, 'tram-cover.jpg')],
});
