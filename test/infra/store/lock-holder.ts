import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tryFileLock } from '../../../src/infra/store/file-lock.ts';
import { openStore } from '../../../src/infra/store/store.ts';

/** Holds the lock on the file of the first argument, of the kind of the second, until it is ended. */
const [, , path = '', kind] = process.argv;
if (tryFileLock(path, { kind: kind === 'shared' ? 'shared' : 'exclusive' }) === undefined) process.exit(1);
process.stdout.write('held\n');

process.stdin.on('data', () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  for (let round = 0; round < 5; round += 1) {
    openStore(':memory:').close();
    readFileSync(process.execPath).subarray(0, 1);
    if (typeof collect === 'function') collect();
  }
  process.stdout.write('collected\n');
});
