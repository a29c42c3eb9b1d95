import { itemCount, type Post, type SourceId, type Variant } from '../post.ts';

/** Every request for a media file has these headers, those among them that its own host wants. */
export type CdnHeaders = (
  source: SourceId | undefined,
  file: Pick<Variant, 'mime' | 'headers'>,
) => Record<string, string>;

/** A file's address, and what its host wants to see beside it. */
export type CdnAddress = Pick<Variant, 'url' | 'headers'>;

interface CdnCaller {
  readonly id: SourceId;
  readonly cdnUserAgent?: (mime: string) => string;
}

/** Some CDNs are slow for browsers' names, so each source says who asks its own; for others it is a plain name. */
export function createCdnHeaders(sources: readonly CdnCaller[]): CdnHeaders {
  const agents = new Map(sources.map(({ id, cdnUserAgent }) => [id, cdnUserAgent]));
  return (source, { mime, headers }) => {
    const agentOf = source === undefined ? undefined : agents.get(source);
    const agent = agentOf?.(mime) ?? 'Mozilla/5.0';
    return { 'user-agent': agent, accept: '*/*', 'accept-encoding': 'identity', ...headers };
  };
}

/** Expired or tampered addresses are 403 on this CDN (2026-08); a file that moved is 404 or 410. */
export function isGone(status: number): boolean {
  return status === 403 || status === 404 || status === 410;
}

const UNTOLD: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** The type of an answer: the CDN's when it names image, audio or video, ours when it names none, undefined when it is no media. */
export function mediaType(contentType: string | undefined, expected: string): string | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (UNTOLD.has(type)) return expected;
  // An SVG is a document that can carry scripts.
  if (type.startsWith('image/svg')) return undefined;
  return /^(?:video|image|audio)\/[\w.+-]{1,60}$/.test(type) ? type : undefined;
}

/** The same of a file to keep: undefined as well for an image in the place of video or audio. */
export function fileType(contentType: string | undefined, expected: string): string | undefined {
  const type = mediaType(contentType, expected);
  const isOther = type?.startsWith('image/') === true && !expected.startsWith('image/');
  return isOther ? undefined : type;
}

/** Says whether a file begins like a page: some error pages come with the type of a video. */
export function looksLikeDocument(beginning: Buffer): boolean {
  return /^(?:\xef\xbb\xbf)?\s{0,64}(?:<(?:!doctype|html|head|body|script|\?xml)\b|\{\s{0,8}")/i.test(
    beginning.toString('latin1', 0, 128),
  );
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

/** Without the dot; undefined for types that posts do not use. */
export function extensionOf(mime: string): string | undefined {
  return Object.hasOwn(EXTENSIONS, mime) ? EXTENSIONS[mime] : undefined;
}

/** `mira.holm-2026-05-17-SeaLight_01-2.mp4`: letters, digits, `-`, `_` and `.`, with the ending of its type. The site stands for an unknown author. */
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
