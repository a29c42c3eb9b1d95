import { describe, expect, it } from 'vitest';
import { renderStrategyTable } from '../../src/doctor/site-checks.ts';
import { adviseOn, type Setup } from '../../src/doctor/strategy-advice.ts';
import { AppError } from '../../src/errors.ts';
import type { MediaSource, PostRef, RequestProfile, Strategy } from '../../src/media/extract/source.ts';
import { type AskOptions, askStrategies, type SourceReport } from '../../src/probe/ask-sites.ts';
import { createProbe } from '../../src/probe/probe-strategy.ts';
import { makePost } from '../fakes/post.ts';
import { openCdn } from '../probe/open-cdn.ts';

const LINK = 'https://www.facebook.com/reel/1';
const SHORT = 'https://fb.watch/x/';

function refOf(url: string): PostRef {
  return { source: 'facebook', id: '1', form: 'reel', url, itemIndex: null, parts: {} };
}

function sourceOf(strategies: readonly Strategy[], more: Partial<MediaSource> = {}): MediaSource {
  return {
    id: 'facebook',
    match(address) {
      if (address.hostname === 'fb.watch') return { kind: 'short', url: address.href, key: 'x' };
      return address.hostname.endsWith('facebook.com') ? { kind: 'post', ref: refOf(address.href) } : undefined;
    },
    refOf: () => undefined,
    resolveShort: async () => LINK,
    fetch: async () => makePost(),
    strategies,
    examples: [LINK],
    canFetchStories: false,
    mediaHosts: ['cdninstagram.com'],
    ...more,
  };
}

function strategy(name: string, run: Strategy['run'], more: Partial<Strategy> = {}): Strategy {
  return { name, isAvailable: () => true, run, ...more };
}

const browserProfile: RequestProfile = {
  userAgent: null,
  headers: {},
  session: 'none',
  transport: 'browser',
  timeoutMs: 1_000,
};

async function ask(
  source: MediaSource,
  { timeoutMs, ...more }: Partial<AskOptions> & { readonly timeoutMs?: number } = {},
): Promise<SourceReport> {
  const { http } = await openCdn();
  const [report] = await askStrategies({
    sources: [source],
    links: [],
    probe: createProbe({ http, ...(timeoutMs !== undefined && { timeoutMs }) }),
    hasBrowserTransport: false,
    isStandIn: () => false,
    pauseMs: 0,
    ...more,
  });
  if (report === undefined) throw new Error('a source was not asked');
  return report;
}

const fails = (code: 'login_required' | 'upstream_changed' | 'timeout') => async () => {
  throw new AppError(code, `it is\n  ${code}`);
};

describe('askStrategies', () => {
  it('asks each alone, in order, whatever the others do', async () => {
    const asked: string[] = [];
    const report = await ask(
      sourceOf([
        strategy('walled', fails('login_required')),
        strategy('broken', async () => {
          throw new RangeError('odd');
        }),
        strategy('whole', async () => makePost()),
        strategy('half', async () => ({ ...makePost(), missingItems: 1 })),
      ]),
      { onAsk: (_, name, link) => asked.push(`${name} ${link}`) },
    );
    expect(asked).toEqual(['walled 1', 'broken 1', 'whole 1', 'half 1']);
    expect(report.reports.map(({ outcome }) => outcome)).toEqual([
      'login_required',
      'upstream_changed',
      'ok',
      'incomplete',
    ]);
    expect(report.reports[0]?.detail).toBe('it is login_required');
    expect(report.reports[3]?.detail).toMatch(/, 1 missing$/);
  });

  it('gives up one that hangs, and goes on', async () => {
    const hang = strategy('hang', (_, signal) => {
      return new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const report = await ask(sourceOf([hang, strategy('whole', async () => makePost())]), { timeoutMs: 50 });
    expect(report.reports.map(({ outcome }) => outcome)).toEqual(['timeout', 'ok']);
  });

  it('keeps a pause between two questions and ends with its time', async () => {
    const startedAt = Date.now();
    const source = sourceOf(['a', 'b', 'c'].map(name => strategy(name, async () => makePost())));
    const report = await ask(source, { pauseMs: 3_000, totalMs: 5_500 });
    expect(report.reports.map(one => one.strategy)).toEqual(['a', 'b']);
    expect(report.unjudged.time).toEqual(['c']);
    expect(Date.now() - startedAt).toBeLessThan(30_000);
  });

  it('follows short links, passes over those of others, and reports those that lead nowhere', async () => {
    const whole = strategy('whole', async () => makePost());
    const links = ['https://www.instagram.com/p/x/', SHORT, 'not a link'];
    const report = await ask(sourceOf([whole]), { links });
    expect(report.links).toEqual([LINK]);
    const lost = await ask(sourceOf([whole], { resolveShort: fails('login_required') }), { links: [SHORT] });
    expect(lost.reports).toMatchObject([{ strategy: 'short link', outcome: 'login_required', link: 1 }]);
  });

  it('says what keeps a strategy from being asked', async () => {
    const unavailable = { isAvailable: () => false };
    const report = await ask(
      sourceOf([
        strategy('page/browser', async () => makePost(), { ...unavailable, profile: browserProfile }),
        strategy('info', async () => makePost(), {
          ...unavailable,
          profile: { ...browserProfile, transport: 'plain', session: 'account' },
        }),
        strategy('photo', async () => makePost(), unavailable),
      ]),
    );
    expect(report.unjudged).toEqual({
      browser: ['page/browser'],
      account: ['info'],
      time: [],
      pause: [],
      other: ['photo'],
    });
  });
});

describe('renderStrategyTable', () => {
  it('puts the links of a strategy below each other', async () => {
    const source = sourceOf([strategy('walled', fails('login_required')), strategy('whole', async () => makePost())]);
    const report = await ask(source, { links: [LINK, `${LINK}2`] });
    const lines = renderStrategyTable(report).map(line => line.replace(/\d\.\d\d s/, 'T'));
    expect(lines.slice(0, 5)).toEqual([
      'facebook',
      `  1  ${LINK}`,
      `  2  ${LINK}2`,
      '',
      '  strategy  link  outcome         time    what came back',
    ]);
    expect(lines.slice(5).map(line => line.trim().split(/\s+/).slice(0, 3).join(' '))).toEqual([
      'walled 1 login_required',
      'walled 2 login_required',
      'whole 1 ok',
      'whole 2 ok',
    ]);
  });
});

describe('adviseOn', () => {
  const setup: Setup = {
    hasBrowserTransport: false,
    hasProxy: false,
    isSet: name => (name.startsWith('FACEBOOK') ? false : undefined),
  };
  const remedies = async (source: MediaSource, given: Partial<Setup> = {}) =>
    adviseOn(await ask(source), { ...setup, ...given }).map(
      ({ state, what, remedy }) => `${state} ${what} ${remedy ?? ''}`,
    );

  it('has nothing to say where all arrives', async () => {
    expect(await remedies(sourceOf([strategy('whole', async () => makePost())]))).toEqual([
      'ok facebook: 1 link of 1 arrive, by whole ',
    ]);
  });

  it('names the proxy and the cookies where a wall stands, unless they are set or unknown', async () => {
    const walled = sourceOf([strategy('page/plain', fails('login_required'))]);
    const advice = (await remedies(walled)).join('\n');
    expect(advice).toMatch(/^wrong facebook: no strategy brings anything here/);
    expect(advice).toContain('UPSTREAM_PROXY: set a proxy');
    expect(advice).toContain('FACEBOOK_COOKIES_FILE');
    const without = (await remedies(walled, { hasProxy: true, isSet: () => undefined })).join('\n');
    expect(without).not.toMatch(/UPSTREAM_PROXY|COOKIES_FILE/);
  });

  it('names the variable of an app where visitors are refused and the source has one that is not set', async () => {
    const walled = sourceOf([
      strategy('page/plain', fails('login_required')),
      strategy('card/feed', async () => makePost()),
    ]);
    const advice = async (isSet: boolean | undefined) =>
      (await remedies(walled, { isSet: name => (name === 'FACEBOOK_CLIENT_ID' ? isSet : undefined) })).join('\n');
    expect(await advice(false)).toContain('facebook: refuses visitors (page/plain) FACEBOOK_CLIENT_ID: ');
    expect(await advice(true)).not.toContain('CLIENT_ID');
    expect(await advice(undefined)).not.toContain('CLIENT_ID');
  });

  it('names the keys of a strategy whose answer cannot be read, even where others bring the post', async () => {
    const source = sourceOf([
      strategy('page/plain', fails('upstream_changed')),
      strategy('whole', async () => makePost()),
    ]);
    expect((await remedies(source)).join('\n')).toMatch(/UPSTREAM_CONSTANTS: .*\(facebook\.page\/plain\.\*\)/);
  });

  it('names the package of the browser transport where it is missing', async () => {
    const waiting = strategy('page/browser', fails('timeout'), { isAvailable: () => false, profile: browserProfile });
    const source = sourceOf([waiting, strategy('whole', async () => makePost())]);
    expect((await remedies(source)).join('\n')).toContain('npm install wreq-js: page/browser could then be asked.');
  });

  it('looks to the network where nothing answers', async () => {
    expect((await remedies(sourceOf([strategy('page/plain', fails('timeout'))]))).join('\n')).toContain(
      'Check the network',
    );
  });
});
