/** Records the sites' answers for a bug report, without private values. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { HttpClient, HttpHead, HttpRequest, HttpResponse } from '../infra/http/http-client.ts';
import type { ProbeReport } from '../probe/ask-sites.ts';
import { findSecrets, sanitizeHeaders, sanitizeText } from './sanitize.ts';

/** One request and its answer, still with all private values. */
interface Exchange {
  readonly request: HttpRequest;
  readonly answer: (HttpHead & Pick<HttpResponse, 'text'>) | AppError;
}

interface Question {
  readonly strategy: string;
  readonly link: number;
  readonly exchanges: Exchange[];
}

export type Recorder = ReturnType<typeof createRecorder>;

/** Names of request headers whose values contain a token. */
const TOKEN_HEADERS = /^(?:cookie|authorization|x-csrftoken|x-fb-lsd|x-ig-www-claim)$/;

/** The private values in one exchange. They are removed from all exchanges, because others may contain them. */
function secretsOf({ request, answer }: Exchange): readonly string[] {
  const cookies = request.cookies?.getCookiesSync(String(request.url), { expire: false }) ?? [];
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => TOKEN_HEADERS.test(name.toLowerCase()));
  const texts = [request.body ?? '', answer instanceof AppError ? '' : answer.text];
  return [...cookies.map(cookie => cookie.value), ...headers.map(([, value]) => value), ...texts.flatMap(findSecrets)];
}

function render({ request, answer }: Exchange, secrets: readonly string[]): object {
  const clean = (text: string) => sanitizeText(text, secrets);
  const { method = 'GET', url, transport = 'plain', headers = {}, body } = request;
  const asked = {
    ...{ method, url: clean(String(url)), transport, headers: sanitizeHeaders(headers, secrets) },
    ...(body !== undefined && { body: clean(body) }),
  };
  if (answer instanceof AppError) {
    return { request: asked, failure: { code: answer.code, message: clean(answer.message) } };
  }
  const came = { status: answer.status, url: clean(answer.url), headers: sanitizeHeaders(answer.headers, secrets) };
  return { request: asked, response: { ...came, body: clean(answer.text) } };
}

export function createRecorder(http: HttpClient) {
  const questions: Question[] = [];

  async function request(given: HttpRequest): Promise<HttpResponse> {
    const exchanges = questions.at(-1)?.exchanges;
    try {
      const answer = await http.request(given);
      const { status, headers, url, text } = answer;
      exchanges?.push({ request: given, answer: { status, headers, url, text } });
      return answer;
    } catch (error) {
      if (error instanceof AppError) exchanges?.push({ request: given, answer: error });
      throw error;
    }
  }

  const recorded: HttpClient = {
    get hasBrowserTransport() {
      return http.hasBrowserTransport;
    },
    request,
    stream: given => http.stream(given),
    close: () => http.close(),
  };

  return {
    /** An HTTP client that records each request and its answer under the name given to `begin` last. */
    http: recorded,
    begin: (strategy: string, link: number) => void questions.push({ strategy, link, exchanges: [] }),
    /**
     * Writes one file for each `begin`, with the requests that followed it and their answers. Returns the file names.
     */
    async save(folder: string, reports: readonly ProbeReport[], secrets: readonly string[]) {
      const found = questions.flatMap(question => question.exchanges.flatMap(secretsOf));
      const all = [...new Set([...secrets, ...found])];
      const files: string[] = [];
      await mkdir(folder, { recursive: true });
      for (const { strategy, link, exchanges } of questions) {
        const report = reports.find(one => one.strategy === strategy && one.link === link);
        const { outcome, detail } = report ?? { outcome: 'interrupted', detail: '' };
        const about = { strategy, link, outcome, detail: sanitizeText(detail, all) };
        const content = { ...about, exchanges: exchanges.map(one => render(one, all)) };
        const file = join(folder, `${strategy.replaceAll('/', '_')}-${link}.json`);
        await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
        files.push(file);
      }
      return files;
    },
  };
}
