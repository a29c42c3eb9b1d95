import { api } from './api/api.ts';
import { beatmapRoutes } from './api/beatmaps/beatmap-routes.ts';
import { recommendRoutes } from './api/beatmaps/recommend-routes.ts';
import { createErrorRenderer } from './api/errors.ts';
import { healthRoutes } from './api/health-routes.ts';
import { fileRoutes } from './api/media/file-routes.ts';
import { mediaRoutes } from './api/media/media-routes.ts';
import { createPostThumbnails } from './api/media/post-thumbnails.ts';
import { tunnelRoutes } from './api/media/tunnel-routes.ts';
import { type CheckKey, createKeyCheck } from './api/rate-limit.ts';
import { parameterExamples, withOwnExample } from './api/reference/example-values.ts';
import { createChats, createWebChat } from './chats.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import type { Logger } from './infra/log.ts';
import { createResponseStreams } from './infra/server/response-streams.ts';
import { createServer, type Server } from './infra/server/server.ts';
import { createSummedLog } from './infra/summed-log.ts';
import type { SourceDescriptor } from './media/extract/source-descriptor.ts';
import { createMonitoring } from './monitoring.ts';
import { linkRoutes } from './platforms/web/linking/link-routes.ts';

/**
 * Starts the roles of this process: *gateway* receives events of chats, *worker* runs requests, *web* serves the API,
 * the web chat, media and webhooks. Every process reports its health.
 * @throws Error whose message says why the roles cannot start
 */
export async function startRoles(config: Config, core: Core, log: Logger) {
  const { roles, publicUrl, trustProxy } = config;
  const { metrics, limiter } = core;
  const summedLog = createSummedLog(log);
  const server = createServer({
    log: summedLog,
    trustProxy,
    publicUrl,
    renderError: createErrorRenderer(config.creator),
  });
  const checkKey = createKeyCheck(config.apiKeys);
  metrics.observe(server.app);
  const web = roles.has('web') ? await registerWeb(config, core, server, checkKey, summedLog) : undefined;
  const chats = await createChats(config, core, log);
  const monitoring = createMonitoring(config, core, chats, log);
  const { readiness } = monitoring;
  const isProxied = publicUrl !== undefined || trustProxy.length > 0;
  await server.app.register(healthRoutes({ server, readiness, metrics, checkKey, limiter, isProxied }));
  await chats.register(server.app);

  const { origin } = await server.listen({ host: config.host, port: config.port });
  await web?.start();
  chats.start();
  monitoring.start();
  return {
    address: `${origin}/`,
    /** Accepts no new requests, lets those that people wait for finish, then closes everything but the core. */
    async stop(): Promise<void> {
      // Requests that are running are still answered, because the core is closed later.
      await Promise.all([web?.stop(), chats.stop(), monitoring.stop(), server.stop()]);
      summedLog.flush();
    },
  };
}

async function registerWeb(config: Config, core: Core, { app }: Server, checkKey: CheckKey, log: Logger) {
  const { creator, publicUrl, webExamples } = config;
  const { extractor, tunnel, playbacks, limiter, metrics } = core;
  const { beatmaps, recommend, accountLinks: links } = core.services;
  const web = createWebChat(config, core, log);
  const [first, ...others] = core.descriptors;
  const ownExample = (source: SourceDescriptor) => withOwnExample(source, webExamples, extractor.sourceOf);
  const streams = createResponseStreams({
    onEnd: metrics.countStreamEnd,
    onRefuse: limit => metrics.countRefusal(`streams-${limit}`),
  });
  metrics.watch({ streams: () => streams.count });
  const routes = [
    mediaRoutes({
      ...{ extractor, creator, tunnel, publicUrl },
      sources: [ownExample(first), ...others.map(ownExample)],
    }),
    fileRoutes({ extractor, delivery: core.delivery, streams, example: ownExample(first).example }),
    beatmapRoutes({ beatmaps }),
    recommendRoutes({ recommend }),
  ];
  await app.register(web.plugin);
  if (links !== undefined && publicUrl !== undefined)
    await app.register(linkRoutes({ links, publicUrl, limiter, log }));
  const examples = parameterExamples(webExamples);
  const thumbnails = createPostThumbnails(extractor, tunnel);
  await app.register(api({ limiter, checkKey, publicUrl, routes, examples, thumbnails }));
  await app.register(tunnelRoutes({ tunnel, playbacks, publicUrl, streams, log }));
  return web;
}
