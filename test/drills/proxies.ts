import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

export const NGINX = '/usr/sbin/nginx';
export const CADDY = '/usr/bin/caddy';
export const OPENSSL = '/usr/bin/openssl';

/** A proxy that is there, listening on loopback. */
export interface Frontend {
  readonly port: number;
  stop(): Promise<void>;
}

const START_MS = 20_000;
const exec = promisify(execFile);

/** A file of the repository. */
export function readText(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** `docs/operate/nginx.conf` as it stands, but for ports and the certificate. */
export async function startNginx(folder: string, target: number): Promise<Frontend> {
  const port = await findFreePort();
  const [certificate, key] = [join(folder, 'own.crt'), join(folder, 'own.key')];
  const about = ['-x509', '-nodes', '-days', '2', '-subj', '/CN=medley.example', '-newkey', 'rsa:2048'];
  await exec(OPENSSL, ['req', ...about, '-keyout', key, '-out', certificate]);
  const site = adapt(await readText('docs/operate/nginx.conf'), [
    ['127.0.0.1:3000', `127.0.0.1:${target}`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['listen [::]:443 ', `listen [::1]:${port} `],
    ['/etc/letsencrypt/live/medley.example/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/medley.example/privkey.pem', key],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  );
  const config = join(folder, 'nginx.conf');
  await writeFile(
    config,
    `pid ${folder}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${site}\n}\n`,
  );
  const where = ['-e', 'stderr', '-p', folder, '-c', config, '-g', 'daemon off; master_process off;'];
  return startProxy(port, NGINX, where, folder);
}

/** `docs/operate/Caddyfile` as it stands, but for ports and for who signs its certificate. */
export async function startCaddy(folder: string, target: number): Promise<Frontend> {
  const port = await findFreePort();
  const own = [
    'admin off',
    'local_certs',
    'skip_install_trust',
    'auto_https disable_redirects',
    'default_bind 127.0.0.1',
  ];
  const site = adapt(await readText('docs/operate/Caddyfile'), [['127.0.0.1:3000', `127.0.0.1:${target}`]]);
  return runCaddy(folder, port, `{\n${own.join('\n')}\nhttps_port ${port}\n}\n${site}`);
}

/** The proxy of compose.yaml's profile `scale`, but for its port, and for what Caddy before 2.7 calls otherwise. */
export async function startInnerCaddy(folder: string, target: number): Promise<Frontend> {
  const port = await findFreePort();
  const block =
    /^configs:\n {2}proxy:\n {4}content: \|\n((?: {6}.*\n|\n)+)/m.exec(await readText('compose.yaml'))?.[1] ?? '';
  const here = adapt(block, [
    [':3000 {', `:${port} {`],
    ['dynamic a web 3000', `to 127.0.0.1:${target}`],
  ]);
  const [, minor = '0'] = /^v?2\.(\d+)/.exec((await exec(CADDY, ['version'])).stdout) ?? [];
  const site =
    Number(minor) >= 8
      ? here
      : adapt(here, [
          [/servers \{[^}]*\}/g, ''],
          ['lb_policy client_ip_hash', 'lb_policy ip_hash\ntrusted_proxies private_ranges'],
        ]);
  return runCaddy(folder, port, adapt(site, [[/^\s*\{\n/, '{\nadmin off\ndefault_bind 127.0.0.1\n']]));
}

async function runCaddy(folder: string, port: number, text: string): Promise<Frontend> {
  const config = join(folder, `Caddyfile-${port}`);
  await writeFile(config, text);
  return startProxy(port, CADDY, ['run', '--adapter', 'caddyfile', '--config', config], folder);
}

/** Each change has to find what it changes. */
function adapt(text: string, changes: readonly (readonly [RegExp | string, string])[]): string {
  return changes.reduce((changed, [from, to]) => {
    const next = typeof from === 'string' ? changed.replaceAll(from, to) : changed.replace(from, to);
    if (next === changed) throw new Error(`nothing there is like ${from}`);
    return next;
  }, text);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function startProxy(port: number, program: string, args: readonly string[], home: string): Promise<Frontend> {
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', chunk => {
    said = `${said}${chunk}`.slice(-4_000);
  });
  const stop = () => stopChild(child);
  for (const until = Date.now() + START_MS; Date.now() < until && child.exitCode === null; await pause(100))
    if (await isListening(port)) return { port, stop };
  await stop();
  throw new Error(`${program} does not listen: ${said}`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>(resolve => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
