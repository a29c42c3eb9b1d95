import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Dispatcher } from '../../bot/answer/answer.ts';
import type { Sending } from '../../bot/contract/chat-platform.ts';
import type { Reply } from '../../bot/contract/reply.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Logger } from '../../infra/log.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import type { RuntimePlatform } from '../platform.ts';
import { ChatSocket } from './incoming/chat-socket.ts';
import { PageRequests } from './incoming/page-requests.ts';
import { type PageAnswer, PageAnswers } from './outgoing/page-answers.ts';
import type { WebExample, WebReply } from './page/base/protocol.ts';
import { WEB_LIMITS, type WebLimits } from './protocol/limits.ts';
import { registerPage } from './register.ts';
import { createAssetAddresses } from './render/assets.ts';
import { ImageCards, registerImageCards } from './render/image-cards.ts';
import { renderWebReply } from './render/render.ts';

export interface WebPlatformOptions {
  readonly dispatcher: Pick<Dispatcher, 'read' | 'suggest' | 'translator' | 'commandSpecs'>;
  readonly tunnel: Pick<Tunnel, 'address' | 'carries'>;
  /** Links to try while the conversation is empty; the page always offers the help. */
  readonly examples?: (t: Translator) => readonly WebExample[];
  /** The address that people open, when it is not the one the server hears in Host. */
  readonly publicUrl?: string | undefined;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Folder of the built page; by default where `npm run build` puts it. */
  readonly pageFolder?: string;
  readonly limits?: Partial<WebLimits>;
  readonly now?: () => number;
}

/** The plugin brings the page at `/`, its files under `/assets/`, image cards under `/picture/`, and the socket at `/chat`. */
export type WebPlatform = Required<Pick<RuntimePlatform<string>, 'plugin'>> & RuntimePlatform<string>;

/** Beside the built program; where it runs from its sources there is none, and the page says how to build it. */
const BUILT_PAGE = fileURLToPath(new URL('./page', import.meta.url));

/** The web chat: the platform that needs no account. An answer goes to the page that asked, by the id of its request. */
export function createWebPlatform(options: WebPlatformOptions): WebPlatform {
  const { dispatcher, tunnel, publicUrl, log, now = Date.now } = options;
  const limits = { ...WEB_LIMITS, ...options.limits };
  const imageCards = new ImageCards({ maxBytes: limits.pictureBytes, log });
  const assetAddress = createAssetAddresses(tunnel, now);
  const answers = new PageAnswers({ limits, now, onOrphaned: answer => requests.drop(answer) });
  const requests = new PageRequests({ dispatcher, answers, render: prepare, limits, log });
  const examples = options.examples ?? (() => []);
  const socket = new ChatSocket({ answers, requests, dispatcher, examples, publicUrl, limits, log, now });

  /** An image card is drawn when the page asks for it, in the page's theme. */
  function prepare(reply: Reply): WebReply {
    for (const block of reply.blocks) {
      if (block.kind === 'picture' && block.repeats !== true) imageCards.add(block.picture);
    }
    return renderWebReply(reply, { tunnel, assetAddress, now: now() });
  }

  async function send(replies: AsyncIterable<Reply>, { to, sendOnce, editLater }: Sending<string>): Promise<void> {
    let place = 0;
    for await (const reply of replies) {
      await sendOnce(String(place++), async () => {
        const answer = answers.get(to);
        if (answer === undefined) return;
        const index = answers.reply(answer, prepare(reply));
        const show = async (better: Reply) => answers.improve(answer, index, prepare(better));
        if (reply.later !== undefined) editLater?.(reply.later, show);
      });
    }
  }

  return {
    id: 'web',
    replyTo: z.string(),
    repliesAtOnce: 1,
    perChat: limits.running,
    async plugin(server: FastifyInstance) {
      await socket.register(server);
      registerImageCards(server, imageCards);
      await registerPage(server, { pageFolder: options.pageFolder ?? BUILT_PAGE, publicUrl });
    },
    async connect(host) {
      requests.open(host);
      socket.open();
      return {
        async close() {
          requests.close();
          socket.refuse();
        },
      };
    },
    // There is no network and no token between here and the pages.
    verify: () => Promise.resolve(),
    outcomeOf: () => undefined,
    send,
    describeCaller: (_, to) => callerDetails(answers.get(to)),
    // Each message of a page has a place of its own.
    hasPlace: () => true,
    showProgress(to, progress) {
      const answer = answers.get(to);
      if (answer !== undefined) answers.progress(answer, progress);
    },
    onEnd(to) {
      const answer = answers.get(to);
      if (answer !== undefined) answers.end(answer);
    },
    close: () => socket.close(),
  };
}

/** People at one network address share a limit. */
function callerDetails(answer: PageAnswer | undefined) {
  const address = answer?.caller.sharedRateKey;
  return address === undefined ? {} : { sharedRateKey: address };
}
