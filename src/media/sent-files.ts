import type { SourceId } from './post.ts';

export interface SentFileKey {
  /** Platform and the account that holds the file: ids are per bot, e.g. `telegram:123456`. */
  readonly holder: string;
  readonly source: SourceId;
  readonly postId: string;
  readonly index: number;
  readonly form: 'original' | 'audio';
}

export interface SentFile {
  readonly variantKey: string;
  /** What the platform calls it. */
  readonly fileId: string;
  /** The platform's own kind, which cannot change: `video`, `animation`, `photo`, `audio`, `document`. */
  readonly kind: string;
}

/** What a platform already holds, kept across restarts: sending it again costs no upload. */
export interface SentFiles {
  get(key: SentFileKey): SentFile | undefined;
  put(key: SentFileKey, file: SentFile): void;
  /** After the platform has refused the id. */
  delete(key: SentFileKey): void;
}
