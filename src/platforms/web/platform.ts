import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Dispatcher } from '../../bot/answer/answer.ts';
import type { Reply } from '../../bot/contract/reply.ts';
import type { Translator } from '../../i18n/translate.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import type { Platform } from '../platform.ts';
import { type Listener, listen } from './incoming/listen.ts';
import { type ChatLog, createConversations } from './incoming/request-queue.ts';
import type { WebExample, WebReply } from './page/base/protocol.ts';
import { CHAT_LIMITS, type ChatLimits } from './protocol/limits.ts';
import { registerPage } from './register.ts';
import { createAssetAddresses } from './render/assets.ts';
import { createImageCards, registerImageCards } from './render/image-cards.ts';
import { render } from './render/render.ts';

export interface WebPlatformOptions {
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'suggest' | 'translator' | 'commandSpecs'>;
  readonly tunnel: Pick<Tunnel, 'address' | 'carries'>;
  /** Links to try while the conversation is empty; the page always offers the help. */
  readonly examples?: (t: Translator) => readonly WebExample[];
  /** Address people open, when it is not the one the server hears in Host. */
  readonly publicUrl?: string | undefined;
  readonly log: ChatLog;
  /** Folder of the built page; by default where `npm run build` puts it. */
  readonly pageFolder?: string;
  readonly limits?: Partial<ChatLimits>;
  readonly now?: () => number;
}

export interface WebPlatform extends Platform {
  readonly id: 'web';
  /** Register on the server before it listens: the page at `/`, its files under `/assets/`, drawn pictures under `/picture/`, the socket at `/chat`. */
  readonly plugin: (server: FastifyInstance) => Promise<void>;
}

/** Beside the built program; where it runs from its sources there is none, and the page says how to build it. */
const BUILT_PAGE = fileURLToPath(new URL('./page', import.meta.url));

/** The web chat: the platform that needs no account. */
export function createWebPlatform(options: WebPlatformOptions): WebPlatform {
  const { dispatcher, tunnel, publicUrl, log, now = Date.now } = options;
  const limits = { ...CHAT_LIMITS, ...options.limits };
  const imageCards = createImageCards({ maxBytes: limits.pictureBytes, log });
  const assetAddress = createAssetAddresses(tunnel, now);
  const conversations = createConversations({ dispatcher, render: prepare, limits, log, now });
  let listener: Listener | undefined;

  /** An image card is drawn when the page asks for it, in the page's theme. */
  function prepare(reply: Reply): WebReply {
    for (const block of reply.blocks) {
      if (block.kind === 'picture' && block.repeats !== true) imageCards.add(block.picture);
    }
    return render(reply, { tunnel, assetAddress, now: now() });
  }

  return {
    id: 'web',
    async plugin(server) {
      const examples = options.examples ?? noExamples;
      listener = await listen(server, { conversations, dispatcher, examples, publicUrl, limits, log, now });
      registerImageCards(server, imageCards);
      await registerPage(server, { pageFolder: options.pageFolder ?? BUILT_PAGE, publicUrl });
    },
    async start() {
      if (!listener) throw new Error('register the plugin of the web platform before it starts');
      listener.open();
    },
    async stop() {
      await listener?.close();
    },
  };
}

function noExamples(): readonly WebExample[] {
  return [];
}
