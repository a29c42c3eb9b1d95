import type { Caller } from '../../../bot/command.ts';
import type { Dispatcher } from '../../../bot/dispatch/dispatcher.ts';
import type { Reply } from '../../../bot/reply.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import { MESSAGE_LIMITS, type TelegramLimits } from '../limits.ts';
import type { BotApi } from '../outgoing/bot-api.ts';
import { BotApiError } from '../outgoing/bot-api-error.ts';
import { callerOf, placeOf, privateCaller } from '../outgoing/caller.ts';
import type { DeleteButton } from '../outgoing/delete-button.ts';
import type { EditMessage, StandingKind } from '../outgoing/edit-message.ts';
import type { Sender } from '../outgoing/send.ts';
import { failureSentence } from '../outgoing/send-errors.ts';
import { renderBlocks } from '../render/block-text.ts';
import { shorten } from '../render/formatted-text.ts';
import { render } from '../render/render.ts';
import type { ChatAccess } from './chat-access.ts';
import type { CallbackQuery } from './updates.ts';

export interface PressOptions {
  readonly api: BotApi;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly sender: Sender;
  readonly restate: EditMessage;
  readonly access: ChatAccess;
  readonly deleteButton: DeleteButton;
  readonly translator: Dispatcher['translator'];
  readonly limits: TelegramLimits;
  readonly log: Pick<Logger, 'debug' | 'info' | 'error'>;
}

/** Answers a pressed button. Never rejects. */
export type Press = (query: CallbackQuery, signal: AbortSignal) => Promise<void>;

/** Every press is answered once: with a notice for the one who pressed, or by letting the button rest. */
interface Spinner {
  /** False when it rests already. */
  say(text: string): Promise<boolean>;
  rest(): Promise<void>;
}

export function createPress(options: PressOptions): Press {
  const { api, dispatcher, sender, restate, access, deleteButton, translator, limits, log } = options;

  function createSpinner({ id }: CallbackQuery, signal: AbortSignal): Spinner {
    let isOver = false;
    async function answer(said: { readonly text?: string; readonly show_alert?: boolean }): Promise<boolean> {
      if (isOver) return false;
      isOver = true;
      clearTimeout(timer);
      try {
        return await api.call('answerCallbackQuery', { callback_query_id: id, ...said }, { signal });
      } catch (error) {
        log.debug({ err: error }, 'a button could not be answered');
        return false;
      }
    }
    const timer = setTimeout(() => void answer({}), limits.spinMs);
    return {
      say: text =>
        answer({ text: shorten({ text, entities: [] }, MESSAGE_LIMITS.callbackAnswer).text, show_alert: true }),
      rest: async () => void (await answer({})),
    };
  }

  /** Anonymous admins ask as the group but press as themselves. */
  async function presserOf(query: CallbackQuery, message: NonNullable<CallbackQuery['message']>) {
    const { chat, reply_to_message: asked } = message;
    const isAskedByGroup = asked?.sender_chat?.id === chat.id;
    const isGroup = isAskedByGroup && (await access.isAdmin(chat.id, query.from.id));
    const caller = callerOf({ from: query.from, chat, sender_chat: isGroup ? { id: chat.id } : undefined }, access);
    return caller && { ...caller, locales: query.from.language_code === undefined ? [] : [query.from.language_code] };
  }

  async function takeAway(
    query: CallbackQuery,
    caller: Caller,
    spinner: Spinner,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { message, data = '', from } = query;
    const owner = message && deleteButton.read(data, message.chat.id);
    if (message === undefined || owner === undefined) return false;
    const asked = message.reply_to_message?.message_id ?? owner.messageId;
    const isOwner = owner.messageId === asked && (owner.userId === `${from.id}` || owner.userId === caller.userId);
    if (isOwner || (await access.isAdmin(message.chat.id, from.id))) {
      await api.call('deleteMessage', { chat_id: message.chat.id, message_id: message.message_id }, { signal });
    } else await spinner.say((await translator(caller)).messages.errors.forbidden({ what: 'button' }));
    return true;
  }

  async function run(query: CallbackQuery, caller: Caller, spinner: Spinner, signal: AbortSignal): Promise<void> {
    const { message, data } = query;
    if (message === undefined || data === undefined) return;
    const t = await translator(caller);
    const place = { ...placeOf(message), replyTo: undefined };
    const target = { chat_id: place.chatId, message_id: message.message_id };
    let standing = standingOf(message);

    async function show(reply: Reply): Promise<void> {
      const remark = isRemark(reply);
      if (remark && (await spinner.say(renderBlocks(reply.blocks, t, MESSAGE_LIMITS.text).text))) return;
      // A remark that comes too late for the button must not take the place of what it stands under.
      const before = reply.gallery.length === 0 && !remark ? standing : undefined;
      const way = before && (await restate(render(reply, { t }), { ...target, kind: before }, signal));
      standing = undefined;
      if (way === 'done') return;
      await sender.send(reply, place, { t, signal });
      if (way === 'anew') await withdraw();
    }

    async function withdraw(): Promise<void> {
      try {
        await api.call('deleteMessage', target, { signal });
      } catch (error) {
        // It is too old, or gone already.
        log.debug({ err: error }, 'a message that was replaced could not be deleted');
      }
    }

    await dispatcher.dispatch(
      { kind: 'action', caller, token: data, signal },
      { progress: () => undefined, reply: show },
    );
  }

  return async (query, signal) => {
    const spinner = createSpinner(query, signal);
    try {
      const { message, data } = query;
      const caller = message && data !== undefined ? await presserOf(query, message) : undefined;
      if (caller === undefined || (await takeAway(query, caller, spinner, signal))) return;
      await run(query, caller, spinner, signal);
    } catch (error) {
      if (signal.aborted) return;
      const isTheirs = error instanceof BotApiError && (error.code === 400 || error.code === 403);
      log[isTheirs ? 'info' : 'error']({ err: error }, 'a button did not do its work');
      await spinner.say(sentenceOf(error, await translator(privateCaller(query.from))));
    } finally {
      await spinner.rest();
    }
  };
}

/** Whether the button did its work is not what `unconfirmed` is about. */
function sentenceOf(error: unknown, t: Translator): string {
  const isTold = error instanceof BotApiError && error.retryAfterMs !== undefined;
  return isTold ? failureSentence(error, t) : t.messages.errors.internal({});
}

/** What Medley's own words stand in; films and other files are posts, which stay. */
function standingOf({ text, photo }: NonNullable<CallbackQuery['message']>): StandingKind | undefined {
  if (text !== undefined) return 'text';
  return photo === undefined ? undefined : 'photo';
}

/** One sentence for the one who pressed. */
function isRemark({ tone, gallery, actions }: Reply): boolean {
  return (tone === 'notice' || tone === 'error') && gallery.length === 0 && actions.length === 0;
}
