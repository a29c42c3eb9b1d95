import type { Clip } from '../files/clip.ts';
import type { Post } from '../post.ts';

/** Sites round what they say. */
const TOLERANCE_MS = 1_500;
const TOLERANCE = 0.03;

/** Whether a file is no shorter than what the post says of its video or audio; what is not known is taken to be so. */
export function isLongEnough(
  { post, index, clip }: { readonly post: Pick<Post, 'items'>; readonly index: number; readonly clip?: Clip },
  { durationMs }: { readonly durationMs: number | null },
): boolean {
  const expectedMs = clip === undefined ? (post.items[index]?.durationMs ?? null) : clip.endMs - clip.startMs;
  if (expectedMs === null || durationMs === null) return true;
  return durationMs >= expectedMs - Math.max(TOLERANCE_MS, expectedMs * TOLERANCE);
}
