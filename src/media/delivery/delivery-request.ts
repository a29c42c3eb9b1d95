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
  /** Keys (by `variantKey`) of the variants that the platform has refused already: the next smaller one is tried. */
  readonly refused?: readonly string[];
  /** The part of a video that is wanted; absent for the whole video. */
  readonly clip?: Clip;
  /** True when a small image of a video is wanted too. */
  readonly thumbnail?: boolean;
}

/** Why there is no file for a request; `stream`: the file comes as a stream whose pieces cannot be put together. */
export type NoFileReason = 'too_large' | 'upstream_unavailable' | 'timeout' | 'stream';

/** If a file could not be converted, it has no audio, or a codec that nothing here can read. */
export function noFileReason(failure: FileFailure, kind: StepKind): NoFileReason {
  const { status } = failure;
  const { cause } = 'cause' in failure ? failure : { cause: undefined };
  if (cause instanceof AppError && cause.params.what === 'stream') return 'stream';
  if (status === 'timeout' || status === 'too_large') return status;
  return status === 'tool' && kind !== 'convert' ? 'too_large' : 'upstream_unavailable';
}
