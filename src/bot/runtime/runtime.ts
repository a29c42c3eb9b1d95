import type { Logger } from '../../infra/log.ts';
import type { Claim, Queue, Verdict } from '../../infra/queue/queue.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type {
  Acceptance,
  ChatPlatform,
  PlatformHost,
  PlatformStatus,
  PostToChat,
  RequestOutcome,
  RuntimeStatus,
} from '../contract/chat-platform.ts';
import type { Request } from '../contract/request.ts';
import type { RequestHandler } from '../contract/request-handler.ts';
import { createIntake } from './intake.ts';
import { createLeavingMessages } from './leaving-messages.ts';
import { createPost } from './post.ts';
import { createRunRequest } from './run-request.ts';
import { createTranslatorFor } from './say.ts';
import { createSupervisor } from './supervisor.ts';
import { createThrottle } from './throttle.ts';

/** Told of every request, for metrics. */
export interface RuntimeWatch {
  onAccepted?(platform: string, acceptance: Acceptance): void;
  /** `tookMs`: since it was accepted. */
  onOutcome?(platform: string, outcome: RequestOutcome, tookMs: number): void;
}

export interface RuntimeOptions {
  readonly platforms: readonly ChatPlatform[];
  readonly queue: Queue;
  /** For this process alone: takes what `queue` cannot, so that people are answered though nothing can be written down. */
  readonly spare?: Queue | undefined;
  /** Where is kept which notices are still to be deleted. Default: in memory alone. */
  readonly records?: RecordStore;
  readonly dispatcher: RequestHandler;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** Whether this process hears a platform. Default: it hears all. */
  readonly hears?: (platform: string) => boolean;
  /** Whether this process answers. Default true. */
  readonly works?: boolean;
  /** Requests that run at once in this process. Default 32. */
  readonly concurrency?: number;
  readonly watch?: RuntimeWatch;
  /** How long running requests may take after `stop()`. Default 7,500. */
  readonly drainMs?: number;
  readonly now?: () => number;
  /** Milliseconds since any moment, by a clock that nobody sets. */
  readonly clock?: () => number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/**
 * Requests from their acceptance to their answer, for all chat platforms: each is stored, run when it is its chat's turn, and answered once,
 * whichever process dies on the way.
 */
export interface Runtime {
  /** Listens and works from now on. Resolves when every platform was tried once; those that cannot be reached are tried again. */
  start(): Promise<void>;
  readonly post: PostToChat;
  /** @throws AppError `internal` when the queue cannot be reached */
  status(): Promise<RuntimeStatus>;
  /** Known without asking the queue. */
  platforms(): readonly PlatformStatus[];
  /** Takes nothing new and begins no upload, finishes what runs within `drainMs`, and leaves the rest to the next start. Safe to call twice. */
  stop(): Promise<void>;
}

const CONCURRENCY = 32;
/** `docker stop` and others end a process after ten seconds, and there is more to end than this. */
const DRAIN_MS = 7_500;
/** For what does not heed the end of it. */
const CLOSE_MS = 2_000;

export function createRuntime(options: RuntimeOptions): Runtime {
  const { queue, spare, dispatcher, log, watch, now = Date.now, random = Math.random } = options;
  const { clock = () => performance.now() } = options;
  const { hears = () => true, works = true } = options;
  const queues = spare === undefined ? [queue] : [queue, spare];
  const platformsById = new Map(options.platforms.map(platform => [platform.id, platform]));
  const throttle = createThrottle({
    clock,
    random,
    paceOf: id => platformsById.get(id)?.pace,
    onSooner: id => {
      for (const each of queues)
        each.promote(id).catch((error: unknown) => log.warn({ err: error }, 'the queue cannot be reached'));
    },
  });
  const translatorFor = createTranslatorFor(dispatcher, log);
  const leaving = createLeavingMessages({ platforms: options.platforms, records: options.records, log, now });
  const intake = createIntake({
    queue,
    spare,
    translatorFor,
    dispatcher,
    leaving,
    throttle,
    log,
    now,
    random,
    onAccepted: (platform, acceptance) => watch?.onAccepted?.(platform, acceptance),
  });
  const runs = createRunRequest({
    platforms: platformsById,
    dispatcher,
    leaving,
    throttle,
    log,
    now,
    clock,
    random,
    onTokenRefused: id => supervised.find(({ platform }) => platform.id === id)?.supervisor.suspect(),
    onOutcome: ({ platform, at }: Request, outcome) => watch?.onOutcome?.(platform, outcome, now() - at),
  });
  const supervised = options.platforms.map(platform => ({
    platform,
    supervisor: createSupervisor({
      platform,
      log,
      now,
      random,
      onRefused: forMs => throttle.holdPlatform(platform.id, forMs),
    }),
  }));
  let lastRunAt: number | undefined;
  let stopped: Promise<void> | undefined;

  function run(claim: Claim): Promise<Verdict> {
    lastRunAt = now();
    return runs.run(claim);
  }

  function hostOf({ platform, supervisor }: (typeof supervised)[number]): PlatformHost {
    return {
      accept: draft => intake.accept(platform, draft),
      async cancel(eventId) {
        const id = `${platform.id}:${eventId}`;
        if (!runs.cancel(id)) await Promise.all(queues.map(each => each.cancel(id)));
      },
      lost: reason => supervisor.lost(reason),
      standBy: () => supervisor.standBy(),
    };
  }

  function platforms(): readonly PlatformStatus[] {
    return supervised.map(({ supervisor }) => supervisor.status());
  }

  async function stop(): Promise<void> {
    await Promise.all([stopHearing(), finishRunning()]);
    await within(CLOSE_MS, leaving.close());
    await within(CLOSE_MS, Promise.all(options.platforms.map(platform => platform.close())));
  }

  async function stopHearing(): Promise<void> {
    await within(CLOSE_MS, Promise.all(supervised.map(({ supervisor }) => supervisor.stop())));
    await within(CLOSE_MS, intake.close());
  }

  async function finishRunning(): Promise<void> {
    runs.drain();
    const drained = Promise.all(queues.map(each => each.drain()));
    if (await within(options.drainMs ?? DRAIN_MS, drained)) return;
    runs.abortAll();
    await within(CLOSE_MS, drained);
  }

  /** False when it is not done by then, or fails. */
  async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>(resolve => {
      timer = setTimeout(resolve, ms, false);
    });
    const done = work.then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, 'something could not be ended');
        return false;
      },
    );
    const isDone = await Promise.race([done, late]);
    clearTimeout(timer);
    return isDone;
  }

  return {
    async start() {
      if (works) {
        const concurrency = options.concurrency ?? CONCURRENCY;
        for (const each of queues) each.work(run, { concurrency });
        await leaving.resume();
      }
      const heard = supervised.filter(({ platform }) => hears(platform.id));
      await Promise.all(heard.map(each => each.supervisor.start(hostOf(each))));
    },
    post: createPost({ platforms: options.platforms, translatorFor, dispatcher, leaving, throttle, now }),
    async status() {
      return {
        ...(await queue.stats()),
        lastRunAt,
        platforms: platforms(),
      };
    },
    platforms,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
