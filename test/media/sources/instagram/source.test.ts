import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { parseCookiesFile } from '../../../../src/media/extract/cookies-file.ts';
import type { MediaSource } from '../../../../src/media/extract/source.ts';
import type { SourceOptions } from '../../../../src/media/extract/source-descriptor.ts';
import { CoverOnlyError } from '../../../../src/media/extract/strategy-failures.ts';
import type { Post } from '../../../../src/media/post.ts';
import { createInstagramConstants } from '../../../../src/media/sources/instagram/constants.ts';
import { instagram } from '../../../../src/media/sources/instagram/descriptor.ts';
import { openAccounts } from '../../../fakes/accounts.ts';
import { createFakeUpstream, type FakeRoute, type FakeUpstream, silentLog } from '../../../fakes/instagram-upstream.ts';
import { CODES, fixture, refOf } from './fixture.ts';

const HOME = 'GET /';
const BY_ID = 'POST /api/graphql';
const BY_CODE = 'POST /graphql/query';
const RULING = 'GET /api/v1/web/get_ruling_for_content/';
const ROUTES = 'POST /ajax/bulk-route-definitions/';
const page = (code: string, form = 'p') => `GET /${form}/${code}/`;
const embed = (code: string) => `GET /p/${code}/embed/captioned/`;
const mediaInfo = (code: string) => `GET /api/v1/media/${refOf(code).parts.mediaId}/info/`;

const home: FakeRoute = {
  text: fixture('home.html'),
  cookies: [
    'csrftoken=MadeUpCsrf; Domain=.instagram.com; Path=/; Secure',
    'mid=MadeUpMid; Domain=.instagram.com; Path=/',
  ],
};

const COOKIES = parseCookiesFile(
  [
    '.instagram.com\tTRUE\t/\tTRUE\t0\tsessionid\tmade-up-session',
    '.instagram.com\tTRUE\t/\tTRUE\t0\tcsrftoken\taccount-csrf',
    '.example.org\tTRUE\t/\tTRUE\t0\tforeign\tsecret',
  ].join('\n'),
);

/** All that visit the home page do so as the same caller. */
const BROWSER_ALONE = {
  'instagram.shortcode-query/browser.transport': 'browser',
  'instagram.shortcode-query/browser.userAgent': 'own',
};

interface Setup {
  readonly upstream: FakeUpstream;
  readonly source: MediaSource;
  readonly fetch: (code: string, parts?: Readonly<Record<string, string>>) => Promise<Post>;
}

function setup(routes: Readonly<Record<string, FakeRoute>>, options: Partial<SourceOptions> = {}): Setup {
  // For a post that is said not to exist no account is asked.
  const missing = options.accounts === undefined ? undefined : { status: 401, text: '{"message":"login_required"}' };
  const upstream = createFakeUpstream({ [HOME]: home, ...routes }, missing);
  const source = instagram.create({ http: upstream, log: silentLog, ...options });
  const { signal } = new AbortController();
  return { upstream, source, fetch: (code, parts) => source.fetch(refOf(code, parts), { signal }) };
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => new Error('did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error;
}

function headerOf(upstream: FakeUpstream, asked: string, name: string): string | undefined {
  return upstream.requests[upstream.asked.indexOf(asked)]?.headers?.[name];
}

const OEMBED = 'GET /api/v1/oembed/';

describe('each strategy alone', () => {
  it.each<[string, string, string, string]>([
    ['media-id-query/browser', CODES.reel, BY_ID, 'polaris-reel.html'],
    ['shortcode-query/plain', CODES.mixed, BY_CODE, 'web-info-carousel.json'],
    ['page/browser', CODES.carousel, page(CODES.carousel), 'polaris-carousel.html'],
    ['page/browser', CODES.reel, page(CODES.reel, 'reel'), 'polaris-reel.html'],
    ['embed/crawler', CODES.embedContext, embed(CODES.embedContext), 'embed-context.html'],
    ['embed/crawler', CODES.embedMarkup, embed(CODES.embedMarkup), 'embed-markup.html'],
    ['media-info', CODES.productReel, mediaInfo(CODES.productReel), 'product-reel.json'],
  ])('%s brings %s from %s', async (strategy, code, route, name) => {
    const { fetch } = setup(
      { [route]: { text: fixture(name) } },
      strategy === 'media-info' ? { accounts: openAccounts('sessionid', COOKIES) } : {},
    );
    const post = await fetch(code);
    expect(post).toMatchObject({ id: code, strategy });
    expect(post.items.length).toBeGreaterThan(0);
  });

  it('an extra strategy comes last', async () => {
    const other = await setup({ [BY_ID]: { text: fixture('polaris-reel.html') } }).fetch(CODES.reel);
    const extra = { name: 'extra', isAvailable: () => true, run: async () => ({ ...other, strategy: 'extra' }) };
    const { fetch, upstream } = setup({}, { extraStrategies: [extra] });
    expect((await fetch(CODES.reel)).strategy).toBe('extra');
    expect(upstream.asked).toContain(embed(CODES.reel));
  });

  it('those that need a browser are passed over where there is none', async () => {
    const upstream = { ...createFakeUpstream({}), hasBrowserTransport: false };
    const source = instagram.create({ http: upstream, log: silentLog });
    await failureOf(source.fetch(refOf(CODES.reel), { signal: new AbortController().signal }));
    expect(upstream.asked).not.toContain(BY_ID);
    // A page also answers a browser's headers, and a search engine.
    const pages = upstream.requests.filter(({ url }) => page(CODES.reel) === `GET ${new URL(url).pathname}`);
    expect(pages.map(({ headers }) => headers?.['sec-fetch-dest'])).toEqual(['document', undefined]);
    expect(upstream.requests.every(request => request.transport === 'plain')).toBe(true);
  });

  it.each([
    ['throws', { error: new TypeError('odd') }],
    ['is unreachable', { error: new AppError('upstream_unavailable', 'refused') }],
    ['redirects off the site', { error: new AppError('forbidden', 'host') }],
    ['answers a page', { text: '<html>hello</html>' }],
    ['answers half of it', { text: '{"data":{' }],
    ['is gone', { status: 404 }],
  ])('the page answers when the queries %s', async (_, broken) => {
    const { fetch } = setup({
      [BY_ID]: broken,
      [BY_CODE]: broken,
      [page(CODES.reel)]: { text: fixture('polaris-reel.html') },
    });
    expect((await fetch(CODES.reel)).strategy).toBe('page/browser');
  });

  it('follows a page to its other form', async () => {
    const { fetch } = setup({
      [page(CODES.reel)]: { location: `/marla.quill/reel/${CODES.reel}/` },
      [`GET /marla.quill/reel/${CODES.reel}/`]: { text: fixture('polaris-reel.html') },
    });
    expect((await fetch(CODES.reel)).strategy).toBe('page/browser');
  });

  it('oEmbed knows author and cover, which is no post', async () => {
    const { fetch } = setup({
      [OEMBED]: {
        text: JSON.stringify({
          author_name: 'marla.quill',
          author_id: 880011,
          title: 'Lanterns #night',
          media_id: `${refOf(CODES.reel).parts.mediaId}_880011`,
          thumbnail_url: 'https://scontent.cdninstagram.com/v/t51.2885-15/cover.jpg?oe=7F000000',
        }),
      },
    });
    const failure = await failureOf(fetch(CODES.reel));
    expect(failure).toBeInstanceOf(CoverOnlyError);
    expect(failure).toMatchObject({
      code: 'not_found',
      post: {
        id: CODES.reel,
        items: [],
        missingItems: 1,
        author: { id: '880011', username: 'marla.quill' },
        caption: 'Lanterns #night',
        coverUrl: 'https://scontent.cdninstagram.com/v/t51.2885-15/cover.jpg?oe=7F000000',
        strategy: 'oembed',
      },
    });
  });
});

describe('redirects of a page', () => {
  it.each(['/accounts/login/?next=x', '/', 'https://evil.example/', 'http://169.254.169.254/', `/p/${CODES.reel}/`])(
    'to %s are not run after',
    async location => {
      const { fetch, upstream } = setup({ [page(CODES.reel)]: { location } });
      await failureOf(fetch(CODES.reel));
      expect(upstream.countOf(page(CODES.reel))).toBeLessThanOrEqual(8);
      expect(upstream.asked.filter(asked => asked.includes('login'))).toEqual([]);
      expect(upstream.requests.every(request => new URL(request.url).hostname === 'www.instagram.com')).toBe(true);
    },
  );
});

describe('what is asked', () => {
  const requestOf = (upstream: FakeUpstream, asked: string) => upstream.requests[upstream.asked.indexOf(asked)];

  it('the query by code is anonymous: no cookies, no csrf, one random LSD in form and header', async () => {
    const { fetch, upstream } = setup({ [BY_CODE]: { text: fixture('web-info-carousel.json') } });
    await fetch(CODES.mixed);
    await fetch(CODES.mixed);
    expect(upstream.asked).toEqual([BY_CODE, BY_CODE]);
    const tokens = upstream.requests.map(({ body, headers, cookies, transport }) => {
      const form = new URLSearchParams(body);
      const { 'x-fb-lsd': lsd, ...others } = headers ?? {};
      expect(others).toEqual({
        'user-agent': 'Mozilla/5.0',
        accept: '*/*',
        'content-type': 'application/x-www-form-urlencoded',
        'x-fb-friendly-name': 'PolarisPostRootQuery',
      });
      expect([cookies, transport]).toEqual([undefined, 'plain']);
      expect(form.get('lsd')).toBe(lsd);
      expect(JSON.parse(form.get('variables') ?? '')).toMatchObject({ shortcode: CODES.mixed });
      return lsd;
    });
    expect(tokens[0]).toMatch(/^[\w-]{11}$/);
    expect(tokens[1]).not.toBe(tokens[0]);
  });

  it('the query by id carries the session of a browser and the constants', async () => {
    const upstreamConstants = { 'instagram.mediaIdDocId': '1234567890' };
    const { fetch, upstream } = setup({ [BY_ID]: { text: fixture('polaris-reel.html') } }, { upstreamConstants });
    await fetch(CODES.reel);
    const request = requestOf(upstream, BY_ID);
    const form = new URLSearchParams(request?.body);
    expect(Object.fromEntries(form)).toMatchObject({ doc_id: '1234567890', lsd: 'AVqMadeUpLsd' });
    expect(JSON.parse(form.get('variables') ?? '')).toEqual({ media_id: refOf(CODES.reel).parts.mediaId });
    expect(request?.headers).toMatchObject({
      'x-csrftoken': 'MadeUpCsrf',
      'x-fb-lsd': 'AVqMadeUpLsd',
      'x-ig-app-id': createInstagramConstants().appId,
      'sec-fetch-site': 'same-origin',
      referer: `https://www.instagram.com/p/${CODES.reel}/`,
    });
    expect(request?.headers).not.toHaveProperty('user-agent');
    expect([request?.transport, requestOf(upstream, HOME)?.transport]).toEqual(['browser', 'browser']);
    expect(await request?.cookies?.getCookieString('https://www.instagram.com/')).toContain('mid=MadeUpMid');
  });

  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['embed', embed(CODES.reel), { 'user-agent': 'facebookexternalhit/1.1' }],
    ['page', page(CODES.reel), { 'user-agent': expect.stringContaining('Googlebot') }],
    ['oEmbed', OEMBED, { 'x-ig-app-id': '936619743392459', 'accept-language': 'en' }],
  ])('%s comes from a program without a session', async (_, asked, headers) => {
    const { fetch, upstream } = setup({});
    await failureOf(fetch(CODES.reel));
    const request = upstream.requests.find(
      (one, index) => upstream.asked[index] === asked && one.transport === 'plain',
    );
    expect(request?.headers).toMatchObject(headers);
    expect(request?.headers).not.toHaveProperty('sec-fetch-mode');
    expect([request?.cookies, request?.transport]).toEqual([undefined, 'plain']);
  });

  it('the page is opened as a browser opens it, and the home page before it', async () => {
    const { fetch, upstream } = setup({ [page(CODES.reel)]: { text: fixture('polaris-reel.html') } });
    expect((await fetch(CODES.reel)).strategy).toBe('page/browser');
    const [visit, opened] = [HOME, page(CODES.reel)].map(asked => requestOf(upstream, asked)?.headers);
    const navigation = {
      'upgrade-insecure-requests': '1',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-user': '?1',
      priority: 'u=0, i',
    };
    expect(visit).toMatchObject({ ...navigation, 'sec-fetch-site': 'none' });
    expect(opened).toMatchObject({
      ...navigation,
      'sec-fetch-site': 'same-origin',
      referer: 'https://www.instagram.com/',
    });
    expect(requestOf(upstream, BY_ID)?.headers).toMatchObject({ priority: 'u=1, i', 'sec-fetch-mode': 'cors' });
    expect(requestOf(upstream, BY_ID)?.headers).not.toHaveProperty('sec-fetch-user');
  });

  it('over a transport that is no browser its hints name the same browser as its user agent', async () => {
    const upstreamConstants = {
      'instagram.page/browser.transport': 'plain',
      'instagram.page/browser.userAgent':
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/151.0.0.0 Safari/537.36',
    };
    const { fetch, upstream } = setup(
      { [page(CODES.reel)]: { text: fixture('polaris-reel.html') } },
      { upstreamConstants },
    );
    await fetch(CODES.reel);
    const headers = requestOf(upstream, page(CODES.reel))?.headers;
    expect(headers?.['sec-ch-ua']).toContain('"Google Chrome";v="151"');
    expect(headers).toMatchObject({ 'sec-ch-ua-mobile': '?0', 'sec-ch-ua-platform': '"macOS"' });
  });

  it('callers that differ in transport or user agent do not share a session', async () => {
    const { fetch, upstream } = setup({});
    await failureOf(fetch(CODES.reel));
    const homes = upstream.requests.filter((_, index) => upstream.asked[index] === HOME);
    expect(homes.map(({ transport }) => transport).toSorted()).toEqual(['browser', 'plain']);
    const byCode = upstream.requests.filter((_, index) => upstream.asked[index] === BY_CODE);
    expect(byCode.map(({ headers }) => headers?.['user-agent'])).toEqual([
      'Mozilla/5.0',
      expect.stringContaining('Chrome/149'),
    ]);
    expect(byCode[1]?.headers).toMatchObject({ 'x-csrftoken': 'MadeUpCsrf' });
  });

  it('every field of a profile can be set by an operator', async () => {
    const upstreamConstants = {
      'instagram.shortcode-query/plain.userAgent': 'Mozilla/4.0',
      'instagram.shortcode-query/plain.headers': '{"accept":"application/json","x-ig-app-id":"1"}',
      'instagram.shortcode-query/plain.session': 'home',
      'instagram.shortcode-query/plain.transport': 'browser',
      'instagram.shortcode-query/plain.timeoutMs': '1234',
    };
    const { fetch, upstream } = setup(
      { [BY_CODE]: { text: fixture('web-info-carousel.json') } },
      { upstreamConstants },
    );
    await fetch(CODES.mixed);
    expect(upstream.asked).toEqual([HOME, BY_CODE]);
    expect(upstream.requests[1]).toMatchObject({
      headers: { 'user-agent': 'Mozilla/4.0', accept: 'application/json', 'x-ig-app-id': '1' },
      transport: 'browser',
      timeoutMs: 1_234,
    });
    expect(upstream.requests[1]?.cookies).toBeDefined();
  });

  it("the account's cookies go to the media info alone, and no other site's with them", async () => {
    const { fetch, upstream } = setup(
      { [mediaInfo(CODES.productReel)]: { text: fixture('product-reel.json') } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    await fetch(CODES.productReel);
    for (const request of upstream.requests) {
      const cookies = (await request.cookies?.getCookieString('https://www.instagram.com/')) ?? '';
      expect(cookies.includes('sessionid')).toBe(String(request.url).includes('/info/'));
      expect(cookies).not.toContain('foreign');
    }
    expect(headerOf(upstream, mediaInfo(CODES.productReel), 'x-csrftoken')).toBe('account-csrf');
  });

  it('no request leaves the site', async () => {
    const { fetch, upstream } = setup({});
    await failureOf(fetch(CODES.reel));
    for (const request of upstream.requests) {
      expect(new URL(request.url).hostname).toBe('www.instagram.com');
      expect(request.hosts.every(host => host.endsWith('instagram.com'))).toBe(true);
    }
  });
});

describe('the session', () => {
  it('is opened once: one request for each post after that', async () => {
    const { fetch, upstream } = setup({ [BY_ID]: { text: fixture('polaris-reel.html') } });
    for (let round = 0; round < 5; round += 1) await fetch(CODES.reel);
    expect(upstream.asked).toEqual([BY_CODE, HOME, ...Array<string>(5).fill(BY_ID)]);
  });

  it.each([
    ['its own script', fixture('home.html'), 'AVqMadeUpLsd'],
    ['a module', '<script>requireLazy(["LSD",[],{"token":"AVqOtherLsd"},323])</script>', 'AVqOtherLsd'],
    [
      'a module, where its script is broken',
      '<script id="__eqmc">{"l":</script>["LSD",[],{"token":"AVqThird"}',
      'AVqThird',
    ],
  ])('takes its token from %s', async (_, text, token) => {
    const { fetch, upstream } = setup({ [HOME]: { text }, [BY_ID]: { text: fixture('polaris-reel.html') } });
    await fetch(CODES.reel);
    expect(headerOf(upstream, BY_ID, 'x-fb-lsd')).toBe(token);
  });

  it('is opened once for many at a time', async () => {
    const { fetch, upstream } = setup({ [BY_ID]: { text: fixture('polaris-reel.html') } });
    await Promise.all(Array.from({ length: 8 }, () => fetch(CODES.reel)));
    expect(upstream.countOf(HOME)).toBe(1);
    expect(upstream.countOf(BY_ID)).toBe(8);
  });

  it.each<[string, FakeRoute]>([
    ['is gone', { status: 404, text: 'gone' }],
    ['comes without a token', { text: '<html></html>' }],
    ['does not answer', { error: new AppError('timeout', 'slow') }],
    ['is an endless login page', { location: '/' }],
  ])('a home page that %s stops nothing, and is not asked again at once', async (_, odd) => {
    const { fetch, upstream } = setup({ [HOME]: odd, [BY_ID]: { text: fixture('polaris-reel.html') } });
    await fetch(CODES.reel);
    const visits = upstream.countOf(HOME);
    for (let round = 0; round < 3; round += 1)
      expect((await fetch(CODES.reel)).strategy).toBe('media-id-query/browser');
    expect(upstream.countOf(HOME)).toBe(visits);
    expect(headerOf(upstream, BY_ID, 'x-csrftoken')).toMatch(/^[\w-]{20,}$/);
    expect(headerOf(upstream, BY_ID, 'x-fb-lsd')).toMatch(/^[\w-]{11}$/);
  });

  it('is renewed with age', async () => {
    let now = Date.UTC(2026, 4, 1);
    const { fetch, upstream } = setup({ [BY_ID]: { text: fixture('polaris-reel.html') } }, { now: () => now });
    await fetch(CODES.reel);
    now += 29 * 60_000;
    await fetch(CODES.reel);
    expect(upstream.countOf(HOME)).toBe(1);
    now += 2 * 60_000;
    await fetch(CODES.reel);
    expect(upstream.countOf(HOME)).toBe(2);
  });

  it('is renewed when it is refused, though not at every refusal', async () => {
    let now = Date.UTC(2026, 4, 1);
    let isRefused = true;
    const { fetch, upstream } = setup(
      { [BY_ID]: () => (isRefused ? { status: 403 } : { text: fixture('polaris-reel.html') }) },
      { now: () => now, upstreamConstants: BROWSER_ALONE },
    );
    await failureOf(fetch(CODES.reel));
    await failureOf(fetch(CODES.reel));
    expect(upstream.countOf(HOME)).toBe(1);
    now += 6 * 60_000;
    await failureOf(fetch(CODES.reel));
    isRefused = false;
    await fetch(CODES.reel);
    expect(upstream.countOf(HOME)).toBe(2);
  });

  it('lets one caller give up without failing the others', async () => {
    let open = () => {};
    const after = new Promise<void>(resolve => {
      open = resolve;
    });
    const { source } = setup({ [HOME]: { ...home, after }, [BY_ID]: { text: fixture('polaris-reel.html') } });
    const impatient = new AbortController();
    const first = failureOf(source.fetch(refOf(CODES.reel), { signal: impatient.signal }));
    const second = source.fetch(refOf(CODES.reel), { signal: new AbortController().signal });
    impatient.abort(new AppError('timeout', 'gave up'));
    expect((await first).code).toBe('timeout');
    open();
    expect((await second).id).toBe(CODES.reel);
  });
});

describe('failures of the whole', () => {
  const everywhere = (code: string, answer: FakeRoute) => ({
    [BY_ID]: answer,
    [BY_CODE]: answer,
    [page(code)]: answer,
    [page(code, 'reel')]: answer,
    [embed(code)]: answer,
  });

  it.each<[string, FakeRoute, string]>([
    ['the login page', { text: fixture('login-wall.html') }, 'login_required'],
    ['the error page', { text: fixture('not-found.html') }, 'not_found'],
    ['the shell of the post', { text: fixture('throttled.html') }, 'upstream_rate_limited'],
    ['404', { status: 404 }, 'not_found'],
    ['429', { status: 429 }, 'upstream_rate_limited'],
    ['500', { status: 500 }, 'upstream_unavailable'],
    ['a broken embed', { text: fixture('embed-broken.html') }, 'login_required'],
    ['pages of an unknown kind', { text: '<html>new design</html>' }, 'upstream_changed'],
    ['gated media', { text: fixture('gated.json') }, 'login_required'],
  ])('%s everywhere', async (_, answer, code) => {
    const failure = await failureOf(setup(everywhere(CODES.reel, answer)).fetch(CODES.reel));
    expect(failure.code).toBe(code);
    expect(failure.params.weak).toBeUndefined();
  });

  it.each<[string, FakeRoute]>([
    ['a login page', { text: fixture('login-wall.html') }],
    ['status 403', { status: 403 }],
  ])('no page is asked in its other form after %s, which that would only repeat', async (_, answer) => {
    const { fetch, upstream } = setup(everywhere(CODES.reel, answer));
    await failureOf(fetch(CODES.reel));
    expect(upstream.asked).toContain(page(CODES.reel));
    expect(upstream.asked).not.toContain(page(CODES.reel, 'reel'));
  });

  it('the limit of visitors is a limit, though it names a login, and rests all that got it', async () => {
    const text = '{"message":"Please wait a few minutes before you try again.","require_login":true,"status":"fail"}';
    const { fetch, upstream } = setup(everywhere(CODES.reel, { status: 401, text }));
    expect((await failureOf(fetch(CODES.reel))).code).toBe('upstream_rate_limited');
    const asked = upstream.asked.length;
    expect((await failureOf(fetch(CODES.reel))).code).toBe('upstream_rate_limited');
    // One strategy may look whether the limit was lifted, and what knows the reason is asked.
    const isPost = (one: string) => ![OEMBED, RULING, ROUTES].includes(one);
    expect(upstream.asked.slice(asked).filter(isPost).length).toBeLessThanOrEqual(1);
  });

  it('a 404 of some endpoints does not outrank a good one that is slow', async () => {
    const never = new Promise<void>(() => {});
    const { fetch } = setup(
      { ...everywhere(CODES.reel, { status: 404 }), [BY_CODE]: { after: never }, [BY_ID]: { after: never } },
      { deadlineMs: 1_200 },
    );
    expect((await failureOf(fetch(CODES.reel))).code).toBe('timeout');
  });

  it('a definitive word of a query ends the search', async () => {
    const text = JSON.stringify({ data: null, errors: [{ message: 'x', code: 4_630_001 }] });
    const { fetch, upstream } = setup({ [BY_CODE]: { text } });
    expect((await failureOf(fetch(CODES.reel))).code).toBe('not_found');
    expect(upstream.asked).toEqual([BY_CODE]);
  });

  it.each<[string, FakeRoute]>([
    ['the error page', { text: fixture('not-found.html') }],
    ['404', { status: 404 }],
  ])('%s in answer to a link of a private account is a private post, though the queries rest', async (_, answer) => {
    const { fetch } = setup({
      ...everywhere(CODES.reel, answer),
      [BY_CODE]: { status: 429 },
      [BY_ID]: { status: 429 },
    });
    for (let round = 0; round < 2; round += 1) {
      expect((await failureOf(fetch(CODES.reel, { private: '1' }))).code).toBe('private');
    }
  });

  it('a challenge rests the caller that got it, and no other', async () => {
    const { fetch, upstream } = setup({
      [BY_CODE]: { status: 400, text: '{"message":"challenge_required","status":"fail"}' },
      [BY_ID]: { text: fixture('polaris-reel.html') },
    });
    for (let round = 0; round < 3; round += 1) await fetch(CODES.reel);
    expect([upstream.countOf(BY_CODE), upstream.countOf(BY_ID)]).toEqual([1, 3]);
  });

  const geoblock = (words: object) => ({
    [OEMBED]: { status: 400, text: JSON.stringify({ message: 'geoblock_required', status: 'fail', ...words }) },
  });
  it.each<[string, Readonly<Record<string, FakeRoute>>, string]>([
    ['private by its route', { [ROUTES]: { text: 'for (;;);{"tracePolicy":"polaris.privatePostPage"}' } }, 'private'],
    [
      'restricted by age, by its ruling',
      {
        [RULING]: {
          text: '{"status":"fail","title":"Restricted Video","description":"You must be 18 years old or over."}',
        },
      },
      'age_restricted',
    ],
    [
      'restricted by region, by its ruling',
      {
        [RULING]: {
          text: '{"status":"fail","title":"Restricted Video","description":"Not available in your country."}',
        },
      },
      'region_blocked',
    ],
    [
      'restricted by age, as oEmbed says',
      geoblock({ title: 'People under 18 can\u2019t see this content' }),
      'age_restricted',
    ],
    ['restricted by region, as oEmbed says', geoblock({ title: 'Not available in your country' }), 'region_blocked'],
  ])('gated media are %s', async (_, routes, code) => {
    const nothing = JSON.stringify({ data: { xdt_api__v1__media__shortcode__web_info: null } });
    const gated = { [BY_CODE]: { text: nothing }, [BY_ID]: { text: fixture('gated.json') } };
    const { fetch, upstream } = setup({ ...gated, ...routes });
    expect((await failureOf(fetch(CODES.reel))).code).toBe(code);
    expect(upstream.asked.filter(asked => asked.startsWith('GET /p/'))).toEqual([]);
  });

  const FIELD_EXCEPTION = JSON.stringify({
    data: { xdt_api__v1__media__shortcode__web_info: null },
    errors: [
      { message: 'A server error field_exception occured. Check server logs for details.', severity: 'CRITICAL' },
    ],
  });
  const mediaIs = (media: object | null) => ({ text: JSON.stringify({ data: { xig_polaris_media: media } }) });

  it('what the query by code only calls an exception is gone where the query by id has nothing', async () => {
    const { fetch, upstream } = setup({
      [BY_CODE]: { text: FIELD_EXCEPTION },
      [BY_ID]: mediaIs(null),
      [page(CODES.reel)]: { status: 500 },
      [page(CODES.reel, 'reel')]: { status: 500 },
      [embed(CODES.reel)]: { status: 500 },
    });
    expect((await failureOf(fetch(CODES.reel))).code).toBe('not_found');
    expect(upstream.asked.filter(asked => asked.includes(CODES.reel))).toEqual([]);
  });

  it('what the query by code only calls an exception is gated where the query by id says so', async () => {
    const gate = { gating_ruling: { gating_type: 3, title: 'Age-restricted content' }, if_not_gated_logged_out: null };
    const { fetch } = setup({
      [BY_CODE]: { text: FIELD_EXCEPTION },
      [BY_ID]: mediaIs({ code: CODES.reel, ...gate }),
    });
    expect((await failureOf(fetch(CODES.reel))).code).toBe('age_restricted');
  });

  it('a private link that brings nothing is a private post', async () => {
    const { fetch } = setup({ [BY_ID]: { text: '{"data":{"xig_polaris_media":null}}' } });
    expect((await failureOf(fetch(CODES.reel, { private: '1' }))).code).toBe('private');
  });

  it('keeps every cause', async () => {
    const failure = await failureOf(setup({ [BY_ID]: { status: 429 } }).fetch(CODES.reel));
    expect(failure.code).toBe('upstream_rate_limited');
    const { cause } = failure;
    const named = cause instanceof AggregateError ? cause.errors.map((one: AppError) => one.message) : [];
    expect(named.map(message => message.split(':', 1)[0]).toSorted()).toEqual([
      'embed/crawler',
      'media-id-query/browser',
      'oembed',
      'page/browser',
      'page/crawler',
      'shortcode-query/browser',
      'shortcode-query/plain',
    ]);
  });

  it.each<[string, FakeRoute]>([
    ['a checkpoint in words', { status: 400, text: '{"message":"checkpoint_required","status":"fail"}' }],
    ['a page of one', { location: '/challenge/?next=/' }],
    ['a suspension', { location: '/accounts/suspended/' }],
  ])('an account that meets %s is left alone, and the post needs a login', async (_, answer) => {
    const { fetch, upstream } = setup(
      { [mediaInfo(CODES.reel)]: answer },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    expect((await failureOf(fetch(CODES.reel))).code).toBe('login_required');
    expect((await failureOf(fetch(CODES.reel))).code).toBe('login_required');
    expect(upstream.countOf(mediaInfo(CODES.reel))).toBe(1);
  });

  it('an account that a geoblock without known words meets is asked again', async () => {
    const text = '{"message":"geoblock_required","title":"Tidak dapat dilihat","status":"fail"}';
    const { fetch, upstream } = setup(
      { [mediaInfo(CODES.reel)]: { status: 400, text } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    expect((await failureOf(fetch(CODES.reel))).code).toBe('login_required');
    await failureOf(fetch(CODES.reel));
    expect(upstream.countOf(mediaInfo(CODES.reel))).toBe(2);
  });

  it('an account that is logged out is left alone for a while', async () => {
    const { fetch, upstream } = setup(
      { [mediaInfo(CODES.reel)]: { location: '/accounts/login/' } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    await failureOf(fetch(CODES.reel));
    await failureOf(fetch(CODES.reel));
    expect(upstream.countOf(mediaInfo(CODES.reel))).toBe(1);
  });
});

describe('stories', () => {
  const { signal } = new AbortController();
  const story = (source: MediaSource, address: string) => {
    const match = source.match(new URL(address));
    if (match?.kind !== 'story') throw new Error(`${address} is no story`);
    return source.fetch(match.ref, { signal });
  };
  const STORY_ID = refOf(CODES.neighbour).parts.mediaId ?? '';

  it('need an account, and ask nothing without one', async () => {
    const { source, upstream } = setup({});
    expect(source.canFetchStories).toBe(false);
    const failure = await failureOf(story(source, 'https://www.instagram.com/stories/the.lanternists/'));
    expect(failure.code).toBe('login_required');
    expect(upstream.asked).toEqual([]);
  });

  it('of a user are all that is shown', async () => {
    const { source, upstream } = setup(
      {
        'GET /api/v1/users/web_profile_info/': {
          text: '{"data":{"user":{"id":"880012","username":"the.lanternists"}}}',
        },
        'GET /api/v1/feed/reels_media/': { text: fixture('reels-media.json') },
      },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    expect(source.canFetchStories).toBe(true);
    const post = await story(source, 'https://www.instagram.com/stories/the.lanternists/');
    expect(post).toMatchObject({ id: 'stories.the.lanternists', author: { username: 'the.lanternists' } });
    expect(post.items.map(item => item.kind)).toEqual(['video', 'image']);
    // By its id an item is known although its place changes from day to day.
    const shown = JSON.parse(fixture('reels-media.json')).reels['880012'].items;
    expect(post.items.map(({ id }) => id)).toEqual(shown.map(({ pk }: { readonly pk: unknown }) => `${pk}`));
    expect(upstream.requests.at(-1)?.url).toContain('reel_ids=880012');
  });

  it('named by their id are that one', async () => {
    const [item] = JSON.parse(fixture('reels-media.json')).reels['880012'].items;
    const { source } = setup(
      { [`GET /api/v1/media/${STORY_ID}/info/`]: { text: JSON.stringify({ items: [item], status: 'ok' }) } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    const post = await story(source, `https://www.instagram.com/stories/the.lanternists/${STORY_ID}/`);
    expect(post.items).toHaveLength(1);
    expect(post.author.username).toBe('the.lanternists');
  });

  it('of a highlight are asked by its id, and one of them picked', async () => {
    const { source, upstream } = setup(
      { 'GET /api/v1/feed/reels_media/': { text: fixture('reels-media.json') } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    const address = 'https://www.instagram.com/stories/highlights/17991234567890123/';
    expect((await story(source, address)).items).toHaveLength(2);
    expect(upstream.requests.at(-1)?.url).toContain('reel_ids=highlight%3A17991234567890123');
    expect((await story(source, `${address}?story_media_id=${STORY_ID}_880012`)).items).toHaveLength(1);
  });

  it('that are over are not found', async () => {
    const { source } = setup(
      { 'GET /api/v1/feed/reels_media/': { text: '{"reels":{},"status":"ok"}' } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    const failure = await failureOf(story(source, 'https://www.instagram.com/stories/highlights/17991234567890123/'));
    expect(failure.code).toBe('not_found');
  });

  it('are not called gone when the site fails to read the profile', async () => {
    const text = '{"message":"ig_business_category_subvertical has been deleted","status":"fail"}';
    const { source } = setup(
      { 'GET /api/v1/users/web_profile_info/': { status: 400, text } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    const failure = await failureOf(story(source, 'https://www.instagram.com/stories/the.lanternists/'));
    expect(failure.code).toBe('upstream_changed');
  });

  it('are not taken for a matter of the cookies when the account has reached its limit', async () => {
    const text = '{"message":"Please wait a few minutes before you try again.","require_login":true,"status":"fail"}';
    const { source, upstream } = setup(
      { 'GET /api/v1/feed/reels_media/': { status: 401, text } },
      { accounts: openAccounts('sessionid', COOKIES) },
    );
    const failure = await failureOf(story(source, 'https://www.instagram.com/stories/highlights/17991234567890123/'));
    expect(failure.code).toBe('upstream_rate_limited');
    expect(upstream.asked).toHaveLength(1);
  });
});

describe('share links', () => {
  const { signal } = new AbortController();
  const URL_OF_SHARE = 'https://www.instagram.com/share/reel/BARmadeUp/';
  const HEAD = 'HEAD /share/reel/BARmadeUp/';
  const GET = 'GET /share/reel/BARmadeUp/';
  const target = `https://www.instagram.com/reel/${CODES.reel}/`;
  const resolve = (routes: Readonly<Record<string, FakeRoute>>) => {
    const { source, upstream } = setup(routes);
    return { upstream, resolved: source.resolveShort(URL_OF_SHARE, { signal }) };
  };

  it.each<[string, Readonly<Record<string, FakeRoute>>, string]>([
    ['HEAD', { [HEAD]: { location: `${target}?igsh=1` } }, `${target}?igsh=1`],
    ['GET, where HEAD is not taken', { [HEAD]: { status: 405 }, [GET]: { location: `/reel/${CODES.reel}/` } }, target],
    [
      'another share link',
      { [HEAD]: { location: '/share/BAmadeUp' }, 'HEAD /share/BAmadeUp/': { location: target } },
      target,
    ],
    [
      'the login page of the post',
      { [HEAD]: { location: `/accounts/login/?next=/reel/${CODES.reel}/` } },
      `https://www.instagram.com/p/${CODES.reel}/`,
    ],
    [
      'the page itself',
      { [GET]: { text: `<head><link rel="canonical" href="${target}" /></head>` } },
      `https://www.instagram.com/p/${CODES.reel}/`,
    ],
  ])('are resolved by %s', async (_, routes, expected) => {
    const { resolved, upstream } = resolve(routes);
    expect(await resolved).toBe(expected);
    expect(headerOf(upstream, HEAD, 'user-agent')).not.toContain('Mozilla');
  });

  it.each<[string, Readonly<Record<string, FakeRoute>>, string]>([
    ['off the site', { [HEAD]: { location: 'https://evil.example/p/x' } }, 'unsupported_link'],
    ['to a private address', { [HEAD]: { location: 'http://169.254.169.254/' } }, 'unsupported_link'],
    ['to the login page', { [HEAD]: { location: '/accounts/login/' } }, 'login_required'],
    ['to the home page', { [HEAD]: { location: '/' } }, 'login_required'],
    ['in circles', { [HEAD]: { location: '/share/reel/BARmadeUp/' } }, 'upstream_changed'],
    ['nowhere', { [GET]: { status: 404 } }, 'not_found'],
    ['to a limit', { [GET]: { status: 429 } }, 'upstream_rate_limited'],
    ['to an error page', { [GET]: { text: fixture('not-found.html') } }, 'not_found'],
  ])('that lead %s', async (_, routes, code) => {
    const { resolved, upstream } = resolve(routes);
    expect((await failureOf(resolved)).code).toBe(code);
    expect(upstream.requests.every(request => new URL(request.url).hostname === 'www.instagram.com')).toBe(true);
  });
});
