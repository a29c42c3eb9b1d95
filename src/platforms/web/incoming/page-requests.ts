import type { PlatformHost } from '../../../bot/contract/chat-platform.ts';
import type { Reply } from '../../../bot/contract/reply.ts';
import { reply, textBlock } from '../../../bot/contract/reply-parts.ts';
import type { RequestBody } from '../../../bot/contract/request.ts';
import type { ConnectedPage, PageAnswer, PageAnswers, WebContext } from '../outgoing/page-answers.ts';
import type { PageMessage, WebReply } from '../page/base/protocol.ts';
import type { WebLimits } from '../protocol/limits.ts';

type Asked = Extract<PageMessage, { type: 'message' | 'action' }>;

export type PageRequests = ReturnType<typeof createPageRequests>;

/** Turns messages and pressed buttons of pages into requests for bot/runtime. */
export function createPageRequests(
  { dispatcher, limits, log }: WebContext,
  answers: PageAnswers,
  render: (reply: Reply) => WebReply,
) {
  let host: PlatformHost<string> | undefined;
  let isOpen = false;

  async function submit(answer: PageAnswer, asked: Asked): Promise<void> {
    const { requestId, caller } = answer;
    const body: RequestBody | undefined =
      asked.type === 'action'
        ? { kind: 'button', what: { token: asked.token } }
        : await dispatcher.read({ caller, text: asked.text });
    if (answer.state !== 'open') return;
    if (body === undefined) {
      answers.end(requestId);
      return;
    }
    const request: Parameters<PlatformHost<string>['accept']>[0] = {
      ...body,
      chat: { id: caller.chatId, kind: 'private' },
      user: { id: caller.userId, rateKey: caller.rateKey, locales: [...caller.locales], isChatAdmin: true },
      eventId: requestId,
      replyTo: requestId,
      async refuse(words) {
        answers.reply(answer, render(words));
        answers.end(requestId);
      },
    };
    const acceptance = isOpen && host ? await host.accept(request) : 'closed';
    if (acceptance === 'closed') answers.drop(answer);
    // The page cancelled the message while its request was being stored, so the request is cancelled now.
    else if (answers.get(requestId) === undefined) await host?.cancel(requestId);
  }

  /** Cancels a request whose answer is no longer awaited. */
  function drop(answer: PageAnswer): void {
    answers.drop(answer);
    host
      ?.cancel(answer.requestId)
      .catch((error: unknown) => log.error({ err: error }, 'web chat: a request could not be cancelled'));
  }

  return {
    drop,

    /** Accepts requests from now on. */
    open(opened: PlatformHost<string>): void {
      host = opened;
      isOpen = true;
    },

    /** Accepts nothing new; requests may still be cancelled. */
    close(): void {
      isOpen = false;
    },

    ask(page: ConnectedPage, asked: Asked): void {
      // While this server starts or stops, it does not answer the message; the page reconnects and sends it again.
      if (answers.repeat(page, asked.id) || !isOpen) return;
      const refusal = refusalOf(page, asked, limits, answers);
      if (refusal !== undefined) {
        const words = reply({ tone: 'error', blocks: [textBlock([refusal])] });
        page.outlet.send({ type: 'reply', id: asked.id, index: 0, reply: render(words) });
        page.outlet.send({ type: 'done', id: asked.id });
        return;
      }
      const answer = answers.begin(page, asked.id);
      submit(answer, asked).catch((error: unknown) => {
        log.error({ err: error }, 'web chat: a message could not be taken');
        answers.drop(answer);
      });
    },

    /** Ends the request that a page cancels. */
    cancel({ caller, outlet }: ConnectedPage, messageId: string): void {
      const answer = answers.find(caller.userId, messageId);
      if (answer !== undefined) drop(answer);
      outlet.send({ type: 'done', id: messageId });
    },
  };
}

/** The sentence that refuses a message, because it is too long or too many are unanswered; undefined to accept it. */
function refusalOf(
  { t: { messages }, caller }: ConnectedPage,
  asked: Asked,
  limits: WebLimits,
  answers: Pick<PageAnswers, 'isFull'>,
): string | undefined {
  if (asked.type === 'message' && asked.text.length > limits.messageLength)
    return messages.web.tooLong.replace('{n}', String(limits.messageLength));
  return answers.isFull(caller) ? messages.errors.rate_limited({}) : undefined;
}
