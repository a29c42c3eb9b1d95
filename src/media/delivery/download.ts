import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { hostsBelow } from '../../infra/http/host-list.ts';
import type { HttpClient, HttpStream } from '../../infra/http/http-client.ts';
import { type CdnAddress, type CdnHeaders, fileType, isGone, looksLikeDocument } from '../files/cdn.ts';
import { totalOf } from '../files/tunnel-range.ts';
import type { Piece } from '../parse/playlist.ts';
import type { SourceId, Variant } from '../post.ts';

export interface DownloadRequest extends CdnAddress {
  readonly source: SourceId;
  /** The expected type of the file. */
  readonly mime: string;
  readonly path: string;
  /** The most bytes that are written. If the CDN states a larger size, nothing is downloaded. */
  readonly maxBytes: number;
  /** The disk space that is reserved for the file. A file that needs more is not downloaded. */
  readonly spaceBytes: number;
  /** Replaces the reserved space by more when a stream needs it; resolves with undefined when there is none for long. */
  readonly reserve: (bytes: number) => Promise<number | undefined>;
  readonly signal: AbortSignal;
  /** The first position to write to in the file at `path`; the bytes before it stay. Default: the beginning. */
  readonly at?: number;
  /** The range of the remote file to download. Default: all of it. */
  readonly range?: Piece['range'];
}

export type DownloadFailure =
  /** `bytes` is null when only the download itself showed that the file is too large. */
  | { readonly status: 'too_large'; readonly bytes: number | null }
  /** The file is within its limit, but larger than the disk space that is reserved for it. */
  | { readonly status: 'needs_space'; readonly bytes: number }
  | { readonly status: 'expired' | 'timeout' | 'unavailable' | 'disk'; readonly cause: unknown };

/** The failure of a download that waited for disk space for too long. */
export function noSpace() {
  return { status: 'timeout', cause: new AppError('timeout', 'no space on the disk for now') } as const;
}

export type DownloadOutcome =
  | { readonly status: 'done'; readonly bytes: number; readonly mime: string }
  | DownloadFailure;

/** How long a download may take: `graceMs`, plus its size divided by `bytesPerSecond`. */
export interface Patience {
  readonly graceMs: number;
  readonly bytesPerSecond: number;
}

export interface DownloadOptions {
  readonly http: Pick<HttpClient, 'request' | 'stream'>;
  /** Domains of the media hosts; the subdomains of each are included. */
  readonly mediaHosts: readonly string[];
  readonly cdnHeaders: CdnHeaders;
  readonly patience?: Partial<Patience>;
}

export type Download = (request: DownloadRequest) => Promise<DownloadOutcome>;

/** The longest wait for the headers of an answer, and for each further chunk of it. */
const PAUSE_MS = 15_000;
const MAX_RESUMES = 2;
const RESUME_AFTER_MS = 250;
const FILE_MODE = 0o600;
export const PATIENCE: Patience = { graceMs: 20_000, bytesPerSecond: 200_000 };

/** How much of the file is on the disk so far. */
interface Progress {
  bytes: number;
  total: number | undefined;
  validator: string | undefined;
  mime: string;
  /** True when the CDN has sent the headers of the file. */
  begun: boolean;
}

/** Downloads files from the CDN to the disk, chunk by chunk. Rejects only when the request's signal aborts. */
export function createCdnDownload({ http, mediaHosts, cdnHeaders, patience }: DownloadOptions): Download {
  const hosts = hostsBelow(mediaHosts);
  const { graceMs, bytesPerSecond } = { ...PATIENCE, ...patience };

  /** Requests the missing bytes and writes them. Returns the failure, or undefined when the file is complete. */
  async function fetchRest(
    request: DownloadRequest,
    progress: Progress,
    clock: Clock,
  ): Promise<DownloadFailure | undefined> {
    const { url, source, maxBytes, range } = request;
    const headers = { ...cdnHeaders(source, request), ...restHeaders(progress, range) };
    const answer = await http.stream({ url, hosts, headers, signal: clock.signal, timeoutMs: PAUSE_MS });
    const failure = begin(answer, progress, request);
    if (failure !== undefined) {
      answer.body.destroy();
      return failure;
    }
    const size = progress.total;
    clock.allow(graceMs + ((size ?? maxBytes) / bytesPerSecond) * 1_000);
    await write(answer.body, request, progress, clock.signal);
    if (progress.bytes !== (range?.length ?? size ?? progress.bytes) || progress.bytes === 0)
      throw new AppError('upstream_unavailable', 'the CDN sent too little');
    return undefined;
  }

  return async request => {
    const progress: Progress = { bytes: 0, total: undefined, validator: undefined, mime: request.mime, begun: false };
    const clock = createClock(request.signal, graceMs);
    try {
      for (let resumes = 0; ; resumes += 1) {
        try {
          const failure = await fetchRest(request, progress, clock);
          return failure ?? { status: 'done', bytes: progress.bytes, mime: progress.mime };
        } catch (error) {
          const failure = readFailure(error, request, clock);
          // A download is resumed only after its first answer has begun, because the HTTP client itself already repeats
          // requests that get no answer.
          const isBroken = error instanceof AppError && progress.begun && !clock.isOver();
          if (!isBroken || resumes === MAX_RESUMES) return failure;
        }
        await pause(RESUME_AFTER_MS * (resumes + 1), undefined, { signal: request.signal });
      }
    } finally {
      clock.stop();
    }
  };
}

function restHeaders({ bytes, validator }: Progress, part: DownloadRequest['range']): Record<string, string> {
  if (bytes === 0 && part === undefined) return {};
  const range = part === undefined ? `${bytes}-` : `${part.first + bytes}-${part.first + part.length - 1}`;
  return { range: `bytes=${range}`, ...(validator === undefined ? {} : { 'if-range': validator }) };
}

/** Reads the status and headers of an answer into `progress`; returns the failure that they show, if any. */
function begin(
  { status, headers }: HttpStream,
  progress: Progress,
  { mime: expected, range, maxBytes, spaceBytes }: DownloadRequest,
): DownloadFailure | undefined {
  if (isGone(status))
    return { status: 'expired', cause: new AppError('upstream_unavailable', `the CDN answers ${status}`) };
  const start = status === 206 ? /^bytes (\d{1,15})-/.exec(headers['content-range'] ?? '')?.[1] : undefined;
  const isAsked = progress.bytes > 0 || range !== undefined;
  const isRest = isAsked && start !== undefined && Number(start) === (range?.first ?? 0) + progress.bytes;
  const type = fileType(headers['content-type'], expected);
  if (((status !== 200 || range !== undefined) && !isRest) || type === undefined) {
    const what = type === undefined ? 'something that is not the file' : `${status}`;
    return { status: 'unavailable', cause: new AppError('upstream_unavailable', `the CDN answers ${what}`) };
  }
  if (!isRest) progress.bytes = 0;
  const length = lengthOf(headers);
  const total = length === undefined ? undefined : progress.bytes + length;
  progress.total = total;
  // A resumed download asks for the rest of the file on the condition that the file still has this ETag (`if-range`).
  // Only a strong ETag promises that the bytes have not changed, so a weak one is not used.
  progress.validator = headers.etag?.startsWith('"') ? headers.etag : undefined;
  progress.mime = type;
  progress.begun = true;
  if (total !== undefined && total > maxBytes) return { status: 'too_large', bytes: total };
  const needed = total ?? maxBytes;
  return needed > spaceBytes ? { status: 'needs_space', bytes: needed } : undefined;
}

function lengthOf(headers: HttpStream['headers']): number | undefined {
  const length = headers['content-length'] ?? '';
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

async function write(
  body: Readable,
  { path, maxBytes, at = 0 }: DownloadRequest,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const begun = progress.bytes;
  const start = at + begun;
  const file = createWriteStream(path, { flags: start === 0 ? 'w' : 'r+', mode: FILE_MODE, start });
  let received = begun;
  try {
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          if (received === 0 && looksLikeDocument(chunk)) throw new Error('a document under the name of a file');
          received += chunk.length;
          if (received > maxBytes) throw new TooLarge();
          yield chunk;
        }
      },
      file,
      { signal },
    );
  } finally {
    // Writing may fail while the file is being opened. Without this wait, the file could appear after its deletion.
    file.destroy();
    if (!file.closed) await new Promise<void>(resolve => file.once('close', () => resolve()));
    progress.bytes = begun + file.bytesWritten;
  }
}

class TooLarge extends Error {}

/** @throws the request's own reason when it was aborted */
function readFailure(error: unknown, { signal }: DownloadRequest, clock: Clock): DownloadFailure {
  signal.throwIfAborted();
  if (error instanceof TooLarge) return { status: 'too_large', bytes: null };
  if (clock.isOver())
    return { status: 'timeout', cause: new AppError('timeout', 'the CDN is too slow', { cause: error }) };
  if (error instanceof AppError) return { status: error.code === 'timeout' ? 'timeout' : 'unavailable', cause: error };
  // Errors of the disk have the failed system call as `syscall`.
  return { status: error instanceof Error && 'syscall' in error ? 'disk' : 'unavailable', cause: error };
}

type Clock = ReturnType<typeof createClock>;

/** Makes a signal that aborts with the caller's signal or at the end of the time limit. */
function createClock(signal: AbortSignal, firstMs: number) {
  const over = new AbortController();
  const startedAt = performance.now();
  const end = () => over.abort(new AppError('timeout', 'the CDN is too slow'));
  let timer = setTimeout(end, firstMs);
  return {
    signal: AbortSignal.any([signal, over.signal]),
    isOver: () => over.signal.aborted,
    /** Sets the time limit, counted from the beginning of the download. */
    allow(totalMs: number) {
      clearTimeout(timer);
      timer = setTimeout(end, Math.max(0, startedAt + totalMs - performance.now()));
    },
    stop: () => clearTimeout(timer),
  };
}

export interface FileSizeOptions extends Pick<DownloadOptions, 'mediaHosts' | 'cdnHeaders'> {
  readonly http: Pick<HttpClient, 'request'>;
}

const SIZE_TIMEOUT_MS = 5_000;
/** The most bytes that are read when a CDN ignores the range and sends the whole file. */
const MAX_FIRST_BYTES = 1_024;

export type FileSize = ReturnType<typeof createFileSize>;

/**
 * Makes a function that asks the CDN for the size of a file in bytes; undefined when the CDN does not state it.
 * @throws the signal's reason when it aborts
 */
export function createFileSize({ http, mediaHosts, cdnHeaders }: FileSizeOptions) {
  const hosts = hostsBelow(mediaHosts);
  return async (
    variant: Pick<Variant, 'url' | 'mime' | 'headers'>,
    source: SourceId,
    signal: AbortSignal,
  ): Promise<number | undefined> => {
    const headers = cdnHeaders(source, variant);
    const request = { url: variant.url, hosts, signal, timeoutMs: SIZE_TIMEOUT_MS };
    try {
      const head = await http.request({ ...request, method: 'HEAD', headers });
      const length = head.status === 200 ? lengthOf(head.headers) : undefined;
      if (length !== undefined) return length;
      if (isGone(head.status)) return undefined;
      // Some CDNs answer HEAD without a length or not at all, but state the size when one byte is requested.
      const range = { ...headers, range: 'bytes=0-0' };
      const first = await http.request({ ...request, headers: range, maxBytes: MAX_FIRST_BYTES });
      const total = first.status === 206 ? totalOf(first.headers['content-range']) : undefined;
      return total === undefined ? undefined : Number(total);
    } catch (error) {
      signal.throwIfAborted();
      // A failure to learn the size is ignored, because fetching the file will show what is wrong.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  };
}
