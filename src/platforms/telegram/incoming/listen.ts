import { createEditedLinks, EDITABLE_MS } from '../../../bot/answer/read.ts';
import type { NewRequest, PlatformHost } from '../../../bot/contract/chat-platform.ts';
import { createLru } from '../../../infra/cache/cache.ts';
import { createSemaphore, inTurn } from '../../../infra/concurrency/running-work.ts';
import { type EventIds, replyToOf, speakerOf, type TelegramReplyTo } from '../api/reply-to.ts';
import { type Message, type MyChatMember, Update } from '../api/updates.ts';
import type { InlineMode } from '../inline/inline-mode.ts';
import type { TelegramContext } from '../outgoing/context.ts';
import type { ButtonPress } from './button-press.ts';
import { createReadMessage } from './message-request.ts';

type TelegramRequest = NewRequest<TelegramReplyTo>;

const MAX_SEEN = 10_000;

export function createListener(telegram: TelegramContext, press: ButtonPress, inline: InlineMode) {
  const { chats, log } = telegram;
  const readMessage = createReadMessage(telegram);
  const seen = createLru<number, true>({ max: MAX_SEEN });
  const edits = createLinkEdits(telegram);
  const greetings = createGreetings(telegram);
  const { atOnce, close } = createWorkAtOnce(log);

  async function route(update: Update, host: PlatformHost<TelegramReplyTo>): Promise<boolean> {
    const { message, callback_query: query, my_chat_member: member } = update;
    const { inline_query: inlineQuery, chosen_inline_result: chosen } = update;
    if (message) await noteMove(message, host);
    if (member) await (isAway(member.new_chat_member) ? chats.left : chats.joined)(member.chat.id);
    if (inlineQuery) atOnce(signal => inline.answer(inlineQuery, signal));
    if (chosen) atOnce(signal => inline.fill(chosen, signal));
    const { written, edited } = messagesIn(update);
    const work = async () => {
      const request = await requestOf(update);
      if (request === undefined && query) atOnce(signal => press.act(query, signal));
      if (request === undefined) return true;
      if ((await host.accept(request)) === 'closed') return false;
      edits.accepted(request);
      return true;
    };
    const own = written ?? edited;
    return own === undefined ? work() : edits.inOrder(messageKey(own.chat.id, own.message_id), work);
  }

  const isRecent = ({ date }: Message) => telegram.now() - date * 1_000 <= EDITABLE_MS;

  async function requestOf(update: Update): Promise<TelegramRequest | undefined> {
    const { callback_query: query, my_chat_member: member } = update;
    const { written, edited } = messagesIn(update);
    if (written) return readMessage(written);
    if (edited) return isRecent(edited) ? edits.added(await readMessage(edited)) : undefined;
    if (member) return greetings.read(member);
    return query && press.read(query);
  }

  async function noteMove(message: Message, host: PlatformHost<TelegramReplyTo>): Promise<void> {
    const { chat, migrate_from_chat_id: from = chat.id, migrate_to_chat_id: to = chat.id } = message;
    if (from === to) return;
    await greetings.leaveOut(to, host);
    await chats.moved(from, to);
  }

  return {
    /**
     * Accepts an update of any shape. Resolves with false if its request was not stored, so that Telegram has to
     * keep the update. Never rejects.
     */
    async take(raw: unknown, host: PlatformHost<TelegramReplyTo>): Promise<boolean> {
      try {
        const update = Update.parse(raw);
        if (seen.has(update.update_id)) return true;
        const isTaken = await route(update, host);
        if (isTaken) seen.set(update.update_id, true);
        return isTaken;
      } catch (error) {
        log.warn({ err: error }, 'an update could not be taken');
        return true;
      }
    },
    /** Ends the work on inline queries and delete buttons. */
    close,
  };
}

/** The new or the edited message in an update; other updates have neither. */
function messagesIn({ message, channel_post: post, ...update }: Update) {
  return { written: message ?? post, edited: update.edited_message ?? update.edited_channel_post };
}

/** How many inline queries and delete buttons are handled at once. */
const AT_ONCE = 64;
/** How many more inline queries and delete buttons may wait; if more come, they are not answered. */
const MAX_WAITING = 1_000;

/** Runs the answers to inline queries and delete buttons, which do not go through the queue. */
function createWorkAtOnce(log: TelegramContext['log']) {
  const closing = new AbortController();
  const enter = createSemaphore({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING, name: 'inline queries' });
  const running = new Set<Promise<void>>();

  return {
    atOnce(work: (signal: AbortSignal) => Promise<void>): void {
      const { signal } = closing;
      const done = inTurn(enter, signal, () => work(signal))
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn({ err: error }, 'an update could not be answered at once');
        })
        .finally(() => running.delete(done));
      running.add(done);
    },
    async close(): Promise<void> {
      closing.abort(new Error('Medley stops'));
      await Promise.all(running);
    },
  };
}

/** Finds the links that an edit adds to a message. */
function createLinkEdits({ eventIds, now }: TelegramContext) {
  return createEditedLinks<TelegramReplyTo>({
    now,
    keyOf: ({ chat, message }) => (message === undefined ? undefined : messageKey(chat, message)),
    editOf({ isOnlyLinks: _, ...replyTo }, links) {
      const { chat, message = 0 } = replyTo;
      // The earlier links were perhaps not answered, so the message is never deleted.
      return { replyTo, eventId: eventIds(chat, message, ...links.map(({ url }) => url)) };
    },
  });
}

function messageKey(chat: number, message: number): string {
  return `${chat} ${message}`;
}

/** How long before or after the move of a group Telegram may report that Medley joined the new supergroup. */
const MOVE_MS = 60_000;
const MAX_MOVED = 1_000;

/** Greets groups to which Medley was added, but no supergroup that a group has become: Medley was there before. */
function createGreetings({ eventIds, now }: TelegramContext) {
  const recent = { max: MAX_MOVED, ttl: MOVE_MS, perf: { now } };
  const moved = createLru<number, true>(recent);
  const greeted = createLru<number, string>(recent);

  return {
    read(change: MyChatMember): TelegramRequest | undefined {
      const request = moved.has(change.chat.id) ? undefined : joinedGroup(change, eventIds);
      if (request !== undefined) greeted.set(change.chat.id, request.eventId);
      return request;
    },
    /** Prevents the greeting of a new supergroup, even if the request for the greeting was accepted already. */
    async leaveOut(chat: number, host: PlatformHost<TelegramReplyTo>): Promise<void> {
      moved.set(chat, true);
      const greeting = greeted.get(chat);
      if (greeting !== undefined) await host.cancel(greeting);
    },
  };
}

/** The request that greets a group to which Medley was just added; undefined for any other change. */
function joinedGroup(change: MyChatMember, eventIds: EventIds): TelegramRequest | undefined {
  const { chat, from, date, old_chat_member: before, new_chat_member: now } = change;
  const isGroup = chat.type === 'group' || chat.type === 'supergroup';
  if (!isGroup || isAway(now) || !isAway(before)) return undefined;
  // An anonymous admin appears as a bot, and a bot may add Medley: in both cases the group counts as the speaker.
  const speaker = speakerOf({ from, chat }) ?? speakerOf({ chat, sender_chat: { id: chat.id } });
  if (speaker === undefined) return undefined;
  return {
    kind: 'command',
    what: { name: 'welcome', options: {} },
    ...speaker,
    eventId: eventIds('joined', chat.id, date),
    replyTo: replyToOf({ chat, is_topic_message: false }),
  };
}

/** True when Medley has left the chat, or has never been in it. */
function isAway({ status, is_member: isMember }: MyChatMember['new_chat_member']): boolean {
  return status === 'left' || status === 'kicked' || (status === 'restricted' && isMember === false);
}
