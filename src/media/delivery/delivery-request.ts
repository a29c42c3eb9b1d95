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
  /** Keys (by `variantKey`) of the variants that the chat has refused as too large: a smaller one is chosen. */
  readonly refused?: readonly string[];
  /** The part of the video to cut out; absent for the whole video. */
  readonly clip?: Clip;
  /** True when a small preview image of the video is wanted too. */
  readonly thumbnail?: boolean;
}

/** Why a request gets no file; `stream`: the pieces of the stream cannot be joined. */
export type NoFileReason = 'too_large' | 'upstream_unavailable' | 'timeout' | 'stream';

/** Why there is no file after a failed step. One that could not be converted has no audio, or an unknown codec. */
export function noFileReason(failure: FileFailure, kind: StepKind): NoFileReason {
  const { status } = failure;
  const { cause } = 'cause' in failure ? failure : { cause: undefined };
  if (cause instanceof AppError && cause.params.what === 'stream') return 'stream';
  if (status === 'timeout' || status === 'too_large') return status;
  return status === 'tool' && kind !== 'convert' ? 'too_large' : 'upstream_unavailable';
}
