import { createReadStream } from 'node:fs';
import { z } from 'zod';
import { type EncodedForm, encodeForm, type FormFile } from '../../../infra/http/form.ts';
import { createPoster, type Posted, PostFailure } from '../../../infra/http/poster.ts';
import type { TelegramLimits } from '../limits.ts';
import { BotApiError, notBegun } from './bot-api-error.ts';
import { ANSWERS, type Answers, type Method, type Params, type Upload } from './methods.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Of calls without files. */
  readonly timeoutMs?: number | undefined;
}

/** The one way to the Bot API. */
export interface BotApi {
  /** One request, never repeated. @throws BotApiError */
  call<M extends Method>(method: M, params: Params[M], options?: CallOptions): Promise<Answers[M]>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface BotApiOptions {
  readonly token: string;
  /** Of a Bot API server; ends with a slash. */
  readonly apiRoot: string;
  readonly limits: Pick<TelegramLimits, 'callMs' | 'fileMs' | 'uploadBytesPerSecond'>;
}

const Envelope = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().catch(''),
    parameters: z
      .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
      .catch({})
      .default({}),
  }),
]);

export function createBotApi({ token, apiRoot, limits }: BotApiOptions): BotApi {
  const poster = createPoster();

  /** What stands in `result`. */
  async function post(method: Method, params: object, { signal, timeoutMs }: CallOptions): Promise<unknown> {
    const { body, bytes } = bodyOf(params);
    const uploadMs = limits.fileMs + (bytes / limits.uploadBytesPerSecond) * 1_000;
    const allowedMs = bytes === 0 ? (timeoutMs ?? limits.callMs) : uploadMs;
    try {
      const posted = await poster.post(`${apiRoot}bot${token}/${method}`, body, { signal, timeoutMs: allowedMs });
      return resultOf(method, posted, bytes > 0);
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      const { message: description, isUnsent: isNotDone, isCut } = error;
      throw new BotApiError({ method, code: undefined, description, isNotDone, isCut });
    }
  }

  return {
    async call(method, params, options = {}) {
      if (options.signal?.aborted === true) throw notBegun(method);
      const result = await post(method, params, options);
      const read = ANSWERS[method].safeParse(result);
      if (read.success) return read.data;
      throw new BotApiError({ method, code: undefined, description: 'unreadable answer', isNotDone: false });
    },
    close: () => poster.close(),
  };
}

/** @throws BotApiError */
function resultOf(method: Method, { status, text }: Posted, hadFiles: boolean): unknown {
  const answer = Envelope.safeParse(readJson(text)).data;
  if (answer?.ok === true) return answer.result;
  if (answer === undefined) throw refusal(method, codeOfPage(status, hadFiles), 'unreadable answer');
  const { error_code: code, description, parameters } = answer;
  throw refusal(method, code, description, parameters);
}

/** A proxy's own page says nothing of chats and tokens; what proxies refuse are files. */
function codeOfPage(status: number, hadFiles: boolean): number {
  if (status === 429 || status >= 500) return status;
  if (status < 400) return 502;
  return hadFiles ? 413 : 400;
}

interface Parameters {
  readonly retry_after?: number | undefined;
  readonly migrate_to_chat_id?: number | undefined;
}

/**
 * With 503 a proxy answers what it has not passed on. With 502 and 504 it has, and other 5xx come from the Bot API itself: seen after the
 * message stood in the chat.
 */
function refusal(
  method: Method,
  code: number,
  description: string,
  { retry_after: seconds, migrate_to_chat_id: migrateTo }: Parameters = {},
): BotApiError {
  const retryAfterMs = seconds === undefined ? undefined : Math.max(0, seconds) * 1_000;
  return new BotApiError({ method, code, description, retryAfterMs, migrateTo, isNotDone: code < 500 || code === 503 });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Files stand beside the rest in a form, which names those that are deeper in it. */
function bodyOf(params: object): { readonly body: string | EncodedForm; readonly bytes: number } {
  const files: FormFile[] = [];
  function attach({ content, fileName, bytes }: Upload, name = `file${files.length}`): string {
    const open = () => ('data' in content ? [content.data] : createReadStream(content.path));
    files.push({ name, fileName, bytes, open });
    return `attach://${name}`;
  }
  const json = (value: unknown) => JSON.stringify(value, (_, inner) => (isUpload(inner) ? attach(inner) : inner));
  const fields = Object.entries(params).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (!isUpload(value)) return [[name, typeof value === 'string' ? value : json(value)]];
    if (name === 'thumbnail') return [[name, attach(value)]];
    attach(value, name);
    return [];
  });
  if (files.length === 0) return { body: JSON.stringify(params), bytes: 0 };
  return { body: encodeForm(fields, files), bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function isUpload(value: unknown): value is Upload {
  return typeof value === 'object' && value !== null && 'content' in value && 'fileName' in value && 'bytes' in value;
}
