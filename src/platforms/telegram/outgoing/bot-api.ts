import { createReadStream, type ReadStream } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Telegram } from 'telegraf';
import type { TelegramLimits } from '../limits.ts';
import { BotApiError, readFailure } from './bot-api-error.ts';
import { ANSWERS, type Answers, type Method, type Params, type Upload } from './methods.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Default: by what the call carries. */
  readonly timeoutMs?: number;
  /** How often it is made at most, the first time included. */
  readonly attempts?: number;
  /** Told before each attempt. */
  readonly onAttempt?: () => void;
  /** Told when the next attempt has to wait, and why. */
  readonly onWait?: (ms: number, why: BotApiError) => void;
}

/** The one way to the Bot API. */
export interface BotApi {
  /**
   * A refusal for being too fast (429) is waited out and the call made again. Other failures are tried again only where doing the
   * thing twice is the same as once, or where it surely was not done.
   * @throws BotApiError, or the signal's reason when that aborts.
   */
  call<M extends Method>(method: M, params: Params[M], options?: CallOptions): Promise<Answers[M]>;
}

export interface BotApiOptions {
  readonly telegram: Telegram;
  readonly limits: TelegramLimits;
}

/** telegraf's own types end at Bot API 7.1 and know another AbortSignal; what comes back is read with a schema anyway. */
interface Caller {
  callApi(method: string, payload: object, options: object): Promise<unknown>;
}

export function createBotApi({ telegram, limits }: BotApiOptions): BotApi {
  const caller: Caller = telegram;

  /** One request. Every file is opened for it and closed after it, whatever became of it. */
  async function attempt(method: Method, params: object, signal: AbortSignal, timeoutMs: number): Promise<unknown> {
    const opened: ReadStream[] = [];
    const { payload, bytes } = payloadOf(params, ({ content, fileName: filename }) => {
      if ('data' in content) return { source: content.data, filename };
      const source = createReadStream(content.path);
      opened.push(source);
      return { source, filename };
    });
    const allowedMs = bytes === 0 ? timeoutMs : limits.fileMs + (bytes / limits.uploadBytesPerSecond) * 1_000;
    const over = AbortSignal.timeout(Math.ceil(allowedMs));
    try {
      return await caller.callApi(method, payload, { signal: AbortSignal.any([signal, over]) });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw readFailure(error, { method, hadFiles: bytes > 0 });
    } finally {
      for (const stream of opened) stream.destroy();
    }
  }

  return {
    async call(method, params, options = {}) {
      const { signal = new AbortController().signal, timeoutMs = limits.callMs, onAttempt, onWait } = options;
      const { attempts = limits.attempts } = options;
      let patienceMs = limits.patienceMs;
      for (let made = 1; ; made += 1) {
        onAttempt?.();
        try {
          return ANSWERS[method].parse(await attempt(method, params, signal, timeoutMs));
        } catch (error) {
          const waitMs = waitAfter(error, method, made, limits);
          if (waitMs === undefined || waitMs > patienceMs || made >= attempts) throw error;
          patienceMs -= waitMs;
          if (error instanceof BotApiError) onWait?.(waitMs, error);
          await pause(waitMs, undefined, { signal });
        }
      }
    },
  };
}

/** Milliseconds until another try makes sense; undefined when none does. */
function waitAfter(error: unknown, method: Method, made: number, limits: TelegramLimits): number | undefined {
  if (!(error instanceof BotApiError)) return undefined;
  if (error.code === 429) return error.retryAfterMs ?? limits.backoffMs * 2 ** made;
  const isAnswered = error.code !== undefined && error.code < 500;
  const isRepeatable = error.isNotDone || !method.startsWith('send') || method === 'sendChatAction';
  return isAnswered || !isRepeatable ? undefined : Math.min(limits.backoffMs * 2 ** (made - 1), limits.maxBackoffMs);
}

type OpenFile = (upload: Upload) => { readonly source: ReadStream | Buffer; readonly filename: string };

/**
 * telegraf 4.16.3 leaves nested objects out of a form without a word (telegraf issues 1970, 2004, 2094), so beside files everything
 * that is no scalar goes as JSON text, which the Bot API takes.
 */
function payloadOf(params: object, open: OpenFile): { readonly payload: object; readonly bytes: number } {
  const uploads = uploadsOf(params);
  if (uploads.length === 0) return { payload: params, bytes: 0 };
  const payload = Object.entries(params).map(([name, value]): [string, unknown] => {
    if (isUpload(value)) return [name, open(value)];
    if (name === 'media' && Array.isArray(value)) return [name, value.map(item => withOpenFile(item, open))];
    if (name === 'media' && isUpload(mediaOf(value))) return [name, withOpenFile(value, open)];
    return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
  });
  return { payload: Object.fromEntries(payload), bytes: uploads.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function uploadsOf(params: object): readonly Upload[] {
  return Object.values(params).flatMap((value: unknown) => {
    if (isUpload(value)) return [value];
    return (Array.isArray(value) ? value : [value]).map(mediaOf).filter(isUpload);
  });
}

function withOpenFile(item: unknown, open: OpenFile): unknown {
  const media = mediaOf(item);
  if (!isUpload(media)) return item;
  const { thumbnail, ...rest } = recordOf(item);
  return { ...rest, media: open(media), ...(isUpload(thumbnail) ? { thumbnail: open(thumbnail) } : {}) };
}

function mediaOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'media' in item ? item.media : undefined;
}

function recordOf(item: unknown): Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null ? { ...item } : {};
}

function isUpload(value: unknown): value is Upload {
  return typeof value === 'object' && value !== null && 'content' in value && 'fileName' in value && 'bytes' in value;
}
