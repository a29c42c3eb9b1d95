import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createMuxedFiles } from '../../../src/media/delivery/muxed-files.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { PLAYLIST_MIME, type Variant } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { choosePlayerFile, playerTunnelFile } from '../../../src/media/tunnel/player-file.ts';
import { createTunnel } from '../../../src/media/tunnel/tunnel.ts';
import { serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { makeItem, makePost, makeVariant } from '../../fakes/post.ts';
import { streamOf } from '../../fakes/stream.ts';

const HOST = 'video.cdninstagram.com';
const { signal } = new AbortController();

function stream(name: string, change: Partial<Variant> = {}): Variant {
  return makeVariant({ url: `https://${HOST}/${name}.m3u8`, mime: PLAYLIST_MIME, codecs: null, ...change });
}

async function setUp(files: Readonly<Record<string, Buffer>>, post = makePost()) {
  const asked: string[] = [];
  const { origin } = await serveHttp((request, response) => {
    const name = request.url ?? '';
    asked.push(name);
    const file = files[name];
    if (file !== undefined) serveFile(request, response, file, 'video/mp2t');
    else if (files[name.replace('.m3u8', '')] === undefined) response.writeHead(403).end();
    else response.end(`#EXTM3U\n#EXTINF:8,\n${name.slice(1).replace('.m3u8', '')}\n#EXT-X-ENDLIST`);
  });
  const tempDir = mkdtempSync(join(tmpdir(), 'medley-tunnel-streams-'));
  const cdn = { mediaHosts: ['cdninstagram.com'], cdnHeaders: createCdnHeaders(sourceDescriptors) };
  const shared = { ...cdn, http: createTestClient({ [HOST]: origin }), log: createRecordingLog() };
  const muxed = createMuxedFiles({ ...shared, tempDir, keptBytes: 10_000_000 });
  const find = async () => post;
  const tunnel = createTunnel({ ...shared, key: randomBytes(32), muxTracks: muxed.muxTracks, find, refresh: find });
  onTestFinished(async () => {
    await muxed.close();
    rmSync(tempDir, { recursive: true, force: true });
  });
  return {
    asked,
    async open(variants: readonly Variant[], range?: string) {
      const item = makeItem({ variants: [...variants], durationMs: null });
      const file = choosePlayerFile(item, 'original');
      if (file === undefined) throw new Error('nothing to play');
      const opened = playerTunnelFile(makePost({ items: [item] }), 0, file, Date.now() + 60_000);
      expect(opened).toMatchObject({ mime: 'video/mp4', fileName: expect.stringMatching(/\.mp4$/) });
      const token = tunnel.address(opened).slice('/media/'.length);
      const answer = await tunnel.open(token, { method: 'GET', range, ifRange: undefined, signal });
      if (answer.body === undefined) throw new Error('no body');
      const bytes = await buffer(answer.body);
      const path = join(tempDir, 'read');
      writeFileSync(path, bytes);
      return { ...answer, bytes, probe: () => probeFile(path, signal) };
    },
  };
}

it('gives a video in pieces as one file that can be read in parts, joined once', async () => {
  const { open, asked } = await setUp({ '/a': await streamOf('sea-360.mp4', 'ts', 'both') });
  const whole = await open([stream('a')]);
  expect(whole.headers).toMatchObject({ 'content-type': 'video/mp4', 'content-length': String(whole.bytes.length) });
  expect(await whole.probe()).toMatchObject({ videoCodec: 'avc', audioCodec: 'aac', fastStart: true });
  const part = await open([stream('a')], 'bytes=100-199');
  expect(part.status).toBe(206);
  expect(part.bytes.equals(whole.bytes.subarray(100, 200))).toBe(true);
  expect(asked).toEqual(['/a.m3u8', '/a']);
});

it('puts in the audio that is kept apart', async () => {
  const video = stream('v', { hasAudio: false, adaptive: true });
  const audio = stream('s', { hasVideo: false, adaptive: true, width: null, height: null });
  const { open } = await setUp({
    '/v': await streamOf('sea-360.mp4', 'mp4', 'video'),
    '/s': await streamOf('sea-360.mp4', 'mp4', 'audio'),
  });
  expect(await (await open([video, audio])).probe()).toMatchObject({ videoCodec: 'avc', audioCodec: 'aac' });
});

it('asks for the post anew when the playlist has moved', async () => {
  const post = makePost({ items: [makeItem({ variants: [stream('new')] })] });
  const { open, asked } = await setUp({ '/new': await streamOf('sea-360.mp4', 'ts', 'both') }, post);
  expect(await (await open([stream('old')])).probe()).toMatchObject({ videoCodec: 'avc' });
  expect(asked).toEqual(['/old.m3u8', '/new.m3u8', '/new']);
});

it('falls back on the plain file where there is one', async () => {
  const plain = makeVariant({ url: `https://${HOST}/plain`, width: 360, height: 640 });
  const { open, asked } = await setUp({ '/plain': await streamOf('sea-360.mp4', 'mp4', 'both') });
  await open([stream('gone', { width: 720, height: 1280 }), plain]);
  expect(asked).toContain('/plain');
});
