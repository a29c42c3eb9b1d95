/**
 * What a first version of `/api/igdownload` looks like: request, regular expression, JSON.parse, reply; no pool, cache, limit
 * or guard. `node baseline.ts UPSTREAM_ORIGIN page` reads the post's page, as such scripts do; with `query` it asks the same
 * endpoint as Medley's first strategy (POST /api/graphql by media id). Prints its own origin.
 */
import { Agent, createServer, request } from 'node:http';

const [, , upstream = '', way = 'page'] = process.argv;
const agent = new Agent({ keepAlive: false });
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
let lsd = '';
let csrf = '';

function ask(path: string, headers: Record<string, string>, body?: string): Promise<{ text: string; cookies: string }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const call = request(
      `${upstream}${path}`,
      { agent, method, headers: { host: 'www.instagram.com', ...headers } },
      response => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', chunk => {
          text += chunk;
        });
        response.on('end', () => resolve({ text, cookies: String(response.headers['set-cookie']) }));
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

async function byPage(code: string) {
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', 'sec-fetch-mode': 'navigate' };
  const { text } = await ask(`/p/${code}/`, headers);
  const script = /<script[^>]*data-sjs>([^<]*"xig_polaris_media"[^<]*)<\/script>/.exec(text)?.[1] ?? '';
  return JSON.parse(script).require[0][3][0].__bbox.require[0][3][1].__bbox.result;
}

async function byQuery(code: string) {
  let id = 0n;
  for (const digit of code) id = id * 64n + BigInt(ALPHABET.indexOf(digit));
  const variables = JSON.stringify({ media_id: id.toString() });
  const form = new URLSearchParams({ lsd, doc_id: '27130156389949648', variables, fb_api_caller_class: 'RelayModern' });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-ig-app-id': '936619743392459',
    'x-fb-lsd': lsd,
  };
  const session = { 'x-csrftoken': csrf, cookie: `csrftoken=${csrf}` };
  const answer = await ask('/api/graphql', { ...headers, ...session }, form.toString());
  return JSON.parse(answer.text);
}

async function download(code: string): Promise<unknown> {
  const answer = await (way === 'page' ? byPage(code) : byQuery(code));
  const media = answer.data.xig_polaris_media.if_not_gated_logged_out;
  const { user, caption, like_count, comment_count, play_count } = media;
  const data = (media.carousel_media ?? [media]).map((item: typeof media) => ({
    type: item.video_versions ? 'video' : 'image',
    thumb: item.image_versions2.candidates[0].url,
    url: (item.video_versions ?? item.image_versions2.candidates)[0].url,
  }));
  const words = { text: caption.text, hashtags: caption.text.match(/#\w+/g), mentions: caption.text.match(/@\w+/g) };
  const statistics = { like_count, comment_count, play_count };
  return { status: 200, result: { response: { status: true, profile: user, caption: words, statistics, data } } };
}

const home = await ask('/', { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', 'sec-fetch-mode': 'navigate' });
lsd = /"LSD",\[\],\{"token":"([^"]+)"/.exec(home.text)?.[1] ?? '';
csrf = /csrftoken=([^;]+)/.exec(home.cookies)?.[1] ?? '';
const server = createServer((incoming, response) => {
  const code = /(?:p|reel)(?:\/|%2F)([\w-]{11})/.exec(incoming.url ?? '')?.[1] ?? '';
  download(code).then(
    value => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
    error => response.writeHead(502).end(String(error)),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${Object(server.address()).port}`));
