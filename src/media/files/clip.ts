/** A part of a video, in milliseconds from its beginning. */
export interface Clip {
  readonly startMs: number;
  readonly endMs: number;
}

/** Longer parts would keep a machine busy for minutes. */
export const MAX_CLIP_MS = 5 * 60_000;
