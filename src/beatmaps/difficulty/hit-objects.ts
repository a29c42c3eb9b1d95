/** Reads the times at which the objects of an `.osu` file have to be hit. Pure. */

interface HitObject {
  /** The beginning in milliseconds. */
  readonly begins: number;
  /** The end in milliseconds; the same as `begins` if the object's line states none. */
  readonly ends: number;
  readonly isCircle: boolean;
}

export function* objectsOf(file: Uint8Array): Generator<HitObject> {
  const text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString('latin1');
  const start = text.indexOf('[HitObjects]');
  for (let at = start < 0 ? -1 : text.indexOf('\n', start); at >= 0; at = text.indexOf('\n', at + 1)) {
    const [, , time, kind, , end] = text.slice(at + 1, at + 100).split(/[,:\n]/, 6);
    const begins = Number.parseFloat(time ?? '');
    if (Number.isNaN(begins)) continue;
    const spelled = (Number(kind) & (8 | 128)) === 0 ? begins : Number.parseFloat(end ?? '');
    yield { begins, ends: Math.max(begins, spelled || begins), isCircle: (Number(kind) & 1) !== 0 };
  }
}

export type Span = ReturnType<typeof readSpan>;

/** The time from the start of the first object to the start of the last, or to its end if the file states one. */
export function readSpan(file: Uint8Array) {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { begins, ends } of objectsOf(file)) {
    first = Math.min(first, begins);
    last = Math.max(last, ends);
  }
  return { first, lengthMs: Math.max(0, last - first) };
}
