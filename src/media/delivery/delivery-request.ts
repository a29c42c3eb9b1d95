import { AppError } from '../../errors.ts';
import type { Clip } from '../files/clip.ts';
import type { MediaForm } from '../files/variant-choice.ts';
import type { Post } from '../post.ts';
import type { StepKind } from './delivery-plan.ts';
import type { FileFailure } from './file-store.ts';

export interface DeliveryRequest {
  readonly post: Post;
  /** Index into `post.items`. */
  readonly index: number;
  readonly form: MediaForm;
  /** The chat's real limit for one file. */
  readonly maxBytes: number;
  /** Variants a platform has refused already, by `variantKey`: the next smaller is tried. */
  readonly refused?: readonly string[];
  /** The part of a video that is wanted; absent for all of it. */
  readonly clip?: Clip;
  /** True when a small image of a video is wanted too. */
  readonly thumbnail?: boolean;
}

/** Why there is no file for a request; `stream`: it comes as one that is not put together. */
export type NoFileReason = 'too_large' | 'upstream_unavailable' | 'timeout' | 'stream';

/** A file that could not be converted has no audio, or a codec that nothing here reads. */
export function noFileReason(failure: FileFailure, kind: StepKind): NoFileReason {
  const { status } = failure;
  const { cause } = 'cause' in failure ? failure : { cause: undefined };
  if (cause instanceof AppError && cause.params.what === 'stream') return 'stream';
  if (status === 'timeout' || status === 'too_large') return status;
  return status === 'tool' && kind !== 'convert' ? 'too_large' : 'upstream_unavailable';
}

/** Sites round the lengths they state. */
const TOLERANCE_MS = 1_500;
const TOLERANCE = 0.03;

/** Says whether a file is no shorter than the post says of its video or audio; an unknown length is taken to be enough. */
export function isLongEnough(
  { post, index, clip }: { readonly post: Pick<Post, 'items'>; readonly index: number; readonly clip?: Clip },
  { durationMs }: { readonly durationMs: number | null },
): boolean {
  const expectedMs = clip === undefined ? (post.items[index]?.durationMs ?? null) : clip.endMs - clip.startMs;
  if (expectedMs === null || durationMs === null) return true;
  return durationMs >= expectedMs - Math.max(TOLERANCE_MS, expectedMs * TOLERANCE);
}
