import { createReadStream } from 'node:fs';
import { Telegram, TelegramError } from 'telegraf';
import * as z from 'zod';
import { joinSignals } from '../../../infra/concurrency/abortable.ts';
import {
  createPoster,
  type EncodedForm,
  encodeForm,
  type FormFile,
  type Posted,
  PostFailure,
} from '../../../infra/http/poster.ts';
import { parseJson } from '../../../infra/parse-json.ts';
import { BotApiError, notBegun } from './bot-api-error.ts';
import type { TelegramLimits } from './limits.ts';
import { type Address, ANSWERS, type Answers, type Content, type Method, type Params, type Upload } from './methods.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that a call without files may take. Default: `limits.callMs`. */
  readonly timeoutMs?: number | undefined;
}

export interface BotApiOptions {
  readonly token: string;
  /** The root of a Bot API server, with a slash at the end. */
  readonly apiRoot: string;
  readonly limits: Pick<TelegramLimits, 'callMs' | 'fileMs' | 'uploadBytesPerSecond'>;
}

const Refusal = z.object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() });
const Envelope = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().catch(''),
    parameters: Refusal.catch({}).default({}),
  }),
]);

/** Telegraf's types describe an older Bot API, so its method for calls is declared here with looser types. */
interface Caller {
  callApi(method: string, params: object, options: object): Promise<unknown>;
}

export type BotApi = ReturnType<typeof createBotApi>;

/** Makes all calls of the Bot API. A call that fails is not repeated here. */
export function createBotApi({ token, apiRoot, limits }: BotApiOptions) {
  // Telegraf must not make a call by the response to a webhook, because Telegram does not report whether that failed.
  const caller: Caller = new Telegram(token, { apiRoot, webhookReply: false });
  const poster = createPoster();

  /**
   * Makes one request, with a form if the parameters have files. `params` are the parameters of the method; those of a
   * message consist of its address (the chat) and its content.
   * @throws BotApiError
   */
  async function call<M extends Method>(
    method: M,
    params: Params[M] | (Address & Content<M>),
    options: CallOptions = {},
  ): Promise<Answers[M]> {
    if (options.signal?.aborted === true) throw notBegun(method);
    const form = formOf(params);
    const result = await (form === undefined ? callPlain(method, params, options) : upload(method, form, options));
    const read = ANSWERS[method].safeParse(result);
    if (read.success) return read.data;
    throw new BotApiError({ method, code: undefined, description: 'unreadable answer', isNotDone: false });
  }

  async function callPlain(method: Method, params: object, { signal, timeoutMs }: CallOptions): Promise<unknown> {
    const over = joinSignals([signal], timeoutMs ?? limits.callMs);
    try {
      return await caller.callApi(method, params, { signal: over.signal });
    } catch (error) {
      throw plainFailure(method, error, over.signal.aborted);
    } finally {
      over.release();
    }
  }

  /**
   * Sends files in place of telegraf (4.16), which holds whole files in memory, leaves nested objects out of a form,
   * and does not say whether the body was sent completely.
   */
  async function upload(method: Method, body: EncodedForm, { signal }: CallOptions): Promise<unknown> {
    const url = `${apiRoot}bot${token}/${method}`;
    const timeoutMs = limits.fileMs + (body.contentLength / limits.uploadBytesPerSecond) * 1_000;
    try {
      return resultOf(method, await poster.send({ url, body }, { signal, timeoutMs }));
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error;
      const { message: description, isUnsent: isNotDone, isCut } = error;
      throw new BotApiError({ method, code: undefined, description, isNotDone, isCut });
    }
  }

  /** `close` ends all calls that are running. */
  return { call, close: poster.close };
}

/** Error codes of a connection that could not be made. */
const UNREACHED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

function plainFailure(method: Method, error: unknown, isEnded: boolean): BotApiError {
  if (error instanceof TelegramError) return refusal(method, error.code, error.description, error.parameters);
  const system = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  // If the answer is a web page, a proxy sent it, so its code says nothing about chats and tokens.
  const isPage = error instanceof Error && 'type' in error && error.type === 'invalid-json';
  if (isPage) return refusal(method, 400, 'unreadable answer');
  const isNotDone = system !== undefined && UNREACHED.test(system);
  // The error's own message is left out, because the address in it contains the token.
  return new BotApiError({
    method,
    code: undefined,
    description: system ?? (isEnded ? 'no answer in time' : 'no answer'),
    isNotDone,
    isCut: isEnded,
  });
}

/** The result in Telegram's answer. @throws BotApiError when the answer is a refusal or cannot be read */
function resultOf(method: Method, { status, text }: Posted): unknown {
  const answer = Envelope.safeParse(parseJson(text)).data;
  if (answer?.ok === true) return answer.result;
  if (answer === undefined) throw refusal(method, codeOfPage(status), 'unreadable answer');
  const { error_code: code, description, parameters } = answer;
  throw refusal(method, code, description, parameters);
}

/**
 * The error code of a call that a proxy answered with a web page of its own. The page's status says nothing about the
 * chat: a 404 does not mean that the chat is missing. A proxy mostly refuses requests because their files are too
 * large, so every status from 400 to 499, except for 429, is read as 413.
 */
function codeOfPage(status: number): number {
  if (status === 429 || status >= 500) return status;
  return status < 400 ? 502 : 413;
}

/**
 * The error of a refused call. A 503 comes from a proxy, and nothing was done. After a 502, a 504 and other 5xx,
 * messages had sometimes been sent.
 */
function refusal(
  method: Method,
  code: number,
  description: string,
  { retry_after: seconds, migrate_to_chat_id: migrateTo }: z.output<typeof Refusal> = {},
): BotApiError {
  const retryAfterMs = seconds === undefined ? undefined : Math.max(0, seconds) * 1_000;
  return new BotApiError({ method, code, description, retryAfterMs, migrateTo, isNotDone: code < 500 || code === 503 });
}

/**
 * The parameters as a multipart form, in which each file is a part and the parameters name it as `attach://NAME`.
 * Undefined if there is no file.
 */
function formOf(params: object): EncodedForm | undefined {
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
  return files.length === 0 ? undefined : encodeForm(fields, files);
}

function isUpload(value: unknown): value is Upload {
  return typeof value === 'object' && value !== null && 'content' in value && 'fileName' in value && 'bytes' in value;
}

/** Deletes a message; does nothing when it is deleted already. @throws BotApiError */
export async function deleteMessage(
  api: Pick<BotApi, 'call'>,
  address: Params['deleteMessage'],
  signal?: AbortSignal,
): Promise<void> {
  try {
    await api.call('deleteMessage', address, { signal });
  } catch (error) {
    if (!(error instanceof BotApiError) || error.code !== 400 || !NOTHING_THERE.test(error.description)) throw error;
  }
}

const NOTHING_THERE = /message to delete not found|message_id_invalid/i;
