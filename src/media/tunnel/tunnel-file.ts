import * as z from 'zod';
import { type Post, sourceIdSchema } from '../post.ts';
import { sealToken, unsealToken } from './tunnel-token.ts';

/** Addresses on the CDN of a video track and an audio track that are one video together. */
export interface TrackPair {
  readonly video: string;
  readonly audio: string;
}

/** What an address in the tunnel leads to. */
export interface TunnelFile {
  /** Asked again when the address has run out. A file of no post is gone when its address is. */
  readonly post?: Pick<Post, 'source' | 'id'> | undefined;
  /** Its place in the post. */
  readonly index?: number | undefined;
  /** On the CDN. With `tracks` the file to fall back on, or the video track again where there is none. */
  readonly url: string;
  /** Given instead of `url`: put together into one MP4. Only for a file of a post. */
  readonly tracks?: TrackPair | undefined;
  readonly mime: string;
  /** Pixels of what is given, where known: they help to find it again after its address has expired. */
  readonly width?: number | null;
  readonly height?: number | null;
  /** Suggested name, already safe: letters, digits, `-`, `_`, `.`. */
  readonly fileName: string;
  /** Unix milliseconds after which the token is refused. */
  readonly expiresAt: number;
}

const PURPOSE = 'medley media 1';

/** Addresses in use live for hours: fields are added, never changed. */
const payload = z.object({
  s: sourceIdSchema.optional(),
  i: z.string().optional(),
  n: z.number().int().nonnegative().optional(),
  u: z.string(),
  t: z.object({ v: z.string(), a: z.string() }).optional(),
  m: z.string(),
  f: z.string(),
  w: z.number().nullish(),
  h: z.number().nullish(),
  e: z.number(),
});

/** @param key 32 bytes */
export function sealTunnelFile(key: Buffer, file: TunnelFile): string {
  const { post, index, url, tracks, mime, fileName, width, height, expiresAt } = file;
  const sealed: z.input<typeof payload> = {
    s: post?.source,
    i: post?.id,
    n: index,
    u: url,
    t: tracks && { v: tracks.video, a: tracks.audio },
    m: mime,
    f: fileName,
    w: width,
    h: height,
    e: expiresAt,
  };
  return sealToken(key, PURPOSE, JSON.stringify(sealed));
}

/** Undefined for a token that is malformed, forged, or of another key or version. */
export function unsealTunnelFile(key: Buffer, token: string): TunnelFile | undefined {
  const text = unsealToken(key, PURPOSE, token);
  const { data } = payload.safeParse(text === undefined ? undefined : JSON.parse(text));
  if (data === undefined) return undefined;
  const { s: source, i: id, n: index, u: url, t, m: mime, f: fileName, w: width = null, h: height = null, e } = data;
  const post = source === undefined || id === undefined ? undefined : { source, id };
  const tracks = t && { video: t.v, audio: t.a };
  return { post, index, url, tracks, mime, fileName, width, height, expiresAt: e };
}
