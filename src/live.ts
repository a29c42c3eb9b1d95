import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigError, loadConfig, offeredSites, readEnvironment } from './config.ts';
import { readArguments, run, showProgress } from './doctor/program.ts';
import { createRecorder, type Recorder } from './doctor/recording.ts';
import { renderStrategyTable } from './doctor/site-checks.ts';
import { createOverrides } from './infra/http/host-list.ts';
import { createHttpClient } from './infra/http/http-client.ts';
import { createSiteOutgoing } from './media/extract/site-outgoing.ts';
import { sourceDescriptors } from './media/sources/index.ts';
import { sitesWith } from './media/sources/yt-dlp-sites.ts';
import { askSites } from './probe/ask-sites.ts';

const FOLDER = 'recordings';

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** @throws ConfigError whose message says where this program has to be run */
async function makeFolder(): Promise<string> {
  const folder = join(FOLDER, new Date().toISOString().slice(0, 19).replaceAll(':', '-'));
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    const where = `${resolve(FOLDER)} cannot be written: run this in a directory where this account may write`;
    throw new ConfigError(`Nothing was asked: ${where}.`, { cause });
  });
  return folder;
}

/** Asks the real sites and writes their answers to `recordings/` for a bug report, without private values. */
async function live(): Promise<number> {
  const { links } = readArguments(process.argv.slice(2), { takesLive: false });
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const descriptors = offeredSites(config, sitesWith(config.ytDlpHosts));
  const folder = await makeFolder();
  const overrides = createOverrides(config.upstreamOverrides);
  const outgoing = createSiteOutgoing(sourceDescriptors, config.upstreamProxies, config.upstreamLocalAddress);
  const http = createHttpClient({ overrides, outgoing });
  const recorders = new Map<string, Recorder>();
  const clientOf = (id: string) => {
    const recorder = createRecorder(http);
    recorders.set(id, recorder);
    return recorder.http;
  };
  try {
    const { reports, cookies } = await askSites({
      ...config,
      descriptors,
      searchPath: environment.PATH ?? '',
      links,
      http,
      overrides,
      outgoing,
      clientOf,
      onAsk(source, strategy, link) {
        recorders.get(source)?.begin(strategy, link);
        showProgress(`asking ${source}: ${strategy}, link ${link}`);
      },
    });
    showProgress('');
    const secrets = cookies.map(({ value }) => value);
    let saved = 0;
    for (const report of reports) {
      say('', ...renderStrategyTable(report));
      const files = await recorders.get(report.source)?.save(join(folder, report.source), report.reports, secrets);
      saved += files?.length ?? 0;
    }
    say('', `${saved} answers are in ${folder}. Look through them before you hand them on.`);
    return saved === 0 ? 1 : 0;
  } finally {
    await http.close();
  }
}

run(live, 'Nothing was recorded', ConfigError);
