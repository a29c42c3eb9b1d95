import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import type { Drill } from './drill.ts';
import { CADDY, type Frontend, NGINX, OPENSSL, readText, startCaddy, startInnerCaddy, startNginx } from './proxies.ts';
import { openScene, type Scene } from './scene.ts';

const PROMTOOL = '/usr/bin/promtool';
const NAME = 'medley.example';
const FILE_BYTES = 3_000_000;
const TIMEOUT_MS = 5_000;
/** For a proxy to have its certificate. */
const READY_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly body: string;
  readonly remaining: number;
}

/** Asks under the public name, from an address of loopback. Status 0 when it fails. */
function ask(
  port: number,
  path: string,
  from: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise(resolve => {
    let [bytes, body] = [0, ''];
    const end = (status: number, remaining = Number.NaN) => resolve({ status, bytes, body, remaining });
    const asked = request(
      {
        ...{ host: '127.0.0.1', port, path, localAddress: from, servername: NAME, rejectUnauthorized: false },
        headers: { host: NAME, ...headers },
        agent: false,
        timeout: TIMEOUT_MS,
      },
      response => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (body.length < 10_000) body += chunk.toString('latin1');
        });
        response.once('end', () => end(response.statusCode ?? 0, Number(response.headers['x-ratelimit-remaining'])));
        response.once('error', () => end(0));
      },
    );
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => end(0));
    asked.end();
  });
}

/** Whether the web chat welcomes a page of its own name. */
function isWelcomed(port: number): Promise<boolean> {
  const options = { headers: { host: NAME }, origin: `https://${NAME}`, servername: NAME, rejectUnauthorized: false };
  const socket = new WebSocket(`wss://127.0.0.1:${port}/chat`, { ...options, handshakeTimeout: TIMEOUT_MS });
  return new Promise<boolean>(resolve => {
    socket.once('open', () => socket.send(JSON.stringify({ type: 'hello', session: randomUUID(), locales: ['en'] })));
    socket.once('message', data => resolve(String(data).includes('"welcome"')));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  }).finally(() => socket.terminate());
}

/** Whether visitors are told apart, and what they say of their address themselves is not believed. */
async function areToldApart(port: number): Promise<boolean> {
  const left = async (from: string, headers?: Readonly<Record<string, string>>) =>
    (await ask(port, '/api/igdownload', from, headers)).remaining;
  const [one, other] = [await left('127.0.0.21'), await left('127.0.0.22')];
  const again = await left('127.0.0.21', { 'x-forwarded-for': '203.0.113.7' });
  return one === 999 && other === 999 && again === 998;
}

async function tryProxy(name: string, scene: Scene, { port }: Frontend, say: (line: string) => void): Promise<boolean> {
  const until = Date.now() + READY_MS;
  while ((await ask(port, '/healthz', '127.0.0.20')).status !== 200 && Date.now() < until) await pause(100);
  const page = await ask(port, '/', '127.0.0.20');
  const metrics = await ask(port, '/metrics', '127.0.0.20');
  const file = await ask(port, scene.media(FILE_BYTES), '127.0.0.20');
  const seen = {
    page: page.status === 200 && /<html/i.test(page.body),
    'no metrics': metrics.status === 404,
    'a file': file.status === 200 && file.bytes === FILE_BYTES,
    'web chat': await isWelcomed(port),
    'addresses of visitors': await areToldApart(port),
  };
  say(
    `${name}: ${Object.entries(seen)
      .map(([what, isFine]) => `${what} ${isFine ? 'ok' : 'FAILED'}`)
      .join(', ')}`,
  );
  return Object.values(seen).every(Boolean);
}

/** What compose.yaml trusts, and loopback, where all of it is here. */
async function trustOfCompose(): Promise<string> {
  const trusted = /TRUST_PROXY: \$\{TRUST_PROXY:-([^}]+)\}/.exec(await readText('compose.yaml'))?.[1];
  if (trusted === undefined) throw new Error('compose.yaml trusts no proxy');
  return `loopback,${trusted}`;
}

async function checkAlerts(say: (line: string) => void): Promise<boolean> {
  const file = fileURLToPath(new URL('../../docs/operate/alerts.yml', import.meta.url));
  const cases = fileURLToPath(new URL('alert-cases.yml', import.meta.url));
  const { stdout } = await promisify(execFile)(PROMTOOL, ['check', 'rules', file]);
  const tried = await promisify(execFile)(PROMTOOL, ['test', 'rules', cases]).catch(
    (error: { stdout: string }) => error,
  );
  const lines = [stdout.replace(file, 'alerts.yml'), tried.stdout.replace(cases, 'alert-cases.yml')];
  for (const line of lines) say(`promtool: ${line.trim().replace(/\s+/g, ' ')}`);
  return lines.every(line => /SUCCESS/.test(line));
}

export const operateDrill: Drill = {
  name: 'operate',
  about: 'what stands in docs/operate, by the real nginx, Caddy and promtool',
  async run(say) {
    const missing = [NGINX, CADDY, OPENSSL, PROMTOOL].filter(program => !existsSync(program));
    if (missing.length > 0) {
      say(`skipped: there is no ${missing.join(', ')} (Debian: nginx-light or nginx, caddy, openssl, prometheus)`);
      return true;
    }
    const folder = await mkdtemp(join(tmpdir(), 'medley-operate-'));
    const over: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
    const own = async <T>(thing: T, end: () => Promise<void>): Promise<T> => {
      over.unshift(end);
      return thing;
    };
    const open = async (trust: string) => {
      const scene = await openScene({ PUBLIC_URL: `https://${NAME}`, TRUST_PROXY: trust });
      return own(scene, () => scene.close());
    };
    const start = async (starting: Promise<Frontend>) => {
      const proxy = await starting;
      return own(proxy, () => proxy.stop());
    };
    const portOf = ({ origin }: Scene) => Number(new URL(origin).port);
    try {
      const results = [await checkAlerts(say)];
      // Each has visitors that were not counted before.
      for (const [name, begin] of [
        ['nginx', startNginx],
        ['Caddy', startCaddy],
      ] as const) {
        const scene = await open('loopback');
        results.push(await tryProxy(name, scene, await start(begin(folder, portOf(scene))), say));
      }
      const scene = await open(await trustOfCompose());
      const inner = await start(startInnerCaddy(folder, portOf(scene)));
      const outer = await start(startNginx(folder, inner.port));
      results.push(await tryProxy('nginx before the Caddy of compose.yaml', scene, outer, say));
      return results.every(Boolean);
    } finally {
      for (const end of over) await end();
    }
  },
};
