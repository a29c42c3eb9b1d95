import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { PlatformHost } from '../../../bot/contract/chat-platform.ts';
import { type Reply, reply } from '../../../bot/contract/reply.ts';
import type { RequestBody } from '../../../bot/contract/request.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Answer, Answers, ConnectedPage } from '../outgoing/answers.ts';
import type { PageMessage, WebReply } from '../page/base/protocol.ts';
import type { ChatLimits } from '../protocol/limits.ts';

export interface RequestsOptions {
  readonly dispatcher: Pick<Dispatcher, 'read'>;
  readonly answers: Answers;
  readonly render: (reply: Reply) => WebReply;
  readonly limits: ChatLimits;
  readonly log: Pick<Logger, 'error'>;
}

type Asked = Extract<PageMessage, { type: 'message' | 'action' }>;

/** Messages and pressed buttons become requests of the runtime. */
export interface Requests {
  /** Nothing is taken before. */
  open(host: PlatformHost<string>): void;
  ask(page: ConnectedPage, asked: Asked): void;
  /** Ends the request that a page cancels. */
  cancel(page: ConnectedPage, messageId: string): void;
  /** Ends a request that no page waits for. */
  drop(answer: Answer): void;
  /** Takes nothing new; requests may still be cancelled. */
  close(): void;
}

export function createRequests(options: RequestsOptions): Requests {
  const { dispatcher, answers, render, limits, log } = options;
  let host: PlatformHost<string> | undefined;
  let isOpen = false;

  /** Why a message is not taken, in words. */
  function refusalOf({ t, caller }: ConnectedPage, asked: Asked): string | undefined {
    const { messages } = t;
    if (asked.type === 'message' && asked.text.length > limits.messageLength)
      return messages.web.tooLong.replace('{n}', String(limits.messageLength));
    return answers.isFull(caller.userId) ? messages.errors.rate_limited({}) : undefined;
  }

  function refuse({ outlet }: ConnectedPage, { id }: Asked, text: string): void {
    const words = reply({ tone: 'error', blocks: [{ kind: 'text', text: [text] }] });
    outlet.send({ type: 'reply', id, index: 0, reply: render(words) });
    outlet.send({ type: 'done', id });
  }

  async function submit(answer: Answer, asked: Asked): Promise<void> {
    const body = await bodyOf(answer, asked);
    if (answer.state !== 'open') return;
    if (host === undefined || !isOpen) return answers.drop(answer);
    if (body === undefined) return answers.end(answer);
    const acceptance = await host.accept({
      ...body,
      ...whoAndWhere(answer),
      eventId: answer.requestId,
      replyTo: answer.requestId,
      async refuse(words) {
        answers.reply(answer, render(words));
        answers.end(answer);
      },
    });
    if (acceptance === 'closed') answers.drop(answer);
    else if (isDropped(answer)) await host.cancel(answer.requestId);
  }

  async function bodyOf({ caller }: Answer, asked: Asked): Promise<RequestBody | undefined> {
    if (asked.type === 'action') return { kind: 'button', what: { token: asked.token } };
    return dispatcher.read({ caller, text: asked.text });
  }

  function drop(answer: Answer): void {
    answers.drop(answer);
    host
      ?.cancel(answer.requestId)
      .catch((error: unknown) => log.error({ err: error }, 'web chat: a request could not be cancelled'));
  }

  return {
    open(opened) {
      host = opened;
      isOpen = true;
    },
    ask(page, asked) {
      // A page that hears nothing asks again when it has found the next server.
      if (answers.repeat(page, asked.id) || !isOpen) return;
      const refusal = refusalOf(page, asked);
      if (refusal !== undefined) return refuse(page, asked, refusal);
      const answer = answers.begin(page, asked.id);
      submit(answer, asked).catch((error: unknown) => {
        log.error({ err: error }, 'web chat: a message could not be taken');
        answers.drop(answer);
      });
    },
    cancel(page, messageId) {
      const answer = answers.find(page.caller.userId, messageId);
      if (answer !== undefined) drop(answer);
      page.outlet.send({ type: 'done', id: messageId });
    },
    drop,
    close() {
      isOpen = false;
    },
  };
}

/** Cancelled while its request was being stored. */
function isDropped({ state }: Answer): boolean {
  return state === 'dropped';
}

function whoAndWhere({ caller: { userId, chatId, rateKey, locales } }: Answer) {
  return {
    chat: { id: chatId, kind: 'private' as const },
    user: { id: userId, rateKey, locales: [...locales], isChatAdmin: true },
  };
}
