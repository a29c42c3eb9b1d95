import { fileNameOf, isPlaylist } from '../files/cdn.ts';
import {
  isCommonAudio,
  isCommonFile,
  isCommonVideo,
  isOneFile,
  likelyBytes,
  type MediaForm,
  ranked,
  sendableVariants,
  toChoice,
  tracksOf,
  type WholeVideo,
  wholeVideos,
} from '../files/variant-ranking.ts';
import type { MediaItem, Post, Variant } from '../post.ts';
import type { TunnelFile } from './tunnel-token.ts';

/** The file that players and downloads get for an item; if `audio` is set, both tracks are muxed. */
export interface PlayerFile extends WholeVideo {
  /** A file that can be played without muxing. It is used if the two tracks cannot be muxed. */
  readonly fallback?: Variant | undefined;
}

/** The largest size of two tracks together that are muxed while a client waits. */
export const MAX_MUX_BYTES = 256 * 1024 * 1024;
/** Muxed tracks become an MP4, whatever format they had. */
const MUXED_MIME = 'video/mp4';
/** The preferred short side: a larger video loads longer and has more pixels than most screens. */
const FULL_HD = 1_080;
/** The most characters of all addresses of a file: with more, its token would make the request line too long. */
const MAX_ADDRESS_CHARS = 8_000;

/** The best file with audio that a browser plays, up to 1080p. Two tracks are muxed if that is better. Pure. */
export function choosePlayerFile(item: MediaItem, form: MediaForm): PlayerFile | undefined {
  if (form === 'audio' || item.kind !== 'video') {
    // A stream contains the video as well, so it is not used where only the audio is wanted.
    const variant = sendableVariants(item, form).find(one => !isPlaylist(one));
    return variant && { variant };
  }
  return bestForPlayer(item, rankedVideos(item));
}

/** The files that a viewer can choose from: one per size that every browser plays, up to 1080p, largest first. */
export function playerQualities(item: MediaItem): readonly PlayerFile[] {
  if (item.kind !== 'video') return [];
  const all = rankedVideos(item);
  const best = bestForPlayer(item, all);
  if (best === undefined) return [];
  const bySide = new Map([[shortSide(best.variant), best]]);
  for (const file of all) {
    const { variant, audio } = file;
    const side = shortSide(variant);
    const isSilent = audio === undefined && variant.hasAudio === false && best.variant.hasAudio !== false;
    const isWanted = side > 0 && side < shortSide(best.variant) && !isSilent && !bySide.has(side);
    if (isWanted && isCommonFile(file) && (isOneFile(file) || isMuxable(file, item))) bySide.set(side, file);
  }
  return [...bySide.values()].sort((a, b) => shortSide(b.variant) - shortSide(a.variant));
}

function rankedVideos(item: MediaItem): readonly WholeVideo[] {
  return ranked(wholeVideos(item), whole => playerRank(whole, item));
}

function bestForPlayer({ variants }: MediaItem, all: readonly WholeVideo[]): PlayerFile | undefined {
  const [best] = all;
  // A video whose audio cannot be added is better than no video.
  const [only] = variants;
  if (best === undefined) return only && { variant: only };
  if (isOneFile(best)) return { variant: best.variant };
  const fallback = all.find(whole => isOneFile(whole) && whole.variant.hasAudio !== false)?.variant;
  const fits = fallback !== undefined && fitsAddress([...tracksOf(best), fallback]);
  return { ...best, fallback: fits ? fallback : undefined };
}

/** Says whether two tracks can be muxed: their addresses fit into a token, and they are not known to be too large. */
export function isMuxable(whole: WholeVideo, item: MediaItem): boolean {
  if (isOneFile(whole)) return false;
  const parts = tracksOf(whole);
  const bytes = parts.map(variant => likelyBytes(toChoice(variant, item), item) ?? 0);
  return fitsAddress(parts) && bytes.reduce((total, each) => total + each, 0) <= MAX_MUX_BYTES;
}

/** The file's size; an empty object if a track's size cannot even be estimated. `isRough`: the size is an estimate. */
export function playerFileSize(
  file: PlayerFile,
  item: MediaItem,
): { readonly bytes?: number; readonly isRough?: true } {
  const parts = tracksOf(file).map(part => toChoice(part, item));
  const sizes = parts.flatMap(({ bytes, estimatedBytes }) => bytes ?? estimatedBytes ?? []);
  if (sizes.length < parts.length) return {};
  const bytes = sizes.reduce((total, each) => total + each, 0);
  return { bytes, ...(parts.some(part => part.bytes === null) && { isRough: true }) };
}

/** Turns the file into what a tunnel address contains. */
export function playerTunnelFile(post: Post, index: number, file: PlayerFile, expiresAt: number): TunnelFile {
  const { variant, audio, fallback } = file;
  const { width, height } = variant;
  const isMade = !isOneFile(file);
  const mime = isMade ? MUXED_MIME : variant.mime;
  return {
    post: { source: post.source, id: post.id },
    index,
    url: (isMade && fallback ? fallback : variant).url,
    ...([variant, audio, fallback].some(one => one?.headers !== undefined) && { hasHeaders: true }),
    ...(isMade && {
      tracks: { video: variant.url, audio: audio?.url, ...(isPlaylist(variant) && { inPieces: true }) },
    }),
    mime,
    width,
    height,
    fileName: fileNameOf(post, index, mime),
    expiresAt,
  };
}

function fitsAddress(variants: readonly Variant[]): boolean {
  return variants.reduce((total, { url }) => total + url.length, 0) <= MAX_ADDRESS_CHARS;
}

/** Numbers by which files are compared, the most important first; higher is better. */
function playerRank(whole: WholeVideo, item: MediaItem): readonly number[] {
  const { variant, audio } = whole;
  const side = shortSide(variant);
  const isOne = isOneFile(whole);
  return [
    audio !== undefined || variant.hasAudio !== false ? 1 : 0,
    isOne || isMuxable(whole, item) ? 1 : 0,
    audio === undefined || isCommonAudio(audio) ? codecRank(variant) : Math.min(codecRank(variant), 1),
    side <= FULL_HD ? 1 : 0,
    side <= FULL_HD ? side : -side,
    // A file that need not be muxed starts to play sooner.
    isOne ? 1 : 0,
    variant.bitrate ?? 0,
  ];
}

function codecRank(variant: Variant): number {
  const { mime, codecs } = variant;
  if (isCommonVideo(variant)) return 3;
  if (/vp0?9/i.test(codecs ?? '') || mime === 'video/webm') return 2;
  // Half of all browsers cannot play HEVC.
  return /hvc1|hev1/i.test(codecs ?? '') ? 0 : 1;
}

/** The shorter side in pixels, as in `720p`; 0 when unknown. */
export function shortSide({ width, height }: Pick<Variant, 'width' | 'height'>): number {
  return width !== null && height !== null ? Math.min(width, height) : (width ?? height ?? 0);
}
