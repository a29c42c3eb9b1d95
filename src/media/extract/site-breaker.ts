import { AppError } from '../../errors.ts';
import { abortable } from '../../infra/concurrency/abortable.ts';
import { actFor, actingClient, withContext, workContext } from '../../infra/concurrency/running-work.ts';
import type { Outgoing, OutgoingAddress } from '../../infra/http/outgoing.ts';
import type { Logger } from '../../infra/log.ts';
import type { RateLimiter } from '../../infra/rate-limit/rate-limit.ts';
import type { Post } from '../post.ts';
import { askEndpoint, type CooldownOptions, type Cooldowns, createCooldowns } from './cooldowns.ts';
import { parseAddress } from './find-addresses.ts';
import { failuresOf, isRefusal, isSilent, isWithdrawn, notAsked, refusesCaller, siteIsSilent } from './refusal.ts';
import type { FetchContext, MediaSource, PostRef, Strategy } from './source.ts';
import type { SourceDescriptor } from './source-descriptor.ts';

export interface SiteOptions {
  /** The source, with a known public post, which is fetched to test whether the site refuses Medley. */
  readonly descriptor: Pick<SourceDescriptor, 'id' | 'name' | 'example'>;
  readonly outgoing: Pick<Outgoing, 'ofSource' | 'choose'>;
  /** A limiter shared by all processes that share `collection`. */
  readonly limiter: RateLimiter;
  readonly collection?: CooldownOptions['collection'];
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now?: () => number;
  /** @param cooldowns the cooldowns of the outgoing address that is in use */
  create(cooldowns: Cooldowns): MediaSource;
}

/** A refused outgoing address is tried again this often. */
const RETURN_EVERY_MS = 10 * 60_000;
const EXAMPLE_MS = 20_000;
/** The breaker opens when this many clients were refused. Fewer clients may only have asked for private posts. */
const REFUSED_CLIENTS = 3;
const REFUSALS_COUNT_MS = 2 * 60_000;
/** While the breaker is open, all processes together make one request in this time. */
const PROBE = { name: 'site-probes', limit: 1, windowMs: 5_000, window: 'first' } as const;
/** All short links of a site share one cooldown, as if they were one endpoint with this name. */
const SHORT_LINKS = { name: 'short-link' };
/** An open breaker closes by itself after this long, even if no answer of the site has closed it. */
const OPEN_MS = 24 * 3_600_000;

/** A source that uses one outgoing address until the site refuses it, and then the next. */
export function openSite(options: SiteOptions) {
  const { descriptor, outgoing, collection, log, now = Date.now } = options;
  const { id } = descriptor;
  const breakers = outgoing.ofSource(id).map(address => {
    const cooldowns = createCooldowns({ source: id, outgoing: address.name, log, now, collection });
    return new SiteBreaker(address, cooldowns, { ...options, now });
  });
  const [first] = breakers;
  if (first === undefined) throw new Error(`there is no address to ask ${id} by`);
  let current = first;
  const ofWork = () => breakers.find(({ address }) => address.name === workContext().outgoing) ?? current;
  const source = options.create(breakers.length === 1 ? first.cooldowns : cooldownsOf(() => ofWork().cooldowns));
  for (const breaker of breakers) breaker.source = source;

  /** Chooses an outgoing address. If the site refuses all, they are used in turn, as rarely as their breakers allow. */
  async function choose(): Promise<SiteBreaker> {
    if (breakers.length === 1) return current;
    await Promise.all(breakers.map(({ cooldowns }) => cooldowns.refresh()));
    if (current.isOpen()) leave(current);
    for (const breaker of breakers) if (breaker !== current && breaker.isOpen()) tryAgain(breaker);
    return current;
  }

  function leave(left: SiteBreaker): void {
    const next = breakers.find(one => !one.isOpen()) ?? breakers[(breakers.indexOf(left) + 1) % breakers.length];
    left.triedAt = now();
    if (next === undefined) return;
    if (!next.isOpen())
      log.warn({ source: id, left: left.address.name, by: next.address.name }, 'a site is asked by another address');
    current = next;
    outgoing.choose(id, next.address);
  }

  function tryAgain(breaker: SiteBreaker): void {
    breaker.triedAt ??= now();
    const ref = exampleOf(source, descriptor);
    if (ref === undefined || now() - breaker.triedAt < RETURN_EVERY_MS) return;
    breaker.triedAt = now();
    actFor('', () => breaker.fetch(ref, { signal: AbortSignal.timeout(EXAMPLE_MS) })).catch(error =>
      log.info({ source: id, by: breaker.address.name, err: error }, 'a site still refuses the address that was left'),
    );
  }

  const guarded: MediaSource = {
    ...source,
    isRefused: () => breakers.every(breaker => breaker.isOpen()),
    resolveShort: async (url, context) => (await choose()).resolveShort(url, context),
    // A single file is fetched from the CDN, so its result says nothing about the site.
    fetch: async (ref, context) =>
      ref.form === 'file' ? source.fetch(ref, context) : (await choose()).fetch(ref, context),
    strategies: source.strategies.map(strategy => ({
      ...strategy,
      run: async (ref, signal) => (await choose()).runAlone(strategy, ref, signal),
    })),
  };
  /** `close` waits until all cooldowns of the site are stored. */
  return { source: guarded, close: () => Promise.all(breakers.map(({ cooldowns }) => cooldowns.close())) };
}

/**
 * One outgoing address to a site, and its breaker. The breaker opens when the site refuses several clients and then
 * also a known public post. While it is open, all clients together may make one request in five seconds; other requests
 * fail at once. The first answer closes it. A strategy that a probe runs alone obeys the breaker and the cooldowns too.
 */
class SiteBreaker {
  readonly address: OutgoingAddress;
  readonly cooldowns: Cooldowns;
  /** When this address was last left because the site refused it, or tried again after that. */
  triedAt: number | undefined;
  source: MediaSource | undefined;
  readonly #options: SiteOptions & { readonly now: () => number };
  /** The time of each client's last refusal, by client. */
  readonly #refusals = new Map<string, number>();
  /** Set while a known public post is fetched to test the site; new requests wait for the result. */
  #check: Promise<void> | undefined;

  constructor(address: OutgoingAddress, cooldowns: Cooldowns, options: SiteOptions & { readonly now: () => number }) {
    this.address = address;
    this.cooldowns = cooldowns;
    this.#options = options;
  }

  isOpen(): boolean {
    return this.cooldowns.until('site') > this.#options.now();
  }

  resolveShort(url: string, context: FetchContext): Promise<string> {
    return this.#guarded(context, isRefusal, (source, isSingle) => {
      const resolve = () => source.resolveShort(url, { ...context, isSingle });
      return askEndpoint(this.cooldowns, SHORT_LINKS, resolve, this.#options.now);
    });
  }

  fetch(ref: PostRef, context: FetchContext): Promise<Post> {
    return this.#guarded(context, refusesCaller, (source, isSingle) => source.fetch(ref, { ...context, isSingle }));
  }

  runAlone(strategy: Strategy, ref: PostRef, signal: AbortSignal): Promise<Post> {
    return withContext({ outgoing: this.address.name }, async () => {
      await this.#admit(signal).catch(error => {
        throw error instanceof AppError ? notAsked(error.retryAfterMs ?? PROBE.windowMs) : error;
      });
      const post = await askEndpoint(this.cooldowns, strategy, () => strategy.run(ref, signal), this.#options.now);
      this.#noteAnswer();
      return post;
    });
  }

  #guarded<T>(
    { signal }: FetchContext,
    isRefused: (error: AppError) => boolean,
    ask: (source: MediaSource, isSingle: boolean) => Promise<T>,
  ): Promise<T> {
    return withContext({ outgoing: this.address.name }, async () => {
      if (this.source === undefined) throw new AppError('internal', 'the site is not open yet');
      const isSingle = await this.#admit(signal);
      try {
        const answer = await ask(this.source, isSingle);
        this.#noteAnswer();
        return answer;
      } catch (error) {
        throw signal.aborted ? error : this.#judge(error, isSingle, isRefused);
      }
    });
  }

  /**
   * Checks whether the site may be asked. Returns true when only one strategy may run, because the breaker is open.
   * @throws AppError when the site must not be asked now
   */
  async #admit(signal: AbortSignal): Promise<boolean> {
    const { descriptor, limiter, now } = this.#options;
    if (this.#check !== undefined) await abortable(this.#check, signal);
    await this.cooldowns.refresh();
    if (!this.isOpen()) return false;
    const { allowed, resetAt } = await limiter.consume(PROBE, `${descriptor.id} ${this.address.name}`);
    if (allowed) return true;
    throw siteIsSilent(descriptor.name, Math.min(Math.max(1_000, resetAt - now()), PROBE.windowMs));
  }

  /** Learns about the site from the failure, and returns the failure to show to people. */
  #judge(error: unknown, isSingle: boolean, isRefused: (error: AppError) => boolean): unknown {
    const { name } = this.#options.descriptor;
    if (!(error instanceof AppError)) return error;
    if (isSilent(error)) return siteIsSilent(name, error.retryAfterMs, error);
    if (isWithdrawn(error) && failuresOf(error).length === 0) this.#noteAnswer();
    else if (isSingle) return siteIsSilent(name, PROBE.windowMs, error);
    else if (isRefused(error)) this.#noteRefusal();
    return error;
  }

  #noteAnswer(): void {
    this.#refusals.clear();
    if (!this.isOpen()) return;
    this.cooldowns.clear('site');
    const { log, descriptor } = this.#options;
    log.info({ source: descriptor.id, outgoing: this.address.name }, 'the site answers again');
  }

  #noteRefusal(): void {
    const { descriptor, log, now } = this.#options;
    for (const [client, at] of this.#refusals) if (now() - at > REFUSALS_COUNT_MS) this.#refusals.delete(client);
    this.#refusals.set(actingClient(), now());
    if (this.#refusals.size < REFUSED_CLIENTS || this.#check !== undefined) return;
    this.#check = actFor('', () => this.#askForExample())
      .catch(error => log.warn({ source: descriptor.id, err: error }, 'the public example could not be asked for'))
      .finally(() => {
        this.#check = undefined;
      });
  }

  async #askForExample(): Promise<void> {
    const { descriptor, log, now } = this.#options;
    const ref = this.source && exampleOf(this.source, descriptor);
    try {
      if (ref !== undefined) await this.source?.fetch(ref, { signal: AbortSignal.timeout(EXAMPLE_MS) });
      this.#noteAnswer();
    } catch (error) {
      this.#refusals.clear();
      if (!(error instanceof AppError && refusesCaller(error))) throw error;
      // The cooldown only marks the breaker as open, for all processes; `#admit` lets a request through every 5 s.
      this.cooldowns.set('site', now() + OPEN_MS);
      const about = { source: descriptor.id, outgoing: this.address.name, err: error };
      log.warn(about, 'the site refuses this address: it is asked once in 5 s');
    }
  }
}

/** The reference of the site's known public post. */
function exampleOf(source: MediaSource, { example }: Pick<SourceDescriptor, 'example'>): PostRef | undefined {
  const address = parseAddress(example);
  const match = address && source.match(address);
  return match?.kind === 'post' ? match.ref : undefined;
}

/** The cooldowns of the outgoing address that is in use at the time of each call. */
function cooldownsOf(current: () => Cooldowns): Cooldowns {
  return {
    refresh: () => current().refresh(),
    until: name => current().until(name),
    times: name => current().times(name),
    set: (name, until) => current().set(name, until),
    coolDown: name => current().coolDown(name),
    clear: name => current().clear(name),
    close: () => current().close(),
  };
}
