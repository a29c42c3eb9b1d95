import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fbDownloadAnswer, type IgMedia, igDownloadAnswer } from '../../src/api/media/post-schema.ts';
import { createPlayerLinks } from '../../src/media/tunnel/player-links.ts';
import { ffmpegMissing, ffmpegNote, ffprobe, makeFolder } from '../ffmpeg.ts';
import { demoLinks } from '../sandbox/links.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { WORLD } from '../sandbox/world.ts';
import { type Program, startProgram } from './program.ts';

const LINKS = demoLinks(WORLD).filter(({ shows }) => shows === 'media');
const INSTAGRAM = LINKS.filter(({ url }) => new URL(url).hostname === 'www.instagram.com');
const FACEBOOK = LINKS.filter(({ url }) => ['www.facebook.com', 'fb.watch'].includes(new URL(url).hostname));

const KEY = randomBytes(32);

const responseSchema = z.object({ headers: z.record(z.string(), z.unknown()) });
const documentSchema = z.object({
  paths: z.record(z.string(), z.object({ get: z.object({ responses: z.record(z.string(), responseSchema) }) })),
});

/** What the real ffprobe says of a file. */
async function look(path: string) {
  const lines = (await ffprobe(path, 'stream=codec_type,width,height')).trim().split('\n');
  const read = (name: string) => lines.find(line => line.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    width: Number(read('width')),
    height: Number(read('height')),
    hasAudio: lines.includes('codec_type=audio'),
  };
}

/** Nothing in it is broken from the first frame to the last. */
async function expectToPlay(path: string): Promise<void> {
  const { stderr } = await promisify(execFile)('/usr/bin/ffmpeg', [
    ...['-nostdin', '-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'],
  ]);
  expect(stderr).toBe('');
}

describe.skipIf(ffmpegMissing)(`the files of the API${ffmpegNote}`, () => {
  let sandbox: Sandbox;
  let medley: Program;
  let address = '';

  beforeAll(async () => {
    sandbox = await createSandbox();
    const MEDIA_KEY = KEY.toString('hex');
    medley = await startProgram({ UPSTREAM_OVERRIDES: sandbox.overrides, MEDIA_KEY, PATH: '' });
    address = await medley.ready;
  });

  afterAll(async () => {
    await medley?.kill();
    await sandbox?.close();
  });

  /** A file of the CDN, which the sandbox plays, or of Medley itself. */
  async function save(url: string): Promise<{ readonly path: string; readonly isOurs: boolean }> {
    const isOurs = url.startsWith(address);
    const { host, pathname, search } = new URL(url);
    const from = isOurs ? url : `${sandbox.origin}${pathname}${search}`;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(from, isOurs ? {} : { headers: { host } }, resolve).once('error', reject);
    });
    expect(response.statusCode).toBe(200);
    if (!isOurs) expect(url).toMatch(/^https:\/\//);
    const path = join(await makeFolder(), 'file');
    await pipeline(response, createWriteStream(path));
    return { path, isOurs };
  }

  async function ask(endpoint: string, link: string): Promise<unknown> {
    return (await fetch(`${address}api/${endpoint}?url=${encodeURIComponent(link)}`)).json();
  }

  it.each(INSTAGRAM)('igdownload: $about ($url)', async ({ url: link }) => {
    const { data } = igDownloadAnswer.parse(await ask('igdownload', link)).result.response;
    expect(data.length).toBeGreaterThan(0);
    for (const media of data) {
      const { path } = await save(media.url);
      const { width, height, hasAudio } = await look(path);
      expect({ width: media.width, height: media.height }).toEqual({ width, height });
      expect(hasAudio).toBe(media.type === 'video' && !isSilent(link));
      await expectToPlay(path);
    }
  });

  it.each(FACEBOOK)('fbdownload: $about ($url)', async ({ url: link, about }) => {
    const answer = await ask('fbdownload', link);
    if (about.includes('photo')) {
      expect(answer).toMatchObject({ status: 404, error: { code: 'not_found' } });
      return;
    }
    const { hd_url: hd, sd_url: sd } = fbDownloadAnswer.parse(answer).data;
    const sizes = [];
    for (const url of [hd, sd]) {
      const { path } = await save(url);
      const { width, height, hasAudio } = await look(path);
      expect(hasAudio).toBe(true);
      await expectToPlay(path);
      sizes.push(width * height);
    }
    const [best = 0, smallest = 0] = sizes;
    expect(best).toBeGreaterThanOrEqual(smallest);
  });

  const REEL = `url=${encodeURIComponent('https://www.instagram.com/reel/DVclaybowl1/')}`;

  it('audio and clip: the file itself, made of the whole one', async () => {
    // So the form of the reference sends it without its script.
    const audio = await save(`${address}api/audio?${REEL}&item=`);
    expect(await look(audio.path)).toEqual({ width: Number.NaN, height: Number.NaN, hasAudio: true });
    await expectToPlay(audio.path);
    const clip = await save(`${address}api/clip?${REEL}&from=0:01&to=3`);
    expect(await look(clip.path)).toEqual({ width: 720, height: 1280, hasAudio: true });
    await expectToPlay(clip.path);
    const [, seconds] = /duration=([\d.]+)/.exec(await ffprobe(clip.path, 'format=duration')) ?? [];
    // Without ffmpeg it begins at a key frame.
    expect(Number(seconds)).toBeGreaterThan(1.8);
    expect(Number(seconds)).toBeLessThan(4);
  });

  it.each([
    ['igdownload', REEL],
    ['audio', REEL],
    ['clip', `${REEL}&from=0:01&to=3`],
  ])('%s: the headers that /openapi.json says', async (name, query) => {
    const { paths } = documentSchema.parse(await (await fetch(`${address}openapi.json`)).json());
    const responses = paths[`/api/${name}`]?.get.responses ?? {};
    const { headers } = await fetch(`${address}api/${name}?${query}`);
    for (const header of Object.keys(responses['200']?.headers ?? {})) expect(headers.has(header), header).toBe(true);
    expect('304' in responses).toBe(headers.has('etag'));
  });

  it.each([
    [`clip?${REEL}&from=3&to=1`, 400, '"to" must be later'],
    [`clip?${REEL}&from=0&to=9:00`, 400, 'five minutes'],
    [`clip?${REEL}&from=x&to=3`, 400, '/api/clip'],
    [`clip?${REEL}&to=3`, 400, '"from" must be a time'],
    [`clip?${REEL}&from=2:00&to=2:03`, 400, 'the end of the video, which is 0:0'],
    ['audio?url=hello', 400, '"url" must be'],
    ['audio?url=https%3A%2F%2Fwww.instagram.com%2Freel%2FDZsilentsky%2F', 404, 'This post has no video with audio.'],
    [`audio?${REEL}&item=0`, 400, '/api/audio'],
    [`audio?${REEL}&item=7`, 404, 'no video'],
    [`audio?${REEL}&part=1`, 400, '"part" is no parameter'],
    ['audio?url=https%3A%2F%2Fwww.instagram.com%2Fp%2FDXtramshed1%2F', 404, 'no video'],
  ])('%s: %i', async (path, status, words) => {
    const response = await fetch(`${address}api/${path}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ status, error: { message: expect.stringContaining(words) } });
  });

  it('are put together here where there are two tracks alone, and the CDN’s own elsewhere', async () => {
    const urlOf = async (code: string) => {
      const answer = igDownloadAnswer.parse(await ask('igdownload', `https://www.instagram.com/reel/${code}/`));
      const [media]: readonly IgMedia[] = answer.result.response.data;
      return media?.url ?? '';
    };
    expect(await urlOf('DZtwotracks')).toMatch(new RegExp(`^${address}media/[\\w-]+$`));
    expect(new URL(await urlOf('DVclaybowl1')).hostname).toMatch(/\.cdninstagram\.com$/);
    const { hd_url: hd, sd_url: sd } = fbDownloadAnswer.parse(
      await ask('fbdownload', 'https://www.facebook.com/watch/?v=690117452208834'),
    ).data;
    expect(hd.startsWith(`${address}media/`)).toBe(true);
    expect(sd).toBe(hd);
    expect(await look((await save(hd)).path)).toEqual({ width: 1080, height: 1920, hasAudio: true });
  });

  it.each(['DVclaybowl1', 'DZtwotracks'])('are the same on the page that plays %s', async id => {
    const noPost = () => Promise.reject(new Error('the program finds it'));
    const links = createPlayerLinks(KEY, { address: () => '' }, noPost);
    const url = `https://www.instagram.com/reel/${id}/`;
    const path = links.address({ source: 'instagram', id, url }, 0, Date.now() + 60_000).slice(1);
    const page = await (await fetch(address + path)).text();
    expect(page).toContain('<meta property="og:video:width" content="1080">');
    expect(page).toContain('<meta property="og:video:height" content="1920">');
    const [, source = ''] = /<video[^>]* src="\/([^"]+)"/.exec(page) ?? [];
    expect(source).toBe(`${path}/film.mp4`);
    const { path: saved } = await save(address + source);
    expect(await look(saved)).toEqual({ width: 1080, height: 1920, hasAudio: true });
    await expectToPlay(saved);
  });
});

function isSilent(link: string): boolean {
  const post = WORLD.instagram.find(({ code }) => link.includes(code));
  return post?.media.every(media => media.kind === 'video' && !media.hasAudio) === true;
}
