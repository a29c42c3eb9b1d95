/**
 * The sites as the bench plays them: answers of the sandbox, rendered once and given for any code or id, so that the upstream costs
 * next to nothing beside what asks it. `node upstream.ts WAY... [--delay=MS]` prints its overrides; ways are `query` (27 KB) and `page`
 * (600 KB, Facebook's too), all else is refused.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { pkOf, WORLD } from '../../sandbox/world.ts';

const CODE = 'DYbnAAAAAAA';
const ANSWER_BYTES = 27 * 1024;
/** Of one of those that say something about a reel's audio. */
const DETAIL_BYTES = 110;
const PAGE_BYTES = 600 * 1024;
const CRAWLER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36',
  'sec-fetch-mode': 'navigate',
};

/** Module definitions and flags, which most of a page's scripts hold. */
function modules(bytes: number, seed: number): string {
  const entries: string[] = [];
  for (let length = 0, at = seed; length < bytes; at += 7_919) {
    const entry = `["CometModule${at}","handle",[],[{"__rc":["Part${at % 997}.react",null],"id":${at},"flags":{"a":true,"b":null,"c":${at % 9}},"hash":"${(at * 31).toString(36)}"}]]`;
    entries.push(entry);
    length += entry.length + 1;
  }
  return `{"require":[${entries.join(',')}]}`;
}

/** The page among scripts as the sites send them: mostly JSON, some code, and the route, which names the post. */
function fillUp(page: string, named: string): string {
  const parts = [
    `<script type="application/json" data-sjs>{"route":{"params":{"id":"${named}"}},${modules(30_000, 3).slice(1)}</script>`,
  ];
  for (let left = PAGE_BYTES - page.length - 30_000, seed = 5; left > 0; left -= 11_000, seed += 1) {
    const text = modules(Math.min(left, 10_900), seed);
    parts.push(
      seed % 5 === 0
        ? `<script>requireLazy(${text})</script>`
        : `<script type="application/json" data-sjs>${text}</script>`,
    );
  }
  return page.replace(/<body[^>]*>/, body => `${body}${parts.join('')}`);
}

/** Bytes of an answer in which the places of some texts are known. */
class Template {
  readonly #bytes: Buffer;
  readonly #places: readonly (readonly [field: number, at: number])[];

  /** Other texts of the same lengths are put in the places of `fields`. */
  constructor(text: string, fields: readonly string[]) {
    this.#bytes = Buffer.from(text);
    this.#places = fields.flatMap((field, index) => {
      const places: (readonly [number, number])[] = [];
      for (let at = this.#bytes.indexOf(field); at !== -1; at = this.#bytes.indexOf(field, at + 1))
        places.push([index, at]);
      return places;
    });
  }

  render(fields: readonly string[]): Buffer {
    const bytes = Buffer.from(this.#bytes);
    for (const [field, at] of this.#places) bytes.write(fields[field] ?? '', at, 'latin1');
    return bytes;
  }
}

interface Product {
  readonly items: readonly [Record<string, unknown>];
}

/** The answer with as many sizes and as much said about its audio as a reel of today's has. */
function fillUpAnswer(text: string): string {
  const answer: { readonly data: Readonly<Record<string, Product>> } = JSON.parse(text);
  const [media] = answer.data.xdt_api__v1__media__shortcode__web_info?.items ?? [{}];
  const images = JSON.parse(JSON.stringify(media.image_versions2)).candidates;
  const [image] = images;
  const sizes = Array.from({ length: 13 }, (_, at) => ({ ...image, width: 640 - at * 40, height: 640 - at * 40 }));
  media.image_versions2 = { candidates: [...images, ...sizes] };
  const left = ANSWER_BYTES - JSON.stringify(answer).length;
  const details = Array.from({ length: Math.floor(left / DETAIL_BYTES) }, (_, at) => [
    `audio_detail_${at}`,
    { id: String(at), is_reused: at % 2 === 0, title: `Part ${at}`, rank: at * 7, parts: [null, at], cover: null },
  ]);
  media.clips_metadata = Object.fromEntries(details);
  return JSON.stringify(answer);
}

async function ask(
  sandbox: Sandbox,
  host: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  form?: string,
) {
  const { body, statusCode } = await request(`${sandbox.origin}${path}`, {
    method: form === undefined ? 'GET' : 'POST',
    headers: {
      host,
      ...headers,
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form === undefined ? {} : { body: form }),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the sandbox answered ${statusCode}`);
  return text;
}

function instagramFields(code: string): readonly string[] {
  return [code, pkOf(code)];
}

/** An id stands in the base64 of its story and of its feedback, too. */
function facebookFields(id: string, storyPrefix: string): readonly string[] {
  return [id, ...['feedback:', storyPrefix].map(prefix => Buffer.from(prefix + id).toString('base64'))];
}

/** In the page of the asked reel: `S:_I<owner>:VK:` and the like, whose story it is. */
function storyPrefixIn(page: string, id: string): string {
  const ids = [...page.matchAll(/"(UzpfS[\w+/=]+)"/g)].map(match => Buffer.from(match[1] ?? '', 'base64').toString());
  return ids.find(plain => plain.endsWith(id))?.slice(0, -id.length) ?? '';
}

async function renderTemplates() {
  const reel = WORLD.facebook.find(post => post.form === 'reel' && post.state === 'public');
  if (reel === undefined) throw new Error('the sandbox has no reel');
  const sandbox = await createSandbox({ generate: true });
  try {
    const variables = JSON.stringify({ shortcode: CODE });
    const form = new URLSearchParams({ lsd: 'bench', doc_id: '27128499623469141', variables }).toString();
    const plain = {
      'user-agent': 'Mozilla/5.0',
      accept: '*/*',
      'x-fb-friendly-name': 'PolarisPostRootQuery',
      'x-fb-lsd': 'bench',
    };
    const query = await ask(sandbox, 'www.instagram.com', '/graphql/query', plain, form);
    const page = await ask(sandbox, 'www.instagram.com', `/p/${CODE}/`, { 'user-agent': CRAWLER });
    const video = await ask(sandbox, 'www.facebook.com', `/reel/${reel.id}`, BROWSER);
    const storyPrefix = storyPrefixIn(video, reel.id);
    return {
      overrides: sandbox.overrides,
      storyPrefix,
      query: new Template(fillUpAnswer(query), instagramFields(CODE)),
      page: new Template(fillUp(page, CODE), instagramFields(CODE)),
      video: new Template(fillUp(video, reel.id), facebookFields(reel.id, storyPrefix)),
    };
  } finally {
    await sandbox.close();
  }
}

const ways = new Set(process.argv.slice(2));
const delayMs = Number([...ways].find(way => way.startsWith('--delay='))?.slice('--delay='.length) ?? 0);
const templates = await renderTemplates();

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  return body;
}

async function answerTo(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const path = incoming.url ?? '';
  const body = incoming.method === 'POST' ? await bodyOf(incoming) : '';
  if (path === '/graphql/query' && ways.has('query')) {
    const code = /shortcode%22%3A%22([\w-]{11})%22/.exec(body)?.[1];
    return code === undefined ? undefined : templates.query.render(instagramFields(code));
  }
  if (!ways.has('page')) return undefined;
  const code = /^\/(?:p|reel)\/([\w-]{11})\/$/.exec(path)?.[1];
  if (code !== undefined) return templates.page.render(instagramFields(code));
  const id = /^\/reel\/(\d{10,20})\/?$/.exec(path)?.[1];
  return id === undefined ? undefined : templates.video.render(facebookFields(id, templates.storyPrefix));
}

async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await answerTo(incoming);
  if (delayMs > 0) await wait(delayMs);
  if (body === undefined) {
    response.writeHead(404).end();
    return;
  }
  const type = incoming.method === 'POST' ? 'application/json; charset=utf-8' : 'text/html; charset="utf-8"';
  response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
}

const server = createServer((incoming, response) => {
  respond(incoming, response).catch(error => response.destroy(error));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${Object(server.address()).port}`;
  process.stdout.write(`${templates.overrides.replaceAll(/=http:\/\/[^,]+/g, `=${origin}`)}\n`);
});
