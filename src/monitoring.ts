import type { Chats } from './chats.ts';
import type { Config } from './config.ts';
import type { Core } from './core.ts';
import { createTranslator } from './i18n/translate.ts';
import { createOverrides } from './infra/http/host-list.ts';
import type { Logger } from './infra/log.ts';
import { createReadiness, diskCheck, storeCheck } from './infra/readiness.ts';
import { createLeaseHolder, createRedisLease } from './infra/redis/redis-task-lease.ts';
import { type BrokenStrategy, canaryRecord, createCanary } from './probe/canary.ts';
import { createProbe } from './probe/probe-strategy.ts';

/** When a configured platform has been away for this long, the process reports itself as not ready. */
const AWAY_MS = 60_000;
/** A request that has waited this long while none was taken up shows that the queue is stuck. */
const STUCK_MS = 180_000;

/** How often the canary, which probes every site, runs when test servers stand in for the sites. */
const STAND_IN_INTERVAL_MS = 4_000;

type Status = Awaited<ReturnType<Chats['status']>>;

/** Health, metrics and messages to the people who host Medley. */
export function createMonitoring(config: Config, core: Core, chats: Chats, log: Logger) {
  const { storage, metrics, sources, http } = core;
  const t = createTranslator([]);
  const tellOwners = (text: string) => {
    chats.tellOwners(text).catch(error => log.warn({ err: error }, 'the owners were not told'));
  };
  core.watchAccounts(({ source, account, until }) => {
    tellOwners(t.messages.canary.accountPaused({ site: source, account, until: new Date(until).toISOString() }));
  });
  const { shared } = storage;
  // The canary warns owners by chat, and only workers surely have a chat platform, so only they run it.
  const canaryLease =
    config.canary && config.roles.has('worker') && shared !== undefined
      ? createLeaseHolder(createRedisLease({ redis: shared.redis, name: 'canary' }))
      : undefined;
  const canary = createCanary({
    sources,
    probe: createProbe({ http }),
    memory: storage.records.collection({ name: 'canary', schema: canaryRecord }),
    onBroken(broken) {
      const { source, strategy, cause } = broken;
      const since = new Date(broken.since).toISOString();
      log.warn({ source, strategy, cause, since }, 'a strategy that worked is broken');
      tellOwners(t.messages.canary.broken({ site: source, strategy, since, cause }));
    },
    onBack({ source, strategy, since }) {
      log.info({ source, strategy }, 'a strategy that was broken works again');
      tellOwners(t.messages.canary.back({ site: source, strategy, since: new Date(since).toISOString() }));
    },
    isOurs: () => shared === undefined || canaryLease?.isOurs() === true,
    log,
    ...(isStandIn(config, core) && { intervalMs: STAND_IN_INTERVAL_MS }),
  });
  const readiness = createReadiness({
    log,
    checks: [
      storeCheck(storage.records),
      diskCheck(config.dataDir),
      { name: 'platforms', check: () => whyAway(chats.platforms(), Date.now()) },
      // Only a worker knows whether waiting requests are run, so other processes do not check that.
      ...(config.roles.has('worker')
        ? [{ name: 'queue', check: async () => whyStuck(await chats.status(), Date.now()) }]
        : []),
      ...(core.calculator.version === undefined
        ? []
        : [{ name: 'calculator', isVital: false, check: () => core.calculator.trouble() }]),
      { name: 'canary', isVital: false, check: () => whatBroke(canary.broken()) },
    ],
  });
  metrics.watch({
    platforms: () => Object.fromEntries(chats.platforms().map(({ platform, state }) => [platform, !isAway(state)])),
    async queue() {
      const { waiting, running, oldestAt } = await chats.status();
      return { depth: { waiting, running }, oldestMs: oldestAt === undefined ? 0 : Date.now() - oldestAt };
    },
    async checks() {
      const { checks } = await readiness.report();
      return Object.fromEntries(checks.map(({ name, reason }) => [name, reason === undefined]));
    },
    refusingSites: () => Object.fromEntries(sources.map(({ id, isRefused }) => [id, isRefused?.() ?? false])),
    brokenStrategies: () => canary.broken().map(({ source, strategy }) => ({ source, strategy })),
  });

  return {
    readiness,
    start(): void {
      if (config.canary) canary.start();
    },
    stop: () => Promise.all([canary.stop(), canaryLease?.end()]),
  };
}

/** True when test servers stand in for all sites, as in the sandbox. */
function isStandIn({ upstreamOverrides }: Config, { descriptors }: Pick<Core, 'descriptors'>): boolean {
  const overrides = createOverrides(upstreamOverrides);
  return descriptors.every(({ example }) => overrides.find(new URL(example).hostname) !== undefined);
}

function isAway(state: Status['platforms'][number]['state']): boolean {
  return state === 'connecting' || state === 'away' || state === 'refused';
}

function whyAway(platforms: Status['platforms'], now: number): string | undefined {
  const away = platforms.filter(({ state, since }) => isAway(state) && now - since >= AWAY_MS);
  if (away.length === 0) return undefined;
  return away.map(({ platform, state, since }) => `${platform} is ${state} for ${seconds(now - since)} s.`).join(' ');
}

function whyStuck({ oldestAt, lastRunAt = 0 }: Status, now: number): string | undefined {
  if (oldestAt === undefined || now - oldestAt < STUCK_MS || now - lastRunAt < STUCK_MS) return undefined;
  return `The oldest request waits for ${seconds(now - oldestAt)} s, and none was taken up for that long.`;
}

function whatBroke(broken: readonly BrokenStrategy[]): string | undefined {
  if (broken.length === 0) return undefined;
  return broken
    .map(({ source, strategy, since }) => `${source} ${strategy} is broken since ${new Date(since).toISOString()}.`)
    .join(' ');
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
