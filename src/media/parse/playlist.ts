/** Reads HLS playlists (RFC 8216): a master playlist lists renditions, a media playlist a rendition's pieces. Pure. */
import { AppError } from '../../errors.ts';
import { PLAYLIST_MIME, type Variant } from '../post.ts';
import { mediaAddress } from './json.ts';
import { compareTracks, positiveInteger } from './markup.ts';

/** The largest playlist that is read. Five hours in pieces of six seconds take 300 KB. */
export const MAX_PLAYLIST_BYTES = 512 * 1024;
const MAX_PIECES = 3_000;
const MAX_RENDITIONS = 60;
const MAX_LINES = 20_000;

/** One piece of a stream: a file, or a byte range of a file. */
export interface Piece {
  readonly url: string;
  readonly range: { readonly first: number; readonly length: number } | undefined;
  /** How long the piece plays; 0 for the initialisation piece, which all other pieces need. */
  readonly durationMs: number;
}

type Attributes = ReadonlyMap<string, string>;

/** A line of a playlist that is not an address: `#TAG:A=1,B="x"`. */
interface Tag {
  readonly name: string;
  readonly value: string;
}

function linesOf(text: string): readonly string[] {
  const lines = text.slice(0, MAX_PLAYLIST_BYTES).split(/\r?\n/, MAX_LINES);
  return lines.map(line => line.trim()).filter(line => line !== '');
}

function readTag(line: string): Tag | undefined {
  const [, name, value = ''] = /^#(EXT[A-Z0-9-]{1,40})(?::(.*))?$/.exec(line) ?? [];
  return name === undefined ? undefined : { name, value };
}

function attributesOf({ value }: Tag): Attributes {
  const pairs = value.matchAll(/([A-Z0-9-]{1,40})=(?:"([^"]*)"|([^",]*))/g);
  return new Map([...pairs].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain.trim()]));
}

const AUDIO_CODEC = /^(?:mp4a|mp3|ac-3|ec-3|opus|flac|vorbis)/i;

const RENDITION = {
  ...{ mime: PLAYLIST_MIME, width: null, height: null, bitrate: null, bytes: null, codecs: null },
  ...{ hasAudio: null, hasVideo: true, adaptive: false, expiresAt: null },
} as const;

export interface PlaylistPlace {
  /** The address from which the playlist came. */
  readonly url: string;
  /** Domains of the media hosts; the subdomains of each are included. */
  readonly hosts: readonly string[];
}

/**
 * The renditions of a stream, best first, each with the address of its media playlist. A media playlist gives one
 * rendition: itself. Separate audio becomes a variant of its own, to be muxed with a video. Never throws; entries that
 * are unreadable or on other hosts are left out.
 */
export function playlistVariants(text: string, { url, hosts }: PlaylistPlace): readonly Variant[] {
  const lines = linesOf(text);
  const addressOf = (written: string | undefined) =>
    written !== undefined && URL.canParse(written, url) ? mediaAddress(new URL(written, url).href, hosts) : null;
  const own = addressOf(url);
  if (lines[0] !== '#EXTM3U' || own === null) return [];
  if (lines.some(line => line.startsWith('#EXTINF'))) return [{ ...RENDITION, url: own }];

  const tags = lines.map(readTag);
  const audioAddresses = new Map<string, string>();
  const groups = tags.flatMap(tag => (tag?.name === 'EXT-X-MEDIA' ? [attributesOf(tag)] : []));
  const isDefault = (group: Attributes) => Number(group.get('DEFAULT') === 'YES');
  for (const group of groups.filter(one => one.get('TYPE') === 'AUDIO').sort((a, b) => isDefault(b) - isDefault(a))) {
    const [id, address] = [group.get('GROUP-ID'), addressOf(group.get('URI'))];
    if (id !== undefined && address !== null && !audioAddresses.has(id)) audioAddresses.set(id, address);
  }

  const variants = new Map<string, Variant>();
  const add = (variant: Variant) => {
    if (variants.size < MAX_RENDITIONS && !variants.has(variant.url)) variants.set(variant.url, variant);
  };
  for (const [index, tag] of tags.entries()) {
    if (tag?.name !== 'EXT-X-STREAM-INF') continue;
    const attributes = attributesOf(tag);
    // The address follows its tag, perhaps after comments. The search is bounded, so that all searches together take
    // linear time.
    const address = addressOf(lines.slice(index + 1, index + MAX_RENDITIONS).find(line => !line.startsWith('#')));
    if (address === null) continue;
    const audio = audioAddresses.get(attributes.get('AUDIO') ?? '');
    add(videoOf(attributes, address, audio !== undefined && audio !== address));
    if (audio !== undefined) add(audioOf(attributes, audio));
  }
  return [...variants.values()].sort(compareTracks);
}

function codecsOf(attributes: Attributes): readonly string[] {
  return (attributes.get('CODECS') ?? '').split(',').flatMap(codec => codec.trim().slice(0, 40) || []);
}

function videoOf(attributes: Attributes, url: string, isSilent: boolean): Variant {
  const codecs = codecsOf(attributes);
  const video = codecs.filter(codec => !AUDIO_CODEC.test(codec));
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(attributes.get('RESOLUTION') ?? '') ?? [];
  const hasVideo = codecs.length === 0 || video.length > 0;
  const named = isSilent ? video : codecs;
  return {
    ...{ ...RENDITION, url, hasVideo, adaptive: isSilent || !hasVideo },
    ...{ width: positiveInteger(width), height: positiveInteger(height), codecs: named.join(', ') || null },
    bitrate: positiveInteger(attributes.get('AVERAGE-BANDWIDTH')) ?? positiveInteger(attributes.get('BANDWIDTH')),
    hasAudio: isSilent ? false : codecs.length === 0 ? null : video.length < codecs.length,
  };
}

/** A separate audio rendition. Its bit rate is unknown: the playlist states that of video and audio together. */
function audioOf(attributes: Attributes, url: string): Variant {
  const codecs = codecsOf(attributes).filter(codec => AUDIO_CODEC.test(codec));
  return { ...RENDITION, url, codecs: codecs.join(', ') || null, hasAudio: true, hasVideo: false, adaptive: true };
}

/**
 * The pieces of a media playlist in order; written one after another they make one file.
 * @throws AppError `upstream_unavailable` with `what: 'stream'` for a stream that is live, encrypted, or whose tracks
 * change before its end; `upstream_changed` for text that is not a media playlist
 */
export function playlistPieces(text: string, url: string): readonly Piece[] {
  const lines = linesOf(text);
  const tags = lines.map(readTag);
  checkStream(lines, tags);
  const pieces: Piece[] = [];
  const add = (written: string, durationMs: number, bytes: string | undefined) => {
    if (!URL.canParse(written, url)) throw new AppError('upstream_changed', 'a piece without an address');
    const address = new URL(written, url).href;
    pieces.push({ url: address, range: rangeOf(bytes, address, pieces.at(-1)), durationMs });
  };
  let durationMs = 0;
  let range: string | undefined;
  for (const [index, line] of lines.entries()) {
    const tag = tags[index];
    if (tag?.name === 'EXTINF') durationMs = Math.max(1, Math.round((Number.parseFloat(tag.value) || 0) * 1_000));
    else if (tag?.name === 'EXT-X-BYTERANGE') range = tag.value;
    else if (tag?.name === 'EXT-X-MAP' && pieces.length === 0) {
      const attributes = attributesOf(tag);
      add(attributes.get('URI') ?? '', 0, attributes.get('BYTERANGE'));
    } else if (!line.startsWith('#')) {
      add(line, durationMs, range);
      range = undefined;
    }
  }
  if (pieces.length > MAX_PIECES) throw refusedStream('more pieces than a post has');
  return pieces;
}

/** Checks that the stream is complete and keeps its tracks. Otherwise its pieces would not make one file. */
function checkStream(lines: readonly string[], tags: readonly (Tag | undefined)[]): void {
  const named = (name: string) => tags.flatMap(tag => (tag?.name === name ? [tag] : []));
  const firstPiece = tags.findIndex(tag => tag?.name === 'EXTINF');
  if (lines[0] !== '#EXTM3U' || firstPiece === -1) throw new AppError('upstream_changed', 'not a media playlist');
  const beginnings = new Set(named('EXT-X-MAP').map(({ value }) => value));
  if (beginnings.size > 1 || tags.some((tag, index) => tag?.name === 'EXT-X-DISCONTINUITY' && index > firstPiece))
    throw refusedStream('its tracks change on the way');
  if (named('EXT-X-KEY').some(tag => attributesOf(tag).get('METHOD') !== 'NONE'))
    throw refusedStream('it is encrypted');
  const isWhole = named('EXT-X-PLAYLIST-TYPE').some(({ value }) => value === 'VOD');
  if (!isWhole && named('EXT-X-ENDLIST').length === 0) throw refusedStream('it is live');
}

/** Reads `LENGTH@FIRST`, or `LENGTH` alone: a range that begins where the previous piece ended in the same file. */
function rangeOf(written: string | undefined, url: string, before: Piece | undefined): Piece['range'] {
  if (written === undefined) return undefined;
  const [, length, first] = /^(\d{1,12})(?:@(\d{1,12}))?$/.exec(written) ?? [];
  const next = before?.url === url && before.range !== undefined ? before.range.first + before.range.length : undefined;
  const begin = first === undefined ? next : Number(first);
  if (begin === undefined || positiveInteger(length) === null)
    throw new AppError('upstream_changed', 'a piece of a file that is not said');
  return { first: begin, length: Number(length) };
}

export function refusedStream(why: string): AppError {
  return new AppError('upstream_unavailable', `a stream that is not put together: ${why}`, {
    params: { what: 'stream' },
  });
}
