import type { Post } from './post.ts';

export interface DeliveryRequest {
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  readonly form: 'original' | 'audio';
  /** The chat's real limit for one file. */
  readonly maxBytes: number;
  /** Variants a platform has refused already, by `variantKey`: the next smaller is tried. */
  readonly refused?: readonly string[];
}

/** A file on disk, ready to be streamed to a platform. */
export interface DeliveredFile {
  readonly kind: 'file';
  readonly path: string;
  readonly bytes: number;
  readonly mime: string;
  readonly fileName: string;
  /** Names the variant, the same after a restart: part of the key under which a platform's file id is remembered. */
  readonly variantKey: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly durationMs: number | null;
  readonly hasAudio: boolean | null;
  /** Lets go of the file; it is removed when nobody holds it any more. Safe to call twice. */
  dispose(): Promise<void>;
}

/** Nothing fits or can be had: the reader gets an address instead, and why. */
export interface DeliveredLink {
  readonly kind: 'link';
  readonly url: string;
  readonly reason: 'too_large' | 'upstream_unavailable' | 'timeout';
}

/** Post item + byte budget -> the file to send, or a link. */
export interface Delivery {
  /**
   * The best variant that fits, spooled to disk under its byte cap; memory does not grow with its size. Callers who ask for the same
   * file at once share one download. An expired address is asked for again once.
   * @throws AppError only when the caller's signal aborts
   */
  deliver(request: DeliveryRequest, signal: AbortSignal): Promise<DeliveredFile | DeliveredLink>;
  /** The best variant a platform may fetch by itself within `maxBytes` of known or estimated size; undefined when there is none. */
  remoteFile(request: DeliveryRequest): { readonly url: string; readonly mime: string; readonly variantKey: string } | undefined;
  close(): Promise<void>;
}
