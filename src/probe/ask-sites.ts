/** Tries each strategy of each source with a few posts. The strategies of one source run in turn, with pauses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { toAppError } from '../errors.ts';
import type { Overrides } from '../infra/http/host-list.ts';
import type { HttpClient } from '../infra/http/http-client.ts';
import type { Outgoing } from '../infra/http/outgoing.ts';
import { createLogger } from '../infra/log.ts';
import { createMemoryRateLimiter } from '../infra/rate-limit/rate-limit.ts';
import { type AccountPace, createAccounts } from '../media/extract/accounts.ts';
import { readCookies } from '../media/extract/cookies-file.ts';
import { openSite } from '../media/extract/site-breaker.ts';
import type { MediaSource, PostRef, Strategy } from '../media/extract/source.ts';
import type { SourceDescriptor } from '../media/extract/source-descriptor.ts';
import type { SourceId } from '../media/post.ts';
import { createYtDlpStrategy, findYtDlp } from '../media/sources/yt-dlp.ts';
import { createProbe, judgeFailure, type ProbeAnswer, type ProbeStrategy, refOfLink } from './probe-strategy.ts';

export interface AskSitesOptions extends Pick<AskOptions, 'links' | 'onAsk'> {
  readonly descriptors: readonly SourceDescriptor[];
  readonly upstreamConstants: Readonly<Record<string, string>>;
  readonly outgoing: Outgoing;
  readonly cookiesFiles: Readonly<Record<string, string | undefined>>;
  readonly accountPace: AccountPace;
  /** The PATH in which yt-dlp is searched for. */
  readonly searchPath: string;
  readonly overrides: Overrides;
  readonly http: HttpClient;
  /** The HTTP client for each source. Default `http`. */
  readonly clientOf?: (id: SourceId) => HttpClient;
}

/**
 * Asks the sites by all strategies that the running bot would use. This process remembers no failures of a strategy, so
 * none is left out because of them.
 * @returns the answers, and the cookies of all configured accounts, which must not appear in a recording
 */
export async function askSites(options: AskSitesOptions) {
  const { descriptors, upstreamConstants, outgoing, searchPath, overrides, http, clientOf = () => http } = options;
  const isStandIn = (hostname: string) => overrides.find(hostname) !== undefined;
  // yt-dlp cannot be directed to test servers that stand in for the sites, so it is only used with real sites.
  const isReal = !descriptors.some(({ example }) => isStandIn(new URL(example).hostname));
  const ytDlp = isReal ? await findYtDlp(searchPath, outgoing) : undefined;
  const log = createLogger({ level: 'silent' });
  const limiter = createMemoryRateLimiter();
  const sessions = await readCookies(options.cookiesFiles);

  function openSource(descriptor: SourceDescriptor) {
    const { id } = descriptor;
    const extraStrategies = ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, descriptor)];
    const accounts = createAccounts({
      source: id,
      sessions: sessions.get(id) ?? [],
      sessionCookie: descriptor.sessionCookie,
      pace: options.accountPace,
      limiter,
      log,
    });
    const own = { http: clientOf(id), log, accounts, upstreamConstants, extraStrategies };
    return openSite({
      descriptor,
      outgoing,
      limiter,
      log,
      create: cooldowns => descriptor.create({ ...own, cooldowns }),
    }).source;
  }

  const reports = await askStrategies({
    ...options,
    sources: descriptors.map(openSource),
    probe: createProbe({ http }),
    hasBrowserTransport: http.hasBrowserTransport,
    isStandIn,
  });
  return { reports, cookies: [...sessions.values()].flat().flatMap(({ cookies }) => cookies) };
}

export interface ProbeReport extends Omit<ProbeAnswer, 'durationMs'> {
  readonly source: string;
  readonly strategy: string;
  /** The number of the link in the list of links, from 1. */
  readonly link: number;
  readonly durationMs: number | null;
}

type Reason = 'browser' | 'account' | 'time' | 'pause' | 'other';

export interface SourceReport {
  readonly source: string;
  /** The addresses of the requested posts, in order. */
  readonly links: readonly string[];
  readonly reports: readonly ProbeReport[];
  /** Strategies without a verdict, by what was missing (browser, account, time) or by a limit that stopped them. */
  readonly unjudged: Readonly<Record<Reason, readonly string[]>>;
}

export interface AskOptions {
  readonly sources: readonly MediaSource[];
  /** Links of posts. Each source is asked for the links of its own site, or for its examples if the list is empty. */
  readonly links: readonly string[];
  readonly probe: ProbeStrategy;
  readonly hasBrowserTransport: boolean;
  /** True for a host whose requests go to a test server on this machine, which needs no pauses. */
  readonly isStandIn: (hostname: string) => boolean;
  /** The pause between two requests to a site, in milliseconds. Default 2 000. */
  readonly pauseMs?: number;
  /** Milliseconds for all requests; a strategy without an answer by then counts as not asked. Default 240 000. */
  readonly totalMs?: number;
  /** Called before each strategy is run. */
  readonly onAsk?: (source: string, strategy: string, link: number) => void;
}

/** Asks all sources at once, and the strategies of each in order. Never rejects: failures are in the report. */
export async function askStrategies(options: AskOptions): Promise<readonly SourceReport[]> {
  const signal = AbortSignal.timeout(options.totalMs ?? 240_000);
  return Promise.all(options.sources.map(source => askSource(source, options, signal)));
}

async function askSource(source: MediaSource, options: AskOptions, signal: AbortSignal): Promise<SourceReport> {
  const { probe, hasBrowserTransport, isStandIn, pauseMs = 2_000, onAsk } = options;
  const reports: ProbeReport[] = [];
  const links: string[] = [];
  let isFirst = true;

  async function askFor(ref: PostRef, link: number): Promise<void> {
    for (const strategy of source.strategies.filter(one => one.isAvailable(ref))) {
      if (!isFirst && !isStandIn(new URL(ref.url).hostname)) await sleep(pauseMs, undefined, { signal });
      isFirst = false;
      onAsk?.(source.id, strategy.name, link);
      const answer = await probe(strategy, ref, signal);
      reports.push({ source: source.id, strategy: strategy.name, link, ...answer });
    }
  }

  async function askForLink(link: string): Promise<void> {
    const ref = await refOfLink(source, link, signal).catch(error => {
      signal.throwIfAborted();
      const failure = toAppError(error);
      const about = { source: source.id, strategy: 'short link', link: links.push(link) };
      reports.push({ ...about, ...judgeFailure(failure, failure.code), durationMs: null });
    });
    if (ref) await askFor(ref, links.push(ref.url));
  }

  try {
    for (const link of options.links.length === 0 ? source.examples : options.links) await askForLink(link);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const judged = new Set(reports.filter(({ verdict }) => verdict !== 'skipped').map(({ strategy }) => strategy));
  const unjudged: Record<Reason, string[]> = { browser: [], account: [], time: [], pause: [], other: [] };
  for (const strategy of source.strategies.filter(({ name }) => !judged.has(name))) {
    const isPaused = reports.some(report => report.strategy === strategy.name);
    const missing = missingFor(strategy, hasBrowserTransport);
    unjudged[isPaused ? 'pause' : (missing ?? (signal.aborted ? 'time' : 'other'))].push(strategy.name);
  }
  return { source: source.id, links, reports, unjudged };
}

/** Why a strategy may not have been asked: the browser transport is missing, or an account's cookies are. */
function missingFor({ profile }: Strategy, hasBrowserTransport: boolean): 'browser' | 'account' | undefined {
  if (profile?.transport === 'browser' && !hasBrowserTransport) return 'browser';
  return profile?.session === 'account' ? 'account' : undefined;
}
