import type { MediaItem, Post, Variant } from '../../media/post.ts';
import { playableVariants } from '../../media/post.ts';
import type { FbDownload, IgDownload, IgMedia } from './post-schema.ts';

/** `/api/igdownload`'s answer; the shape is fixed by its document and holds exactly these fields. */
export function toIgDownload(post: Post, creator: string): IgDownload {
  const { author, stats } = post;
  return {
    status: 200,
    creator,
    result: {
      response: {
        status: true,
        profile: {
          id: author.id ?? '',
          full_name: author.name ?? '',
          username: author.username ?? '',
          is_verified: author.verified,
          profile_pic_url: author.avatarUrl ?? '',
        },
        caption: {
          hashtags: [...post.hashtags],
          created_at: post.publishedAt === null ? null : Math.floor(post.publishedAt / 1000),
          mentions: [...post.mentions],
          text: post.caption ?? '',
        },
        statistics: {
          comment_count: stats.comments,
          fb_like_count: stats.facebookLikes,
          fb_play_count: stats.facebookPlays,
          like_count: stats.likes,
          play_count: stats.plays,
          save_count: stats.saves,
          share_count: stats.shares,
          user_follower_count: stats.authorFollowers,
          user_media_count: stats.authorPosts,
          view_count: stats.views,
        },
        data: post.items.flatMap(item => toIgMedia(item) ?? []),
      },
    },
  };
}

function toIgMedia(item: MediaItem): IgMedia | undefined {
  if (item.kind === 'audio') return undefined;
  const file = bestFile(item);
  return {
    type: item.kind,
    height: item.height ?? file?.height ?? null,
    width: item.width ?? file?.width ?? null,
    thumb: item.thumbnailUrl ?? (item.kind === 'image' ? (smallestFile(item)?.url ?? '') : ''),
    url: file?.url ?? '',
  };
}

/** `/api/fbdownload`'s answer, or undefined for a post without a video that plays. */
export function toFbDownload(post: Post, creator: string): FbDownload | undefined {
  const video = post.items.find(item => item.kind === 'video' && bestFile(item) !== undefined);
  if (video === undefined) return undefined;
  return {
    status: 200,
    creator,
    data: {
      status: true,
      title: post.title ?? firstLine(post.caption),
      durasi: formatDuration(video.durationMs),
      hd_url: bestFile(video)?.url ?? '',
      sd_url: smallestFile(video)?.url ?? '',
    },
  };
}

/** `m:ss`, or `h:mm:ss` from an hour on; empty when unknown. */
export function formatDuration(durationMs: number | null): string {
  if (durationMs === null) return '';
  const total = Math.round(durationMs / 1000);
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = String(total % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${seconds}` : `${hours}:${String(minutes).padStart(2, '0')}:${seconds}`;
}

function bestFile(item: MediaItem): Variant | undefined {
  return rankedFiles(item)[0];
}

function smallestFile(item: MediaItem): Variant | undefined {
  return rankedFiles(item).at(-1);
}

/**
 * Files that play with the sound the item has, best first: of those that play everywhere (H.264 in MP4), if there are any, by
 * pixels, then by bit rate. Where a size is not known the source's own order, best first, stands.
 */
function rankedFiles(item: MediaItem): readonly Variant[] {
  const playable = playableVariants(item);
  const sounding = playable.filter(variant => variant.hasAudio !== false);
  const files = item.kind === 'video' && sounding.length > 0 ? sounding : playable;
  const plain = files.filter(playsEverywhere);
  const ranked = plain.length > 0 ? plain : files;
  if (!ranked.every(hasSize)) return ranked;
  return ranked.toSorted((a, b) => pixels(b) - pixels(a) || (b.bitrate ?? 0) - (a.bitrate ?? 0));
}

function hasSize({ width, height }: Variant): boolean {
  return width !== null && height !== null;
}

function playsEverywhere({ mime, codecs, hasVideo }: Variant): boolean {
  if (!hasVideo) return true;
  return mime === 'video/mp4' && (codecs === null || /(^|[\s,])avc[13]/.test(codecs));
}

function pixels({ width, height }: Variant): number {
  return (width ?? 0) * (height ?? 0);
}

function firstLine(text: string | null): string {
  return text?.trimStart().split(/\r?\n/, 1)[0]?.trimEnd() ?? '';
}
