import { AppError } from '../../errors.ts';
import type { Clip } from '../files/clip.ts';
import type { MediaForm } from '../files/variant-choice.ts';
import type { Post } from '../post.ts';
import type { FileFailure } from './file-store.ts';

export interface DeliveryRequest {
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  readonly form: MediaForm;
  /** The chat's real limit for one file. */
  readonly maxBytes: number;
  /** Keys (by `variantKey`) of the variants that the chat has refused as too large: a smaller one is chosen. */
  readonly refused?: readonly string[];
  /** The part of the video to cut out; absent for the whole video. */
  readonly clip?: Clip;
  /** True when a small preview image of the video is wanted too. */
  readonly thumbnail?: boolean;
}

/** The ways to get a file, the quickest first. */
export type StepKind =
  /** The file is sent as the CDN serves it. */
  | 'file'
  /** Separate video and audio, or the pieces of a stream, are joined into one file without encoding. */
  | 'mux'
  /** The video is encoded again as H.264 and AAC within the budget. */
  | 'compress'
  /** The audio is extracted, or a photo is converted to a common format. */
  | 'convert'
  /** The audio is encoded as MP3, unless it is that already. */
  | 'mp3';

/** Why a request gets no file; `stream`: the pieces of the stream cannot be joined. */
export type NoFileReason = 'too_large' | 'upstream_unavailable' | 'timeout' | 'stream';

/**
 * Why there is no file after a failed step. A failed `convert` does not count as `too_large`, because it fails only for
 * files without audio or with an unknown codec.
 */
export function noFileReason(failure: FileFailure, kind: StepKind): NoFileReason {
  const { status } = failure;
  const { cause } = 'cause' in failure ? failure : { cause: undefined };
  if (cause instanceof AppError && cause.params.what === 'stream') return 'stream';
  if (status === 'timeout' || status === 'too_large') return status;
  return status === 'tool' && kind !== 'convert' ? 'too_large' : 'upstream_unavailable';
}

/** Durations may differ by this much, because sites round them. */
const TOLERANCE_MS = 1_500;
const TOLERANCE = 0.03;

/** Says whether a file is about as long as the wanted video or audio; an unknown duration is long enough. */
export function isLongEnough(
  { post, index, clip }: Pick<DeliveryRequest, 'post' | 'index' | 'clip'>,
  { durationMs }: { readonly durationMs: number | null },
): boolean {
  const expectedMs = clip === undefined ? (post.items[index]?.durationMs ?? null) : clip.endMs - clip.startMs;
  if (expectedMs === null || durationMs === null) return true;
  return durationMs >= expectedMs - Math.max(TOLERANCE_MS, expectedMs * TOLERANCE);
}
