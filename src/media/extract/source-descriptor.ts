import type { ErrorCode } from '../../errors.ts';
import type { HttpClient } from '../../infra/http/http-client.ts';
import type { Logger } from '../../infra/log.ts';
import type { Author, SourceId } from '../post.ts';
import type { Accounts } from './accounts.ts';
import type { SiteState } from './site-state.ts';
import type { MediaSource, Strategy } from './source.ts';

/** Every source is made with these. */
export interface SourceOptions {
  readonly http: HttpClient;
  readonly log: Logger;
  /** The configured constants of all sources; a source reads the keys that begin with its id: `toy.queryId`. */
  readonly upstreamConstants?: Readonly<Record<string, string>>;
  /** The operator's accounts on this site. */
  readonly accounts?: Accounts | undefined;
  /** Asked after all others, e.g. yt-dlp. */
  readonly extraStrategies?: readonly Strategy[];
  /** Says what the site wants left alone. */
  readonly site?: SiteState | undefined;
  /** For all strategies together. */
  readonly deadlineMs?: number;
  readonly onOutcome?: (source: SourceId, strategy: string, outcome: ErrorCode | 'ok', durationMs?: number) => void;
  readonly now?: () => number;
}

/** All that the rest of Medley knows of a source. */
export interface SourceDescriptor {
  /** Lower case; posts, settings, tokens and figures name it by this, so it never changes. */
  readonly id: SourceId;
  /** The name as the site writes it; a language may have a name of its own for it. */
  readonly name: string;
  /** The colour that people know the site by, `#rrggbb`. */
  readonly colour: `#${string}`;
  /** Hosts that its links are on, the one it is best known by first. */
  readonly hosts: readonly [string, ...string[]];
  /** Suffixes its media lie on: each host and what is below it. */
  readonly cdnHosts: readonly string[];
  /** The link of a public post that has been up for years. */
  readonly example: string;
  /** Links to it that are merely pasted are answered in groups until the admins switch it off; those of other sites once they switch it on. */
  readonly onInGroups?: true;
  /** The page of an author on the site; undefined where what is known of them does not lead there. */
  readonly profileUrl?: (author: Pick<Author, 'id' | 'username'>) => string | undefined;
  /** The cookie that an account's session has, where posts can be asked for with one. */
  readonly sessionCookie?: string;
  /** The name to ask the CDN by for a file of this type, where a plain name is not served well. */
  readonly cdnUserAgent?: (mime: string) => string;
  /** @throws Error naming the constants that are unknown or malformed */
  create(options: SourceOptions): MediaSource;
}

/** The environment variable of a site's cookies file. */
export function cookiesVariable({ id }: Pick<SourceDescriptor, 'id'>): string {
  return `${id.toUpperCase()}_COOKIES_FILE`;
}
