import type { ErrorCode } from '../../errors.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { AuthorPage, SourceId } from '../post.ts';
import type { Accounts } from './accounts.ts';
import type { Cooldowns } from './cooldowns.ts';
import type { MediaSource, Strategy } from './source.ts';

export interface SourceOptions {
  readonly http: HttpClient;
  readonly log: Logger;
  /** Configured constants of all sources; each source reads the keys that begin with its id: `toy.queryId`. */
  readonly upstreamConstants?: Readonly<Record<string, string>>;
  /** The operator's accounts on this site. */
  readonly accounts?: Accounts | undefined;
  /** Strategies that are asked after all others, such as yt-dlp. */
  readonly extraStrategies?: readonly Strategy[];
  /** The cooldowns of the site's endpoints and strategies. By default the source keeps its own. */
  readonly cooldowns?: Cooldowns | undefined;
  /**
   * The longest time for all strategies and for the question why there is no post. The default, 19 500 ms, leaves time
   * to answer within 20 s, as Medley promises.
   */
  readonly deadlineMs?: number;
  readonly onOutcome?: (source: SourceId, strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
  readonly now?: () => number;
}

/** A source's description. The rest of Medley knows nothing else about a site. */
export interface SourceDescriptor {
  /** The id of the source in stored posts, settings, tokens and metrics, in lower case. It must never change. */
  readonly id: SourceId;
  /** The name as the site writes it; a language may have its own name for the site. */
  readonly name: string;
  /** The colour by which people know the site, `#rrggbb`. */
  readonly colour: `#${string}`;
  /** Hosts of the site's links, the best known first. */
  readonly hosts: readonly [string, ...string[]];
  /** Domains of the media hosts; the subdomains of each are included. */
  readonly cdnHosts: readonly string[];
  /** A known public post, years old, to test the site and to show people as an example. */
  readonly example: string;
  /**
   * True when links pasted in a group are answered unless its admins switch the site off; otherwise the admins have to
   * switch it on.
   */
  readonly onInGroups?: true;
  readonly authorPage?: AuthorPage;
  /** The name of the cookie that identifies a logged-in account; undefined if the source cannot use accounts. */
  readonly sessionCookie?: string;
  /** The user agent for files of this type on the CDN. Set if the CDN slows down or refuses the default one. */
  readonly cdnUserAgent?: (mime: string) => string;
  /** @throws Error naming the configured constants that are unknown or malformed */
  create(options: SourceOptions): MediaSource;
}

export function cookiesVariable({ id }: Pick<SourceDescriptor, 'id'>): string {
  return `${id.toUpperCase()}_COOKIES_FILE`;
}
