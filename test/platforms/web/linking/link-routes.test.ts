import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createErrorRenderer } from '../../../../src/api/errors.ts';
import { PLAY_PAGE_POLICY } from '../../../../src/api/media/play-page.ts';
import { createOsuSignIn } from '../../../../src/beatmaps/upstreams/osu-sign-in.ts';
import { createAccountLinks } from '../../../../src/bot/stores/account-links.ts';
import { createMemoryRateLimiter } from '../../../../src/infra/rate-limit/rate-limit.ts';
import { createServer } from '../../../../src/infra/server/server.ts';
import { linkRoutes } from '../../../../src/platforms/web/linking/link-routes.ts';
import { sampleServices } from '../../../bot/sample.ts';
import { createTestClient } from '../../../fakes/http-client.ts';
import { createRecordingLog } from '../../../fakes/log.ts';
import { embeddedRecords } from '../../../records.ts';
import { SANDBOX_OSU } from '../../../sandbox/osu.ts';
import { createSandbox } from '../../../sandbox/sandbox.ts';

const PUBLIC_URL = 'https://medley.example';
const SARI = 'discord:11';
const FORM = {
  host: 'medley.example',
  origin: PUBLIC_URL,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
};

async function open(publicUrl = PUBLIC_URL) {
  const sandbox = await createSandbox();
  const log = createRecordingLog();
  const http = createTestClient({ 'osu.ppy.sh': sandbox.origin });
  const { settings } = sampleServices();
  const links = createAccountLinks({
    records: embeddedRecords(),
    key: Buffer.alloc(32, 3),
    publicUrl,
    signIn: createOsuSignIn({ http, log, ...SANDBOX_OSU, redirectUri: `${publicUrl}/osu/callback` }),
    settings,
  });
  const server = createServer({ log, trustProxy: [], publicUrl, renderError: createErrorRenderer('Medley') });
  await server.app.register(linkRoutes({ links, publicUrl, limiter: createMemoryRateLimiter(), log }));
  onTestFinished(async () => {
    await server.stop();
    await sandbox.close();
  });
  const host = new URL(publicUrl).host;
  const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    server.app.inject({ url: url.replace(publicUrl, ''), headers: { host, ...headers } });
  const post = (url: string, headers: Readonly<Record<string, string>> = FORM) =>
    server.app.inject({ method: 'POST', url: url.replace(publicUrl, ''), headers, payload: '' });
  /** What osu! answers a browser that comes from us: the address it is sent back to. */
  async function atOsu(address: string, session?: string): Promise<string> {
    const headers = session === undefined ? {} : { cookie: `osu_session=${session}` };
    const asked = await http.request({ url: address, hosts: ['osu.ppy.sh'], maxRedirects: 0, headers });
    return asked.headers.location ?? '';
  }
  return { sandbox, log, settings, links, get, post, atOsu };
}

/** What a browser would send back. */
function cookieIn(answer: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
}

describe('the pages that link a player', () => {
  it('ask, lead to osu! and back, and say that it is done', async () => {
    const { links, get, post, atOsu, settings, log } = await open();
    const address = await links.offer(SARI, null);
    const asked = await get(address);
    expect(asked.statusCode).toBe(200);
    expect(asked.body).toContain('person on Discord');
    expect(asked.body).toContain('If someone sent you this address, close this page.');
    expect(asked.headers['set-cookie']).toBeUndefined();
    const action = /<form method="post" action="([^"]+)">/.exec(asked.body)?.[1] ?? '';
    const gone = await post(action);
    expect(gone.statusCode).toBe(303);
    expect(gone.headers.location).toMatch(/^https:\/\/osu\.ppy\.sh\/oauth\/authorize\?/);
    expect(gone.headers['set-cookie']).toMatch(
      /^medley_link=[\w-]+; Path=\/osu; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const back = await atOsu(String(gone.headers.location));
    expect(back).toMatch(/^https:\/\/medley\.example\/osu\/callback\?code=\w+&state=/);
    const done = await get(back, { cookie: `other=1; ${cookieIn(gone)}`, 'accept-language': 'id, en;q=0.5' });
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('Sekarang kamu dikenal sebagai lamp post di Discord.');
    expect(done.headers['set-cookie']).toContain('Max-Age=0');
    expect((await settings.user(SARI)).player).toMatchObject({ name: 'lamp post', proven: true });
    expect(log.at('warn')).toEqual([]);
  });

  it('take an answer once', async () => {
    const { links, get, post, atOsu, settings } = await open();
    const gone = await post(await links.offer(SARI, null));
    const back = await atOsu(String(gone.headers.location));
    const cookie = cookieIn(gone);
    expect((await get(back, { cookie })).statusCode).toBe(200);
    await settings.setUser(SARI, { player: null });
    const again = await get(back, { cookie });
    expect(again.statusCode).toBe(400);
    expect(again.body).toContain('Send /osu link in the chat for a new one.');
    expect((await settings.user(SARI)).player).toBeNull();
  });

  it('do not let one person sign in for another', async () => {
    const { links, get, post, atOsu, settings } = await open();
    const mine = await links.offer(SARI, null);
    // A page elsewhere sends the form, or a browser that never saw the question brings an answer.
    for (const headers of [
      { ...FORM, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
      { ...FORM, origin: 'null' },
      { host: FORM.host, 'content-type': FORM['content-type'] },
      { ...FORM, 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await post(mine, headers);
      expect(refused.statusCode).toBe(400);
      expect(refused.headers.location).toBeUndefined();
      expect(refused.headers['set-cookie']).toBeUndefined();
    }
    const gone = await post(mine);
    const back = await atOsu(String(gone.headers.location));
    expect((await get(back)).statusCode).toBe(400);
    const other = await post(await links.offer('telegram:22', null));
    expect((await get(back, { cookie: cookieIn(other) })).statusCode).toBe(400);
    expect((await settings.user(SARI)).player).toBeNull();
    expect((await get(back, { cookie: cookieIn(gone) })).statusCode).toBe(200);
  });

  it('lead nowhere but to osu!, whatever the address says', async () => {
    const { links, post, get } = await open();
    const address = await links.offer(SARI, null);
    const gone = await post(`${address}&redirect_uri=https://elsewhere.example&return_to=//elsewhere.example`);
    expect(String(gone.headers.location)).not.toContain('elsewhere');
    expect(new URL(String(gone.headers.location)).origin).toBe('https://osu.ppy.sh');
    for (const state of ['https://elsewhere.example', '//elsewhere.example', '"><script>', 'x'.repeat(500), '']) {
      for (const path of ['/osu/link', '/osu/callback']) {
        const refused = await get(`${path}?code=1&state=${encodeURIComponent(state)}`);
        expect(refused.statusCode).toBe(400);
        expect(refused.headers.location).toBeUndefined();
        expect(refused.body).not.toContain('elsewhere');
        expect(refused.body).not.toContain('<script');
      }
    }
  });

  it('say in one sentence that the person did not agree, and end what was open', async () => {
    const { links, get, post, atOsu, settings } = await open();
    const gone = await post(await links.offer(SARI, null));
    const back = await atOsu(String(gone.headers.location), 'no');
    const cookie = cookieIn(gone);
    expect((await get(back, { cookie })).body).toContain('You did not allow it at osu!');
    expect((await get(back, { cookie })).statusCode).toBe(400);
    expect((await settings.user(SARI)).player).toBeNull();
  });

  it('say in one sentence what failed, and log neither code nor state', async () => {
    const { links, get, post, atOsu, sandbox, log } = await open();
    const gone = await post(await links.offer(SARI, null));
    const back = await atOsu(String(gone.headers.location));
    sandbox.faults.set('osu.token', 'status:503');
    const failed = await get(back, { cookie: cookieIn(gone) });
    expect(failed.statusCode).toBe(503);
    expect(failed.body).toContain('osu! is not answering right now.');
    const { searchParams } = new URL(back);
    const lines = inspect(log.lines, { depth: 8 });
    expect(lines).toContain('a player could not be linked');
    for (const secret of [searchParams.get('code'), searchParams.get('state'), SANDBOX_OSU.clientSecret]) {
      expect(lines).not.toContain(secret);
      expect(failed.body).not.toContain(secret);
    }
  });

  it('are in no frame, in no cache, and send nobody their address', async () => {
    const { links, get } = await open();
    const { headers } = await get(await links.offer(SARI, null));
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('same-origin');
  });

  it('look like the pages that play a video', async () => {
    const { links, get } = await open();
    const { headers } = await get(await links.offer(SARI, null));
    const styleOf = (policy: unknown) => /style-src '[^']+'/.exec(String(policy))?.[0];
    expect(styleOf(headers['content-security-policy'])).toBe(styleOf(PLAY_PAGE_POLICY));
  });

  it('answer one address so many times a minute', async () => {
    const { get } = await open();
    const states = new Set<number>();
    for (let visit = 0; visit < 40; visit += 1) states.add((await get('/osu/link?state=x')).statusCode);
    expect([...states]).toEqual([400]);
    const refused = await get('/osu/link?state=x');
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('work without TLS on a machine of one’s own', async () => {
    const { links, post } = await open('http://127.0.0.1:3000');
    const gone = await post(await links.offer(SARI, null), {
      ...FORM,
      host: '127.0.0.1:3000',
      origin: 'http://127.0.0.1:3000',
    });
    expect(gone.statusCode).toBe(303);
    expect(gone.headers['set-cookie']).not.toContain('Secure');
  });
});
