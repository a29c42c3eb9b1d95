import { Readable } from 'node:stream';
import type { HttpClient, HttpRequest, HttpResponse } from '../../src/infra/http/http-client.ts';
import type { Logger } from '../../src/infra/log.ts';

export interface FakeAnswer {
  readonly status?: number;
  readonly text?: string;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  /** Thrown instead of answering. */
  readonly error?: Error;
  /** Resolves when the answer may be given. */
  readonly after?: Promise<void>;
}

export type FakeRoute = FakeAnswer | ((request: HttpRequest) => FakeAnswer);

export interface FakeUpstream extends HttpClient {
  /** `METHOD /path` of every request so far. */
  readonly asked: readonly string[];
  readonly requests: readonly HttpRequest[];
  countOf(asked: string): number;
}

export const silentLog: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

/**
 * An HttpClient in memory. Routes are keyed by `METHOD /path` (without query); what has none is answered 404. Redirects are
 * followed as the real client does, unless the request forbids it.
 */
export function createFakeUpstream(
  routes: Readonly<Record<string, FakeRoute>>,
  missing: FakeRoute = { status: 404, text: '<html><body>no such page</body></html>' },
): FakeUpstream {
  const asked: string[] = [];
  const requests: HttpRequest[] = [];

  async function hop(request: HttpRequest, url: URL): Promise<HttpResponse> {
    const name = `${request.method ?? 'GET'} ${url.pathname}`;
    asked.push(name);
    requests.push({ ...request, url: url.href });
    const route = routes[name] ?? missing;
    const answer = typeof route === 'function' ? route(request) : route;
    await answer.after;
    if (request.signal?.aborted) throw request.signal.reason;
    if (answer.error !== undefined) throw answer.error;
    for (const cookie of answer.cookies ?? []) request.cookies?.setCookieSync(cookie, url.href);
    const location = answer.location === undefined ? {} : { location: answer.location };
    const text = answer.text ?? '';
    return {
      status: answer.status ?? (answer.location === undefined ? 200 : 302),
      headers: { ...answer.headers, ...location },
      url: url.href,
      bytes: Buffer.from(text),
      text,
    };
  }

  return {
    hasBrowserTransport: true,
    asked,
    requests,
    countOf: name => asked.filter(one => one === name).length,
    async request(request) {
      let url = new URL(request.url);
      let response = await hop(request, url);
      for (let left = request.maxRedirects ?? 5; left > 0 && response.headers.location !== undefined; left -= 1) {
        url = new URL(response.headers.location, url);
        response = await hop({ ...request, method: 'GET' }, url);
      }
      return response;
    },
    async stream(request) {
      const { text, ...head } = await this.request(request);
      return { ...head, body: Readable.from([text]) };
    },
    async close() {},
  };
}
