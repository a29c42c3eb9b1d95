import { AppError } from '../../errors.ts';
import { hostsBelow } from '../../infra/http/host-list.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import { type CdnHeaders, isGone } from '../files/cdn.ts';
import { totalOf } from '../files/tunnel-range.ts';
import type { SourceId, Variant } from '../post.ts';

const TIMEOUT_MS = 5_000;
/** Who ignores the range sends all of it: the rest is not read. */
const FIRST_BYTE = 1_024;

export interface FileSizeOptions {
  readonly http: Pick<HttpClient, 'request'>;
  /** Suffixes: each host and what is below it. */
  readonly mediaHosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
}

/** Bytes of a file as the CDN says, undefined when it does not. @throws the signal's reason when it aborts */
export type FileSize = (
  variant: Pick<Variant, 'url' | 'mime'>,
  source: SourceId,
  signal: AbortSignal,
) => Promise<number | undefined>;

export function createFileSize({ http, mediaHosts, cdnHeaders }: FileSizeOptions): FileSize {
  const hosts = hostsBelow(mediaHosts);
  return async ({ url, mime }, source, signal) => {
    const headers = cdnHeaders(source, mime);
    const request = { url, hosts, signal, timeoutMs: TIMEOUT_MS };
    try {
      const head = await http.request({ ...request, method: 'HEAD', headers });
      const length = head.status === 200 ? head.headers['content-length'] : undefined;
      if (length !== undefined && /^\d{1,15}$/.test(length)) return Number(length);
      if (isGone(head.status)) return undefined;
      // Some answer HEAD without a length or not at all, and give it with the first byte.
      const first = await http.request({
        ...request,
        headers: { ...headers, range: 'bytes=0-0' },
        maxBytes: FIRST_BYTE,
      });
      const total = first.status === 206 ? totalOf(first.headers['content-range']) : undefined;
      return total === undefined ? undefined : Number(total);
    } catch (error) {
      signal.throwIfAborted();
      // Fetching the file will show what is wrong with it.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
}
