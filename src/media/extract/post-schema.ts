import { z } from 'zod';
import type { MediaItem, Post, Stats, Variant } from '../post.ts';

const count = z.number().nullable();
const text = z.string().nullable();

const VariantShape: z.ZodType<Variant> = z.object({
  url: z.string().startsWith('https://'),
  mime: z.string(),
  width: count,
  height: count,
  bitrate: count,
  bytes: count,
  codecs: text,
  hasAudio: z.boolean().nullable(),
  hasVideo: z.boolean(),
  adaptive: z.boolean(),
  expiresAt: count,
});

const MediaItemShape: z.ZodType<MediaItem> = z.object({
  kind: z.enum(['video', 'image', 'audio']),
  width: count,
  height: count,
  durationMs: count,
  thumbnailUrl: text,
  alt: text,
  variants: z.array(VariantShape).min(1),
});

const StatsShape: z.ZodType<Stats> = z.object({
  likes: count,
  comments: count,
  plays: count,
  views: count,
  shares: count,
  saves: count,
  facebookLikes: count,
  facebookPlays: count,
  authorFollowers: count,
  authorPosts: count,
});

const PostShape: z.ZodType<Post> = z.object({
  source: z.enum(['instagram', 'facebook']),
  id: z.string(),
  url: z.string(),
  author: z.object({ id: text, username: text, name: text, verified: z.boolean().nullable(), avatarUrl: text }),
  title: text,
  caption: text,
  hashtags: z.array(z.string()),
  mentions: z.array(z.string()),
  publishedAt: count,
  stats: StatsShape,
  items: z.array(MediaItemShape),
  fetchedAt: z.number(),
  expiresAt: count,
  strategy: z.string(),
});

/** A post that was kept as JSON, or undefined when another version kept it in another shape. */
export function parseStoredPost(value: unknown): Post | undefined {
  return PostShape.safeParse(value).data;
}
