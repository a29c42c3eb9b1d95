import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What a newcomer starts, on a free port: without npm, or by another command. */
export function startDemo(
  environment: Readonly<Record<string, string>> = {},
  [command, ...words]: readonly [string, ...string[]] = [process.execPath, '--import', 'tsx', 'test/sandbox/demo.ts'],
): {
  readonly child: ChildProcess;
  readonly printed: Promise<string>;
} {
  const child = spawn(command, words, {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  const printed = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      out += String(chunk);
      if (out.includes('Ctrl+C')) resolve(out);
    });
    child.once('exit', code => reject(new Error(`the demo ended with ${code}`)));
  });
  return { child, printed };
}
