import * as z from 'zod';
import type { KeyedCollectionOptions, RecordStore } from '../../infra/store/records.ts';
import type { SourceId } from '../post.ts';

export interface SentFileKey {
  /** The platform and account that have the file, such as `telegram:123456`: a file id is valid for one bot only. */
  readonly holder: string;
  readonly source: SourceId;
  readonly postId: string;
  /** The item's key in its post, by `itemKey`. */
  readonly index: number | string;
  readonly form: 'original' | 'audio';
}

const sentFile = z.object({
  variantKey: z.string(),
  fileId: z.string(),
  /** The platform's kind of file, which never changes: `video`, `animation`, `photo`, `audio`, `document`. */
  kind: z.string(),
  /** The bytes of the sent file, if the site has a better version that was too large. */
  reducedBytes: z.number().optional(),
});

export type SentFile = Readonly<z.infer<typeof sentFile>>;
export type SentFiles = ReturnType<typeof createSentFiles>;

export interface SentFilesOptions {
  readonly records: RecordStore;
  /** Called when the store could not be read or written. */
  readonly onFailure: (error: unknown) => void;
  /** Beyond this number, the least recently used entries are deleted. Default 200 000. */
  readonly maxFiles?: number;
}

export const SENT_FILES = {
  name: 'sent-files',
  schema: sentFile,
  maxRecords: 200_000,
  isRenewedByReading: true,
} as const satisfies KeyedCollectionOptions<SentFile>;

/**
 * Remembers, also after restarts, which files a platform already has, so that they can be sent again without an upload.
 * Never rejects: an entry that cannot be read counts as absent, and one that cannot be written is skipped.
 */
export function createSentFiles(options: SentFilesOptions) {
  const { records, onFailure, maxFiles = SENT_FILES.maxRecords } = options;
  const stored = records.collection<SentFile>({ ...SENT_FILES, maxRecords: maxFiles });

  return {
    async get(key: SentFileKey): Promise<SentFile | undefined> {
      try {
        return await stored.get(recordKey(key));
      } catch (error) {
        onFailure(error);
        return undefined;
      }
    },
    put: (key: SentFileKey, { variantKey, fileId, kind, reducedBytes }: SentFile) =>
      stored.set(recordKey(key), { variantKey, fileId, kind, reducedBytes }).catch(onFailure),
    /** To be called when the platform no longer accepts the stored id of the file. */
    delete: (key: SentFileKey) => stored.delete(recordKey(key)).catch(onFailure),
  };
}

function recordKey({ holder, source, postId, index, form }: SentFileKey): string {
  return JSON.stringify([holder, source, postId, index, form]);
}
