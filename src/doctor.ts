import { withContact } from './beatmaps/upstreams/contact.ts';
import { createMirrors } from './beatmaps/upstreams/mirror.ts';
import { createOsuApi } from './beatmaps/upstreams/osu-api.ts';
import {
  type Config,
  ConfigError,
  type Environment,
  findMisspelt,
  loadConfig,
  offeredSites,
  readEnvironment,
  VARIABLE_NAMES,
} from './config.ts';
import { checkMachine } from './doctor/machine-checks.ts';
import { checkMirrors, checkOsu } from './doctor/osu-checks.ts';
import { readArguments, run, showProgress } from './doctor/program.ts';
import { checkSafety } from './doctor/safety-checks.ts';
import { checkSites, renderStrategyTable } from './doctor/site-checks.ts';
import { adviseOn, type Setup } from './doctor/strategy-advice.ts';
import { createOverrides } from './infra/http/host-list.ts';
import { createHttpClient, type HttpClient } from './infra/http/http-client.ts';
import { assertLocalAddress } from './infra/http/outgoing.ts';
import { createLogger } from './infra/log.ts';
import { createSiteOutgoing } from './media/extract/site-outgoing.ts';
import type { SourceDescriptor } from './media/extract/source-descriptor.ts';
import { sourceDescriptors } from './media/sources/index.ts';
import { sitesWith } from './media/sources/yt-dlp-sites.ts';
import { type Finding, note } from './platforms/platform.ts';
import { askSites } from './probe/ask-sites.ts';

const SIGNS: Readonly<Record<Finding['state'], string>> = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' };

/** Checks the configured platforms. A platform's library is loaded only if the platform has a token. */
async function examineChats({ discord, telegram, publicUrl }: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  if (discord === undefined) findings.push(withoutToken('Discord', 'DISCORD_TOKEN'));
  else {
    const { examineDiscord } = await import('./platforms/discord/doctor.ts');
    findings.push(...(await examineDiscord(discord)));
  }
  if (telegram === undefined) findings.push(withoutToken('Telegram', 'TELEGRAM_TOKEN'));
  else {
    const { examineTelegram } = await import('./platforms/telegram/doctor.ts');
    findings.push(...(await examineTelegram({ ...telegram, publicUrl })));
  }
  return findings;
}

function withoutToken(platform: string, variable: string): Finding {
  const remedy = `Set ${variable} to have the bot there: docs/operate says where to get it. All else works without.`;
  return note(`${platform}: no token`, remedy);
}

async function examineBeatmaps({ osu, publicUrl }: Config, client: HttpClient): Promise<readonly Finding[]> {
  const http = withContact(client, publicUrl);
  const log = createLogger({ level: 'silent' });
  const api = osu && createOsuApi({ ...osu, http, log });
  return [...(await checkOsu(api, publicUrl)), ...(await checkMirrors(createMirrors({ http })))];
}

function print(finding: Finding): void {
  const remedy = finding.remedy === undefined ? '' : `\n        ${finding.remedy}`;
  process.stdout.write(`${SIGNS[finding.state]}  ${finding.what}${remedy}\n`);
}

async function examine(
  config: Config,
  environment: Environment,
  sites: readonly SourceDescriptor[],
  http: HttpClient,
): Promise<readonly Finding[]> {
  const findings = [
    ...findMisspelt(environment).map(what => note(what)),
    ...(await checkMachine({ ...config, sites, searchPath: environment.PATH ?? '' })),
    ...(await checkSafety(config)),
    ...(await checkSites(sites, http)),
    ...(await examineBeatmaps(config, http)),
    ...(await examineChats(config)),
  ];
  findings.forEach(print);
  return findings;
}

type Access = Pick<Parameters<typeof askSites>[0], 'descriptors' | 'http' | 'outgoing'>;

/** Runs each strategy of all sources for `links` or known public posts; prints a table for each source, and advice. */
async function examineLive(config: Config, environment: Environment, access: Access, links: readonly string[]) {
  const { http } = access;
  const { reports } = await askSites({
    ...config,
    ...access,
    searchPath: environment.PATH ?? '',
    links,
    overrides: createOverrides(config.upstreamOverrides),
    onAsk: (source, strategy, link) => showProgress(`asking ${source}: ${strategy}, link ${link}`),
  });
  showProgress('');
  for (const report of reports) process.stdout.write(`\n${renderStrategyTable(report).join('\n')}\n`);
  const setup: Setup = {
    hasBrowserTransport: http.hasBrowserTransport,
    hasProxy: config.upstreamProxies.length > 0,
    isSet: name => (VARIABLE_NAMES.includes(name) ? Boolean(environment[name]?.trim()) : undefined),
  };
  const findings = reports.flatMap(report => adviseOn(report, setup));
  process.stdout.write('\n');
  findings.forEach(print);
  return findings;
}

/** `npm run doctor` checks all that Medley needs and says what to do. Exit code 1: something is wrong. */
async function doctor(): Promise<number> {
  const { live, links } = readArguments(process.argv.slice(2), { takesLive: true });
  const environment = readEnvironment();
  const config = loadConfig(environment);
  const descriptors = offeredSites(config, sitesWith(config.ytDlpHosts));
  const outgoing = createSiteOutgoing(sourceDescriptors, config.upstreamProxies, config.upstreamLocalAddress);
  const http = createHttpClient({ overrides: createOverrides(config.upstreamOverrides), outgoing });
  try {
    await assertLocalAddress(outgoing);
    // Making every source finds wrong constants, with which Medley would not start.
    const { upstreamConstants } = config;
    const log = createLogger({ level: 'silent' });
    for (const descriptor of descriptors) descriptor.create({ http, log, upstreamConstants });
    const findings = [
      ...(await examine(config, environment, descriptors, http)),
      ...(live ? await examineLive(config, environment, { descriptors, http, outgoing }, links) : []),
    ];
    return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
  } finally {
    await http.close();
  }
}

run(doctor, 'The examination failed', ConfigError);
