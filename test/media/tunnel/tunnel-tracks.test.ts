import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createMuxedFiles, type MuxedFilesOptions } from '../../../src/media/delivery/muxed-files.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { byteRange } from '../../../src/media/files/tunnel-range.ts';
import type { Post } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { type Probe, probeFile } from '../../../src/media/transcode/probe.ts';
import { createTunnel, type TunnelOptions } from '../../../src/media/tunnel/tunnel.ts';
import type { TunnelFile, TunnelRequest, TunnelResponse } from '../../../src/media/tunnel/tunnel-token.ts';
import { sealToken } from '../../../src/media/tunnel/tunnel-token.ts';
import { serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { makeItem, makePost, makeVariant } from '../../fakes/post.ts';

const HOST = 'scontent.cdninstagram.com';
const MB = 1024 * 1024;
const media = (name: string) => readFileSync(new URL(`../../fixtures/media/${name}`, import.meta.url));
const FILES: Readonly<Record<string, Buffer>> = {
  'track.mp4': media('clay-1080-video.mp4'),
  'audio.m4a': media('clay-audio.mp4'),
  'plain.mp4': media('clay-720.mp4'),
};
const at = (name: string, oe = '7F000000') => `https://${HOST}/v/${name}?oe=${oe}`;
const TRACKS = { video: at('track.mp4'), audio: at('audio.m4a') };

interface Setting
  extends Partial<Pick<MuxedFilesOptions, 'maxBytes' | 'maxFileBytes' | 'keptBytes' | 'lingerMs' | 'patience'>> {
  readonly muxWait?: TunnelOptions['muxWait'];
  readonly refresh?: () => Promise<Pick<Post, 'items'>>;
  /** Instead of the file itself. */
  readonly answer?: (name: string, request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A tunnel over the real client, files and muxer to a CDN on loopback; in the end nothing of it may be left. */
async function setUp({ muxWait, refresh, answer, ...muxing }: Setting = {}) {
  const asked: string[] = [];
  const cut: string[] = [];
  const { origin } = await serveHttp((request, response) => {
    const name = /\/v\/([\w.-]+)/.exec(request.url ?? '')?.[1] ?? '';
    asked.push(`${request.method} ${name}`);
    response.once('close', () => response.writableFinished || cut.push(name));
    const file = FILES[name];
    if (answer?.(name, request, response) === true) return;
    if (file === undefined) response.writeHead(403).end('URL signature expired');
    else serveFile(request, response, file, name.endsWith('.m4a') ? 'audio/mp4' : 'video/mp4');
  });
  const tempDir = mkdtempSync(join(tmpdir(), 'medley-tracks-'));
  const http = createTestClient({ [HOST]: origin });
  const log = createRecordingLog();
  const muxed = createMuxedFiles({
    http,
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    tempDir,
    keptBytes: 10 * MB,
    log,
    ...muxing,
  });
  /** Media files, which are named by numbers. */
  const onDisk = () =>
    readdirSync(tempDir, { recursive: true, encoding: 'utf8' })
      .map(name => join(tempDir, name))
      .filter(path => /^\d+$/.test(basename(path)) && lstatSync(path).isFile());
  const refreshed: Pick<Post, 'source' | 'id'>[] = [];
  const key = randomBytes(32);
  const tunnel = createTunnel({
    key,
    http,
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    muxTracks: muxed.muxTracks,
    ...(muxWait && { muxWait }),
    refresh: async post => {
      refreshed.push(post);
      if (refresh === undefined) throw new AppError('not_found', 'the post is gone');
      return refresh();
    },
    log,
  });
  onTestFinished(async () => {
    await muxed.close();
    expect(onDisk()).toEqual([]);
    rmSync(tempDir, { recursive: true });
  });
  const token = (changes: Partial<TunnelFile> = {}) => tunnel.address(makeFile(changes)).slice('/media/'.length);
  return {
    asked,
    cut,
    log,
    refreshed,
    tempDir,
    key,
    tunnel,
    token,
    onDisk,
    open: (changes: Partial<TunnelFile> = {}, request: Partial<TunnelRequest> = {}) =>
      tunnel.open(token(changes), makeRequest(request)),
  };
}

/** Two tracks and, to fall back on, a plain file. */
function makeFile(changes: Partial<TunnelFile> = {}): TunnelFile {
  return {
    post: { source: 'instagram', id: 'C9TestReef01' },
    index: 0,
    url: at('plain.mp4'),
    tracks: TRACKS,
    ...{ mime: 'video/mp4', width: 1080, height: 1920 },
    fileName: 'medley-instagram-C9TestReef01.mp4',
    expiresAt: Date.now() + 60_000,
    ...changes,
  };
}

const ALONE = { url: TRACKS.video };

function makeRequest(changes: Partial<TunnelRequest> = {}): TunnelRequest {
  return { method: 'GET', range: undefined, ifRange: undefined, signal: new AbortController().signal, ...changes };
}

function read({ body }: TunnelResponse): Promise<Buffer> {
  if (body === undefined) throw new Error('no body');
  return buffer(body);
}

async function probe(bytes: Buffer): Promise<Probe> {
  const folder = mkdtempSync(join(tmpdir(), 'medley-tracks-read-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'a.mp4'), bytes);
  return probeFile(join(folder, 'a.mp4'), new AbortController().signal);
}

/** A file whose end never comes. */
const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': MB });
  response.write(FILES['track.mp4']);
};

describe('two tracks', () => {
  it('are one file that plays, with its size and validators', async () => {
    const { open, asked } = await setUp();
    const response = await open();
    expect(response).toMatchObject({ status: 200, fileName: 'medley-instagram-C9TestReef01.mp4' });
    const whole = await read(response);
    expect(response.headers).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(whole.length),
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^"[\w-]+"$/),
    });
    expect(await probe(whole)).toMatchObject({
      ...{ width: 1080, height: 1920, videoCodec: 'avc', audioCodec: 'aac', fastStart: true, isFragmented: false },
    });
    expect(asked.sort()).toEqual(['GET audio.m4a', 'GET track.mp4']);
  });

  it('come in the parts that a player asks for, from one making', async () => {
    const { open, asked } = await setUp();
    const whole = await read(await open());
    const part = async (range: string, ifRange?: string) => {
      const response = await open({}, { range, ifRange });
      return [response.status, response.headers['content-range'], response.body && (await read(response))];
    };
    const size = whole.length;
    expect(await part('bytes=0-')).toEqual([206, `bytes 0-${size - 1}/${size}`, whole]);
    expect(await part('bytes=0-1')).toEqual([206, `bytes 0-1/${size}`, whole.subarray(0, 2)]);
    expect(await part('bytes=-100')).toEqual([206, `bytes ${size - 100}-${size - 1}/${size}`, whole.subarray(-100)]);
    expect(await part(`bytes=${size}-`)).toEqual([416, `bytes */${size}`, undefined]);
    const { etag } = (await open({}, { method: 'HEAD' })).headers;
    expect((await part('bytes=5-9', etag))[0]).toBe(206);
    expect((await part('bytes=5-9', '"older"'))[0]).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('answer HEAD with their size and no body', async () => {
    const { open } = await setUp();
    const { status, headers, body } = await open({}, { method: 'HEAD' });
    expect([status, body]).toEqual([200, undefined]);
    expect(Number(headers['content-length'])).toBe((await read(await open())).length);
  });

  it('are made once for all who ask, whatever their tokens', async () => {
    const { open, asked } = await setUp();
    const readers = await Promise.all(Array.from({ length: 10 }, () => open()));
    const bodies = await Promise.all(readers.map(read));
    expect(new Set(bodies.map(body => body.toString('base64'))).size).toBe(1);
    expect(asked).toHaveLength(2);
  });

  it('leave one file on the disk, and none where there is no room for it', async () => {
    const roomy = await setUp();
    await read(await roomy.open());
    expect(roomy.onDisk()).toHaveLength(1);
    const tight = await setUp({ keptBytes: 0, maxFileBytes: 200_000 });
    await expect(tight.open(ALONE)).rejects.toMatchObject({ code: 'too_large' });
    expect(tight.onDisk()).toEqual([]);
  });

  it('are given up when the last reader leaves, and nothing is left', async () => {
    const { open, cut, onDisk } = await setUp({
      answer: (_name, request, response) => {
        endless(request, response);
        return true;
      },
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const opening = [first, second].map(({ signal }) => open({}, { signal }).catch((error: unknown) => error));
    await expect.poll(onDisk).toHaveLength(2);
    first.abort();
    await opening[0];
    expect(cut).toEqual([]);
    expect(onDisk()).toHaveLength(2);
    second.abort();
    expect(await opening[1]).toMatchObject({ name: 'AbortError' });
    await expect.poll(() => cut.sort()).toEqual(['audio.m4a', 'track.mp4']);
    await expect.poll(onDisk).toEqual([]);
  });

  it('are released by a reader who leaves in the middle, and go where nothing is kept', async () => {
    const { open, onDisk, asked } = await setUp({ keptBytes: 0, lingerMs: 3_000 });
    const leaving = new AbortController();
    const { body } = await open({}, { signal: leaving.signal });
    body?.on('error', () => undefined);
    leaving.abort();
    await expect.poll(() => body?.closed).toBe(true);
    // The next part that a player asks for.
    expect((await open({}, { range: 'bytes=9-' })).body?.destroy().destroyed).toBe(true);
    expect(asked).toHaveLength(2);
    await expect.poll(onDisk).toEqual([]);
  });
});

describe('addresses of tracks that have run out', () => {
  const old = { video: at('track.mp4', 'AAAA'), audio: at('audio.m4a', 'AAAA') };
  const expiring: Setting['answer'] = (_name, request, response) => {
    if (request.url?.includes('oe=AAAA') !== true) return false;
    response.writeHead(403).end('URL signature expired');
    return true;
  };
  const current = makePost({
    items: [
      makeItem({
        variants: [
          makeVariant({ url: at('track.mp4'), width: 1080, height: 1920, adaptive: true, hasAudio: false }),
          makeVariant({ url: at('audio.m4a'), mime: 'audio/mp4', adaptive: true, hasVideo: false }),
        ],
      }),
    ],
  });

  it('are asked for again once, and remembered', async () => {
    const { open, refreshed, asked } = await setUp({ answer: expiring, refresh: async () => current });
    const readers = await Promise.all([1, 2].map(() => open({ url: old.video, tracks: old })));
    for (const reader of readers) expect(await probe(await read(reader))).toMatchObject({ height: 1920 });
    await read(await open({ url: old.video, tracks: old }, { range: 'bytes=0-9' }));
    expect(refreshed.length).toBeLessThanOrEqual(2);
    expect(asked.filter(line => line === 'GET audio.m4a').length).toBeLessThanOrEqual(3);
  });

  it('end with what the site says of the post', async () => {
    const { open } = await setUp({ answer: expiring });
    await expect(open({ url: old.video, tracks: old })).rejects.toMatchObject({
      code: 'not_found',
      message: 'the post is gone',
    });
  });

  it('lead nowhere when the post has no such tracks any more', async () => {
    const { open } = await setUp({ answer: expiring, refresh: async () => makePost() });
    await expect(open({ url: old.video, tracks: old })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('tracks that cannot be put together', () => {
  it.each<[what: string, setting: Setting, code: string]>([
    ['are too large by what the CDN says', { maxFileBytes: 100_000 }, 'too_large'],
    [
      'never end',
      {
        maxFileBytes: 300_000,
        answer: (_name, _request, response) => {
          response.writeHead(200, { 'content-type': 'video/mp4' });
          const timer = setInterval(() => response.write(Buffer.alloc(50_000)), 5);
          response.once('close', () => clearInterval(timer));
          return true;
        },
      },
      'too_large',
    ],
    [
      'claim to be larger than any disk',
      {
        answer: (_name, _request, response) => {
          response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '99999999999999' });
          response.write('x');
          return true;
        },
      },
      'too_large',
    ],
    [
      'are a page',
      {
        answer: (name, _request, response) => {
          if (name === 'plain.mp4') return false;
          response.writeHead(200, { 'content-type': 'video/mp4' }).end('<!DOCTYPE html>');
          return true;
        },
      },
      'upstream_unavailable',
    ],
    [
      'are noise',
      {
        answer: (name, _request, response) => {
          if (name === 'plain.mp4') return false;
          response.writeHead(200, { 'content-type': 'video/mp4' }).end(Buffer.alloc(9_000, 7));
          return true;
        },
      },
      'upstream_unavailable',
    ],
    [
      'come too late',
      {
        muxWait: { aloneMs: 300, withFallbackMs: 300 },
        answer: (name, request, response) => {
          if (name === 'plain.mp4') return false;
          endless(request, response);
          return true;
        },
      },
      'timeout',
    ],
  ])('because they %s', async (what, setting, code) => {
    const { open, onDisk, log, asked } = await setUp(setting);
    await expect(open(ALONE)).rejects.toMatchObject({ code });
    await expect.poll(onDisk).toEqual([]);
    if (what === 'never end' || what.startsWith('claim')) return;
    // Where there is a plain file it is given, and the tracks are left alone for a while.
    const plain = await read(await open());
    expect(plain.equals(FILES['plain.mp4'] ?? Buffer.alloc(0))).toBe(true);
    asked.length = 0;
    expect((await open({}, { range: 'bytes=0-9' })).status).toBe(206);
    expect(asked).toEqual(['GET plain.mp4']);
    expect(log.at('info').map(line => line.message)).toEqual([expect.stringContaining('the plain file is given')]);
  });

  it('because the disk is full are our own failure', async () => {
    const { open, log, tempDir } = await setUp();
    const [folder = String(process.pid)] = readdirSync(tempDir, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(entry => entry.name);
    const own = join(tempDir, folder);
    const fill = () => {
      mkdirSync(own, { recursive: true });
      for (let name = 1; name < 20; name += 1) symlinkSync('/dev/full', join(own, String(name)));
    };
    fill();
    await expect(open(ALONE)).rejects.toMatchObject({ code: 'internal' });
    rmSync(own, { recursive: true });
    fill();
    expect((await read(await open())).length).toBe(FILES['plain.mp4']?.length);
    expect(log.at('error').map(line => line.message)).toEqual([expect.stringContaining('the plain file is given')]);
    rmSync(own, { recursive: true });
  });

  it('are never of a host that is not the CDN’s', async () => {
    const { open, asked } = await setUp();
    const video = 'https://evil.example/v/track.mp4';
    await expect(open({ url: video, tracks: { ...TRACKS, video } })).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked.filter(line => line.endsWith('track.mp4'))).toEqual([]);
  });
});

describe('many at once', () => {
  it('are eight in the making; the others wait for their turn', async () => {
    let open = 0;
    let most = 0;
    const { open: ask, asked } = await setUp({
      answer: (_name, _request, response) => {
        open += 1;
        most = Math.max(most, open);
        response.once('close', () => {
          open -= 1;
        });
        return false;
      },
    });
    const all = await Promise.all(
      Array.from({ length: 24 }, async (_, index) =>
        read(await ask({ post: { source: 'instagram', id: `C9TestReef${index}` } })),
      ),
    );
    expect(new Set(all.map(body => body.length)).size).toBe(1);
    expect(asked).toHaveLength(48);
    expect(most).toBeLessThanOrEqual(16);
  });
});

describe('tokens', () => {
  it('of earlier versions lead to the plain file they name', async () => {
    const { tunnel, key } = await setUp();
    const old = { s: 'instagram', i: 'C9TestReef01', n: 0, u: at('plain.mp4'), m: 'video/mp4', f: 'reef.mp4', w: 720 };
    const token = sealToken(key, 'medley media 1', { ...old, h: 1280, e: Date.now() + 60_000 });
    const response = await tunnel.open(token, makeRequest());
    expect((await read(response)).length).toBe(FILES['plain.mp4']?.length);
    expect(response.fileName).toBe('reef.mp4');
  });

  it('with three addresses fit into a header', async () => {
    const { token } = await setUp();
    const long = (name: string) => `${at(name)}&_nc_x=${'k'.repeat(1_500)}`;
    const changes = { url: long('plain.mp4'), tracks: { video: long('track.mp4'), audio: long('audio.m4a') } };
    expect(token(changes).length).toBeLessThan(8_000);
  });
});

describe('byteRange', () => {
  it('is always within the file', () => {
    const bound = fc.option(fc.nat({ max: 2_000 }), { nil: '' });
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 1, max: 1_000 }), (from, to, bytes) => {
        const range = byteRange(`bytes=${from}-${to}`, bytes);
        if (range === undefined || range === 'unsatisfiable') return;
        expect(range.first).toBeGreaterThanOrEqual(0);
        expect(range.last).toBeGreaterThanOrEqual(range.first);
        expect(range.last).toBeLessThan(bytes);
      }),
    );
  });
});
