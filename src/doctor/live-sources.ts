import { readFile } from 'node:fs/promises';
import type { Cookie } from 'tough-cookie';
import type { HttpClient } from '../infra/http/http-client.ts';
import { createLogger } from '../infra/log.ts';
import { parseCookiesFile } from '../media/extract/cookies-file.ts';
import type { MediaSource } from '../media/extract/source.ts';
import type { SourceId } from '../media/post.ts';
import { createFacebookConstants } from '../media/sources/facebook/constants.ts';
import { createMediaSources } from '../media/sources/index.ts';
import { createInstagramConstants } from '../media/sources/instagram/constants.ts';
import { createYtDlpStrategy, findYtDlp } from '../media/sources/yt-dlp.ts';

export interface LiveSetup {
  readonly upstreamConstants: Readonly<Record<string, string>>;
  readonly upstreamOverrides: readonly object[];
  readonly upstreamProxy: string | undefined;
  readonly instagramCookiesFile: string | undefined;
  /** Where yt-dlp is looked for. */
  readonly searchPath: string;
}

export interface LiveSources {
  readonly sources: readonly MediaSource[];
  /** Of the configured account. */
  readonly cookies: readonly Cookie[];
}

/** The sources as the running bot has them, each over a client of its own, with nothing remembered. */
export async function openLiveSources(setup: LiveSetup, clientOf: (id: SourceId) => HttpClient): Promise<LiveSources> {
  const { instagramCookiesFile: file, upstreamConstants, upstreamProxy, searchPath } = setup;
  const cookies = file === undefined ? [] : parseCookiesFile(await readFile(file, 'utf8'));
  // It knows nothing of hosts that are asked elsewhere.
  const isReal = setup.upstreamOverrides.length === 0;
  const ytDlp = isReal ? await findYtDlp({ searchPath, proxy: upstreamProxy }) : undefined;
  const lastResort = (id: SourceId) => (ytDlp === undefined ? [] : [createYtDlpStrategy(ytDlp, id)]);
  const log = createLogger({ level: 'silent' });
  const sources = createMediaSources({
    instagram: {
      http: clientOf('instagram'),
      log,
      cookies,
      constants: createInstagramConstants(upstreamConstants),
      extraStrategies: lastResort('instagram'),
    },
    facebook: {
      http: clientOf('facebook'),
      log,
      constants: createFacebookConstants(upstreamConstants),
      extraStrategies: lastResort('facebook'),
    },
  });
  return { sources, cookies };
}
