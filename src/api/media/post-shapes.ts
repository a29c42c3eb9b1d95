import type * as z from 'zod';
import { momentText } from '../../media/files/clip.ts';
import {
  isCommonFile,
  isOneFile,
  pixels,
  plainVideos,
  ranked,
  wholeVideos,
} from '../../media/files/variant-ranking.ts';
import { type MediaItem, type Post, playableVariants, type postSchemaOf } from '../../media/post.ts';
import { isMuxable, type PlayerFile } from '../../media/tunnel/player-file.ts';
import type { FbDownload, IgDownload, IgMedia } from './post-schema.ts';

/**
 * Gives this server's address for a file that cannot be loaded from the CDN alone: it has two tracks, or the CDN wants
 * to see certain request headers. `index` is the item's place in `of`, a post or the post that it quotes.
 */
export type OwnAddress = (index: number, file: PlayerFile, of?: Post) => string;

/** The answer of `/api/igdownload`, with exactly the documented fields. */
export function toIgDownload(post: Post, creator: string, ownAddress: OwnAddress): IgDownload {
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
          fb_like_count: stats.crosspostLikes,
          fb_play_count: stats.crosspostPlays,
          like_count: stats.likes,
          play_count: stats.plays,
          save_count: stats.saves,
          share_count: stats.shares,
          user_follower_count: stats.authorFollowers,
          user_media_count: stats.authorPosts,
          view_count: stats.views,
        },
        data: toIgFiles(post, ownAddress),
      },
    },
  };
}

/** A placeholder for an item that could not be read, so that later items keep their index. */
const UNREAD: IgMedia = { type: 'image', height: null, width: null, thumb: '', url: '' };

function toIgFiles(post: Post, ownAddress: OwnAddress): IgMedia[] {
  let unread = post.missingItems;
  const files = post.items.flatMap((item, index) => {
    const before = post.items[index - 1]?.position ?? -1;
    const gap = Math.min(Math.max(item.position - before - 1, 0), unread);
    unread -= gap;
    return [...Array<IgMedia>(gap).fill(UNREAD), toIgMedia(item, addressing(index, ownAddress)) ?? []].flat();
  });
  return [...files, ...Array<IgMedia>(unread).fill(UNREAD)];
}

function toIgMedia(item: MediaItem, addressOf: AddressOf): IgMedia | undefined {
  if (item.kind === 'audio') return undefined;
  const [file] = rankedFiles(item);
  return {
    type: item.kind,
    height: file?.variant.height ?? null,
    width: file?.variant.width ?? null,
    thumb: item.thumbnailUrl ?? (item.kind === 'image' ? addressOf(rankedFiles(item).at(-1)) : ''),
    url: addressOf(file),
  };
}

/** The answer of `/api/fbdownload`; undefined for a post without a playable video. */
export function toFbDownload(post: Post, creator: string, ownAddress: OwnAddress): FbDownload | undefined {
  const index = post.items.findIndex(item => item.kind === 'video' && rankedFiles(item).length > 0);
  const video = post.items[index];
  if (video === undefined) return undefined;
  const files = rankedFiles(video);
  const [best] = files;
  const smallest = files.at(-1);
  const addressOf = addressing(index, ownAddress);
  const bestAddress = addressOf(best);
  return {
    status: 200,
    creator,
    data: {
      status: true,
      title: post.title ?? post.caption?.trimStart().split(/\r?\n/, 1)[0]?.trimEnd() ?? '',
      durasi: formatDuration(video.durationMs),
      hd_url: bestAddress,
      sd_url: smallest === best ? bestAddress : addressOf(smallest),
    },
  };
}

/**
 * The post as the API shows it: without the items' ids, and without the request headers that some CDNs want to see. A
 * file for which such headers are needed gets an address of this server, which is valid until `expiresAt`.
 */
export function toPublicPost(
  post: Post,
  ownAddress: OwnAddress,
  expiresAt: number,
): z.input<ReturnType<typeof postSchemaOf>> {
  const { quoted } = post;
  let endsAt = post.expiresAt;
  const itemsOf = (of: Post) =>
    of.items.map(({ id: _, ...item }, index) => {
      const variants = item.variants.map(variant => {
        const { headers, ...file } = variant;
        if (headers === undefined) return file;
        endsAt = Math.min(endsAt ?? expiresAt, expiresAt);
        return { ...file, url: ownAddress(index, { variant }, of), expiresAt };
      });
      return { ...item, variants };
    });
  const shown = { ...post, items: itemsOf(post), quoted: quoted && { ...quoted, items: itemsOf(quoted) } };
  return { ...shown, expiresAt: endsAt };
}

type AddressOf = (file: PlayerFile | undefined) => string;

/**
 * Finds a file's address: the CDN's, or this server's if tracks have to be muxed or the CDN wants to see certain
 * request headers; '' if there is no file.
 */
function addressing(index: number, ownAddress: OwnAddress): AddressOf {
  return file => {
    if (file === undefined) return '';
    const isOpen = isOneFile(file) && file.variant.headers === undefined;
    return isOpen ? file.variant.url : ownAddress(index, file);
  };
}

/** A duration as `m:ss`, from an hour on `h:mm:ss`; '' when unknown. */
export function formatDuration(durationMs: number | null): string {
  // The documented form has no tenths of a second.
  return durationMs === null ? '' : momentText(Math.round(durationMs / 1_000) * 1_000);
}

/**
 * The files with the item's audio, best first. Files of the CDN are preferred to those that have to be muxed, and
 * silent files are the last choice. Files that play everywhere (H.264 in MP4) exclude all others.
 */
function rankedFiles(item: MediaItem): readonly PlayerFile[] {
  if (item.kind !== 'video') return bySize(playableVariants(item).map(variant => ({ variant })));
  const plain = plainVideos(item);
  const withAudio = plain.filter(({ hasAudio }) => hasAudio !== false);
  const muxed = withAudio.length > 0 ? [] : muxedFiles(item);
  if (muxed.length > 0) return muxed;
  return preferCommon((withAudio.length > 0 ? withAudio : plain).map(variant => ({ variant })));
}

/**
 * The item's files that have to be muxed. Files too large for that are left out; if all are too large, the smallest is
 * kept.
 */
function muxedFiles(item: MediaItem): readonly PlayerFile[] {
  const pairs = wholeVideos(item).filter(({ audio }) => audio !== undefined);
  const muxable = pairs.filter(pair => isMuxable(pair, item));
  return muxable.length > 0 ? preferCommon(muxable) : preferCommon(pairs).slice(-1);
}

function preferCommon(files: readonly PlayerFile[]): readonly PlayerFile[] {
  const common = files.filter(isCommonFile);
  return bySize(common.length > 0 ? common : files);
}

/** Sorts files by pixels, then by bit rate. If a size is unknown, the source's order is kept. */
function bySize(files: readonly PlayerFile[]): readonly PlayerFile[] {
  const isKnown = files.every(({ variant: { width, height } }) => width !== null && height !== null);
  return isKnown ? ranked(files, ({ variant }) => [pixels(variant), variant.bitrate ?? 0]) : files;
}
