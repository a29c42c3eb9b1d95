import type { Sending, SendOnceOptions } from '../../../bot/contract/chat-platform.ts';
import type { GalleryItem } from '../../../bot/contract/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Button } from '../api/methods.ts';

/** What sending a reply needs to know beside where it goes. */
export interface Occasion extends Pick<Sending, 'signal' | 'sendOnce' | 'sentKeys'> {
  readonly t: Translator;
  /**
   * Buttons of this platform's own under a file, or after albums.
   * @param album ids of the albums' messages; undefined when they are not known any more
   */
  readonly extra?: (gallery: readonly GalleryItem[], album: readonly number[] | undefined) => readonly Button[];
  /** Names the request, for what is remembered of its messages. */
  readonly request?: string;
  /** Begins the keys of its messages. */
  readonly key: string;
}

/** An edit may be made again as long as a request lives, and is no message by the pace. */
export const EDIT: SendOnceOptions = { repeatMs: 24 * 3_600_000, messages: 0 };
