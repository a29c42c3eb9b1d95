import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { shortened } from '../../../bot/contract/reply-parts.ts';
import { hasSound } from '../../../bot/views/post.ts';
import type { MediaItem } from '../../../media/post.ts';
import {
  choosePlayerFile,
  type PlayerFile,
  playerFileSize,
  playerQualities,
  playerTunnelFile,
  shortSide,
} from '../../../media/tunnel/player-file.ts';
import type { Tunnel } from '../../../media/tunnel/tunnel.ts';
import type { TunnelFile } from '../../../media/tunnel/tunnel-token.ts';
import type { WebFile, WebMedia, WebQuality } from '../page/base/protocol.ts';
import { MEDIA_LIFE_MS, REPLY_LIMITS } from '../protocol/limits.ts';

export interface GalleryContext {
  /** Makes addresses on this server (`/media/...`) for files of the sites' CDNs, without a request. */
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** True when the API can convert the audio of a video to MP3, which the page then offers to save. */
  readonly encodesMp3?: boolean;
  /** The present time, unix milliseconds. */
  readonly now: number;
}

/** The file that a browser plays best, with its address on this server; an empty list for an item without any file. */
export function renderMedia(
  { post, index, form, spoiler, clip }: GalleryItem,
  { tunnel, now, encodesMp3 = false }: GalleryContext,
): WebMedia[] {
  const item = post.items[index];
  // If only the audio of a silent video is requested, its video is shown.
  const chosen = item && (choosePlayerFile(item, form) ?? choosePlayerFile(item, 'original'));
  if (!item || !chosen) return [];
  const kind = form === 'audio' && item.kind === 'video' ? 'audio' : item.kind;
  // The CDN's own address may expire earlier; this server then looks up a new one.
  const expiresAt = now + MEDIA_LIFE_MS;
  const file = playerTunnelFile(post, index, chosen, expiresAt);
  const { mime, width, height } = file;
  const src = tunnel.address(file);
  const clipUrl = kind === 'video' ? fileAddress('clip', post, index) : undefined;
  // The browser itself plays only the clip; for saving, the API cuts the file.
  const part = clip === undefined ? '' : `#t=${clip.startMs / 1_000},${clip.endMs / 1_000}`;
  const mp3 = encodesMp3 ? savedMp3({ post, index }, item, file) : undefined;
  const cut = clip && clipUrl !== undefined ? savedClip(clipUrl, clip, file) : undefined;
  const saved = kind === 'audio' ? mp3 : cut;
  return [
    {
      kind,
      src: `${src}${part}`,
      mime,
      poster: item.kind === 'image' ? null : posterOf(item, file, tunnel),
      // If the file's width and height are unknown, the item's are used, since the page needs only the proportions.
      width: width ?? item.width,
      height: height ?? item.height,
      durationMs: clip === undefined ? item.durationMs : clip.endMs - clip.startMs,
      alt: shortened(item.alt ?? '', REPLY_LIMITS.alt),
      ...(saved ?? { ...savedAs(src, file), ...factsOf(chosen, item) }),
      ...(clip === undefined && clipUrl !== undefined && isCuttable(item) && { clipUrl }),
      spoiler,
      ...(kind === 'video' && extrasOf({ post, index, item, part, saved, mp3, expiresAt, tunnel })),
      expiresAt,
    },
  ];
}

function posterOf({ thumbnailUrl: url }: MediaItem, file: TunnelFile, tunnel: GalleryContext['tunnel']): string | null {
  const { post, index, expiresAt } = file;
  const fileName = renamed(file, '-cover.jpg');
  return url === null ? null : tunnel.address({ post, index, url, mime: 'image/jpeg', fileName, expiresAt });
}

/** The page does not offer to cut a video that is shorter than this. */
const SHORTEST_CUT_MS = 2_000;

function isCuttable({ durationMs }: MediaItem): boolean {
  return durationMs !== null && durationMs >= SHORTEST_CUT_MS;
}

/** The API's address for the audio of a video, or for a part of it, which are made on request. */
function fileAddress(endpoint: 'audio' | 'clip', { url, items }: GalleryItem['post'], index: number): string {
  return `/api/${endpoint}?url=${encodeURIComponent(url)}&item=${(items[index]?.position ?? index) + 1}`;
}

/** The audio as an MP3, which the API makes; undefined for an item without sound, and for one that is an MP3. */
function savedMp3(
  { post, index }: Pick<GalleryItem, 'post' | 'index'>,
  item: MediaItem,
  file: TunnelFile,
): WebFile | undefined {
  if (!hasSound(item) || file.mime === 'audio/mpeg') return undefined;
  return { downloadUrl: fileAddress('audio', post, index), fileName: renamed(file, '.mp3') };
}

function savedClip(address: string, { startMs, endMs }: NonNullable<GalleryItem['clip']>, file: TunnelFile): WebFile {
  const downloadUrl = `${address}&from=${startMs / 1_000}&to=${endMs / 1_000}`;
  return { downloadUrl, fileName: renamed(file, '-clip.mp4') };
}

function renamed({ fileName }: TunnelFile, ending: string): string {
  return fileName.replace(/(\.\w{1,5})?$/, ending);
}

interface ExtrasOptions extends Pick<GalleryItem, 'post' | 'index'> {
  readonly item: MediaItem;
  /** The played part of the video as the end of an address, such as `#t=5,12`; '' for the whole video. */
  readonly part: string;
  /** The file with only the played part, saved in place of the whole video; undefined when all is played. */
  readonly saved: WebFile | undefined;
  /** The audio as an MP3, which the API makes; undefined when the audio is not offered as one. */
  readonly mp3: WebFile | undefined;
  readonly expiresAt: number;
  readonly tunnel: GalleryContext['tunnel'];
}

/** The video in other sizes, and its audio alone. */
function extrasOf(options: ExtrasOptions): Pick<WebMedia, 'qualities' | 'audio'> {
  const { post, index, item, part, saved, mp3, expiresAt, tunnel } = options;
  const sizes = playerQualities(item);
  const qualities = (sizes.length > 1 ? sizes : []).map((chosen): WebQuality => {
    const file = playerTunnelFile(post, index, chosen, expiresAt);
    const src = tunnel.address(file);
    const own = saved ?? { ...savedAs(src, file), ...factsOf(chosen, item) };
    return { ...own, label: `${shortSide(chosen.variant)}p`, src: `${src}${part}` };
  });
  const sound = choosePlayerFile(item, 'audio');
  const track = sound?.variant.hasVideo === false ? playerTunnelFile(post, index, sound, expiresAt) : undefined;
  const audio = mp3 ?? (track && savedAs(tunnel.address(track), track));
  return { ...(qualities.length > 0 && { qualities }), ...(audio && { audio }) };
}

function factsOf(file: PlayerFile, item: MediaItem): Pick<WebFile, 'label' | 'bytes' | 'isRough'> {
  const side = item.kind === 'video' && file.variant.hasVideo ? shortSide(file.variant) : 0;
  return { ...(side > 0 && { label: `${side}p` }), ...playerFileSize(file, item) };
}

function savedAs(src: string, { fileName }: TunnelFile): WebFile {
  return { downloadUrl: `${src}?download=1`, fileName };
}
