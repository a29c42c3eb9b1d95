import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { CollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { OptOuts } from '../contract/services.ts';

export interface OptOutsOptions {
  readonly records: RecordStore;
  /** The same in all processes and after every start. */
  readonly key: Uint8Array;
}

type OptOut = Readonly<Record<string, never>>;

const MAX_IN_MEMORY = 10_000;
const Row = z.object({}).transform((): OptOut => ({}));

export const OPT_OUTS = { name: 'opt-outs', schema: Row } as const satisfies CollectionOptions<OptOut>;
/** A browser's session is no person we know: old ones go, and no flood of them fills the store. */
export const WEB_OPT_OUTS = {
  name: 'web-opt-outs',
  schema: Row,
  ttlMs: 90 * 24 * 3_600_000,
  maxRecords: 50_000,
} as const satisfies CollectionOptions<OptOut>;

export function createOptOuts({ records, key }: OptOutsOptions): OptOuts {
  const people = records.collection<OptOut>({ ...OPT_OUTS, maxInMemory: MAX_IN_MEMORY });
  const sessions = records.collection<OptOut>({ ...WEB_OPT_OUTS, maxInMemory: MAX_IN_MEMORY });
  const collectionOf = (person: string) => (person.startsWith('web:') ? sessions : people);
  const hashOf = (person: string) => createHmac('sha256', key).update(person).digest('base64url');

  return {
    has: async person => (await collectionOf(person).get(hashOf(person))) !== undefined,
    set: (person, isOut) =>
      isOut ? collectionOf(person).set(hashOf(person), {}) : collectionOf(person).delete(hashOf(person)),
  };
}
