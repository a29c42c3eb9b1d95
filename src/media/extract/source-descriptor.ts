import type { ErrorCode } from '../../errors.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { Author, SourceId } from '../post.ts';
import type { Accounts } from './accounts.ts';
import type { SiteState } from './site-state.ts';
import type { MediaSource, Strategy } from './source.ts';

/** The options with which every source is created. */
export interface SourceOptions {
  readonly http: HttpClient;
  readonly log: Logger;
  /** The configured constants of all sources; each source reads the keys that begin with its id: `toy.queryId`. */
  readonly upstreamConstants?: Readonly<Record<string, string>>;
  /** The operator's accounts on this site. */
  readonly accounts?: Accounts | undefined;
  /** Strategies that are asked after all others, such as yt-dlp. */
  readonly extraStrategies?: readonly Strategy[];
  /** The endpoints and strategies that the site wants left alone. */
  readonly site?: SiteState | undefined;
  /** Time for all strategies together. */
  readonly deadlineMs?: number;
  readonly onOutcome?: (source: SourceId, strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
  readonly now?: () => number;
}

/** All that other parts of Medley know about a source. */
export interface SourceDescriptor {
  /** In lower case; posts, settings, tokens and metrics use it, so it never changes. */
  readonly id: SourceId;
  /** The name as the site writes it; a language may have its own name for the site. */
  readonly name: string;
  /** The colour by which people know the site, `#rrggbb`. */
  readonly colour: `#${string}`;
  /** Hosts of the site's links, the best known first. */
  readonly hosts: readonly [string, ...string[]];
  /** Suffixes of the media hosts: each host and all its subdomains. */
  readonly cdnHosts: readonly string[];
  /** The link of a public post that has been up for years. */
  readonly example: string;
  /**
   * True when links that are merely pasted in groups are answered until the admins switch that off; for other sites the admins have to
   * switch it on.
   */
  readonly onInGroups?: true;
  /** The page of an author on the site; undefined when the known data do not lead there. */
  readonly profileUrl?: (author: Pick<Author, 'id' | 'username'>) => string | undefined;
  /** The cookie that identifies a session, where posts can be fetched with an account. */
  readonly sessionCookie?: string;
  /** The user agent for fetching a file of this type from the CDN, where the default one is not served well. */
  readonly cdnUserAgent?: (mime: string) => string;
  /** @throws Error naming the constants that are unknown or malformed */
  create(options: SourceOptions): MediaSource;
}

/** The environment variable of a site's cookies file. */
export function cookiesVariable({ id }: Pick<SourceDescriptor, 'id'>): string {
  return `${id.toUpperCase()}_COOKIES_FILE`;
}
