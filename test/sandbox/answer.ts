/** What an endpoint says before a fault has its way with it. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Ask {
  readonly method: string;
  readonly host: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: string;
  /** Fields of a form; empty for anything but a POST. */
  readonly form: URLSearchParams;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

const SECURITY = { 'strict-transport-security': 'max-age=31536000', 'x-content-type-options': 'nosniff' };

export function json(value: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { ...SECURITY, 'content-type': 'application/json; charset=utf-8', ...headers },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  };
}

export function html(body: string, status = 200, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { ...SECURITY, 'content-type': 'text/html; charset="utf-8"', ...headers }, body };
}

export function redirect(location: string, headers: Answer['headers'] = {}): Answer {
  return {
    status: 302,
    headers: { ...SECURITY, location, 'content-type': 'text/html; charset="utf-8"', ...headers },
    body: '',
  };
}

export function plain(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'text/plain', server: 'proxygen-bolt' }, body: text };
}

/** JSON that may stand inside a `<script>`. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003C').replaceAll('/', '\\/');
}

/** A query's answer wrapped as the sites' pages carry it. */
export function preloaded(data: unknown, name: string): string {
  const next = [
    'RelayPrefetchedStreamCache',
    'next',
    [],
    [name, { __bbox: { complete: true, result: { data, extensions: { is_final: true } }, sequence_number: 0 } }],
  ];
  const bbox = { require: [next] };
  const value = { require: [['ScheduledServerJS', 'handle', null, [{ __bbox: bbox }]]] };
  return `<script type="application/json" data-content-len="0" data-sjs>${scriptJson(value)}</script>`;
}

/** Module definitions such as every page of theirs carries, about `kilobytes` of them; nothing in it is a post. */
export function noise(kilobytes: number, route: string): string {
  const define = Array.from({ length: 40 }, (_, index) => [
    `SandboxModule${index}`,
    ['BootloaderConfig', 'cr:7162'],
    {
      gkx: { [`${20_000 + index}`]: { result: index % 2 === 0, hash: null } },
      canonicalRouteName: index === 0 ? route : undefined,
    },
    index,
  ]);
  const chunk = scriptJson({ require: [['ServerJS', 'handle', null, [{ __bbox: { define } }]]] });
  const script = `<script type="application/json" data-content-len="${chunk.length}" data-sjs>${chunk}</script>`;
  const count = Math.max(1, Math.round((kilobytes * 1024) / script.length));
  return script.repeat(count);
}

/** Text between tags. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
