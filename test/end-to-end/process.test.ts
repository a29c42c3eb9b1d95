import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { openStore } from '../../src/infra/store/store.ts';
import { ask } from '../drills/bystander.ts';
import { createRedisServer, redisMissing, redisNote } from '../redis-server.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { startDemo } from './demo-program.ts';
import { runEntry } from './entry.ts';
import { type Program, startProgram } from './program.ts';

/** The port is asked for so late that all threads are at work by then. */
const LISTENING_LATE = `--import=data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    setTimeout(() => listen.apply(this, args), 700);
    return this;
  };
`)}`;

async function run(environment?: Readonly<Record<string, string>>, dotenv?: string): Promise<Program> {
  const medley = await startProgram(environment, dotenv);
  onTestFinished(() => medley.kill());
  return medley;
}

async function occupy(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** Opens a web chat and sends what is no frame. */
async function sendBrokenFrame(address: string): Promise<void> {
  const socket = new WebSocket(`${address.replace('http', 'ws')}chat`);
  socket.on('error', () => undefined);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  Reflect.get(socket, '_socket').write(Buffer.from([0xff, 0xff, 0xff, 0xff]));
  await closed;
}

describe('npm run demo', () => {
  it('ends with 0 after SIGTERM to npm, and leaves nothing behind', async () => {
    const { child, printed } = startDemo({}, ['npm', 'run', '--silent', 'demo']);
    const address = /^Medley is ready at (\S+)$/m.exec(await printed)?.[1] ?? '';
    expect((await fetch(`${address}healthz`)).status).toBe(200);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await expect(fetch(`${address}healthz`)).rejects.toThrow();
  });
});

describe('the program', () => {
  it('says one line on stdout, answers, and ends with 0 after SIGTERM', async () => {
    const medley = await run();
    const address = await medley.ready;
    for (const path of ['', 'docs', 'openapi.json', 'healthz', 'readyz', 'metrics']) {
      expect((await fetch(address + path)).status, path).toBe(200);
    }
    medley.child.kill('SIGTERM');
    expect(await medley.ended).toBe(0);
    expect(medley.stdout().split('\n')).toEqual([`Medley is ready at ${address}`, '']);
    for (const line of medley.stderr().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
  });

  it('goes on when nobody reads its stdout any more', async () => {
    const medley = await run();
    medley.child.stdout?.destroy();
    await expect.poll(medley.stderr, { timeout: 20_000 }).toContain('connected');
    await new Promise(resolve => setTimeout(resolve, 500));
    medley.child.kill('SIGTERM');
    expect(await medley.ended).toBe(0);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('finishes what runs before it ends by %s', async signal => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.close());
    const medley = await run({ UPSTREAM_OVERRIDES: sandbox.overrides });
    const address = await medley.ready;
    sandbox.faults.set('instagram.graphql-shortcode', 'drip', 1);
    const link = encodeURIComponent('https://www.instagram.com/reel/DVclaybowl1/');
    const answer = fetch(`${address}api/igdownload?url=${link}`);
    await new Promise(resolve => setTimeout(resolve, 300));
    // Ctrl+C in a terminal at `npm start`: npm passes on what the process got already.
    for (let n = 0; n < 2; n += 1) {
      medley.child.kill(signal);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    expect((await answer).status).toBe(200);
    expect(await medley.ended).toBe(0);
  });

  it('says so when its port is taken, and ends with 1', async () => {
    const { port } = await occupy();
    const medley = await run({ PORT: String(port) });
    expect(await medley.ended).toBe(1);
    expect(medley.stdout()).toBe('');
    expect(medley.stderr().trim().split('\n')).toHaveLength(1);
    expect(medley.stderr()).toContain(`127.0.0.1:${port} is already in use`);
  });

  it('says so with its catalogue at work, and still ends with 1', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'medley-process-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = openStore(join(folder, 'catalogue.db'));
    onTestFinished(() => store.close());
    // As long as another process writes, the thread of the catalogue waits within native code.
    store.run('BEGIN IMMEDIATE');
    const { port } = await occupy();
    const medley = await run({ PORT: String(port), DATA_DIR: folder, NODE_OPTIONS: LISTENING_LATE });
    expect(await medley.ended).toBe(1);
    expect(medley.stderr()).toMatch(/^Medley could not start: [^\n]+ is already in use\.[^\n]+\n$/);
    store.run('ROLLBACK');
  });

  it('refuses constants of a site that there is not, in one sentence, and ends with 1', async () => {
    const medley = await run({ UPSTREAM_CONSTANTS: '{"instagarm.mediaIdDocId":"27130000000000000"}' });
    expect(await medley.ended).toBe(1);
    expect(medley.stdout()).toBe('');
    expect(medley.stderr()).toMatch(
      /^The configuration is wrong:\n {2}UPSTREAM_CONSTANTS: expected keys that begin with .+\n$/,
    );
  });

  it('offers the sites of SOURCES alone, and refuses one that there is not', async () => {
    const wrong = await run({ SOURCES: 'facebook,instagarm' });
    expect(await wrong.ended).toBe(1);
    expect(wrong.stderr()).toMatch(/^The configuration is wrong:\n {2}SOURCES: expected all, .+\n$/);
    const medley = await run({ SOURCES: 'facebook' });
    const address = await medley.ready;
    const link = encodeURIComponent('https://www.instagram.com/reel/C1a2B3c4D5e/');
    expect((await fetch(`${address}api/post?url=${link}`)).status).toBe(400);
    expect(await (await fetch(`${address}openapi.json`)).text()).not.toMatch(/instagram post/i);
    medley.child.kill('SIGTERM');
    expect(await medley.ended).toBe(0);
  });

  it('names every wrong variable at once, never its value, and ends with 1', async () => {
    const medley = await run({ PORT: 'eighty', API_KEYS: 's3cret-value', USER_LIMIT: 'many' });
    expect(await medley.ended).toBe(1);
    expect(medley.stdout()).toBe('');
    for (const name of ['PORT', 'API_KEYS', 'USER_LIMIT']) expect(medley.stderr()).toContain(`${name}: expected`);
    expect(medley.stderr()).not.toContain('s3cret-value');
  });

  it('refuses an outgoing address that this machine does not have, in one sentence, as the doctor does', async () => {
    const settings = { UPSTREAM_LOCAL_ADDRESS: '203.0.113.9' };
    const sentence = 'UPSTREAM_LOCAL_ADDRESS: 203.0.113.9 is no address of this machine\n';
    const medley = await run(settings);
    await Promise.race([medley.ready, medley.ended]);
    expect(medley.stderr()).toBe(`Medley could not start: ${sentence}`);
    expect(await medley.ended).toBe(1);
    expect((await runEntry('doctor', [], settings)).stderr).toBe(`The examination failed: AppError: ${sentence}`);
  });

  it('names the variable whose cookies are of no account', async () => {
    const medley = await run({
      FACEBOOK_COOKIES_FILE: import.meta.filename,
      INSTAGRAM_COOKIES_FILE: import.meta.dirname,
    });
    await medley.ready;
    for (const name of ['FACEBOOK_COOKIES_FILE', 'INSTAGRAM_COOKIES_FILE'])
      expect(medley.stderr()).toMatch(new RegExp(`"${name} holds no \\w+ cookie, so no account is used: `));
  });

  it('reads .env, and lets the real environment win', async () => {
    const medley = await run({ CREATOR: 'Ours' }, 'CREATOR=Theirs\nLOG_LEVEL=silent\n');
    const answer = await fetch(`${await medley.ready}api/igdownload`);
    expect(await answer.json()).toMatchObject({ status: 400, creator: 'Ours', error: { code: 'invalid_request' } });
    expect(medley.stderr()).toBe('');
  });

  it('writes a few lines on thousands of refusals, whatever is refused', async () => {
    const medley = await run({ PUBLIC_URL: 'https://medley.example' });
    const address = await medley.ready;
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const handshake = { ...upgrade, 'sec-websocket-key': 'bWFkZSB1cCBieSBoYW5kIQ==' };
    const refusals = [
      () => ask(`${address}metrics`),
      () => ask(`${address}metrics`, '127.0.0.9', { authorization: 'Bearer no-such-key' }),
      () => ask(address, '127.0.0.9', { host: 'foreign.example' }),
      () => ask(`${address}api/post`, '127.0.0.9', { 'x-api-key': 'no-such-key' }),
      () => ask(`${address}chat`, '127.0.0.9', { ...handshake, origin: 'https://foreign.example' }),
      () => sendBrokenFrame(address),
    ];
    for (let n = 0; n < 300; n += 1) await Promise.all(refusals.map(refused => refused()));
    medley.child.kill('SIGTERM');
    expect(await medley.ended).toBe(0);
    const lines = medley.stderr().trim().split('\n');
    expect(lines.length).toBeLessThan(20);
    const counted = lines.map(line => z.looseObject({ times: z.number().default(1) }).parse(JSON.parse(line)));
    const failed = counted.filter(({ msg }) => msg === 'request failed');
    // Of wrong keys more than twenty are 429, which is no line at all.
    expect(failed.reduce((sum, { times }) => sum + times, 0)).toBeGreaterThanOrEqual(1_200);
  });

  it('asks the sandbox for a post, and refuses a forged media address', async () => {
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.close());
    const medley = await run({ UPSTREAM_OVERRIDES: sandbox.overrides });
    const address = await medley.ready;
    const link = encodeURIComponent('https://www.instagram.com/p/DXtramshed1/');
    const answer = await fetch(`${address}api/post?url=${link}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ source: 'instagram', id: 'DXtramshed1', items: [{ kind: 'image' }] });
    expect((await fetch(`${address}media/forged-token`)).status).toBe(404);
  });
});

describe.skipIf(redisMissing)(`two programs with one Redis${redisNote}`, () => {
  it('ask for a post once, and count their callers together', async () => {
    const redis = await createRedisServer();
    onTestFinished(() => redis.stop());
    await redis.start();
    const sandbox = await createSandbox();
    onTestFinished(() => sandbox.close());
    const environment = { UPSTREAM_OVERRIDES: sandbox.overrides, REDIS_URL: redis.url.replace('//', '//:fake-word@') };
    const [one, two] = await Promise.all([run(environment), run(environment)]);
    const ask = async (program: Program) => {
      await expect.poll(program.stderr).toContain('Redis answers');
      const link = encodeURIComponent('https://www.instagram.com/reel/DVclaybowl1/');
      const answer = await fetch(`${await program.ready}api/post?url=${link}`);
      expect(answer.status).toBe(200);
      const post: unknown = await answer.json();
      return { post, remaining: answer.headers.get('x-ratelimit-remaining') };
    };
    const first = await ask(one);
    const asked = sandbox.requests.length;
    const second = await ask(two);
    expect(asked).toBeGreaterThan(0);
    expect(sandbox.requests).toHaveLength(asked);
    expect(second).toEqual({ post: first.post, remaining: '998' });
    await redis.stop();
    expect((await ask(one)).post).toEqual(first.post);
    for (const program of [one, two]) {
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
      expect(program.stderr()).not.toContain('fake-word');
    }
  });
});
