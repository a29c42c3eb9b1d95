import type { HttpClient } from '../infra/http/http-client.ts';
import type { Overrides } from '../infra/http/overrides.ts';
import type { MediaSource } from '../media/extract/source.ts';
import { askStrategies, type SourceReport } from './ask-strategies.ts';

export interface LiveCheck {
  readonly sources: readonly MediaSource[];
  /** None: each source's own examples. */
  readonly links: readonly string[];
  readonly http: HttpClient;
  readonly overrides: Overrides;
  readonly onAsk?: (source: string, strategy: string, link: number) => void;
}

/** Between two questions to one site. */
const PAUSE_MS = 2_000;
const TOTAL_MS = 240_000;

/** Stand-ins on this machine need no patience. */
function pauseFor(source: MediaSource, links: readonly string[], overrides: Overrides): number {
  const known = [...links, ...source.examples].filter(link => URL.canParse(link)).map(link => new URL(link));
  const own = known.find(address => source.match(address) !== undefined);
  return own !== undefined && overrides.find(own.hostname) !== undefined ? 0 : PAUSE_MS;
}

/** All sources beside each other, the strategies of one in turn, within four minutes. */
export async function checkLive(check: LiveCheck): Promise<readonly SourceReport[]> {
  const { sources, links, http, overrides, onAsk } = check;
  const signal = AbortSignal.timeout(TOTAL_MS);
  return Promise.all(
    sources.map(source =>
      askStrategies({
        source,
        links,
        hasBrowserTransport: http.hasBrowserTransport,
        pauseMs: pauseFor(source, links, overrides),
        signal,
        ...(onAsk === undefined ? {} : { onAsk: (strategy: string, link: number) => onAsk(source.id, strategy, link) }),
      }),
    ),
  );
}
