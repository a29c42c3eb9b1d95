import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { PlatformHost } from '../../../bot/contract/chat-platform.ts';
import { type Reply, reply } from '../../../bot/contract/reply.ts';
import type { RequestBody } from '../../../bot/contract/request.ts';
import type { Logger } from '../../../infra/log.ts';
import type { ConnectedPage, PageAnswer, PageAnswers } from '../outgoing/page-answers.ts';
import type { PageMessage, WebReply } from '../page/base/protocol.ts';
import type { WebLimits } from '../protocol/limits.ts';

export interface PageRequestsOptions {
  readonly dispatcher: Pick<Dispatcher, 'read'>;
  readonly answers: PageAnswers;
  readonly render: (reply: Reply) => WebReply;
  readonly limits: WebLimits;
  readonly log: Pick<Logger, 'error'>;
}

type Asked = Extract<PageMessage, { type: 'message' | 'action' }>;

/** Turns messages and pressed buttons of pages into requests for bot/runtime. */
export class PageRequests {
  readonly #options: PageRequestsOptions;
  #host: PlatformHost<string> | undefined;
  #isOpen = false;

  constructor(options: PageRequestsOptions) {
    this.#options = options;
  }

  /** Accepts requests from now on. */
  open(host: PlatformHost<string>): void {
    this.#host = host;
    this.#isOpen = true;
  }

  /** Accepts nothing new; requests may still be cancelled. */
  close(): void {
    this.#isOpen = false;
  }

  ask(page: ConnectedPage, asked: Asked): void {
    const { answers, log } = this.#options;
    // While no requests are accepted the page gets no answer, and repeats the message at the next server.
    if (answers.repeat(page, asked.id) || !this.#isOpen) return;
    const refusal = this.#refusalOf(page, asked);
    if (refusal !== undefined) {
      this.#refuse(page, asked.id, refusal);
      return;
    }
    const answer = answers.begin(page, asked.id);
    this.#submit(answer, asked).catch((error: unknown) => {
      log.error({ err: error }, 'web chat: a message could not be taken');
      answers.drop(answer);
    });
  }

  /** Ends the request that a page cancels. */
  cancel({ caller, outlet }: ConnectedPage, messageId: string): void {
    const answer = this.#options.answers.find(caller.userId, messageId);
    if (answer !== undefined) this.drop(answer);
    outlet.send({ type: 'done', id: messageId });
  }

  /** Cancels a request whose answer is no longer awaited. */
  drop(answer: PageAnswer): void {
    const { answers, log } = this.#options;
    answers.drop(answer);
    this.#host
      ?.cancel(answer.requestId)
      .catch((error: unknown) => log.error({ err: error }, 'web chat: a request could not be cancelled'));
  }

  /** The notice for a message that is not accepted; undefined for one that is. */
  #refusalOf({ t: { messages }, caller }: ConnectedPage, asked: Asked): string | undefined {
    const { answers, limits } = this.#options;
    if (asked.type === 'message' && asked.text.length > limits.messageLength)
      return messages.web.tooLong.replace('{n}', String(limits.messageLength));
    return answers.isFull(caller.userId) ? messages.errors.rate_limited({}) : undefined;
  }

  #refuse({ outlet }: ConnectedPage, id: string, text: string): void {
    const words = reply({ tone: 'error', blocks: [{ kind: 'text', text: [text] }] });
    outlet.send({ type: 'reply', id, index: 0, reply: this.#options.render(words) });
    outlet.send({ type: 'done', id });
  }

  async #submit(answer: PageAnswer, asked: Asked): Promise<void> {
    const { answers, render } = this.#options;
    const { requestId, caller } = answer;
    const body = await this.#bodyOf(answer, asked);
    if (answer.state !== 'open') return;
    if (body === undefined) return answers.end(answer);
    const acceptance = await this.#accept({
      ...body,
      chat: { id: caller.chatId, kind: 'private' },
      user: { id: caller.userId, rateKey: caller.rateKey, locales: [...caller.locales], isChatAdmin: true },
      eventId: requestId,
      replyTo: requestId,
      async refuse(words) {
        answers.reply(answer, render(words));
        answers.end(answer);
      },
    });
    if (acceptance === 'closed') answers.drop(answer);
    // The page cancelled the message while its request was being stored, so the request is cancelled now.
    else if (answers.get(requestId) === undefined) await this.#host?.cancel(requestId);
  }

  async #bodyOf({ caller }: PageAnswer, asked: Asked): Promise<RequestBody | undefined> {
    if (asked.type === 'action') return { kind: 'button', what: { token: asked.token } };
    return this.#options.dispatcher.read({ caller, text: asked.text });
  }

  async #accept(request: Parameters<PlatformHost<string>['accept']>[0]) {
    return this.#isOpen && this.#host !== undefined ? this.#host.accept(request) : 'closed';
  }
}
