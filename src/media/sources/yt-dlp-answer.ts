/** Turns the output of `yt-dlp -J` into the post. Pure. */
import { AppError } from '../../errors.ts';
import { isVideoLink, type PostRef } from '../extract/source.ts';
import { firstOf, isJsonObject, type JsonObject, mediaAddress, parseJson, UNKNOWN_SIZE } from '../parse/json.ts';
import * as read from '../parse/read.ts';
import type { Post, UnplacedItem, Variant } from '../post.ts';
import { addressExpiry } from './kit/cdn-address.ts';
import { EMPTY_DRAFT, readableItems, toPost, UNKNOWN_AUTHOR } from './kit/draft.ts';
import { listedFile, listedItem } from './kit/media-files.ts';

const MAX_ENTRIES = 50;
const MAX_FORMATS = 1_000;
const STATS = { likes: 'like_count', comments: 'comment_count', views: 'view_count', shares: 'repost_count' };

function toVariant(format: JsonObject, hosts: readonly string[]): readonly Variant[] {
  const url = mediaAddress(format.url, hosts);
  // Only whole files over HTTP are used: playlists and fragments are no files.
  if (url === null || !/^https?$/.test(read.text(format.protocol) ?? 'https')) return [];
  const { vcodec, acodec } = format;
  const hasVideo = vcodec !== 'none';
  if (!hasVideo && acodec === 'none') return [];
  const codecs = [vcodec, acodec].map(read.text).filter(name => name !== null && name !== 'none');
  const type = /^(?:mp4|webm)$/.exec(read.text(format.ext) ?? '')?.[0] ?? 'mp4';
  const bitrate = read.positive(format.tbr);
  const bytes = read.positive(format.filesize);
  return [
    listedFile(url, {
      mime: `${hasVideo ? 'video' : 'audio'}/${type}`,
      ...(hasVideo ? read.dimensions(format) : UNKNOWN_SIZE),
      bitrate: bitrate && Math.round(bitrate * 1000),
      bytes: bytes && Math.round(bytes),
      codecs: codecs.join(', ') || null,
      // If yt-dlp does not know whether there is audio, it states no codec.
      hasAudio: acodec === 'none' ? false : read.text(acodec) !== null || null,
      hasVideo,
      adaptive: !hasVideo || acodec === 'none',
      expiresAt: addressExpiry(url),
    }),
  ];
}

function toItem(video: JsonObject, hosts: readonly string[]): UnplacedItem | null {
  const listed = Array.isArray(video.formats) ? read.list(video.formats, MAX_FORMATS) : [video];
  const variants = listed.filter(isJsonObject).flatMap(format => toVariant(format, hosts));
  const { width, height } = read.dimensions(video);
  const item = listedItem('video', [...new Map(variants.map(variant => [variant.url, variant])).values()], {
    ...(width !== null && { width }),
    ...(height !== null && { height }),
    durationMs: read.seconds(video.duration),
    thumbnailUrl: mediaAddress(video.thumbnail, hosts),
  });
  return item?.variants[0]?.hasVideo === true ? item : null;
}

/** @throws AppError `upstream_changed`: the output has another shape, another post or no file on `hosts` */
export function parseYtDlpAnswer(printed: string, ref: PostRef, hosts: readonly string[], now: number): Post {
  const post = parseJson(printed);
  if (!isJsonObject(post)) throw new AppError('upstream_changed', 'yt-dlp printed no description');
  if (post.is_live === true) throw new AppError('unsupported_link', 'a live broadcast', { params: { what: 'live' } });
  const id = read.text(post.id);
  if (id !== null && (isVideoLink(ref) || ref.form === 'p') && id !== ref.id) {
    throw new AppError('upstream_changed', 'yt-dlp describes another post');
  }
  const videos = Array.isArray(post.entries) ? read.list(post.entries, MAX_ENTRIES) : [post];
  const items = videos.map(one => (isJsonObject(one) ? toItem(one, hosts) : null));
  if (readableItems({ items }) === 0) {
    throw new AppError('upstream_changed', 'yt-dlp describes no file that we may fetch');
  }
  const said = [post, ...videos.filter(isJsonObject).slice(0, 1)];
  const textOf = (key: string) => firstOf(said, one => read.text(one[key]));
  const draft = {
    ...EMPTY_DRAFT,
    author: { ...UNKNOWN_AUTHOR, id: textOf('uploader_id'), username: textOf('channel'), name: textOf('uploader') },
    // For Instagram, yt-dlp makes up a title ("Video by ..."), which is not used.
    title: ref.source === 'instagram' ? null : read.text(post.title),
    caption: textOf('description'),
    publishedAt: firstOf(said, ({ timestamp }) => read.instant(timestamp)),
    stats: read.stats(said, STATS),
    items,
  };
  return toPost(draft, { ref, strategy: 'yt-dlp', now }, 'files');
}
