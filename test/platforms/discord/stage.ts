import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Beatmaps } from '../../../src/beatmaps/beatmaps.ts';
import { createDispatcher, type Dispatcher } from '../../../src/bot/answer/answer.ts';
import type { PlatformHost, RequestOutcome } from '../../../src/bot/contract/chat-platform.ts';
import type { Command } from '../../../src/bot/contract/command.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import { Runtime, type RuntimeOptions } from '../../../src/bot/runtime/runtime.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import type { Queue } from '../../../src/infra/queue/queue.ts';
import { createMemoryRateLimiter } from '../../../src/infra/rate-limit/rate-limit.ts';
import type { RecordStore } from '../../../src/infra/store/records.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import type { DeliveryRequest } from '../../../src/media/delivery/delivery-plan.ts';
import type { ExtractOptions } from '../../../src/media/extract/extractor.ts';
import type { Post } from '../../../src/media/post.ts';
import type { DiscordReplyTo } from '../../../src/platforms/discord/api/reply-to.ts';
import { createDiscordPlatform, type DiscordPlatformOptions } from '../../../src/platforms/discord/platform.ts';
import { commandList } from '../../bot/command-list.ts';
import { fakeExtractor, link, type SampleServices, samplePost, sampleServices } from '../../bot/sample.ts';
import { fileOf } from '../../fakes/cdn.ts';
import { createFakeDiscord, type FakeDiscord, type FakeDiscordOptions } from '../../fakes/discord.ts';
import { createFileDelivery } from '../../fakes/file-delivery.ts';
import { createRecordingLog, type RecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';

export interface StageOptions {
  readonly fake?: FakeDiscordOptions;
  /** What the upstream says of a post; by default one video by Tari Senja. */
  readonly answer?: (id: string, options: ExtractOptions) => Promise<Post> | Post;
  /** Sizes of an item's files, best first; 0 is one that cannot be had. Default one of 40 kB. */
  readonly sizes?: (request: DeliveryRequest) => readonly number[];
  /** Of the page that plays what cannot be had as a file. */
  readonly page?: string;
  readonly units?: number;
  /** Default: knows one of everything. */
  readonly beatmaps?: Beatmaps;
  /** In place of the samples. */
  readonly services?: Partial<Services>;
  /** Default: Medley's own. */
  readonly commands?: readonly Command[];
  /** Not started; tests do it. */
  readonly idle?: boolean;
  readonly platform?: ProcessOptions;
}

/** A process of Medley. */
export interface Process {
  /** `then` is called when it is connected. */
  start(then?: (host: PlatformHost<DiscordReplyTo>) => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
  /** As `kill -9` would: nothing is written down from now on. */
  kill(): Promise<void>;
  /** Once it was started. */
  runtime(): Runtime;
  readonly outcomes: readonly RequestOutcome[];
}

export interface ProcessOptions extends Partial<DiscordPlatformOptions> {
  readonly runtime?: Pick<RuntimeOptions, 'hears' | 'works' | 'statusMs'>;
}

export interface Stage {
  readonly fake: FakeDiscord;
  readonly guildId: string;
  readonly channelId: string;
  readonly services: SampleServices;
  readonly dispatcher: Dispatcher;
  readonly log: RecordingLog;
  readonly records: RecordStore;
  readonly platform: Process;
  /** Files on the disk now. */
  readonly held: ReadonlySet<string>;
  readonly asked: readonly string[];
  /** Requests that are not answered yet, by what is kept of them. */
  unfinished(): readonly string[];
  /** Another process over the same stores and Discord, as after a restart. */
  another(options?: ProcessOptions): Process;
  close(): Promise<void>;
}

export const LINK = link('SeaLight01');
export { link };

/** The sha256 of a post's file as the upstream has it. */
export function sha256Of(id: string, index = 0, bytes = 40_000): string {
  return createHash('sha256')
    .update(fileOf(bytes, `${id} ${index}`))
    .digest('hex');
}

/** Medley on a made-up Discord: everything is real but the upstream. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const fake = await createFakeDiscord(options.fake);
  const { id: guildId, channelId } = fake.addGuild({ name: 'Harbour' });
  const folder = await mkdtemp(join(tmpdir(), 'medley-discord-'));
  const held = new Set<string>();
  const extractor = fakeExtractor(options.answer ?? (id => samplePost({ id, url: link(id) })));
  const store = openStore(':memory:');
  const services = {
    ...sampleServices(extractor, store),
    ...(options.beatmaps && { beatmaps: options.beatmaps }),
    ...options.services,
  };
  const log = createRecordingLog();
  const dispatcher = createDispatcher({
    commands: options.commands ?? commandList,
    services,
    limiter: createMemoryRateLimiter(),
    userLimit: { units: options.units ?? 200, windowMs: 60_000 },
    log,
  });
  const delivery = createFileDelivery(folder, held, options.sizes ?? (() => [40_000]), options.page);
  const processes: Process[] = [];

  function another(change: ProcessOptions = {}): Process {
    const { runtime: other, ...settings } = { ...options.platform, ...change };
    const { now = Date.now } = settings;
    const platform = createDiscordPlatform({
      token: fake.token,
      apiUrl: fake.apiUrl,
      shards: 'auto',
      dispatcher,
      delivery,
      settings: services.settings,
      tagOf: services.actions.tagOf,
      records: embeddedRecords(store),
      log,
      ...settings,
    });
    const outcomes: RequestOutcome[] = [];
    let running: { readonly queue: Queue; readonly runtime: Runtime } | undefined;
    const process: Process = {
      outcomes,
      async start(then) {
        // No two may be open at once.
        const queue = createEmbeddedQueue({ store, log, now });
        const runtime = new Runtime({
          platforms: [then === undefined ? platform : { ...platform, connect }],
          queue,
          records: embeddedRecords(store),
          dispatcher,
          log,
          drainMs: 500,
          // A machine that stands still is not to be spoken of.
          statusMs: 60_000,
          now,
          watch: { onOutcome: (_, outcome) => void outcomes.push(outcome) },
          ...other,
        });
        running = { queue, runtime };
        await runtime.start();

        async function connect(host: PlatformHost<DiscordReplyTo>, signal: AbortSignal) {
          const connection = await platform.connect(host, signal);
          await then?.(host);
          return connection;
        }
      },
      async stop() {
        await running?.runtime.stop();
        await running?.queue.close();
        await platform.close();
      },
      async kill() {
        await running?.queue.close();
        await running?.runtime.stop();
      },
      runtime() {
        if (running === undefined) throw new Error('it was not started');
        return running.runtime;
      },
    };
    processes.push(process);
    return process;
  }

  const platform = another();
  if (!options.idle) await platform.start();
  return {
    fake,
    guildId,
    channelId,
    services,
    dispatcher,
    log,
    records: embeddedRecords(store),
    platform,
    held,
    asked: extractor.asked,
    unfinished: () => store.all(`SELECT payload FROM queue WHERE state <> 'done'`, [], Row).map(row => row.payload),
    another,
    async close() {
      await Promise.all(processes.map(each => each.stop()));
      store.close();
      await fake.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const Row = z.object({ payload: z.string() });

/** What Medley has posted and not deleted, in order. */
export function ownMessages(fake: FakeDiscord) {
  return [...fake.messages.values()].filter(message => message.own && !message.deleted);
}

/** All text a message shows. */
export function textOf(message: { readonly body: Readonly<Record<string, unknown>> }): string {
  return all(message.body.components, 'content').join('\n');
}

/** Every value of that key in a message's components. */
export function all(value: unknown, key: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap(each => all(each, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === key ? [inner] : all(inner, key)));
}
