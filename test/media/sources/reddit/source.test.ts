/** Reddit as the sandbox plays it. */
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { reddit } from '../../../../src/media/sources/reddit/descriptor.ts';
import { matchRedditLink } from '../../../../src/media/sources/reddit/link.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { createFakeUpstream, silentLog } from '../../../fakes/instagram-upstream.ts';
import { serveHttp } from '../../../fakes/loopback.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

const HOSTS = ['www.reddit.com', 'embed.reddit.com', 'v.redd.it', 'i.redd.it', 'packaged-media.redd.it'];

function refOf(link: string) {
  const match = matchRedditLink(new URL(link));
  if (match?.kind !== 'post') throw new Error('no post');
  return match.ref;
}

const postLink = (id: string) => `https://www.reddit.com/r/sandpottery/comments/${id}/a_bowl/`;

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const client = createTestClient(Object.fromEntries(HOSTS.map(host => [host, sandbox.origin])));
  const source = reddit.create({ http: { ...client, hasBrowserTransport: false }, log: silentLog });
  const signal = AbortSignal.timeout(30_000);
  return { sandbox, source, signal, fetch: (id: string) => source.fetch(refOf(postLink(id)), { signal }) };
}

it.each([
  ['embed', null],
  ['page', 1204],
] as const)('every post comes by the %s alone', async (alive, likes) => {
  const { sandbox, fetch } = await setUp();
  for (const dead of ['embed', 'page', 'feed'] as const) {
    if (dead !== alive) sandbox.faults.set(`reddit.${dead}`, 'status:500');
  }
  for (const [id, kinds] of [
    ['1sand01', ['video']],
    ['1sand02', ['image']],
    ['1sand03', ['image', 'image', 'image']],
    ['1sand04', ['video']],
    ['1sand05', []],
  ] as const) {
    const post = await fetch(id);
    expect(post).toMatchObject({
      author: { username: 'maraturnsclay' },
      title: 'A bowl for the shore',
      stats: { likes },
    });
    expect(post).toMatchObject({ id, missingItems: 0, sensitive: false });
    expect(post.items.map(({ kind }) => kind)).toEqual(kinds);
  }
  expect((await fetch('1sand05')).caption).toContain('Wedge it first');
  expect((await fetch('1sand06')).sensitive).toBe(true);
});

it.each([
  'https://redd.it/1sand03',
  'https://www.reddit.com/gallery/1sand03',
  'https://www.reddit.com/comments/1sand03',
])('the embed shows the post of %s, which names no community', async link => {
  const { sandbox, source, signal } = await setUp();
  for (const dead of ['page', 'feed']) sandbox.faults.set(`reddit.${dead}`, 'status:403');
  expect((await source.fetch(refOf(link), { signal })).items).toHaveLength(3);
});

it('the feed brings videos by their tracks, images, and no gallery, which it does not name', async () => {
  const { sandbox, fetch } = await setUp();
  for (const dead of ['embed', 'page']) sandbox.faults.set(`reddit.${dead}`, 'status:403');
  const { items } = await fetch('1sand01');
  expect(items[0]?.variants).toMatchObject([
    {
      hasVideo: true,
      hasAudio: false,
      height: 1920,
      url: expect.stringMatching(/^https:\/\/v\.redd\.it\/\w+\/CMAF_1920\.mp4/),
    },
    { hasVideo: false, hasAudio: true, url: expect.stringContaining('CMAF_AUDIO_128') },
  ]);
  expect((await fetch('1sand02')).items).toMatchObject([{ kind: 'image' }]);
  await expect(fetch('1sand03')).rejects.toBeInstanceOf(AppError);
});

it('a video without audio is whole by itself', async () => {
  const { origin } = await serveHttp((request, response) => {
    const isManifest = request.url?.endsWith('.mpd') === true;
    const page = `<shreddit-post id="t3_1sand08" post-title="A" post-type="video" content-href="https://v.redd.it/silentsilent1"></shreddit-post>`;
    const manifest =
      '<MPD><Period><AdaptationSet contentType="video"><Representation mimeType="video/mp4" width="8" height="6"><BaseURL>CMAF_6.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>';
    response.end(isManifest ? manifest : page);
  });
  const client = createTestClient({ 'www.reddit.com': origin, 'embed.reddit.com': origin, 'v.redd.it': origin });
  const source = reddit.create({ http: { ...client, hasBrowserTransport: false }, log: silentLog });
  const { items } = await source.fetch(refOf(postLink('1sand08')), { signal: AbortSignal.timeout(30_000) });
  expect(items[0]?.variants).toMatchObject([
    { url: 'https://v.redd.it/silentsilent1/CMAF_6.mp4', adaptive: false, hasAudio: false },
  ]);
});

const MASTER = [
  '#EXTM3U',
  '#EXT-X-MEDIA:URI="HLS_AUDIO_160.m3u8",TYPE=AUDIO,GROUP-ID="a",NAME="audio",DEFAULT=YES',
  '#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.4d401e,mp4a.40.2",RESOLUTION=270x480,AUDIO="a"',
  'HLS_480.m3u8',
].join('\n');

it.each([
  ['refuses', '403'],
  ['is not there', '404'],
  ['lists no track', '200'],
])('a video comes by its playlist where its manifest %s', async (_, status) => {
  const page = `<shreddit-post id="t3_1sand08" post-title="A" author="mara" post-type="video"><shreddit-player post-id="t3_1sand08" src="" preview="https://v.redd.it/namedvideo12/HLSPlaylist.m3u8?a=1"></shreddit-player></shreddit-post>`;
  const { origin } = await serveHttp((request, response) => {
    if (request.url?.endsWith('.mpd') === true) response.writeHead(Number(status)).end('<MPD></MPD>');
    else response.end(request.url === '/namedvideo12/HLSPlaylist.m3u8' ? MASTER : page);
  });
  const client = createTestClient({ 'www.reddit.com': origin, 'embed.reddit.com': origin, 'v.redd.it': origin });
  const source = reddit.create({ http: { ...client, hasBrowserTransport: false }, log: silentLog });
  const post = await source.fetch(refOf(postLink('1sand08')), { signal: AbortSignal.timeout(30_000) });
  expect(post.missingItems).toBe(0);
  expect(post.items).toMatchObject([{ kind: 'video', width: 270, height: 480 }]);
  expect(post.items[0]?.variants.map(({ url, hasVideo, hasAudio }) => [url, hasVideo, hasAudio])).toEqual([
    ['https://v.redd.it/namedvideo12/HLS_480.m3u8', true, false],
    ['https://v.redd.it/namedvideo12/HLS_AUDIO_160.m3u8', false, true],
  ]);
});

it('gives a file that is linked alone, behind a spoiler, and a post where the site names it', async () => {
  const { sandbox, source, signal, fetch } = await setUp();
  const linked = async (link: string) => {
    const { items, ...post } = await source.fetch(refOf(link), { signal });
    return { ...post, kinds: items.map(({ kind }) => kind), best: items[0]?.variants[0]?.url };
  };
  const image = (await fetch('1sand02')).items[0]?.variants[0]?.url ?? '';
  const name = new URL(image).pathname.slice(1);
  for (const link of [image, `https://preview.redd.it/a-bowl-v0-${name}?width=640&s=1`]) {
    expect(await linked(link)).toMatchObject({ id: name, url: image, sensitive: true, kinds: ['image'], best: image });
  }
  await expect(linked('https://i.redd.it/nothinghere1.jpg')).rejects.toBeInstanceOf(AppError);

  const video = (await fetch('1sand04')).items[0]?.variants[0]?.url.split('/')[3] ?? '';
  const short = matchRedditLink(new URL(`https://v.redd.it/${video}`));
  if (short?.kind !== 'short') throw new Error('no short link');
  expect(await source.resolveShort(short.url, { signal })).toContain('/comments/1sand04/');
  sandbox.faults.set('reddit.short', 'status:403');
  const alone = await source.resolveShort(short.url, { signal });
  expect(await linked(alone)).toMatchObject({ id: `${video}.mpd`, sensitive: true, kinds: ['video'] });
  expect(source.refOf(`${video}.mpd`)?.url).toBe(alone);
});

it('says so of a post that is gone, and of a shared link that leads nowhere', async () => {
  const { source, signal, fetch } = await setUp();
  await expect(fetch('1sand99')).rejects.toMatchObject({ code: 'not_found' });
  const shared = (code: string) => `https://www.reddit.com/r/sandpottery/s/${code}`;
  expect(await source.resolveShort(shared('SandShare1'), { signal })).toContain('/comments/1sand02/');
  await expect(source.resolveShort(shared('Nowhere123'), { signal })).rejects.toMatchObject({ code: 'not_found' });
});

it.each([
  ['without a target', '/login/?reason=lor2'],
  ['that names the link itself', '/login/?dest=https%3A%2F%2Fwww.reddit.com%2Fr%2Fsandpottery%2Fs%2FSandShare1'],
])(
  'is refused where a shared link leads to a login %s, as the link may lead to its post later',
  async (_, location) => {
    const http = createFakeUpstream({ 'GET /r/sandpottery/s/SandShare1': { location } });
    const source = reddit.create({ http, log: silentLog });
    const { signal } = new AbortController();
    const resolving = source.resolveShort('https://www.reddit.com/r/sandpottery/s/SandShare1', { signal });
    await expect(resolving).rejects.toMatchObject({ code: 'login_required', params: { refused: 1 } });
  },
);

it('asks by the app of the host, where one is configured, with one token for several posts', async () => {
  const asked: string[] = [];
  const { origin } = await serveHttp((request, response) => {
    asked.push(`${request.method} ${request.headers.host}${request.url} ${request.headers.authorization ?? ''}`.trim());
    if (request.url?.startsWith('/api/v1/access_token') === true) {
      response.end(JSON.stringify({ access_token: 'made', expires_in: 3_600 }));
      return;
    }
    const [, id = ''] = /^\/comments\/(\w+)\?/.exec(request.url ?? '') ?? [];
    const data = {
      id,
      title: 'A',
      author: 'mara',
      is_self: true,
      selftext: 'Words',
      created_utc: 1_700_000_000,
      score: 3,
    };
    response.writeHead(id === '' ? 403 : 200).end(JSON.stringify([{ data: { children: [{ data }] } }]));
  });
  const hosts = ['www.reddit.com', 'embed.reddit.com', 'oauth.reddit.com'];
  const client = createTestClient(Object.fromEntries(hosts.map(host => [host, origin])));
  const upstreamConstants = { 'reddit.clientId': 'made-up-app' };
  const source = reddit.create({
    http: { ...client, hasBrowserTransport: false },
    log: silentLog,
    upstreamConstants,
  });
  const signal = AbortSignal.timeout(30_000);
  for (const id of ['1sand05', '1sand07']) {
    expect(await source.fetch(refOf(postLink(id)), { signal })).toMatchObject({ id, caption: 'Words', items: [] });
  }
  const token = asked.filter(line => line.startsWith('POST'));
  expect(token).toEqual([
    `POST www.reddit.com/api/v1/access_token Basic ${Buffer.from('made-up-app:').toString('base64')}`,
  ]);
  expect(asked.filter(line => line.includes('oauth.reddit.com')).every(line => line.endsWith('Bearer made'))).toBe(
    true,
  );
});

it.each([
  postLink('1abcde'),
  'https://old.reddit.com/r/sandpottery/comments/1ABCDE/',
  'https://www.reddit.com/comments/1abcde',
  'https://www.reddit.com/gallery/1abcde',
  'https://www.reddit.com/user/mara/comments/1abcde/a/',
  'https://www.reddit.com/link/1abcde/video/abcdefgh1234/player',
  'https://redd.it/1abcde',
  'https://vxreddit.com/r/sandpottery/comments/1abcde/a/comment/x1/',
  'https://www.rxddit.com/r/sandpottery/comments/1abcde/a/',
])('%s names the post', link => {
  expect(refOf(link)).toMatchObject({ source: 'reddit', id: '1abcde' });
});

it.each([
  ['https://www.reddit.com/r/sandpottery/s/SandShare1', { kind: 'short', key: 'r/sandpottery/s/SandShare1' }],
  ['https://v.redd.it/abcdefgh1234', { kind: 'short', key: 'video/abcdefgh1234' }],
  [
    'https://www.reddit.com/media?url=https%3A%2F%2Fi.redd.it%2Fa.jpg',
    { kind: 'wrapper', target: 'https://i.redd.it/a.jpg' },
  ],
  ['https://www.reddit.com/r/sandpottery/', { kind: 'unsupported', what: 'page' }],
  ['https://www.reddit.com/user/mara', { kind: 'unsupported', what: 'profile' }],
  ['https://i.redd.it/abcd1234', { kind: 'unsupported', what: 'page' }],
  ['https://i.redd.it/', { kind: 'unsupported', what: 'page' }],
  ['https://i.redd.it/../abcdefgh1234.svg', { kind: 'unsupported', what: 'page' }],
  ['https://reddit.com.evil.example/r/a/comments/1abcde/', undefined],
  ['https://notreddit.com/r/a/comments/1abcde/', undefined],
])('%s is %j', (link, right) => {
  const match = matchRedditLink(new URL(link));
  if (right === undefined) expect(match).toBeUndefined();
  else expect(match).toMatchObject(right);
});
