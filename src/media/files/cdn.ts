import { itemCount, PLAYLIST_MIME, type Post, type SourceId, type Variant } from '../post.ts';

/** The headers of a request for a media file, including those that the file's own host requires. */
export type CdnHeaders = (
  source: SourceId | undefined,
  file: Pick<Variant, 'mime' | 'headers'>,
) => Record<string, string>;

/** An address of a file with the headers that the file's host requires. */
export type CdnAddress = Pick<Variant, 'url' | 'headers'>;

interface CdnSource {
  readonly id: SourceId;
  readonly cdnUserAgent?: (mime: string) => string;
}

/** Makes the headers for files. Some CDNs are slow for browsers, so a source may choose another user agent. */
export function createCdnHeaders(sources: readonly CdnSource[]): CdnHeaders {
  const agents = new Map(sources.map(({ id, cdnUserAgent }) => [id, cdnUserAgent]));
  return (source, { mime, headers }) => {
    const agentOf = source === undefined ? undefined : agents.get(source);
    const agent = agentOf?.(mime) ?? 'Mozilla/5.0';
    return { 'user-agent': agent, accept: '*/*', 'accept-encoding': 'identity', ...headers };
  };
}

/** Says whether a CDN's status means an expired or changed address (403, seen in 2026-08) or a missing file. */
export function isGone(status: number): boolean {
  return status === 403 || status === 404 || status === 410;
}

const UNSTATED_TYPES: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/**
 * The media type of an answer: the type that the CDN states, or `expected` if it states none. Undefined if the stated
 * type is not that of an image, audio or video.
 */
export function mediaType(contentType: string | undefined, expected: string): string | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (UNSTATED_TYPES.has(type)) return expected;
  // An SVG is not accepted as an image, because it is a document that can contain scripts.
  if (type.startsWith('image/svg')) return undefined;
  return /^(?:video|image|audio)\/[\w.+-]{1,60}$/.test(type) ? type : undefined;
}

/** Like `mediaType`, but for files that are stored: an image where a video or audio is expected gives undefined. */
export function fileType(contentType: string | undefined, expected: string): string | undefined {
  const type = mediaType(contentType, expected);
  const isOther = type?.startsWith('image/') === true && !expected.startsWith('image/');
  return isOther ? undefined : type;
}

/** Says whether a file begins like HTML or JSON: some CDNs send error pages with the media type of a video. */
export function looksLikeDocument(beginning: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s{0,64}(?:<(?:!doctype|html|head|body|script|\?xml)\b|\{\s{0,8}")/i.test(
    beginning.toString('latin1', 0, 128),
  );
}

/** Says whether the file is a playlist of the pieces of a stream. */
export function isPlaylist({ mime }: Pick<Variant, 'mime'>): boolean {
  return mime === PLAYLIST_MIME;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/webm': 'weba',
};

/** The file extension without the dot; undefined for types that posts do not use. */
export function extensionOf(mime: string): string | undefined {
  return Object.hasOwn(EXTENSIONS, mime) ? EXTENSIONS[mime] : undefined;
}

/**
 * A name such as `mira.holm-2026-05-17-SeaLight_01-2.mp4`: letters, digits, `-`, `_` and `.`, with the extension of its
 * type. The site's name replaces that of an unknown author.
 */
export function fileNameOf(post: Post, index: number, mime: string): string {
  const { source, id, author, publishedAt } = post;
  const name = (author.username ?? author.name ?? '').replace(/[^\w.]+/g, '-');
  const who = name.slice(0, 40).replace(/^[.-]+|[.-]+$/g, '') || source;
  const day = new Date(publishedAt ?? Number.NaN);
  const date = Number.isNaN(day.getTime()) ? '' : `-${day.toISOString().slice(0, 10)}`;
  const place = itemCount(post) > 1 ? `-${(post.items[index]?.position ?? index) + 1}` : '';
  const extension = extensionOf(mime);
  const whole = `${who}${date}-${id.replace(/[^\w-]+/g, '').slice(0, 60)}${place}`;
  return extension === undefined ? whole : `${whole}.${extension}`;
}
