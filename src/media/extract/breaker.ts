import { AppError, type ErrorCode } from '../../errors.ts';
import { actFor, actingClient } from '../../infra/concurrency/client-context.ts';
import type { Logger } from '../../infra/log.ts';
import type { RateLimiter } from '../../infra/rate-limit/rate-limit.ts';
import type { Post } from '../post.ts';
import { parseAddress } from './address.ts';
import { askEndpoint, type SiteState } from './site-state.ts';
import type { FetchContext, MediaSource, PostRef, SourceStrategy } from './source.ts';
import type { SourceDescriptor } from './source-descriptor.ts';
import { isLimit, isOfOurs, isSilent, isWithdrawn, notAsked, siteIsSilent } from './strategy-failures.ts';

export interface BreakerOptions {
  readonly source: MediaSource;
  /** Asked for its public example before anyone is told that the site refuses us. */
  readonly descriptor: Pick<SourceDescriptor, 'name' | 'example'>;
  readonly site: SiteState;
  /** Shared by those who share `site`. */
  readonly limiter: RateLimiter;
  /** By which address the site sees us. Default `direct`. */
  readonly outgoing?: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now?: () => number;
}

/** So many chats or addresses must have met nothing but refusals: the private posts of one person prove nothing. */
const REFUSED_CLIENTS = 3;
const REFUSALS_COUNT_MS = 2 * 60_000;
const EXAMPLE_MS = 20_000;
/** One question in this time, of all processes together. */
const PROBE = { name: 'site-probes', limit: 1, windowMs: 5_000, window: 'first' } as const;
/** Without a question for so long it is forgotten. */
const OPEN_MS = 24 * 3_600_000;

/** What may be due to who asks. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['login_required', 'upstream_rate_limited', 'timeout']);

function isRefusal(error: AppError): boolean {
  return !isOfOurs(error) && (REFUSALS.has(error.code) || isLimit(error));
}

/** Every failure of a fetch that all strategies failed; none where one said for certain why there is no post. */
function failuresOf({ cause }: AppError): readonly AppError[] {
  const errors: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  return errors.flatMap(error => (error instanceof AppError && !isOfOurs(error) ? [error] : []));
}

/** Whether those who asked were refused, rather than the post kept from them: by most of what was asked. */
function refusesCaller(error: AppError): boolean {
  const failures = failuresOf(error);
  const refusals = failures.filter(isRefusal);
  return refusals.length > 0 && 2 * refusals.length >= failures.length;
}

/** The site's known public post. */
export function exampleOf(source: MediaSource, { example }: BreakerOptions['descriptor']): PostRef | undefined {
  const address = parseAddress(example);
  const match = address && source.match(address);
  return match?.kind === 'post' ? match.ref : undefined;
}

/**
 * The same source, asked once in five seconds in all while its site refuses us; everyone else is told so at once. That begins when
 * several clients and the site's public example met nothing but refusals, and the first answer ends it. Those who ask by `strategies`,
 * one by one, are bound by it too, and by what the site wants left alone.
 */
export function withBreaker(options: BreakerOptions): MediaSource {
  const { source, descriptor, site, limiter, outgoing = 'direct', log, now = Date.now } = options;
  /** When each client was last refused. */
  const refusals = new Map<string, number>();
  let isChecking = false;

  const isOpen = () => site.until('site') > now();
  const silent = (waitMs: number | undefined, cause?: AppError) => siteIsSilent(descriptor.name, waitMs, cause);

  /** Whether to ask as always, or once. @throws AppError when it is not to be asked */
  async function admit(): Promise<'freely' | 'once'> {
    await site.refresh();
    if (!isOpen()) return 'freely';
    const { allowed, resetAt } = await limiter.consume(PROBE, `${source.id} ${outgoing}`);
    if (allowed) return 'once';
    throw silent(Math.min(Math.max(1_000, resetAt - now()), PROBE.windowMs));
  }

  function noteAnswer(): void {
    refusals.clear();
    if (!isOpen()) return;
    site.clear('site');
    log.info({ source: source.id, outgoing }, 'the site answers again');
  }

  function noteRefusal(): void {
    for (const [client, at] of refusals) if (now() - at > REFUSALS_COUNT_MS) refusals.delete(client);
    refusals.set(actingClient(), now());
    if (refusals.size < REFUSED_CLIENTS || isChecking) return;
    isChecking = true;
    actFor('', askForExample)
      .catch(error => log.warn({ source: source.id, err: error }, 'the public example could not be asked for'))
      .finally(() => {
        isChecking = false;
      });
  }

  async function askForExample(): Promise<void> {
    const ref = exampleOf(source, descriptor);
    try {
      if (ref !== undefined) await source.fetch(ref, { signal: AbortSignal.timeout(EXAMPLE_MS) });
      noteAnswer();
    } catch (error) {
      refusals.clear();
      if (!(error instanceof AppError && refusesCaller(error))) throw error;
      site.set('site', now() + OPEN_MS);
      log.warn({ source: source.id, outgoing, err: error }, 'the site refuses this address: it is asked once in 5 s');
    }
  }

  /** What a failure tells of the site, and what it is to the person who asked. */
  function judge(error: unknown, how: 'freely' | 'once', isRefused: (error: AppError) => boolean): unknown {
    if (!(error instanceof AppError)) return error;
    if (isSilent(error)) return silent(error.retryAfterMs, error);
    if (isWithdrawn(error) && failuresOf(error).length === 0) noteAnswer();
    else if (how === 'once') return silent(PROBE.windowMs, error);
    else if (isRefused(error)) noteRefusal();
    return error;
  }

  async function guarded<T>(
    { signal }: FetchContext,
    isRefused: (error: AppError) => boolean,
    ask: (how: 'freely' | 'once') => Promise<T>,
  ): Promise<T> {
    const how = await admit();
    try {
      const answer = await ask(how);
      noteAnswer();
      return answer;
    } catch (error) {
      throw signal.aborted ? error : judge(error, how, isRefused);
    }
  }

  async function runAlone(strategy: SourceStrategy, ref: PostRef, signal: AbortSignal): Promise<Post> {
    await admit().catch(error => {
      throw error instanceof AppError ? notAsked(error.retryAfterMs ?? PROBE.windowMs) : error;
    });
    const post = await askEndpoint(site, strategy, ref, signal, now);
    noteAnswer();
    return post;
  }

  return {
    ...source,
    resolveShort: (url, context) => guarded(context, isRefusal, () => source.resolveShort(url, context)),
    fetch: (ref, context) =>
      guarded(context, refusesCaller, how => source.fetch(ref, { ...context, isSingle: how === 'once' })),
    strategies: source.strategies.map(strategy => ({
      ...strategy,
      run: (ref, signal) => runAlone(strategy, ref, signal),
    })),
  };
}
