import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { demoLinks } from './links.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { siteOfHost } from './sites.ts';
import { pkOf, takenAt } from './world.ts';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

const open: Sandbox[] = [];

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox(options);
  open.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map(sandbox => sandbox.close()));
});

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

function ask(sandbox: Sandbox, address: string, { method, headers = {}, form }: Call = {}): Promise<Reply> {
  const target = new URL(address);
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  return new Promise((resolve, reject) => {
    const call = request(
      `${sandbox.origin}${target.pathname}${target.search}`,
      {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { host: target.host, ...headers },
        agent: false,
      },
      response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString() });
        });
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

const NAVIGATION = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140', 'sec-fetch-mode': 'navigate' };
/** What a browser that visited the home page sends with its scripts. */
const SCRIPT = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0.0.0 Safari/537.36',
  'sec-ch-ua': '"Chromium";v="149"',
  'sec-fetch-site': 'same-origin',
  'x-ig-app-id': '936619743392459',
  'x-fb-lsd': 'AVsandbox0T',
  'x-csrftoken': 'abc',
  cookie: 'csrftoken=abc; mid=aVisitor',
  'content-type': 'application/x-www-form-urlencoded',
};
const PK = pkOf('DVclaybowl1');
const MEDIA_ID_FORM = { lsd: 'AVsandbox0T', doc_id: '27130156389949648', variables: JSON.stringify({ media_id: PK }) };
const GRAPHQL = 'https://www.instagram.com/api/graphql';

function queryReel(sandbox: Sandbox, call: Call = {}): Promise<Reply> {
  return ask(sandbox, GRAPHQL, { form: MEDIA_ID_FORM, headers: SCRIPT, ...call });
}

async function reelAddress(sandbox: Sandbox): Promise<string> {
  const { data } = JSON.parse((await queryReel(sandbox)).text);
  return data.xig_polaris_media.if_not_gated_logged_out.video_versions[0].url;
}

describe('the sandbox as Instagram', () => {
  it('gives visitors cookies and a token', async () => {
    const home = await ask(await start(), 'https://www.instagram.com/', { headers: NAVIGATION });
    expect(home.text).toMatch(/id="__eqmc">\{.*"l":"AVsandbox0T"/);
    const names = [home.headers['set-cookie'] ?? []].flat().map(cookie => cookie.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['csrftoken', 'mid', 'ig_did']));
  });

  it('answers the query by media id with a product whose id and time agree with its code', async () => {
    const sandbox = await start();
    const { data } = JSON.parse((await queryReel(sandbox)).text);
    const product = data.xig_polaris_media.if_not_gated_logged_out;
    expect(product).toMatchObject({
      pk: PK,
      code: 'DVclaybowl1',
      media_type: 2,
      taken_at: takenAt(PK),
      like_count: 4_821,
    });
    expect(new Date(takenAt(PK) * 1000).getUTCFullYear()).toBe(2026);
    expect(sandbox.count('instagram.graphql-media-id')).toBe(1);
  });

  it('gives media info to accounts alone', async () => {
    const sandbox = await start();
    const address = `https://i.instagram.com/api/v1/media/${PK}/info/`;
    expect((await ask(sandbox, address, { headers: SCRIPT })).status).toBe(302);
    const member = await ask(sandbox, address, { headers: { ...SCRIPT, cookie: 'csrftoken=abc; sessionid=7' } });
    expect(JSON.parse(member.text).items[0]).toMatchObject({ pk: PK, video_duration: 6 });
  });

  it('makes a reel for any code when it generates', async () => {
    const sandbox = await start({ generate: true });
    const variables = JSON.stringify({ media_id: pkOf('DZabcdefghi') });
    const reply = await queryReel(sandbox, { form: { ...MEDIA_ID_FORM, variables }, headers: SCRIPT });
    expect(reply.text).toContain('"code":"DZabcdefghi"');
  });
});

describe('the sandbox as Instagram, which looks at who asks', () => {
  const REEL = 'https://www.instagram.com/reel/DVclaybowl1/';
  const BY_CODE = 'https://www.instagram.com/graphql/query';
  const SHORTCODE_FORM = {
    lsd: 'AVsandbox0T',
    doc_id: '27128499623469141',
    variables: JSON.stringify({ shortcode: 'DVclaybowl1' }),
  };
  const { 'sec-ch-ua': _, ...HINTLESS } = SCRIPT;
  const { cookie: _cookie, ...COOKIELESS } = SCRIPT;
  const PLAIN = {
    'user-agent': 'Mozilla/5.0',
    accept: '*/*',
    'x-fb-lsd': 'AVsandbox0T',
    'x-fb-friendly-name': 'PolarisPostRootQuery',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const CALLERS = {
    plain: PLAIN,
    'plain with a cookie': { ...PLAIN, cookie: 'csrftoken=abc' },
    'plain with a csrf token': { ...PLAIN, 'x-csrftoken': 'abc' },
    'plain with another LSD': { ...PLAIN, 'x-fb-lsd': 'other' },
    'plain without accept': { ...PLAIN, accept: 'text/html' },
    script: SCRIPT,
    'script without hints': HINTLESS,
    'script without cookies': COOKIELESS,
    'script with another csrf token': { ...SCRIPT, 'x-csrftoken': 'other' },
    'script with another LSD': { ...SCRIPT, 'x-fb-lsd': 'other' },
    'script of another site': { ...SCRIPT, 'sec-fetch-site': 'cross-site' },
    navigation: { ...SCRIPT, 'sec-fetch-mode': 'navigate' },
    'navigation without hints': { ...HINTLESS, 'sec-fetch-mode': 'navigate' },
    'first navigation': { ...COOKIELESS, 'sec-fetch-mode': 'navigate' },
    crawler: { 'user-agent': 'facebookexternalhit/1.1' },
    'crawler with a cookie': { 'user-agent': 'facebookexternalhit/1.1', cookie: 'mid=aVisitor' },
    search: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    app: { 'user-agent': 'Instagram 275.0.0.27.98 Android' },
    program: { 'user-agent': 'curl/8.5.0' },
  } as const;

  /** Who is shown something of the post. */
  async function shown(address: string, form?: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const sandbox = await start();
    const names: string[] = [];
    for (const [name, headers] of Object.entries(CALLERS)) {
      const reply = await ask(sandbox, address, { headers, ...(form === undefined ? {} : { form }) });
      if (/video_versions|video_url|thumbnail_url/.test(reply.text)) names.push(name);
      else expect(reply.text, name).not.toContain('scontent');
    }
    return names;
  }

  it('by a query by code', async () => {
    expect(await shown(BY_CODE, SHORTCODE_FORM)).toEqual([
      'plain',
      'script',
      'script without hints',
      'navigation',
      'navigation without hints',
    ]);
  });

  it('by a query by media id', async () => {
    expect(await shown(GRAPHQL, MEDIA_ID_FORM)).toEqual(['script', 'navigation']);
  });

  it('by its page', async () => {
    expect(await shown(REEL)).toEqual(['navigation', 'search']);
  });

  it('by its embed', async () => {
    expect(await shown('https://www.instagram.com/p/DVclaybowl1/embed/captioned/')).toEqual(['crawler']);
  });

  it('by oEmbed, in the language of who asks', async () => {
    const address = (code: string) =>
      `https://www.instagram.com/api/v1/oembed/?url=${encodeURIComponent(`https://www.instagram.com/p/${code}/`)}`;
    expect(await shown(address('DVclaybowl1'))).toEqual([
      'script',
      'script without hints',
      'script without cookies',
      'script with another csrf token',
      'script with another LSD',
      'script of another site',
      'navigation',
      'navigation without hints',
      'first navigation',
      'app',
    ]);
    const sandbox = await start();
    for (const [language, words] of [
      ['en', /People under 18/],
      ['de-DE', /nicht verf/],
    ] as const) {
      const headers = { ...CALLERS.app, 'accept-language': language };
      const reply = await ask(sandbox, address('DXkilnfire1'), { headers });
      expect(reply.status).toBe(400);
      expect(JSON.parse(reply.text)).toMatchObject({
        message: 'geoblock_required',
        title: expect.stringMatching(words),
      });
    }
  });

  it('breaks one pair of endpoint and caller alone, or a group', async () => {
    const sandbox = await start();
    sandbox.faults.set('instagram.page', 'status:500');
    sandbox.faults.clear('instagram.page.search');
    expect((await ask(sandbox, REEL, { headers: CALLERS.search })).status).toBe(200);
    expect((await ask(sandbox, REEL, { headers: CALLERS.navigation })).status).toBe(500);
    expect([sandbox.count('instagram.page'), sandbox.count('instagram.page.search')]).toEqual([2, 1]);
  });
});

describe('the sandbox as Facebook', () => {
  it('puts a decoy before the reel that was asked for', async () => {
    const page = await ask(await start(), 'https://www.facebook.com/reel/1184420716302551', { headers: NAVIGATION });
    const [decoy, asked] = ['972204416630188', '1184420716302551'].map(id =>
      page.text.indexOf(`"playback_video":{"__typename":"Video","id":"${id}"`),
    );
    expect(decoy).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(decoy ?? 0);
  });

  it('leads short links to their posts', async () => {
    const sandbox = await start();
    for (const { host, path, target } of sandbox.world.shortLinks) {
      const reply = await ask(sandbox, `https://${host}${path}`, { method: 'HEAD' });
      expect(reply.status).toBe(302);
      expect(reply.headers.location).toContain(target);
    }
  });
});

const FACEBOOK_CALLERS = {
  browser: { ...NAVIGATION, 'user-agent': 'Mozilla/5.0 (X11) Chrome/149.0.0.0', 'sec-ch-ua': '"Chromium";v="149"' },
  plain: NAVIGATION,
  crawler: { 'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)' },
  search: { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
  pretender: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0.0.0 Safari/537.36' },
  program: { 'user-agent': 'curl/8.5.0' },
} as const;

describe('the sandbox as Facebook, which looks at who asks', () => {
  const REEL = 'https://www.facebook.com/reel/1184420716302551';
  const WATCH = 'https://www.facebook.com/watch/?v=731904415522087';
  const PHOTO = 'https://www.facebook.com/photo/?fbid=122108744930184';
  const POST = 'https://www.facebook.com/permalink.php?story_fbid=1022334455667788&id=1';
  const EMBED = `https://www.facebook.com/plugins/video.php?href=${encodeURIComponent(REEL)}`;

  /** What an answer holds. */
  function showing({ status, text, headers }: Reply): string {
    if (String(headers.location ?? '').includes('/login/')) return 'login';
    if (status !== 200) return String(status);
    if (/browser_native|progressive_url|"hd_src"|viewer_image|currMedia/.test(text)) return 'media';
    return text.includes('og:image') ? 'preview' : 'nothing';
  }

  it.each([
    ['home', false],
    ['a data centre', true],
  ])('seen from %s', async (_, isDataCentre) => {
    const sandbox = await start({ isDataCentre });
    const walled = isDataCentre ? 'login' : 'media';
    const expected = {
      [REEL]: [walled, walled, 'preview', walled, '400', 'login'],
      [PHOTO]: [walled, walled, 'nothing', 'login', '400', 'login'],
      [POST]: ['media', 'media', 'preview', 'media', '400', 'login'],
      [EMBED]: ['media', 'media', 'media', '400', '400', '400'],
    };
    for (const [address, shown] of Object.entries(expected)) {
      const replies = [];
      for (const headers of Object.values(FACEBOOK_CALLERS)) replies.push(await ask(sandbox, address, { headers }));
      expect(replies.map(showing), address).toEqual(shown);
    }
  });

  it("holds another video's files under /watch, and the right ones under /reel", async () => {
    const sandbox = await start();
    const watch = await ask(sandbox, WATCH, { headers: FACEBOOK_CALLERS.plain });
    expect(watch.text).toContain('"id":"972204416630188"');
    expect(watch.text).not.toContain('"id":"731904415522087"');
    const reel = await ask(sandbox, 'https://www.facebook.com/reel/731904415522087', {
      headers: FACEBOOK_CALLERS.plain,
    });
    expect(reel.text).toContain('"id":"731904415522087"');
  });

  it('says without a token what is public, and nothing more', async () => {
    const sandbox = await start();
    const oembed = (url: string) =>
      ask(sandbox, `https://graph.facebook.com/v25.0/oembed_video?url=${encodeURIComponent(url)}`);
    const shown = await oembed(REEL);
    expect(JSON.parse(shown.text)).toMatchObject({ type: 'video', html: expect.stringContaining('blockquote') });
    expect(shown.text).not.toMatch(/thumbnail|\.mp4/);
    const hidden = await oembed('https://www.facebook.com/reel/555000111222333/');
    expect(hidden.status).toBe(400);
    expect(JSON.parse(hidden.text).error).toMatchObject({ code: 100, type: 'OAuthException' });
  });

  it('breaks one pair of address and caller alone, or a group', async () => {
    const sandbox = await start();
    sandbox.faults.set('facebook.page', 'status:500');
    sandbox.faults.clear('facebook.page.reel.plain');
    expect((await ask(sandbox, REEL, { headers: FACEBOOK_CALLERS.plain })).status).toBe(200);
    expect((await ask(sandbox, REEL, { headers: FACEBOOK_CALLERS.search })).status).toBe(500);
    expect((await ask(sandbox, EMBED, { headers: FACEBOOK_CALLERS.crawler })).status).toBe(200);
    expect([sandbox.count('facebook.page'), sandbox.count('facebook.page.reel.plain')]).toEqual([2, 1]);
  });
});

describe('the sandbox as the CDN', () => {
  it('serves a file whole, in part, and as HEAD', async () => {
    const sandbox = await start();
    const address = await reelAddress(sandbox);
    const whole = await ask(sandbox, address);
    expect(whole.headers).toMatchObject({ 'content-type': 'video/mp4', 'content-length': String(whole.body.length) });
    expect(whole.body.subarray(4, 8).toString()).toBe('ftyp');
    const part = await ask(sandbox, address, { headers: { range: 'bytes=100-199' } });
    expect(part.status).toBe(206);
    expect(part.body.equals(whole.body.subarray(100, 200))).toBe(true);
    const head = await ask(sandbox, address, { method: 'HEAD' });
    expect([head.headers.etag, head.body.length]).toEqual([whole.headers.etag, 0]);
    expect((await ask(sandbox, address, { headers: { range: 'bytes=99999999-' } })).status).toBe(416);
  });

  it('refuses addresses that were tampered with or have ended', async () => {
    let now = Date.UTC(2026, 8, 1);
    const sandbox = await start({ now: () => now, addressLifetimeMs: 60_000 });
    const address = await reelAddress(sandbox);
    const moved = address.replace(/https:\/\/[^/]+/, 'https://scontent.cdninstagram.com');
    expect((await ask(sandbox, moved)).status).toBe(200);
    expect(await ask(sandbox, address.replace('_nc_cat=104', '_nc_cat=105'))).toMatchObject({
      status: 403,
      text: 'URL signature mismatch',
    });
    now += 61_000;
    expect(await ask(sandbox, address)).toMatchObject({ status: 403, text: 'URL signature expired' });
    const fresh = await reelAddress(sandbox);
    sandbox.expireAddresses();
    expect((await ask(sandbox, fresh)).text).toBe('URL signature expired');
    expect((await ask(sandbox, await reelAddress(sandbox))).status).toBe(200);
  });
});

describe('the sandbox as the open files of osu!', () => {
  it('serves covers, avatars and previews, and none for what is not there', async () => {
    const sandbox = await start();
    const [player] = sandbox.beatmaps.players;
    const cover = await ask(sandbox, 'https://assets.ppy.sh/beatmaps/900001/covers/list@2x.jpg?1650692514');
    expect(cover.body.subarray(1, 4).toString()).toBe('PNG');
    expect([cover.body.readUInt32BE(16), cover.body.readUInt32BE(20)]).toEqual([300, 300]);
    const avatar = await ask(sandbox, `https://a.ppy.sh/${player?.id}?1.png`);
    expect(avatar.headers['content-type']).toBe('image/png');
    const preview = await ask(sandbox, 'https://b.ppy.sh/preview/900001.mp3', { headers: { range: 'bytes=0-99' } });
    expect([preview.status, preview.headers['content-type'], preview.body.length]).toEqual([206, 'audio/mpeg', 100]);
    for (const address of ['https://assets.ppy.sh/beatmaps/900001/covers/other.jpg', 'https://a.ppy.sh/1']) {
      expect((await ask(sandbox, address)).status).toBe(404);
    }
  });
});

describe('faults', () => {
  it('break one endpoint alone until they are cleared', async () => {
    const sandbox = await start({ faults: { 'instagram.graphql-media-id': 'status:500' } });
    expect((await queryReel(sandbox)).status).toBe(500);
    const headers = { ...SCRIPT, 'sec-fetch-mode': 'navigate' };
    expect((await ask(sandbox, 'https://www.instagram.com/reel/DVclaybowl1/', { headers })).status).toBe(200);
    sandbox.faults.clear();
    expect((await queryReel(sandbox)).status).toBe(200);
  });

  it.each([
    ['html', /^<!DOCTYPE html>/],
    ['login', /"require_login":true/],
    ['throttle', /1675004/],
    ['null', /"xig_polaris_media":null/],
    ['truncate', /^\{"data".*[^}]$/s],
    ['shape-changed', /"new_video_versions"/],
  ] as const)('%s looks as it should', async (fault, body) => {
    const sandbox = await start();
    sandbox.faults.set('instagram.graphql-media-id', fault, 1);
    expect((await queryReel(sandbox)).text).toMatch(body);
    expect((await queryReel(sandbox)).text).toContain('"video_versions"');
  });

  it.each(['reset', 'cut'] as const)('%s ends the connection early', async fault => {
    const sandbox = await start({ faults: { 'instagram.graphql-media-id': fault } });
    await expect(queryReel(sandbox)).rejects.toThrow(/ECONNRESET|socket hang up|aborted/);
  });

  it.each(['hang', 'stall', 'drip', 'endless'] as const)('%s does not keep the sandbox from closing', async fault => {
    const sandbox = await start({ faults: { cdn: fault } });
    const answer = ask(sandbox, await reelAddress(sandbox)).then(
      () => 'whole',
      () => 'broken',
    );
    const first = await Promise.race([answer, new Promise(resolve => setTimeout(resolve, 50, 'waiting'))]);
    await sandbox.close();
    open.length = 0;
    expect([first, await answer]).toEqual(['waiting', 'broken']);
  });
});

it('every link of the demo is distinct and on a host that is played', async () => {
  const links = demoLinks((await start()).world);
  expect(new Set(links.map(link => link.url)).size).toBe(links.length);
  const hosts = ['www.instagram.com', 'www.facebook.com', 'fb.watch'];
  for (const { hostname } of links.map(({ url }) => new URL(url))) {
    expect(hosts.includes(hostname) || siteOfHost(hostname) !== undefined, hostname).toBe(true);
  }
});

describe('the sandbox as osu! and its mirrors', () => {
  const SEARCH = 'https://osu.ppy.sh/api/v2/beatmapsets/search?q=comet&nsfw=true';

  it('wants a token, and gives one for the credentials it knows', async () => {
    const sandbox = await start();
    expect((await ask(sandbox, SEARCH)).status).toBe(401);
    const form = { grant_type: 'client_credentials', scope: 'public', client_id: '4321', client_secret: 'wrong' };
    const token = 'https://osu.ppy.sh/oauth/token';
    expect((await ask(sandbox, token, { form })).status).toBe(401);
    const right = { ...form, client_secret: 'SandboxSecretOfAnApplication' };
    const { access_token } = JSON.parse((await ask(sandbox, token, { form: right })).text);
    const found = await ask(sandbox, SEARCH, { headers: { authorization: `Bearer ${access_token}` } });
    expect(JSON.parse(found.text)).toMatchObject({
      total: 1,
      cursor_string: null,
      beatmapsets: [{ title: 'Paper Comet' }],
    });
    expect(sandbox.count('osu.search')).toBe(2);
  });

  it('plays mirrors that differ in spelling, shape and faults', async () => {
    const sandbox = await start({ beatmapsets: 100 });
    const direct = JSON.parse((await ask(sandbox, 'https://osu.direct/api/v2/search?q=comet')).text);
    expect(direct).toMatchObject([{ title: 'Paper Comet', title_unicode: null }]);
    const catboy = 'https://catboy.best/api/v2/search?query=comet';
    expect(JSON.parse((await ask(sandbox, catboy)).text)).toMatchObject([{ last_updated: expect.any(Number) }]);
    sandbox.faults.set('catboy.*', 'ignore-query');
    expect(JSON.parse((await ask(sandbox, catboy)).text)).toHaveLength(50);
    const hinai = 'https://mirror.hinamizawa.ai/v3/osu/beatmaps/search/v2?query=comet&max_stars=1';
    expect(JSON.parse((await ask(sandbox, hinai)).text)).toMatchObject({ beatmapsets: [], total_count: 0 });
  });
});
