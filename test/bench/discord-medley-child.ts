/** Medley's Discord platform, dispatcher and delivery; only the posts are made up. Arguments: API, token, CDN, a folder for files. */

import { join } from 'node:path';
import { createDispatcher } from '../../src/bot/answer/answer.ts';
import { Runtime } from '../../src/bot/runtime/runtime.ts';
import { createOverrides } from '../../src/infra/http/host-list.ts';
import { createHttpClient } from '../../src/infra/http/http-client.ts';
import { createLogger } from '../../src/infra/log.ts';
import { createEmbeddedQueue } from '../../src/infra/queue/embedded-queue.ts';
import { createMemoryRateLimiter } from '../../src/infra/rate-limit/rate-limit.ts';
import { openStore } from '../../src/infra/store/store.ts';
import { createDelivery } from '../../src/media/delivery/delivery.ts';
import { createCdnHeaders } from '../../src/media/files/cdn.ts';
import { sourceDescriptors } from '../../src/media/sources/index.ts';
import { createDiscordPlatform } from '../../src/platforms/discord/platform.ts';
import { commandList } from '../bot/command-list.ts';
import { fakeExtractor, sampleServices } from '../bot/sample.ts';
import { makeItem, makePost, makeVariant } from '../fakes/post.ts';
import { embeddedRecords } from '../records.ts';
import { gauge } from './discord-gauge.ts';

const [apiUrl = '', token = '', cdn = '', tempDir = ''] = process.argv.slice(2);

function postOf(id: string) {
  const variants = [makeVariant({ url: `https://scontent.cdninstagram.com/${id}.mp4` })];
  return makePost({ id, url: `https://www.instagram.com/p/${id}/`, items: [makeItem({ variants })] });
}

const log = createLogger({ level: 'error' });
const services = sampleServices(fakeExtractor(postOf));
const dispatcher = createDispatcher({
  commands: commandList,
  services,
  limiter: createMemoryRateLimiter(),
  userLimit: { units: 60, windowMs: 60_000 },
  log,
});
const delivery = createDelivery({
  http: createHttpClient({ overrides: createOverrides([{ host: '*.cdninstagram.com', origin: cdn }]) }),
  mediaHosts: ['cdninstagram.com'],
  cdnHeaders: createCdnHeaders(sourceDescriptors),
  tempDir,
  refresh: async ({ id }) => postOf(id),
  log,
});
const { settings, actions } = services;
const store = openStore(join(tempDir, 'medley.db'));
const records = embeddedRecords(store);
const parts = { dispatcher, delivery, settings, tagOf: actions.tagOf, records, log };
const platform = createDiscordPlatform({ token, apiUrl, shards: 'auto', ...parts });
const queue = createEmbeddedQueue({ store, log });
gauge();
await new Runtime({ platforms: [platform], queue, dispatcher, log }).start();
console.log('ready');
