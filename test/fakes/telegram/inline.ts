import { randomBytes } from 'node:crypto';
import { badRequest } from './answer.ts';
import type { Stored } from './file-shelf.ts';
import type { CallbackAnswer, Entity, InlineAnswer, InlineResult } from './shapes.ts';

type QueryKind = 'query' | 'callback';

/** A message somebody sent through the bot. */
export interface InlineMessage {
  readonly id: string;
  readonly resultId: string;
  text: string | undefined;
  caption: string | undefined;
  entities: readonly Entity[];
  file: Stored | undefined;
  about: Readonly<Record<string, unknown>>;
  replyMarkup: unknown;
  edits: number;
}

export interface Inline {
  /** By the query's id. */
  readonly answers: ReadonlyMap<string, InlineAnswer>;
  readonly callbackAnswers: ReadonlyMap<string, CallbackAnswer>;
  /** By inline_message_id. */
  readonly messages: ReadonlyMap<string, InlineMessage>;
  /** An id the bot may answer once; a fresh one unless given. */
  ask(kind: QueryKind, id?: string): string;
  /** From now on it is too late to answer it. */
  expire(queryId: string): void;
  answer(answer: InlineAnswer): void;
  answerCallback(answer: CallbackAnswer): void;
  /** @returns the message when it can be edited: only those with an inline keyboard have an id. */
  choose(resultId: string): InlineMessage | undefined;
}

export function createInline(): Inline {
  const answers = new Map<string, InlineAnswer>();
  const callbackAnswers = new Map<string, CallbackAnswer>();
  const messages = new Map<string, InlineMessage>();
  const open = new Map<string, QueryKind>();
  let last = 184_000_000_000_000;

  function take(id: string, kind: QueryKind): void {
    if (open.get(id) !== kind) {
      throw badRequest('query is too old and response timeout expired or query ID is invalid');
    }
    open.delete(id);
  }

  function latest(resultId: string): InlineResult | undefined {
    const all = [...answers.values()].flatMap(answer => answer.results);
    return all.findLast(result => result.id === resultId);
  }

  return {
    answers,
    callbackAnswers,
    messages,
    ask: (kind, id = String(++last)) => {
      open.set(id, kind);
      return id;
    },
    expire: queryId => {
      open.delete(queryId);
    },
    answer: answer => {
      take(answer.inline_query_id, 'query');
      answers.set(answer.inline_query_id, answer);
    },
    answerCallback: answer => {
      take(answer.callback_query_id, 'callback');
      callbackAnswers.set(answer.callback_query_id, answer);
    },
    choose: resultId => {
      const result = latest(resultId);
      if (result === undefined) throw new Error(`the bot offered no inline result ${resultId}`);
      if (result.reply_markup === undefined) return undefined;
      const content = result.input_message_content;
      const message: InlineMessage = {
        id: `AAIC${randomBytes(16).toString('base64url')}`,
        resultId,
        text: content?.message_text,
        caption: result.caption,
        entities: content?.entities ?? result.caption_entities ?? [],
        file: undefined,
        about: {},
        replyMarkup: result.reply_markup,
        edits: 0,
      };
      messages.set(message.id, message);
      return message;
    },
  };
}
