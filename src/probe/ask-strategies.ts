/** Asks every strategy of every source for a few posts, one after the other, without haste. */
import { setTimeout as sleep } from 'node:timers/promises';
import { toAppError } from '../errors.ts';
import type { MediaSource, PostRef, Strategy } from '../media/extract/source.ts';
import { refOfLink } from './link-ref.ts';
import { judgeFailure, type ProbeAnswer, type ProbeStrategy } from './probe-strategy.ts';

export interface StrategyReport extends Omit<ProbeAnswer, 'durationMs'> {
  readonly source: string;
  readonly strategy: string;
  /** The link's place in the list, from 1. */
  readonly link: number;
  readonly durationMs: number | null;
}

type Reason = 'browser' | 'account' | 'time' | 'pause' | 'other';

export interface SourceReport {
  readonly source: string;
  /** Addresses that were asked for, in order. */
  readonly links: readonly string[];
  readonly reports: readonly StrategyReport[];
  /** Strategies of which nothing can be said: for want of something or of time, as the site wants a pause, or as they are for other links. */
  readonly unjudged: Readonly<Record<Reason, readonly string[]>>;
}

export interface AskOptions {
  readonly sources: readonly MediaSource[];
  /** Each source passes over those of others. None: each source's own examples. */
  readonly links: readonly string[];
  readonly probe: ProbeStrategy;
  readonly hasBrowserTransport: boolean;
  /** Whether a host is asked elsewhere: stand-ins on this machine need no pause. */
  readonly isStandIn: (hostname: string) => boolean;
  /** Between two questions to one site. Default 2 000. */
  readonly pauseMs?: number;
  /** For all; what is under way then counts as not asked. Default 240 000. */
  readonly totalMs?: number;
  /** Before each question. */
  readonly onAsk?: (source: string, strategy: string, link: number) => void;
}

/** All sources beside each other, the strategies of one in turn. Never rejects: what fails is reported. */
export async function askStrategies(options: AskOptions): Promise<readonly SourceReport[]> {
  const signal = AbortSignal.timeout(options.totalMs ?? 240_000);
  return Promise.all(options.sources.map(source => askSource(source, options, signal)));
}

async function askSource(source: MediaSource, options: AskOptions, signal: AbortSignal): Promise<SourceReport> {
  const { probe, hasBrowserTransport, isStandIn, pauseMs = 2_000, onAsk } = options;
  const reports: StrategyReport[] = [];
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

/** What keeps a strategy from being asked here at all, for whatever post. */
function missingFor({ profile }: Strategy, hasBrowserTransport: boolean): 'browser' | 'account' | undefined {
  if (profile?.transport === 'browser' && !hasBrowserTransport) return 'browser';
  return profile?.session === 'account' ? 'account' : undefined;
}
