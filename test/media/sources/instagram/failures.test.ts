import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { HttpHead } from '../../../../src/infra/http/http-client.ts';
import { failureOfRuling, namesPrivatePost } from '../../../../src/media/sources/instagram/failures.ts';
import { readInstagramAnswer, readResponse } from '../../../../src/media/sources/instagram/parse.ts';
import type { AnswerKind } from '../../../../src/media/sources/kit/draft.ts';
import { bodyOf } from '../../body-of.ts';
import { CODES, fixture, refOf } from './fixture.ts';

const NOW = Date.UTC(2026, 4, 1);

interface Given extends Partial<HttpHead> {
  readonly text?: string;
  readonly kind?: AnswerKind;
  readonly isPrivateLink?: boolean;
}

function failureOf({ kind = 'query', isPrivateLink = false, text = '', ...given }: Given): AppError {
  const url = `https://www.instagram.com/p/${CODES.reel}/`;
  const answer = { status: 200, headers: {}, url, body: bodyOf(text), ...given };
  const ref = refOf(CODES.reel, isPrivateLink ? { private: '1' } : {});
  const read = isPrivateLink ? readInstagramAnswer : readResponse;
  try {
    read(answer, { ref, kind, strategy: 'tested', now: NOW });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('gave a post');
}

const json = (value: unknown) => ({ text: JSON.stringify(value) });
const at = (path: string) => ({ url: `https://www.instagram.com${path}` });

const page = (value: unknown) => `<script type="application/json" data-sjs>${JSON.stringify(value)}</script>`;

function gatedBy(ruling: object) {
  const media = {
    __typename: 'XIGPolarisVideoMedia',
    pk: refOf(CODES.reel).parts.mediaId,
    code: CODES.reel,
    if_not_gated_logged_out: null,
    gating_ruling: ruling,
  };
  return { data: { xig_polaris_media: media }, errors: [{ message: 'A server error field_exception occured.' }] };
}

const gatedOther = () => ({
  related: { ...gatedBy({ title: 'Age-restricted content' }).data.xig_polaris_media, code: CODES.neighbour },
});

const gatings = (): readonly (readonly [string, object, string])[] => [
  [
    'a gate by age',
    {
      gating_type: 3,
      title: 'Age-restricted content',
      description: 'This content is age-restricted based on your age or account settings.',
    },
    'age_restricted',
  ],
  [
    'a gate by region',
    { title: 'Not available in your region', description: 'Because of a request.' },
    'region_blocked',
  ],
  ['a gate by country', { title: 'Restricted Video', description: 'Not available in your country.' }, 'region_blocked'],
  ['a gate by age in another language', { gating_type: 3, title: 'Altersbeschränkt' }, 'age_restricted'],
  ['a gate without a word', {}, 'login_required'],
  ['a gate with words that are not known', { title: 'Something else' }, 'login_required'],
];

/** What the head of a post's page contains for crawlers, also when the site limits the visitor. */
const COVER = ['t51.82787-15/kite_n.jpg?oe=6B2F1A00', 't51.82787-19/marla_n.jpg?oe=6B2F1A00']
  .map(path => `https://scontent-mdl1-1.cdninstagram.com/v/${path}`)
  .map(url => `<meta property="og:image" content="${url}"><link rel="preload" as="image" href="${url}">`)
  .join('');

/** The asked media in an unknown shape. */
const UNKNOWN = { code: CODES.reel, taken_at: 1_777_000_123, stills: [{ at: 'x' }], clips: [{ at: 'y' }] };

describe('the signal, and the code it means', () => {
  it.each<[string, Given, string]>([
    ['a redirect to the login page', at('/accounts/login/?next=/p/x/'), 'login_required'],
    ['a redirect to the home page', at('/'), 'login_required'],
    ['a redirect to a challenge', at('/challenge/?next=/p/x/'), 'login_required'],
    [
      'a redirect not followed',
      { status: 302, headers: { location: 'https://www.instagram.com/accounts/login/' } },
      'login_required',
    ],
    ['a redirect off the site', { status: 302, headers: { location: 'http://169.254.169.254/' } }, 'upstream_changed'],
    ['a redirect to nowhere', { status: 302 }, 'upstream_changed'],
    ['a redirect to some other page', { status: 302, headers: { location: '/somewhere/else/' } }, 'upstream_changed'],
    [
      'the anonymous limit',
      {
        status: 401,
        ...json({ message: 'Please wait a few minutes before you try again.', require_login: true, status: 'fail' }),
      },
      'upstream_rate_limited',
    ],
    [
      'a login that is required, without another word',
      { status: 401, ...json({ message: '', require_login: true, status: 'fail' }) },
      'login_required',
    ],
    [
      'the limit',
      json({ message: 'Please wait a few minutes before you try again.', status: 'fail' }),
      'upstream_rate_limited',
    ],
    ['status 401', { status: 401 }, 'login_required'],
    ['status 403', { status: 403 }, 'login_required'],
    ['status 429', { status: 429 }, 'upstream_rate_limited'],
    ['status 429 with a login page', { status: 429, text: fixture('login-wall.html') }, 'upstream_rate_limited'],
    ['status 500', { status: 500 }, 'upstream_unavailable'],
    ['status 503', { status: 503, text: '{"message":"feedback_required"}' }, 'upstream_unavailable'],
    ['code 1675004', json({ errors: [{ message: 'Rate limit exceeded', code: 1_675_004 }] }), 'upstream_rate_limited'],
    ['code 1357001', { text: 'for (;;);{"__ar":1,"error":1357001,"errorSummary":"x"}' }, 'login_required'],
    ['another code', { text: 'for (;;);{"__ar":1,"error":1357004,"errorSummary":"x"}' }, 'upstream_unavailable'],
    ['code 4630001', json({ data: null, errors: [{ message: 'x', code: 4_630_001 }] }), 'not_found'],
    [
      'an execution error',
      json({ data: { xig_polaris_media: null }, errors: [{ message: 'execution error', severity: 'CRITICAL' }] }),
      'upstream_unavailable',
    ],
    ['feedback_required', { status: 400, ...json({ message: 'feedback_required', status: 'fail' }) }, 'login_required'],
    ['checkpoint_required', { status: 400, ...json({ message: 'checkpoint_required' }) }, 'login_required'],
    ['challenge_required', { status: 400, ...json({ message: 'challenge_required' }) }, 'login_required'],
    ['login_required', { status: 403, ...json({ message: 'login_required', error_title: 'x' }) }, 'login_required'],
    ['media not found', { status: 400, ...json({ message: 'Media not found or unavailable' }) }, 'not_found'],
    ['deleted media', { status: 400, ...json({ message: 'Sorry, this media has been deleted' }) }, 'not_found'],
    ['a deleted photo', { status: 400, ...json({ message: 'Sorry, this photo has been deleted.' }) }, 'not_found'],
    [
      'a query that the site no longer has',
      json({
        errors: [{ message: 'The GraphQL document with ID 27128499623469141 was not found.', severity: 'CRITICAL' }],
      }),
      'upstream_changed',
    ],
    [
      'a query that lacks a variable',
      json({ data: null, errors: [{ message: 'A server error missing_required_variable_value occured.' }] }),
      'upstream_changed',
    ],
    ['a block', { status: 400, ...json({ message: 'Sorry', error_type: 'sentry_block' }) }, 'login_required'],
    ['an account that is private', { status: 400, ...json({ message: 'Not authorized to view user' }) }, 'private'],
    ['gated media', { text: fixture('gated.json') }, 'login_required'],
    ...gatings().map(([name, ruling, code]): [string, Given, string] => [name, json(gatedBy(ruling)), code]),
    [
      'a page that gates the media by age',
      { kind: 'page', text: page(gatedBy({ title: 'Age-restricted content' }).data) },
      'age_restricted',
    ],
    ['a page that gates another media', { kind: 'page', text: page(gatedOther()) }, 'upstream_changed'],
    [
      'an error page that states the least age',
      { kind: 'page', text: `${fixture('not-found.html')}${page({ failure_reason: 'MA', restricted_age: 25 })}` },
      'age_restricted',
    ],
    [
      'an error page that states no age',
      { kind: 'page', text: `${fixture('not-found.html')}${page({ failure_reason: null, restricted_age: null })}` },
      'not_found',
    ],
    [
      'a geoblock by age',
      { status: 400, ...json({ message: 'geoblock_required', title: 'x', blocks_logging_data: 'MIN_AGE_ACCOUNT' }) },
      'age_restricted',
    ],
    [
      'a geoblock by region',
      { status: 400, ...json({ message: 'geoblock_required', title: 'Not available in your country' }) },
      'region_blocked',
    ],
    ['a geoblock of another kind', { status: 400, ...json({ message: 'geoblock_required' }) }, 'login_required'],
    ['the media with unknown keys', json({ items: [{ ...UNKNOWN }] }), 'upstream_changed'],
    [
      'the media with unknown keys beside an error',
      json({ items: [UNKNOWN], errors: [{ message: 'x', code: 4_630_001 }] }),
      'upstream_changed',
    ],
    [
      'the media with unknown keys in an error page',
      { kind: 'page', text: `${page(UNKNOWN)}${fixture('not-found.html')}` },
      'upstream_changed',
    ],
    [
      'null media in the page of a post',
      { kind: 'page', text: `${page({ xig_polaris_media: null })}${fixture('throttled.html')}` },
      'upstream_rate_limited',
    ],
    ['null media in a page', { kind: 'page', text: page({ xig_polaris_media: null }) }, 'upstream_changed'],
    [
      'the page of a post that also names the error page',
      { kind: 'page', text: `${fixture('not-found.html')}${fixture('throttled.html')}` },
      'upstream_rate_limited',
    ],
    [
      'the parameters of a route and the error page',
      { kind: 'page', text: `${page({ params: { shortcode: CODES.reel } })}${fixture('not-found.html')}` },
      'not_found',
    ],
    ['the error page of a post, with status 200', { kind: 'page', text: fixture('not-found.html') }, 'not_found'],
    ['the login page, with status 200', { kind: 'page', text: fixture('login-wall.html') }, 'login_required'],
    [
      'the shell of a post without the post',
      { kind: 'page', text: fixture('throttled.html') },
      'upstream_rate_limited',
    ],
    [
      'the shell of a post whose head shows its cover to crawlers',
      { kind: 'page', text: fixture('throttled.html').replace('</head>', `${COVER}</head>`) },
      'upstream_rate_limited',
    ],
    ['a login page where JSON was asked for', { text: fixture('login-wall.html') }, 'login_required'],
    ['an old login page', { text: '<html><title>Login • Instagram</title>' }, 'login_required'],
    ['a page of an unknown kind', { text: '<html><body>hello</body></html>' }, 'upstream_changed'],
    [
      'the page of a private post, by its name alone',
      {
        kind: 'page',
        text: '<script type="application/json" data-sjs>{"canonicalRouteName":"comet.igweb.PolarisLoggedOutPrivateDesktopPostRoute"}</script>',
      },
      'private',
    ],
    [
      'a page marked private',
      { kind: 'page', text: '<script>{"tracePolicy":"polaris.privatePostPage"}</script>' },
      'private',
    ],
    ['a broken embed', { kind: 'embed', text: fixture('embed-broken.html') }, 'login_required'],
    ['JSON of an unknown kind', json({ data: { something: 'else' } }), 'upstream_changed'],
    ['JSON cut off', { text: '{"data":{"xdt_shortcode_media":{"id":"1' }, 'upstream_changed'],
    ['another post', { text: fixture('product-reel.json') }, 'upstream_changed'],
    ['nothing', {}, 'upstream_changed'],
  ])('%s', (_, given, code) => {
    const failure = failureOf(given);
    expect(failure.code).toBe(code);
    if (code === 'not_found') expect(failure.params.weak).toBeUndefined();
  });

  it.each<[string, Given]>([
    ['status 404', { status: 404, text: '<html></html>' }],
    ['null media of the query by id', json({ data: { xig_polaris_media: null } })],
    ['null media of the older query', json({ data: { xdt_shortcode_media: null }, status: 'ok' })],
    ['null media of the query by code', json({ data: { xdt_api__v1__media__shortcode__web_info: null } })],
    ['an empty list of the query by code', json({ data: { xdt_api__v1__media__shortcode__web_info: { items: [] } } })],
    ['an empty list of the mobile API', json({ items: [], status: 'ok' })],
    ['the error page in place of a query', { text: fixture('not-found.html') }],
    ['the error page in place of a query, with status 404', { status: 404, text: fixture('not-found.html') }],
  ])('%s may only mean that the endpoint died', (_, given) => {
    expect(failureOf(given)).toMatchObject({ code: 'not_found', params: { weak: 1 } });
  });

  it.each(['query', 'story'] as const)('a %s that fails in an unknown way keeps the words of the site', kind => {
    const said = 'ig_business_category_subvertical has been deleted';
    const failure = failureOf({ kind, status: 400, ...json({ message: said, status: 'fail' }) });
    expect(failure).toMatchObject({ code: 'upstream_changed', message: expect.stringContaining(said) });
  });

  it('a refusal that brings the post is the post', () => {
    const ref = refOf(CODES.productReel);
    const answer = { status: 403, headers: {}, url: ref.url, body: bodyOf(fixture('product-reel.json')) };
    expect(readResponse(answer, { ref, kind: 'query', strategy: 'tested', now: NOW }).items).toHaveLength(1);
  });

  it('the error page of a post stays definitive with status 404', () => {
    const failure = failureOf({ kind: 'page', status: 404, text: fixture('not-found.html') });
    expect(failure.code).toBe('not_found');
    expect(failure.params.weak).toBeUndefined();
  });

  it.each<[string, Given]>([
    ['null media', json({ data: { xig_polaris_media: null } })],
    ['gated media', { text: fixture('gated.json') }],
    ['no items', json({ items: [] })],
    ['a broken embed', { kind: 'embed', text: fixture('embed-broken.html') }],
  ])('%s behind a private link is a private post', (_, given) => {
    expect(failureOf({ ...given, isPrivateLink: true }).code).toBe('private');
  });

  it.each([
    ['seconds', '120', 120_000],
    ['a date', new Date(NOW + 60_000).toUTCString(), 60_000],
    ['nonsense', 'soon', undefined],
  ])('reads Retry-After in %s', (_, value, expected) => {
    expect(failureOf({ status: 429, headers: { 'retry-after': value } }).retryAfterMs).toBe(expected);
  });
});

describe('rulings', () => {
  it.each([
    [
      { title: 'Restricted Video', description: 'You must be 18 years old or over to see this video.' },
      'age_restricted',
    ],
    [{ title: 'Restricted Video', description: 'This video is not available in your country.' }, 'region_blocked'],
    [{ title: 'Restricted', description: null }, 'age_restricted'],
    [{ title: 'People under 18 can\u2019t see this content' }, 'age_restricted'],
    [{ title: 'Restricted Video', description: 'For people 18 and over in your country.' }, 'age_restricted'],
    [{ title: 'This page isn\u2019t available where you live' }, 'region_blocked'],
  ])('%j', (ruling, code) => {
    expect(failureOfRuling({ ...ruling, status: 'fail' })?.code).toBe(code);
  });

  it.each([{ status: 'ok' }, { title: 'Something else' }, null, [], 'text', { title: 7 }])(
    '%j restricts nothing',
    ruling => {
      expect(failureOfRuling(ruling)).toBeNull();
    },
  );
});

describe('routes', () => {
  it('name a private post', () => {
    expect(namesPrivatePost('for (;;);{"payload":{"tracePolicy":"polaris.privatePostPage"}}')).toBe(true);
    expect(namesPrivatePost('{"tracePolicy":"polaris.postPage"}')).toBe(false);
  });
});
