import { vi } from 'vitest';
import type { Acceptance, RequestOutcome } from '../../../src/bot/contract/chat-platform.ts';
import { Runtime, type RuntimeOptions } from '../../../src/bot/runtime/runtime.ts';
import { createTranslator } from '../../../src/i18n/translate.ts';
import { createEmbeddedQueue } from '../../../src/infra/queue/embedded-queue.ts';
import type { Queue, QueueLimits } from '../../../src/infra/queue/queue.ts';
import { openStore, type Store } from '../../../src/infra/store/store.ts';
import { createRecordingLog, type RecordingLog } from '../../fakes/log.ts';
import { type Answering, createEcho } from './echo.ts';
import {
  createScriptedPlatform,
  createWorld,
  type ScriptedOptions,
  type ScriptedPlatform,
  type World,
} from './scripted-platform.ts';

export const t = createTranslator(['en']);
export const UNSURE = t.messages.requests.unsure;
export const FAILED = t.messages.errors.internal;
export const LATE = t.messages.errors.timeout;

export interface StageOptions extends Omit<ScriptedOptions, 'world'>, Answering {
  readonly world?: World;
  readonly store?: Store;
  /** What the runtime has in place of the real queue. */
  readonly queueOver?: (queue: Queue) => Queue;
  readonly limits?: Partial<QueueLimits>;
  readonly runtime?: Partial<RuntimeOptions>;
}

export interface Stage {
  readonly world: World;
  readonly store: Store;
  readonly queue: Queue;
  readonly platform: ScriptedPlatform;
  readonly runtime: Runtime;
  readonly log: RecordingLog;
  readonly outcomes: RequestOutcome[];
  readonly acceptances: Acceptance[];
  readonly charged: readonly string[];
  /** What stands in a chat. */
  said(chat?: string): readonly string[];
  /** Lets fake time pass. */
  pass(ms: number): Promise<void>;
  /** Until nothing is left to do, a day of fake time at most. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A runtime over the scripted platform, in fake time. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { world = createWorld(), store = openStore(':memory:') } = options;
  const log = createRecordingLog();
  // Leases that need no renewing: fake time passes by the day here.
  const queue = createEmbeddedQueue({ store, log, limits: { leaseMs: 3_600_000, ...options.limits } });
  const platform = createScriptedPlatform({ ...options, world });
  const { dispatcher, charged } = createEcho(options);
  const outcomes: RequestOutcome[] = [];
  const acceptances: Acceptance[] = [];
  const runtime = new Runtime({
    platforms: [platform],
    queue: options.queueOver?.(queue) ?? queue,
    dispatcher,
    log,
    random: () => 0.5,
    watch: {
      onOutcome: (_, outcome) => void outcomes.push(outcome),
      onAccepted: (_, acceptance) => void acceptances.push(acceptance),
    },
    ...options.runtime,
  });
  const starting = runtime.start();
  await vi.advanceTimersByTimeAsync(0);
  await starting;
  const pass = async (ms: number) => void (await vi.advanceTimersByTimeAsync(ms));
  return {
    ...{ world, store, queue, platform, runtime, log, outcomes, acceptances, charged, pass },
    said: (chat = 'square') => world.shown.filter(each => each.chat === chat).map(({ text }) => text),
    async settle() {
      for (let waitedMs = 0; waitedMs < 86_400_000; ) {
        const { waiting, running } = await queue.stats();
        if (waiting + running === 0) return;
        const ms = Math.min(3_600_000, Math.max(50, waitedMs / 4));
        await pass(ms);
        waitedMs += ms;
      }
      throw new Error('requests are left over');
    },
    async close() {
      const stopping = runtime.stop();
      await vi.advanceTimersByTimeAsync(60_000);
      await stopping;
      await queue.close();
    },
  };
}
