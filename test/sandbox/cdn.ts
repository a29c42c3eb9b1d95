/** The CDN: signed files with ranges, HEAD and validators. */
import type { MediaAddresses } from './address.ts';
import { type Answer, type Ask, plain } from './answer.ts';

const MODIFIED = 'Tue, 03 Mar 2026 08:00:00 GMT';

/** First and last byte of a single range; null when it cannot be given, undefined when there is none to honour. */
function rangeOf(header: string | undefined, size: number): readonly [number, number] | null | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return undefined;
  const [, from = '', to = ''] = match;
  if (from === '') return Number(to) === 0 ? null : [Math.max(0, size - Number(to)), size - 1];
  const first = Number(from);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return first >= size || first > last ? null : [first, last];
}

export function answerCdn(ask: Ask, addresses: MediaAddresses): Answer {
  if (ask.method !== 'GET' && ask.method !== 'HEAD') return plain(405, 'Method Not Allowed');
  const check = addresses.check(ask.url);
  if (!check.ok) return plain(check.status, check.reason);
  return answerFile(ask, check.file);
}

interface ServedFile {
  readonly body: Buffer;
  readonly type: string;
  readonly etag: string;
}

/** The whole of it, or the range that is asked for. */
export function answerFile(ask: Ask, { body, type, etag }: ServedFile): Answer {
  const headers = {
    'content-type': type,
    'accept-ranges': 'bytes',
    'last-modified': MODIFIED,
    etag,
    'cache-control': 'max-age=1209600, no-transform',
    'timing-allow-origin': '*',
    'access-control-allow-origin': '*',
    ...(type === 'image/jpeg' ? { 'cross-origin-resource-policy': 'same-origin' } : {}),
  };
  if (ask.headers['if-none-match'] === etag) return { status: 304, headers, body: '' };
  const ifRange = ask.headers['if-range'];
  const range = ifRange === undefined || ifRange === etag ? rangeOf(ask.headers.range, body.length) : undefined;
  if (range === null)
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${body.length}` }, body: '' };
  if (range === undefined) return { status: 200, headers, body };
  const [first, last] = range;
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${first}-${last}/${body.length}` },
    body: body.subarray(first, last + 1),
  };
}
