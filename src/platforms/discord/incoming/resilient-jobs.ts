import type { Jobs } from '../../../bot/runtime/jobs.ts';
import type { Logger } from '../../../infra/log.ts';

/**
 * The same jobs where people are still answered when nothing can be written down: what is accepted then is not known to a later process,
 * and a repeat of it only by its nonce.
 */
export function createSturdyJobs(jobs: Jobs, log: Pick<Logger, 'error'>): Jobs {
  function orElse<T>(work: () => T, otherwise: T): T {
    try {
      return work();
    } catch (error) {
      log.error({ err: error }, 'discord: the store does not keep what was accepted');
      return otherwise;
    }
  }

  return {
    accept: job => orElse(() => jobs.accept(job), true),
    sending: id => orElse(() => jobs.sending(id), undefined),
    notSent: id => orElse(() => jobs.notSent(id), undefined),
    done: id => orElse(() => jobs.done(id), undefined),
    pending: platform => orElse(() => jobs.pending(platform), []),
    forgetUser: (platform, userId) => jobs.forgetUser(platform, userId),
  };
}
