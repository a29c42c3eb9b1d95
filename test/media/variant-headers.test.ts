/** Some hosts give a file only to who sends the page's cookie: it is for that host alone, and nothing that leaves Medley tells of it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toPublicPost } from '../../src/api/media/post-shapes.ts';
import { reply } from '../../src/bot/contract/reply-parts.ts';
import { AppError } from '../../src/errors.ts';
import { createDelivery } from '../../src/media/delivery/delivery.ts';
import { createFileSize } from '../../src/media/delivery/download.ts';
import { createCdnHeaders } from '../../src/media/files/cdn.ts';
import { type Post, postSchemaOf, type Variant } from '../../src/media/post.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import type { MuxOrder } from '../../src/media/tunnel/muxed-relay.ts';
import { playerTunnelFile } from '../../src/media/tunnel/player-file.ts';
import { createTunnel } from '../../src/media/tunnel/tunnel.ts';
import { unsealTunnelFile } from '../../src/media/tunnel/tunnel-token.ts';
import { renderWebReply } from '../../src/platforms/web/render/render.ts';
import { filmOf, serveFile } from '../fakes/cdn.ts';
import { createTestClient } from '../fakes/http-client.ts';
import { createRecordingLog } from '../fakes/log.ts';
import { serveHttp } from '../fakes/loopback.ts';
import { noMux } from '../fakes/no-mux.ts';
import { makeItem, makePost, makeQuoted, makeVariant } from '../fakes/post.ts';

const HOST = 'scontent.cdninstagram.com';
const OTHER = 'video.xx.fbcdn.net';
const FILM = filmOf(20_000);
const COOKIE = 'chain=Kestrel77';
const REFERER = 'https://www.toy.example/watch';
const HEADERS = { cookie: COOKIE, referer: REFERER };
const SECRET = /Kestrel77|toy\.example/;
const signal = new AbortController().signal;

const KEPT = makeVariant({ url: `https://${HOST}/v/kept.mp4?oe=AAAA` });
const guarded = (change: Partial<Variant> = {}) => ({ ...KEPT, headers: HEADERS, ...change });
const postWith = (...variants: Variant[]) => makePost({ items: [makeItem({ thumbnailUrl: null, variants })] });

interface World {
  /** What the host wants to see; it sends `/v/moved.mp4` on to the other host. */
  readonly cookie?: string;
  readonly found?: () => Promise<Post>;
  readonly fresh?: () => Promise<Post>;
}

/** A host that gives its files for the cookie alone, and another one that gives them to anyone. */
async function openWorld({ cookie = COOKIE, found, fresh }: World = {}) {
  const [asked, elsewhere, calls]: [IncomingMessage[], IncomingMessage[], string[]] = [[], [], []];
  const own = await serveHttp((request, response) => {
    asked.push(request);
    if (request.url?.startsWith('/v/moved.mp4')) {
      response.writeHead(302, { location: `https://${OTHER}/v/there.mp4` }).end();
    } else if (request.headers.cookie !== cookie || request.headers.referer !== REFERER) response.writeHead(403).end();
    else serveFile(request, response, FILM);
  });
  const other = await serveHttp((request, response) => {
    elsewhere.push(request);
    serveFile(request, response, FILM);
  });
  const log = createRecordingLog();
  const http = createTestClient({ [HOST]: own.origin, [OTHER]: other.origin }, { log });
  const shared = {
    ...{ http, log, mediaHosts: ['cdninstagram.com', 'fbcdn.net'], cdnHeaders: createCdnHeaders(sourceDescriptors) },
    async refresh(): Promise<Post> {
      calls.push('refresh');
      if (fresh === undefined) throw new AppError('upstream_unavailable', 'the site does not answer');
      return fresh();
    },
  };
  const key = randomBytes(32);
  const find = async () => {
    calls.push('find');
    return found?.() ?? shared.refresh();
  };
  const tunnel = createTunnel({ ...shared, key, muxTracks: noMux, find });
  const tempDir = mkdtempSync(join(tmpdir(), 'medley-headers-'));
  const delivery = createDelivery({ ...shared, tempDir });
  onTestFinished(async () => {
    await delivery.close();
    rmSync(tempDir, { recursive: true, force: true });
  });
  async function play(post: Post) {
    const [variant = makeVariant()] = post.items[0]?.variants ?? [];
    const token = tunnel.address(playerTunnelFile(post, 0, { variant }, Date.now() + 60_000)).slice('/media/'.length);
    expect(JSON.stringify(unsealTunnelFile(key, token))).not.toMatch(SECRET);
    const response = await tunnel.open(token, { method: 'GET', range: undefined, ifRange: undefined, signal });
    return { response, bytes: response.body && (await buffer(response.body)) };
  }
  return { asked, elsewhere, calls, log, http, shared, tunnel, delivery, play };
}

describe('a file whose host wants headers', () => {
  it('is played by an address of ours, for which they are looked up in the post that is kept', async () => {
    const post = postWith(guarded());
    const { play, asked, calls, log } = await openWorld({ found: async () => post });
    const { response, bytes } = await play(post);
    expect([response.status, bytes]).toEqual([200, FILM]);
    expect(JSON.stringify(response.headers)).not.toMatch(SECRET);
    await play(post);
    expect(calls).toEqual(['find']);
    expect(asked.every(({ headers }) => headers.cookie === COOKIE && headers.referer === REFERER)).toBe(true);
    expect(JSON.stringify(log.lines)).not.toMatch(SECRET);
  });

  it('is played by headers that the site gives anew, where those of the kept post are over', async () => {
    const newer = { ...HEADERS, cookie: 'chain=Kestrel78' };
    const old = postWith(guarded());
    const { play, calls } = await openWorld({
      cookie: newer.cookie,
      found: async () => old,
      fresh: async () => postWith(guarded({ headers: newer })),
    });
    expect((await play(old)).bytes).toEqual(FILM);
    expect(calls).toEqual(['find', 'refresh']);
  });

  it('is played where the kept post is gone, as the site is asked for it', async () => {
    const post = postWith(guarded());
    const { play } = await openWorld({ fresh: async () => post });
    expect((await play(post)).bytes).toEqual(FILM);
  });

  it('is put together with its audio by the headers of each track', async () => {
    const track = { adaptive: true, hasAudio: false };
    const video = guarded({ ...track, url: `https://${HOST}/v/track.mp4` });
    const audio = guarded({
      ...track,
      url: `https://${HOST}/v/audio.mp4`,
      mime: 'audio/mp4',
      hasAudio: true,
      hasVideo: false,
    });
    const post = postWith(video, audio);
    const { shared } = await openWorld();
    const orders: MuxOrder[] = [];
    const muxTracks = async (order: MuxOrder) => {
      orders.push(order);
      throw new AppError('too_large', 'enough was seen');
    };
    const tunnel = createTunnel({ ...shared, key: randomBytes(32), muxTracks, find: async () => post });
    const file = playerTunnelFile(post, 0, { variant: video, audio }, Date.now() + 60_000);
    const token = tunnel.address(file).slice('/media/'.length);
    const opened = tunnel.open(token, { method: 'GET', range: undefined, ifRange: undefined, signal });
    await expect(opened).rejects.toMatchObject({ code: 'too_large' });
    expect(orders).toMatchObject([
      { tracks: { video: { url: video.url, headers: HEADERS }, audio: { headers: HEADERS } } },
    ]);
  });

  it('is uploaded, and its address is given to no platform', async () => {
    const post = postWith(guarded());
    const { delivery, log } = await openWorld();
    const request = { post, index: 0, form: 'original', maxBytes: 1_000_000 } as const;
    expect(delivery.remoteFile({ ...request, post: postWith({ ...KEPT, bytes: 20_000 }) })).toBeDefined();
    expect(delivery.remoteFile({ ...request, post: postWith(guarded({ bytes: 20_000 })) })).toBeUndefined();
    const file = await delivery.deliver(request, signal);
    expect(file).toMatchObject({ kind: 'file', bytes: FILM.length });
    expect(JSON.stringify([file, log.lines])).not.toMatch(SECRET);
  });

  it('says its size to who sends them', async () => {
    const { shared } = await openWorld();
    expect(await createFileSize(shared)(guarded(), 'instagram', signal)).toBe(FILM.length);
  });

  it('that cannot be had is logged without them', async () => {
    const { delivery, log, play } = await openWorld({ cookie: 'chain=other', found: async () => postWith(guarded()) });
    const post = postWith(guarded());
    const refused = await delivery.deliver({ post, index: 0, form: 'original', maxBytes: 1_000_000 }, signal);
    expect(refused).toMatchObject({ kind: 'link', url: post.url });
    const failure: unknown = await play(post).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    const said = log.lines.map(({ details, message }) => [message, ...Object.values(details).map(inside)]);
    expect(`${JSON.stringify(said)} ${inside(failure)}`).not.toMatch(SECRET);
  });

  it('is followed to another host without them, whatever they say', async () => {
    const { delivery, elsewhere } = await openWorld();
    const value = fc.stringMatching(/^[A-Za-z0-9=;_/-]{12,40}$/);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(value, value, async (cookie, referer) => {
        round += 1;
        const url = `https://${HOST}/v/moved.mp4?oe=${round}`;
        const post = { ...postWith(guarded({ url, headers: { cookie, referer } })), id: `moved${round}` };
        const file = await delivery.deliver({ post, index: 0, form: 'original', maxBytes: 1_000_000 }, signal);
        expect(file.kind).toBe('file');
        if (file.kind === 'file') await file.dispose();
        const seen = elsewhere.splice(0).flatMap(({ rawHeaders, url: path }) => [...rawHeaders, path]);
        expect(seen.length).toBeGreaterThan(0);
        for (const secret of [cookie, referer]) expect(seen.join('\n')).not.toContain(secret);
      }),
      { numRuns: 20 },
    );
  });
});

it('of items nobody at the API sees the ids by which they are told apart', () => {
  const { items } = toPublicPost({ ...postWith(makeVariant()), items: [makeItem({ id: '77' })] }, () => '', 5);
  expect(items).toEqual([expect.not.objectContaining({ id: '77' })]);
});

describe('what others get to see of such a file', () => {
  const plain = makeVariant({ url: `https://${HOST}/v/free.mp4?oe=AAAA`, width: 240, height: 426 });
  const inner = postWith(guarded({ url: `https://${HOST}/v/inner.mp4?oe=AAAA` }));
  const post = { ...postWith(guarded(), plain), quoted: makeQuoted({ items: inner.items }) };

  it('is an address of ours at the API, in the post and in the one that it quotes', () => {
    const answer = toPublicPost(
      post,
      (index, { variant }, of) => `https://us.example/${of?.id}/${index}/${variant.width}`,
      5,
    );
    expect(JSON.stringify(answer)).not.toMatch(SECRET);
    expect(JSON.stringify(answer)).not.toMatch(/headers|kept\.mp4|inner\.mp4/);
    expect(postSchemaOf(['instagram']).parse(answer)).toEqual(answer);
    expect(answer.items[0]?.variants.map(({ url }) => url)).toEqual([`https://us.example/${post.id}/0/720`, plain.url]);
    expect(answer.quoted?.items[0]?.variants).toMatchObject([
      { url: `https://us.example/${post.quoted.id}/0/720`, expiresAt: 5 },
    ]);
    expect(answer.expiresAt).toBe(5);
  });

  it('is an address of ours in the frames of the web chat', () => {
    const gallery = [{ kind: 'media', post, index: 0, form: 'original', spoiler: false }] as const;
    const tunnel = { address: () => '/media/token' };
    const frame = JSON.stringify(renderWebReply(reply({ gallery }), { tunnel, assetAddress: () => undefined, now: 0 }));
    expect(frame).toContain('/media/token');
    expect(frame).not.toMatch(SECRET);
    expect(frame).not.toMatch(/kept\.mp4|free\.mp4/);
  });
});

/** All that a log could write of it. */
function inside(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? '';
  const { message, stack, cause, ...rest } = value;
  const causes: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return [
    message,
    stack,
    JSON.stringify(rest),
    ...[cause, ...causes].map(each => (each === undefined ? '' : inside(each))),
  ].join('\n');
}
