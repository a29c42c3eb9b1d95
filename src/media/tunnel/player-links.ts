import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { isWithdrawn } from '../extract/refusal.ts';
import { fileNameOf } from '../files/cdn.ts';
import type { MediaItem, Post } from '../post.ts';
import { choosePlayerFile, type PlayerFile, playerTunnelFile } from './player-file.ts';
import type { Tunnel } from './tunnel.ts';
import { noSuchFile, sealToken, type TunnelFile, unsealToken } from './tunnel-token.ts';

/** A video that Medley's page for a post plays. */
export interface PlayerLink {
  readonly post: Post;
  readonly mime: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly hasPoster: boolean;
  /** When the page's address expires, unix milliseconds. */
  readonly expiresAt: number;
}

/** The two files that the page loads. */
export type PlayerPart = 'video' | 'poster';

export type PlayerLinkState =
  | { readonly state: 'ready'; readonly playback: PlayerLink }
  /** The video cannot be shown. `url` is the post's address; undefined when the token cannot be read. */
  | { readonly state: 'expired' | 'gone' | 'unavailable'; readonly url: string | undefined };

export type PlayerLinks = ReturnType<typeof createPlayerLinks>;

const PURPOSE = 'medley page 1';
const TUNNEL_LIFE_MS = 6 * 3_600_000;
const TUNNEL_PATH = '/media/';

const Sealed = z.object({ u: z.string(), n: z.number().int().nonnegative(), e: z.number() });

/**
 * Short addresses of videos that stay valid longer than the CDN's addresses: they contain only the post's address, and
 * the post's current files are looked up at each request.
 * @param key the secret key, 32 bytes
 * @param findPost gets the newest version of the post with that canonical address
 */
export function createPlayerLinks(
  key: Buffer,
  tunnel: Pick<Tunnel, 'address'>,
  findPost: (url: string, signal: AbortSignal) => Promise<Post>,
) {
  function fileOf(post: Post, index: number, part: PlayerPart): TunnelFile | undefined {
    const shown = shownOf(post, index);
    if (shown === undefined) return undefined;
    const expiresAt = Date.now() + TUNNEL_LIFE_MS;
    if (part === 'video') return playerTunnelFile(post, index, shown.file, expiresAt);
    const url = shown.item.thumbnailUrl;
    if (url === null) return undefined;
    const { source, id } = post;
    const mime = 'image/jpeg';
    return { post: { source, id }, index, url, mime, fileName: fileNameOf(post, index, mime), expiresAt };
  }

  return {
    /** The address `/v/<token>` of the page, short enough for every chat to show a preview. */
    address: ({ url }: Pick<Post, 'source' | 'id' | 'url'>, index: number, expiresAt: number) =>
      `/v/${sealToken(key, PURPOSE, { u: url, n: index, e: expiresAt })}`,

    /**
     * Finds the video of a token. A bad token or a missing post is a state, not an error.
     * @throws the signal's reason
     */
    async find(token: string, signal: AbortSignal): Promise<PlayerLinkState> {
      const sealed = unsealToken(key, PURPOSE, token, Sealed);
      if (sealed === undefined) return { state: 'gone', url: undefined };
      const { u: url, n: index, e: expiresAt } = sealed;
      if (expiresAt <= Date.now()) return { state: 'expired', url };
      try {
        const post = await findPost(url, signal);
        const shown = shownOf(post, index);
        if (shown === undefined) return { state: 'gone', url };
        const { mime, width = null, height = null } = playerTunnelFile(post, index, shown.file, expiresAt);
        const hasPoster = shown.item.thumbnailUrl !== null;
        return { state: 'ready', playback: { post, mime, width, height, hasPoster, expiresAt } };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AppError)) throw error;
        return { state: isWithdrawn(error) ? 'gone' : 'unavailable', url };
      }
    },

    /**
     * Makes the token by which the tunnel sends the video or its cover.
     * @throws AppError `not_found`, and whatever fetching the post throws
     */
    async tunnelToken(token: string, part: PlayerPart, signal: AbortSignal) {
      const sealed = unsealToken(key, PURPOSE, token, Sealed);
      if (sealed === undefined || sealed.e <= Date.now()) throw noSuchFile('unreadable or expired page token');
      const file = fileOf(await findPost(sealed.u, signal), sealed.n, part);
      if (file === undefined) throw noSuchFile('the post has no such video any more');
      return tunnel.address(file).slice(TUNNEL_PATH.length);
    },
  };
}

function shownOf(post: Post, index: number): { readonly item: MediaItem; readonly file: PlayerFile } | undefined {
  const item = post.items[index];
  const file = item?.kind === 'video' ? choosePlayerFile(item, 'original') : undefined;
  return item && file && { item, file };
}
