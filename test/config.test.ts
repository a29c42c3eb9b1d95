import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ConfigError,
  type Environment,
  findMisspelt,
  loadConfig,
  offeredSites,
  readEnvironment,
  VARIABLE_NAMES,
} from '../src/config.ts';
import { anyText } from './any-text.ts';

function complaint(environment: Environment): string {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}

const PARTNERS = { PUBLIC_URL: 'https://a.example', REDIS_URL: 'redis://127.0.0.1' };
const OSU_PARTNERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  OSU_CLIENT_ID: { OSU_CLIENT_SECRET: 'x' },
  OSU_CLIENT_SECRET: { OSU_CLIENT_ID: '1' },
};

describe('loadConfig', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toEqual({
      port: 3000,
      host: '127.0.0.1',
      publicUrl: undefined,
      dataDir: './data',
      logLevel: 'info',
      creator: 'Medley',
      discord: undefined,
      telegram: undefined,
      osu: undefined,
      cookiesFiles: { instagram: undefined, facebook: undefined },
      accountPace: { everyMs: 8_000, perDay: 300 },
      upstreamProxies: [],
      upstreamLocalAddress: undefined,
      upstreamPace: 10,
      sources: 'all',
      translateUrl: undefined,
      ytDlpHosts: [],
      upstreamOverrides: [],
      upstreamConstants: {},
      roles: new Set(['gateway', 'worker', 'web']),
      redisUrl: undefined,
      apiKeys: [],
      trustProxy: [],
      userLimit: { units: 20, windowMs: 60_000 },
      mediaKey: undefined,
      mediaCacheBytes: 1_073_741_824,
      requestsAtOnce: 32,
      queueLimits: { entries: 10_000, marks: 100_000 },
      owners: [],
      catalogueFill: true,
      canary: false,
      webExamples: [],
    });
  });

  it('fills the catalogue unless that is switched off', () => {
    expect(loadConfig({ CATALOGUE_FILL: 'off' }).catalogueFill).toBe(false);
    expect(loadConfig({ CATALOGUE_FILL: 'on' }).catalogueFill).toBe(true);
    expect(() => loadConfig({ CATALOGUE_FILL: 'maybe' })).toThrow('CATALOGUE_FILL');
  });

  it('reads empty and blank variables as absent', () => {
    const empty = Object.fromEntries(VARIABLE_NAMES.map((name, index) => [name, index % 2 === 0 ? '' : '  ']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  it('reads every variable', () => {
    const config = loadConfig({
      PORT: '0',
      HOST: '::',
      PUBLIC_URL: 'https://medley.example/',
      DATA_DIR: '/var/lib/medley',
      LOG_LEVEL: 'DEBUG',
      CREATOR: 'Ayu & Bima',
      DISCORD_TOKEN: 'aaa.bbb.ccc',
      DISCORD_API_URL: 'http://127.0.0.1:4000/api/',
      DISCORD_SHARDS: '0,1/4',
      TELEGRAM_TOKEN: '1:abc',
      TELEGRAM_API_URL: 'http://127.0.0.1:8081',
      TELEGRAM_WEBHOOK_SECRET: 'word',
      OSU_CLIENT_ID: '12',
      OSU_CLIENT_SECRET: 'secret',
      INSTAGRAM_COOKIES_FILE: './cookies.txt',
      FACEBOOK_COOKIES_FILE: './accounts',
      ACCOUNT_PACE: '20s, 100/day',
      UPSTREAM_PROXY:
        'http://user:pass@proxy.example:8080, source:instagram=socks5://127.0.0.1:1080,osu.ppy.sh=https://b.example',
      UPSTREAM_LOCAL_ADDRESS: '2001:db8:1:2::/64',
      UPSTREAM_PACE: '4',
      SOURCES: 'Facebook, instagram',
      TRANSLATE_URL: 'http://127.0.0.1:5000?api_key=k',
      YT_DLP_HOSTS: 'www.Youtu.be, clips.example,youtu.be',
      UPSTREAM_OVERRIDES: 'www.instagram.com=http://127.0.0.1:9001, *.fbcdn.net=http://relay.example/',
      UPSTREAM_CONSTANTS: '{"instagram.mediaIdDocId":"27"}',
      ROLES: 'Web, gateway',
      REDIS_URL: 'rediss://default:pw@redis.example:6379/1',
      API_KEYS: 'alice:sixteen-letters1:5000,bob:sixteen-letters2:unlimited',
      TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::1',
      USER_LIMIT: '5/10',
      MEDIA_KEY: 'ff'.repeat(32),
      MEDIA_CACHE_MB: '2',
      REQUESTS_AT_ONCE: '64',
      REQUESTS_WAITING: '50000',
      OWNER_IDS: 'discord:1,telegram:2',
      CATALOGUE_FILL: 'off',
      CANARY: 'on',
      WEB_EXAMPLES: 'reel=https://www.instagram.com/reel/C1a2B3c4D5e/?a=b',
    });
    expect(config).toEqual({
      port: 0,
      host: '::',
      publicUrl: 'https://medley.example',
      dataDir: '/var/lib/medley',
      logLevel: 'debug',
      creator: 'Ayu & Bima',
      discord: { token: 'aaa.bbb.ccc', apiUrl: 'http://127.0.0.1:4000/api', shards: { ids: [0, 1], total: 4 } },
      telegram: { token: '1:abc', apiUrl: 'http://127.0.0.1:8081', webhookSecret: 'word' },
      osu: { clientId: 12, clientSecret: 'secret' },
      cookiesFiles: { instagram: './cookies.txt', facebook: './accounts' },
      accountPace: { everyMs: 20_000, perDay: 100 },
      upstreamProxies: [
        { url: 'http://user:pass@proxy.example:8080/' },
        { url: 'socks5://127.0.0.1:1080', source: 'instagram' },
        { url: 'https://b.example/', host: 'osu.ppy.sh' },
      ],
      upstreamLocalAddress: '2001:db8:1:2::/64',
      upstreamPace: 4,
      sources: ['facebook', 'instagram'],
      translateUrl: 'http://127.0.0.1:5000/translate?api_key=k',
      ytDlpHosts: ['youtu.be', 'clips.example'],
      upstreamOverrides: [
        { host: 'www.instagram.com', origin: 'http://127.0.0.1:9001' },
        { host: '*.fbcdn.net', origin: 'http://relay.example' },
      ],
      upstreamConstants: { 'instagram.mediaIdDocId': '27' },
      roles: new Set(['web', 'gateway']),
      redisUrl: 'rediss://default:pw@redis.example:6379/1',
      apiKeys: [
        { name: 'alice', key: 'sixteen-letters1', perHour: 5000 },
        { name: 'bob', key: 'sixteen-letters2', perHour: 'unlimited' },
      ],
      trustProxy: ['loopback', '10.0.0.0/8', '2001:db8::1'],
      userLimit: { units: 5, windowMs: 10_000 },
      mediaKey: Buffer.alloc(32, 0xff),
      mediaCacheBytes: 2_097_152,
      requestsAtOnce: 64,
      queueLimits: { entries: 50_000, marks: 500_000 },
      canary: true,
      owners: [
        { platform: 'discord', id: '1' },
        { platform: 'telegram', id: '2' },
      ],
      catalogueFill: false,
      webExamples: [{ kind: 'reel', url: 'https://www.instagram.com/reel/C1a2B3c4D5e/?a=b' }],
    });
  });

  it('leaves a section out when its key is absent, whatever else is set', () => {
    const config = loadConfig({
      DISCORD_SHARDS: '0/2',
      DISCORD_API_URL: 'http://a.example',
      TELEGRAM_API_URL: 'http://b',
    });
    expect(config).toMatchObject({ discord: undefined, telegram: undefined });
    expect(loadConfig({ DISCORD_TOKEN: 'a.b.c' }).discord).toEqual({
      token: 'a.b.c',
      apiUrl: undefined,
      shards: 'auto',
    });
  });

  it('takes proxies for sites that there are alone', () => {
    const config = loadConfig({ UPSTREAM_PROXY: 'source:photos=http://a.example,http://b.example' });
    expect(() => offeredSites(config, [{ id: 'photos' }])).not.toThrow();
    expect(() => offeredSites(config, [{ id: 'videos' }])).toThrow(
      /^The configuration is wrong:\n {2}UPSTREAM_PROXY: expected .+, for example UPSTREAM_PROXY=source:videos=socks5:.+$/,
    );
  });

  it('offers the sites that the host names, in their own order', () => {
    const sites: [{ id: string }, ...{ id: string }[]] = [{ id: 'photos' }, { id: 'videos' }, { id: 'words' }];
    expect(offeredSites(loadConfig({}), sites)).toEqual(sites);
    expect(offeredSites(loadConfig({ SOURCES: 'All' }), sites)).toEqual(sites);
    expect(offeredSites(loadConfig({ SOURCES: 'words,PHOTOS' }), sites)).toEqual([{ id: 'photos' }, { id: 'words' }]);
    for (const wrong of ['moods', 'photos,moods', 'all,photos'])
      expect(() => offeredSites(loadConfig({ SOURCES: wrong }), sites)).toThrow(
        /^The configuration is wrong:\n {2}SOURCES: expected all, or .*photos, videos, words, for example SOURCES=photos$/,
      );
  });

  it('lets an override speak TLS on loopback, and says so when it is elsewhere', () => {
    const origins = ['https://localhost:9001', 'https://127.0.0.1:9001', 'https://127.3.2.1', 'https://[::1]:9001'];
    for (const origin of origins) {
      const { upstreamOverrides } = loadConfig({ UPSTREAM_OVERRIDES: `*.a.example=${origin}` });
      expect(upstreamOverrides).toEqual([{ host: '*.a.example', origin }]);
    }
    expect(complaint({ UPSTREAM_OVERRIDES: 'a.example=https://relay.example' })).toMatch(
      /^ {2}UPSTREAM_OVERRIDES: expected .*https only on loopback/m,
    );
  });

  it('reads a media key in every spelling', () => {
    const key = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index * 5));
    for (const spelling of ['hex', 'base64', 'base64url'] as const) {
      expect(Buffer.from(loadConfig({ MEDIA_KEY: key.toString(spelling) }).mediaKey ?? [])).toEqual(key);
    }
  });

  it.each([
    ['PORT', ['65536', '-1', '3000.5', 'http', '0x10', '1e3']],
    ['HOST', ['a b', 'http://localhost', '-']],
    [
      'PUBLIC_URL',
      ['medley.example', 'ftp://a.example', 'https://a.example/path', 'https://u:p@a.example', 'https://a/?b'],
    ],
    ['DATA_DIR', ['~', '~/data', '~root/data', '"./data"', "'/data'"]],
    ['LOG_LEVEL', ['loud']],
    ['CREATOR', ['x'.repeat(101), 'a\u0007b']],
    ['DISCORD_TOKEN', ['Bot a.b.c', 'a\nb']],
    ['DISCORD_API_URL', ['discord.com', 'ws://discord.com']],
    ['DISCORD_SHARDS', ['0', 'many', '4/4', '0,0/2', '/2', '0/2/3']],
    ['TELEGRAM_TOKEN', ['abc', '1:a/b', 'bot1:abc']],
    ['TELEGRAM_API_URL', ['localhost:8081']],
    ['TELEGRAM_WEBHOOK_SECRET', ['a b', 'x'.repeat(257)]],
    ['OSU_CLIENT_ID', ['abc', '0']],
    ['OSU_CLIENT_SECRET', ['"abc"', "'abc'", 'a b']],
    [
      'UPSTREAM_PROXY',
      [
        '127.0.0.1:8080',
        'socks4://127.0.0.1:1080',
        'ftp://a.example',
        'source:=http://a.example',
        'source:instagram',
        'http://a.example/path',
        'a.example=http://b.example,a.example=http://c.example',
        ',',
      ],
    ],
    ['UPSTREAM_LOCAL_ADDRESS', ['eth0', '192.0.2.0/24', '2001:db8::/0', '2001:db8::/129', 'fe80::1%eth0']],
    ['UPSTREAM_PACE', ['0', '1001', '2.5', 'fast']],
    ['TRANSLATE_URL', ['localhost:5000', 'ftp://a.example', 'http://user:pass@a.example']],
    ['YT_DLP_HOSTS', ['https://a.example', 'a.example/x', '127.0.0.1', 'localhost', 'a.example:443', '*.a.example']],
    ['SOURCES', [',', 'insta gram', 'https://a.example']],
    ['ACCOUNT_PACE', ['8s', '300/day', '0s,300/day', '8s,0/day', '8,300', '8s,300/hour']],
    [
      'UPSTREAM_OVERRIDES',
      [
        'a.example',
        'A.example=http://b',
        'a.example=http://b/path',
        'a.example=b',
        '*=http://b',
        'a=http://b,a=http://c',
        'a.example=https://relay.example',
        'a.example=https://192.168.0.7:9001',
        'a.example=https://localhost.evil.example',
        'a.example=https://[::2]:9001',
        'a.example=https://[::ffff:127.0.0.1]:9001',
        'a.example=https://0.0.0.0:9001',
      ],
    ],
    ['UPSTREAM_CONSTANTS', ['{', '[]', '{"a":1}', 'null']],
    ['ROLES', ['bot', ',', 'gateway;web']],
    [
      'REDIS_URL',
      ['127.0.0.1:6379', 'http://127.0.0.1:6379', 'redis://127.0.0.1/medley', 'redis://:pass/word@127.0.0.1:6379'],
    ],
    ['API_KEYS', ['alice', 'alice:key', 'a:k:0', 'a:k:-1', 'a:k:1:2', ':k:1', 'a::1', 'a:k:1,a:l:2', 'a:k:1,b:k:2']],
    ['TRUST_PROXY', ['everyone', '10.0.0.0/33', '::/129', '1', '127.1', '10.0.0.0/8/8', 'true']],
    ['USER_LIMIT', ['20', '20/', '/60', '0/60', '20/60/1', 'a/b', '20,60']],
    ['MEDIA_KEY', ['short', 'f'.repeat(63), 'A'.repeat(44)]],
    ['MEDIA_CACHE_MB', ['-1', '1GB']],
    ['REQUESTS_AT_ONCE', ['0', '1001', 'many']],
    ['REQUESTS_WAITING', ['99', '1e6']],
    ['CANARY', ['yes', '1']],
    ['OWNER_IDS', ['80351110224678912', 'web:1', 'discord:name']],
    [
      'WEB_EXAMPLES',
      [
        'https://www.instagram.com/reel/C1a2B3c4D5e/',
        '=https://a.example/',
        'A reel=https://a.example/',
        'reel=http://a.example/',
        'reel=',
      ],
    ],
  ])('refuses a wrong %s with what was expected and an example that is right', (name, wrongValues) => {
    for (const value of wrongValues) {
      const partner = OSU_PARTNERS[name] ?? PARTNERS;
      const [, line, ...others] = complaint({ ...partner, [name]: value }).split('\n');
      expect(line, value).toMatch(new RegExp(`^ {2}${name}: expected .+, for example ${name}=.+`));
      expect(others).toEqual([]);
      const example = line?.split(`for example ${name}=`)[1];
      if (name !== 'MEDIA_KEY') expect(complaint({ ...partner, [name]: example })).toBe('');
    }
  });

  it('lists every wrong variable at once, lacking partners too', () => {
    const message = complaint({ PORT: 'x', USER_LIMIT: 'x', OSU_CLIENT_ID: '1', TELEGRAM_WEBHOOK_SECRET: 'word' });
    expect(message.split('\n').map(line => line.trim().split(':')[0])).toEqual([
      'The configuration is wrong',
      'PORT',
      'USER_LIMIT',
      'OSU_CLIENT_SECRET',
      'PUBLIC_URL',
    ]);
    expect(complaint({ ROLES: 'gateway,worker' })).toContain('REDIS_URL: expected because ROLES leaves some to other');
    expect(complaint({ ROLES: 'worker,web,gateway' })).toBe('');
    expect(complaint({ ROLES: 'Worker, Web, Gateway' })).toBe('');
    expect(complaint({ ROLES: 'all' })).not.toContain('REDIS_URL: ');
    expect(complaint({ OSU_CLIENT_SECRET: 'x' })).toContain('OSU_CLIENT_ID: expected because OSU_CLIENT_SECRET is set');
  });

  it('never repeats a value that was given', () => {
    const value = fc.string({ minLength: 6, unit: fc.constantFrom(...'qzQZ0123 \t') }).map(text => `zqzq ${text} zqzq`);
    fc.assert(
      fc.property(fc.record(Object.fromEntries(VARIABLE_NAMES.map(name => [name, value]))), environment => {
        const message = complaint(environment);
        expect(message.split('\n').length).toBeGreaterThan(15);
        expect(message).not.toContain('zqzq');
      }),
      { numRuns: 50 },
    );
  });

  it('answers any text at once with a value or a ConfigError', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VARIABLE_NAMES), anyText(), (name, text) => {
        expect(typeof complaint({ [name]: text })).toBe('string');
      }),
    );
    for (const name of VARIABLE_NAMES) {
      for (const unit of ['a', 'a.', 'a:', '*.', '0/', ' ', '{"']) complaint({ [name]: unit.repeat(200_000) });
    }
  });
});

describe('readEnvironment', () => {
  const home = process.cwd();
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'medley-config-'));
    process.chdir(directory);
  });

  afterEach(() => {
    process.chdir(home);
    rmSync(directory, { recursive: true });
  });

  it('is the real environment when there is no .env', () => {
    expect(readEnvironment()).toEqual({ ...process.env });
  });

  it('adds what .env says, and the real environment wins', () => {
    writeFileSync('.env', 'PATH=elsewhere\nMEDLEY_TEST_ONLY="from file" # a comment\nUPSTREAM_CONSTANTS={"a.b":"1"}\n');
    const environment = readEnvironment();
    expect(environment).toMatchObject({ PATH: process.env.PATH, MEDLEY_TEST_ONLY: 'from file' });
    expect(loadConfig(environment).upstreamConstants).toEqual({ 'a.b': '1' });
  });

  it('reads .env as Windows writes it, and says so of UTF-16', () => {
    writeFileSync('.env', '\ufeffMEDLEY_TEST_ONLY="a b" \r\nMEDLEY_TEST_TOO=c\r\n');
    expect(readEnvironment()).toMatchObject({ MEDLEY_TEST_ONLY: 'a b', MEDLEY_TEST_TOO: 'c' });
    writeFileSync('.env', '\ufeffMEDLEY_TEST_ONLY=a\r\n', 'utf16le');
    expect(() => readEnvironment()).toThrow(/^\.env cannot be read: it must be saved as UTF-8/);
  });

  it('says so when .env cannot be read', () => {
    mkdirSync('.env');
    expect(() => readEnvironment()).toThrow(ConfigError);
  });
});

describe('findMisspelt', () => {
  it('warns about what looks like a misspelt variable of ours, and names no value', () => {
    const environment = {
      TELEGRAM_TOKENS: 'secret',
      USR_LIMIT: '1/1',
      CREATR: 'x',
      PUBLIC_URL: 'x',
      REQUIRE_ALL: '1',
      discord_token: 'x',
      TELEGRAM_BOT_TOKEN: 'secret',
    };
    expect(findMisspelt(environment)).toEqual([
      'TELEGRAM_TOKENS is not read; did you mean TELEGRAM_TOKEN?',
      'USR_LIMIT is not read; did you mean USER_LIMIT?',
      'CREATR is not read; did you mean CREATOR?',
      'discord_token is not read; did you mean DISCORD_TOKEN?',
      'TELEGRAM_BOT_TOKEN is not read; did you mean TELEGRAM_TOKEN?',
    ]);
  });

  it('says nothing about the variables of other programs', () => {
    const others = [
      'PATH',
      'HOME',
      'POST',
      'PORTS_DIR',
      'NODE_ENV',
      'LANG',
      'TERM',
      'USER',
      'LOGNAME',
      'npm_config_cache',
    ];
    expect(findMisspelt(Object.fromEntries(others.map(name => [name, 'x'])))).toEqual([]);
  });
});

describe('.env.example', () => {
  const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');

  it('names every variable, and nothing else', () => {
    expect(Object.keys(parseEnv(example)).sort()).toEqual([...VARIABLE_NAMES].sort());
  });

  it('changes nothing when copied as it is', () => {
    expect(loadConfig(parseEnv(example))).toEqual(loadConfig({}));
  });

  it('has one line of words and a valid example above each', () => {
    const entries = [...example.matchAll(/^# (.+) Example: (.+)\n([A-Z_]+)=/gm)];
    expect(entries.map(entry => entry[3]).sort()).toEqual([...VARIABLE_NAMES].sort());
    expect(() => loadConfig(Object.fromEntries(entries.map(entry => [entry[3], entry[2]])))).not.toThrow();
  });
});
