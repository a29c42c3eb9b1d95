/** Asks every strategy of every source for a few posts, one after the other, without haste. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type ErrorCode } from '../errors.ts';
import { parseAddress } from '../media/extract/address.ts';
import type { MediaSource, PostRef, SourceStrategy } from '../media/extract/source.ts';
import { type Post, playableVariants } from '../media/post.ts';

export interface StrategyReport {
  readonly source: string;
  readonly strategy: string;
  /** The link's place in the list, from 1. */
  readonly link: number;
  readonly outcome: ErrorCode | 'ok' | 'incomplete';
  readonly durationMs: number | null;
  /** What came back, or why nothing did: one line. */
  readonly detail: string;
}

export interface SourceReport {
  readonly source: string;
  /** Addresses that were asked for, in order. */
  readonly links: readonly string[];
  readonly reports: readonly StrategyReport[];
  /** Strategies that were not asked: for want of something, for want of time, or as they are for other links. */
  readonly unasked: Readonly<Record<'browser' | 'account' | 'time' | 'other', readonly string[]>>;
}

export interface AskOptions {
  readonly source: MediaSource;
  /** Those of other sources are passed over. None: the source's own examples. */
  readonly links?: readonly string[];
  readonly hasBrowserTransport: boolean;
  /** Between two questions. */
  readonly pauseMs: number;
  /** For one question. Default 12 000. */
  readonly timeoutMs?: number;
  /** Ends all; what is under way counts as not asked. */
  readonly signal: AbortSignal;
  /** Before each question. */
  readonly onAsk?: (strategy: string, link: number) => void;
}

const MAX_SHORT_LINKS = 2;

/** The post that a link names, short links followed; null when it is none of this source's. */
async function refOfLink(source: MediaSource, link: string, signal: AbortSignal): Promise<PostRef | null> {
  let text = link;
  for (let hop = 0; hop <= MAX_SHORT_LINKS; hop += 1) {
    const address = parseAddress(text);
    const match = address === undefined ? undefined : source.match(address);
    if (match === undefined || match.kind === 'unsupported') return null;
    if (match.kind === 'post' || match.kind === 'story') return match.ref;
    text = match.kind === 'wrapper' ? match.target : await source.resolveShort(match.url, { signal });
  }
  return null;
}

/** `2 images and 1 video up to 1080x1920`. */
function describePost({ items, missingItems }: Post): string {
  const counts = (['image', 'video', 'audio'] as const)
    .map(kind => [items.filter(item => item.kind === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}${count > 1 ? 's' : ''}`);
  const sizes = items
    .flatMap(item => playableVariants(item))
    .flatMap(({ width, height }) => (width === null || height === null ? [] : [[width, height] as const]))
    .sort(([a, b], [c, d]) => c * d - a * b);
  const [largest] = sizes;
  const size = largest === undefined ? '' : ` up to ${largest[0]}x${largest[1]}`;
  return `${counts.join(' and ')}${size}${missingItems > 0 ? `, ${missingItems} missing` : ''}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 160);
}

/** @throws the signal's reason */
async function askOne(strategy: SourceStrategy, ref: PostRef, { signal, timeoutMs = 12_000 }: AskOptions) {
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const post = await strategy.run(ref, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    const isWhole = post.items.length > 0 && post.missingItems === 0;
    return { outcome: isWhole ? 'ok' : 'incomplete', durationMs: took(), detail: describePost(post) } as const;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const outcome = error instanceof AppError ? error.code : isLate ? 'timeout' : 'internal';
    const detail = oneLine(error instanceof Error ? error.message : String(error));
    return { outcome, durationMs: took(), detail } as const;
  }
}

/** What keeps a strategy from being asked here at all. */
function needOf({ profile }: SourceStrategy, hasBrowserTransport: boolean): 'browser' | 'account' | 'other' {
  if (profile?.transport === 'browser' && !hasBrowserTransport) return 'browser';
  return profile?.session === 'account' ? 'account' : 'other';
}

/** Never rejects: what fails is reported. */
export async function askStrategies(options: AskOptions): Promise<SourceReport> {
  const { source, hasBrowserTransport, pauseMs, signal, onAsk } = options;
  const reports: StrategyReport[] = [];
  const links: string[] = [];
  let isFirst = true;

  async function askFor(ref: PostRef, link: number): Promise<void> {
    for (const strategy of source.strategies.filter(one => one.isAvailable(ref))) {
      if (!isFirst) await sleep(pauseMs, undefined, { signal });
      isFirst = false;
      onAsk?.(strategy.name, link);
      const answer = await askOne(strategy, ref, options);
      reports.push({ source: source.id, strategy: strategy.name, link, ...answer });
    }
  }

  async function askForLink(link: string): Promise<void> {
    try {
      const ref = await refOfLink(source, link, signal);
      if (ref === null) return;
      links.push(ref.url);
      await askFor(ref, links.length);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      links.push(link);
      const outcome = error instanceof AppError ? error.code : 'internal';
      const detail = oneLine(error instanceof Error ? error.message : String(error));
      reports.push({
        source: source.id,
        strategy: 'short link',
        link: links.length,
        outcome,
        durationMs: null,
        detail,
      });
    }
  }

  const wanted = options.links === undefined || options.links.length === 0 ? source.examples : options.links;
  try {
    for (const link of wanted) await askForLink(link);
  } catch (error) {
    if (!signal.aborted) throw error;
  }

  const asked = new Set(reports.map(report => report.strategy));
  const unasked: Record<keyof SourceReport['unasked'], string[]> = { browser: [], account: [], time: [], other: [] };
  for (const strategy of source.strategies.filter(({ name }) => !asked.has(name))) {
    const need = needOf(strategy, hasBrowserTransport);
    unasked[need === 'other' && signal.aborted ? 'time' : need].push(strategy.name);
  }
  return { source: source.id, links, reports, unasked };
}
