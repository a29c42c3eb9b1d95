import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { type BeatmapServices, createBeatmapServices } from './beatmaps/beatmap-services.ts';
import { openSharedBeatmapCaches } from './beatmaps/cache-policy.ts';
import { withContact } from './beatmaps/upstreams/contact.ts';
import { createOsuSignIn } from './beatmaps/upstreams/osu-sign-in.ts';
import { createDispatcher } from './bot/answer/answer.ts';
import { createSvgRasterizer } from './bot/cards/svg-rasterizer.ts';
import { createCommandList } from './bot/commands/index.ts';
import { createOwnerCommands } from './bot/commands/owner.ts';
import type { ChatMemory } from './bot/contract/chat-memory.ts';
import type { RuntimeStatus } from './bot/contract/chat-platform.ts';
import type { Services } from './bot/contract/services.ts';
import type { SettingsStore } from './bot/contract/settings.ts';
import { CALLBACK_PATH, createAccountLinks } from './bot/stores/account-links.ts';
import { createButtonTokens } from './bot/stores/buttons.ts';
import { createChatMemory } from './bot/stores/chat-memory.ts';
import { createOptOuts } from './bot/stores/exclusions.ts';
import { createSettingsStore } from './bot/stores/settings-store.ts';
import type { Config } from './config.ts';
import type { FailureTally } from './infra/failure-tally.ts';
import type { Logger } from './infra/log.ts';
import { createMetrics } from './infra/metrics.ts';
import { createMemoryRateLimiter, type RateLimiter } from './infra/rate-limit/rate-limit.ts';
import { openTextTranslation } from './infra/text-translation.ts';
import type { SourceDescriptor } from './media/extract/source-descriptor.ts';
import { type MediaServices, type MediaServicesOptions, openMediaServices } from './media-services.ts';
import { openStorage, type Storage } from './storage.ts';

interface CoreOptions extends Pick<MediaServicesOptions, 'config' | 'searchPath' | 'log'> {
  /** The sites that Medley offers. */
  readonly descriptors: readonly [SourceDescriptor, ...SourceDescriptor[]];
  /** The failures that `log` has counted so far. */
  readonly failures: Pick<FailureTally, 'list'>;
}

/** The parts that every role needs: storage, services, and the dispatcher. */
export type Core = Awaited<ReturnType<typeof createCore>>;

/** Creates the core. @throws Error whose message says why Medley cannot start */
export async function createCore(options: CoreOptions) {
  const { config, descriptors, searchPath, log } = options;
  const metrics = createMetrics();
  const storage = await openStorage(config, log);
  const limiter = storage.shared?.limiter ?? createMemoryRateLimiter();
  const media = await openMediaServices({ config, descriptors, searchPath, storage, limiter, metrics, log });
  const version = await readVersion();
  const { translateUrl } = config;
  const translation = translateUrl === undefined ? undefined : await openTextTranslation(translateUrl);
  // Nothing may fail after this call, because it starts a thread, which would then have to be ended.
  const beatmapServices = openBeatmapServices(config, storage, media.http, log);
  const { catalogue, backgroundFill, difficulty, calculator } = beatmapServices;
  const given = { version, ...(translation && { translation }) };
  const services = createServices(options, storage, media, beatmapServices, given);
  let readChats: (() => Promise<RuntimeStatus>) | undefined;
  const dispatcher = createAnswers(options, media, services, limiter, async () => readChats?.());

  return {
    ...media,
    ...{ storage, descriptors, metrics, limiter, calculator, services, dispatcher },
    /** Gives the owners' status command access to the chats, which are created later. */
    watchChats(read: () => Promise<RuntimeStatus>): void {
      readChats = read;
    },
    /** Starts to fill the catalogue in the background. */
    startFill(): void {
      if (config.catalogueFill) backgroundFill.start();
    },
    /** Must be called before the process ends: a thread ended inside native code kills the process with a signal. */
    endThreads: () => catalogue.close(),
    /** Closes everything; to be called when nothing uses the core any more. */
    async close(): Promise<void> {
      await backgroundFill.stop();
      await Promise.all([media.closeFiles(), difficulty.close(), translation?.close()]);
      await media.closeClients();
      await catalogue.close();
      await media.closeSites();
      await storage.close();
    },
  };
}

function openBeatmapServices(config: Config, storage: Storage, http: MediaServices['http'], log: Logger) {
  const { records, isFiller, shared } = storage;
  return createBeatmapServices({
    ...{ http: withContact(http, config.publicUrl), records, dataDir: config.dataDir, isFiller },
    ...{ credentials: config.osu, log },
    sharedCaches: shared && openSharedBeatmapCaches(shared),
  });
}

function createServices(
  options: CoreOptions,
  storage: Storage,
  media: MediaServices,
  beatmapServices: BeatmapServices,
  given: Pick<Services, 'version' | 'translation'>,
) {
  const { log } = options;
  const { records } = storage;
  const { beatmaps, ratings, recommend, recommendationHistory, artwork } = beatmapServices;
  const memory = createChatMemory({
    records,
    // A page of the web chat exists only while a person looks at it, so nothing can be posted there later.
    canPost: platform => platform !== 'web',
    onFailure: error => log.warn({ err: error }, 'what a chat saw last, or who was there, could not be read or noted'),
  });
  const settings = withChatMemory(createSettingsStore({ records }), memory, media.blocks);
  const accountLinks = openAccountLinks(options, storage, media.http, settings);
  return {
    ...{ extractor: media.extractor, sites: options.descriptors, beatmaps, ratings, recommend, recommendationHistory },
    painter: createSvgRasterizer(),
    artwork,
    settings,
    optOuts: createOptOuts({ records, key: storage.keyFor('opt-outs') }),
    ...(accountLinks && { accountLinks }),
    ...given,
    memory,
    actions: createButtonTokens({
      key: storage.keyFor('buttons'),
      records,
      onFailure: error => log.warn({ err: error }, 'the arguments of a button could not be stored'),
    }),
    requests: {
      async forgetUser(owner: string) {
        await Promise.all([storage.queue.forget(owner), storage.spare?.forget(owner)]);
      },
    },
    cutsExactly: media.hasFfmpeg,
  } satisfies Services;
}

function openAccountLinks(
  { config: { publicUrl, osu }, log }: CoreOptions,
  { records, keyFor }: Storage,
  http: MediaServices['http'],
  settings: SettingsStore,
) {
  if (publicUrl === undefined || osu === undefined) return undefined;
  const signIn = createOsuSignIn({ http, log, ...osu, redirectUri: publicUrl + CALLBACK_PATH });
  return createAccountLinks({ records, key: keyFor('account links'), publicUrl, signIn, settings });
}

function createAnswers(
  { config, descriptors, failures, log }: CoreOptions,
  { blocks, sources, extractor }: MediaServices,
  services: Services,
  limiter: RateLimiter,
  readChats: () => Promise<RuntimeStatus | undefined>,
) {
  const ownerCommands = createOwnerCommands({ blocks, failures, sources, readChats });
  return createDispatcher({
    commands: createCommandList({
      sources: descriptors,
      // The example is the first post link that the operator offers to people, or else the first site's own.
      example:
        config.webExamples.find(({ url }) => extractor.sourceOf(url) !== undefined)?.url ?? descriptors[0].example,
    }),
    ...{ ownerCommands, owners: config.owners, blocks, services, limiter, userLimit: config.userLimit, log },
  });
}

/**
 * A settings store that, when a chat gets another id, also takes the chat's memory (what was shown there last) and a
 * block by an owner along to that id. When Medley leaves a chat, it also deletes the chat's memory.
 */
function withChatMemory(
  settings: SettingsStore,
  memory: ChatMemory,
  blocks: Pick<MediaServices['blocks'], 'moveChat'>,
): SettingsStore {
  return {
    ...settings,
    async moveChat(from, to) {
      await settings.moveChat(from, to);
      await memory.moveChat(from, to);
      await blocks.moveChat(from, to);
    },
    async markChatLeft(key, at) {
      await settings.markChatLeft(key, at);
      if (at !== null) await memory.leaveChat(key);
    },
  };
}

async function readVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}
