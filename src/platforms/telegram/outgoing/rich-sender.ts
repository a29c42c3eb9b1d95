import type { GalleryItem } from '../../../bot/contract/reply.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApiError } from '../api/bot-api-error.ts';
import type { SentRich } from '../api/methods.ts';
import { isWithoutRight } from '../api/refusals.ts';
import { type FileCandidate, markup } from '../render/file-fields.ts';
import { type RichPayload, richBlocks } from '../render/rich-message.ts';
import { createFileCandidates, type FileCandidates } from './file-candidates.ts';
import { actionFor, areHeld, type FileSenderOptions, isAllThere, postOf } from './file-sender.ts';
import type { Place } from './message-api.ts';
import { filesIn } from './rich-answer.ts';
import { goesOn, isMethodUnknown, isRefused } from './rich-refusals.ts';
import type { Occasion } from './sending.ts';

/** Files on their way, which albums may go on with. */
export type KnownWays = ReadonlyMap<GalleryItem, FileCandidates>;

/**
 * A post with several files as one message. Where Telegram does not take it, `albums` is called, once.
 * @returns whether all files surely stand there, in their full length
 * @throws BotApiError, and what `put` throws
 */
export type RichSender = (
  payload: RichPayload,
  place: Place,
  occasion: Occasion,
  albums: (ways: KnownWays) => Promise<boolean>,
) => Promise<boolean>;

export interface RichSenderOptions extends FileSenderOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

interface Ready {
  readonly item: GalleryItem;
  readonly ways: FileCandidates;
  readonly candidate: FileCandidate;
}

/** Posts that were refused, and how many in a row show that no other is taken either: then each try costs time, or an upload. */
const MAX_REFUSED = 1_000;
const REFUSALS = 3;
const NO_WAYS: KnownWays = new Map();

export function createRichSender(options: RichSenderOptions): RichSender {
  const { messages: api, actions, lock, limits, isLocalServer, log } = options;
  const refused = createLru<string, true>({ max: MAX_REFUSED });
  let refusalsInRow = 0;
  let isOffered = true;

  /** Undefined when one of them has to go another way than in such a message. */
  async function readied(ways: KnownWays, signal: AbortSignal): Promise<readonly Ready[] | undefined> {
    const found = await Promise.all(
      [...ways].map(async ([item, way]) => ({ item, ways: way, candidate: await way.candidate(signal) })),
    );
    const ready = found.flatMap(({ candidate, ...part }) =>
      candidate.kind === 'candidate' ? [{ ...part, candidate }] : [],
    );
    const bytes = ready.reduce((sum, { candidate }) => sum + candidate.uploadBytes, 0);
    const isWhole = ready.length === found.length && bytes <= (isLocalServer ? limits.localUpload : limits.upload);
    return isWhole ? ready : undefined;
  }

  /** Undefined when nothing was sent, and not to be sent this way. */
  async function attempt(
    payload: RichPayload,
    ways: KnownWays,
    place: Place,
    { key, signal, sendOnce, t }: Occasion,
  ): Promise<boolean | undefined> {
    for (;;) {
      const ready = await readied(ways, signal);
      const blocks = ready && richBlocks(ready, payload, t);
      if (ready === undefined || blocks === undefined) return undefined;
      try {
        const message = { rich_message: { blocks, skip_entity_detection: true as const }, ...markup(payload.keyboard) };
        const sent = await sendOnce(
          keyOf(key),
          () => api.post('sendRichMessage', place, signal, address => ({ ...address, ...message })),
          { isUpload: ready.some(({ candidate }) => candidate.uploadBytes > 0) },
        );
        refusalsInRow = 0;
        return sent !== undefined && (await isConfirmed(sent, ready));
      } catch (error) {
        if (!isRefused(error)) throw error;
        if (await goesOn(error, ready)) continue;
        note(error, payload);
        return undefined;
      }
    }
  }

  /** What Telegram made of the files is remembered, where it says so of each. */
  async function isConfirmed(sent: SentRich, ready: readonly Ready[]): Promise<boolean> {
    const files = filesIn(sent);
    if (files.length !== ready.length) return false;
    let isWhole = true;
    for (const [index, { ways, candidate, item }] of ready.entries()) {
      const file = files[index];
      if (file !== undefined) await ways.sent(file);
      isWhole &&= isAllThere(file, candidate, item);
    }
    return isWhole;
  }

  function note(error: BotApiError, { items }: RichPayload): void {
    if (isMethodUnknown(error)) {
      isOffered = false;
      log.info({ err: error }, 'the Bot API server knows no rich messages; albums are sent');
      return;
    }
    if (isWithoutRight(error)) return;
    refused.set(postOf(items), true);
    refusalsInRow += 1;
    isOffered = refusalsInRow < REFUSALS;
    log.warn({ err: error, isOffered }, 'a rich message was refused; albums are sent');
  }

  return async (payload, place, occasion, albums) => {
    const { items } = payload;
    if (occasion.sentKeys.includes(keyOf(occasion.key))) return false;
    if (!isOffered || refused.has(postOf(items)) || isBegunAsAlbum(occasion)) return albums(NO_WAYS);
    const ways = new Map(items.map(item => [item, createFileCandidates(item, true, options)]));
    try {
      const parts = [...ways.values()].map(each => ({ ways: each }));
      const send = () => attempt(payload, ways, place, occasion);
      const sent = await lock.run(
        postOf(items),
        () => areHeld(parts),
        async () => ((await areHeld(parts)) ? send() : actions.during(place, actionFor(items), send)),
        occasion.signal,
      );
      return sent ?? (await albums(ways));
    } finally {
      await Promise.all([...ways.values()].map(each => each.close()));
    }
  };
}

/** Beside the keys of a reply's albums. */
function keyOf(key: string): string {
  return `${key}y`;
}

/** Files of an album stand there from an earlier attempt: their keys end in the place of the album and two letters. */
function isBegunAsAlbum({ key, sentKeys }: Occasion): boolean {
  return sentKeys.some(each => each.startsWith(key) && each.length === key.length + 3);
}
