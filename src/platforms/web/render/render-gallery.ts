import type { GalleryItem } from '../../../bot/contract/reply.ts';
import {
  choosePlayerFile,
  type PlayerFile,
  playerQualities,
  playerTunnelFile,
  shortSide,
} from '../../../media/tunnel/player-file.ts';
import type { Tunnel } from '../../../media/tunnel/tunnel.ts';
import type { TunnelFile } from '../../../media/tunnel/tunnel-file.ts';
import type { WebFile, WebMedia, WebQuality } from '../page/base/protocol.ts';
import { MEDIA_LIFE_MS, REPLY_LIMITS } from '../protocol/limits.ts';
import { shortenString } from './render-text.ts';

export interface GalleryContext {
  /** Makes an address; asks no server. */
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The file a browser plays best, in the tunnel; nothing for an item that has none. */
export function renderMedia(
  { post, index, form, spoiler, clip }: GalleryItem,
  { tunnel, now }: GalleryContext,
): WebMedia[] {
  const item = post.items[index];
  // A video without audio still has its video.
  const chosen = item && (choosePlayerFile(item, form) ?? choosePlayerFile(item, 'original'));
  if (!item || !chosen) return [];
  const kind = form === 'audio' && item.kind === 'video' ? 'audio' : item.kind;
  // Longer than the CDN's own address may live: the tunnel asks for a new one when that has ended.
  const expiresAt = now + MEDIA_LIFE_MS;
  const file = playerTunnelFile(post, index, chosen, expiresAt);
  const { mime, width, height, fileName } = file;
  const src = tunnel.address(file);
  const coverName = `${fileName.replace(/\.\w{1,5}$/, '')}-cover.jpg`;
  const cover = { post: file.post, index, mime: 'image/jpeg', fileName: coverName, expiresAt };
  const poster =
    item.kind === 'image' || item.thumbnailUrl === null ? null : tunnel.address({ ...cover, url: item.thumbnailUrl });
  // A browser plays the part by itself; what is saved is whole.
  const part = clip === undefined ? '' : `#t=${clip.startMs / 1_000},${clip.endMs / 1_000}`;
  return [
    {
      kind,
      src: `${src}${part}`,
      mime,
      poster,
      // The item's size gives the shape where the file's own is unknown.
      width: width ?? item.width,
      height: height ?? item.height,
      durationMs: clip === undefined ? item.durationMs : clip.endMs - clip.startMs,
      alt: shortenString(item.alt ?? '', REPLY_LIMITS.alt),
      downloadUrl: `${src}?download=1`,
      fileName,
      spoiler,
      ...(kind === 'video' && extrasOf({ post, index, part }, expiresAt, tunnel)),
      expiresAt,
    },
  ];
}

type Extras = Pick<WebMedia, 'qualities' | 'audio'>;

/**
 * The video in other sizes, and without the video.
 * @param part of the video that is played, as the end of an address
 */
function extrasOf(
  { post, index, part }: Pick<GalleryItem, 'post' | 'index'> & { readonly part: string },
  expiresAt: number,
  tunnel: GalleryContext['tunnel'],
): Extras {
  const item = post.items[index];
  if (item === undefined) return {};
  const sizes = playerQualities(item);
  const qualities =
    sizes.length < 2
      ? []
      : sizes.map(chosen => qualityOf(chosen, playerTunnelFile(post, index, chosen, expiresAt), part, tunnel));
  const sound = choosePlayerFile(item, 'audio');
  const isAudioFile = sound !== undefined && sound.variant.hasVideo === false;
  return {
    ...(qualities.length > 0 && { qualities }),
    ...(isAudioFile && { audio: downloadOf(playerTunnelFile(post, index, sound, expiresAt), tunnel) }),
  };
}

function qualityOf(
  { variant }: PlayerFile,
  file: TunnelFile,
  part: string,
  tunnel: GalleryContext['tunnel'],
): WebQuality {
  const src = tunnel.address(file);
  return {
    label: `${shortSide(variant)}p`,
    src: `${src}${part}`,
    downloadUrl: `${src}?download=1`,
    fileName: file.fileName,
  };
}

function downloadOf(file: TunnelFile, tunnel: GalleryContext['tunnel']): WebFile {
  return { downloadUrl: `${tunnel.address(file)}?download=1`, fileName: file.fileName };
}
