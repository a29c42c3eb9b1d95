import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyPluginAsync } from 'fastify';
import { onTestFinished } from 'vitest';
import { api } from '../../src/api/api.ts';
import { type BeatmapRoutesOptions, beatmapRoutes } from '../../src/api/beatmaps/beatmap-routes.ts';
import { recommendRoutes } from '../../src/api/beatmaps/recommend-routes.ts';
import { createErrorRenderer } from '../../src/api/errors.ts';
import { healthRoutes } from '../../src/api/health-routes.ts';
import { mediaRoutes } from '../../src/api/media/media-routes.ts';
import { type ApiKey, createKeyCheck } from '../../src/api/rate-limit.ts';
import type { Thumbnails } from '../../src/api/reference/docs-routes.ts';
import type { Recommend } from '../../src/beatmaps/recommend/recommend.ts';
import { createMetrics, type Metrics } from '../../src/infra/metrics.ts';
import { createMemoryRateLimiter, type RateLimiter } from '../../src/infra/rate-limit/rate-limit.ts';
import { createReadiness, type ReadinessCheck } from '../../src/infra/readiness.ts';
import { createServer, type Server } from '../../src/infra/server/server.ts';
import type { Extraction, ExtractOptions, Extractor } from '../../src/media/extract/extractor.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import type { Tunnel } from '../../src/media/tunnel/tunnel.ts';
import { createRecordingLog, type RecordingLog } from './log.ts';
import { makePost } from './post.ts';

export interface ApiServerOptions {
  readonly extract?: (link: string, options: ExtractOptions | undefined) => Promise<Extraction>;
  /** Which site's a link is. Default: of none that is known. */
  readonly sourceOf?: Extractor['sourceOf'];
  /** The sites that are offered. Default: all. */
  readonly sources?: Parameters<typeof mediaRoutes>[0]['sources'];
  /** Without it there are no beatmap endpoints. */
  readonly beatmaps?: BeatmapRoutesOptions['beatmaps'];
  readonly recommend?: Recommend;
  /** Further routes below `/api`. */
  readonly routes?: readonly FastifyPluginAsync[];
  readonly limiter?: RateLimiter;
  readonly keys?: readonly ApiKey[];
  readonly trustProxy?: readonly string[];
  readonly checks?: readonly ReadinessCheck[];
  readonly publicUrl?: string;
  readonly tunnel?: Pick<Tunnel, 'address'>;
  readonly thumbnails?: Thumbnails;
  readonly now?: () => number;
}

export interface ApiServer extends Server {
  readonly log: RecordingLog;
  readonly metrics: Metrics;
}

const FONT = '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2';

/** The server with the API on it, as `main` puts it together, over an extractor that knows one post. */
export async function createApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const log = createRecordingLog();
  const now = options.now === undefined ? {} : { now: options.now };
  const server = createServer({
    log,
    trustProxy: options.trustProxy ?? [],
    publicUrl: options.publicUrl,
    renderError: createErrorRenderer('Tester'),
  });
  onTestFinished(() => server.stop());
  const metrics = createMetrics();
  const limiter = options.limiter ?? createMemoryRateLimiter();
  metrics.observe(server.app);
  const checkKey = createKeyCheck(options.keys ?? []);
  const post = makePost();
  const extract = options.extract ?? (async () => ({ post, itemIndex: null, from: 'load' as const }));
  const { publicUrl } = options;
  const tunnel = options.tunnel ?? { address: () => '/media/token' };
  const media = mediaRoutes({
    sources: options.sources ?? sourceDescriptors,
    extractor: { extract, sourceOf: options.sourceOf ?? (() => undefined) },
    creator: 'Tester',
    tunnel,
    publicUrl,
    ...now,
  });
  const { beatmaps, recommend } = options;
  await server.app.register(
    api({
      limiter,
      checkKey,
      publicUrl,
      examples: { user: 'lamp post', id: '900001' },
      thumbnails: options.thumbnails ?? (async () => []),
      routes: [
        media,
        ...(options.routes ?? []),
        ...(beatmaps === undefined ? [] : [beatmapRoutes({ beatmaps })]),
        ...(recommend === undefined ? [] : [recommendRoutes({ recommend })]),
      ],
      ...now,
    }),
  );
  // The web chat has the pages' typeface.
  const font = createRequire(import.meta.url).resolve(FONT);
  server.app.get('/assets/static/figtree-latin.woff2', (_request, reply) =>
    reply.type('font/woff2').send(createReadStream(font)),
  );
  const readiness = createReadiness({ log, checks: options.checks ?? [], timeoutMs: 200, keptMs: 0 });
  const isProxied = publicUrl !== undefined || (options.trustProxy ?? []).length > 0;
  await server.app.register(healthRoutes({ server, readiness, metrics, checkKey, limiter, isProxied }));
  return {
    app: server.app,
    listen: server.listen,
    stop: server.stop,
    get state() {
      return server.state;
    },
    log,
    metrics,
  };
}
