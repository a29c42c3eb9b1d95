import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs an entry as it is built, such as `backup`, to its end. Nothing but `environment` and PATH reaches it. With
 * `obeysPermissions` what file permissions forbid is forbidden to it even where the tests run as root.
 */
export async function runEntry(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { cwd = '/', obeysPermissions = false }: { readonly cwd?: string; readonly obeysPermissions?: boolean } = {},
): Promise<Ended> {
  const path = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
  if (!existsSync(path)) throw new Error('run `npm run build` first; `npm test` does');
  // Another user could be unable to read this Node or this checkout; root without these capabilities can.
  const prefix =
    obeysPermissions && process.getuid?.() === 0
      ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', process.execPath]
      : [process.execPath];
  const child = spawn('env', [...prefix, path, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', chunk => {
    stdout += String(chunk);
  });
  child.stderr.on('data', chunk => {
    stderr += String(chunk);
  });
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  return { code, stdout, stderr };
}
