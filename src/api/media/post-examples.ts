/** Example answers for the reference, with made-up people and posts. A test checks them against the schemas. */
import type { Post } from '../../media/post.ts';
import type { FbDownload, IgDownload } from './post-schema.ts';

const FILE = 'https://scontent.cdninstagram.com/o1/v/t16/f2/m86/AQExample.mp4?oe=6A1B2C3D';
const COVER = 'https://scontent.cdninstagram.com/v/t51.2885-15/400000000_n.jpg?oe=6A1B2C3D';
const AVATAR = 'https://scontent.cdninstagram.com/v/t51.2885-19/300000000_n.jpg?oe=6A1B2C3D';
const CAPTION = 'Low tide at dusk with @tide.chart #harbour #slowtravel';

export const IG_EXAMPLE: IgDownload = {
  status: 200,
  creator: 'Medley',
  result: {
    response: {
      status: true,
      profile: {
        id: '5550001234',
        full_name: 'Mara Lindqvist',
        username: 'mara.by.the.sea',
        is_verified: false,
        profile_pic_url: AVATAR,
      },
      caption: {
        hashtags: ['#harbour', '#slowtravel'],
        created_at: 1781978400,
        mentions: ['@tide.chart'],
        text: CAPTION,
      },
      statistics: {
        comment_count: 48,
        fb_like_count: null,
        fb_play_count: null,
        like_count: 2310,
        play_count: 40125,
        save_count: null,
        share_count: null,
        user_follower_count: 12800,
        user_media_count: 312,
        view_count: null,
      },
      data: [{ type: 'video', height: 1280, width: 720, thumb: COVER, url: FILE }],
    },
  },
};

export const FB_EXAMPLE: FbDownload = {
  status: 200,
  creator: 'Medley',
  data: {
    status: true,
    title: 'How to splice a rope in one minute',
    durasi: '1:07',
    hd_url: 'https://video.xx.fbcdn.net/o1/v/t2/f2/m69/AQExampleHd.mp4?oe=6A1B2C3D',
    sd_url: 'https://video.xx.fbcdn.net/o1/v/t2/f2/m69/AQExampleSd.mp4?oe=6A1B2C3D',
  },
};

/** Makes an example post of this source. */
export function createPostExample({ id, example }: { readonly id: string; readonly example: string }): Post {
  return { ...POST, source: id, id: new URL(example).pathname.match(/[^/]+(?=\/?$)/)?.[0] ?? '', url: example };
}

const POST: Omit<Post, 'source' | 'id' | 'url'> = {
  author: {
    id: '5550001234',
    username: 'mara.by.the.sea',
    name: 'Mara Lindqvist',
    verified: false,
    avatarUrl: AVATAR,
  },
  title: null,
  caption: CAPTION,
  hashtags: ['#harbour', '#slowtravel'],
  mentions: ['@tide.chart'],
  publishedAt: 1781978400000,
  stats: {
    likes: 2310,
    comments: 48,
    plays: 40125,
    views: null,
    shares: null,
    saves: null,
    crosspostLikes: null,
    crosspostPlays: null,
    authorFollowers: 12800,
    authorPosts: 312,
  },
  items: [
    {
      kind: 'video',
      position: 0,
      width: 720,
      height: 1280,
      durationMs: 21500,
      thumbnailUrl: COVER,
      alt: null,
      variants: [
        {
          url: FILE,
          mime: 'video/mp4',
          width: 720,
          height: 1280,
          bitrate: null,
          bytes: null,
          codecs: 'avc1.64001F',
          hasAudio: true,
          hasVideo: true,
          adaptive: false,
          expiresAt: 1780165693000,
        },
      ],
    },
  ],
  missingItems: 0,
  quoted: null,
  sensitive: false,
  coverUrl: null,
  fetchedAt: 1779800000000,
  expiresAt: 1780165693000,
  strategy: 'graphql',
};
