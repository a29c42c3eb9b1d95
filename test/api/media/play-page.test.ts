import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tunnelRoutes } from '../../../src/api/media/tunnel-routes.ts';
import { AppError } from '../../../src/errors.ts';
import { createResponseStreams } from '../../../src/infra/server/response-streams.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import type { MuxOrder, MuxTracks } from '../../../src/media/tunnel/muxed-relay.ts';
import { createPlayerLinks } from '../../../src/media/tunnel/player-links.ts';
import { createTunnel } from '../../../src/media/tunnel/tunnel.ts';
import { browserMissing, browserNote, openBrowser } from '../../browser.ts';
import { createApiServer } from '../../fakes/api-server.ts';
import { serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { noMux } from '../../fakes/no-mux.ts';
import { makeItem, makePost, makeVariant } from '../../fakes/post.ts';

const FILM_URL = new URL('../../fixtures/media/sea-360.mp4', import.meta.url);
const FILM = readFileSync(FILM_URL);
const COVER = readFileSync(new URL('../../fixtures/media/sea-cover.jpg', import.meta.url));
const HOUR = 3_600_000;
const PUBLIC_URL = 'https://medley.example';

const track = makeVariant({
  url: 'https://scontent.cdninstagram.com/v/track.mp4',
  ...{ width: 1080, height: 1920, adaptive: true, hasAudio: false },
});
const film = makeVariant({ url: 'https://scontent.cdninstagram.com/v/sea.mp4', width: 360, height: 640 });
const sea = makePost({
  title: null,
  author: { id: null, username: 'ferry', name: '<b>"Ines" & Co</b>', verified: null, avatarUrl: null },
  caption: 'Waves </title><script>alert(1)</script>',
  items: [makeItem({ variants: [track, film], thumbnailUrl: 'https://scontent.cdninstagram.com/v/sea.jpg' })],
});

interface Setting {
  readonly findPost?: (url: string) => Promise<Post>;
  readonly publicUrl?: string;
  readonly muxTracks?: MuxTracks;
}

async function setUp({ findPost = async () => sea, publicUrl = PUBLIC_URL, muxTracks = noMux }: Setting = {}) {
  const server = await createApiServer();
  const { origin } = await serveHttp((request, response) => {
    const isCover = request.url?.includes('.jpg') === true;
    serveFile(request, response, isCover ? COVER : FILM, isCover ? 'image/jpeg' : 'video/mp4');
  });
  const key = randomBytes(32);
  const tunnel = createTunnel({
    key,
    http: createTestClient({ '*.cdninstagram.com': origin }),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    refresh: async () => sea,
    muxTracks,
    log: server.log,
  });
  const asked: string[] = [];
  const playbacks = createPlayerLinks(key, tunnel, url => {
    asked.push(url);
    return findPost(url);
  });
  await server.app.register(
    tunnelRoutes({ tunnel, playbacks, publicUrl, streams: createResponseStreams(), log: server.log }),
  );
  const address = (lifeMs = HOUR, index = 0) => playbacks.address(sea, index, Date.now() + lifeMs);
  return { server, address, asked };
}

/** `property` or `name` -> content. */
function tagsOf(html: string): ReadonlyMap<string, string> {
  const found = html.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g);
  return new Map([...found].map(([, name = '', content = '']) => [name, content]));
}

describe('GET /v/:token', () => {
  it('has all that chats need to show a player', async () => {
    const { server, address, asked } = await setUp();
    const path = address();
    expect(path.length).toBeLessThan(400);
    const { statusCode, headers, body } = await server.app.inject(path);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=300',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; font-src 'self'; media-src 'self'/,
    );
    expect(headers['content-security-policy']).not.toContain('unsafe');
    const url = `${PUBLIC_URL}${path}`;
    expect(Object.fromEntries(tagsOf(body))).toMatchObject({
      'og:type': 'video.other',
      'og:url': url,
      'og:video': `${url}/film.mp4`,
      'og:video:secure_url': `${url}/film.mp4`,
      'og:video:type': 'video/mp4',
      'og:video:width': '360',
      'og:video:height': '640',
      'og:image': `${url}/poster.jpg`,
      'twitter:card': 'player',
      'twitter:player': url,
      'twitter:player:width': '360',
      'twitter:player:stream': `${url}/film.mp4`,
      robots: 'noindex, nofollow',
    });
    expect(asked).toEqual([sea.url]);
  });

  it('shows the words of others as words', async () => {
    const { server, address } = await setUp();
    const { body } = await server.app.inject(address());
    expect(body).not.toMatch(/<script|<b>/);
    expect(body).toContain('<title>&lt;b&gt;&quot;Ines&quot; &amp; Co&lt;/b&gt;</title>');
    expect(tagsOf(body).get('og:description')).toContain('&lt;/title&gt;&lt;script&gt;');
  });

  it('has the video in parts and its cover', async () => {
    const { server, address } = await setUp();
    const path = address();
    const part = await server.app.inject({ url: `${path}/film.mp4`, headers: { range: 'bytes=0-99' } });
    expect(part.statusCode).toBe(206);
    expect(part.rawPayload.equals(FILM.subarray(0, 100))).toBe(true);
    expect(part.headers).toMatchObject({ 'content-type': 'video/mp4', 'x-robots-tag': 'noindex, nofollow' });
    const poster = await server.app.inject(`${path}/poster.jpg`);
    expect(poster.headers['content-type']).toBe('image/jpeg');
    expect(poster.rawPayload.equals(COVER)).toBe(true);
  });

  it('plays a video without any audio of which there is only its track', async () => {
    const { server, address } = await setUp({
      findPost: async () => makePost({ items: [makeItem({ variants: [{ ...track, codecs: 'avc1.640028' }] })] }),
    });
    expect((await server.app.inject(address())).statusCode).toBe(200);
    expect((await server.app.inject(`${address()}/film.mp4`)).statusCode).toBe(200);
  });

  it('states the size of what two tracks are put together to, and gives that', async () => {
    const video = { ...track, codecs: 'avc1.640028' };
    const audio = makeVariant({ url: 'https://scontent.cdninstagram.com/v/a.m4a', mime: 'audio/mp4', hasVideo: false });
    const asked: MuxOrder[] = [];
    const { server, address } = await setUp({
      findPost: async () => makePost({ items: [makeItem({ variants: [video, film, audio] })] }),
      muxTracks: async order => {
        asked.push(order);
        return { path: fileURLToPath(FILM_URL), bytes: FILM.length, release: () => undefined };
      },
    });
    const tags = tagsOf((await server.app.inject(address())).body);
    expect([tags.get('og:video:width'), tags.get('og:video:height')]).toEqual(['1080', '1920']);
    const part = await server.app.inject({ url: `${address()}/film.mp4`, headers: { range: 'bytes=9-' } });
    expect(part.statusCode).toBe(206);
    expect(part.rawPayload.equals(FILM.subarray(9))).toBe(true);
    expect(asked).toMatchObject([{ index: 0, tracks: { video: { url: video.url }, audio: { url: audio.url } } }]);
  });

  it.each([
    ['ended', { life: -1 }, 410, 'This link has ended', true],
    ['a post that is gone', { error: new AppError('not_found', 'gone') }, 404, 'no video here', true],
    ['a post without such an item', { index: 5 }, 404, 'no video here', true],
    ['an upstream that is away', { error: new AppError('upstream_unavailable', 'away') }, 503, 'right now', true],
    ['a made-up token', { path: '/v/AAAA' }, 404, 'no video here', false],
  ])('is a calm page for %s', async (_, { life, error, index, path }: Case, status, words, leadsOn) => {
    const { server, address } = await setUp({
      findPost: async () => {
        if (error !== undefined) throw error;
        return sea;
      },
    });
    const at = path ?? address(life, index);
    const { statusCode, headers, body } = await server.app.inject(at);
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(body).toContain(words);
    expect(body.includes(`href="${sea.url}"`)).toBe(leadsOn);
    expect((await server.app.inject(`${at}/film.mp4`)).statusCode).toBe(status === 503 ? 503 : 404);
  });
});

/** Runs in the page. */
const PLAY = `(async () => {
  const video = document.querySelector('video');
  video.muted = true;
  await video.play();
  await new Promise(resolve => video.addEventListener('timeupdate', resolve, { once: true }));
  return { width: video.videoWidth, height: video.videoHeight, hasMoved: video.currentTime > 0 };
})()`;

interface Case {
  readonly life?: number;
  readonly error?: AppError;
  readonly index?: number;
  readonly path?: string;
}

describe.skipIf(browserMissing)(`the page in a browser${browserNote}`, () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it('plays, without a word of complaint', async () => {
    const { server, address } = await setUp();
    const { origin } = await server.listen({ host: '127.0.0.1', port: 0 });
    const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
    const complaints: string[] = [];
    page.on('console', message => {
      if (!message.location().url.endsWith('/favicon.ico')) complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    await page.goto(`${origin}${address()}`);
    const played = await page.evaluate(PLAY);
    expect(played).toEqual({ width: 360, height: 640, hasMoved: true });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([
    [390, 640],
    [1440, 500],
  ])('shows a video in a box of its own shape at %i x %i', async (width, height) => {
    const { server, address } = await setUp();
    const { origin } = await server.listen({ host: '127.0.0.1', port: 0 });
    const page = await browser.newPage({ viewport: { width, height } });
    await page.goto(`${origin}${address()}`);
    await page.evaluate(PLAY);
    const box = await page.locator('video').boundingBox();
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(360 / 640, 2);
    await page.close();
  });
});
