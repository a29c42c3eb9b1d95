import { readFileSync } from 'node:fs';
import { tryFileLock } from '../../../src/infra/store/file-lock.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { collectGarbage } from '../../collect-garbage.ts';

/** Holds the lock on the file of the first argument, of the kind of the second, until it is ended. */
const [, , path = '', kind] = process.argv;
if (tryFileLock(path, kind === 'shared' ? 'shared' : 'exclusive') === undefined) process.exit(1);
process.stdout.write('held\n');

process.stdin.on('data', () => {
  for (let round = 0; round < 5; round += 1) {
    openStore(':memory:').close();
    readFileSync(process.execPath).subarray(0, 1);
    collectGarbage();
  }
  process.stdout.write('collected\n');
});
