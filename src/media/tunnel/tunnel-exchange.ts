import type { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import type { Post } from '../post.ts';

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
  /** Fits the type that is really sent. */
  readonly fileName: string;
  /** Unix milliseconds: the token's own end. */
  readonly expiresAt: number;
}

/** Asks the upstream again for a post whose addresses expired early. */
export type RefreshPost = (post: Pick<Post, 'source' | 'id'>, signal: AbortSignal) => Promise<Pick<Post, 'items'>>;

export function noSuchFile(message: string, cause?: unknown): AppError {
  return new AppError('not_found', message, { params: { what: 'file' }, cause });
}
