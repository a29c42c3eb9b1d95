import { createHash } from 'node:crypto';
import type { FastifyPluginAsync } from 'fastify';
import { createAnswer, sendAnswer } from '../answer.ts';
import { askedOrigin } from '../asked-origin.ts';
import { renderReference } from './reference-page.ts';
import { REFERENCE_STYLE } from './reference-style.ts';

export interface DocsRoutesOptions {
  /** The OpenAPI document; asked once everything is registered. */
  readonly document: () => object;
  readonly publicUrl: string | undefined;
}

const MAX_AGE_S = 300;

const STYLE_HASH = createHash('sha256').update(REFERENCE_STYLE).digest('base64');
/** The page's own style sheet and nothing else: no script, no image, no frame, nothing from elsewhere. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** `/openapi.json` for programs, `/docs` for people. Neither is counted. */
export function docsRoutes({ document, publicUrl }: DocsRoutesOptions): FastifyPluginAsync {
  return async server => {
    let json: ReturnType<typeof createAnswer> | undefined;
    server.get('/openapi.json', (request, reply) => {
      json ??= createAnswer(document());
      reply.header('access-control-allow-origin', '*');
      return sendAnswer(request, reply, json, MAX_AGE_S);
    });
    server.get('/docs', (request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POLICY)
        .header('cache-control', `public, max-age=${MAX_AGE_S}`)
        .send(renderReference(document(), publicUrl ?? askedOrigin(request))),
    );
  };
}
