import { describe, expect, it, onTestFinished } from 'vitest';
import { createOsuSignIn } from '../../../src/beatmaps/upstreams/osu-sign-in.ts';
import { createAccountLinks } from '../../../src/bot/stores/account-links.ts';
import { createSettingsStore } from '../../../src/bot/stores/settings-store.ts';
import { openStore } from '../../../src/infra/store/store.ts';
import { createTestClient } from '../../fakes/http-client.ts';
import { createRecordingLog } from '../../fakes/log.ts';
import { embeddedRecords } from '../../records.ts';
import { SANDBOX_OSU } from '../../sandbox/osu.ts';
import { liveTokens } from '../../sandbox/osu-sign-in.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';

const PUBLIC_URL = 'https://medley.example';
const SARI = 'discord:11';
const BUDI = 'telegram:22';
const ENDED = { code: 'invalid_request', params: { hint: 'endedLink' } };

/** As many processes as are asked for, over one store. */
async function open() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.close());
  const store = openStore(':memory:');
  onTestFinished(() => store.close());
  const clock = { ms: Date.UTC(2026, 10, 1) };
  const now = () => clock.ms;
  const log = createRecordingLog();
  const http = createTestClient({ 'osu.ppy.sh': sandbox.origin });
  const start = (key = Buffer.alloc(32, 3)) => {
    const records = embeddedRecords(store, now);
    const settings = createSettingsStore({ records });
    const signIn = createOsuSignIn({ http, log, ...SANDBOX_OSU, redirectUri: `${PUBLIC_URL}/osu/callback` });
    return { settings, links: createAccountLinks({ records, key, publicUrl: PUBLIC_URL, signIn, settings }) };
  };
  /** What osu! sends back for a person who says yes there. */
  async function agree(address: string, player?: number): Promise<{ state: string; code: string }> {
    const headers = player === undefined ? {} : { cookie: `osu_session=${player}` };
    const asked = await http.request({ url: address, hosts: ['osu.ppy.sh'], maxRedirects: 0, headers });
    expect(asked.status).toBe(302);
    const { searchParams } = new URL(asked.headers.location ?? '');
    return { state: searchParams.get('state') ?? '', code: searchParams.get('code') ?? '' };
  }
  return { sandbox, clock, log, start, agree, ...start() };
}

const stateOf = (address: string) => new URL(address).searchParams.get('state') ?? '';

describe('linking by signing in at osu!', () => {
  it('stores who the person is, and keeps no token', async () => {
    const { links, settings, agree, sandbox, log } = await open();
    const offered = await links.offer(SARI, 'taiko');
    expect(offered).toMatch(/^https:\/\/medley\.example\/osu\/link\?state=[\w-]+\.[\w-]+$/);
    expect(await links.read(stateOf(offered))).toMatchObject({ user: SARI });
    const { address, proof } = await links.begin(stateOf(offered));
    const { origin, pathname, searchParams } = new URL(address);
    expect(`${origin}${pathname}`).toBe('https://osu.ppy.sh/oauth/authorize');
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: '4321',
      redirect_uri: 'https://medley.example/osu/callback',
      response_type: 'code',
      scope: 'identify',
      state: stateOf(offered),
    });
    const answer = await agree(address);
    const { player, platform } = await links.finish({ ...answer, proof });
    expect(player).toMatchObject({ name: 'lamp post', mode: 'taiko', proven: true });
    expect(platform).toBe('discord');
    expect((await settings.user(SARI)).player).toEqual(player);
    expect(liveTokens(sandbox.beatmaps)).toBe(0);
    expect(sandbox.count('osu.revoke')).toBe(1);
    expect(log.at('warn')).toEqual([]);
  });

  it('goes on in another process than it began in', async () => {
    const { links, start, agree } = await open();
    const state = stateOf(await links.offer(SARI, null));
    const second = start();
    const { address, proof } = await second.links.begin(state);
    const third = start();
    await third.links.finish({ ...(await agree(address)), proof });
    expect((await start().settings.user(SARI)).player).toMatchObject({ name: 'lamp post', proven: true });
  });

  it('takes a state once, and a code once', async () => {
    const { links, settings, agree } = await open();
    const { address, proof } = await links.begin(stateOf(await links.offer(SARI, null)));
    const answer = await agree(address);
    await links.finish({ ...answer, proof });
    await settings.setUser(SARI, { player: null });
    await expect(links.finish({ ...answer, proof })).rejects.toMatchObject(ENDED);
    await expect(links.begin(answer.state)).rejects.toMatchObject(ENDED);
    // The code alone, for a state that is open.
    const next = await links.begin(stateOf(await links.offer(SARI, null)));
    const replayed = { code: answer.code, state: stateOf(next.address), proof: next.proof };
    await expect(links.finish(replayed)).rejects.toMatchObject({ code: 'invalid_request', params: { what: 'code' } });
    expect((await settings.user(SARI)).player).toBeNull();
  });

  it('ends after ten minutes, with a newer offer, and when the person is forgotten', async () => {
    const { links, clock } = await open();
    const first = stateOf(await links.offer(SARI, null));
    const second = stateOf(await links.offer(SARI, null));
    const other = stateOf(await links.offer(BUDI, null));
    await expect(links.read(first)).rejects.toMatchObject(ENDED);
    await links.forgetUser(SARI);
    await expect(links.read(second)).rejects.toMatchObject(ENDED);
    expect(await links.read(other)).toMatchObject({ user: BUDI });
    clock.ms += 10 * 60_000 + 1;
    await expect(links.read(other)).rejects.toMatchObject(ENDED);
  });

  it('takes no state that it did not seal, and of another key none', async () => {
    const { links, start } = await open();
    const state = stateOf(await links.offer(SARI, null));
    const [nonce = '', seal = ''] = state.split('.');
    for (const forged of [
      '',
      '.',
      nonce,
      `${nonce}.`,
      `${nonce}.${seal}x`,
      `x${state}`,
      `${state}.x`,
      `${nonce}x.${seal}`,
    ]) {
      await expect(links.read(forged), forged).rejects.toMatchObject(ENDED);
    }
    await expect(start(Buffer.alloc(32, 4)).links.read(state)).rejects.toMatchObject(ENDED);
  });

  it('counts in the browser that was asked alone, whose state others cannot end', async () => {
    const { links, settings, agree } = await open();
    const mine = await links.begin(stateOf(await links.offer(SARI, null)));
    const theirs = await links.begin(stateOf(await links.offer(BUDI, null)));
    const answer = await agree(mine.address);
    for (const proof of [undefined, '', theirs.proof, answer.state]) {
      await expect(links.finish({ ...answer, proof })).rejects.toMatchObject(ENDED);
      await expect(links.cancel({ state: answer.state, proof })).rejects.toMatchObject(ENDED);
    }
    expect((await settings.user(SARI)).player).toBeNull();
    expect((await links.finish({ ...answer, proof: mine.proof })).player.name).toBe('lamp post');
    expect((await settings.user(BUDI)).player).toBeNull();
  });

  it.each([
    ['osu.token', 'status:500', 'upstream_unavailable'],
    ['osu.me', 'status:500', 'upstream_unavailable'],
    ['osu.me', 'html', 'upstream_changed'],
  ] as const)('links nobody when %s fails (%s), and says why', async (endpoint, fault, code) => {
    const { links, settings, agree, sandbox } = await open();
    const { address, proof } = await links.begin(stateOf(await links.offer(SARI, null)));
    const answer = await agree(address);
    sandbox.faults.set(endpoint, fault);
    await expect(links.finish({ ...answer, proof })).rejects.toMatchObject({ code });
    expect((await settings.user(SARI)).player).toBeNull();
    expect(sandbox.count('osu.revoke')).toBe(endpoint === 'osu.me' ? 1 : 0);
  });
});
