import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../infra/log.ts';
import { clientKey } from '../../infra/server/client-address.ts';
import type { ResponseStreams } from '../../infra/server/response-streams.ts';
import type { PlayerLinks } from '../../media/tunnel/player-links.ts';
import type { Tunnel } from '../../media/tunnel/tunnel.ts';
import { askedOrigin } from '../send-answer.ts';
import { PLAY_PAGE_POLICY, POSTER_NAME, renderNoPlayPage, renderPlayPage, VIDEO_NAME } from './play-page.ts';

export interface TunnelRoutesOptions {
  readonly tunnel: Pick<Tunnel, 'open'>;
  readonly playbacks: PlayerLinks;
  readonly publicUrl: string | undefined;
  /** Limits how many files are streamed at once, in total and to each client. */
  readonly streams: Pick<ResponseStreams, 'enter'>;
  readonly log: Logger;
}

const MAX_AGE_S = 6 * 3600;

const PARTS = [
  [VIDEO_NAME, 'video'],
  [POSTER_NAME, 'poster'],
] as const;

/**
 * Headers for other people's files, which are served from this server's origin: they may be displayed, even by pages of
 * other origins (which get the addresses from the API), but they may not run scripts.
 */
export const SAFETY_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'x-robots-tag': 'noindex, nofollow',
} as const;

const PAGE_MAX_AGE_S = 300;
const PAGE_STATUS = { expired: 410, gone: 404, unavailable: 503 } as const;

type Query = { readonly download?: unknown };

/**
 * `/media/<token>`: the file of a token, whole or in ranges; `?download=1` saves it instead of showing it.
 * `/v/<token>`: a page that plays a video, which chats show as a player; its files are at `/v/<token>/...`.
 */
export function tunnelRoutes(options: TunnelRoutesOptions): FastifyPluginAsync {
  const { tunnel, playbacks, publicUrl, streams, log } = options;

  return async server => {
    server.route<{ Params: { token: string }; Querystring: Query }>({
      method: ['GET', 'HEAD'],
      url: '/media/:token',
      handler: (request, reply) => sendFile(request.params.token, request.query, request, reply),
    });
    for (const [name, part] of PARTS) {
      server.route<{ Params: { token: string }; Querystring: Query }>({
        method: ['GET', 'HEAD'],
        url: `/v/:token${name}`,
        handler: async (request, reply) => {
          const token = await playbacks.tunnelToken(request.params.token, part, request.signal);
          return sendFile(token, request.query, request, reply);
        },
      });
    }
    server.get<{ Params: { token: string } }>('/v/:token', async (request, reply) => {
      const found = await playbacks.find(request.params.token, request.signal);
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', PLAY_PAGE_POLICY)
        .header('x-robots-tag', 'noindex, nofollow');
      if (found.state !== 'ready') {
        return reply.code(PAGE_STATUS[found.state]).header('cache-control', 'no-store').send(renderNoPlayPage(found));
      }
      const { playback } = found;
      const maxAge = Math.min(PAGE_MAX_AGE_S, secondsUntil(playback.expiresAt));
      return reply
        .header('cache-control', `public, max-age=${maxAge}`)
        .send(renderPlayPage(playback, publicUrl ?? askedOrigin(request), `/v/${request.params.token}`));
    });
  };

  async function sendFile(token: string, query: Query, request: FastifyRequest, reply: FastifyReply) {
    const { signal, headers } = request;
    const stream = streams.enter(clientKey(request.ip), reply.raw);
    const response = await tunnel.open(token, {
      method: request.method === 'HEAD' ? 'HEAD' : 'GET',
      range: headers.range,
      ifRange: [headers['if-range']].flat()[0],
      signal,
    });
    // If the file breaks off, Fastify closes the connection, so the client notices. Only the reason is logged.
    response.body?.once('error', error => {
      if (!signal.aborted) log.warn({ err: error }, 'a media file broke off');
    });
    stream.watch();
    const disposition = query.download === '1' ? 'attachment' : 'inline';
    return reply
      .code(response.status)
      .headers(SAFETY_HEADERS)
      .headers(response.headers)
      .header('content-disposition', contentDisposition(disposition, response.fileName))
      .header('cache-control', `private, max-age=${secondsUntil(response.expiresAt)}`)
      .send(response.body);
  }

  function secondsUntil(end: number): number {
    return Math.max(0, Math.min(MAX_AGE_S, Math.floor((end - Date.now()) / 1000)));
  }
}

/** The Content-Disposition header of RFC 6266: a plain name for old clients, and RFC 5987's form for all others. */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
