import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import {
  createDelivery,
  type DeliveredFile,
  type DeliveredLink,
  type Delivery,
  type DeliveryOptions,
} from '../../../src/media/delivery/delivery.ts';
import type { DeliveryRequest } from '../../../src/media/delivery/delivery-plan.ts';
import { createCdnHeaders } from '../../../src/media/files/cdn.ts';
import type { Post, Variant } from '../../../src/media/post.ts';
import { sourceDescriptors } from '../../../src/media/sources/index.ts';
import { FILM, fileOf, filmOf, serveFile } from '../../fakes/cdn.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { serveHttp } from '../../fakes/loopback.ts';
import { makeItem, makePhoto, makePost, makeVariant } from '../../fakes/post.ts';

const NOW = 1_770_000_000_000;
const HOST = 'scontent.cdninstagram.com';
const MAX = 1_000_000;
const never = new AbortController().signal;

interface Setup {
  readonly delivery: Delivery;
  /** `GET /path?query` with the range, if any, in order. */
  readonly asked: string[];
  readonly agents: (string | undefined)[];
  readonly tempDir: string;
  readonly log: ReturnType<typeof createRecordingLog>;
  readonly refreshed: string[];
  deliver(post: Post, change?: Partial<DeliveryRequest>, signal?: AbortSignal): Promise<DeliveredFile | DeliveredLink>;
  /** Files on the disk now. */
  spooled(): string[];
}

interface SetupOptions extends Partial<Omit<DeliveryOptions, 'refresh'>> {
  readonly renewed?: Pick<Post, 'items'>;
}

/** A delivery over the real HTTP client from a CDN on loopback. */
async function setUp(listener: RequestListener, { renewed, ...options }: SetupOptions = {}): Promise<Setup> {
  const asked: string[] = [];
  const agents: (string | undefined)[] = [];
  const refreshed: string[] = [];
  const { origin } = await serveHttp((request, response) => {
    const { range } = request.headers;
    asked.push(`${request.method} ${request.url}${range === undefined ? '' : ` ${range}`}`);
    agents.push(request.headers['user-agent']);
    listener(request, response);
  });
  const tempDir = options.tempDir ?? mkdtempSync(join(tmpdir(), 'medley-delivery-'));
  const log = createRecordingLog();
  const delivery = createDelivery({
    http: createTestClient({ [HOST]: origin, 'video.xx.fbcdn.net': origin }),
    mediaHosts: ['cdninstagram.com', 'fbcdn.net'],
    cdnHeaders: createCdnHeaders(sourceDescriptors),
    tempDir,
    refresh: async ({ source, id }) => {
      refreshed.push(`${source}:${id}`);
      if (renewed === undefined) throw new AppError('upstream_unavailable', 'no answer');
      return renewed;
    },
    log,
    now: () => NOW,
    ...options,
  });
  onTestFinished(async () => {
    await delivery.close();
    rmSync(tempDir, { recursive: true, force: true });
  });
  return {
    delivery,
    asked,
    agents,
    tempDir,
    log,
    refreshed,
    deliver: (post, change = {}, signal = never) =>
      delivery.deliver({ post, index: 0, form: 'original', maxBytes: MAX, ...change }, signal),
    spooled: () =>
      readdirSync(tempDir, { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .flatMap(({ name }) => readdirSync(join(tempDir, name)).map(file => join(tempDir, name, file))),
  };
}

function variant(name: string, change: Partial<Variant> = {}): Variant {
  return makeVariant({ url: `https://${HOST}/v/${name}.mp4?oe=AAAA`, ...change });
}

const hd = variant('hd', { width: 1080, height: 1920 });
const sd = variant('sd', { width: 720, height: 1280 });
const tiny = variant('tiny', { width: 240, height: 426 });
const post = (...variants: Variant[]) => makePost({ items: [makeItem({ variants })] });

/** Serves a file of the given size under each name, and nothing else. */
function sizes(bytes: Readonly<Record<string, number>>): RequestListener {
  return (request, response) => {
    const name = /\/v\/(\w+)\./.exec(request.url ?? '')?.[1] ?? '';
    const size = bytes[name];
    if (size === undefined) response.writeHead(500).end();
    else serveFile(request, response, filmOf(size, name));
  };
}

function asFile(delivered: DeliveredFile | DeliveredLink): DeliveredFile {
  if (delivered.kind !== 'file') throw new Error(`a link: ${delivered.reason}`);
  return delivered;
}

const SOUND = readFileSync(new URL('../../fixtures/media/clay-audio.mp4', import.meta.url));

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a delivered file', () => {
  it('is the best variant, byte for byte, with all that a platform asks for', async () => {
    const { deliver, asked, agents, spooled } = await setUp(sizes({ hd: 300_000, sd: 100_000 }));
    const file = asFile(await deliver(post(hd, sd)));
    expect(digest(readFileSync(file.path))).toBe(digest(filmOf(300_000, 'hd')));
    expect(file).toMatchObject({
      bytes: 300_000,
      mime: 'video/mp4',
      fileName: 'kelp.forest-2025-10-09-C9TestReef01.mp4',
      ...FILM,
      hasAudio: true,
      thumbnail: null,
    });
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(asked).toEqual(['GET /v/hd.mp4?oe=AAAA']);
    expect(agents).toEqual(['Mozilla/5.0']);
    await file.dispose();
    await file.dispose();
    expect(spooled()).toEqual([]);
  });

  it('is asked for under the name that the CDN is quick for', async () => {
    const { deliver, agents } = await setUp(sizes({ hd: 5_000 }));
    const url = 'https://video.xx.fbcdn.net/v/hd.mp4';
    await deliver({ ...post({ ...hd, url }), source: 'facebook', id: '10158' });
    expect(agents).toEqual(['facebookexternalhit/1.1']);
  });

  it('has the type and the name of what the CDN really sends', async () => {
    const { deliver } = await setUp((request, response) => serveFile(request, response, fileOf(50), 'image/jpeg'));
    const webp = { ...hd, mime: 'image/webp', hasVideo: false, hasAudio: false };
    const items = [makePhoto(), makePhoto({ variants: [webp] })];
    expect(asFile(await deliver(makePost({ items }), { index: 1 }))).toMatchObject({
      mime: 'image/jpeg',
      fileName: 'kelp.forest-2025-10-09-C9TestReef01-2.jpg',
      durationMs: null,
    });
  });

  it('is only the audio when that is wanted', async () => {
    const { deliver } = await setUp((request, response) => serveFile(request, response, SOUND, 'audio/mp4'));
    const audio = variant('audio', { mime: 'audio/mp4', hasVideo: false, adaptive: true, width: null, height: null });
    expect(asFile(await deliver(post(hd, audio), { form: 'audio' }))).toMatchObject({
      mime: 'audio/mp4',
      fileName: 'kelp.forest-2025-10-09-C9TestReef01.m4a',
      width: null,
      height: null,
    });
  });
});

describe('the byte budget', () => {
  it('turns to the next smaller one when a file is too large, without fetching it', async () => {
    const { deliver, asked } = await setUp(sizes({ hd: 3_000_000, sd: 900_000 }));
    expect(asFile(await deliver(post(hd, sd))).bytes).toBe(900_000);
    expect(asked).toEqual(['GET /v/hd.mp4?oe=AAAA', 'GET /v/sd.mp4?oe=AAAA']);
  });

  it('asks for all unknown sizes at once when the best is too large', async () => {
    const { deliver, asked } = await setUp(sizes({ hd: 3_000_000, sd: 2_000_000, tiny: 50_000 }));
    expect(asFile(await deliver(post(hd, sd, tiny))).bytes).toBe(50_000);
    expect(asked.map(line => line.replace('?oe=AAAA', '')).sort()).toEqual([
      'GET /v/hd.mp4',
      'GET /v/tiny.mp4',
      'HEAD /v/sd.mp4',
      'HEAD /v/tiny.mp4',
    ]);
  });

  it('asks nothing about what is known to be too large', async () => {
    const { deliver, asked } = await setUp(sizes({ sd: 5_000 }));
    const rated = { ...variant('rated'), bitrate: 8_000_000 };
    await deliver(post({ ...hd, bytes: 3_000_000 }, rated, sd));
    expect(asked).toEqual(['GET /v/sd.mp4?oe=AAAA']);
  });

  it('stops a file that outgrows it on the way', async () => {
    const { deliver, spooled } = await setUp((request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      if (request.url?.includes('/hd') === true)
        for (let chunk = 0; chunk < 50; chunk += 1) response.write(fileOf(60_000));
      response.end(filmOf(60_000));
    });
    const file = asFile(await deliver(post(hd, sd)));
    expect(file.bytes).toBe(60_000);
    expect(spooled()).toHaveLength(1);
  });

  it('ends in a link when nothing fits', async () => {
    const { deliver, spooled } = await setUp(sizes({ hd: 3_000_000, sd: 2_000_000 }));
    expect(await deliver(post(hd, sd))).toEqual({
      kind: 'link',
      url: 'https://www.instagram.com/reel/C9TestReef01/',
      leadsTo: 'original',
      reason: 'too_large',
    });
    expect(spooled()).toEqual([]);
  });

  it('turns to the next smaller one after a platform has refused one', async () => {
    const { deliver, asked } = await setUp(sizes({ hd: 800_000, sd: 400_000 }));
    const first = asFile(await deliver(post(hd, sd)));
    const second = asFile(await deliver(post(hd, sd), { refused: [first.variantKey] }));
    expect(second.bytes).toBe(400_000);
    const none = await deliver(post(hd, sd), { refused: [first.variantKey, second.variantKey] });
    expect(none).toMatchObject({ kind: 'link', reason: 'too_large' });
    expect(asked).toHaveLength(2);
  });
});

describe('links', () => {
  const addresses: DeliveryOptions['addresses'] = {
    file: file => `https://medley.example/media/${file.fileName}?${new URL(file.url).pathname}&${file.expiresAt - NOW}`,
    page: ({ id }, index, expiresAt) => `https://medley.example/v/${id}-${index}?${expiresAt - NOW}`,
  };

  it('lead to the page that plays a video, where people can reach it', async () => {
    const { deliver } = await setUp(sizes({ hd: 3_000_000, sd: 2_000_000 }), { addresses });
    expect(await deliver(post(sd, hd))).toEqual({
      kind: 'link',
      url: `https://medley.example/v/C9TestReef01-0?${7 * 24 * 3_600_000}`,
      leadsTo: 'page',
      reason: 'too_large',
    });
  });

  it('lead to the page though the video’s own address is over: the page finds the new one', async () => {
    const { deliver, asked } = await setUp(sizes({}), { addresses });
    const over = { ...hd, bytes: 3_000_000, expiresAt: NOW - 1 };
    expect(await deliver(post(over))).toMatchObject({ leadsTo: 'page', reason: 'too_large' });
    const photo = { ...over, mime: 'image/jpeg', hasVideo: false, hasAudio: false };
    expect(await deliver(makePost({ items: [makePhoto({ variants: [photo] })] }))).toMatchObject({
      leadsTo: 'original',
    });
    expect(asked).toEqual([]);
  });

  it('lead into the tunnel for what no page plays', async () => {
    const photo = { ...hd, mime: 'image/jpeg', hasVideo: false, hasAudio: false };
    const { deliver } = await setUp(sizes({ hd: 3_000_000 }), { addresses });
    const items = [makePhoto({ variants: [photo] })];
    expect(await deliver(makePost({ items }))).toMatchObject({
      url: `https://medley.example/media/kelp.forest-2025-10-09-C9TestReef01.jpg?/v/hd.mp4&${6 * 3_600_000}`,
      leadsTo: 'tunnel',
    });
  });

  it('lead to the post when the file cannot be had at all', async () => {
    const { deliver } = await setUp(sizes({}), { addresses });
    const original = {
      url: 'https://www.instagram.com/reel/C9TestReef01/',
      leadsTo: 'original',
      reason: 'upstream_unavailable',
    };
    expect(await deliver(post(hd))).toMatchObject(original);
    expect(await deliver(makePost({ items: [] }))).toMatchObject(original);
    expect(await deliver(makePost({ items: [makePhoto()] }), { form: 'audio' })).toMatchObject(original);
  });
});

describe('what a CDN may do', () => {
  it.each([
    ['a page under the name of a video', 'text/html', '<!DOCTYPE html><h1>Sorry</h1>'],
    ['a page with the type of a video', 'video/mp4', '\n <html><body>Sorry</body></html>'],
    ['an error as JSON with no type', 'application/octet-stream', '{"error": "no"}'],
    ['nothing', 'video/mp4', ''],
    ['a picture', 'image/jpeg', 'a picture of an error'],
  ])('answers %s: the next one is taken', async (_, type, body) => {
    const { deliver } = await setUp((request, response) => {
      if (request.url?.includes('/hd') === true) response.writeHead(200, { 'content-type': type }).end(body);
      else serveFile(request, response, filmOf(5_000, 'sd'));
    });
    expect(asFile(await deliver(post(hd, sd))).bytes).toBe(5_000);
  });

  it('refuses an address that ran out: the post is asked for again, once', async () => {
    const renewedVariant = variant('hd', { ...hd, url: `https://${HOST}/v/hd.mp4?oe=BBBB` });
    const { deliver, asked, refreshed } = await setUp(
      (request, response) => {
        if (request.url?.includes('BBBB') === true) serveFile(request, response, filmOf(7_000, 'hd'));
        else response.writeHead(403, { 'content-type': 'text/plain' }).end('URL signature expired');
      },
      { renewed: post(renewedVariant, sd) },
    );
    expect(asFile(await deliver(post(hd, sd))).bytes).toBe(7_000);
    expect(asked).toEqual(['GET /v/hd.mp4?oe=AAAA', 'GET /v/hd.mp4?oe=BBBB']);
    expect(refreshed).toEqual(['instagram:C9TestReef01']);
  });

  it('refuses an address of a post with another item readable now: the same item is sent', async () => {
    const renewedVariant = variant('hd', { ...hd, url: `https://${HOST}/v/hd.mp4?oe=BBBB` });
    const { items } = post(renewedVariant);
    const renewed = { items: [...post(sd).items, ...items.map(item => ({ ...item, position: 1 }))] };
    const { deliver, asked } = await setUp(
      (request, response) => {
        if (request.url?.includes('BBBB') === true) serveFile(request, response, filmOf(7_000, 'hd'));
        else response.writeHead(403).end();
      },
      { renewed },
    );
    const old = post(hd);
    const second = { ...old, items: old.items.map(item => ({ ...item, position: 1 })) };
    expect(asFile(await deliver(second)).bytes).toBe(7_000);
    expect(asked.at(-1)).toBe('GET /v/hd.mp4?oe=BBBB');
  });

  it('refuses the new address too: the next one is taken, then there is a link', async () => {
    const { deliver, asked, refreshed } = await setUp((_, response) => response.writeHead(410).end(), {
      renewed: post(hd, sd),
    });
    expect(await deliver(post(hd, sd))).toMatchObject({ kind: 'link', reason: 'upstream_unavailable' });
    expect(refreshed).toHaveLength(1);
    expect(asked).toHaveLength(3);
  });

  it('need not be asked about an address that is over by the clock', async () => {
    const renewedVariant = { ...hd, url: `https://${HOST}/v/hd.mp4?oe=BBBB` };
    const { deliver, asked } = await setUp(sizes({ hd: 5_000 }), { renewed: post(renewedVariant) });
    expect(asFile(await deliver(post({ ...hd, expiresAt: NOW - 1 }))).bytes).toBe(5_000);
    expect(asked).toEqual(['GET /v/hd.mp4?oe=BBBB']);
  });

  it('breaks off: the rest is asked for, at most twice', async () => {
    const whole = filmOf(200_000, 'hd');
    let breaks = 2;
    const { deliver, asked, spooled } = await setUp((request, response) => {
      if (breaks === 0) {
        serveFile(request, response, whole);
        return;
      }
      breaks -= 1;
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from === 0 ? 200 : 206, {
        'content-type': 'video/mp4',
        'content-length': whole.length - from,
        'content-range': `bytes ${from}-${whole.length - 1}/${whole.length}`,
        etag: '"f1le"',
      });
      response.write(whole.subarray(from, from + 70_000));
      // What was sent must be on the disk before the connection ends, or it would be lost with it.
      const watch = setInterval(() => {
        const [name] = spooled();
        if (name === undefined || statSync(name).size < from + 70_000) return;
        clearInterval(watch);
        response.socket?.end();
      }, 5);
    });
    const file = asFile(await deliver(post(hd)));
    expect(digest(readFileSync(file.path))).toBe(digest(whole));
    const starts = asked.map(line => Number(/bytes=(\d+)-$/.exec(line)?.[1] ?? 0));
    expect(starts).toEqual([0, 70_000, 140_000]);
  });

  it('breaks off and then sends all of it again: nothing is doubled', async () => {
    const whole = filmOf(90_000, 'hd');
    let first = true;
    const { deliver } = await setUp((_, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': whole.length });
      if (!first) {
        response.end(whole);
        return;
      }
      first = false;
      response.write(fileOf(50_000, 'other'), () => setTimeout(() => response.socket?.end(), 30));
    });
    const file = asFile(await deliver(post(hd)));
    expect(digest(readFileSync(file.path))).toBe(digest(whole));
  });

  it('drips: there is an end to it', async () => {
    const { deliver, spooled } = await setUp(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 500_000 });
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
      },
      { patience: { graceMs: 150, bytesPerSecond: 10_000_000 } },
    );
    expect(await deliver(post(hd, sd))).toMatchObject({ kind: 'link', reason: 'timeout' });
    expect(spooled()).toEqual([]);
  });

  it('packs a photo although asked not to: the next one is taken, and no packed bytes pass for a photo', async () => {
    const { deliver } = await setUp((request, response) => {
      if (request.url?.includes('/sd.')) return serveFile(request, response, fileOf(50), 'image/jpeg');
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-encoding': 'gzip' });
      response.end(gzipSync(fileOf(90)));
    });
    const [large, small] = [hd, sd].map(each => ({ ...each, mime: 'image/jpeg', hasVideo: false, hasAudio: false }));
    const photo = (...variants: (typeof large)[]) =>
      makePost({ items: [makeItem({ kind: 'image', variants: variants.filter(each => each !== undefined) })] });
    expect(asFile(await deliver(photo(large, small))).bytes).toBe(50);
    expect(await deliver(photo(large))).toMatchObject({ kind: 'link', reason: 'upstream_unavailable' });
  });

  it('leads elsewhere: hosts that are not its own are not asked', async () => {
    const { deliver, asked, log } = await setUp(sizes({ hd: 5_000 }));
    const foreign = variant('foreign', { url: 'https://evil.example/v/hd.mp4' });
    expect(await deliver(post(foreign))).toMatchObject({ kind: 'link', reason: 'upstream_unavailable' });
    expect(asked).toEqual([]);
    expect(log.at('info')).toHaveLength(1);
  });
});

describe('those who want the same file at once', () => {
  /** Sends nothing before it is released. */
  function heldBack(file: Buffer): { readonly listener: RequestListener; go(): void } {
    const waiting: (() => void)[] = [];
    return {
      listener: (request, response) => void waiting.push(() => serveFile(request, response, file)),
      go() {
        for (const send of waiting.splice(0)) send();
      },
    };
  }
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise(resolve => setTimeout(resolve, 5));
  }

  it('share one download, and the file stays until the last lets go', async () => {
    const { listener, go } = heldBack(filmOf(10_000, 'hd'));
    const { deliver, asked, spooled } = await setUp(listener);
    const both = Promise.all([deliver(post(hd)), deliver(post(hd), { maxBytes: MAX / 2 })]);
    await until(() => asked.length === 1);
    go();
    const [one, two] = (await both).map(asFile);
    if (one === undefined || two === undefined) throw new Error('no files');
    expect(two.path).toBe(one.path);
    await one.dispose();
    await one.dispose();
    const three = asFile(await deliver(post(hd)));
    expect(three.path).toBe(one.path);
    await two.dispose();
    expect(existsSync(one.path)).toBe(true);
    await three.dispose();
    expect(spooled()).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('do not share what differs', async () => {
    const { deliver, asked } = await setUp(sizes({ hd: 5_000 }));
    const two = makePost({ items: [makeItem({ variants: [hd] }), makeItem({ variants: [hd] })] });
    await Promise.all([deliver(two), deliver(two, { index: 1 }), deliver({ ...two, id: 'Other' })]);
    expect(asked).toHaveLength(3);
  });

  it('get it each by their own budget', async () => {
    const { listener, go } = heldBack(filmOf(600_000, 'hd'));
    const { deliver, asked } = await setUp(listener);
    const small = deliver(post(hd), { maxBytes: 500_000 });
    const large = deliver(post(hd));
    await until(() => asked.length === 1);
    go();
    expect(await small).toMatchObject({ kind: 'link', reason: 'too_large' });
    await until(() => asked.length === 2);
    go();
    expect(asFile(await large).bytes).toBe(600_000);
  });

  it('may leave: the others get it, and when all have left it ends', async () => {
    const { listener, go } = heldBack(filmOf(10_000, 'hd'));
    const { deliver, asked, spooled } = await setUp(listener);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const first = deliver(post(hd), {}, leaving.signal);
    const second = deliver(post(hd), {}, staying.signal);
    await until(() => asked.length === 1);
    leaving.abort();
    await expect(first).rejects.toMatchObject({ name: 'AppError', code: 'timeout' });
    go();
    await asFile(await second).dispose();

    const third = deliver(post(hd), {}, staying.signal);
    await until(() => asked.length === 2);
    staying.abort();
    await expect(third).rejects.toMatchObject({ code: 'timeout' });
    expect(spooled()).toEqual([]);
    await expect(deliver(post(hd), {}, staying.signal)).rejects.toMatchObject({ code: 'timeout' });
    expect(asked).toHaveLength(2);
  });
});

describe('the disk', () => {
  it('holds no more than its share: who comes later waits', async () => {
    const { deliver } = await setUp(sizes({ hd: 400_000, sd: 400_000, tiny: 400_000 }), { maxSpoolBytes: MAX });
    const first = asFile(await deliver(post(hd)));
    const second = asFile(await deliver(post(sd)));
    let third: DeliveredFile | undefined;
    const waiting = deliver(post(tiny)).then(value => {
      third = asFile(value);
    });
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(third).toBeUndefined();
    await first.dispose();
    await waiting;
    expect(third?.bytes).toBe(400_000);
    await second.dispose();
  });

  it('can be waited for no longer than a caller wants it', async () => {
    const { deliver } = await setUp(sizes({ hd: 700_000, sd: 700_000 }), { maxSpoolBytes: MAX });
    await deliver(post(hd));
    const leaving = new AbortController();
    const waiting = deliver(post(sd), {}, leaving.signal);
    setTimeout(() => leaving.abort(), 20);
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
  });

  it('cannot be written: a link, and the owner hears of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'medley-delivery-'));
    const tempDir = join(folder, 'a file');
    const { deliver, log } = await setUp(sizes({ hd: 5_000 }), { tempDir });
    rmSync(tempDir, { recursive: true });
    writeFileSync(tempDir, '');
    expect(await deliver(post(hd))).toMatchObject({ kind: 'link', reason: 'upstream_unavailable' });
    expect(log.at('error')).toHaveLength(1);
    rmSync(folder, { recursive: true });
  });

  it('is cleaned of what an earlier process left, and of nothing else', async () => {
    const tempDir = mkdtempSync(join(tmpdir(), 'medley-delivery-'));
    for (const name of [randomUUID(), 'kept']) {
      mkdirSync(join(tempDir, name));
      writeFileSync(join(tempDir, name, '1'), 'left');
    }
    writeFileSync(`${tempDir}-${randomUUID()}.lock`, '');
    const one = await setUp(sizes({ hd: 5_000 }), { tempDir, keptBytes: 1_000_000 });
    const file = asFile(await one.deliver(post(hd)));
    const own = basename(dirname(file.path));
    expect(readdirSync(tempDir).sort()).toEqual([own, 'kept'].sort());
    const locks = () => readdirSync(dirname(tempDir)).filter(name => name.startsWith(`${basename(tempDir)}-`));
    expect(locks()).toEqual([`${basename(tempDir)}-${own}.lock`]);
    const two = await setUp(sizes({}), { tempDir });
    expect(existsSync(file.path)).toBe(true);
    await one.delivery.close();
    await two.delivery.close();
    expect([readdirSync(tempDir), locks()]).toEqual([['kept'], []]);
  });

  it('is left empty by close, which ends what runs', async () => {
    const { deliver, delivery, tempDir } = await setUp((request, response) => {
      if (request.url?.includes('/sd') === true) serveFile(request, response, filmOf(5_000));
    });
    await deliver(post(sd));
    const running = deliver(post(hd));
    await new Promise(resolve => setTimeout(resolve, 30));
    await delivery.close();
    expect(await running).toMatchObject({ kind: 'link' });
    expect(await deliver(post(sd))).toMatchObject({ kind: 'link' });
    expect(readdirSync(tempDir)).toEqual([]);
    await delivery.close();
  });
});

describe('a video that is smaller than the site has it', () => {
  const PAGE = 'https://medley.example/v/page';
  const addresses = { file: () => 'https://medley.example/media/file', page: () => PAGE };
  const big = { ...hd, bytes: 3 * MAX };
  const small = { ...sd, bytes: 100_000 };

  it('says so, its own size, and where the whole one is', async () => {
    const reachable = await setUp(sizes({ sd: 100_000 }), { addresses });
    const reduced = { bytes: 100_000, url: PAGE, leadsTo: 'page' };
    expect(asFile(await reachable.deliver(post(big, small))).reduced).toEqual(reduced);
    const request = { post: post(big, small), index: 0, form: 'original' as const, maxBytes: MAX };
    expect(reachable.delivery.remoteFile(request)?.reduced).toEqual(reduced);
    const { deliver } = await setUp(sizes({ sd: 100_000 }));
    const { url } = post();
    expect(asFile(await deliver(post(big, small))).reduced).toEqual({ bytes: 100_000, url, leadsTo: 'original' });
  });

  it('says so when the size of the better one turned out to be too large on the way', async () => {
    const { deliver } = await setUp(sizes({ hd: 2 * MAX, sd: 100_000 }));
    expect(asFile(await deliver(post(hd, sd))).reduced?.bytes).toBe(100_000);
  });

  it('is not one whose better files cannot be had, are no larger, or play on few devices', async () => {
    const { deliver } = await setUp(sizes({ hd: 200_000, sd: 100_000 }));
    expect(asFile(await deliver(post(hd, sd))).reduced).toBeUndefined();
    const gone = await setUp(sizes({ sd: 100_000 }));
    expect(asFile(await gone.deliver(post(hd, sd))).reduced).toBeUndefined();
    const hevc = await setUp(sizes({ sd: 100_000 }));
    const other = { ...hd, codecs: 'hvc1.1.6.L120', bytes: 400_000 };
    expect(asFile(await hevc.deliver(post(other, sd))).reduced).toBeUndefined();
  });
});

describe('remoteFile', () => {
  it('is the best that surely fits and whose address still lives', async () => {
    const { delivery, asked } = await setUp(sizes({}));
    const remote = (variants: Variant[], change: Partial<DeliveryRequest> = {}) =>
      delivery.remoteFile({ post: post(...variants), index: 0, form: 'original', maxBytes: MAX, ...change })?.url;
    const known = { ...sd, bytes: 900_000 };
    expect(remote([{ ...hd, bytes: 3_000_000 }, known])).toBe(known.url);
    expect(remote([{ ...hd, width: null, height: null }])).toBeUndefined();
    expect(remote([{ ...known, expiresAt: NOW }])).toBeUndefined();
    expect(remote([known], { index: 3 })).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('is nothing that plays on few devices or is poor, where a better file can be made', async () => {
    const skills = { hasMp3: true, mapsTones: true };
    const ffmpeg = { program: '/usr/bin/ffmpeg', version: '7', ...skills, run: async () => undefined };
    const able = await setUp(sizes({}), { ffmpeg });
    const unable = await setUp(sizes({}));
    const hevc = { ...hd, codecs: 'hvc1.1.6.L120', bytes: 400_000 };
    const poor = { ...tiny, bytes: 60_000 };
    const remote = ({ delivery }: Setup, ...variants: Variant[]) => {
      const items = [makeItem({ variants, durationMs: 8_000 })];
      return delivery.remoteFile({ post: makePost({ items }), index: 0, form: 'original', maxBytes: MAX })?.url;
    };
    expect(remote(able, hevc)).toBeUndefined();
    expect(remote(unable, hevc)).toBe(hevc.url);
    expect(remote(able, { ...hd, bytes: 3 * MAX }, poor)).toBeUndefined();
    expect(remote(able, { ...sd, bytes: 900_000 }, poor)).toBe(sd.url);
  });
});
