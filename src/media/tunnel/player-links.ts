import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { fileNameOf } from '../files/file-name.ts';
import { isCommonFilm, sendableVariants } from '../files/variant-choice.ts';
import type { Post } from '../post.ts';
import type { Tunnel, TunnelFile } from './tunnel.ts';
import { sealToken, unsealToken } from './tunnel-token.ts';

/** A film as a page shows it. */
export interface PlayerLink {
  readonly post: Post;
  readonly mime: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly hasPoster: boolean;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export type PlayerLinkState =
  | { readonly state: 'ready'; readonly playback: PlayerLink }
  /** `url` leads to the post; undefined when the token says nothing. */
  | { readonly state: 'expired' | 'gone' | 'unavailable'; readonly url: string | undefined };

/**
 * Short addresses of films that outlive the CDN's own: they name the post, and its current files are looked up when somebody comes.
 */
export interface PlayerLinks {
  /** `/v/<token>`, short enough for any chat to unfurl. */
  address(post: Pick<Post, 'source' | 'id' | 'url'>, index: number, expiresAt: number): string;
  /** Never rejects for what is wrong with the token or the post. @throws the signal's reason */
  find(token: string, signal: AbortSignal): Promise<PlayerLinkState>;
  /**
   * The token of the film or of its picture in the tunnel.
   * @throws AppError `not_found`, and what asking for the post throws
   */
  tunnelToken(token: string, part: 'film' | 'poster', signal: AbortSignal): Promise<string>;
}

export interface PlayerLinksOptions {
  /** 32 bytes. */
  readonly key: Buffer;
  readonly tunnel: Pick<Tunnel, 'address'>;
  /** The post behind its canonical address, as it is now. */
  readonly findPost: (url: string, signal: AbortSignal) => Promise<Post>;
  readonly now?: () => number;
}

const PURPOSE = 'medley page 1';
const TUNNEL_LIFE_MS = 6 * 3_600_000;
const TUNNEL_PATH = '/media/';

const Sealed = z.object({ u: z.string(), n: z.number().int().nonnegative(), e: z.number() });

export function createPlayerLinks({ key, tunnel, findPost, now = Date.now }: PlayerLinksOptions): PlayerLinks {
  function read(token: string): z.output<typeof Sealed> | undefined {
    const text = unsealToken(key, PURPOSE, token);
    return Sealed.safeParse(text === undefined ? undefined : JSON.parse(text)).data;
  }

  function fileOf(post: Post, index: number, part: 'film' | 'poster'): TunnelFile | undefined {
    const item = post.items[index];
    const variant = item && filmOf(post, index);
    const poster = item?.thumbnailUrl ?? null;
    if (variant === undefined || (part === 'poster' && poster === null)) return undefined;
    const mime = part === 'film' ? variant.mime : 'image/jpeg';
    return {
      post: { source: post.source, id: post.id },
      index,
      url: part === 'film' || poster === null ? variant.url : poster,
      mime,
      ...(part === 'film' ? { width: variant.width, height: variant.height } : {}),
      fileName: fileNameOf(post, index, mime),
      expiresAt: now() + TUNNEL_LIFE_MS,
    };
  }

  return {
    address: ({ url }, index, expiresAt) =>
      `/v/${sealToken(key, PURPOSE, JSON.stringify({ u: url, n: index, e: expiresAt }))}`,

    async find(token, signal) {
      const sealed = read(token);
      if (sealed === undefined) return { state: 'gone', url: undefined };
      const { u: url, n: index, e: expiresAt } = sealed;
      if (expiresAt <= now()) return { state: 'expired', url };
      try {
        const post = await findPost(url, signal);
        const item = post.items[index];
        const variant = filmOf(post, index);
        if (item === undefined || variant === undefined) return { state: 'gone', url };
        const { mime } = variant;
        const width = variant.width ?? item.width;
        const height = variant.height ?? item.height;
        const { durationMs } = item;
        const hasPoster = item.thumbnailUrl !== null;
        return { state: 'ready', playback: { post, mime, width, height, durationMs, hasPoster, expiresAt } };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { state: WITHDRAWN.has(error.code) ? 'gone' : 'unavailable', url };
      }
    },

    async tunnelToken(token, part, signal) {
      const sealed = read(token);
      if (sealed === undefined || sealed.e <= now()) throw noSuchFile('unreadable or expired page token');
      const file = fileOf(await findPost(sealed.u, signal), sealed.n, part);
      if (file === undefined) throw noSuchFile('the post has no such film any more');
      return tunnel.address(file).slice(TUNNEL_PATH.length);
    },
  };
}

const WITHDRAWN: ReadonlySet<string> = new Set(['not_found', 'private', 'age_restricted', 'region_blocked']);

/** The best that every browser plays with its sound. */
function filmOf(post: Post, index: number) {
  const item = post.items[index];
  if (item === undefined || item.kind !== 'video') return undefined;
  // Whole files first; of a silent film a track alone is the whole as well.
  const ranked = [...sendableVariants(item, 'original')].sort((a, b) => Number(a.adaptive) - Number(b.adaptive));
  return ranked.find(isCommonFilm) ?? ranked[0];
}

function noSuchFile(message: string): AppError {
  return new AppError('not_found', message, { params: { what: 'file' } });
}
