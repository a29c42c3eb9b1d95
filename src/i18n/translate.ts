import type { Messages } from './en.ts';

/** One language, ready to use. */
export interface Translator {
  /** BCP 47 tag of the messages and formats. */
  readonly locale: string;
  readonly messages: Messages;
  number(value: number): string;
  /** `1.2K` in the reader's way. */
  compact(value: number): string;
  /** `0:42`, `1:02:03`. */
  duration(ms: number): string;
  date(at: number): string;
  /** "in 20 seconds", "in 2 minutes". */
  wait(ms: number): string;
}
