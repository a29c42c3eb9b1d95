import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';

const REDIS = '/usr/bin/redis-server';

/**
 * Why tests that need Redis cannot run here, or undefined when they can: `describe.skipIf(redisMissing)`. With REQUIRE_ALL=1
 * nothing may be skipped, so they run and fail.
 */
export const redisMissing: string | undefined =
  existsSync(REDIS) || process.env.REQUIRE_ALL === '1' ? undefined : `there is no ${REDIS}`;

/** For the name of a suite, so that a report says why it was skipped. */
export const redisNote = redisMissing === undefined ? '' : ` (skipped: ${redisMissing})`;

/** The real program on a port of its own; it keeps nothing on the disk. */
export interface RedisServer {
  readonly url: string;
  start(): Promise<void>;
  /** Ends it at once, with all it held. */
  stop(): Promise<void>;
  /** It keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
}

/** Not started yet. */
export async function createRedisServer(...args: readonly string[]): Promise<RedisServer> {
  const port = await findFreePort();
  let child: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      // A replica writes what it copies into a file first, which the next server would load if it had the same name.
      const files = ['--dbfilename', `medley-redis-${port}.rdb`, '--rdb-del-sync-files', 'yes'];
      const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...files];
      child = spawn(REDIS, [...own, ...args], { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'ignore'] });
      await untilItAccepts(child);
    },
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise(resolve => child?.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}

function untilItAccepts(child: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`redis-server ended: ${said}`)));
    child.stdout?.on('data', chunk => {
      said += String(chunk);
      if (said.includes('eady to accept connections')) resolve();
    });
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
