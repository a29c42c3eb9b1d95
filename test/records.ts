import type { Logger } from '../src/infra/log.ts';
import { createLibsqlRecords } from '../src/infra/store/libsql-records.ts';
import { createRecordStore, type RecordStore } from '../src/infra/store/records.ts';
import { openStore, type Store } from '../src/infra/store/store.ts';

/** Records in an embedded database; without one given, in memory alone. */
export function embeddedRecords(store: Store = openStore(':memory:'), now?: () => number, log?: Logger): RecordStore {
  return createRecordStore(createLibsqlRecords(store, { now, log }), { now, log });
}
