import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDelivery } from '../../../src/media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../../src/media/delivery/delivery-plan.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { findFfmpeg } from '../../../src/media/transcode/ffmpeg.ts';
import { probeFile } from '../../../src/media/transcode/probe.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { makeItem, makePost, makeVariant } from '../../fakes/post.ts';
import {
  FFMPEG_PATH,
  ffmpegMissing,
  ffmpegNote,
  makeSharedFolder,
  picture,
  QUICK_H264,
  ffmpeg as runReal,
  tone,
} from '../../ffmpeg.ts';

const HOST = 'scontent.cdninstagram.com';
const never = new AbortController().signal;

let whole: Buffer;

beforeAll(async () => {
  if (ffmpegMissing) return;
  const folder = await makeSharedFolder();
  const path = join(folder.path, 'whole.mp4');
  await runReal(...picture('640x360', 10), ...tone(10), ...QUICK_H264, '-g', '60', '-c:a', 'aac', path);
  whole = await readFile(path);
  await folder.remove();
});

/** A delivery of one video of ten seconds, with the real ffmpeg or without. */
async function open(hasFfmpeg: boolean) {
  const { origin } = await serveHttp((_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': whole.length }).end(whole);
  });
  const tempDir = mkdtempSync(join(tmpdir(), 'medley-clips-'));
  const delivery = createDelivery({
    http: createTestClient({ [HOST]: origin }),
    mediaHosts: ['cdninstagram.com'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    tempDir,
    refresh: () => Promise.reject(new Error('nobody asks for this here')),
    ffmpeg: hasFfmpeg ? await findFfmpeg({ searchPath: FFMPEG_PATH }) : undefined,
    log: createRecordingLog(),
  });
  onTestFinished(async () => {
    await delivery.close();
    rmSync(tempDir, { recursive: true, force: true });
  });
  const variant = makeVariant({ url: `https://${HOST}/whole.mp4`, width: 640, height: 360 });
  const post = makePost({ items: [makeItem({ durationMs: 10_000, variants: [variant] })] });
  const clip = { startMs: 2_500, endMs: 4_000 };
  const bring = (change: Partial<DeliveryRequest> = {}) =>
    delivery.deliver({ post, index: 0, form: 'original', maxBytes: 10_000_000, clip, ...change }, never);
  return {
    delivery,
    bring,
    post,
    left: () => readdirSync(tempDir).filter(name => statSync(join(tempDir, name)).isFile()),
  };
}

describe.skipIf(ffmpegMissing)(`a part of a post's video${ffmpegNote}`, () => {
  it('is brought with a cover of its own, and nothing is left of it', async () => {
    const { bring, left } = await open(true);
    const file = await bring({ thumbnail: true });
    if (file.kind !== 'file') throw new Error('no file');
    expect(Math.abs((file.durationMs ?? 0) - 1_500)).toBeLessThanOrEqual(60);
    expect([file.mime, file.width, file.thumbnail === null]).toEqual(['video/mp4', 640, false]);
    await file.dispose();
    expect(left()).toEqual([]);
  });

  it('begins earlier where there is no ffmpeg', async () => {
    const { bring } = await open(false);
    const file = await bring();
    if (file.kind !== 'file') throw new Error('no file');
    expect(Math.abs((file.durationMs ?? 0) - 2_000)).toBeLessThanOrEqual(100);
    await file.dispose();
  });

  it('is made smaller when it is refused, and its audio is the part’s too', async () => {
    const { bring } = await open(true);
    const first = await bring({ maxBytes: 400_000 });
    if (first.kind !== 'file') throw new Error('no file');
    const second = await bring({ maxBytes: 400_000, refused: [first.variantKey] });
    if (second.kind !== 'file') throw new Error('no file');
    expect(second.bytes).toBeLessThanOrEqual(240_000);
    const audio = await bring({ form: 'audio' });
    if (audio.kind !== 'file') throw new Error('no file');
    const { kind, durationMs, audioCodec } = await probeFile(audio.path, never);
    expect([kind, Math.abs((durationMs ?? 0) - 1_500) <= 80]).toEqual(['audio', true]);
    expect([audioCodec, audio.mime, audio.fileName.slice(-4)]).toEqual(['mp3', 'audio/mpeg', '.mp3']);
    for (const file of [first, second, audio]) await file.dispose();
  });

  it('gives its audio where that fits, though no video of it would', async () => {
    const { bring } = await open(true);
    const maxBytes = 40_000;
    expect((await bring({ maxBytes })).kind).toBe('link');
    const audio = await bring({ form: 'audio', maxBytes });
    if (audio.kind !== 'file') throw new Error('no file');
    expect(audio.bytes).toBeLessThanOrEqual(maxBytes);
    await audio.dispose();
  });

  it('is a link where there is nothing in it, and never the whole file at another’s address', async () => {
    const { bring, delivery, post } = await open(true);
    expect(await bring({ clip: { startMs: 60_000, endMs: 61_000 } })).toMatchObject({ kind: 'link', url: post.url });
    const request = { post, index: 0, form: 'original' as const, maxBytes: 10_000_000 };
    expect(delivery.remoteFile({ ...request, clip: { startMs: 1, endMs: 2 } })).toBeUndefined();
  });
});
