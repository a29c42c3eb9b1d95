/** Checks the free disk space, that rate limits tell people apart (TRUST_PROXY), and that secrets stay secret. */
import { stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MIN_FREE_BYTES } from '../infra/readiness.ts';
import { type Finding, note, ok, wrong } from '../platforms/platform.ts';

export interface Surroundings {
  readonly dataDir: string;
  readonly publicUrl: string | undefined;
  readonly trustProxy: readonly string[];
  readonly cookiesFiles: Readonly<Record<string, string | undefined>>;
  readonly mediaCacheBytes: number;
}

const OTHERS_MAY_READ = 0o004;
const OTHERS_MAY_ENTER = 0o001;

export async function checkSafety(given: Surroundings): Promise<readonly Finding[]> {
  return [await checkDisk(given), ...checkProxy(given), ...(await checkSecrets(given))];
}

async function checkDisk({ dataDir, mediaCacheBytes }: Surroundings): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const what = `${giga(free)} GB are free for ${dataDir}`;
    if (free < MIN_FREE_BYTES)
      return wrong(what, `Make room: below ${giga(MIN_FREE_BYTES)} GB Medley says that it is not ready.`);
    if (free < MIN_FREE_BYTES + mediaCacheBytes)
      return note(what, 'MEDIA_CACHE_MB may fill them: lower it, or make room.');
    return ok(what);
  } catch {
    // Another check reports a folder that is missing or cannot be used.
    return note(`the room for ${dataDir} is not known`);
  }
}

function giga(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}

function checkProxy({ publicUrl, trustProxy }: Surroundings): readonly Finding[] {
  const everyone = trustProxy.filter(entry => /\/0$/.test(entry));
  if (everyone.length > 0) {
    const remedy = 'Anyone can then claim to be anyone: name the addresses of your proxies alone.';
    return [wrong(`TRUST_PROXY trusts ${everyone.join(', ')}`, remedy)];
  }
  if (publicUrl?.startsWith('https:') !== true) return [];
  if (trustProxy.length > 0) return [ok(`TRUST_PROXY names the proxy of ${publicUrl}`)];
  return [
    wrong(
      `PUBLIC_URL is ${publicUrl}, so there is a proxy, and TRUST_PROXY names none`,
      'Set TRUST_PROXY to its address, or to loopback: until then all its visitors share the limits of one.',
    ),
  ];
}

/** Warns of files with secrets that other users of this machine may read. */
async function checkSecrets({ dataDir, cookiesFiles }: Surroundings): Promise<readonly Finding[]> {
  const cookies = Object.values(cookiesFiles).filter(path => path !== undefined);
  const kept = ['medley.db', 'media.key'].map(name => join(dataDir, name));
  const open: string[] = [];
  for (const path of ['.env', ...cookies, ...kept]) if (await isOpen(path)) open.push(path);
  if (open.length === 0) return [ok('no other user of this machine may read the secrets')];
  const remedy = `chmod o-rwx ${open.join(' ')}`;
  return [wrong(`every user of this machine may read ${open.join(', ')}`, remedy)];
}

async function isOpen(path: string): Promise<boolean> {
  try {
    const [file, folder] = await Promise.all([stat(path), stat(dirname(path))]);
    return (file.mode & OTHERS_MAY_READ) !== 0 && (folder.mode & OTHERS_MAY_ENTER) !== 0;
  } catch {
    // A file that does not exist cannot be read by others.
    return false;
  }
}
