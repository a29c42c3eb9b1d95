import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { createTunnel } from '../../../src/media/tunnel/tunnel.ts';
import type { TunnelFile, TunnelRequest } from '../../../src/media/tunnel/tunnel-token.ts';
import { sealToken } from '../../../src/media/tunnel/tunnel-token.ts';
import { fileOf, serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { noMux } from '../../fakes/no-mux.ts';

const NOW = 1_770_000_000_000;
const FILE = fileOf(20_000);
const GET: TunnelRequest = {
  method: 'GET',
  range: undefined,
  ifRange: undefined,
  signal: new AbortController().signal,
};

async function setUp(status = 200) {
  let asked = 0;
  let refreshed = 0;
  const key = randomBytes(32);
  const { origin } = await serveHttp((request, response) => {
    asked += 1;
    if (status === 200) serveFile(request, response, FILE);
    else response.writeHead(status).end();
  });
  const hosts = ['assets.example', 'sub.assets.example', 'scontent.cdninstagram.com'];
  const tunnel = createTunnel({
    key,
    http: createTestClient(Object.fromEntries(hosts.map(host => [host, origin]))),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    assetHosts: ['assets.example'],
    refresh: async () => {
      refreshed += 1;
      throw new AppError('not_found', 'the post is gone');
    },
    muxTracks: noMux,
    log: createRecordingLog(),
    now: () => NOW,
  });
  const open = (url: string, changes: Partial<TunnelFile> = {}) => {
    const file = { url, mime: 'audio/mpeg', fileName: 'preview.mp3', expiresAt: NOW + 1_000, ...changes };
    return tunnel.open(tunnel.address(file).slice('/media/'.length), GET);
  };
  return { key, tunnel, open, asked: () => asked, refreshed: () => refreshed };
}

describe('files of no post', () => {
  it('are brought from the hosts for them', async () => {
    const { open } = await setUp();
    const { status, body, fileName } = await open('https://assets.example/preview/7.mp3');
    expect([status, fileName]).toEqual([200, 'preview.mp4']);
    expect(body && (await buffer(body)).equals(FILE)).toBe(true);
  });

  it('are asked for once when they are not there: there is no other address', async () => {
    const { open, asked, refreshed } = await setUp(404);
    await expect(open('https://assets.example/preview/7.mp3')).rejects.toMatchObject({ code: 'not_found' });
    expect([asked(), refreshed()]).toEqual([1, 0]);
  });

  it.each([
    'https://sub.assets.example/1.jpg',
    'https://assets.example.evil.test/1.jpg',
    'http://assets.example/1.jpg',
    'https://assets.example:8443/1.jpg',
    'https://user@assets.example/1.jpg',
    'https://127.0.0.1/1.jpg',
    'https://elsewhere.test/1.jpg',
    'assets.example/1.jpg',
    'https:\\\\assets.example/1.jpg',
    '',
  ])('are refused, without a request, at %j', async url => {
    const { tunnel, open, asked } = await setUp();
    expect(tunnel.carries(url)).toBe(false);
    await expect(open(url)).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked()).toBe(0);
  });

  it('are known before they are promised', async () => {
    const { tunnel } = await setUp();
    expect(tunnel.carries('https://assets.example/1.jpg')).toBe(true);
    expect(tunnel.carries('https://scontent.cdninstagram.com/v/1.jpg')).toBe(true);
  });

  it('did not change what addresses of posts say: those given out before lead there still', async () => {
    const { key, tunnel } = await setUp();
    const file = { m: 'video/mp4', f: 'reel.mp4', w: null, h: null, e: NOW + 1_000 };
    const old = { s: 'instagram', i: 'C9TestReef01', n: 0, u: 'https://scontent.cdninstagram.com/a.mp4', ...file };
    const { status, body } = await tunnel.open(sealToken(key, 'medley media 1', old), GET);
    body?.destroy();
    expect(status).toBe(200);
  });
});
