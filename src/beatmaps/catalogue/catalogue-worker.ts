/** The thread of the catalogue, in which reading and writing may take as long as they need. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { toErrorData } from '../../errors.ts';
import { openStore } from '../../infra/store/store.ts';
import { openCatalogueFile } from './catalogue-file.ts';
import type {
  CatalogueCall,
  CatalogueMessage,
  CatalogueThreadData,
  CatalogueWork,
  WorkName,
} from './catalogue-messages.ts';

const BUSY_TIMEOUT_MS = 200;

function serve(port: MessagePort, { path, isFilling }: CatalogueThreadData): void {
  const tell = (message: CatalogueMessage) => port.postMessage(message);
  const onFailure = (error: unknown) => tell({ kind: 'background failure', failure: toErrorData(error) });
  const store = openStore(path);
  // Opening may wait for another process that is creating the tables.
  const file = openCatalogueFile({ store, isFilling, onFailure });
  // From here on a statement waits at most this long for another process; writes that fail are repeated.
  store.get(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`, [], z.object({ timeout: z.literal(BUSY_TIMEOUT_MS) }));
  if (!isFilling) file.warm().catch(onFailure);
  const work: CatalogueWork = file;

  async function answer<Name extends WorkName>({ id, name, args }: CatalogueCall<Name>): Promise<void> {
    try {
      tell({ kind: 'value', id, value: await work[name](...args) });
    } catch (error) {
      tell({ kind: 'failure', id, failure: toErrorData(error) });
    }
  }

  function close(): void {
    file.close();
    store.close();
    port.close();
  }

  port.on('message', (ask: CatalogueCall | 'close') => (ask === 'close' ? close() : answer(ask)));
}

if (parentPort !== null) {
  try {
    serve(parentPort, workerData);
  } catch (error) {
    const message: CatalogueMessage = { kind: 'unusable', failure: toErrorData(error) };
    parentPort.postMessage(message);
  }
}
