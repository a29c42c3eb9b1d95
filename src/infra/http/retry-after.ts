const SECONDS = /^\d{1,9}(?:\.\d{1,6})?$/;
const HTTP_DATE = /^[A-Z][a-z]{2,8}, [0-9A-Za-z :-]{10,40}$/;

/**
 * Milliseconds that a `Retry-After` header asks to wait: it holds seconds or an HTTP date (RFC 9110, 10.2.3). Never
 * negative; undefined when the header is absent or holds neither.
 * @param now unix milliseconds
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (text === undefined) return undefined;
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
