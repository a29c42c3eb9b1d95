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
export function converse(socket: WebSocket, outlet: Outlet, address: string, options: ConversationOptions): void {
  const { dispatcher, answers, requests, limits, log, now } = options;
  const takeFrame = createBucket(limits.framesAtOnce, limits.framesPerSecond, now);
  const helloTimer = setTimeout(() => socket.close(1008, 'no hello'), limits.helloMs).unref();
  let page: ConnectedPage | undefined;
  let welcomed = Promise.resolve();
  let badFrames = 0;
  let suggesting: AbortController | undefined;

  socket.on('message', (data, isBinary) => onMessage(isBinary ? undefined : data.toString()));
  socket.on('close', () => {
    clearTimeout(helloTimer);
    suggesting?.abort();
    if (page) answers.leave(page);
  });

  function onMessage(text: string | undefined): void {
    if (!takeFrame()) {
      socket.close(1008, 'too many frames');
      return;
    }
    const frame = text === undefined ? undefined : pageMessage.safeParse(parseJson(text)).data;
    const isInOrder = frame !== undefined && (frame.type === 'hello') === (page === undefined);
    if (isInOrder) onFrame(frame).catch(fail);
    else onBadFrame();
  }

  function fail(error: unknown): void {
    log.error({ err: error }, 'web chat: a frame could not be handled');
    socket.close(1011, 'internal');
  }

  function onBadFrame(): void {
    badFrames += 1;
    const { messages } = page?.t ?? createTranslator([]);
    if (badFrames >= limits.badFrames) socket.close(1008, 'unreadable frames');
    else if (badFrames === 1) outlet.send({ type: 'notice', text: messages.errors.invalid_request });
  }

  async function onFrame(frame: PageMessage): Promise<void> {
    if (frame.type === 'hello') {
      welcomed = onHello(frame.session, frame.locales);
      return welcomed;
    }
    await welcomed;
    if (!page || socket.readyState !== socket.OPEN) return;
    if (frame.type === 'suggest') suggest(page, frame.id, frame.text);
    else if (frame.type === 'cancel') requests.cancel(page, frame.id);
    else requests.ask(page, frame);
  }

  async function onHello(session: string, locales: readonly string[]): Promise<void> {
    clearTimeout(helloTimer);
    const chat = { id: session, kind: 'private' } as const;
    const user = { id: session, rateKey: session, locales: [...locales], isChatAdmin: true };
    const opened: ConnectedPage = {
      caller: callerOf({ platform: 'web', chat, user }, { sharedRateKey: address }),
      t: createTranslator(locales),
      outlet,
      onAnswered: () => void welcome(opened, options).catch(fail),
    };
    page = opened;
    await welcome(opened, options, true);
    if (socket.readyState === socket.OPEN) answers.join(opened);
  }

  /** Answers a request for suggestions, unless a newer one has come. */
  function suggest({ caller }: ConnectedPage, id: string, text: string): void {
    suggesting?.abort();
    suggesting = new AbortController();
    const { signal } = suggesting;
    dispatcher.suggest(text.slice(0, limits.messageLength), caller, signal).then(
      items => {
        if (!signal.aborted) outlet.send({ type: 'suggestions', id, items: items.slice(0, limits.suggestions) });
      },
      (error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'web chat: suggestions failed');
      },
    );
  }
}

/** Sends the `welcome` frame, with all texts: at the beginning, and again when the person's language has changed. */
async function welcome(page: ConnectedPage, context: WebContext, isFirst = false): Promise<void> {
  const { dispatcher, examples, sites, limits, now } = context;
  const t = await dispatcher.translator(page.caller);
  const isSpoken = !isFirst && t.locale === page.t.locale;
  page.t = t;
  if (isSpoken) return;
  page.outlet.send({
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
