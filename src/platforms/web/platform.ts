import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Sending } from '../../bot/contract/chat-platform.ts';
import type { Reply } from '../../bot/contract/reply.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import type { RuntimePlatform } from '../platform.ts';
import { ChatSocket } from './incoming/chat-socket.ts';
import { createPageRequests } from './incoming/page-requests.ts';
import { PageAnswers, type WebContext } from './outgoing/page-answers.ts';
import type { WebReply } from './page/base/protocol.ts';
import { ASSET_LIFE_MS, WEB_LIMITS, type WebLimits } from './protocol/limits.ts';
import { createImageCards, registerImageCards } from './render/image-cards.ts';
import { renderWebReply, type WebRenderContext } from './render/render.ts';

export interface WebPlatformOptions
  extends Pick<WebContext, 'dispatcher' | 'log'>,
    Partial<Pick<WebContext, 'examples' | 'sites' | 'publicUrl' | 'now'>> {
  readonly tunnel: Pick<Tunnel, 'address' | 'carries'>;
  /** True when the API can convert the audio of a video to MP3, which the page then offers to save. */
  readonly encodesMp3?: boolean;
  /** The folder of the built page. Default: the one that `npm run build` fills. */
  readonly pageFolder?: string;
  readonly limits?: Partial<WebLimits>;
}

/** `plugin` serves the page at `/`, its files under `/assets/`, image cards under `/picture/`, the socket at `/chat`. */
export type WebPlatform = Required<Pick<RuntimePlatform<string>, 'plugin'>> & RuntimePlatform<string>;

/** The built page beside the built program. When run from its sources there is none, and `/` says how to build it. */
const BUILT_PAGE = fileURLToPath(new URL('./page', import.meta.url));

/** The web chat, which needs no account. An answer goes to the page that asked, found by the request's id. */
export function createWebPlatform(options: WebPlatformOptions): WebPlatform {
  const { dispatcher, tunnel, encodesMp3 = false, examples = () => [], sites = [], publicUrl, log } = options;
  const { now = Date.now } = options;
  const limits = { ...WEB_LIMITS, ...options.limits };
  const context: WebContext = { dispatcher, examples, sites, publicUrl, limits, log, now };
  const imageCards = createImageCards(limits.pictureBytes, log);
  const assetAddress = createAssetAddresses(tunnel, now);
  const answers = new PageAnswers({ limits, now, onOrphaned: answer => requests.drop(answer) });
  const requests = createPageRequests(context, answers, prepare);
  const socket = new ChatSocket({ ...context, answers, requests });

  /** Renders a reply. Its image cards are only drawn when the page requests them, in the page's theme. */
  function prepare(reply: Reply): WebReply {
    for (const block of reply.blocks) {
      if (block.kind === 'picture' && block.repeats !== true) imageCards.add(block.picture);
    }
    return renderWebReply(reply, { tunnel, encodesMp3, assetAddress, now: now() });
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
      await registerPage(server, options.pageFolder ?? BUILT_PAGE, publicUrl);
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
    // This process sends to the pages itself, without network or token, so there is nothing to verify.
    verify: () => Promise.resolve(),
    outcomeOf: () => undefined,
    send,
    factsOf(to) {
      // Besides the rate limit of each session there is one for each network address, because a person can begin as
      // many sessions as they like.
      const address = answers.get(to)?.caller.sharedRateKey;
      // Each message has a place below it for its answer, where the page shows the progress, too.
      return { hasPlace: true, ...(address !== undefined && { caller: { sharedRateKey: address } }) };
    },
    showProgress: (to, progress) => answers.progress(to, progress),
    onEnd: to => answers.end(to),
    close: () => socket.close(),
  };
}

/**
 * Serves the page at `/` and its files under `/assets/`, with headers that forbid everything from other sites.
 * @param pageFolder the folder of the built page: its modules, and `static/` beside them
 */
async function registerPage(server: FastifyInstance, pageFolder: string, publicUrl: string | undefined): Promise<void> {
  const file = join(pageFolder, 'static', 'index.html');
  if (!existsSync(file)) {
    server.log.error({ pageFolder }, 'the web chat page is not built: run npm run build');
    server.get('/', (_request, reply) =>
      reply.code(503).type('text/plain').send('The page is not built: run npm run build.\n'),
    );
    return;
  }
  await server.register(fastifyStatic, {
    root: pageFolder,
    prefix: '/assets/',
    // Each file has a route, so a missing file gets the server's own 404.
    wildcard: false,
    index: false,
    cacheControl: false,
    decorateReply: !server.hasReplyDecorator('sendFile'),
    preCompressed: true,
    globIgnore: ['**/*.map', '**/index.html', '**/*.br', '**/*.gz', 'sw.js'],
  });
  server.addHook('onSend', async (request, reply) => {
    reply.headers(ASSET_HEADERS);
    if (request.routeOptions.url === '/')
      reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policy(request, publicUrl) });
  });
  // The link previews that other sites make of the page need absolute addresses.
  const shared =
    publicUrl && readFileSync(file, 'utf8').replaceAll('content="/', `content="${new URL('/', publicUrl)}`);
  server.get('/', (_request, reply) =>
    shared ? reply.type('text/html; charset=utf-8').send(shared) : reply.sendFile('static/index.html', pageFolder),
  );
  // A service worker controls only addresses below the folder of its own, so it is served at the root.
  server.get('/sw.js', (_request, reply) => reply.sendFile('sw.js', pageFolder));
}

const ASSET_HEADERS = {
  // File names are the same in every version, so the browser asks each time, and mostly gets 304.
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** The content security policy. It lists the WebSocket's address, since in old browsers 'self' does not include ws:. */
function policy(request: FastifyRequest, publicUrl: string | undefined): string {
  const hosts = [request.host, publicUrl === undefined ? undefined : new URL(publicUrl).host]
    .filter(host => host !== undefined && /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host))
    .flatMap(host => [`ws://${host}`, `wss://${host}`]);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    `connect-src ${["'self'", ...new Set(hosts)].join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Trusted Types are needed for the address of the service worker only.
    'trusted-types medley',
  ].join('; ');
}

const FILES = {
  image: { mime: 'image/jpeg', fileName: 'medley-cover.jpg' },
  audio: { mime: 'audio/mpeg', fileName: 'medley-preview.mp3' },
} as const;

const MAX_REMEMBERED = 2_000;

/**
 * Makes addresses on this server for images and audio that belong to no post. For the first half of the time for which
 * an address is valid, the file is given the same address again, so that browsers find covers in their cache.
 */
export function createAssetAddresses(
  tunnel: Pick<Tunnel, 'address' | 'carries'>,
  now: () => number,
): WebRenderContext['assetAddress'] {
  const known = createLru<string, string>({
    max: MAX_REMEMBERED,
    ttl: ASSET_LIFE_MS / 2,
    ttlResolution: 0,
    perf: { now },
  });
  return (url, kind) => {
    if (!tunnel.carries(url)) return undefined;
    const key = `${kind} ${url}`;
    const address = known.get(key) ?? tunnel.address({ url, ...FILES[kind], expiresAt: now() + ASSET_LIFE_MS });
    if (!known.has(key)) known.set(key, address);
    return address;
  };
}
