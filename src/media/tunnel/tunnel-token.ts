import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { type Post, sourceIdSchema } from '../post.ts';

/** The CDN's addresses of two tracks, or of a single file that contains both. */
export interface TrackPair {
  readonly video: string;
  readonly audio?: string | undefined;
  /** True when the addresses lead to HLS playlists, whose pieces have to be joined. */
  readonly inPieces?: boolean | undefined;
}

/** A file that the tunnel sends, as its address describes it. */
export interface TunnelFile {
  /** The post, which is fetched again when the address has expired. An expired file without a post is gone. */
  readonly post?: Pick<Post, 'source' | 'id'> | undefined;
  readonly index?: number | undefined;
  /**
   * The address on the CDN. With `tracks`, it is the address of a whole file that is sent if muxing fails, or, if there
   * is no such file, the video track's.
   */
  readonly url: string;
  /** True when the host requires headers. They are looked up in the post, so the file must belong to a post. */
  readonly hasHeaders?: boolean | undefined;
  /**
   * Tracks to mux into one MP4, which is sent instead of `url`. The file must belong to a post, in which expired
   * addresses of the tracks are looked up again.
   */
  readonly tracks?: TrackPair | undefined;
  readonly mime: string;
  /** The width, if known. It helps to find the file again when its address has expired. */
  readonly width?: number | null;
  readonly height?: number | null;
  /** The suggested file name. It contains only letters, digits, `-`, `_` and `.`. */
  readonly fileName: string;
  /** The time after which the token is refused, unix milliseconds. */
  readonly expiresAt: number;
}

const PURPOSE = 'medley media 1';

/** Addresses stay in use for hours, even over an update. Fields may therefore be added, but never changed. */
const payload = z.object({
  s: sourceIdSchema.optional(),
  i: z.string().optional(),
  n: z.number().int().nonnegative().optional(),
  u: z.string(),
  r: z.boolean().optional(),
  t: z.object({ v: z.string(), a: z.string().optional(), p: z.boolean().optional() }).optional(),
  m: z.string(),
  f: z.string(),
  w: z.number().nullish(),
  h: z.number().nullish(),
  e: z.number(),
});

/** @param key 32 bytes */
export function sealTunnelFile(key: Buffer, file: TunnelFile): string {
  const { post, index, url, hasHeaders, tracks, mime, fileName, width, height, expiresAt } = file;
  const sealed: z.input<typeof payload> = {
    s: post?.source,
    i: post?.id,
    n: index,
    u: url,
    r: hasHeaders,
    t: tracks && { v: tracks.video, a: tracks.audio, p: tracks.inPieces },
    m: mime,
    f: fileName,
    w: width,
    h: height,
    e: expiresAt,
  };
  return sealToken(key, PURPOSE, sealed);
}

/** Reads the file from a token; undefined if the token is malformed, forged, or of another key or version. */
export function unsealTunnelFile(key: Buffer, token: string): TunnelFile | undefined {
  const sealed = unsealToken(key, PURPOSE, token, payload);
  if (sealed === undefined) return undefined;
  const { s: source, i: id, n: index, u: url, r: hasHeaders, t, m: mime, f: fileName, e: expiresAt } = sealed;
  const { w: width = null, h: height = null } = sealed;
  const post = source === undefined || id === undefined ? undefined : { source, id };
  const tracks = t && { video: t.v, audio: t.a, inPieces: t.p };
  return { post, index, url, hasHeaders, tracks, mime, fileName, width, height, expiresAt };
}

export interface TunnelRequest {
  readonly method: 'GET' | 'HEAD';
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly signal: AbortSignal;
}

export interface RelayedFile {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** The file's bytes; undefined in answers to HEAD and with status 416. */
  readonly body: Readable | undefined;
}

export interface TunnelResponse extends RelayedFile {
  /** The file's name. Its extension is that of the type that is really sent. */
  readonly fileName: string;
  /** The time when the token expires, unix milliseconds. */
  readonly expiresAt: number;
}

/** Gets the current version of a post. Each implementation decides whether a cached post will do. */
export type RefreshPost = (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;

export function noSuchFile(message: string, cause?: unknown): AppError {
  return new AppError('not_found', message, { params: { what: 'file' }, cause });
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The longest token that is read. It has room for an address of 8 KiB. */
const MAX_TOKEN_CHARS = 12_000;
const TOKEN = /^[A-Za-z0-9_-]+$/;

/**
 * Encrypts a value's JSON to base64url(iv, AES-256-GCM ciphertext, tag). `purpose` is authenticated too, so that a
 * token made for one use is refused in another.
 * @param key 32 bytes
 */
export function sealToken(key: Buffer, purpose: string, value: object): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(purpose));
  const sealed = cipher.update(JSON.stringify(value), 'utf8');
  return Buffer.concat([iv, sealed, cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** The sealed value; undefined when the token is malformed, forged, or made with another key or for another purpose. */
export function unsealToken<T>(key: Buffer, purpose: string, token: string, schema: z.ZodType<T>): T | undefined {
  if (token.length > MAX_TOKEN_CHARS || !TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  let text: string;
  try {
    text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    // The error is dropped, because all that it says is "unable to authenticate".
    return undefined;
  }
  return schema.safeParse(JSON.parse(text)).data;
}
