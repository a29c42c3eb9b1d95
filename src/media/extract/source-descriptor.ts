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
  /** The cooldowns of the site's endpoints and strategies. Default: only the source knows them. */
  readonly cooldowns?: Cooldowns | undefined;
  /**
   * The longest time for all strategies and the question why there is no post. Default 19 500: an answer is promised
   * within 20 s, so the reason must be known before.
   */
  readonly deadlineMs?: number;
  readonly onOutcome?: (source: SourceId, strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
  readonly now?: () => number;
}

/** Everything that other parts of Medley know about a source. */
export interface SourceDescriptor {
  /** In lower case. Stored posts, settings, tokens and metrics contain it, so it must never change. */
  readonly id: SourceId;
  /** The name as the site writes it; a language may have its own name for the site. */
  readonly name: string;
  /** The colour by which people know the site, `#rrggbb`. */
  readonly colour: `#${string}`;
  /** Hosts of the site's links, the best known first. */
  readonly hosts: readonly [string, ...string[]];
  /** Domains of the media hosts; the subdomains of each are included. */
  readonly cdnHosts: readonly string[];
  /** The link of a public post that has been up for years. */
  readonly example: string;
  /**
   * True when links pasted in a group are answered unless its admins switch the site off; otherwise the admins have to
   * switch it on.
   */
  readonly onInGroups?: true;
  readonly authorPage?: AuthorPage;
  /** The cookie that identifies a session, if the source can fetch posts with an account. */
  readonly sessionCookie?: string;
  /** The user agent for fetching a file of this type from the CDN, if the default one is slowed down or refused. */
  readonly cdnUserAgent?: (mime: string) => string;
  /** @throws Error naming the configured constants that are unknown or malformed */
  create(options: SourceOptions): MediaSource;
}

export function cookiesVariable({ id }: Pick<SourceDescriptor, 'id'>): string {
  return `${id.toUpperCase()}_COOKIES_FILE`;
}
