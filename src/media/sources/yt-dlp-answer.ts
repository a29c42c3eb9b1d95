/** Turns the output of `yt-dlp -J` into the post. Pure. */
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import type { PostRef } from '../extract/source.ts';
import { mediaAddress, parseJson } from '../parse/json.ts';
import { NO_STATS, type Post, type UnplacedItem, type Variant } from '../post.ts';
import { addressExpiry } from './kit/cdn-address.ts';
import { type PostDraft, readableItems, toPost, UNKNOWN_AUTHOR } from './kit/draft.ts';
import { listedFile, listedItem } from './kit/media-files.ts';

export interface YtDlpContext {
  readonly ref: PostRef;
  readonly hosts: readonly string[];
  readonly now: number;
}

const text = z.string().min(1).nullish().catch(null);
const positive = z.number().positive().nullish().catch(null);
const count = z.number().int().nonnegative().nullish().catch(null);

const format = z.object({
  url: z.string(),
  ext: text,
  protocol: text,
  vcodec: text,
  acodec: text,
  width: positive,
  height: positive,
  tbr: positive,
  filesize: positive,
});
type Format = z.infer<typeof format>;

const video = z.object({
  id: text,
  title: text,
  description: text,
  uploader: text,
  uploader_id: text,
  channel: text,
  uploader_url: text,
  timestamp: positive,
  duration: positive,
  width: positive,
  height: positive,
  thumbnail: text,
  like_count: count,
  comment_count: count,
  view_count: count,
  repost_count: count,
  formats: z.array(z.unknown()).nullish().catch(null),
  is_live: z.boolean().nullish().catch(null),
  url: text,
  ext: text,
});
type Video = z.infer<typeof video>;
const answer = video.extend({ entries: z.array(z.unknown()).nullish().catch(null) });

const VIDEO_FORMS: ReadonlySet<string> = new Set(['reel', 'watch', 'video', 'p', 'tv', 'reels']);
const MAX_ENTRIES = 50;

/** A codec by yt-dlp's name for it; null when yt-dlp does not know it, undefined when there is none. */
function codec(name: string | null | undefined): string | null | undefined {
  if (name === 'none') return undefined;
  return name ?? null;
}

function toVariant(one: Format, hosts: readonly string[]): Variant[] {
  const url = mediaAddress(one.url, hosts);
  // Playlists and fragments are left out, because they are not files.
  if (url === null || (one.protocol && !/^https?$/.test(one.protocol))) return [];
  const [video, audio] = [codec(one.vcodec), codec(one.acodec)];
  if (video === undefined && audio === undefined) return [];
  const hasVideo = video !== undefined;
  const type = /^(?:mp4|webm)$/.exec(one.ext ?? '')?.[0] ?? 'mp4';
  const known = [video, audio].filter(name => typeof name === 'string');
  return [
    listedFile(url, {
      mime: `${hasVideo ? 'video' : 'audio'}/${type}`,
      width: hasVideo ? (one.width ?? null) : null,
      height: hasVideo ? (one.height ?? null) : null,
      bitrate: one.tbr ? Math.round(one.tbr * 1000) : null,
      bytes: one.filesize ? Math.round(one.filesize) : null,
      codecs: known.length === 0 ? null : known.join(', '),
      hasAudio: audio === undefined ? false : audio === null ? null : true,
      hasVideo,
      adaptive: !hasVideo || audio === undefined,
      expiresAt: addressExpiry(url),
    }),
  ];
}

function toItem(one: Video, hosts: readonly string[]): UnplacedItem | null {
  const listed: readonly unknown[] = one.formats ?? [one];
  const variants = listed.flatMap(entry => {
    const result = format.safeParse(entry);
    return result.success ? toVariant(result.data, hosts) : [];
  });
  const item = listedItem('video', [...new Map(variants.map(variant => [variant.url, variant])).values()], {
    ...(one.width && { width: one.width }),
    ...(one.height && { height: one.height }),
    durationMs: one.duration ? Math.round(one.duration * 1000) : null,
    thumbnailUrl: mediaAddress(one.thumbnail, hosts),
  });
  return item?.variants[0]?.hasVideo === true ? item : null;
}

/** @throws AppError `upstream_changed` when the output has another shape, is about another post or has no file on `hosts`. */
export function parseYtDlpAnswer(printed: string, { ref, hosts, now }: YtDlpContext): Post {
  const result = answer.safeParse(parseJson(printed));
  if (!result.success) throw new AppError('upstream_changed', 'yt-dlp printed no description', { cause: result.error });
  const { entries, ...post } = result.data;
  if (post.is_live) throw new AppError('unsupported_link', 'a live broadcast', { params: { what: 'live' } });
  if (post.id && VIDEO_FORMS.has(ref.form) && post.id !== ref.id) {
    throw new AppError('upstream_changed', 'yt-dlp describes another post');
  }
  const videos = (entries ?? [post]).slice(0, MAX_ENTRIES).map(entry => video.safeParse(entry).data ?? null);
  const items = videos.map(one => (one === null ? null : toItem(one, hosts)));
  if (readableItems({ items }) === 0) {
    throw new AppError('upstream_changed', 'yt-dlp describes no file that we may fetch');
  }
  const first = videos.find(one => one !== null) ?? post;
  const timestamp = post.timestamp ?? first.timestamp;
  const draft: PostDraft = {
    author: {
      ...UNKNOWN_AUTHOR,
      id: post.uploader_id ?? first.uploader_id ?? null,
      username: post.channel ?? first.channel ?? null,
      name: post.uploader ?? first.uploader ?? null,
    },
    // For Instagram yt-dlp writes a title of its own ("Video by ...").
    title: ref.source === 'instagram' ? null : (post.title ?? null),
    caption: post.description ?? first.description ?? null,
    publishedAt: timestamp ? Math.round(timestamp * 1000) : null,
    stats: {
      ...NO_STATS,
      likes: post.like_count ?? first.like_count ?? null,
      comments: post.comment_count ?? first.comment_count ?? null,
      views: post.view_count ?? first.view_count ?? null,
      shares: post.repost_count ?? first.repost_count ?? null,
    },
    items,
    coverUrl: null,
  };
  return toPost(draft, { ref, strategy: 'yt-dlp', now }, 'files');
}
