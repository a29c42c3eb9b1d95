import type { Readable } from 'node:stream';
import type { Post } from './post.ts';

export interface TunnelFile {
  readonly post: Pick<Post, 'source' | 'id'>;
  readonly index: number;
  readonly url: string;
  readonly mime: string;
  /** Suggested name, already safe: letters, digits, `-`, `_`, `.`. */
  readonly fileName: string;
  /** Unix milliseconds after which the token is refused. */
  readonly expiresAt: number;
}

export interface TunnelRequest {
  readonly method: 'GET' | 'HEAD';
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly signal: AbortSignal;
}

export interface TunnelResponse {
  readonly status: 200 | 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for HEAD and 416. */
  readonly body: Readable | undefined;
}

/** Opaque, authenticated-encrypted, expiring addresses for media files. */
export interface Tunnel {
  /** `/media/<token>` */
  address(file: TunnelFile): string;
  /** @throws AppError `not_found` (forged, malformed or expired token), `upstream_*`, `timeout`. */
  open(token: string, request: TunnelRequest): Promise<TunnelResponse>;
}
