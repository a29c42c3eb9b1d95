import type { WebSocket } from '@fastify/websocket';
import * as z from 'zod';
import { callerOf } from '../../../bot/contract/request.ts';
import { LANGUAGES } from '../../../i18n/languages.ts';
import { createTranslator } from '../../../i18n/translate.ts';
import { parseJson } from '../../../infra/parse-json.ts';
import type { ConnectedPage, Outlet, PageAnswers, WebContext } from '../outgoing/page-answers.ts';
import type { PageMessage } from '../page/base/protocol.ts';
import type { PageRequests } from './page-requests.ts';

export interface ConversationOptions extends WebContext {
  readonly answers: PageAnswers;
  readonly requests: PageRequests;
}

/** Handles the frames of one connection, of which the first must be a hello. The rate of frames is limited. */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #socket: WebSocket;
  readonly #outlet: Outlet;
  readonly #address: string;
  readonly #takeFrame: () => boolean;
  readonly #helloTimer: NodeJS.Timeout;
  #page: ConnectedPage | undefined;
  #welcomed = Promise.resolve();
  #badFrames = 0;
  #suggesting: AbortController | undefined;

  constructor(socket: WebSocket, outlet: Outlet, address: string, options: ConversationOptions) {
    const { limits, answers, now } = options;
    this.#options = options;
    this.#socket = socket;
    this.#address = address;
    this.#outlet = outlet;
    this.#takeFrame = createBucket(limits.framesAtOnce, limits.framesPerSecond, now);
    this.#helloTimer = setTimeout(() => socket.close(1008, 'no hello'), limits.helloMs);
    this.#helloTimer.unref();
    socket.on('message', (data, isBinary) => this.#onMessage(isBinary ? undefined : data.toString()));
    socket.on('close', () => {
      clearTimeout(this.#helloTimer);
      this.#suggesting?.abort();
      if (this.#page) answers.leave(this.#page);
    });
  }

  #onMessage(text: string | undefined): void {
    if (!this.#takeFrame()) {
      this.#socket.close(1008, 'too many frames');
      return;
    }
    const frame = text === undefined ? undefined : pageMessage.safeParse(parseJson(text)).data;
    const isInOrder = frame !== undefined && (frame.type === 'hello') === (this.#page === undefined);
    if (isInOrder) this.#onFrame(frame).catch(error => this.#fail(error));
    else this.#onBadFrame();
  }

  #fail(error: unknown): void {
    this.#options.log.error({ err: error }, 'web chat: a frame could not be handled');
    this.#socket.close(1011, 'internal');
  }

  #onBadFrame(): void {
    this.#badFrames += 1;
    const { messages } = this.#page?.t ?? createTranslator([]);
    if (this.#badFrames >= this.#options.limits.badFrames) this.#socket.close(1008, 'unreadable frames');
    else if (this.#badFrames === 1) this.#outlet.send({ type: 'notice', text: messages.errors.invalid_request });
  }

  async #onFrame(frame: PageMessage): Promise<void> {
    if (frame.type === 'hello') {
      this.#welcomed = this.#onHello(frame.session, frame.locales);
      return this.#welcomed;
    }
    await this.#welcomed;
    const page = this.#page;
    if (!page || this.#socket.readyState !== this.#socket.OPEN) return;
    const { requests } = this.#options;
    if (frame.type === 'suggest') this.#suggest(page, frame.id, frame.text);
    else if (frame.type === 'cancel') requests.cancel(page, frame.id);
    else requests.ask(page, frame);
  }

  async #onHello(session: string, locales: readonly string[]): Promise<void> {
    clearTimeout(this.#helloTimer);
    const chat = { id: session, kind: 'private' } as const;
    const user = { id: session, rateKey: session, locales: [...locales], isChatAdmin: true };
    const page: ConnectedPage = {
      caller: callerOf({ platform: 'web', chat, user }, { sharedRateKey: this.#address }),
      t: createTranslator(locales),
      outlet: this.#outlet,
      onAnswered: () => void this.#welcome(page).catch(error => this.#fail(error)),
    };
    this.#page = page;
    await this.#welcome(page, true);
    if (this.#socket.readyState === this.#socket.OPEN) this.#options.answers.join(page);
  }

  /** Sends the `welcome` frame, with all texts: at the beginning, and again when the person's language has changed. */
  async #welcome(page: ConnectedPage, isFirst = false): Promise<void> {
    const { dispatcher, examples, sites, limits, now } = this.#options;
    const t = await dispatcher.translator(page.caller);
    const isSpoken = !isFirst && t.locale === page.t.locale;
    page.t = t;
    if (isSpoken) return;
    this.#outlet.send({
      type: 'welcome',
      locale: t.locale,
      texts: { ...t.messages.web, labelled: t.messages.joining.labelled({ name: '{name}', value: '{value}' }) },
      commands: dispatcher
        .commandSpecs(t, page.caller.chatKind)
        .map(({ name, description, usage }) => ({ name, description, usage })),
      examples: examples(t),
      languages: LANGUAGES,
      sites: sites.map(t.site),
      maxLength: limits.messageLength,
      now: now(),
    });
  }

  /** Answers a request for suggestions, unless a newer one has come. */
  #suggest({ caller }: ConnectedPage, id: string, text: string): void {
    const { dispatcher, limits, log } = this.#options;
    this.#suggesting?.abort();
    this.#suggesting = new AbortController();
    const { signal } = this.#suggesting;
    dispatcher.suggest(text.slice(0, limits.messageLength), caller, signal).then(
      items => {
        if (!signal.aborted) this.#outlet.send({ type: 'suggestions', id, items: items.slice(0, limits.suggestions) });
      },
      (error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'web chat: suggestions failed');
      },
    );
  }
}

/** A token bucket; each call takes a token, and returns false when none is left. */
function createBucket(size: number, perSecond: number, now: () => number): () => boolean {
  let left = size;
  let at = now();
  return () => {
    const moment = now();
    left = Math.min(size, left + (Math.max(0, moment - at) / 1_000) * perSecond);
    at = moment;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

const id = z.string().regex(/^[\w-]{1,64}$/);

const pageMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    session: z.uuid().toLowerCase(),
    locales: z.array(z.string().max(64)).max(16),
  }),
  // The text has no maximum here, so that a message that is too long gets a notice and does not count as invalid.
  z.object({ type: z.literal('message'), id, text: z.string() }),
  z.object({ type: z.literal('action'), id, token: z.string().max(256) }),
  z.object({ type: z.literal('suggest'), id, text: z.string() }),
  z.object({ type: z.literal('cancel'), id }),
]);
