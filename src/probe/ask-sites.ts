import type { HttpClient } from '../infra/http/http-client.ts';
import type { Outgoing } from '../infra/http/transport/outgoing.ts';
import type { Overrides } from '../infra/http/transport/overrides.ts';
import { createLogger } from '../infra/log.ts';
import { createMemoryRateLimiter } from '../infra/rate-limit/rate-limit.ts';
import { type AccountPace, createAccounts } from '../media/extract/accounts.ts';
import { readCookies } from '../media/extract/cookies-file.ts';
import { openSite } from '../media/extract/site.ts';
import type { SourceDescriptor } from '../media/extract/source-descriptor.ts';
import type { SourceId } from '../media/post.ts';
import { sourceDescriptors } from '../media/sources/index.ts';
import { createYtDlpStrategy, findYtDlp } from '../media/sources/yt-dlp.ts';
import { type AskOptions, askStrategies } from './ask-strategies.ts';
import { createProbe } from './probe-strategy.ts';

export interface AskSitesOptions extends Pick<AskOptions, 'links' | 'onAsk'> {
  readonly upstreamConstants: Readonly<Record<string, string>>;
  readonly outgoing: Outgoing;
  readonly cookiesFiles: Readonly<Record<string, string | undefined>>;
  readonly accountPace: AccountPace;
  /** Where yt-dlp is looked for. */
  readonly searchPath: string;
  readonly overrides: Overrides;
  readonly http: HttpClient;
  /** What each source is asked through. Default `http`. */
  readonly clientOf?: (id: SourceId) => HttpClient;
}

/**
 * Asks the sites in every way that the running bot has, with nothing remembered.
 * @returns what came back, and the cookies of all configured accounts
 */
export async function askSites(options: AskSitesOptions) {
  const {
    upstreamConstants,
    outgoing,
    cookiesFiles,
    accountPace,
    searchPath,
    overrides,
    http,
    clientOf = () => http,
  } = options;
  const isStandIn = (hostname: string) => overrides.find(hostname) !== undefined;
  // It knows nothing of hosts that are asked elsewhere.
  const isReal = !sourceDescriptors.some(({ example }) => isStandIn(new URL(example).hostname));
  const ytDlp = isReal ? await findYtDlp({ searchPath, outgoing }) : undefined;
  const log = createLogger({ level: 'silent' });
  const limiter = createMemoryRateLimiter();
  const sessions = await readCookies(cookiesFiles);

  function openSource(descriptor: SourceDescriptor) {
    const { id } = descriptor;
    const extraStrategies = ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, descriptor)];
    const accounts = createAccounts({
      source: id,
      sessions: sessions.get(id) ?? [],
      sessionCookie: descriptor.sessionCookie,
      pace: accountPace,
      limiter,
      log,
    });
    const own = { http: clientOf(id), log, accounts, upstreamConstants, extraStrategies };
    return openSite({
      descriptor,
      outgoing,
      limiter,
      log,
      create: site => descriptor.create({ ...own, site }),
    }).source;
  }

  const reports = await askStrategies({
    ...options,
    sources: sourceDescriptors.map(openSource),
    probe: createProbe({ http }),
    hasBrowserTransport: http.hasBrowserTransport,
    isStandIn,
  });
  return { reports, cookies: [...sessions.values()].flat().flatMap(({ cookies }) => cookies) };
}
