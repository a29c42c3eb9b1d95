/** Commands over the real beatmap services and the sandbox's upstreams, for the length of a test. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BeatmapServices, createBeatmapServices } from '../../../src/beatmaps/beatmap-services.ts';
import { createDispatcher } from '../../../src/bot/answer/answer.ts';
import type { CommandTimes } from '../../../src/bot/answer/run-command.ts';
import type { Reply } from '../../../src/bot/contract/reply.ts';
import type { Caller } from '../../../src/bot/contract/request.ts';
import type { Services } from '../../../src/bot/contract/services.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { SANDBOX_OSU } from '../../sandbox/osu.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { commandList } from '../command-list.ts';
import { converse, type Said } from '../converse.ts';
import { memoryLimiter, sampleCaller, sampleServices } from '../sample.ts';

export interface OsuStageOptions {
  /** See `buildWorker`. */
  readonly workerFile: URL;
  /** Default true. */
  readonly withCredentials?: boolean;
  /** Generated sets beside those with a story. Default 0. */
  readonly beatmapsets?: number;
  readonly times?: Partial<CommandTimes>;
  /** See `BeatmapServicesOptions`. */
  readonly ratingsMs?: number;
  /** Instead of those of the stage. */
  readonly instead?: (osu: BeatmapServices) => Partial<Services>;
}

export interface OsuStage {
  readonly sandbox: Sandbox;
  readonly services: Services;
  readonly osu: BeatmapServices;
  /** Replies as they are in the end. @param onFirst hears of each as it is at first */
  say(text: string, caller?: Caller, onFirst?: (reply: Reply) => void): Promise<readonly Reply[]>;
  press(token: string, caller?: Caller): Promise<readonly Reply[]>;
  /** Calls of osu!'s API since the last clearing, by endpoint; tokens and files apart. */
  calls(): { readonly api: number; readonly attributes: number };
}

/** The real beatmap services over the sandbox's upstreams. */
export async function openOsuServices(options: OsuStageOptions) {
  const { workerFile, withCredentials = true, beatmapsets = 0, ratingsMs } = options;
  const sandbox = await createSandbox({ beatmapsets });
  const http = createTestClient(Object.fromEntries(sandbox.overrides.split(',').map(pair => pair.split('=', 2))));
  const dataDir = await mkdtemp(join(tmpdir(), 'medley-osu-'));
  const store = openStore(join(dataDir, 'test.db'));
  const osu = createBeatmapServices({
    http,
    records: embeddedRecords(store),
    dataDir,
    isFiller: () => true,
    credentials: withCredentials ? SANDBOX_OSU : undefined,
    log: createRecordingLog(),
    workerFile,
    ratingsMs,
  });
  onTestFinished(async () => {
    await osu.difficulty.close();
    await osu.catalogue.close();
    store.close();
    await sandbox.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { sandbox, osu };
}

export async function openOsuStage(options: OsuStageOptions): Promise<OsuStage> {
  const { sandbox, osu } = await openOsuServices(options);
  const { beatmaps, ratings, recommend, recommendationHistory } = osu;
  const services = {
    ...sampleServices(),
    beatmaps,
    ratings,
    recommend,
    recommendationHistory,
    ...options.instead?.(osu),
  };
  const dispatcher = createDispatcher({
    commands: commandList,
    services,
    limiter: memoryLimiter(() => 0),
    userLimit: { units: 1_000, windowMs: 60_000 },
    ...(options.times && { times: options.times }),
    log: createRecordingLog(),
  });

  async function send(said: Said, onReply: (reply: Reply) => void = () => undefined): Promise<readonly Reply[]> {
    const replies = await converse(dispatcher, said, { onReply });
    return Promise.all(replies.map(async reply => (await reply.later) ?? reply));
  }

  return {
    sandbox,
    services,
    osu,
    say: (text, caller = sampleCaller(), onFirst) => send({ text, caller }, onFirst),
    press: (token, caller = sampleCaller()) => send({ token, caller }),
    calls() {
      const attributes = sandbox.count('osu.attributes');
      const others = sandbox.count('osu.attributes') + sandbox.count('osu.token') + sandbox.count('osu.file');
      return { api: sandbox.count('osu.*') - others, attributes };
    },
  };
}

/** All text of replies. */
export function textOf(replies: readonly Reply[]): string {
  return JSON.stringify(replies);
}
