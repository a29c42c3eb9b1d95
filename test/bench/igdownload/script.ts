/**
 * The least that `/api/igdownload` could be: bare fastify and undici, a regular expression, JSON.parse, reply; no cache, limit or guard.
 * `node script.ts UPSTREAM_ORIGIN page` reads the post's page, as such scripts do; with `query` it asks the same endpoint as Medley's first
 * strategy, as the same caller (POST /graphql/query by shortcode). Prints its own origin.
 */
import { fastify } from 'fastify';
import { Pool } from 'undici';

const [, , upstream = '', way = 'page'] = process.argv;
const pool = new Pool(upstream, { connections: 64 });
async function ask(path: string, headers: Record<string, string>, body: string | null = null): Promise<string> {
  const method = body === null ? 'GET' : 'POST';
  const answer = await pool.request({ path, method, headers: { host: 'www.instagram.com', ...headers }, body });
  return answer.body.text();
}

async function byPage(code: string) {
  const text = await ask(`/p/${code}/`, { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' });
  const script = /<script[^>]*data-sjs>([^<]*"xig_polaris_media"[^<]*)<\/script>/.exec(text)?.[1] ?? '';
  const answer = JSON.parse(script).require[0][3][0].__bbox.require[0][3][1].__bbox.result;
  return answer.data.xig_polaris_media.if_not_gated_logged_out;
}

async function byQuery(code: string) {
  const lsd = 'AVbaseline0';
  const form = new URLSearchParams({
    lsd,
    doc_id: '27128499623469141',
    variables: JSON.stringify({ shortcode: code }),
    server_timestamps: 'true',
  });
  const headers = {
    'user-agent': 'Mozilla/5.0',
    accept: '*/*',
    'content-type': 'application/x-www-form-urlencoded',
    'x-fb-friendly-name': 'PolarisPostRootQuery',
    'x-fb-lsd': lsd,
  };
  const answer = JSON.parse(await ask('/graphql/query', headers, form.toString()));
  return answer.data.xdt_api__v1__media__shortcode__web_info.items[0];
}

async function download(code: string): Promise<unknown> {
  const media = await (way === 'page' ? byPage(code) : byQuery(code));
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

const server = fastify();
server.get<{ Querystring: { url: string } }>('/api/igdownload', ({ query }) =>
  download(/\/(?:p|reel)\/([\w-]{11})/.exec(query.url)?.[1] ?? ''),
);
console.log(await server.listen({ port: 0, host: '127.0.0.1' }));
