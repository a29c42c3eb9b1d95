import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createOutgoing, type Outgoing } from '../../../src/infra/http/outgoing.ts';
import type { PostRef } from '../../../src/media/extract/source.ts';
import { playableVariants } from '../../../src/media/post.ts';
import { META_MEDIA_HOSTS } from '../../../src/media/sources/kit/cdn-address.ts';
import { createYtDlpStrategy, findYtDlp } from '../../../src/media/sources/yt-dlp.ts';
import { parseYtDlpAnswer } from '../../../src/media/sources/yt-dlp-answer.ts';

const REF: PostRef = {
  source: 'facebook',
  id: '700100200300401',
  form: 'reel',
  url: 'https://www.facebook.com/reel/700100200300401',
  itemIndex: null,
  parts: {},
};
const file = (name: string) => `https://video.xx.fbcdn.net/v/${name}.mp4?oe=7A000000`;
const ANSWER = {
  _type: 'video',
  id: '700100200300401',
  title: 'Throwing a bowl',
  description: 'In one go #clay',
  uploader: 'Ines Holm',
  uploader_id: '61550000000001',
  timestamp: 1_790_000_100,
  duration: 42.48,
  thumbnail: 'https://scontent.xx.fbcdn.net/v/cover.jpg?oe=7A000000',
  view_count: 88_000,
  width: 1080,
  height: 1920,
  formats: [
    { format_id: 'sd', url: file('sd'), ext: 'mp4', protocol: 'https', width: null, height: null },
    { format_id: 'hd', url: file('hd'), ext: 'mp4', protocol: 'https', width: 720, height: 1280 },
    {
      format_id: '1a',
      url: file('audio'),
      ext: 'm4a',
      protocol: 'https',
      vcodec: 'none',
      acodec: 'mp4a.40.5',
      tbr: 64,
    },
    {
      format_id: '1v',
      url: file('1080'),
      ext: 'mp4',
      protocol: 'https',
      vcodec: 'avc1.640028',
      acodec: 'none',
      width: 1080,
      height: 1920,
      tbr: 2400,
    },
    { format_id: 'hls', url: file('list').replace('.mp4', '.m3u8'), ext: 'mp4', protocol: 'm3u8_native' },
    { format_id: 'x', url: 'https://evil.example/x.mp4', ext: 'mp4', protocol: 'https' },
    { format_id: 'y', url: 'http://video.xx.fbcdn.net/v/plain.mp4', ext: 'mp4', protocol: 'http' },
    { broken: true },
  ],
};

/** A program of that name in a folder of its own; `body` is JavaScript. */
async function install(body: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'medley-yt-dlp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'yt-dlp');
  await writeFile(program, `#!${process.execPath}\n${body}\n`);
  await chmod(program, 0o755);
  return folder;
}

async function setUp(body: string, outgoing?: Outgoing, concurrency?: number) {
  const folder = await install(body);
  const ytDlp = await findYtDlp(`relative:/nowhere/at/all:${folder}`, outgoing, concurrency);
  if (ytDlp === undefined) throw new Error('not found');
  const strategy = createYtDlpStrategy(ytDlp, { id: 'facebook', cdnHosts: META_MEDIA_HOSTS }, () => 7);
  return { folder, strategy, run: (signal: AbortSignal = AbortSignal.timeout(50_000)) => strategy.run(REF, signal) };
}

const print = (value: unknown) => `process.stdout.write(${JSON.stringify(JSON.stringify(value))});`;
const complain = (words: string) =>
  `process.stderr.write(${JSON.stringify(`ERROR: [facebook] ${words}\n`)}); process.exitCode = 1;`;

async function isAlive(pid: number): Promise<boolean> {
  try {
    return !/^\d+ \(.*\) Z/.test(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('findYtDlp', () => {
  it('is undefined where there is none', async () => {
    expect(await findYtDlp('')).toBeUndefined();
    expect(await findYtDlp('relative:/nowhere/at/all')).toBeUndefined();
  });

  it('takes programs only', async () => {
    const folder = await install('');
    await chmod(path.join(folder, 'yt-dlp'), 0o644);
    expect(await findYtDlp(folder)).toBeUndefined();
  });
});

describe('the strategy', () => {
  it('hands over the canonical address and little else', async () => {
    const body = `require('node:fs').writeFileSync(__dirname + '/seen.json', JSON.stringify({ args: process.argv.slice(2), env: process.env }));`;
    const outgoing = createOutgoing({ proxies: [{ url: 'http://proxy.example:3128' }] });
    const { folder, run } = await setUp(`${body}${print(ANSWER)}`, outgoing);
    await run();
    const seen = JSON.parse(await readFile(path.join(folder, 'seen.json'), 'utf8'));
    expect(seen.args.slice(-2)).toEqual(['--', REF.url]);
    expect(seen.args).toEqual(
      expect.arrayContaining(['-J', '--no-playlist', '--ignore-config', '--no-warnings', '--socket-timeout']),
    );
    expect(seen.args.join(' ')).not.toContain('proxy');
    const given = Object.keys(seen.env).filter(key => !key.startsWith('__CF'));
    expect(given.sort()).toEqual(['HTTPS_PROXY', 'HTTP_PROXY', 'LANG', 'PATH', 'PYTHONIOENCODING']);
    expect(seen.env.HTTPS_PROXY).toBe('http://proxy.example:3128');
  });

  it('gives the post with the files on the CDN, best first', async () => {
    const post = await (await setUp(print(ANSWER))).run();
    expect(post).toMatchObject({
      source: 'facebook',
      id: REF.id,
      url: REF.url,
      title: 'Throwing a bowl',
      caption: 'In one go #clay',
      hashtags: ['#clay'],
      publishedAt: 1_790_000_100_000,
      author: { name: 'Ines Holm', id: '61550000000001', verified: null },
      stats: { views: 88_000, likes: null },
      fetchedAt: 7,
      expiresAt: 0x7a000000 * 1000,
      strategy: 'yt-dlp',
    });
    const [item] = post.items;
    if (item === undefined) throw new Error('no item');
    expect(item).toMatchObject({ kind: 'video', width: 1080, height: 1920, durationMs: 42_480 });
    expect(
      item.variants.map(one => [/(\w+)\.mp4/.exec(one.url)?.[1], one.hasVideo, one.hasAudio, one.adaptive]),
    ).toEqual([
      ['1080', true, false, true],
      ['hd', true, null, false],
      ['sd', true, null, false],
      ['audio', false, true, true],
    ]);
    expect(playableVariants(item)).toHaveLength(2);
  });

  it('is there for videos of its source', async () => {
    const { strategy } = await setUp('');
    expect(strategy.isAvailable(REF)).toBe(true);
    expect(strategy.isAvailable({ ...REF, form: 'photo' })).toBe(false);
    expect(strategy.isAvailable({ ...REF, form: 'story' })).toBe(false);
    expect(strategy.isAvailable({ ...REF, source: 'instagram' })).toBe(false);
  });

  it.each([
    ['You have exceeded the rate-limit for accessing posts anonymously', 'upstream_rate_limited'],
    ['Unable to download webpage: HTTP Error 429: Too Many Requests', 'upstream_rate_limited'],
    ['This video is private', 'private'],
    ['only available for registered users who follow this account', 'private'],
    ['Restricted Video: you must be 18 years old', 'age_restricted'],
    ['The uploader has not made this video available; not available in your country', 'region_blocked'],
    ['This video is only available for registered users. Use --cookies', 'login_required'],
    ['Unable to download webpage: HTTP Error 404: Not Found', 'not_found'],
    ['Unable to download webpage: timed out', 'upstream_unavailable'],
    ['Cannot parse data; please report this issue', 'upstream_changed'],
    ['', 'upstream_changed'],
  ])('reads the complaint %j as %s', async (words, code) => {
    await expect((await setUp(complain(words))).run()).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('keeps addresses out of its errors', async () => {
    const { run } = await setUp(complain('Cannot parse https://video.xx.fbcdn.net/x.mp4?oh=secret'));
    const error = await run().catch((one: unknown) => one);
    expect(String(error)).toContain('Cannot parse');
    expect(String(error)).not.toContain('secret');
  });

  it('ends the program and its children when the time is over', async () => {
    const { folder, run } = await setUp(`
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      require('node:fs').writeFileSync(__dirname + '/pids', process.pid + ' ' + child.pid);
      process.stdout.write('{');
      setInterval(() => {}, 1000);`);
    const caller = new AbortController();
    const going = run(caller.signal);
    const pids = async () => (await readFile(path.join(folder, 'pids'), 'utf8').catch(() => '')).split(' ').map(Number);
    await expect.poll(async () => (await pids()).length).toBe(2);
    caller.abort(new AppError('timeout', 'over'));
    await expect(going).rejects.toMatchObject({ code: 'timeout', message: 'over' });
    for (const pid of await pids()) await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('stops a program that prints without end', async () => {
    const { run } = await setUp(`const more = () => process.stdout.write('x'.repeat(1 << 20), more); more();`);
    await expect(run()).rejects.toMatchObject({ code: 'too_large' });
  });

  it('runs as many at once as it may, and lets the waiting give up', async () => {
    const { folder, run } = await setUp(
      `require('node:fs').appendFileSync(__dirname + '/log', 'start '); setTimeout(() => { ${print(ANSWER)} require('node:fs').appendFileSync(__dirname + '/log', 'end '); }, 150);`,
      undefined,
      1,
    );
    const caller = new AbortController();
    const [first, waiting, last] = [run(), run(caller.signal), run()];
    caller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
    await Promise.all([first, last]);
    expect(await readFile(path.join(folder, 'log'), 'utf8')).toBe('start end start end ');
  });

  it('says so when the program is gone', async () => {
    const { folder, run } = await setUp('');
    await rm(path.join(folder, 'yt-dlp'));
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  });
});

describe('parseYtDlpAnswer', () => {
  const parse = (printed: string, ref: PostRef = REF) => parseYtDlpAnswer(printed, ref, META_MEDIA_HOSTS, 0);

  it('reads a post of several videos', () => {
    const { formats, id: _, ...entry } = ANSWER;
    const entries = [{ ...entry, formats }, { id: 'none' }, null, { ...entry, formats: [formats[0]] }];
    const post = parse(JSON.stringify({ _type: 'playlist', id: 'DXeh-kYiIge', title: 'Post by x', entries }), {
      ...REF,
      source: 'instagram',
      id: 'DXeh-kYiIge',
      form: 'p',
    });
    expect(post.items.map(item => [item.position, item.variants.length])).toEqual([
      [0, 4],
      [3, 1],
    ]);
    expect(post.missingItems).toBe(2);
    expect(post.title).toBeNull();
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'Traceback'],
    ['a list', '[]'],
    ['another video', JSON.stringify({ ...ANSWER, id: '700100200300499' })],
    ['files off the CDN', JSON.stringify({ ...ANSWER, formats: [ANSWER.formats[5]] })],
    ['no formats', JSON.stringify({ ...ANSWER, formats: [] })],
  ])('refuses %s', (_, printed) => {
    expect(() => parse(printed)).toThrow(AppError);
  });

  it('throws nothing but an AppError', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.record({
        formats: fc.array(fc.record({ url: fc.constant(file('a')), vcodec: fc.jsonValue(), width: fc.jsonValue() })),
      }),
    );
    fc.assert(
      fc.property(value, answer => {
        try {
          parse(JSON.stringify(answer));
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
    );
  });
});
