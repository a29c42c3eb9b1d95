import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { ACCOUNT } from './account.ts';
import { type ApiAnswer, ApiRefusal, badRequest, failure, success } from './answer.ts';
import { decodeParams, readBody, type TelegramRequest } from './call.ts';
import { EDITING } from './editing.ts';
import type { Faults } from './faults.ts';
import { SENDING } from './sending.ts';
import type { Method, Stage } from './stage.ts';
import type { Check } from './validate.ts';

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
  readonly maxUploadBytes: number;
}

const METHODS: ReadonlyMap<string, Method> = new Map(Object.entries({ ...SENDING, ...EDITING, ...ACCOUNT }));

export async function startBotApi({ token, stage, faults, check, maxUploadBytes }: BotApiOptions): Promise<BotApi> {
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
    const method = METHODS.get(call.method);
    if (method === undefined) {
      stage.problem(`${call.method}: no such method here`);
      throw new ApiRefusal(404, 'Not Found');
    }
    if (call.files.reduce((sum, file) => sum + file.bytes, 0) > maxUploadBytes) {
      stage.problem(`${call.method}: more than ${maxUploadBytes} bytes uploaded`);
      throw new ApiRefusal(413, 'Request Entity Too Large');
    }
    const violations = check(call, stage);
    for (const { what } of violations) stage.problem(`${call.method}: ${what}`);
    const refused = violations.find(({ refusal }) => refusal !== undefined);
    if (refused?.refusal !== undefined) throw badRequest(refused.refusal);
    return success(await method(call, stage));
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

  /** @returns undefined when there is to be no answer. */
  async function answer(request: IncomingMessage, signal: AbortSignal): Promise<ApiAnswer | 'hang' | 'drop'> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, given, method] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
    if (given === undefined || method === undefined) return failure(new ApiRefusal(404, 'Not Found'));
    try {
      const call = await read(request, method, url.searchParams);
      if (given !== token || isRevoked) throw new ApiRefusal(401, 'Unauthorized');
      const fault = faults.take(call);
      if (fault?.delayMs !== undefined) await pause(fault.delayMs, closing.signal);
      const done = fault === undefined || fault.afterSend === true ? await perform(call, signal) : undefined;
      if (fault?.hang === true) return 'hang';
      if (fault?.drop === true) return 'drop';
      if (fault?.errorCode !== undefined) {
        const { errorCode, description = 'Bad Request: planned by the test', parameters } = fault;
        throw new ApiRefusal(errorCode, description, parameters);
      }
      return done ?? (await perform(call, signal));
    } catch (error) {
      return refusalOf(error, method);
    }
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

function reply(request: IncomingMessage, response: ServerResponse, answer: ApiAnswer | 'hang' | 'drop'): void {
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
