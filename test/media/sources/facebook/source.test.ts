import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { HttpRequest } from '../../../../src/infra/http/http-client.ts';
import type { Accounts } from '../../../../src/media/extract/accounts.ts';
import { parseCookiesFile } from '../../../../src/media/extract/cookies-file.ts';
import { refusesCaller } from '../../../../src/media/extract/refusal.ts';
import type { PostRef, Strategy } from '../../../../src/media/extract/source.ts';
import { type Post, playableVariants } from '../../../../src/media/post.ts';
import { facebook } from '../../../../src/media/sources/facebook/descriptor.ts';
import { openAccounts } from '../../../fakes/accounts.ts';
import { createFakeUpstream, type FakeRoute, silentLog } from '../../../fakes/instagram-upstream.ts';
import { fixture, IDS, REFS, refOf } from './fixture.ts';

const NOW = Date.UTC(2026, 9, 1);

/** Without a browser transport, as where its package is missing. */
function setUp(
  routes: Readonly<Record<string, FakeRoute>>,
  extraStrategies: readonly Strategy[] = [],
  accounts?: Accounts,
) {
  // For a post that is said not to exist no account is asked.
  const missing = accounts && { location: '/login/' };
  const http = { ...createFakeUpstream(routes, missing), hasBrowserTransport: false };
  const options = { http, extraStrategies, accounts, log: silentLog, now: () => NOW, deadlineMs: 3_000 };
  const source = facebook.create(options);
  const fetch = (ref: PostRef): Promise<Post> => source.fetch(ref, { signal: AbortSignal.timeout(50_000) });
  const failure = async (ref: PostRef): Promise<AppError> => {
    try {
      await fetch(ref);
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    throw new Error('gave a post');
  };
  const resolve = (url: string) => source.resolveShort(url, { signal: AbortSignal.timeout(50_000) });
  return { http, source, fetch, failure, resolve };
}

const REEL_PATH = `GET /reel/${IDS.reel}`;
const everywhere = (route: FakeRoute) => ({
  [REEL_PATH]: route,
  'GET /watch/': route,
  'GET /plugins/video.php': route,
});
const page = (name: string): FakeRoute => ({ text: fixture(name) });
const files = (post: Post) =>
  post.items.flatMap(item => playableVariants(item).map(one => /(\w+)\.mp4/.exec(one.url)?.[1]));

const OEMBED_VIDEO = 'GET /v25.0/oembed_video';
const PUBLIC: FakeRoute = { text: '{"html":"<blockquote></blockquote>","type":"video"}' };

describe('fetch', () => {
  it('asks for a video as a reel, as a browser that opens it, once', async () => {
    const { http, fetch } = setUp({ [REEL_PATH]: page('reel.html') });
    const post = await fetch(REFS.reel);
    expect(post).toMatchObject({
      source: 'facebook',
      id: IDS.reel,
      url: `https://www.facebook.com/reel/${IDS.reel}`,
      strategy: 'reel-page/plain',
      fetchedAt: NOW,
      expiresAt: 0x7a000000 * 1000,
    });
    expect(files(post)).toEqual(['clay_hd', 'clay_sd']);
    expect(http.asked).toEqual([REEL_PATH]);
    expect(http.requests[0]?.headers).toMatchObject({
      'user-agent': expect.stringMatching(/Chrome\/149\./),
      'accept-language': expect.stringMatching(/^en-US/),
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
    });
    expect(http.requests[0]).toMatchObject({
      hosts: ['facebook.com', '*.facebook.com'],
      transport: 'plain',
      retries: 0,
      maxRedirects: 0,
      maxBytes: 16 * 1024 * 1024,
    });
  });

  it('asks by the browser transport first, which says itself who it is', async () => {
    const http = createFakeUpstream({ [REEL_PATH]: page('reel.html') });
    const source = facebook.create({ http, log: silentLog, now: () => NOW });
    const post = await source.fetch(REFS.reel, { signal: AbortSignal.timeout(50_000) });
    expect(post.strategy).toBe('reel-page/browser');
    expect(http.requests[0]).toMatchObject({
      transport: 'browser',
      headers: { 'accept-language': expect.anything() },
    });
    expect(Object.keys(http.requests[0]?.headers ?? {})).not.toContain('user-agent');
  });

  it.each<[string, Readonly<Record<string, FakeRoute>>, PostRef, string]>([
    ['the embedded player', { 'GET /plugins/video.php': page('embed.html') }, REFS.watch, 'embed/crawler'],
    ['the reel page', { [`GET /reel/${IDS.watch}`]: page('watch.html') }, REFS.watch, 'reel-page/plain'],
    ['the watch page, last', { 'GET /watch/': page('reel.html') }, REFS.reel, 'watch-page/plain'],
    [
      'the page under the owner',
      { [`GET /tidewatch/videos/${IDS.watch}/`]: page('watch.html') },
      REFS.watch,
      'video-page/plain',
    ],
    ['the photo page', { 'GET /photo/': page('photo.html') }, REFS.photo, 'photo-page/plain'],
    ['the older photo page', { 'GET /photo.php': page('photo.html') }, REFS.photo, 'photo-php/plain'],
    [
      'the page of a post',
      { [`GET /nordkap.trams/posts/${IDS.postVideo}`]: page('post-video.html') },
      REFS.postVideo,
      'post-page/plain',
    ],
    [
      'the older group page',
      { 'GET /groups/claypeople/permalink/3300200100500/': page('post-video.html') },
      refOf('https://www.facebook.com/groups/claypeople/posts/3300200100500'),
      'group-page/plain',
    ],
    [
      'the older story page',
      { 'GET /story.php': page('post-video.html') },
      refOf('https://www.facebook.com/permalink.php?story_fbid=3300200100500&id=100064000000005'),
      'story-page/plain',
    ],
  ])('answers from %s', async (_, routes, ref, strategy) => {
    expect((await setUp(routes).fetch(ref)).strategy).toBe(strategy);
  });

  it('asks the player for the permanent address of a video', async () => {
    const { http, fetch } = setUp({ 'GET /plugins/video.php': page('embed.html') });
    await fetch(REFS.watch);
    const href = new URL(http.requests.at(-1)?.url ?? '').searchParams.get('href');
    expect(href).toBe(`https://www.facebook.com/tidewatch/videos/${IDS.watch}/`);
    expect(http.requests.at(-1)?.headers?.['user-agent']).toMatch(/^facebookexternalhit\/1\.1/);
  });

  it('follows the site to the right page, but not to its login page', async () => {
    const moved = setUp({
      [REEL_PATH]: { location: `http://www.facebook.com/watch/?v=${IDS.reel}` },
      'GET /watch/': page('reel.html'),
    });
    expect((await moved.fetch(REFS.reel)).strategy).toBe('reel-page/plain');
    expect(moved.http.requests.map(one => one.url)).toEqual([
      `https://www.facebook.com/reel/${IDS.reel}`,
      `https://www.facebook.com/watch/?v=${IDS.reel}`,
    ]);
    const walled = setUp({ [REEL_PATH]: { location: '/login/?next=x' }, 'GET /login/': page('login-wall.html') });
    expect((await walled.failure(REFS.reel)).code).toBe('login_required');
    expect(walled.http.countOf('GET /login/')).toBe(0);
  });

  it.each<[string, FakeRoute]>([
    ['garbage', { text: '\u0000\u0001{"' }],
    ['truncated JSON', { text: fixture('reel.html').slice(0, 4_000) }],
    ['a login wall', page('login-wall.html')],
    ['a feed', page('feed.html')],
    ['other videos only', page('others-only.html')],
    ['a block', page('blocked.html')],
    ['status 500', { status: 500 }],
    ['status 429', { status: 429 }],
    ['a broken connection', { error: new AppError('upstream_unavailable', 'reset') }],
    ['a throw of anything', { error: new RangeError('odd') }],
  ])('goes on after %s', async (_, broken) => {
    const post = await setUp({ [REEL_PATH]: broken, 'GET /watch/': page('reel.html') }).fetch(REFS.reel);
    expect(post.strategy).toBe('watch-page/plain');
    expect(files(post)).toEqual(['clay_hd', 'clay_sd']);
  });

  it('goes on after a hang', async () => {
    const never: FakeRoute = { after: new Promise(() => {}) };
    const { fetch } = setUp({ [REEL_PATH]: never, 'GET /watch/': page('reel.html') });
    expect((await fetch(REFS.reel)).strategy).toBe('watch-page/plain');
  });

  it('asks what was added last', async () => {
    const { fetch } = setUp({ [REEL_PATH]: page('reel.html') });
    const found = await fetch(REFS.reel);
    const extra: Strategy = {
      name: 'extra',
      isAvailable: () => true,
      run: async () => ({ ...found, strategy: 'extra' }),
    };
    const second = setUp({}, [extra]);
    expect((await second.fetch(REFS.reel)).strategy).toBe('extra');
    expect(second.http.asked).toEqual([
      REEL_PATH,
      'GET /plugins/video.php',
      OEMBED_VIDEO,
      'GET /plugins/video.php',
      'GET /watch/',
      REEL_PATH,
    ]);
  });

  it('passes the client challenge once and keeps its cookie', async () => {
    let isIn = false;
    const { http, fetch } = setUp({
      [REEL_PATH]: request => {
        isIn = request.cookies?.getCookiesSync('https://www.facebook.com/').some(one => one.key === 'rd') ?? false;
        return isIn ? { text: fixture('reel.html') } : { status: 403, text: fixture('challenge.html') };
      },
      'POST /__rd_verify_a1B2': { cookies: ['rd=1; Path=/; Secure'] },
    });
    expect((await fetch(REFS.reel)).strategy).toBe('reel-page/plain');
    expect(http.asked).toEqual([REEL_PATH, 'POST /__rd_verify_a1B2', REEL_PATH]);
  });
});

describe('the signal, and the code it means', () => {
  it.each<[string, FakeRoute, string]>([
    ['a redirect to the login page', { location: `/login/?next=%2Freel%2F${IDS.reel}` }, 'login_required'],
    ['a canonical link to the login page', page('login-wall.html'), 'login_required'],
    ['words of a login', { text: '<div>You must log in to continue.</div>' }, 'login_required'],
    ['a login form', { text: '<form id="login_form"></form>' }, 'login_required'],
    ['a login button', { text: '<button id="loginbutton">' }, 'login_required'],
    ['status 403', { status: 403 }, 'login_required'],
    ['status 400, as the site answers addresses that it refuses', { status: 400, text: 'Sorry' }, 'login_required'],
    ['an unavailable page, with a login form', page('unavailable.html'), 'not_found'],
    ['an unavailable page, typeset', { text: '{"text":"This content isn\\u2019t available right now"}' }, 'not_found'],
    [
      'an unavailable page, by the root that a blocked visitor gets too',
      {
        text: '<form id="login_form"></form><script type="application/json">{"rootView":{"resource":{"__dr":"CometErrorRoot.react"},"props":{"title":"This content isn\'t available right now"}}}</script>',
      },
      'not_found',
    ],
    ['a title', { text: '<title>Page Not Found</title>' }, 'not_found'],
    ['status 404 everywhere', { status: 404, text: '<form id="login_form"></form>' }, 'not_found'],
    ['a feed of videos', page('feed.html'), 'not_found'],
    ['videos of others only', page('others-only.html'), 'not_found'],
    ['a temporary block', page('blocked.html'), 'upstream_rate_limited'],
    [
      'a block in a script that is not JSON',
      { text: '<script>load({"root":{"__dr":"CometErrorRoot.react"}})</script>' },
      'upstream_rate_limited',
    ],
    ['a checkpoint', { location: '/checkpoint/?next' }, 'upstream_rate_limited'],
    ['a second step of the login', { location: '/two_step_verification/two_factor/?next' }, 'login_required'],
    ['status 429', { status: 429, headers: { 'retry-after': '90' } }, 'upstream_rate_limited'],
    ['a challenge that cannot be passed', { status: 403, text: fixture('challenge.html') }, 'upstream_rate_limited'],
    ['status 500', { status: 500 }, 'upstream_unavailable'],
    ['a country', { text: '<p>This video isn’t available in your country</p>' }, 'region_blocked'],
    ['status 451', { status: 451 }, 'region_blocked'],
    ['an age', { text: '<p>This video is age-restricted</p>' }, 'age_restricted'],
    [
      'an age, by the name of the page alone',
      {
        text: '<form id="login_form"></form><script type="application/json">{"canonicalRouteName":"comet.fbweb.CometAgeInappropriateLoggedOutErrorRoute"}</script>',
      },
      'age_restricted',
    ],
    ['a closed group', { text: '<p>Only members can see who&#039;s in the group and what they post</p>' }, 'private'],
    ['a page of an unknown kind', page('empty.html'), 'upstream_changed'],
    ['nothing', { text: '' }, 'upstream_changed'],
  ])('%s', async (_, route, code) => {
    const error = await setUp(everywhere(route)).failure(REFS.reel);
    expect(error.code).toBe(code);
    expect(error.params.weak).toBeUndefined();
  });

  it('counts status 400 as a refusal of this address, which other posts meet too', async () => {
    expect(refusesCaller(await setUp(everywhere({ status: 400 })).failure(REFS.reel))).toBe(true);
  });

  it('ends the chain at a definitive one', async () => {
    const { http, failure } = setUp(everywhere(page('unavailable.html')));
    await failure(REFS.reel);
    expect(http.asked).toEqual([REEL_PATH]);
  });

  it('keeps the time to wait and every cause', async () => {
    const error = await setUp(everywhere({ status: 429, headers: { 'retry-after': '90' } })).failure(REFS.reel);
    expect(error.retryAfterMs).toBe(90_000);
    const { cause } = error;
    if (!(cause instanceof AggregateError)) throw new Error('no causes');
    expect(cause.errors.map((one: Error) => one.message.split(':')[0])).toEqual([
      'reel-page/plain',
      'embed/crawler',
      'embed/plain',
      'watch-page/plain',
      'reel-page/search',
    ]);
  });

  it('throws what says most when all fail differently', async () => {
    const wall = await setUp({ [REEL_PATH]: page('login-wall.html'), 'GET /watch/': { status: 500 } }).failure(
      REFS.reel,
    );
    expect(wall.code).toBe('login_required');
    const limited = await setUp({ [REEL_PATH]: { status: 503 }, 'GET /watch/': page('blocked.html') }).failure(
      REFS.reel,
    );
    expect(limited.code).toBe('upstream_rate_limited');
  });

  it('brings a post of words alone, even beside a login form', async () => {
    const words = await setUp({ [`GET /lena/posts/${IDS.postWords}`]: page('post-words.html') }).fetch(REFS.postWords);
    expect(words).toMatchObject({ items: [], missingItems: 0, caption: expect.any(String) });
  });

  it('says that a broadcast is still on the air', async () => {
    const live = await setUp({ 'GET /watch/': page('live.html') }).failure(REFS.live);
    expect(live).toMatchObject({ code: 'unsupported_link', params: { what: 'live' } });
  });

  it('makes no request for a story', async () => {
    const { http, source, failure } = setUp({});
    const match = source.match(new URL('https://www.facebook.com/stories/100064000000005/'));
    if (match?.kind !== 'story') throw new Error('no story');
    expect((await failure(match.ref)).code).toBe('login_required');
    expect(http.asked).toEqual([]);
  });
});

describe('the oracle', () => {
  const wall = page('login-wall.html');
  const walled = (oracle: FakeRoute) => setUp({ ...everywhere(wall), [OEMBED_VIDEO]: oracle });
  const refused = (message: string): FakeRoute => ({
    status: 400,
    text: JSON.stringify({ error: { message, type: 'OAuthException', code: 100 } }),
  });

  it('distinguishes a wall in front of a public post from a post behind the login', async () => {
    const ours = await walled(PUBLIC).failure(REFS.reel);
    expect(ours).toMatchObject({ code: 'login_required', params: { what: 'wall' } });
    expect(ours.message).toContain('the post is public');
    const theirs = await walled(refused('(#100) Invalid parameter')).failure(REFS.reel);
    expect(theirs.code).toBe('login_required');
    expect(theirs.params.what).toBeUndefined();
  });

  it('is asked once, without a token, on its own host alone', async () => {
    const { http, failure } = walled(PUBLIC);
    await failure(REFS.reel);
    expect(http.countOf(OEMBED_VIDEO)).toBe(1);
    const request = http.requests.find(one => String(one.url).startsWith('https://graph.facebook.com/'));
    expect(request?.hosts).toEqual(['graph.facebook.com']);
    const query = new URL(request?.url ?? '').searchParams;
    expect([...query.keys()]).toEqual(['url', 'omitscript']);
    expect(query.get('url')).toBe(`https://www.facebook.com/reel/${IDS.reel}/`);
    expect(request?.retries).toBe(0);
  });

  it('is asked about a post as a post', async () => {
    const { http, failure } = setUp({ 'GET /v25.0/oembed_post': PUBLIC });
    await failure(REFS.postPhotos);
    const request = http.requests.find(one => String(one.url).includes('/oembed_post?'));
    expect(new URL(request?.url ?? '').searchParams.get('url')).toBe(REFS.postPhotos.url);
  });

  it.each([
    ['This content is not available in your country', 'region_blocked'],
    ['This video is private', 'private'],
    ['You must be 18 years old to see this', 'age_restricted'],
  ])('gives the reason that its words prove: %s', async (message, code) => {
    const { http, failure } = walled(refused(message));
    expect((await failure(REFS.reel)).code).toBe(code);
    expect(http.asked.length).toBeLessThanOrEqual(3);
  });

  it.each<[string, FakeRoute]>([
    ['that it knows no such post', refused('Unsupported get request. Object does not exist')],
    ['that the content is not available', refused("This content isn't available right now")],
    ['too many requests', { status: 429 }],
    ['nothing', { text: '' }],
    ['a hang-up', { error: new AppError('upstream_unavailable', 'reset') }],
  ])('proves nothing by %s', async (_, oracle) => {
    expect((await walled(oracle).failure(REFS.reel)).code).toBe('login_required');
  });

  it('keeps a public post from being called removed', async () => {
    const gone = { ...everywhere({ status: 404 }), [OEMBED_VIDEO]: PUBLIC };
    expect((await setUp(gone).failure(REFS.reel)).code).toBe('upstream_changed');
  });
});

describe('resolveShort', () => {
  const SHARE = 'https://www.facebook.com/share/v/1AbCdEfGh/';
  const at = (route: FakeRoute) => ({ 'GET /share/v/1AbCdEfGh/': route });

  it.each<[string, FakeRoute, string]>([
    ['a reel', { location: `https://www.facebook.com/reel/${IDS.reel}/?rdid=x&share_url=y` }, REFS.reel.url],
    [
      'a story page',
      { location: '/story.php?story_fbid=3300200100500&id=100064000000005&rdid=x' },
      'https://www.facebook.com/permalink.php?story_fbid=3300200100500&id=100064000000005',
    ],
    ['a login page that names it', { location: `/login/?next=${encodeURIComponent(REFS.reel.url)}` }, REFS.reel.url],
    ['a page that names it', page('share.html'), REFS.postVideo.url],
    ['a header that names it', { headers: { link: `<${REFS.reel.url}/>; rel="canonical"` } }, REFS.reel.url],
    [
      'a group',
      { location: 'https://www.facebook.com/groups/claypeople/' },
      'https://www.facebook.com/groups/claypeople/',
    ],
  ])('finds %s', async (_, route, expected) => {
    const { http, resolve } = setUp(at(route));
    expect(await resolve(SHARE)).toBe(expected);
    expect(http.asked).toEqual(['GET /share/v/1AbCdEfGh/']);
    expect(http.requests[0]).toMatchObject({ retries: 0, maxRedirects: 0 });
  });

  it('asks as a browser where a link preview gets the login page', async () => {
    const { http, resolve } = setUp(
      at(request =>
        request.headers?.['sec-fetch-mode'] === 'navigate'
          ? { location: REFS.reel.url }
          : { location: '/login/?next=%2Fshare%2Fv%2F1AbCdEfGh%2F' },
      ),
    );
    expect(await resolve(SHARE)).toBe(REFS.reel.url);
    expect(http.countOf('GET /share/v/1AbCdEfGh/')).toBe(2);
  });

  it('asks once where the site refuses this address, and so is to be asked once', async () => {
    const { http, source } = setUp(at({ location: '/login/' }));
    const context = { signal: AbortSignal.timeout(10_000), isSingle: true };
    await expect(source.resolveShort(SHARE, context)).rejects.toMatchObject({ code: 'login_required' });
    expect(http.asked).toHaveLength(1);
  });

  it('follows several redirects on the site, over https', async () => {
    const { http, resolve } = setUp({
      'GET /aB3xY9z1/': { location: 'http://www.facebook.com/share/v/1AbCdEfGh/' },
      ...at({ location: `https://m.facebook.com/watch/?v=${IDS.watch}` }),
    });
    expect(await resolve('https://fb.watch/aB3xY9z1/')).toBe(`https://www.facebook.com/watch/?v=${IDS.watch}`);
    expect(http.requests.map(one => String(one.url))).toEqual(['https://fb.watch/aB3xY9z1/', SHARE]);
  });

  it.each<[string, FakeRoute, string]>([
    ['off the site', { location: 'https://evil.example/reel/1' }, 'unsupported_link'],
    ['to a private address', { location: 'http://169.254.169.254/latest' }, 'unsupported_link'],
    ['to the login page', { location: '/login/' }, 'login_required'],
    ['to the home page', { location: '/' }, 'not_found'],
    ['nowhere', { status: 404 }, 'not_found'],
    ['to itself', { location: '/share/v/1AbCdEfGh/' }, 'upstream_changed'],
    ['to a page that names nothing', page('empty.html'), 'upstream_changed'],
    ['to an unavailable page', page('unavailable.html'), 'not_found'],
    ['to a limit', { status: 429 }, 'upstream_rate_limited'],
  ])('fails when it leads %s', async (_, route, code) => {
    const { http, resolve } = setUp(at(route));
    await expect(resolve(SHARE)).rejects.toMatchObject({ name: 'AppError', code });
    expect(http.requests.every(one => new URL(one.url).hostname === 'www.facebook.com')).toBe(true);
  });
});

describe('an account', () => {
  const COOKIES = parseCookiesFile(
    ['.facebook.com\tTRUE\t/\tTRUE\t0\txs\tmade-up', '.example.org\tTRUE\t/\tTRUE\t0\tforeign\tsecret'].join('\n'),
  );
  const isMember = ({ cookies }: HttpRequest) =>
    cookies?.getCookieStringSync('https://www.facebook.com/') === 'xs=made-up';
  const onlyFor =
    (route: Exclude<FakeRoute, (request: HttpRequest) => unknown>): FakeRoute =>
    request =>
      isMember(request) ? route : { location: '/login/' };

  it('is asked for the page of a post last, with its own cookies alone', async () => {
    const accounts = openAccounts('xs', COOKIES);
    const { fetch, http } = setUp({ [REEL_PATH]: onlyFor({ text: fixture('reel.html') }) }, [], accounts);
    expect((await fetch(REFS.reel)).strategy).toBe('post-page/account');
    const asMember = http.requests.map(isMember);
    expect(asMember.filter(Boolean)).toHaveLength(1);
    expect(asMember.at(-1)).toBe(true);
  });

  it.each(['/checkpoint/?next=x', '/login/?next=x', '/two_step_verification/authentication/?next=x'])(
    'that is sent to %s is left alone',
    async location => {
      const accounts = openAccounts('xs', COOKIES);
      const { failure, http } = setUp({ [REEL_PATH]: onlyFor({ location }) }, [], accounts);
      for (let turn = 0; turn < 2; turn += 1) expect((await failure(REFS.reel)).code).toBe('login_required');
      expect(http.requests.filter(isMember)).toHaveLength(1);
      expect(accounts.isReady()).toBe(false);
    },
  );
});
