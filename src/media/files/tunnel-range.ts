const SINGLE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-\d{1,15})$/;
const VALIDATOR = /^[\x20-\x7e]{1,256}$/;

/**
 * The headers to pass on to the CDN for a client's `Range` and `If-Range`. Only one valid range is passed on. Anything
 * else is ignored, which RFC 9110 (14.2) allows: the whole file is sent.
 */
export function rangeHeaders(range: string | undefined, ifRange: string | undefined): Record<string, string> {
  const match = SINGLE_RANGE.exec(range?.trim().toLowerCase() ?? '');
  if (match === null) return {};
  const [wanted, first, last] = match;
  if (first !== undefined && last !== undefined && last !== '' && Number(last) < Number(first)) return {};
  return ifRange !== undefined && VALIDATOR.test(ifRange) ? { range: wanted, 'if-range': ifRange } : { range: wanted };
}

/** The size of the whole file, read from a header such as `Content-Range: bytes 0-0/1234`. */
export function totalOf(contentRange: string | undefined): string | undefined {
  return contentRange === undefined ? undefined : /^bytes [\d*-]{1,40}\/(\d{1,15})$/.exec(contentRange)?.[1];
}

/**
 * The first and last byte that a client's `Range` header requests of a file of `bytes` bytes; undefined if the client
 * wants the whole file.
 */
export function byteRange(range: string | undefined, bytes: number) {
  const match = SINGLE_RANGE.exec(rangeHeaders(range, undefined).range ?? '');
  if (match === null) return undefined;
  const [text, from, to = ''] = match;
  if (from !== undefined) {
    const first = Number(from);
    return first >= bytes ? 'unsatisfiable' : { first, last: Math.min(to === '' ? bytes : Number(to), bytes - 1) };
  }
  const length = Number(text.slice('bytes=-'.length));
  return length === 0 || bytes === 0 ? 'unsatisfiable' : { first: Math.max(0, bytes - length), last: bytes - 1 };
}
