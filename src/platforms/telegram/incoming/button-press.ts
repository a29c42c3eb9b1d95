import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { NewRequest } from '../../../bot/contract/chat-platform.ts';
import type { RequestBody } from '../../../bot/contract/request.ts';
import { callerOf } from '../../../bot/contract/request.ts';
import type { Logger } from '../../../infra/log.ts';
import type { BotApi } from '../api/bot-api.ts';
import { BotApiError } from '../api/bot-api-error.ts';
import type { ChatAccess } from '../api/chat-access.ts';
import { type Envelope, type EventIds, localesOf, placeOf, privateSpeaker, speakerOf } from '../api/envelope.ts';
import { failureSentence } from '../api/refusals.ts';
import type { TelegramReplyTo } from '../api/reply-to.ts';
import type { CallbackQuery } from '../api/updates.ts';
import { readAudioButton } from '../outgoing/audio-button.ts';
import type { DeleteButton } from '../outgoing/delete-button.ts';
import { deleteMessage } from '../outgoing/delete-message.ts';
import type { PressAnswers } from '../outgoing/press-answers.ts';

export interface ButtonPressOptions {
  readonly api: BotApi;
  readonly translator: Dispatcher['translator'];
  readonly access: ChatAccess;
  readonly deleteButton: DeleteButton;
  readonly answers: PressAnswers;
  readonly eventIds: EventIds;
  readonly log: Pick<Logger, 'info' | 'error'>;
}

export interface ButtonPress {
  /** Does what a button of this platform's own asks for: answers are taken away at once. Never rejects. */
  act(query: CallbackQuery, signal: AbortSignal): Promise<void>;
  /** What any other button asks of Medley; undefined where `act` is to be called. The button rests before long, whatever comes of it. */
  read(query: CallbackQuery): Promise<NewRequest<TelegramReplyTo> | undefined>;
}

type Pressed = NonNullable<CallbackQuery['message']>;

export function createButtonPress(options: ButtonPressOptions): ButtonPress {
  const { api, translator, access, deleteButton, answers, eventIds, log } = options;

  /** Anonymous admins ask as the group but press as themselves. */
  async function presserOf(
    query: CallbackQuery,
    message: Pressed,
  ): Promise<Pick<Envelope, 'chat' | 'user'> | undefined> {
    const { chat, reply_to_message: asked } = message;
    const isAskedByGroup = asked?.sender_chat?.id === chat.id;
    const isGroup = isAskedByGroup && (await access.isAdmin(chat.id, query.from.id).catch(() => false));
    const speaker = speakerOf({ from: query.from, chat, sender_chat: isGroup ? { id: chat.id } : undefined });
    return speaker && { ...speaker, user: { ...speaker.user, locales: localesOf(query.from) } };
  }

  async function remove(chat: number, id: number, others: readonly number[], signal: AbortSignal): Promise<void> {
    // Of several Telegram takes those it can without a word; first that which tells whether it can.
    await deleteMessage(api, { chat_id: chat, message_id: id }, signal);
    if (others.length > 0) await api.call('deleteMessages', { chat_id: chat, message_ids: others }, { signal });
  }

  async function takeAway(query: CallbackQuery, message: Pressed, signal: AbortSignal): Promise<void> {
    const owner = deleteButton.read(query.data ?? '', message.chat.id);
    const presser = await presserOf(query, message);
    if (owner === undefined || presser === undefined) return;
    const { id } = presser.user;
    const asked = message.reply_to_message?.message_id ?? owner.messageId;
    const isOwner = owner.messageId === asked && (owner.userId === `${query.from.id}` || owner.userId === id);
    if (isOwner || (await access.isAdmin(message.chat.id, query.from.id))) {
      await remove(message.chat.id, message.message_id, owner.others, signal);
      return;
    }
    const t = await translator(callerOf({ platform: 'telegram', ...presser }));
    await answers.say(query.id, t.messages.errors.forbidden_button);
  }

  async function fail(error: unknown, { id, from }: CallbackQuery): Promise<void> {
    const isTheirs = error instanceof BotApiError && (error.code === 400 || error.code === 403);
    log[isTheirs ? 'info' : 'error']({ err: error }, 'a button did not do its work');
    const t = await translator(callerOf({ platform: 'telegram', ...privateSpeaker(from) }));
    const isFlood = error instanceof BotApiError && error.retryAfterMs !== undefined;
    await answers.say(id, isFlood ? failureSentence(error, t) : t.messages.errors.internal);
  }

  return {
    async act(query, signal) {
      try {
        if (query.message !== undefined) await takeAway(query, query.message, signal);
      } catch (error) {
        if (!signal.aborted) await fail(error, query).catch(() => undefined);
      } finally {
        await answers.rest(query.id);
      }
    },
    async read(query) {
      const { id, message, data } = query;
      if (message === undefined || data === undefined || deleteButton.read(data, message.chat.id)) return undefined;
      const presser = await presserOf(query, message);
      if (presser === undefined) return undefined;
      answers.restSoon(id);
      const stands = standsAs(message);
      const press = { query: id, message: message.message_id, ...(stands && { stands }) };
      return {
        ...askOf(data),
        ...presser,
        eventId: eventIds('button', id),
        replyTo: { ...placeOf(message), press },
        refuse: async reply => {
          const t = await translator(callerOf({ platform: 'telegram', ...presser }));
          await answers.sayReply(id, reply, t);
        },
      };
    },
  };
}

function askOf(data: string): RequestBody {
  const link = readAudioButton(data);
  if (link === undefined) return { kind: 'button', what: { token: data } };
  return { kind: 'command', what: { name: 'download', options: { link, audio: true } } };
}

/** What Medley's own words stand in; videos and other files are posts, which stay. */
function standsAs({ text, photo }: Pressed): 'text' | 'photo' | undefined {
  if (text !== undefined) return 'text';
  return photo === undefined ? undefined : 'photo';
}
