import type { GalleryItem } from '../../../bot/reply.ts';
import { itemCount, type MediaItem, playableVariants, type Variant } from '../../../media/post.ts';
import type { Tunnel } from '../../../media/tunnel/tunnel.ts';
import { MEDIA_LIFE_MS, REPLY_LIMITS } from '../limits.ts';
import type { WebMedia } from '../page/protocol.ts';
import { shorten } from './render-text.ts';

export interface GalleryContext {
  /** Makes an address; asks nobody. */
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The file a browser plays best, in the tunnel; nothing for an item that has none. */
export function renderMedia({ post, index, form, spoiler }: GalleryItem, { tunnel, now }: GalleryContext): WebMedia[] {
  const item = post.items[index];
  const chosen = item && chooseVariant(item, form);
  if (!item || !chosen) return [];
  const kind = form === 'audio' && item.kind === 'video' ? 'audio' : item.kind;
  // Longer than the CDN's own address may live: the tunnel asks for a new one when that has ended.
  const expiresAt = now + MEDIA_LIFE_MS;
  const place = itemCount(post) > 1 ? `-${item.position + 1}` : '';
  const name = `medley-${post.source}-${safeName(post.id)}${place}`;
  const file = { post: { source: post.source, id: post.id }, index, expiresAt };
  const fileName = `${name}.${extension(chosen.mime)}`;
  const { width, height } = chosen;
  const src = tunnel.address({ ...file, url: chosen.url, mime: chosen.mime, width, height, fileName });
  const poster =
    item.kind === 'image' || item.thumbnailUrl === null
      ? null
      : tunnel.address({ ...file, url: item.thumbnailUrl, mime: 'image/jpeg', fileName: `${name}-cover.jpg` });
  return [
    {
      kind,
      src,
      mime: chosen.mime,
      poster,
      width: item.width ?? chosen.width,
      height: item.height ?? chosen.height,
      durationMs: item.durationMs,
      alt: shorten(item.alt ?? '', REPLY_LIMITS.alt),
      downloadUrl: `${src}?download=1`,
      fileName,
      spoiler,
      expiresAt,
    },
  ];
}

/** The file a browser plays best: H.264 in MP4 before anything else, up to 1080p, then the largest. */
function chooseVariant(item: MediaItem, form: GalleryItem['form']): Variant | undefined {
  const sound = item.variants.filter(variant => !variant.hasVideo && variant.hasAudio !== false);
  if (form === 'audio' && item.kind !== 'image' && sound.length > 0) return best(sound, soundRank);
  if (item.kind === 'image') return best(item.variants, pictureRank);
  const playable = playableVariants(item);
  // Better a film without its sound than none at all.
  return best(playable.length > 0 ? playable : item.variants, item.kind === 'audio' ? soundRank : filmRank);
}

type Rank = (variant: Variant) => readonly number[];

function best(variants: readonly Variant[], rank: Rank): Variant | undefined {
  return variants
    .map(variant => ({ variant, rank: rank(variant) }))
    .reduce<{ variant: Variant; rank: readonly number[] } | undefined>(
      (winner, next) => (winner === undefined || isHigher(next.rank, winner.rank) ? next : winner),
      undefined,
    )?.variant;
}

function isHigher(left: readonly number[], right: readonly number[]): boolean {
  const differing = left.findIndex((value, place) => value !== right[place]);
  return differing >= 0 && (left[differing] ?? 0) > (right[differing] ?? 0);
}

const FULL_HD = 1080;

function filmRank(variant: Variant): readonly number[] {
  const side = shortSide(variant);
  return [
    variant.hasVideo ? 1 : 0,
    codecRank(variant),
    side <= FULL_HD ? 1 : 0,
    side <= FULL_HD ? side : -side,
    variant.bitrate ?? 0,
  ];
}

function soundRank(variant: Variant): readonly number[] {
  return [/^audio\/(mp4|mpeg|aac)$|^video\/mp4$/.test(variant.mime) ? 1 : 0, variant.bitrate ?? 0];
}

function pictureRank(variant: Variant): readonly number[] {
  return [/heic|heif|tiff/.test(variant.mime) ? 0 : 1, shortSide(variant)];
}

function codecRank({ mime, codecs }: Variant): number {
  if (mime === 'video/mp4' && (codecs === null || codecs.includes('avc1'))) return 3;
  if (codecs?.includes('vp09') || mime === 'video/webm') return 2;
  // Half of all browsers cannot play HEVC.
  return /hvc1|hev1/.test(codecs ?? '') ? 0 : 1;
}

function shortSide({ width, height }: Variant): number {
  return width !== null && height !== null ? Math.min(width, height) : (width ?? height ?? 0);
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/webm': 'weba',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/heic': 'heic',
};

function extension(mime: string): string {
  return EXTENSIONS[mime] ?? 'bin';
}

function safeName(id: string): string {
  return id.replace(/[^\w.-]/g, '_').slice(0, 80);
}
