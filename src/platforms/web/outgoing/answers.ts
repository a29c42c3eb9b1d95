import { randomUUID } from 'node:crypto';
import type { Caller } from '../../../bot/contract/caller.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { ServerMessage, WebReply } from '../page/base/protocol.ts';
import type { ChatLimits } from '../protocol/limits.ts';
import { KeptFrames } from './kept-frames.ts';
import type { Outlet } from './outlet.ts';

/** A page that has said hello. */
export interface ConnectedPage {
  /** The user id is the page's session. */
  readonly caller: Caller;
  /** It speaks the browser's language until the settings are read. */
  t: Translator;
  readonly outlet: Outlet;
  /** Called when a message is answered: the answer may have changed the language. */
  onAnswered(): void;
}

/** One message of a page, or one pressed button, and what was said to it so far. */
export interface Answer {
  /** Names its request. A message that is asked again after it was given up is another request. */
  readonly requestId: string;
  /** The page's own id of the message. */
  readonly messageId: string;
  readonly caller: Caller;
  readonly t: Translator;
  readonly frames: string[];
  replies: number;
  /** The page that hears of it; undefined while there is none. */
  page: ConnectedPage | undefined;
  /** The person reads this while they wait. */
  progress: string | undefined;
  orphaned: NodeJS.Timeout | undefined;
  state: 'open' | 'answered' | 'dropped';
}

export interface AnswersOptions {
  readonly limits: ChatLimits;
  readonly now: () => number;
  /** No page came back for the answer. */
  readonly onOrphaned: (answer: Answer) => void;
}

/**
 * Answers, across connections: an answer whose page was cut off waits for it, and a message that is sent again under the same id is not
 * answered twice.
 */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #kept: KeptFrames;
  /** The open answers, by request. */
  readonly #open = new Map<string, Answer>();
  readonly #pages = new Set<ConnectedPage>();

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#kept = new KeptFrames(options.limits, options.now);
  }

  /** The page hears late frames of its session from now on, and those that came while it was away for a moment. */
  join(page: ConnectedPage): void {
    this.#pages.add(page);
    for (const frame of this.#kept.lateFor(page.caller.userId)) page.outlet.sendText(frame);
  }

  leave(page: ConnectedPage): void {
    const { limits, onOrphaned } = this.#options;
    this.#pages.delete(page);
    for (const answer of this.#open.values()) {
      if (answer.page !== page) continue;
      answer.page = undefined;
      answer.orphaned = setTimeout(() => onOrphaned(answer), limits.orphanMs);
      answer.orphaned.unref();
    }
  }

  /** True when there is no room for another message of that session. */
  isFull(session: string): boolean {
    const { jobs, running, queued } = this.#options.limits;
    return this.#open.size >= jobs || this.#openOf(session).length >= running + queued;
  }

  /** The open answer to a request. */
  get(requestId: string): Answer | undefined {
    return this.#open.get(requestId);
  }

  find(session: string, messageId: string): Answer | undefined {
    return this.#openOf(session).find(answer => answer.messageId === messageId);
  }

  /** Says again what was said to a message. False when the message is not known. */
  repeat(page: ConnectedPage, messageId: string): boolean {
    const session = page.caller.userId;
    const frames = this.#kept.answerTo(session, messageId);
    const answer = this.find(session, messageId);
    if (frames === undefined && answer === undefined) return false;
    for (const frame of frames ?? []) page.outlet.sendText(frame);
    if (frames === undefined && answer !== undefined) attach(answer, page);
    return true;
  }

  begin(page: ConnectedPage, messageId: string): Answer {
    const answer: Answer = {
      ...{ requestId: randomUUID(), messageId, caller: page.caller, t: page.t, page },
      ...{ frames: [], replies: 0, progress: undefined, orphaned: undefined, state: 'open' },
    };
    this.#open.set(answer.requestId, answer);
    page.outlet.send({ type: 'accepted', id: messageId });
    return answer;
  }

  /** @returns the place of the reply among those of the answer */
  reply(answer: Answer, reply: WebReply): number {
    const index = answer.replies++;
    emit(answer, { type: 'reply', id: answer.messageId, index, reply });
    return index;
  }

  /** Shows a better reply in the place of an earlier one, also when the answer is complete. Other pages of the session pass over it. */
  improve(answer: Answer, index: number, reply: WebReply): void {
    if (answer.state === 'dropped') return;
    const frame: ServerMessage = { type: 'better', id: answer.messageId, index, reply };
    if (answer.state === 'open') {
      emit(answer, frame);
      return;
    }
    const session = answer.caller.userId;
    const text = JSON.stringify(frame);
    answer.frames.push(text);
    this.#kept.keepAnswer(session, answer.messageId, answer.frames);
    this.#kept.addLate(session, text);
    for (const { caller, outlet } of this.#pages) if (caller.userId === session) outlet.sendText(text);
  }

  /** Nothing more comes but better replies. */
  end(answer: Answer): void {
    if (!this.#close(answer, 'answered')) return;
    emit(answer, { type: 'done', id: answer.messageId });
    this.#kept.keepAnswer(answer.caller.userId, answer.messageId, answer.frames);
    answer.page?.onAnswered();
  }

  /** Nothing more is said, and the message may be asked again. */
  drop(answer: Answer): void {
    this.#close(answer, 'dropped');
  }

  #close(answer: Answer, state: Answer['state']): boolean {
    clearTimeout(answer.orphaned);
    answer.state = state;
    return this.#open.delete(answer.requestId);
  }

  #openOf(session: string): readonly Answer[] {
    return [...this.#open.values()].filter(({ caller }) => caller.userId === session);
  }
}

/** Tells the page what the person reads while they wait. */
export function showProgress(answer: Answer, text: string): void {
  answer.progress = text;
  answer.page?.outlet.send({ type: 'progress', id: answer.messageId, text });
}

function attach(answer: Answer, page: ConnectedPage): void {
  clearTimeout(answer.orphaned);
  answer.page = page;
  page.outlet.send({ type: 'accepted', id: answer.messageId });
  for (const frame of answer.frames) page.outlet.sendText(frame);
  if (answer.progress !== undefined) showProgress(answer, answer.progress);
}

function emit(answer: Answer, frame: ServerMessage): void {
  const text = JSON.stringify(frame);
  answer.frames.push(text);
  answer.page?.outlet.sendText(text);
}
