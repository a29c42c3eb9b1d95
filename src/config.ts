import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import * as z from 'zod';
import {
  list,
  misspeltNames,
  nonEmpty,
  oneOf,
  parseAccountPace,
  parseApiKeys,
  parseBaseUrl,
  parseConstants,
  parseHost,
  parseLocalAddress,
  parseMediaKey,
  parseOrigin,
  parseOverrides,
  parseOwner,
  parseProxies,
  parseProxyAddress,
  parseRedisUrl,
  parseShards,
  parseSiteHost,
  parseSources,
  parseTranslateUrl,
  parseUserLimit,
  parseWebExample,
  whole,
} from './config-values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration, with the fields that `toConfig` makes of the variables. */
export type Config = ReturnType<typeof toConfig>;

export type Role = (typeof ROLES)[number];

/** An error whose message lists each invalid variable with the expected form and an example, never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const ROLES = ['gateway', 'worker', 'web'] as const;
const readRoles = (text: string) => nonEmpty(list(oneOf(ROLES))(text));

/** Describes a variable whose text `parse` reads; for an invalid one `parse` returns undefined. */
function variable<T>(parse: (text: string) => T | undefined, expected: string, example: string) {
  return z.string().transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `expected ${expected}`, params: { example } });
    return z.NEVER;
  });
}

const text = (pattern: RegExp) => (value: string) => (pattern.test(value) ? value : undefined);
const PATH = text(/^[^\0]{1,4096}$/);
const ONE_LINE = text(/^[^\p{Cc}]{1,100}$/u);
/**
 * Refuses a value in quotation marks, which Docker keeps when it reads an `--env-file`. No real secret begins with one.
 */
const TOKEN = text(/^(?!["'])[\x21-\x7e]{1,500}$/);

const COOKIES_FILE = variable(
  PATH,
  'a path to a Netscape cookies.txt or to a folder of such',
  './cookies.txt',
).optional();

const VARIABLES = z.object({
  PORT: variable(whole(0, 65_535), 'a port from 0 (any free one) to 65535', '3000').default(3_000),
  HOST: variable(parseHost, 'an address or a host name to listen on', '127.0.0.1').default('127.0.0.1'),
  PUBLIC_URL: variable(parseOrigin, 'an http or https address without a path', 'https://medley.example').optional(),
  // A shell reads `~` and quotation marks, but no program does: they would become parts of the name of a folder.
  DATA_DIR: variable(
    text(/^(?![~"'])[^\0]{1,4096}$/),
    'a directory, its path without ~ and quotation marks before it',
    './data',
  ).default('./data'),
  LOG_LEVEL: variable(oneOf(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`, 'info').default('info'),
  CREATOR: variable(ONE_LINE, 'a name of at most 100 characters', 'Medley').default('Medley'),
  DISCORD_TOKEN: variable(text(/^[\w.-]{1,200}$/), 'the token alone, without "Bot"', 'MTAw.GfaKe1.abcDEF').optional(),
  DISCORD_API_URL: variable(parseBaseUrl, 'an http or https address', 'https://discord.com/api').optional(),
  DISCORD_SHARDS: variable(parseShards, 'auto, or the shards of this process and their total', '0,1/4').default('auto'),
  TELEGRAM_TOKEN: variable(text(/^\d{1,20}:[\w-]{1,200}$/), 'a token of @BotFather', '123456789:AAabcDEF').optional(),
  TELEGRAM_API_URL: variable(parseBaseUrl, 'an http or https address', 'https://api.telegram.org').optional(),
  TELEGRAM_WEBHOOK_SECRET: variable(text(/^[\w-]{1,256}$/), '1 to 256 of A-Z a-z 0-9 _ -', 'some-long-word').optional(),
  OSU_CLIENT_ID: variable(whole(1, 2 ** 31), 'the number of an osu! OAuth application', '12345').optional(),
  OSU_CLIENT_SECRET: variable(
    TOKEN,
    'the secret of that osu! OAuth application, without quotation marks',
    'abcDEF123',
  ).optional(),
  INSTAGRAM_COOKIES_FILE: COOKIES_FILE,
  FACEBOOK_COOKIES_FILE: COOKIES_FILE,
  ACCOUNT_PACE: variable(
    parseAccountPace,
    'the least seconds between two requests by one account and its requests a day',
    '8s,300/day',
  ).default({ everyMs: 8_000, perDay: 300 }),
  UPSTREAM_PROXY: variable(
    parseProxies,
    'http, https or socks5 addresses of proxies separated by commas, each with source:ID= or host= before it where it is for one site or one host (each host once)',
    'http://127.0.0.1:8080,source:instagram=socks5://user:password@127.0.0.1:1080',
  ).default([]),
  UPSTREAM_LOCAL_ADDRESS: variable(
    parseLocalAddress,
    'an IP address of this machine or an IPv6 prefix that leads to it',
    '2001:db8:1:2::/64',
  ).optional(),
  UPSTREAM_PACE: variable(whole(1, 1_000), 'requests a second to each site, 1 to 1000', '10').default(10),
  SOURCES: variable(parseSources, 'all, or the ids of sites separated by commas', 'instagram,facebook').default('all'),
  REDDIT_CLIENT_ID: variable(
    text(/^[\w-]{10,60}$/),
    'the id of an installed app of Reddit, 10 to 60 letters, digits, - and _',
    'Ab1Cd2Ef3Gh4Ij5',
  ).optional(),
  TRANSLATE_URL: variable(
    parseTranslateUrl,
    'an http or https address of LibreTranslate, with ?api_key=KEY where it wants one',
    'http://127.0.0.1:5000/translate',
  ).optional(),
  YT_DLP_HOSTS: variable(list(parseSiteHost), 'host names separated by commas', 'youtube.com,youtu.be').default([]),
  UPSTREAM_OVERRIDES: variable(
    parseOverrides,
    'host=origin,... with each host once, lower-case or *.suffix, and origins without a path; https only on loopback (localhost, 127.0.0.0/8, [::1]), where certificates are not checked',
    'www.instagram.com=http://127.0.0.1:9001,*.fbcdn.net=http://127.0.0.1:9002',
  ).default([]),
  UPSTREAM_CONSTANTS: variable(
    parseConstants,
    'a JSON object of strings',
    '{"instagram.mediaIdDocId":"27130000000000000"}',
  ).default({}),
  ROLES: variable(
    readRoles,
    `one or several of ${ROLES.join(', ')}; with REDIS_URL unless it is all of them`,
    'gateway,worker',
  ).default([...ROLES]),
  REDIS_URL: variable(
    parseRedisUrl,
    'a redis or rediss address, behind which at most the number of a database stands; @, / and # of a password as %40, %2F and %23',
    'redis://127.0.0.1:6379',
  ).optional(),
  API_KEYS: variable(
    parseApiKeys,
    'name:key:perHour,... with each name and key once, keys of 16 characters or more, perHour a number or unlimited',
    'alice:a-long-random-key:5000,bob:another-random-key:unlimited',
  ).default([]),
  TRUST_PROXY: variable(
    list(parseProxyAddress),
    'addresses, CIDRs or loopback, separated by commas',
    'loopback,10.0.0.0/8,2001:db8::1',
  ).default([]),
  USER_LIMIT: variable(parseUserLimit, 'units/seconds', '20/60').default({ units: 20, windowMs: 60_000 }),
  MEDIA_KEY: variable(
    parseMediaKey,
    '32 bytes as base64, base64url or hex',
    'the output of: openssl rand -hex 32',
  ).optional(),
  MEDIA_CACHE_MB: variable(whole(0, 1_000_000), 'a number of MiB, 0 for none', '1024').default(1_024),
  REQUESTS_AT_ONCE: variable(whole(1, 1_000), 'a number of requests from 1 to 1000', '32').default(32),
  REQUESTS_WAITING: variable(whole(100, 1_000_000), 'a number from 100 to 1000000', '10000').default(10_000),
  OWNER_IDS: variable(list(parseOwner), 'discord:ID,telegram:ID', 'discord:80351110224678912,telegram:42').default([]),
  CANARY: variable(oneOf(['on', 'off']), 'on or off', 'on').default('off'),
  CATALOGUE_FILL: variable(oneOf(['on', 'off']), 'on or off', 'off').default('on'),
  WEB_EXAMPLES: variable(
    list(parseWebExample),
    'a kind (reel, carousel, the id of a site, search, beatmap, player, recommend) with the link of a post or a command, separated by commas',
    'reel=https://www.instagram.com/reel/C1a2B3c4D5e/,search=/beatmap search camellia',
  ).default([]),
});

export const VARIABLE_NAMES: readonly string[] = Object.keys(VARIABLES.shape);

/**
 * The environment of the process, which has priority over the `.env` file of the working directory, if there is one.
 * Even a variable that is set but empty overrides the one in `.env`.
 * @throws ConfigError when `.env` exists and cannot be read
 */
export function readEnvironment(): Environment {
  return { ...readEnvFile(), ...process.env };
}

function readEnvFile(): Environment {
  try {
    const text = readFileSync('.env', 'utf8');
    // A file written by PowerShell's `>` is in UTF-16. Read as UTF-8, every second character is NUL, and no variable
    // would be found.
    if (text.includes('\0')) throw new ConfigError('.env cannot be read: it must be saved as UTF-8, and is UTF-16');
    // The byte order mark with which Windows begins UTF-8 is removed, or it would be part of the first name.
    return parseEnv(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return {};
    throw new ConfigError(`.env cannot be read: ${String(code)}`, { cause });
  }
}

/** Reads the configuration from variables. @throws ConfigError when any of them is invalid */
export function loadConfig(environment: Environment): Config {
  const given = Object.fromEntries(VARIABLE_NAMES.map(name => [name, environment[name]?.trim() || undefined]));
  const result = VARIABLES.safeParse(given);
  const problems = [...(result.success ? [] : result.error.issues.map(describeIssue)), ...findMissingPartners(given)];
  if (!result.success || problems.length > 0) throw configError(problems);
  return toConfig(result.data);
}

/**
 * Checks that all sites named in the configuration exist, and returns the sites to offer. Not part of
 * {@link loadConfig}, because only the caller knows the sites.
 * @returns the offered sites; people see nothing of all other sites
 * @throws ConfigError as {@link loadConfig}
 */
export function offeredSites<Site extends { readonly id: string }>(
  { sources, upstreamConstants, upstreamProxies }: Config,
  sites: readonly [Site, ...Site[]],
): readonly [Site, ...Site[]] {
  const ids = sites.map(({ id }) => id);
  const problems: string[] = [];
  if (!Object.keys(upstreamConstants).every(key => ids.some(id => key.startsWith(`${id}.`)))) {
    const starts = ids.map(id => `${id}.`).join(' or ');
    const example = `UPSTREAM_CONSTANTS={"${ids[0]}.KEY":"value"}`;
    problems.push(`UPSTREAM_CONSTANTS: expected keys that begin with ${starts}, for example ${example}`);
  }
  if (!upstreamProxies.every(({ source }) => source === undefined || ids.includes(source))) {
    const example = `UPSTREAM_PROXY=source:${ids[0]}=socks5://127.0.0.1:1080`;
    problems.push(`UPSTREAM_PROXY: expected source:ID= with ${ids.join(' or ')}, for example ${example}`);
  }
  const [first, ...others] = sources === 'all' ? sites : sites.filter(({ id }) => sources.includes(id));
  if (first === undefined || (sources !== 'all' && !sources.every(id => ids.includes(id)))) {
    problems.push(`SOURCES: expected all, or some of ${ids.join(', ')}, for example SOURCES=${ids[0]}`);
  }
  if (first === undefined || problems.length > 0) throw configError(problems);
  return [first, ...others];
}

function configError(problems: readonly string[]): ConfigError {
  return new ConfigError(['The configuration is wrong:', ...problems.map(problem => `  ${problem}`)].join('\n'));
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const example = issue.code === 'custom' ? issue.params?.example : undefined;
  const name = String(issue.path[0]);
  return `${name}: ${issue.message}${example === undefined ? '' : `, for example ${name}=${String(example)}`}`;
}

/** Makes a sentence, without any value, for each variable whose name is similar to one of Medley's. */
export function findMisspelt(environment: Environment): readonly string[] {
  return misspeltNames(Object.keys(environment), VARIABLE_NAMES);
}

function findMissingPartners(given: Environment): string[] {
  const partners = [
    ['OSU_CLIENT_ID', 'OSU_CLIENT_SECRET', 'abcDEF123'],
    ['OSU_CLIENT_SECRET', 'OSU_CLIENT_ID', '12345'],
    ['TELEGRAM_WEBHOOK_SECRET', 'PUBLIC_URL', 'https://medley.example'],
  ] as const;
  const missing = partners.flatMap(([name, partner, example]) =>
    given[name] === undefined || given[partner] !== undefined
      ? []
      : [`${partner}: expected because ${name} is set, for example ${partner}=${example}`],
  );
  const roles = readRoles(given.ROLES ?? '');
  const isSplit = roles !== undefined && ROLES.some(role => !roles.includes(role));
  if (isSplit && given.REDIS_URL === undefined) {
    const example = 'REDIS_URL=redis://127.0.0.1:6379';
    missing.push(`REDIS_URL: expected because ROLES leaves some to other processes, for example ${example}`);
  }
  return missing;
}

/** Variables that belong together become one field, such as `osu`: undefined when a required one is not set. */
function toConfig(values: z.output<typeof VARIABLES>) {
  const { DISCORD_TOKEN, TELEGRAM_TOKEN, OSU_CLIENT_ID, OSU_CLIENT_SECRET } = values;
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL,
    dataDir: values.DATA_DIR,
    logLevel: values.LOG_LEVEL,
    creator: values.CREATOR,
    discord:
      DISCORD_TOKEN === undefined
        ? undefined
        : { token: DISCORD_TOKEN, apiUrl: values.DISCORD_API_URL, shards: values.DISCORD_SHARDS },
    telegram:
      TELEGRAM_TOKEN === undefined
        ? undefined
        : { token: TELEGRAM_TOKEN, apiUrl: values.TELEGRAM_API_URL, webhookSecret: values.TELEGRAM_WEBHOOK_SECRET },
    osu:
      OSU_CLIENT_ID === undefined || OSU_CLIENT_SECRET === undefined
        ? undefined
        : { clientId: OSU_CLIENT_ID, clientSecret: OSU_CLIENT_SECRET },
    cookiesFiles: { instagram: values.INSTAGRAM_COOKIES_FILE, facebook: values.FACEBOOK_COOKIES_FILE },
    accountPace: values.ACCOUNT_PACE,
    upstreamProxies: values.UPSTREAM_PROXY,
    upstreamLocalAddress: values.UPSTREAM_LOCAL_ADDRESS,
    upstreamPace: values.UPSTREAM_PACE,
    sources: values.SOURCES,
    translateUrl: values.TRANSLATE_URL,
    ytDlpHosts: [...new Set(values.YT_DLP_HOSTS)],
    upstreamOverrides: values.UPSTREAM_OVERRIDES,
    upstreamConstants: {
      ...values.UPSTREAM_CONSTANTS,
      ...(values.REDDIT_CLIENT_ID !== undefined && { 'reddit.clientId': values.REDDIT_CLIENT_ID }),
    },
    roles: new Set(values.ROLES),
    redisUrl: values.REDIS_URL,
    apiKeys: values.API_KEYS,
    trustProxy: values.TRUST_PROXY,
    userLimit: values.USER_LIMIT,
    mediaKey: values.MEDIA_KEY,
    mediaCacheBytes: values.MEDIA_CACHE_MB * 1024 * 1024,
    requestsAtOnce: values.REQUESTS_AT_ONCE,
    // A longer queue serves more events a second, so it keeps more ids of finished requests, by which repeated events
    // are recognised.
    queueLimits: { entries: values.REQUESTS_WAITING, marks: 10 * values.REQUESTS_WAITING },
    owners: values.OWNER_IDS,
    canary: values.CANARY === 'on',
    catalogueFill: values.CATALOGUE_FILL === 'on',
    webExamples: values.WEB_EXAMPLES,
  };
}
