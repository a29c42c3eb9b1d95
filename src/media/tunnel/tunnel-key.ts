import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const KEY_BYTES = 32;

/**
 * The secret key of media addresses, 32 random bytes. It is created once and stored in `DATA_DIR/media.key`, readable
 * only by this system account, so that addresses stay valid after a restart.
 * @throws Error when the file cannot be read or written, or contains something else
 */
export async function loadMediaKey(dataDir: string): Promise<Buffer> {
  const path = keyPath(dataDir);
  const kept = await readKey(path);
  if (kept !== undefined) return kept;
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  // The draft is flushed to the disk before it gets its final name. Otherwise a power loss could leave an empty file
  // under that name, and the next start would have no key.
  await writeFile(draft, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx', flush: true });
  try {
    // A hard link makes the whole file appear at once. If two processes start together, the second one gets EEXIST and
    // reads the key of the first.
    await link(draft, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  const key = await readKey(path);
  if (key === undefined) throw new Error(`${path} vanished while it was being made`);
  return key;
}

/**
 * The key that all processes with the same Redis share. The process that proposes first decides: it takes the key in
 * its DATA_DIR or creates one.
 * @param agree returns the value that was proposed first
 * @throws Error when it cannot be read, or the stored value is not a key
 */
export async function loadSharedMediaKey(
  agree: (name: string, propose: () => Promise<string>) => Promise<string>,
  dataDir: string,
): Promise<Buffer> {
  const name = 'media-key';
  const agreed = await agree(name, async () => {
    const key = (await readKey(keyPath(dataDir))) ?? randomBytes(KEY_BYTES);
    return key.toString('base64url');
  });
  const key = Buffer.from(agreed, 'base64url');
  if (key.length === KEY_BYTES && key.toString('base64url') === agreed) return key;
  throw new Error(
    `the ${name} in Redis is none (${KEY_BYTES} bytes as base64url). Delete it: a new one is made, and old media links end.`,
  );
}

/**
 * Writes the shared key of Redis into `DATA_DIR`, replacing another key. Addresses then stay valid if the operator
 * later stops using Redis.
 * @throws Error
 */
export async function keepSharedMediaKey(key: Buffer, dataDir: string): Promise<void> {
  const draft = `${keyPath(dataDir)}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, key, { mode: 0o600, flag: 'wx', flush: true });
  await rename(draft, keyPath(dataDir));
}

function keyPath(dataDir: string): string {
  return join(dataDir, 'media.key');
}

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const key = await readFile(path);
    if (key.length === KEY_BYTES) return key;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw new Error(
    `${path} is no media key (${KEY_BYTES} bytes). Delete it: a new one is made, and old media links end.`,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
