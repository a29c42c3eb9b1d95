// Starts the built bot with nothing configured, waits for its one line, asks the page and /healthz, stops it, checks exit 0.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dataDir = mkdtempSync(join(tmpdir(), 'medley-smoke-'));
const child = spawn(process.execPath, [process.argv[2]], {
  env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);

let stdout = '';
const address = await new Promise((resolve, reject) => {
  child.stdout.on('data', chunk => {
    stdout += chunk;
    const ready = /^Medley is ready at (http:\/\/\S+)$/m.exec(stdout);
    if (ready) resolve(ready[1]);
  });
  child.once('exit', code => reject(new Error(`ended with ${code} before it was ready`)));
});
for (const path of ['', 'healthz', 'openapi.json', 'docs']) {
  const answer = await fetch(address + path);
  if (answer.status !== 200) throw new Error(`/${path} answered ${answer.status}`);
}
const exit = new Promise(resolve => child.once('exit', resolve));
child.kill('SIGTERM');
const code = await exit;
clearTimeout(timer);
rmSync(dataDir, { recursive: true, force: true });
if (code !== 0) throw new Error(`exit code ${code} after SIGTERM`);
if (stdout.trim().split('\n').length !== 1) throw new Error(`stdout had more than one line:\n${stdout}`);
process.stdout.write(`started and stopped on Node ${process.version}\n`);
