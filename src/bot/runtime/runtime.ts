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
import type { RequestHandler } from '../contract/request-handler.ts';
import { createAcceptor } from './accept.ts';
import { createDeletions } from './chat-cleanup.ts';
import { createConnection } from './connection.ts';
import { createNoticeBudget, createPost, createSendNotice } from './notices.ts';
import { createJobRunner } from './run-job.ts';
import { createReplyEdits } from './send-once.ts';
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
  const { queue, spare, dispatcher: handler, log, watch, now = Date.now, random = Math.random } = options;
  const { clock = () => performance.now(), hears = () => true, works = true } = options;
  const queues: readonly [Queue, Queue?] = spare === undefined ? [queue] : [queue, spare];
  const inQueues = <T>(work: (each: Queue) => Promise<T>) => Promise.all(queues.map(each => each && work(each)));
  const platformsById = new Map(options.platforms.map(platform => [platform.id, platform]));
  const throttle = createThrottle({
    clock,
    random,
    paceOf: id => platformsById.get(id)?.pace,
    onSooner: id =>
      void inQueues(each => each.promote(id)).catch(error => log.warn({ err: error }, 'the queue cannot be reached')),
  });
  const deletions = createDeletions({ platforms: options.platforms, records: options.records, log, now });
  const shared = { handler, throttle, deleterFor: deletions.deleterFor, log, now, random };
  const acceptor = createAcceptor({
    ...shared,
    queues,
    sendNotice: createSendNotice(shared),
    onAccepted: (platform, acceptance) => watch?.onAccepted?.(platform, acceptance),
  });
  const edits = createReplyEdits({ log });
  const jobs = createJobRunner({
    ...shared,
    clock,
    platforms: platformsById,
    editLater: edits.add,
    mayNotify: createNoticeBudget({ clock }),
    onTokenRefused: id => connections.find(({ platform }) => platform.id === id)?.connection.suspect(),
    onOutcome: ({ platform, at }, outcome) => watch?.onOutcome?.(platform, outcome, now() - at),
  });
  const connections = options.platforms.map(platform => {
    const onRefused = (forMs: number) => throttle.pausePlatform(platform.id, forMs);
    return { platform, connection: createConnection({ platform, log, now, random, onRefused }) };
  });
  let lastRunAt: number | undefined;
  let stopped: Promise<void> | undefined;

  function run(claim: Claim): Promise<Verdict> {
    lastRunAt = now();
    return jobs.run(claim);
  }

  function hostOf({ platform, connection }: (typeof connections)[number]): PlatformHost {
    return {
      accept: draft => acceptor.accept(platform, draft),
      async cancel(eventId) {
        const id = `${platform.id}:${eventId}`;
        if (!jobs.cancel(id)) await inQueues(each => each.cancel(id));
      },
      lost: reason => connection.lost(reason),
      standBy: () => connection.standBy(),
    };
  }

  function platforms(): readonly PlatformStatus[] {
    return connections.map(({ connection }) => connection.status());
  }

  async function stop(): Promise<void> {
    await Promise.all([stopHearing(), finishRunning()]);
    await endWithin(CLOSE_MS, deletions.close(), log);
    await endWithin(CLOSE_MS, Promise.all(options.platforms.map(platform => platform.close())), log);
  }

  async function stopHearing(): Promise<void> {
    await endWithin(CLOSE_MS, Promise.all(connections.map(({ connection }) => connection.stop())), log);
    await endWithin(CLOSE_MS, acceptor.close(), log);
  }

  async function finishRunning(): Promise<void> {
    jobs.drain();
    const drained = inQueues(each => each.drain());
    if (await endWithin(options.drainMs ?? DRAIN_MS, drained, log)) return;
    edits.close();
    jobs.abortAll();
    await endWithin(CLOSE_MS, drained, log);
  }

  return {
    async start() {
      if (works) {
        const concurrency = options.concurrency ?? CONCURRENCY;
        for (const each of queues) each?.work(run, { concurrency });
        await deletions.resume();
      }
      const heard = connections.filter(({ platform }) => hears(platform.id));
      await Promise.all(heard.map(each => each.connection.start(hostOf(each))));
    },
    post: createPost(options.platforms, shared),
    status: async () => ({ ...(await queue.stats()), lastRunAt, platforms: platforms() }),
    platforms,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** False when it has not ended by then, or fails. */
async function endWithin(ms: number, work: Promise<unknown>, log: RuntimeOptions['log']): Promise<boolean> {
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
