import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { ACCOUNT } from './account.ts';
import { type ApiAnswer, ApiRefusal, badRequest, failure, success } from './answer.ts';
import { decodeParams, readBody, type TelegramRequest } from './call.ts';
import { EDITING } from './editing.ts';
import type { Fault, Faults } from './faults.ts';
import { sendRichMessage } from './rich.ts';
import { richMedia } from './rich-shapes.ts';
import { SENDING } from './sending.ts';
import { type InputMedia, inputMediaShape } from './shapes.ts';
import type { Method, Stage } from './stage.ts';
import type { Check } from './violation.ts';

export interface BotApi {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  readonly requests: readonly TelegramRequest[];
  /** Every request is answered 401 from now on. */
  revokeToken(): void;
  close(): Promise<void>;
}

export interface BotApiOptions {
  readonly token: string;
  readonly stage: Stage;
  readonly faults: Faults;
  readonly check: Check;
  /** Bytes. */
  readonly limits: { readonly upload: number; readonly photoUpload: number };
}

/** An answer, none at all, or a cut connection. */
type Outcome = ApiAnswer | 'hang' | 'drop';

const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({ ...SENDING, ...EDITING, ...ACCOUNT, sendRichMessage }),
);

export async function startBotApi({ token, stage, faults, check, limits }: BotApiOptions): Promise<BotApi> {
  const requests: TelegramRequest[] = [];
  const closing = new AbortController();
  let isRevoked = false;

  async function read(request: IncomingMessage, method: string, query: URLSearchParams): Promise<TelegramRequest> {
    const at = stage.now();
    const body = await readBody(request, query);
    const { params, broken } = decodeParams(body.params);
    const call = { ...body, method, params, at };
    if (method !== 'getUpdates') requests.push(call);
    for (const name of broken) stage.problem(`${method}: ${name} is not JSON`);
    const [first] = broken;
    if (first !== undefined) throw badRequest(`can't parse ${first.replaceAll('_', ' ')} JSON object`);
    return call;
  }

  async function perform(call: TelegramRequest, signal: AbortSignal): Promise<ApiAnswer> {
    if (call.method === 'getUpdates') return success(await poll(call, signal));
    if (call.method === 'sendRichMessage' && !stage.isRich) throw new ApiRefusal(404, 'Not Found');
    const method = METHODS.get(call.method);
    if (method === undefined) {
      stage.problem(`${call.method}: no such method here`);
      throw new ApiRefusal(404, 'Not Found');
    }
    checkSize(call);
    const violations = check(call, stage);
    for (const { what } of violations) stage.problem(`${call.method}: ${what}`);
    const refused = violations.find(({ refusal }) => refusal !== undefined);
    if (refused?.refusal !== undefined) throw badRequest(refused.refusal);
    return success(await method(call, stage));
  }

  function checkSize({ method, params, files }: TelegramRequest): void {
    const total = files.reduce((sum, file) => sum + file.bytes, 0);
    const photo = Math.max(0, ...files.filter(({ field }) => isPhoto(params, field)).map(({ bytes }) => bytes));
    if (total <= limits.upload && photo <= limits.photoUpload) return;
    stage.problem(`${method}: ${total} bytes uploaded, at most ${limits.upload}, photos ${limits.photoUpload}`);
    throw new ApiRefusal(413, 'Request Entity Too Large');
  }

  const pollShape = z.looseObject({
    offset: z.int().default(0),
    limit: z.int().default(100),
    timeout: z.int().default(0),
    allowed_updates: z.array(z.string()).optional(),
  });

  function poll({ params }: TelegramRequest, signal: AbortSignal): Promise<unknown> {
    const { offset, limit, timeout, allowed_updates: allowedUpdates } = pollShape.parse(params);
    return stage.updates.poll({ offset, limit, timeoutMs: timeout * 1000, allowedUpdates }, signal);
  }

  async function answer(request: IncomingMessage, signal: AbortSignal): Promise<Outcome> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (given === undefined || method === undefined) return failure(new ApiRefusal(404, 'Not Found'));
    try {
      const call = await read(request, method, url.searchParams);
      if (given !== token || isRevoked) throw new ApiRefusal(401, 'Unauthorized');
      const fault = faults.take(call);
      return await (fault === undefined ? perform(call, signal) : performFaulty(call, fault, signal));
    } catch (error) {
      return refusalOf(error, method);
    }
  }

  async function performFaulty(call: TelegramRequest, fault: Fault, signal: AbortSignal): Promise<Outcome> {
    const { delayMs, afterSend = false, hang = false, drop = false, errorCode, parameters } = fault;
    const { description = 'Bad Request: planned by the test' } = fault;
    if (delayMs !== undefined) await pause(delayMs, closing.signal);
    await fault.until;
    if (afterSend) await perform(call, signal);
    if (hang) return 'hang';
    if (drop) return 'drop';
    if (errorCode !== undefined) throw new ApiRefusal(errorCode, description, parameters);
    return perform(call, signal);
  }

  function refusalOf(error: unknown, method: string): ApiAnswer {
    if (error instanceof ApiRefusal) return failure(error);
    const what = error instanceof z.ZodError ? z.prettifyError(error).replaceAll('\n', ' ') : String(error);
    stage.problem(`${method}: ${what}`);
    return failure(badRequest(what));
  }

  const server = createServer((request, response) => {
    const left = new AbortController();
    response.once('close', () => left.abort());
    answer(request, AbortSignal.any([left.signal, closing.signal])).then(
      what => reply(request, response, what),
      (error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');

  return {
    url: `http://127.0.0.1:${address.port}/`,
    requests,
    revokeToken: () => {
      isRevoked = true;
    },
    close: async () => {
      closing.abort();
      stage.updates.close();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function reply(request: IncomingMessage, response: ServerResponse, answer: Outcome): void {
  if (answer === 'hang') return;
  if (answer === 'drop') {
    request.socket.destroy();
    return;
  }
  const body = Buffer.from(JSON.stringify(answer.body));
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms).unref();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function isPhoto(params: Readonly<Record<string, unknown>>, field: string): boolean {
  if (field === 'photo') return true;
  const { media } = params;
  const isNamed = ({ type, media: value }: InputMedia) => type === 'photo' && value === `attach://${field}`;
  if (richMedia(params).some(isNamed)) return true;
  const items = z.array(inputMediaShape).safeParse(Array.isArray(media) ? media : [media]);
  return items.data?.some(isNamed) ?? false;
}
