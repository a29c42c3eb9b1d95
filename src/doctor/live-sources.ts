import type { Cookie } from 'tough-cookie';
import type { HttpClient } from '../infra/http/http-client.ts';
import { createLogger } from '../infra/log.ts';
import { readCookies } from '../media/extract/cookies-file.ts';
import type { MediaSource } from '../media/extract/source.ts';
import type { SourceId } from '../media/post.ts';
import { sourceDescriptors } from '../media/sources/index.ts';
import { createYtDlpStrategy, findYtDlp } from '../media/sources/yt-dlp.ts';

export interface LiveSetup {
  readonly upstreamConstants: Readonly<Record<string, string>>;
  readonly upstreamOverrides: readonly object[];
  readonly upstreamProxy: string | undefined;
  readonly cookiesFiles: Readonly<Record<string, string | undefined>>;
  /** Where yt-dlp is looked for. */
  readonly searchPath: string;
}

export interface LiveSources {
  readonly sources: readonly MediaSource[];
  /** Of the configured accounts, all together. */
  readonly cookies: readonly Cookie[];
}

/** The sources as the running bot has them, each over a client of its own, with nothing remembered. */
export async function openLiveSources(setup: LiveSetup, clientOf: (id: SourceId) => HttpClient): Promise<LiveSources> {
  const { cookiesFiles, upstreamConstants, upstreamProxy, searchPath } = setup;
  // It knows nothing of hosts that are asked elsewhere.
  const isReal = setup.upstreamOverrides.length === 0;
  const ytDlp = isReal ? await findYtDlp({ searchPath, proxy: upstreamProxy }) : undefined;
  const log = createLogger({ level: 'silent' });
  const sources: MediaSource[] = [];
  const accounts = await readCookies(cookiesFiles);
  for (const source of sourceDescriptors) {
    const cookies = accounts.get(source.id);
    const extraStrategies = ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, source)];
    sources.push(source.create({ http: clientOf(source.id), log, cookies, upstreamConstants, extraStrategies }));
  }
  return { sources, cookies: [...accounts.values()].flat() };
}
