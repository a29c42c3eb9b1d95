import { join, resolve } from 'node:path';
import { ConfigError, loadConfig, readEnvironment } from './config.ts';
import { backUpDatabase } from './infra/store/backup.ts';

const MEBIBYTE = 1024 * 1024;

/** `npm run backup -- FILE` copies the embedded database, also while the bot runs. */
function backup([target, ...others]: readonly string[]): string {
  if (target === undefined || target.startsWith('-') || others.length > 0)
    throw new ConfigError('Name one file: npm run backup -- FILE');
  const { dataDir, redisUrl } = loadConfig(readEnvironment());
  const path = join(dataDir, 'medley.db');
  const bytes = backUpDatabase(path, resolve(target));
  const said = `Copied ${path} to ${resolve(target)} (${(bytes / MEBIBYTE).toFixed(1)} MiB).`;
  return redisUrl === undefined
    ? said
    : `${said} Settings and requests are not in it: with REDIS_URL they live in Redis.`;
}

try {
  process.stdout.write(`${backup(process.argv.slice(2))}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${error instanceof ConfigError ? message : `No backup was made: ${message}.`}\n`);
  process.exitCode = 1;
}
