import type { Logger } from '../../infra/log.ts';
import type { EditReply } from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';

/**
 * Answers that are mended once, when the rest of them has come. It is not part of the request, which is answered: what cannot be mended stays
 * as it is, and nothing new is ever said.
 */
export interface LaterEdits {
  /** @param later never rejects; undefined where there is nothing better */
  add(later: Promise<Reply | undefined>, edit: EditReply): void;
  /** Nothing more is begun; what is under way ends with the platform, or by its time. */
  close(): void;
}

/** Of the edit itself. */
const EDIT_MS = 10_000;

export function createLaterEdits({ log }: { readonly log: Pick<Logger, 'debug'> }): LaterEdits {
  let isClosed = false;

  async function show(later: Promise<Reply | undefined>, edit: EditReply): Promise<void> {
    const better = await later;
    if (better === undefined || isClosed) return;
    await edit(better, AbortSignal.timeout(EDIT_MS));
  }

  return {
    add(later, edit) {
      show(later, edit).catch((error: unknown) => log.debug({ err: error }, 'an answer could not be mended'));
    },
    close() {
      isClosed = true;
    },
  };
}
