import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from '../../../bot/answer/answer.ts';
import type { AnswerProgress } from '../../../bot/contract/chat-platform.ts';
import type { Caller } from '../../../bot/contract/request.ts';
import type { Site } from '../../../bot/contract/settings.ts';
import type { Translator } from '../../../i18n/translate.ts';
import type { Logger } from '../../../infra/log.ts';
import type { ServerMessage, WebExample, WebReply } from '../page/base/protocol.ts';
import type { WebLimits } from '../protocol/limits.ts';

/** Sends frames to one page. It never throws: frames for a page that has gone are dropped. */
export interface Outlet {
  send(frame: ServerMessage): void;
  /** Sends a frame that is already serialised. */
  sendText(frame: string): void;
}

/** A page that is connected and has said hello. */
export interface ConnectedPage {
  /** The caller; its user id is the page's session. */
  readonly caller: Caller;
  /** The texts in the browser's language, until the person's settings are read. */
  t: Translator;
  readonly outlet: Outlet;
  /** Called when a message was answered: it may have been a command that changed the language. */
  onAnswered(): void;
}

/** A message or pressed button of a page, and what was sent in answer so far. */
export interface PageAnswer {
  /** The id of its request. A message that is cancelled and then sent again becomes another request. */
  readonly requestId: string;
  /** The id that the page gave to the message. */
  readonly messageId: string;
  readonly caller: Caller;
  readonly t: Translator;
  readonly frames: string[];
  replies: number;
  /** The connected page that gets the answer; undefined while it is disconnected. */
  page: ConnectedPage | undefined;
  /** The latest progress and when it came, unix milliseconds; a page gets it again when it reconnects. */
  progress: { readonly latest: AnswerProgress; readonly at: number } | undefined;
  /** The timer that drops the answer if its page does not reconnect. */
  orphanTimer: NodeJS.Timeout | undefined;
  state: 'open' | 'answered' | 'dropped';
}

/** The parts of the platform that its connections share. */
export interface WebContext {
  readonly dispatcher: Pick<Dispatcher, 'read' | 'suggest' | 'translator' | 'commandSpecs'>;
  /** Examples for the empty conversation; the page adds the help command. */
  readonly examples: (t: Translator) => readonly WebExample[];
  /** The sites that are named on the page while its conversation is empty. */
  readonly sites: readonly Site[];
  /** The address that people open, if it differs from the Host header that the server receives. */
  readonly publicUrl: string | undefined;
  readonly limits: WebLimits;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly now: () => number;
}

interface PageAnswersOptions extends Pick<WebContext, 'limits' | 'now'> {
  /** Called when a page has disconnected and not come back for an answer in time. */
  readonly onOrphaned: (answer: PageAnswer) => void;
}

/**
 * Answers that survive a lost connection. An answer waits for its page to reconnect, and a message that the page sends
 * again under the same id is not answered twice. Complete answers, and better versions of their replies, are kept for a
 * while.
 */
export class PageAnswers {
  readonly #options: PageAnswersOptions;
  /** The answers that are not complete, by request. */
  readonly #open = new Map<string, PageAnswer>();
  readonly #pages = new Set<ConnectedPage>();
  /** Complete answers as lines of UTF-8 outside the heap. As strings they would take twice the memory. */
  readonly #complete: LRUCache<string, Buffer>;
  /** Better versions of replies in complete answers, by session, for pages that were disconnected when they came. */
  readonly #late: LRUCache<string, readonly string[]>;
  /** Sessions that got a notice about the wait for their rate limit, until that wait is over. */
  readonly #noticed: LRUCache<string, true>;

  constructor(options: PageAnswersOptions) {
    const { jobs, answeredBytes: maxSize, answeredMs, orphanMs } = options.limits;
    const perf = { now: options.now };
    this.#options = options;
    this.#complete = new LRUCache({ maxSize, sizeCalculation: ({ length }) => length, ttl: answeredMs, perf });
    const sizeCalculation = (frames: readonly string[]) => frames.reduce((total, { length }) => total + length, 64);
    this.#late = new LRUCache({ maxSize, sizeCalculation, ttl: orphanMs, perf });
    this.#noticed = new LRUCache({ max: jobs, perf });
  }

  /** Sends the page better versions of its replies from now on, including those that came while it was disconnected. */
  join(page: ConnectedPage): void {
    this.#pages.add(page);
    for (const frame of this.#late.get(page.caller.userId) ?? []) page.outlet.sendText(frame);
  }

  leave(page: ConnectedPage): void {
    const { limits, onOrphaned } = this.#options;
    this.#pages.delete(page);
    for (const answer of this.#open.values()) {
      if (answer.page !== page) continue;
      answer.page = undefined;
      answer.orphanTimer = setTimeout(() => onOrphaned(answer), limits.orphanMs);
      answer.orphanTimer.unref();
    }
  }

  /**
   * True when no further message of the caller is accepted until one is answered. One network address may have as many
   * unanswered messages as all the connections that it may open, so that sessions which it abandons do not take the
   * room of everybody else.
   */
  isFull({ userId, sharedRateKey }: Caller): boolean {
    const { jobs, running, queued, connectionsPerAddress } = this.#options.limits;
    const most = running + queued;
    const ofAddress = [...this.#open.values()].filter(({ caller }) => caller.sharedRateKey === sharedRateKey);
    if (this.#open.size >= jobs || ofAddress.length >= connectionsPerAddress * most) return true;
    return this.#openOf(userId).length >= most;
  }

  /** The incomplete answer to a request; undefined when there is none. */
  get(requestId: string): PageAnswer | undefined {
    return this.#open.get(requestId);
  }

  /** The incomplete answer to a message; undefined when there is none. */
  find(session: string, messageId: string): PageAnswer | undefined {
    return this.#openOf(session).find(answer => answer.messageId === messageId);
  }

  /** Sends everything again that was sent in answer to a message. False if the message is unknown. */
  repeat(page: ConnectedPage, messageId: string): boolean {
    const session = page.caller.userId;
    const frames = this.#complete.get(`${session} ${messageId}`);
    const answer = this.find(session, messageId);
    if (frames !== undefined) for (const frame of frames.toString().split('\n')) page.outlet.sendText(frame);
    else if (answer !== undefined) this.#attach(answer, page);
    return frames !== undefined || answer !== undefined;
  }

  begin(page: ConnectedPage, messageId: string): PageAnswer {
    const answer: PageAnswer = {
      ...{ requestId: randomUUID(), messageId, caller: page.caller, t: page.t, page },
      ...{ frames: [], replies: 0, progress: undefined, orphanTimer: undefined, state: 'open' },
    };
    this.#open.set(answer.requestId, answer);
    page.outlet.send({ type: 'accepted', id: messageId });
    return answer;
  }

  /**
   * Shows the progress below the person's message. If the message waits for the person's rate limit, a notice says
   * so, too, but only one until that wait is over, however many messages wait.
   */
  progress(requestId: string, latest: AnswerProgress): void {
    const answer = this.#open.get(requestId);
    if (answer === undefined) return;
    answer.progress = { latest, at: this.#options.now() };
    this.#showProgress(answer);
  }

  /** Shows nothing while the page is disconnected; a wait is then announced when the page comes back. */
  #showProgress({ messageId: id, caller, page, t, progress }: PageAnswer): void {
    if (page === undefined || progress === undefined) return;
    const { latest, at } = progress;
    if (latest.kind === 'stage') {
      page.outlet.send({ type: 'progress', id, text: t.messages.progress[latest.stage] });
      return;
    }
    const leftMs = Math.max(1_000, at + latest.afterMs - this.#options.now());
    const text = t.messages.requests.waiting({ links: latest.links, wait: t.wait(leftMs) });
    page.outlet.send({ type: 'progress', id, text });
    if (!this.#noticed.has(caller.userId)) page.outlet.send({ type: 'notice', text });
    this.#noticed.set(caller.userId, true, { ttl: leftMs });
  }

  /** Sends a page that has come back what it may have missed. */
  #attach(answer: PageAnswer, page: ConnectedPage): void {
    clearTimeout(answer.orphanTimer);
    answer.page = page;
    page.outlet.send({ type: 'accepted', id: answer.messageId });
    for (const frame of answer.frames) page.outlet.sendText(frame);
    this.#showProgress(answer);
  }

  /** @returns the position of the reply in the answer */
  reply(answer: PageAnswer, reply: WebReply): number {
    const index = answer.replies++;
    emit(answer, { type: 'reply', id: answer.messageId, index, reply });
    return index;
  }

  /**
   * Replaces a reply by a better one, even in a complete answer. The frame goes to all tabs of the session; those that
   * did not get the reply ignore the frame.
   */
  improve(answer: PageAnswer, index: number, reply: WebReply): void {
    if (answer.state === 'dropped') return;
    const text = emit(answer, { type: 'better', id: answer.messageId, index, reply }, answer.state === 'open');
    if (answer.state === 'open') return;
    const session = answer.caller.userId;
    this.#keep(answer);
    this.#late.set(session, [...(this.#late.get(session) ?? []), text]);
    this.#late.purgeStale();
    for (const { caller, outlet } of this.#pages) if (caller.userId === session) outlet.sendText(text);
  }

  /** Completes the answer: after this only better versions of its replies may come. */
  end(requestId: string): void {
    const answer = this.#open.get(requestId);
    if (answer === undefined) return;
    this.#close(answer, 'answered');
    emit(answer, { type: 'done', id: answer.messageId });
    this.#keep(answer);
    answer.page?.onAnswered();
  }

  /** Ends the answer without completing it. Nothing more is sent, and the page may send the message again. */
  drop(answer: PageAnswer): void {
    this.#close(answer, 'dropped');
  }

  #close(answer: PageAnswer, state: PageAnswer['state']): void {
    clearTimeout(answer.orphanTimer);
    answer.state = state;
    this.#open.delete(answer.requestId);
  }

  #keep({ caller, messageId, frames }: PageAnswer): void {
    this.#complete.set(`${caller.userId} ${messageId}`, Buffer.from(frames.join('\n')));
    // Expired answers would otherwise take memory until the cache is full.
    this.#complete.purgeStale();
  }

  #openOf(session: string): readonly PageAnswer[] {
    return [...this.#open.values()].filter(({ caller }) => caller.userId === session);
  }
}

function emit(answer: PageAnswer, frame: ServerMessage, isSent = true): string {
  const text = JSON.stringify(frame);
  answer.frames.push(text);
  if (isSent) answer.page?.outlet.sendText(text);
  return text;
}
