import type { GalleryItem } from '../../../bot/contract/reply.ts';
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
import type { TunnelFile } from '../../../media/tunnel/tunnel-file.ts';
import type { WebFile, WebMedia, WebQuality } from '../page/base/protocol.ts';
import { MEDIA_LIFE_MS, REPLY_LIMITS } from '../protocol/limits.ts';
import { shortenString } from './render-text.ts';

export interface GalleryContext {
  /** Makes addresses in the tunnel, without asking any server. */
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The file that a browser plays best, in the tunnel; an empty list for an item without one. */
export function renderMedia(
  { post, index, form, spoiler, clip }: GalleryItem,
  { tunnel, now }: GalleryContext,
): WebMedia[] {
  const item = post.items[index];
  // If the audio of a silent video is wanted, its video is shown instead.
  const chosen = item && (choosePlayerFile(item, form) ?? choosePlayerFile(item, 'original'));
  if (!item || !chosen) return [];
  const kind = form === 'audio' && item.kind === 'video' ? 'audio' : item.kind;
  // This may be longer than the CDN's own address is valid: the tunnel then asks for a new one.
  const expiresAt = now + MEDIA_LIFE_MS;
  const file = playerTunnelFile(post, index, chosen, expiresAt);
  const { mime, width, height } = file;
  const src = tunnel.address(file);
  const coverName = `${file.fileName.replace(/\.\w{1,5}$/, '')}-cover.jpg`;
  const cover = { post: file.post, index, mime: 'image/jpeg', fileName: coverName, expiresAt };
  const poster =
    item.kind === 'image' || item.thumbnailUrl === null ? null : tunnel.address({ ...cover, url: item.thumbnailUrl });
  // The browser plays the clip by itself; a saved file is the whole video.
  const part = clip === undefined ? '' : `#t=${clip.startMs / 1_000},${clip.endMs / 1_000}`;
  return [
    {
      kind,
      src: `${src}${part}`,
      mime,
      poster,
      // If the file's own size is unknown, the item's size gives the shape.
      width: width ?? item.width,
      height: height ?? item.height,
      durationMs: clip === undefined ? item.durationMs : clip.endMs - clip.startMs,
      alt: shortenString(item.alt ?? '', REPLY_LIMITS.alt),
      ...savedAs(src, file),
      ...factsOf(chosen, item),
      spoiler,
      ...(kind === 'video' && extrasOf({ post, index, part }, expiresAt, tunnel)),
      expiresAt,
    },
  ];
}

type Extras = Pick<WebMedia, 'qualities' | 'audio'>;

/**
 * The video in other sizes, and its audio alone.
 * @param part the played part of the video, as the end of an address
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
      : sizes.map((chosen): WebQuality => {
          const file = playerTunnelFile(post, index, chosen, expiresAt);
          const label = `${shortSide(chosen.variant)}p`;
          const src = tunnel.address(file);
          return { ...savedAs(src, file), ...factsOf(chosen, item), label, src: `${src}${part}` };
        });
  const sound = choosePlayerFile(item, 'audio');
  const audio = sound?.variant.hasVideo === false ? playerTunnelFile(post, index, sound, expiresAt) : undefined;
  return {
    ...(qualities.length > 0 && { qualities }),
    ...(audio && { audio: savedAs(tunnel.address(audio), audio) }),
  };
}

function factsOf(file: PlayerFile, item: MediaItem): Pick<WebFile, 'label' | 'bytes' | 'isRough'> {
  const { variant } = file;
  const side = item.kind === 'video' && variant.hasVideo ? shortSide(variant) : 0;
  return { ...(side > 0 && { label: `${side}p` }), ...playerFileSize(file, item) };
}

function savedAs(src: string, { fileName }: TunnelFile): WebFile {
  return { downloadUrl: `${src}?download=1`, fileName };
}
