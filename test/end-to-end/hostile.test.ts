import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createApiServer } from '../fakes/api-server.ts';
import { watchBrowserConnections } from '../fakes/browser-watch.ts';
import { watchConnections } from '../fakes/connection-watch.ts';
import { HOSTILE_ADDRESSES } from '../infra/http/hostile-addresses.ts';
import { wreqMissing } from '../wreq.ts';
import { createProgramWithSandbox } from './program-with-sandbox.ts';

vi.mock('wreq-js', async importOriginal => {
  const { watchPackage } = await import('../fakes/browser-watch.ts');
  return watchPackage(await importOriginal());
});

/** Redirects and wrappers that lead a trusted address somewhere else. */
const LED_ASTRAY = HOSTILE_ADDRESSES.flatMap(({ why, address }) => [
  { why: `wrapped: ${why}`, address: `https://l.instagram.com/?u=${encodeURIComponent(address)}` },
  { why: `wrapped: ${why}`, address: `https://l.facebook.com/l.php?u=${encodeURIComponent(address)}` },
  { why: `login: ${why}`, address: `https://www.threads.com/login?next=${encodeURIComponent(address)}` },
  { why: `login: ${why}`, address: `https://www.tiktok.com/login?redirect_url=${encodeURIComponent(address)}` },
  { why: `login: ${why}`, address: `https://www.pinterest.com/login?next=${encodeURIComponent(address)}` },
  { why: `media: ${why}`, address: `https://www.reddit.com/media?url=${encodeURIComponent(address)}` },
  { why: `login page: ${why}`, address: `https://x.com/login?redirect_after_login=${encodeURIComponent(address)}` },
  { why: `player: ${why}`, address: `https://www.facebook.com/plugins/video.php?href=${encodeURIComponent(address)}` },
]);
const CORPUS = [...HOSTILE_ADDRESSES, ...LED_ASTRAY];

describe('addresses that want to lead elsewhere', () => {
  it('are at least 150 of their own, and as many wrapped', () => {
    expect(new Set(HOSTILE_ADDRESSES.map(({ address }) => address)).size).toBeGreaterThanOrEqual(150);
    expect(CORPUS.length).toBeGreaterThan(450);
  });

  it('reach no address but the upstreams, through the API', async () => {
    const { sandbox, extractor } = await createProgramWithSandbox();
    const asked: string[] = [];
    const server = await createApiServer({
      extract: (link, options) => {
        asked.push(link);
        return extractor.extract(link, options);
      },
      keys: [{ name: 'corpus', key: 'corpus-key', perHour: 'unlimited' }],
    });
    const watch = watchConnections();
    const browserWatch = watchBrowserConnections();
    const upstream = new URL(sandbox.origin).host;
    for (const { why, address } of CORPUS) {
      for (const path of ['post', 'igdownload', 'fbdownload']) {
        const headers = { 'x-api-key': 'corpus-key' };
        const answer = await server.app.inject({ url: `/api/${path}`, query: { url: address }, headers });
        expect([400, 403, 404], `${why}: ${address}`).toContain(answer.statusCode);
        expect(answer.json(), address).toMatchObject({ error: { code: expect.any(String) } });
      }
    }
    expect(asked.length).toBeGreaterThan(CORPUS.length * 2);
    const attempts = [...watch.attempts(), ...browserWatch.attempts()];
    expect(attempts.filter(attempt => attempt !== upstream)).toEqual([]);
    // The watch sees what there is to see.
    await extractor.extract('https://www.instagram.com/p/DXtramshed1/');
    expect(watch.attempts()).toContain(upstream);
    expect(sandbox.requests.map(({ host }) => host).filter(host => !isKnownHost(host))).toEqual([]);
  });

  it('are not followed when a trusted page redirects to them', async () => {
    const { sandbox, extractor } = await createProgramWithSandbox();
    await extractor.extract('https://www.instagram.com/p/DXtramshed1/');
    const watch = watchConnections();
    const browserWatch = watchBrowserConnections();
    const upstream = new URL(sandbox.origin).host;
    for (const fault of ['redirect-private', 'redirect-off-site', 'redirect-loop'] as const) {
      sandbox.faults.set('instagram.*', fault);
      sandbox.faults.set('facebook.*', fault);
      sandbox.faults.set('threads.*', fault);
      sandbox.faults.set('tiktok.*', fault);
      sandbox.faults.set('x.*', fault);
      sandbox.faults.set('bluesky.*', fault);
      sandbox.faults.set('pinterest.*', fault);
      sandbox.faults.set('reddit.*', fault);
      for (const link of [
        'https://www.instagram.com/reel/DVclaybowl1/',
        'https://www.instagram.com/share/reel/SandBowl01/',
        'https://www.facebook.com/reel/1184420716302551/',
        'https://www.facebook.com/share/r/SandReel01/',
        'https://fb.watch/sandTram01/',
        'https://www.threads.com/@ostvik.tram.museum/post/DTtramshed1',
        'https://www.threads.com/share/BAsandBowl1',
        'https://www.tiktok.com/@mara.turns.clay/video/7560000000000000011',
        'https://vm.tiktok.com/ZMsandbowl/',
        'https://www.tiktok.com/t/ZTsandbowl/',
        'https://x.com/skerrow_light/status/1980000000000000101',
        'https://t.co/SandSea101',
        'https://bsky.app/profile/skerrow.bsky.social/post/3sandvideo222',
        'https://www.pinterest.com/pin/424605071150000101/',
        'https://pin.it/SandBowl1',
        'https://www.reddit.com/r/sandpottery/comments/1sand01/a_bowl/',
        'https://www.reddit.com/r/sandpottery/s/SandShare1',
      ]) {
        await expect(extractor.extract(link), `${fault} ${link}`).rejects.toBeInstanceOf(AppError);
      }
    }
    const attempts = [...watch.attempts(), ...browserWatch.attempts()];
    expect(attempts.filter(attempt => attempt !== upstream)).toEqual([]);
    // Both watches have seen what was asked.
    expect(watch.attempts()).toContain(upstream);
    if (wreqMissing === undefined) expect(browserWatch.attempts()).toContain(upstream);
  });

  it('are not found in running text either', async () => {
    const { extractor } = await createProgramWithSandbox();
    for (const { address } of HOSTILE_ADDRESSES) {
      const found = extractor.findLinks(`look at this: ${address} nice`);
      for (const link of found)
        expect(new URL(link).hostname).toMatch(
          /^(?:www\.instagram\.com|www\.facebook\.com|fb\.watch|www\.threads\.(?:com|net)|(?:www|v[mt])\.tiktok\.com)$/,
        );
    }
  });
});

function isKnownHost(host: string): boolean {
  return /^(?:(?:www|i|m)\.)?(?:instagram|facebook|threads)\.com$|^(?:www|v[mt])\.tiktok\.com$|^fb\.watch$/.test(host);
}
