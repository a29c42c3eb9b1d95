import { AppError, StoreAway } from '../../errors.ts';
import { createLru } from '../../infra/cache/cache.ts';
import type { Claim, Verdict } from '../../infra/queue/queue.ts';
import { type ChatPlatform, type RequestOutcome, Superseded } from '../contract/chat-platform.ts';
import { callerOf, partsOf, type Request } from '../contract/request.ts';
import { continueJob, noticeInstead } from './continue-job.ts';
import { type Ending, type Job, type JobTools, readJob, retryLater, throttledChatOf } from './job.ts';
import { createReplyOrder, type OrderedPlace, type ReplyOrder } from './reply-order.ts';
import { STORE_AWAY_MS } from './retry-gate.ts';
import { settleFailure } from './settle-failure.ts';

export interface JobRunnerOptions extends Omit<JobTools, 'finish' | 'mayUpload'> {
  readonly platforms: ReadonlyMap<string, ChatPlatform>;
  readonly onOutcome: (request: Request, outcome: RequestOutcome) => void;
}

/** A request is answered within this time or never. */
const LIFE_MS = 24 * 3_600_000;
/** The longest time of one attempt, including uploads. */
const RUN_MS = 15 * 60_000;
/** The pause after which other processes may run a request that this version or process cannot. */
const ELSEWHERE_MS = 30_000;
const UNREADABLE_MS = 10 * 60_000;
/** If this process runs a claimed request already, the claim is looked at again after this pause. */
const TWIN_MS = 1_000;
/** The time in which a job must end after it was aborted. */
const GRACE_MS = 1_200;
/** A request is ended when this many workers have died during it, because it may be what kills them. */
const MOST_LOST_WORKERS = 6;
/** The longest pause after workers died; short, as platforms recognise a repeated message only for minutes. */
const MOST_PAUSE_MS = 10_000;
const MAX_ENDED = 10_000;

const DONE: Verdict = { done: true };

type ClaimedJob = Pick<Job, 'request' | 'progress' | 'platform' | 'to' | 'facts' | 'claim'>;

/** Runs claimed requests, each until it is answered or has to wait. */
export class JobRunner {
  readonly #platforms: JobRunnerOptions['platforms'];
  readonly #onOutcome: JobRunnerOptions['onOutcome'];
  readonly #tools: JobTools;
  readonly #order: ReplyOrder;
  readonly #jobs = new Map<string, Job>();
  /** Requests that ended in this process, in case the queue could not store that they are done. */
  readonly #ended = createLru<string, true>({ max: MAX_ENDED });
  #isDraining = false;

  constructor({ platforms, onOutcome, ...shared }: JobRunnerOptions) {
    this.#platforms = platforms;
    this.#onOutcome = onOutcome;
    this.#order = createReplyOrder(shared.clock);
    this.#tools = {
      ...shared,
      finish: this.#finish,
      mayUpload: () => !this.#isDraining,
    };
  }

  /** Runs a claimed request; resolves with what the queue is to do with it. Never rejects. */
  async run(claim: Claim): Promise<Verdict> {
    if (this.#ended.has(claim.id)) return DONE;
    // Two queues may hold one request (see `RuntimeOptions.spare`), so it may run in this process already.
    if (this.#jobs.has(claim.id)) return { done: false, afterMs: TWIN_MS };
    const stored = readJob(claim.payload);
    if (stored === undefined) return this.#unreadable(claim);
    const { request, progress } = stored;
    const platform = this.#platforms.get(request.platform);
    if (platform === undefined) return { done: false, afterMs: ELSEWHERE_MS };
    const to = platform.replyTo.safeParse(request.replyTo);
    if (!to.success) return this.#unreadable(claim);
    const { log, now, random } = this.#tools;
    const facts = platform.factsOf?.(to.data, request) ?? {};
    const job = { request, progress, platform, to: to.data, facts, claim };
    if (now() >= (request.until ?? request.at + LIFE_MS)) {
      const { next, tries } = progress;
      log.warn({ id: request.id, next, tries }, 'a request could not be answered in time');
      return this.#finish(job, 'expired');
    }
    if (claim.lostWorkers > progress.lostWorkers) {
      progress.lostWorkers = claim.lostWorkers;
      // The request may be what kills workers, so it waits a little: other requests of the lost workers are answered
      // first.
      if (claim.lostWorkers > 1)
        return retryLater(job, random() * Math.min(2 ** claim.lostWorkers * 1_000, MOST_PAUSE_MS));
    }
    return this.#runInOrder(job);
  }

  /** Ends a request that runs in this process, without a message; false when no request with that id runs. */
  cancel(id: string): boolean {
    const job = this.#jobs.get(id);
    if (job !== undefined) end(job, 'cancelled', new Superseded('it is not wanted any more'));
    return job !== undefined;
  }

  /** Starts no more uploads: a request that needs one is left to the next process. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Aborts all running requests, which will run again later. */
  abortAll(): void {
    for (const job of this.#jobs.values()) end(job, 'stopping', new Superseded('Medley stops'));
  }

  readonly #finish: JobTools['finish'] = ({ request, platform, to }, outcome) => {
    this.#ended.set(request.id, true);
    platform.onEnd?.(to, outcome);
    this.#onOutcome(request, outcome);
    return DONE;
  };

  #unreadable({ id, addedAt }: Claim): Verdict {
    const { log, now } = this.#tools;
    if (now() - addedAt < UNREADABLE_MS) return { done: false, afterMs: ELSEWHERE_MS };
    log.error({ id }, 'a request that was stored cannot be read');
    return DONE;
  }

  /** Runs the job within the platform's rate limit and, unless it may overtake, behind the chat's earlier requests. */
  async #runInOrder(job: ClaimedJob): Promise<Verdict> {
    const { request, platform, facts } = job;
    const isApart = request.kind === 'links' || facts.hasPlace === true;
    const place = isApart ? undefined : this.#order.join(`${platform.id}:${request.chat.id}`, request.id);
    let verdict: Verdict | undefined;
    try {
      const behindMs = place?.waitMs() ?? 0;
      verdict = behindMs > 0 ? { done: false, afterMs: behindMs } : await this.#runAtPace(job, place);
      return verdict;
    } finally {
      // The place must be left in every case: otherwise it would delay the chat's later requests.
      place?.leave(verdict?.done === false ? verdict.afterMs : undefined);
    }
  }

  async #runAtPace(job: ClaimedJob, place: OrderedPlace | undefined): Promise<Verdict> {
    const { request, platform, to } = job;
    const messages = platform.messagesOf?.(to) ?? 1;
    const reservation = this.#tools.sendThrottle.reserve(throttledChatOf(request), request.id, messages);
    if (typeof reservation === 'number') return { done: false, afterMs: reservation };
    const attempt: Job = {
      ...{ ...job, reservation, place },
      controller: new AbortController(),
      ending: undefined,
      stopWorking: undefined,
      status: undefined,
      next: partsOf(request),
      worst: 'answered',
    };
    return this.#attempt(attempt).finally(() => reservation.end());
  }

  async #attempt(job: Job): Promise<Verdict> {
    const { claim, request, controller } = job;
    const onLost = () => end(job, 'superseded', new Superseded('the lease is lost'));
    claim.signal.addEventListener('abort', onLost, { once: true });
    if (claim.signal.aborted) onLost();
    const deadline = setTimeout(() => end(job, 'late', new AppError('timeout', 'a request ran too long')), RUN_MS);
    this.#jobs.set(request.id, job);
    let grace: NodeJS.Timeout | undefined;
    const abandoned = new Promise<Verdict>(resolve => {
      controller.signal.addEventListener('abort', () => {
        grace = setTimeout(() => resolve(this.#abandon(job)), GRACE_MS);
      });
    });
    try {
      return await Promise.race([this.#runToEnd(job), abandoned]);
    } catch (error) {
      const isExpected = error instanceof Superseded || error instanceof StoreAway;
      this.#tools.log[isExpected ? 'info' : 'error']({ err: error, id: request.id }, 'a request could not be run now');
      return retryLater(job, STORE_AWAY_MS);
    } finally {
      clearTimeout(deadline);
      claim.signal.removeEventListener('abort', onLost);
      if (this.#jobs.get(request.id) === job) this.#jobs.delete(request.id);
      job.stopWorking?.();
      job.status?.end();
      // The abort ends the work on replies that will not be sent.
      controller.abort();
      clearTimeout(grace);
    }
  }

  /**
   * Gives up a job that does not end although it was aborted. Unless it was cancelled, it runs again, as after a crash.
   */
  #abandon(job: Job): Verdict {
    this.#tools.log.error({ id: job.request.id, ending: job.ending }, 'a request does not end');
    return job.ending === 'cancelled' ? this.#finish(job, 'cancelled') : retryLater(job, 0);
  }

  async #runToEnd(job: Job): Promise<Verdict> {
    const tools = this.#tools;
    const { progress, request, facts } = job;
    const caller = callerOf(request, facts.caller);
    const preferences = await tools.handler.preferences(caller);
    if (progress.lostWorkers >= MOST_LOST_WORKERS && progress.notice === undefined) {
      // If anything of the answer may have arrived, the notice must not say that it failed.
      const mayBeSent = progress.sending !== undefined || progress.sent.length > 0;
      await noticeInstead(job, mayBeSent ? 'unsure' : 'failed', tools);
    }
    for (;;) {
      const verdict = await continueJob(job, caller, preferences, tools).catch((error: unknown) =>
        settleFailure(job, error, tools),
      );
      if (verdict !== undefined) return verdict;
    }
  }
}

function end(job: Job, ending: Ending, reason: Error): void {
  job.ending ??= ending;
  job.controller.abort(reason);
}
