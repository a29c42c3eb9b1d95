/** The doctor and the recorder as they are built, against the sandbox. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { matchesHost } from '../../src/infra/http/host-list.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { SANDBOX_OSU } from '../sandbox/osu.ts';
import { createSandbox, type SandboxOptions } from '../sandbox/sandbox.ts';

type Environment = Readonly<Record<string, string>>;

async function setUp(options: SandboxOptions = {}) {
  const sandbox = await createSandbox(options);
  const folder = await mkdtemp(join(tmpdir(), 'medley-doctor-'));
  onTestFinished(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });
  const run = async (program: 'doctor' | 'live', args: readonly string[] = [], own: Environment = {}) => {
    const path = fileURLToPath(new URL(`../../dist/${program}.js`, import.meta.url));
    if (!existsSync(path)) throw new Error('run `npm run build` first; `npm test` does');
    const env = { PATH: '', UPSTREAM_OVERRIDES: sandbox.overrides, DATA_DIR: join(folder, 'data'), ...own };
    const child = spawn(process.execPath, [path, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', chunk => {
      out += String(chunk);
    });
    child.stderr.on('data', chunk => {
      err += String(chunk);
    });
    const code = await new Promise<number | null>(resolve => child.once('close', resolve));
    return { code, out, err };
  };
  // A site that the sandbox does not play cannot be reached, and that is what the doctor is for.
  const played = sandbox.overrides.split(',').map(override => override.slice(0, override.indexOf('=')));
  const isHealthy = sourceDescriptors.every(({ hosts: [main] }) => matchesHost(played, main));
  return { sandbox, folder, run, healthyCode: isHealthy ? 0 : 1 };
}

const LINKS = {
  reel: 'https://www.facebook.com/reel/1184420716302551',
  photo: 'https://www.facebook.com/photo/?fbid=122108744930184',
  instagram: 'https://www.instagram.com/reel/DVclaybowl1/',
};

/** The rows of a source's table: strategy, link, outcome. */
function rows(out: string, source: string): readonly (readonly string[])[] {
  const table = out.split(`\n${source}\n`)[1]?.split('\n\n')[1] ?? '';
  return table.split('\n').map(line => line.trim().split(/\s{2,}/));
}

describe('npm run doctor', () => {
  it('says what is there and what is missing, the browser transport included', async () => {
    const { run, healthyCode } = await setUp();
    const { code, out, err } = await run('doctor');
    expect(err).toBe('');
    expect(code).toBe(healthyCode);
    expect(out).toMatch(/^ok {5}Node /m);
    expect(out).toMatch(/browser transport/);
    expect(out).toMatch(/^ok {5}www\.facebook\.com answers/m);
    expect(out).not.toContain('strategy');
  });

  it('ends quietly where its reader has left', () => {
    const path = fileURLToPath(new URL('../../dist/doctor.js', import.meta.url));
    const env = { PATH: process.env.PATH, SOURCES: 'instagram', UPSTREAM_PROXY: 'http://127.0.0.1:9' };
    const folder = mkdtempSync(join(tmpdir(), 'medley-doctor-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${path}" | true`], {
      ...{ cwd: folder, env, encoding: 'utf8' },
    });
    expect(stderr).toBe('');
  });

  it('asks osu! with the key, and every mirror, and knows misspelt variables and missing tokens', async () => {
    const { sandbox, run } = await setUp();
    sandbox.faults.set('hinai.search', 'status:503');
    const key = { OSU_CLIENT_ID: String(SANDBOX_OSU.clientId), OSU_CLIENT_SECRET: 'the-wrong-one' };
    const { code, out, err } = await run('doctor', [], { ...key, DISCORD_TOKE: 'x' });
    expect(err).toBe('');
    expect(code).toBe(1);
    expect(out).toMatch(/^WRONG {2}osu!: the key is refused.*\n {8}Copy OSU_CLIENT_ID and OSU_CLIENT_SECRET/m);
    expect(out).not.toContain('the-wrong-one');
    expect(out).toMatch(/^ok {5}osu\.direct answers$/m);
    expect(out).toMatch(/^note {3}hinai cannot be asked: .*503/m);
    expect(out).toMatch(/^note {3}DISCORD_TOKE is not read; did you mean DISCORD_TOKEN\?$/m);
    expect(out).toMatch(/^note {3}Telegram: no token$/m);
    const right = await run('doctor', [], { ...key, OSU_CLIENT_SECRET: SANDBOX_OSU.clientSecret });
    expect(right.out).toMatch(/^ok {5}osu!: the key is taken$/m);
  });

  it('refuses constants of a site that there is not, as the start does', async () => {
    const constants = { UPSTREAM_CONSTANTS: '{"instagarm.mediaIdDocId":"27130000000000000"}' };
    const { code, out, err } = await (await setUp()).run('doctor', [], constants);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^The configuration is wrong:\n {2}UPSTREAM_CONSTANTS: expected keys that begin with instagram\. or /,
    );
  });

  it('refuses a key of a site that does not exist, as the start does', async () => {
    const { run } = await setUp();
    const { code, out, err } = await run('doctor', [], { UPSTREAM_CONSTANTS: '{"instagram.nope":"1"}' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('UPSTREAM_CONSTANTS: no such key, or a value that it cannot have: instagram.nope');
    expect((await run('doctor', ['--help'])).err).toBe(
      "Unknown option '--help'. Usage: npm run doctor [-- --live [LINK ...]]\n",
    );
  });

  it('with --live asks every strategy for the public examples, and prints the table', async () => {
    const { sandbox, run, healthyCode } = await setUp();
    const { code, out, err } = await run('doctor', ['--live']);
    process.stdout.write(`${out}\n`);
    expect(err).toBe('');
    expect(code).toBe(healthyCode);
    const facebook = rows(out, 'facebook');
    expect(facebook[0]).toEqual(['strategy', 'link', 'outcome', 'time', 'what came back']);
    const outcomeOf = (strategy: string, link: string) =>
      facebook.find(row => row[0] === strategy && row[1] === link)?.[2];
    expect(outcomeOf('reel-page/plain', '1')).toBe('ok');
    expect(outcomeOf('embed/crawler', '1')).toBe('ok');
    // It holds the files of another video.
    expect(['not_found', 'upstream_changed']).toContain(outcomeOf('watch-page/plain', '1'));
    expect(outcomeOf('photo-page/plain', '2')).toBe('ok');
    expect(outcomeOf('post-page/plain', '3')).toBe('ok');
    expect(out).toMatch(/^ok {5}facebook: 3 links of 3 arrive, by /m);
    expect(out).toMatch(/^(?:ok |note) {3,4}instagram: \d links? of 3 arrive/m);
    expect(sandbox.count('unknown')).toBe(0);
  });

  it('asks for given links, and says which settings would help', async () => {
    const { sandbox, run } = await setUp({ isDataCentre: true });
    sandbox.faults.set('facebook.embed', 'garbage');
    const { code, out } = await run('doctor', ['--live', LINKS.reel, LINKS.photo]);
    expect(code).toBe(1);
    expect(out).toContain('instagram: none of the links is one of its posts');
    expect(rows(out, 'facebook').filter(row => row[0] === 'reel-page/plain')).toEqual([
      [
        'reel-page/plain',
        '1',
        'login_required',
        expect.stringMatching(/^\d\.\d\d s$/),
        expect.stringContaining('login'),
      ],
    ]);
    expect(out).toMatch(/UPSTREAM_PROXY: set a proxy/);
    expect(out).toMatch(/UPSTREAM_CONSTANTS: .*facebook\.embed\/crawler\.\*/);
    expect(out).toMatch(/FACEBOOK_COOKIES_FILE: the cookies of an account/);
  });

  it('does not count a post whose file cannot be had', async () => {
    const { sandbox, run } = await setUp();
    sandbox.faults.set('cdn', 'status:403');
    const { code, out } = await run('doctor', ['--live', LINKS.reel]);
    expect(code).toBe(1);
    const reel = rows(out, 'facebook').find(row => row[0] === 'reel-page/plain');
    expect(reel?.[2]).toBe('no_file');
    expect(reel?.[4]).toContain('403');
    expect(out).toMatch(/^WRONG {2}facebook: no strategy brings anything here/m);
    expect(out).toMatch(/^note {3}facebook: .*reel-page\/plain.* name files that cannot be had/m);
  });

  it('judges no way that the site wants left alone, and asks none of its endpoint again', async () => {
    const { sandbox, run } = await setUp();
    sandbox.faults.set('facebook.page', 'retry-after:600');
    sandbox.faults.set('facebook.embed', 'retry-after:600');
    const { out } = await run('doctor', ['--live', LINKS.reel, LINKS.photo]);
    expect(out).toMatch(/^ {2}not judged, .*: .*reel-page\/plain/m);
    expect(out).toMatch(/^note {3}facebook: nothing could be judged/m);
    expect(out).not.toMatch(/^WRONG {2}facebook/m);
    const embeds = rows(out, 'facebook').filter(row => row[0]?.startsWith('embed/'));
    expect(embeds.length).toBeGreaterThan(1);
    expect(sandbox.count('facebook.embed')).toBe(1);
  });

  it.each([
    [['--lively'], /--lively/],
    [['--live', 'example.com'], /https:\/\//],
    [[LINKS.reel], /--live/],
  ])('refuses %j with one message', async (args, message) => {
    const { code, out, err } = await (await setUp()).run('doctor', args);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});

describe('npm run live', () => {
  it('saves what came back, without what is private', async () => {
    const { folder, run } = await setUp();
    const { code, out, err } = await run('live', [LINKS.reel, LINKS.instagram]);
    expect(err).toBe('');
    expect(code).toBe(0);
    const saved = readdirSync(join(folder, 'recordings'), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.json'),
    );
    expect(out).toContain(`${saved.length} answers are in recordings/`);
    const texts = new Map(saved.map(name => [name, readFileSync(join(folder, 'recordings', name), 'utf8')]));
    const embed = [...texts].find(([name]) => name.endsWith('facebook/embed_crawler-1.json'))?.[1];
    expect(JSON.parse(embed ?? '')).toMatchObject({
      strategy: 'embed/crawler',
      link: 1,
      outcome: 'ok',
      exchanges: [
        {
          request: { method: 'GET', transport: 'plain', headers: { 'user-agent': expect.stringMatching(/^facebook/) } },
          response: { status: 200, body: expect.stringContaining('videoData') },
        },
      ],
    });
    expect(saved.some(name => name.includes('instagram'))).toBe(true);
    for (const [name, text] of texts) {
      // The sandbox's token and cookie, and signatures of addresses.
      expect(text, name).not.toMatch(/AVsandbox0T|SandboxCsrfTokenOfAVisitor|oh=00_Af/);
    }
  });

  it('asks nothing where its answers cannot be saved', async () => {
    const { folder, run } = await setUp();
    writeFileSync(join(folder, 'recordings'), '');
    const where = join(realpathSync(folder), 'recordings');
    expect(await run('live', [LINKS.reel])).toEqual({
      code: 1,
      out: '',
      err: `Nothing was asked: ${where} cannot be written: run this in a directory where this account may write.\n`,
    });
  });
});
