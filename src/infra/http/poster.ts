import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import { joinSignals } from '../concurrency/abortable.ts';

/** A request to an API whose address the operator chooses. Its body is streamed. */
export interface OutgoingRequest {
  readonly url: string;
  /** The HTTP method. Default `POST`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: EncodedForm | string | undefined;
}

export interface Posted {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole request. Default: no limit but the signal. */
  readonly timeoutMs?: number;
}

/** Thrown when no answer came. The message names no address, because that may contain a secret. */
export class PostFailure extends Error {
  override readonly name = 'PostFailure';
  /** True when the server certainly has not read the whole request: it was not reached, or the body was cut short. */
  readonly isUnsent: boolean;
  /** True when this process ended the request, because of the signal or the timeout. */
  readonly isCut: boolean;

  constructor(reason: string, { isUnsent, isCut }: { readonly isUnsent: boolean; readonly isCut: boolean }) {
    super(reason);
    this.isUnsent = isUnsent;
    this.isCut = isCut;
  }
}

/** Error codes that mean that no connection was made. */
const UNREACHED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
/** Idle connections are closed before servers close them, so that no request is sent on a closing one. */
const IDLE_MS = 10_000;
/** The largest answer that is read. An API that receives files sends far smaller answers. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Sends requests, such as forms with files, to an API. It never sends a request a second time. */
export function createPoster() {
  // Each caller limits the time of its call, so the agent sets no limit.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_MS,
    maxResponseSize: MAX_ANSWER_BYTES,
  });

  return {
    /**
     * Resolves with the answer, whatever its status.
     * @throws PostFailure when there is no answer
     */
    async send(request: OutgoingRequest, { signal, timeoutMs }: PostOptions): Promise<Posted> {
      const { url, method = 'POST', headers, body } = request;
      const over = joinSignals([signal], timeoutMs && Math.ceil(timeoutMs));
      const { origin, pathname, search } = new URL(url);
      const progress = { isComplete: body === undefined };
      try {
        const answer = await agent.request({
          ...{ origin, path: `${pathname}${search}`, method },
          headers: { ...headers, ...lengthOf(body) },
          body: body === undefined ? null : Readable.from(watched(body, progress), { highWaterMark: 1 }),
          signal: over.signal,
        });
        return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
      } catch (error) {
        const reason = reasonOf(error);
        const isUnsent = !progress.isComplete || UNREACHED.test(reason);
        throw new PostFailure(reason, { isUnsent, isCut: over.signal.aborted });
      } finally {
        over.release();
      }
    },
    /** Ends the requests in progress. */
    close: () => agent.destroy(),
  };
}

/** The header fields that describe a body. */
function lengthOf(body: OutgoingRequest['body']): Record<string, string> {
  if (body === undefined) return {};
  if (typeof body === 'string') return { 'content-length': `${Buffer.byteLength(body)}` };
  return { 'content-type': body.contentType, 'content-length': `${body.contentLength}` };
}

/** Yields the body and notes when its last piece was taken; before that, no server can have accepted the request. */
async function* watched(body: EncodedForm | string, progress: { isComplete: boolean }): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string') yield Buffer.from(body);
  else yield* body.body();
  progress.isComplete = true;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error.name;
}

export interface FormFile {
  /** The name of the form field. */
  readonly name: string;
  readonly fileName: string;
  /** The media type of the file. Default `application/octet-stream`. */
  readonly mime?: string;
  readonly bytes: number;
  /** Opens the file; called when its part of the body is to be sent. */
  readonly open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface EncodedForm {
  readonly contentType: string;
  readonly contentLength: number;
  /** The body is streamed while it is read: no whole file is ever held in memory. */
  readonly body: () => AsyncGenerator<Uint8Array>;
}

const LINE = '\r\n';

/** Encodes fields and files as a `multipart/form-data` body. */
export function encodeForm(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
): EncodedForm {
  const boundary = `medley-${randomUUID()}`;
  const texts = fields.map(([name, value]) => Buffer.from(`${head(name)}${LINE}${LINE}${value}${LINE}`));
  const heads = files.map(({ name, fileName, mime = 'application/octet-stream' }) =>
    Buffer.from(`${head(name)}; filename="${quotable(fileName)}"${LINE}content-type: ${quotable(mime)}${LINE}${LINE}`),
  );
  const tail = Buffer.from(`--${boundary}--${LINE}`);
  const sizes = [...texts, ...heads, tail].map(({ length }) => length);

  function head(name: string): string {
    return `--${boundary}${LINE}content-disposition: form-data; name="${quotable(name)}"`;
  }

  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: [...sizes, ...files.map(({ bytes }) => bytes + LINE.length)].reduce((sum, size) => sum + size, 0),
    async *body() {
      yield* texts;
      for (const [index, file] of files.entries()) {
        yield heads[index] ?? Buffer.alloc(0);
        yield* file.open();
        yield Buffer.from(LINE);
      }
      yield tail;
    },
  };
}

/** Escapes a field or file name, in the same way as browsers. */
function quotable(name: string): string {
  return name.replace(/[\r\n"]/g, character => encodeURIComponent(character));
}
