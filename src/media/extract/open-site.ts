import { actFor } from '../../infra/concurrency/client-context.ts';
import { workContext } from '../../infra/concurrency/work-context.ts';
import { goBy, type Outgoing, type OutgoingAddress } from '../../infra/http/outgoing.ts';
import { type BreakerOptions, exampleOf, withBreaker } from './breaker.ts';
import { createSiteState, type SiteState, type SiteStateOptions } from './site-state.ts';
import type { MediaSource } from './source.ts';
import type { SourceDescriptor } from './source-descriptor.ts';

export interface OpenSiteOptions {
  readonly descriptor: Pick<SourceDescriptor, 'id' | 'name' | 'example'>;
  readonly outgoing: Pick<Outgoing, 'ofSource' | 'choose'>;
  readonly limiter: BreakerOptions['limiter'];
  readonly collection?: NonNullable<SiteStateOptions['collection']>;
  readonly log: BreakerOptions['log'];
  readonly now?: () => number;
  /** @param site what is to be left alone by the address that the running work goes by */
  create(site: SiteState): MediaSource;
}

export interface Site {
  readonly source: MediaSource;
  /** Waits until all that is known of it is kept. */
  close(): Promise<void>;
}

/** How often an address that was left is tried again. */
const RETURN_EVERY_MS = 10 * 60_000;
const EXAMPLE_MS = 20_000;

/** One address to ask the site by, and what the site wants left alone there. */
interface Access {
  readonly address: OutgoingAddress;
  readonly state: SiteState;
  /** When it was left, or tried since. */
  triedAt: number | undefined;
}

/** A source that is asked by one outgoing address until its site refuses that, and then by the next. */
export function openSite(options: OpenSiteOptions): Site {
  const { descriptor, outgoing, limiter, collection, log, now = Date.now } = options;
  const { id } = descriptor;
  const open = (address: OutgoingAddress): Access => {
    const shared = collection === undefined ? {} : { collection };
    const state = createSiteState({ source: id, outgoing: address.name, log, now, ...shared });
    return { address, state, triedAt: undefined };
  };
  const [first, ...others] = outgoing.ofSource(id);
  let current = open(first);
  const accesses: readonly Access[] = [current, ...others.map(open)];

  const ofWork = () => accesses.find(({ address }) => address.name === workContext().outgoing) ?? current;
  const source = options.create(createStateOf(() => ofWork().state));
  const guarded = new Map(
    accesses.map(access => {
      const { address, state } = access;
      return [access, withBreaker({ source, descriptor, site: state, limiter, outgoing: address.name, log, now })];
    }),
  );
  const isRefused = ({ state }: Access) => state.until('site') > now();

  function ask<T>(access: Access, work: (source: MediaSource) => Promise<T>): Promise<T> {
    return goBy(access.address, () => work(guarded.get(access) ?? source));
  }

  /** Where all are refused each is asked in turn, as rarely as its breaker lets it. */
  async function choose(): Promise<Access> {
    if (others.length === 0) return current;
    await Promise.all(accesses.map(({ state }) => state.refresh()));
    if (isRefused(current)) leave(current);
    for (const access of accesses) if (access !== current && isRefused(access)) tryAgain(access);
    return current;
  }

  function leave(left: Access): void {
    const next = accesses.find(one => !isRefused(one)) ?? accesses[(accesses.indexOf(left) + 1) % accesses.length];
    left.triedAt ??= now();
    if (next === undefined) return;
    if (!isRefused(next))
      log.warn({ source: id, left: left.address.name, by: next.address.name }, 'a site is asked by another address');
    current = next;
    outgoing.choose(id, next.address);
  }

  function tryAgain(access: Access): void {
    access.triedAt ??= now();
    const ref = exampleOf(source, descriptor);
    if (ref === undefined || now() - access.triedAt < RETURN_EVERY_MS) return;
    access.triedAt = now();
    const context = { signal: AbortSignal.timeout(EXAMPLE_MS) };
    actFor('', () => ask(access, one => one.fetch(ref, context))).catch(error =>
      log.info({ source: id, by: access.address.name, err: error }, 'a site still refuses the address that was left'),
    );
  }

  return {
    source: {
      ...source,
      resolveShort: async (url, context) => ask(await choose(), one => one.resolveShort(url, context)),
      fetch: async (ref, context) => ask(await choose(), one => one.fetch(ref, context)),
      strategies: source.strategies.map((strategy, index) => ({
        ...strategy,
        run: async (ref, signal) => ask(await choose(), one => (one.strategies[index] ?? strategy).run(ref, signal)),
      })),
    },
    async close() {
      await Promise.all(accesses.map(({ state }) => state.close()));
    },
  };
}

function createStateOf(current: () => SiteState): SiteState {
  return {
    refresh: () => current().refresh(),
    until: name => current().until(name),
    times: name => current().times(name),
    set: (name, until) => current().set(name, until),
    clear: name => current().clear(name),
    close: () => current().close(),
  };
}
