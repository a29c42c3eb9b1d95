import type { FastifyPluginAsync } from 'fastify';
import { AppError } from '../errors.ts';
import { clientKey } from '../infra/client-address.ts';
import type { Logger } from '../infra/log.ts';
import type { Tunnel } from '../media/tunnel.ts';

export interface TunnelRoutesOptions {
  readonly tunnel: Pick<Tunnel, 'open'>;
  readonly log: Logger;
  readonly now?: () => number;
}

const MAX_AGE_S = 6 * 3600;
/** Files that may flow to one client at once: a slow reader holds a connection to the CDN for as long as he reads. */
const STREAMS_PER_CLIENT = 24;

/** Foreign files from our own origin: they may be shown, and nothing else. */
const SAFETY_HEADERS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** `/media/<token>`: the file behind a token, whole or in parts; `?download=1` saves it instead of showing it. */
export function tunnelRoutes({ tunnel, log, now = Date.now }: TunnelRoutesOptions): FastifyPluginAsync {
  const streams = new Map<string, number>();
  return async server => {
    server.route<{ Params: { token: string }; Querystring: { download?: unknown } }>({
      method: ['GET', 'HEAD'],
      url: '/media/:token',
      handler: async (request, reply) => {
        const { signal, headers } = request;
        const leave = enter(clientKey(request.ip));
        reply.raw.once('close', leave);
        const response = await tunnel.open(request.params.token, {
          method: request.method === 'HEAD' ? 'HEAD' : 'GET',
          range: headers.range,
          ifRange: headerText(headers['if-range']),
          signal,
        });
        // Fastify cuts the connection, so that a broken file never looks whole; here the reason is kept.
        response.body?.once('error', error => {
          if (!signal.aborted) log.warn({ err: error }, 'a media file broke off');
        });
        const disposition = request.query.download === '1' ? 'attachment' : 'inline';
        return reply
          .code(response.status)
          .headers(SAFETY_HEADERS)
          .headers(response.headers)
          .header('content-disposition', contentDisposition(disposition, response.fileName))
          .header('cache-control', `private, max-age=${secondsUntil(response.expiresAt)}`)
          .send(response.body);
      },
    });
  };

  /** @throws AppError `rate_limited` */
  function enter(client: string): () => void {
    const flowing = streams.get(client) ?? 0;
    if (flowing >= STREAMS_PER_CLIENT) {
      throw new AppError('rate_limited', 'too many files at once', { retryAfterMs: 5_000 });
    }
    streams.set(client, flowing + 1);
    return () => {
      const left = (streams.get(client) ?? 1) - 1;
      if (left > 0) streams.set(client, left);
      else streams.delete(client);
    };
  }

  function secondsUntil(end: number): number {
    return Math.max(0, Math.min(MAX_AGE_S, Math.floor((end - now()) / 1000)));
  }
}

/** RFC 6266: the plain name for old clients, RFC 5987's for the others. */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
