import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDelivery, type DeliveredFile, type DeliveredLink } from '../../../src/media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../../src/media/delivery/delivery-plan.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { PLAYLIST_MIME, type Post, type Variant } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { makeItem, makePost, makeVariant } from '../../fakes/post.ts';
import { piecesOf, streamOf } from '../../fakes/stream.ts';
import { ffmpeg, ffmpegMissing, ffmpegNote, makeFolder, picture, QUICK_H264, tone } from '../../ffmpeg.ts';

const HOST = 'video.cdninstagram.com';
const OTHER_HOST = 'pieces.cdninstagram.com';
const never = new AbortController().signal;
const SECONDS = 8;

type Files = Readonly<Record<string, Buffer | string>>;

async function setUp(files: Files, ffmpeg?: Ffmpeg) {
  const asked: string[] = [];
  const referers: (string | undefined)[] = [];
  const { origin } = await serveHttp((request, response) => {
    const { range } = request.headers;
    referers.push(request.headers.referer);
    const file = files[request.url ?? ''];
    asked.push(`${request.url}${range === undefined ? '' : ` ${range}`}`);
    if (file === undefined) response.writeHead(404).end();
    else if (typeof file === 'string') response.writeHead(200, { 'content-type': 'application/x-mpegURL' }).end(file);
    else serveFile(request, response, file, 'video/mp2t');
  });
  const tempDir = mkdtempSync(join(tmpdir(), 'medley-streams-'));
  const log = createRecordingLog();
  const delivery = createDelivery({
    http: createTestClient({ [HOST]: origin, [OTHER_HOST]: origin, 'elsewhere.test': origin }),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    ...{ tempDir, ffmpeg },
    refresh: () => Promise.reject(new Error('not asked')),
    log,
  });
  onTestFinished(async () => {
    await delivery.close();
    rmSync(tempDir, { recursive: true, force: true });
  });
  return {
    ...{ asked, referers, log, delivery },
    deliver: (post: Post, change: Partial<DeliveryRequest> = {}) =>
      delivery.deliver({ post, index: 0, form: 'original', maxBytes: 20_000_000, ...change }, never),
    spooled: () => readdirSync(tempDir, { recursive: true, encoding: 'utf8' }).filter(name => /\/\d+$/.test(name)),
  };
}

const playlistOf = (lines: readonly string[]) => ['#EXTM3U', ...lines, '#EXT-X-ENDLIST'].join('\n');
const piecesIn = (names: readonly string[]) => playlistOf(names.flatMap(name => ['#EXTINF:2.0,', name]));

/** A stream under `/name/`, of four pieces. */
function served(name: string, stream: Buffer, before = Buffer.alloc(0)): Files {
  const pieces = piecesOf(stream, 4).map(
    (piece, index) => [`/${name}/${index}`, Buffer.concat([before, piece])] as const,
  );
  return { [`/${name}.m3u8`]: piecesIn([0, 1, 2, 3].map(index => `${name}/${index}`)), ...Object.fromEntries(pieces) };
}

function stream(name: string, change: Partial<Variant> = {}): Variant {
  const url = `https://${HOST}/${name}.m3u8`;
  return makeVariant({
    url,
    mime: PLAYLIST_MIME,
    codecs: 'avc1.64001e, mp4a.40.2',
    width: 640,
    height: 360,
    ...change,
  });
}

const post = (...variants: Variant[]) =>
  makePost({ items: [makeItem({ variants, durationMs: null, thumbnailUrl: null })] });

function asFile(delivered: DeliveredFile | DeliveredLink): DeliveredFile {
  if (delivered.kind !== 'file') throw new Error(`a link: ${delivered.reason}`);
  return delivered;
}

async function expectWhole(file: DeliveredFile): Promise<void> {
  const probe = await probeFile(file.path, never);
  expect(probe).toMatchObject({ videoCodec: 'avc', audioCodec: 'aac', fastStart: true, isFragmented: false });
  expect(probe.durationMs).toBeGreaterThan(SECONDS * 1_000 - 100);
  expect(probe.durationMs).toBeLessThan(SECONDS * 1_000 + 400);
  expect(file).toMatchObject({ mime: 'video/mp4', fileName: expect.stringMatching(/\.mp4$/), hasAudio: true });
}

describe('a video in pieces', () => {
  it.each(['mp4', 'ts'] as const)('is joined to one MP4 (%s), once for all who ask', async kind => {
    const { deliver, asked, spooled, delivery } = await setUp(served('a', await streamOf('sea-360.mp4', kind, 'both')));
    const request = post(stream('a'));
    expect(delivery.remoteFile({ post: request, index: 0, form: 'original', maxBytes: 20_000_000 })).toBeUndefined();
    const [file, same] = await Promise.all([deliver(request), deliver(request)]);
    await expectWhole(asFile(file));
    expect(asFile(same).path).toBe(asFile(file).path);
    expect(asked).toEqual(['/a.m3u8', '/a/0', '/a/1', '/a/2', '/a/3']);
    await asFile(file).dispose();
    await asFile(same).dispose();
    expect(spooled()).toEqual([]);
  });

  it('is read by the parts of one file that the playlist names', async () => {
    const film = await streamOf('sea-360.mp4', 'mp4', 'both');
    const begin = film.indexOf('moof') - 4;
    const half = Math.floor(film.length / 2);
    const lines = [
      `#EXT-X-MAP:URI="all",BYTERANGE="${begin}@0"`,
      ...['#EXTINF:4,', `#EXT-X-BYTERANGE:${half - begin}@${begin}`, 'all'],
      ...['#EXTINF:4,', `#EXT-X-BYTERANGE:${film.length - half}`, 'all'],
    ];
    const { deliver, asked } = await setUp({ '/a.m3u8': playlistOf(lines), '/all': film });
    await expectWhole(asFile(await deliver(post(stream('a')))));
    expect(asked).toEqual([
      '/a.m3u8',
      `/all bytes=0-${begin - 1}`,
      `/all bytes=${begin}-${half - 1}`,
      `/all bytes=${half}-${film.length - 1}`,
    ]);
  });

  it.each([
    ['ts', 'ts'],
    ['mp4', 'mp4'],
    ['ts', 'aac'],
  ] as const)('gets the audio that is kept apart (%s and %s)', async (video, audio) => {
    // Each piece of plain AAC begins with a tag.
    const tag = audio === 'aac' ? Buffer.from('ID3\x04\0\0\0\0\x01\x02'.padEnd(140, '-'), 'latin1') : Buffer.alloc(0);
    const { deliver } = await setUp({
      ...served('v', await streamOf('sea-360.mp4', video, 'video')),
      ...served('a', await streamOf('sea-360.mp4', audio, 'audio'), tag),
    });
    const tracks = [
      stream('v', { hasAudio: false, adaptive: true, codecs: 'avc1.64001e' }),
      stream('a', { hasVideo: false, adaptive: true, codecs: 'mp4a.40.2', width: null, height: null }),
    ];
    await expectWhole(asFile(await deliver(post(...tracks))));
    const sound = asFile(await deliver(post(...tracks), { form: 'audio' }));
    expect(sound).toMatchObject({ mime: 'audio/mp4', hasAudio: true });
    expect((await probeFile(sound.path, never)).durationMs).toBeGreaterThan(SECONDS * 1_000 - 100);
  });

  it('comes in the largest rendition that fits', async () => {
    const { deliver, asked } = await setUp({
      ...served('large', await streamOf('sea-720.mp4', 'ts', 'both')),
      ...served('small', await streamOf('sea-360.mp4', 'ts', 'both')),
    });
    const large = stream('large', { width: 960, height: 540, bitrate: 215_000 });
    const small = stream('small', { bitrate: 130_000 });
    const maxBytes = 140_000;
    // By the rates, where it is known how long it plays.
    const items = [makeItem({ variants: [large, small], durationMs: SECONDS * 1_000, thumbnailUrl: null })];
    const file = asFile(await deliver(makePost({ items }), { maxBytes }));
    expect(file).toMatchObject({ width: 360, reduced: expect.anything() });
    expect(asked.filter(url => url.startsWith('/large'))).toEqual([]);
    // By what comes, where it is not.
    const again = asFile(await deliver(post({ ...large, bitrate: null }, { ...small, bitrate: null }), { maxBytes }));
    expect(again.width).toBe(360);
    expect(asked.filter(url => url.startsWith('/large'))).toEqual([
      '/large.m3u8',
      '/large/0',
      '/large/1',
      '/large/2',
      '/large/3',
    ]);
  });

  it('goes on where it is when it needs more space than its rate let expect', async () => {
    const { deliver, asked } = await setUp(served('a', await streamOf('sea-360.mp4', 'ts', 'both')));
    const variants = [stream('a', { bitrate: 60_000 })];
    const items = [makeItem({ variants, durationMs: SECONDS * 1_000, thumbnailUrl: null })];
    await expectWhole(asFile(await deliver(makePost({ items }))));
    expect(asked).toEqual(['/a.m3u8', '/a/0', '/a/1', '/a/1', '/a/2', '/a/3']);
  });

  it('is given up early when it will be far too large', async () => {
    const { deliver, asked } = await setUp(served('a', await streamOf('sea-720.mp4', 'ts', 'both')));
    await expect(deliver(post(stream('a')), { maxBytes: 60_000 })).resolves.toMatchObject({ reason: 'too_large' });
    expect(asked).toEqual(['/a.m3u8', '/a/0']);
  });

  it.each([
    ['live', '#EXTM3U\n#EXTINF:2,\na/0\n'],
    ['encrypted', playlistOf(['#EXT-X-KEY:METHOD=AES-128,URI="key"', '#EXTINF:2,', 'a/0'])],
  ])('is refused in words when it is %s', async (_, playlist) => {
    const { deliver, asked } = await setUp({ '/a.m3u8': playlist, '/a/0': Buffer.alloc(100) });
    await expect(deliver(post(stream('a')))).resolves.toMatchObject({ kind: 'link', reason: 'stream' });
    expect(asked).toEqual(['/a.m3u8']);
  });

  it('is refused when a piece lies on a host that is none of the media', async () => {
    const { deliver, asked, log } = await setUp({ '/a.m3u8': piecesIn(['https://elsewhere.test/piece']) });
    await expect(deliver(post(stream('a')))).resolves.toMatchObject({ kind: 'link', reason: 'upstream_unavailable' });
    expect(asked).toEqual(['/a.m3u8']);
    expect(JSON.stringify(log.lines.map(({ details }) => String(Reflect.get(details, 'err'))))).toContain(
      'host is not allowed',
    );
  });

  it.each([
    ['no piece', { '/a.m3u8': piecesIn(['gone']) }],
    ['a page for a piece', { '/a.m3u8': piecesIn(['page']), '/page': Buffer.from('<!doctype html><p>no</p>') }],
    ['a piece of no media', { '/a.m3u8': piecesIn(['noise']), '/noise': Buffer.alloc(5_000, 7) }],
    ['no playlist', { '/a.m3u8': '{"error":"gone"}' }],
  ])('gives a link for %s', async (_, files: Files) => {
    const { deliver, spooled } = await setUp(files);
    await expect(deliver(post(stream('a')))).resolves.toMatchObject({ kind: 'link', leadsTo: 'original' });
    expect(spooled()).toEqual([]);
  });

  it('is asked for with the headers that its own host wants, and no other host gets them', async () => {
    const [first = '', second = ''] = piecesOf(await streamOf('sea-360.mp4', 'ts', 'both'), 2);
    const files = { '/a.m3u8': piecesIn(['one', `https://${OTHER_HOST}/two`]), '/one': first, '/two': second };
    const { deliver, referers } = await setUp(files);
    const headers = { referer: 'https://toy.test/' };
    await expectWhole(asFile(await deliver(post(stream('a', { headers })))));
    expect(referers).toEqual(['https://toy.test/', 'https://toy.test/', undefined]);
  });

  it('yields to a plain file of the same size', async () => {
    const { deliver, asked } = await setUp({
      ...served('a', Buffer.alloc(10)),
      '/v/plain.mp4': await streamOf('sea-360.mp4', 'mp4', 'both'),
    });
    const plain = makeVariant({ url: `https://${HOST}/v/plain.mp4`, width: 640, height: 360 });
    await deliver(post(stream('a'), plain));
    expect(asked).toEqual(['/v/plain.mp4']);
  });
});

describe.skipIf(ffmpegMissing)(`streams that ffmpeg cuts${ffmpegNote}`, () => {
  it.each(['mpegts', 'fmp4'])('are joined (%s)', async kind => {
    const folder = await makeFolder();
    const cut = ['-f', 'hls', '-hls_time', '2', '-hls_playlist_type', 'vod', '-hls_segment_type', kind];
    await ffmpeg(
      ...picture('320x180', SECONDS),
      ...tone(SECONDS),
      ...QUICK_H264,
      '-c:a',
      'aac',
      ...cut,
      join(folder, 'a.m3u8'),
    );
    const names = readdirSync(folder).filter(name => name !== 'a.m3u8');
    const pieces = names.map(name => [`/${name}`, readFileSync(join(folder, name))] as const);
    const playlist = readFileSync(join(folder, 'a.m3u8'), 'utf8');
    const { deliver } = await setUp({ '/a.m3u8': playlist, ...Object.fromEntries(pieces) });
    await expectWhole(asFile(await deliver(post(stream('a')))));
  });

  it('are encoded where they are too large, whatever their clock says', async () => {
    const stream3 = served('a', await streamOf('sea-360.mp4', 'ts', 'both'));
    const { deliver } = await setUp(stream3, await findFfmpeg({ searchPath: process.env.PATH ?? '' }));
    const maxBytes = 240_000;
    const known = { width: 1920, height: 1080, bitrate: 300_000 };
    const items = [makeItem({ variants: [stream('a', known)], durationMs: SECONDS * 1_000, thumbnailUrl: null })];
    const file = asFile(await deliver(makePost({ items }), { maxBytes }));
    await expectWhole(file);
    expect(file.variantKey).toMatch(/^compress-/);
    expect(file.bytes).toBeLessThan(maxBytes);
  });

  it('are joined by ffmpeg where nothing else here knows the codec', async () => {
    const folder = await makeFolder();
    const coded = ['-c:v', 'mpeg4', '-c:a', 'aac', '-f', 'mpegts'];
    await ffmpeg(...picture('320x180', SECONDS), ...tone(SECONDS), ...coded, join(folder, 'a.ts'));
    const stream4 = served('a', readFileSync(join(folder, 'a.ts')));
    const { deliver } = await setUp(stream4, await findFfmpeg({ searchPath: process.env.PATH ?? '' }));
    const file = asFile(await deliver(post(stream('a', { codecs: null }))));
    expect(file).toMatchObject({ mime: 'video/mp4', hasAudio: true });
    const without = await setUp(stream4);
    await expect(without.deliver(post(stream('a', { codecs: null })))).resolves.toMatchObject({ reason: 'stream' });
  });
});
