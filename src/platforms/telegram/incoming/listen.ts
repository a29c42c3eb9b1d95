import type { NewRequest, PlatformHost } from '../../../bot/contract/chat-platform.ts';
import { createLru } from '../../../infra/cache/create-lru.ts';
import { createSemaphore } from '../../../infra/concurrency/semaphore.ts';
import type { Logger } from '../../../infra/log.ts';
import type { ChatRecords } from '../api/chat-records.ts';
import type { EventIds } from '../api/envelope.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import { type Message, parseUpdate, type Update } from '../api/updates.ts';
import type { Inline } from '../inline/inline.ts';
import type { ButtonPress } from './button-press.ts';
import { createEdits } from './edits.ts';
import { isAway, joinedGroup } from './joined-group.ts';
import type { ReadMessage } from './message-draft.ts';

export interface ListenerOptions {
  readonly readMessage: ReadMessage;
  readonly press: ButtonPress;
  readonly inline: Inline;
  readonly records: ChatRecords;
  readonly eventIds: EventIds;
  readonly log: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

export interface Listener {
  /**
   * Takes an update of any shape; resolves when what it asks for is stored. False when it is not, and Telegram must keep the update.
   * Never rejects.
   */
  take(update: unknown, host: PlatformHost<TelegramReplyTo>): Promise<boolean>;
  /** Ends what is being done at once. */
  close(): Promise<void>;
}

const MAX_SEEN = 10_000;
/** Of what is not kept in the queue, since it is of no use later: inline queries and buttons of this platform's own. */
const AT_ONCE = 64;
const MAX_WAITING = 1_000;

export function createListener(options: ListenerOptions): Listener {
  const { readMessage, press, inline, records, eventIds, log, now } = options;
  const seen = createLru<number, true>({ max: MAX_SEEN });
  const edits = createEdits({ readMessage, eventIds, now });
  const closing = new AbortController();
  const enter = createSemaphore({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, name: 'inline queries' });
  const running = new Set<Promise<void>>();

  /** Without delay, beside all that is queued. */
  function atOnce(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = closing;
    const done = enter(signal)
      .then(leave => work(signal).finally(leave))
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'an update could not be answered at once');
      })
      .finally(() => running.delete(done));
    running.add(done);
  }

  async function route(update: Update, host: PlatformHost<TelegramReplyTo>): Promise<boolean> {
    const { message, callback_query: query, my_chat_member: member } = update;
    const { inline_query: inlineQuery, chosen_inline_result: chosen } = update;
    if (message) await onMoved(message);
    if (member) await (isAway(member.new_chat_member) ? records.left : records.joined)(member.chat.id);
    if (inlineQuery) atOnce(signal => inline.answer(inlineQuery, signal));
    if (chosen) atOnce(signal => inline.bring(chosen, signal));
    const draft = await draftOf(update);
    if (draft !== undefined) {
      if ((await host.accept(draft)) === 'closed') return false;
      edits.accepted(draft);
    } else if (query) atOnce(signal => press.act(query, signal));
    return true;
  }

  /** What the update asks of Medley. */
  async function draftOf(update: Update): Promise<NewRequest<TelegramReplyTo> | undefined> {
    const { callback_query: query, my_chat_member: member } = update;
    const said = update.message ?? update.channel_post;
    const edited = update.edited_message ?? update.edited_channel_post;
    if (said) return readMessage(said);
    if (edited) return edits.read(edited);
    if (member) return joinedGroup(member, eventIds);
    return query && press.read(query);
  }

  async function onMoved({ chat, migrate_to_chat_id: to, migrate_from_chat_id: from }: Message): Promise<void> {
    if (to !== undefined) await records.moved(chat.id, to);
    else if (from !== undefined) await records.moved(from, chat.id);
  }

  return {
    async take(raw, host) {
      try {
        const update = parseUpdate(raw);
        if (seen.has(update.update_id)) return true;
        const isTaken = await route(update, host);
        if (isTaken) seen.set(update.update_id, true);
        return isTaken;
      } catch (error) {
        log.warn({ err: error }, 'an update could not be taken');
        return true;
      }
    },
    async close() {
      closing.abort(new Error('Medley stops'));
      await Promise.all(running);
    },
  };
}
