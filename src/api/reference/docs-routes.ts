import { createHash } from 'node:crypto';
import type { FastifyPluginAsync, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import * as z from 'zod';
import { AppError } from '../../errors.ts';
import { MAX_ADDRESS_CHARS } from '../../media/extract/find-addresses.ts';
import { askedOrigin, createAnswer, sendAnswer } from '../send-answer.ts';
import { renderReference } from './reference-page.ts';
import { REFERENCE_SCRIPT } from './reference-script.ts';
import { REFERENCE_STYLE } from './reference-style.ts';

/** A preview of one item of a post; `address` is below `/media/` on this server. */
interface Thumbnail {
  readonly kind: string;
  readonly address: string;
  readonly alt: string | null;
}

/** Finds thumbnails of the post behind a link. @throws AppError as the endpoints do */
export type Thumbnails = (link: string, signal: AbortSignal) => Promise<readonly Thumbnail[]>;

export interface DocsRoutesOptions {
  /** Makes the OpenAPI document without a list of servers. To be called when all routes are registered. */
  readonly document: () => object;
  readonly publicUrl: string | undefined;
  readonly thumbnails: Thumbnails;
  /** Counts the request towards its client's rate limit, as the endpoints do. */
  readonly countRequest: onRequestAsyncHookHandler;
}

const MAX_AGE_S = 300;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page may load only its own style and script, and data from this server: nothing of other sites. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(REFERENCE_STYLE)}`,
  `script-src ${hashOf(REFERENCE_SCRIPT)}`,
  "connect-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const previewQuery = z.object({ url: z.string().min(1).max(MAX_ADDRESS_CHARS) });

/** `/openapi.json` for programs, `/docs` for people. Only `/docs/preview` is rate limited, since it asks the sites. */
export function docsRoutes({ document, publicUrl, thumbnails, countRequest }: DocsRoutesOptions): FastifyPluginAsync {
  return async server => {
    const documentAt = lastOf(origin => createAnswer({ ...document(), servers: [{ url: origin }] }));
    const pageAt = lastOf(origin => renderReference(document(), origin));
    const originOf = (request: FastifyRequest) => publicUrl ?? askedOrigin(request);
    server.get('/openapi.json', (request, reply) => {
      reply.header('access-control-allow-origin', '*');
      return sendAnswer(request, reply, documentAt(originOf(request)), MAX_AGE_S, publicUrl === undefined);
    });
    server.get('/docs', (request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POLICY)
        .header('cache-control', `${publicUrl === undefined ? 'private' : 'public'}, max-age=${MAX_AGE_S}`)
        .send(pageAt(originOf(request))),
    );
    server.get('/docs/', (_request, reply) => reply.redirect('/docs', 308));
    // The page requests the thumbnails of the post whose link a reader tries out.
    server.get('/docs/preview', { onRequest: countRequest }, async (request, reply) => {
      const query = previewQuery.safeParse(request.query);
      if (!query.success) throw new AppError('invalid_request', 'no link to preview', { params: { what: 'link' } });
      const items = await thumbnails(query.data.url, request.signal);
      return sendAnswer(request, reply, createAnswer({ items }), 0, true);
    });
  };
}

/** Keeps the last result until the origin changes, because making it takes some milliseconds. */
function lastOf<T>(make: (origin: string) => T): (origin: string) => T {
  let last: { readonly origin: string; readonly made: T } | undefined;
  return origin => {
    if (last?.origin !== origin) last = { origin, made: make(origin) };
    return last.made;
  };
}
