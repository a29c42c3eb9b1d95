import type { Clip } from '../files/clip.ts';
import { MAX_SOURCE_BYTES } from './delivery-plan.ts';
import type { DeliveryRequest } from './delivery-request.ts';
import type { FileResolver, Resolution } from './file-resolver.ts';
import type { FileFailure, HeldFile } from './file-store.ts';
import type { FileTransforms } from './file-transforms.ts';

export interface ClippedFilesOptions {
  readonly resolver: Pick<FileResolver, 'resolve'>;
  readonly transforms: Pick<FileTransforms, 'clip' | 'toAudio'>;
}

/** What is left below a refused size. */
const SMALLER = 0.6;
const PREFIX = 'clip-';
/** Room for a video of which the audio alone is wanted: enough for the longest part, and little to encode. */
const AUDIO_SOURCE_BYTES = 32 * 1024 * 1024;

/** A part of a video, or its audio, made of the best file of the whole. @throws the signal's reason when it aborts */
export type ClippedFile = (request: DeliveryRequest, range: Clip, signal: AbortSignal) => Promise<Resolution>;

export function createClippedFile({ resolver, transforms }: ClippedFilesOptions): ClippedFile {
  return async (request, range, signal) => {
    const { post, index, form, refused = [] } = request;
    const { clip: _, ...wanted } = request;
    const all = { ...wanted, form: 'original' as const, maxBytes: MAX_SOURCE_BYTES, refused: [] };
    const whole = await resolver.resolve(all, signal);
    if (whole.kind === 'none') return whole;
    const { file, step } = whole;
    try {
      const tries = refused.filter(key => key.startsWith(PREFIX)).length;
      const maxBytes = Math.floor(request.maxBytes * SMALLER ** tries);
      const keyIn = (name: string) => [post.source, post.id, index, name].join(' ');
      const source = { ...file, dispose: async () => undefined };
      const partKey = (bytes: number) => `${PREFIX}${range.startMs}-${range.endMs}-${bytes}-${step.key}`;
      const part = (bytes: number, own: AbortSignal) =>
        transforms.clip({ key: keyIn(partKey(bytes)), maxBytes: bytes, range, inputs: [async () => source] }, own);
      const key = partKey(maxBytes);
      const made =
        form === 'original'
          ? await part(maxBytes, signal)
          : await transforms.toAudio(
              {
                key: keyIn(`audio-${key}`),
                maxBytes,
                inputs: [own => part(Math.max(maxBytes, AUDIO_SOURCE_BYTES), own)],
              },
              signal,
            );
      if (made.status === 'done') return { ...whole, file: made, step: { ...step, key } };
      return { kind: 'none', reason: reasonOf(made), post: whole.post };
    } finally {
      await file.dispose();
    }
  };
}

function reasonOf({
  status,
}: Exclude<HeldFile | FileFailure, HeldFile>): Extract<Resolution, { kind: 'none' }>['reason'] {
  if (status === 'too_large' || status === 'timeout') return status;
  return status === 'tool' ? 'too_large' : 'upstream_unavailable';
}
