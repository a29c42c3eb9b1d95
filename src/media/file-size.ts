import { AppError } from '../errors.ts';
import type { HttpClient } from '../infra/http.ts';
import { cdnHeaders, hostsBelow } from './cdn.ts';
import type { SourceId, Variant } from './post.ts';

const TIMEOUT_MS = 5_000;

export interface FileSizeOptions {
  readonly http: Pick<HttpClient, 'request'>;
  /** Suffixes: each host and what is below it. */
  readonly mediaHosts: readonly string[];
}

/** Bytes of a file as the CDN says, undefined when it does not. @throws the signal's reason when it aborts */
export type FileSize = (
  variant: Pick<Variant, 'url' | 'mime'>,
  source: SourceId,
  signal: AbortSignal,
) => Promise<number | undefined>;

export function createFileSize({ http, mediaHosts }: FileSizeOptions): FileSize {
  const hosts = hostsBelow(mediaHosts);
  return async ({ url, mime }, source, signal) => {
    try {
      const headers = cdnHeaders(source, mime);
      const head = await http.request({ url, method: 'HEAD', hosts, headers, signal, timeoutMs: TIMEOUT_MS });
      const length = head.status === 200 ? head.headers['content-length'] : undefined;
      return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    } catch (error) {
      signal.throwIfAborted();
      // Fetching the file will tell what is wrong with it.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
}
