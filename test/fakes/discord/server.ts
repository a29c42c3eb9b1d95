import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type ReceivedBody, readBody } from './body.ts';
import type { Clock } from './clock.ts';
import type { Fault, Faults } from './faults.ts';
import { Oversized } from './posts.ts';
import { type Complain, type ReceivedRequest, Refusal } from './records.ts';
import type { Answer, Call } from './route.ts';

export interface RestServerOptions {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly token: string;
  readonly requests: ReceivedRequest[];
  readonly complain: Complain;
  /** What is wrong with a request by the specification; empty without one. */
  readonly validate: (call: Call) => readonly string[];
  readonly answer: (call: Call) => Answer;
}

export interface RestServer {
  readonly server: Server;
  readonly port: number;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** Receives, records, validates, strikes with faults, answers. */
export function createRestServer(options: RestServerOptions): RestServer {
  const { requests, faults, complain } = options;
  const waits = new Set<NodeJS.Timeout>();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // A client that went away in the middle of its upload.
      if (!request.complete || response.destroyed) {
        response.destroy();
        return;
      }
      complain(`the fake failed at ${request.method} ${request.url}: ${String(error)}`);
      response.writeHead(500).end();
    });
  });
  // Bots keep connections alive; so does Discord.
  server.keepAliveTimeout = 60_000;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request;
    const url = new URL(request.url ?? '/', 'http://fake');
    const version = /^\/api\/v(\d+)(?=\/)/.exec(url.pathname);
    const path = decodeURIComponent(url.pathname.slice(version?.[0].length ?? 0));
    if (version?.[1] !== '10') complain(`${method} ${url.pathname}: not under /api/v10`);
    const authorized = request.headers.authorization === `Bot ${options.token}`;
    const query = Object.fromEntries(url.searchParams);
    const received = await readBody(request);
    const call = { method, path, query, authorized, ...received, requestBytes: received.bytes };
    const { body, files } = received;
    const place =
      requests.push({ method, path, query, body, files, at: options.clock.now(), authorized, status: undefined }) - 1;
    report(call, received, request);
    const fault = faults.take(method, path);
    if (fault === undefined) {
      finish(response, place, perform(call));
      return;
    }
    if (fault.delayMs !== undefined) await wait(fault.delayMs);
    await fault.until;
    const spared = fault.status === undefined && fault.hang !== true && fault.cut !== true;
    const answer = spared || fault.afterSend === true ? perform(call) : undefined;
    if (fault.cut === true) request.socket.destroy();
    else if (fault.hang !== true) finish(response, place, spared && answer !== undefined ? answer : strike(fault));
  }

  function report(call: Call, received: ReceivedBody, request: IncomingMessage): void {
    const where = `${call.method} ${call.path}`;
    for (const problem of [...received.problems, ...options.validate(call)]) complain(`${where}: ${problem}`);
    if (!/^DiscordBot \(.+\)/.test(request.headers['user-agent'] ?? '')) {
      complain(`${where}: User-Agent "${request.headers['user-agent']}" is not DiscordBot (url, version)`);
    }
  }

  function perform(call: Call): Reply {
    try {
      return jsonReply(options.answer(call));
    } catch (error) {
      if (error instanceof Refusal) {
        const { status, code, message } = error;
        return jsonReply({ status, json: { message, code } });
      }
      if (error instanceof Oversized) {
        return { status: 413, headers: { 'content-type': 'text/html' }, body: '<h1>413 Request Entity Too Large</h1>' };
      }
      throw error;
    }
  }

  function finish(response: ServerResponse, place: number, { status, headers, body }: Reply): void {
    const record = requests[place];
    if (record !== undefined) requests[place] = { ...record, status };
    response.writeHead(status, headers).end(body);
  }

  function wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        waits.delete(timer);
        resolve();
      }, ms);
      timer.unref();
      waits.add(timer);
    });
  }

  return {
    server,
    get port() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('the fake is not listening');
      return address.port;
    },
    listen: () => new Promise(resolve => server.listen(0, '127.0.0.1', resolve)),
    async close() {
      for (const timer of waits) clearTimeout(timer);
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

function jsonReply({ status, json }: Answer): Reply {
  if (json === undefined) return { status, headers: {}, body: undefined };
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) };
}

/** A 429 gets the headers and body of a real one for whatever the fault leaves out. */
function strike(fault: Fault): Reply {
  const status = fault.status ?? 500;
  if (status === 429) {
    const retryAfter = Number(fault.headers?.['retry-after'] ?? 0.1);
    const body = fault.body ?? { message: 'You are being rate limited.', retry_after: retryAfter, global: false };
    return {
      status,
      headers: {
        'content-type': 'application/json',
        'retry-after': String(retryAfter),
        'x-ratelimit-scope': 'user',
        ...fault.headers,
      },
      body: JSON.stringify(body),
    };
  }
  if (typeof fault.body === 'string') {
    return { status, headers: { 'content-type': 'text/html', ...fault.headers }, body: fault.body };
  }
  const body = fault.body ?? { message: `${status}: fault`, code: 0 };
  return { status, headers: { 'content-type': 'application/json', ...fault.headers }, body: JSON.stringify(body) };
}
