import type { Logger } from '../../infra/log.ts';
import type { Claim, Queue } from '../../infra/queue/queue.ts';
import type { RecordStore } from '../../infra/store/records.ts';
import type {
  Acceptance,
  ChatPlatform,
  EditReply,
  PlatformHost,
  PlatformStatus,
  PostToChat,
  RequestOutcome,
  RuntimeStatus,
} from '../contract/chat-platform.ts';
import type { Reply } from '../contract/reply.ts';
import type { RequestHandler } from '../contract/request.ts';
import { Acceptor } from './accept.ts';
import { PlatformConnection } from './connection.ts';
import { Deletions } from './deletions.ts';
import { JobRunner } from './job-runner.ts';
import { createNoticeBudget, createPost, createSendNotice } from './notices.ts';
import { SendThrottle } from './send-throttle.ts';

export interface RuntimeOptions {
  readonly platforms: readonly ChatPlatform[];
  readonly queue: Queue;
  /** A queue in this process's memory for requests that `queue` cannot store, so that people are still answered. */
  readonly spare?: Queue | undefined;
  /** Stores which messages are still to be deleted. Default: they are kept in memory only. */
  readonly records?: RecordStore;
  readonly dispatcher: RequestHandler;
  readonly log: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;
  /** Says whether this process receives a platform's events. Default: it receives those of all platforms. */
  readonly hears?: (platform: string) => boolean;
  /** True when this process also runs requests. Default true. */
  readonly works?: boolean;
  /** How many requests run at once in this process. Default 32. */
  readonly concurrency?: number;
  /** Called about every request, so that the metrics can count it. `tookMs`: the time since it was accepted. */
  readonly watch?: {
    onAccepted?(platform: string, acceptance: Acceptance): void;
    onOutcome?(platform: string, outcome: RequestOutcome, tookMs: number): void;
  };
  /** How long running requests may take after `stop()`. Default 7,500. */
  readonly drainMs?: number;
  /** If work takes longer than this, people are told what is being done. Default 10,000. */
  readonly statusMs?: number;
  readonly now?: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly clock?: () => number;
  /** A random number from 0 to 1. */
  readonly random?: () => number;
}

const CONCURRENCY = 32;
/** Tools such as `docker stop` kill a process after ten seconds, in which other things must end too. */
const DRAIN_MS = 7_500;
const STATUS_MS = 10_000;
/** How long to wait for each part that is asked to end, such as a connection, in case it does not. */
const CLOSE_MS = 2_000;

/**
 * Handles the requests of all chat platforms from acceptance to answer: each is stored and answered once, even if
 * processes die. A chat's requests are answered in order, except that pasted links need not wait.
 */
export class Runtime {
  readonly post: PostToChat;
  readonly #options: RuntimeOptions;
  readonly #queues: readonly [queue: Queue, ...spare: Queue[]];
  readonly #connections: readonly { readonly platform: ChatPlatform; readonly connection: PlatformConnection }[];
  readonly #acceptor: Acceptor;
  readonly #jobs: JobRunner;
  readonly #edits: ReturnType<typeof createReplyEdits>;
  readonly #deletions: Deletions;
  #lastRunAt: number | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: RuntimeOptions) {
    const { platforms, queue, spare, dispatcher: handler, log, watch, now = Date.now, random = Math.random } = options;
    const { clock = () => performance.now(), statusMs = STATUS_MS } = options;
    this.#options = options;
    this.#queues = spare === undefined ? [queue] : [queue, spare];
    const platformsById = new Map(platforms.map(platform => [platform.id, platform]));
    const sendThrottle = new SendThrottle({
      clock,
      random,
      paceOf: id => platformsById.get(id)?.pace,
      onSooner: id =>
        void this.#inQueues(each => each.promote(id)).catch(error =>
          log.warn({ err: error }, 'the queue cannot be reached'),
        ),
    });
    this.#connections = platforms.map(platform => {
      const onRefused = (forMs: number) => sendThrottle.pausePlatform(platform.id, forMs);
      return { platform, connection: new PlatformConnection({ platform, log, now, random, onRefused }) };
    });
    const deletions = new Deletions(platforms, options.records, log, now);
    this.#deletions = deletions;
    this.#edits = createReplyEdits({ log });
    const shared = { handler, sendThrottle, deletions, log, now, random };
    this.post = createPost(platforms, shared);
    this.#acceptor = new Acceptor({
      ...shared,
      queues: this.#queues,
      sendNotice: createSendNotice(shared),
      onAccepted: watch?.onAccepted,
    });
    this.#jobs = new JobRunner({
      ...shared,
      ...{ clock, statusMs },
      platforms: platformsById,
      editLater: this.#edits.add,
      mayNotify: createNoticeBudget(clock),
      onTokenRefused: id => this.#connections.find(({ platform }) => platform.id === id)?.connection.suspect(),
      onOutcome: ({ platform, at }, outcome) => watch?.onOutcome?.(platform, outcome, now() - at),
    });
  }

  /**
   * Begins to receive events and run requests. Resolves when each platform was tried once; failed ones are tried again.
   */
  async start(): Promise<void> {
    const { works = true, hears = () => true, concurrency = CONCURRENCY, now = Date.now } = this.#options;
    if (works) {
      const run = (claim: Claim) => {
        this.#lastRunAt = now();
        return this.#jobs.run(claim);
      };
      for (const each of this.#queues) each.work(run, { concurrency });
      await this.#deletions.resume();
    }
    const heard = this.#connections.filter(({ platform }) => hears(platform.id));
    await Promise.all(heard.map(({ platform, connection }) => connection.start(this.#hostOf(platform, connection))));
  }

  /** The state of the platforms and the queue. @throws AppError `internal` when the queue cannot be reached */
  async status(): Promise<RuntimeStatus> {
    return { ...(await this.#options.queue.stats()), lastRunAt: this.#lastRunAt, platforms: this.platforms() };
  }

  /** The platforms' states, without asking the queue. */
  platforms(): readonly PlatformStatus[] {
    return this.#connections.map(({ connection }) => connection.status);
  }

  /**
   * Accepts no more requests and begins no upload, finishes running ones within `drainMs`, and leaves the rest to the
   * next start. Safe to call twice.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  #hostOf(platform: ChatPlatform, connection: PlatformConnection): PlatformHost {
    return {
      accept: request => this.#acceptor.accept(platform, request),
      cancel: async eventId => {
        const id = `${platform.id}:${eventId}`;
        if (!this.#jobs.cancel(id)) await this.#inQueues(each => each.revoke(id));
      },
      lost: reason => connection.lost(reason),
      standBy: () => connection.standBy(),
    };
  }

  async #inQueues<T>(work: (each: Queue) => Promise<T>): Promise<void> {
    await Promise.all(this.#queues.map(work));
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#stopHearing(), this.#finishRunning()]);
    await this.#endWithin(CLOSE_MS, this.#deletions.close());
    await this.#endWithin(CLOSE_MS, Promise.all(this.#options.platforms.map(platform => platform.close())));
  }

  async #stopHearing(): Promise<void> {
    await this.#endWithin(CLOSE_MS, Promise.all(this.#connections.map(({ connection }) => connection.stop())));
    await this.#endWithin(CLOSE_MS, this.#acceptor.close());
  }

  async #finishRunning(): Promise<void> {
    this.#jobs.drain();
    const drained = this.#inQueues(each => each.drain());
    if (await this.#endWithin(this.#options.drainMs ?? DRAIN_MS, drained)) return;
    this.#edits.close();
    this.#jobs.abortAll();
    await this.#endWithin(CLOSE_MS, drained);
  }

  /** Waits for work to end; resolves with false if it fails or takes too long. */
  async #endWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>(resolve => {
      timer = setTimeout(resolve, ms, false);
    });
    const done = work.then(
      () => true,
      (error: unknown) => {
        this.#options.log.warn({ err: error }, 'something could not be ended');
        return false;
      },
    );
    const isDone = await Promise.race([done, late]);
    clearTimeout(timer);
    return isDone;
  }
}

const EDIT_MS = 10_000;

/**
 * Edits sent replies once, when a better version is ready. The request counts as answered before that: if a reply
 * cannot be edited it stays, and no new message is sent.
 */
export function createReplyEdits({ log }: { readonly log: Pick<Logger, 'debug'> }) {
  let isClosed = false;

  async function show(later: Promise<Reply | undefined>, edit: EditReply): Promise<void> {
    const better = await later;
    if (better !== undefined && !isClosed) await edit(better, AbortSignal.timeout(EDIT_MS));
  }

  return {
    /** Plans an edit. @param later resolves with undefined when there is no better version; never rejects */
    add(later: Promise<Reply | undefined>, edit: EditReply): void {
      show(later, edit).catch((error: unknown) => log.debug({ err: error }, 'a reply could not be edited'));
    },
    /** Starts no more edits; a running one ends with the platform, or when its time is over. */
    close(): void {
      isClosed = true;
    },
  };
}
