import { type MediaItem, NO_STATS, type Post, type Variant } from '../../src/media/post.ts';

export function makeVariant(changes: Partial<Variant> = {}): Variant {
  return {
    url: 'https://scontent.cdninstagram.com/o1/v/reef.mp4?oe=7F000000',
    mime: 'video/mp4',
    width: 720,
    height: 1280,
    bitrate: null,
    bytes: null,
    codecs: null,
    hasAudio: true,
    hasVideo: true,
    adaptive: false,
    expiresAt: null,
    ...changes,
  };
}

/** A video by default. */
export function makeItem(changes: Partial<MediaItem> = {}): MediaItem {
  return {
    kind: 'video',
    position: 0,
    width: 720,
    height: 1280,
    durationMs: 21_500,
    thumbnailUrl: 'https://scontent.cdninstagram.com/v/reef.jpg?oe=7F000000',
    alt: null,
    variants: [makeVariant()],
    ...changes,
  };
}

export function makePhoto(changes: Partial<MediaItem> = {}): MediaItem {
  const variant = makeVariant({
    url: 'https://scontent.cdninstagram.com/v/pier.jpg?oe=7F000000',
    mime: 'image/jpeg',
    width: 1080,
    height: 1350,
    hasAudio: false,
    hasVideo: false,
  });
  return makeItem({
    kind: 'image',
    width: 1080,
    height: 1350,
    durationMs: null,
    thumbnailUrl: null,
    variants: [variant],
    ...changes,
  });
}

/** Items stand in the places that they are listed in, but for those that have a place of their own. */
export function makePost({ items = [makeItem()], ...changes }: Partial<Post> = {}): Post {
  return {
    source: 'instagram',
    id: 'C9TestReef01',
    url: 'https://www.instagram.com/reel/C9TestReef01/',
    author: {
      id: '771122',
      username: 'kelp.forest',
      name: 'Ines Okafor',
      verified: false,
      avatarUrl: 'https://scontent.cdninstagram.com/v/ines.jpg?oe=7F000000',
    },
    title: null,
    caption: 'First dive of the year #reef @bluehour.club',
    hashtags: ['#reef'],
    mentions: ['@bluehour.club'],
    publishedAt: 1_760_000_000_999,
    stats: NO_STATS,
    items: items.map((item, index) => ({ ...item, position: item.position || index })),
    missingItems: 0,
    quoted: null,
    sensitive: false,
    coverUrl: null,
    fetchedAt: 1_770_000_000_000,
    expiresAt: null,
    strategy: 'graphql',
    ...changes,
  };
}

/** A post that another one quotes. */
export function makeQuoted(changes: Partial<Post> = {}): NonNullable<Post['quoted']> {
  const author = { id: '882233', username: 'pier.lights', name: 'Tomas Brandt', verified: null, avatarUrl: null };
  const url = 'https://www.instagram.com/p/C9TestPier02/';
  return { ...makePost({ id: 'C9TestPier02', url, author, caption: 'Lamps on', ...changes }), quoted: null };
}
