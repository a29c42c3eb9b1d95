import type { Caller } from '../../../bot/command.ts';
import type { Dispatcher } from '../../../bot/dispatch/dispatcher.ts';
import type { CommandInvocation, TextInvocation } from '../../../bot/dispatch/invocation.ts';
import type { Reply } from '../../../bot/reply.ts';
import type { Jobs } from '../../../bot/runtime/jobs.ts';
import { linkLabels } from '../../../bot/views/link-label.ts';
import { aboutLinks } from '../../../bot/views/notice.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { TelegramLimits } from '../limits.ts';
import { renderText } from '../render/render.ts';
import type { BotApi } from './bot-api.ts';
import { BotApiError } from './bot-api-error.ts';
import { createChatAction } from './chat-action.ts';
import type { DeleteButton } from './delete-button.ts';
import type { LimitNotices } from './limit-notices.ts';
import type { Place, SendingWatch } from './message-api.ts';
import type { Occasion, Sender } from './send.ts';
import { failureSentence, isWithoutRight } from './send-errors.ts';

/** One question, accepted. */
export interface Question {
  readonly ask: Omit<TextInvocation, 'signal'> | Omit<CommandInvocation, 'signal'>;
  readonly place: Place;
  /** Durable jobs by the link they are about; `undefined` is the job of a question that is one command. */
  readonly jobs: ReadonlyMap<string | undefined, string>;
}

export interface AnswerOptions {
  readonly api: BotApi;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly sender: Sender;
  readonly limitNotices: LimitNotices;
  readonly jobs: Pick<Jobs, 'sending' | 'notSent' | 'done'>;
  readonly deleteButton: DeleteButton;
  readonly translator: Dispatcher['translator'];
  readonly limits: TelegramLimits;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
}

/** Answers a question to its end. Never rejects; aborted by the signal, its jobs stay as they are. */
export type Answer = (question: Question, signal: AbortSignal) => Promise<void>;

export function createAnswer(options: AnswerOptions): Answer {
  const { api, dispatcher, sender, limitNotices, jobs, deleteButton, translator, limits, log } = options;

  /** Under files in groups; in private chats everybody can delete what he likes. */
  function extraButtons(caller: Caller, { chatId, isGroup, replyTo }: Place, t: Translator) {
    if (!isGroup || replyTo === undefined) return [];
    return [deleteButton.render({ chatId, userId: caller.userId, messageId: replyTo }, t.messages.telegram.delete)];
  }

  /** Says that an answer failed, and about which link where there are several, unless nothing can be said there. */
  async function apologise(error: unknown, about: readonly string[], place: Place, occasion: Occasion): Promise<void> {
    occasion.signal.throwIfAborted();
    const refused = error instanceof BotApiError ? error : undefined;
    const level = isShutOut(error) ? 'info' : refused?.isNotDone === false ? 'warn' : 'error';
    log[level]({ err: error }, 'an answer did not get through');
    if (isShutOut(error)) throw error;
    const text = aboutLinks(about, failureSentence(error, occasion.t));
    await sender.sendText(renderText([{ kind: 'text', text }], [], occasion.t), place, occasion);
  }

  return async ({ ask, place, jobs: ids }, signal) => {
    const t = await translator(ask.caller);
    const action = createChatAction({ api, place, everyMs: limits.actionEveryMs, log });
    const labels = labelsOf([...ids.keys()]);

    async function send(reply: Reply, link: string | undefined): Promise<void> {
      const id = ids.get(link);
      const watch = id === undefined ? undefined : watchOf(id);
      const occasion = { t, signal, extra: extraButtons(ask.caller, place, t), ...(watch && { watch }) };
      if (reply.gallery.length > 0) action.show(actionFor(reply));
      try {
        if (place.isGroup && reply.outdatedMs !== undefined) {
          await limitNotices.put(reply, ask.caller.userId, place, occasion);
        } else await sender.send(reply, place, occasion);
      } catch (error) {
        await apologise(error, link === undefined ? [] : (labels.get(link) ?? []), place, occasion);
      }
      if (id !== undefined) jobs.done(id);
    }

    try {
      await dispatcher.dispatch(
        { ...ask, signal },
        {
          progress: () => action.show('upload_video'),
          reply: (reply, { link }) => send(reply, link),
        },
      );
    } catch (error) {
      if (!signal.aborted && !isShutOut(error)) log.error({ err: error }, 'a question was not answered');
    } finally {
      action.stop();
      if (!signal.aborted) settle(ids.values());
    }
  };

  /** Once a part of the answer stands in the chat, the whole is never sent again. */
  function watchOf(id: string): SendingWatch {
    let isBegun = false;
    return {
      sending: () => jobs.sending(id),
      sent() {
        isBegun = true;
      },
      refused() {
        if (!isBegun) jobs.notSent(id);
      },
    };
  }

  /** What was refused or left out is over as well. */
  function settle(ids: Iterable<string>): void {
    try {
      for (const id of ids) jobs.done(id);
    } catch (error) {
      log.error({ err: error }, 'a job could not be closed');
    }
  }
}

/** Short forms of links by the link; none where there is but one. */
function labelsOf(keys: readonly (string | undefined)[]): ReadonlyMap<string, readonly string[]> {
  const links = keys.filter(link => link !== undefined);
  const labels = links.length > 1 ? linkLabels(links) : [];
  return new Map(links.map((link, place) => [link, labels.slice(place, place + 1)]));
}

function actionFor({ gallery }: Reply): 'upload_video' | 'upload_photo' {
  return gallery.every(({ post, index }) => post.items[index]?.kind === 'image') ? 'upload_photo' : 'upload_video';
}

/** Medley was removed, blocked or silenced: words would meet the same, and nobody here can mend it. */
function isShutOut(error: unknown): boolean {
  return (error instanceof BotApiError && error.code === 403) || isWithoutRight(error);
}
