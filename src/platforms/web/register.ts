import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface PageOptions {
  /** Folder of the built page: its modules, and `static/` beside them. */
  readonly pageFolder: string;
  readonly publicUrl: string | undefined;
}

/** The page at `/` and its files under `/assets/`, each with the headers that keep everything foreign out. */
export async function registerPage(server: FastifyInstance, { pageFolder, publicUrl }: PageOptions): Promise<void> {
  if (!existsSync(join(pageFolder, 'static', 'index.html'))) {
    server.log.error({ pageFolder }, 'the web chat page is not built: run npm run build');
    server.get('/', (_request, reply) =>
      reply.code(503).type('text/plain').send('The page is not built: run npm run build.\n'),
    );
    return;
  }
  await server.register(fastifyStatic, {
    root: pageFolder,
    prefix: '/assets/',
    // One route a file: what is not there gets the server's own 404.
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
  server.get('/', (_request, reply) => reply.sendFile('static/index.html', pageFolder));
  // A service worker may only answer for addresses below its own.
  server.get('/sw.js', (_request, reply) => reply.sendFile('sw.js', pageFolder));
}

const ASSET_HEADERS = {
  // File names stay the same between versions, so every load asks, and mostly hears 304.
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

/** Sockets are named beside 'self' because older browsers do not count ws: as the same origin. */
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
    // For the address of the service worker alone.
    'trusted-types medley',
  ].join('; ');
}
