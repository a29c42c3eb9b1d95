/** Instagram's endpoints, one function each; what a visitor without an account may ask, and media info for one with it. */
import { type Answer, type Ask, html, json, redirect } from '../answer.ts';
import { type InstagramPost, pkOf, type ShortLink } from '../world.ts';
import {
  type InstagramEndpoint,
  mayAskOembed,
  mayAskQuestions,
  mayQueryByMediaId,
  mayQueryByShortcode,
  maySeeEmbed,
  maySeePage,
} from './callers.ts';
import { answerOembed } from './oembed.ts';
import {
  embedPage,
  embedShell,
  errorPage,
  homePage,
  loginPage,
  ok,
  postPage,
  type SessionTokens,
  throttledPage,
  visitorCookies,
} from './pages.ts';
import { type RenderContext, renderProduct } from './product.ts';

export interface InstagramSite extends RenderContext {
  readonly tokens: SessionTokens;
  /** Given to visitors that bring none. */
  readonly csrf: string;
  readonly shortLinks: readonly ShortLink[];
  find(code: string): InstagramPost | undefined;
  findById(pk: string): InstagramPost | undefined;
}

const SHORTCODE_DOC = '27128499623469141';
/** Answers null for everything since June 2026. */
const DEAD_DOCS: ReadonlySet<string> = new Set(['8845758582119845', '25531498899829322']);
const WAIT = { message: 'Please wait a few minutes before you try again.', require_login: true, status: 'fail' };
const NOT_FOUND = { message: 'Media not found or unavailable', status: 'fail' };
const PUBLIC_CODE_LENGTH = 11;

function toLogin(ask: Ask): Answer {
  return redirect(`https://www.instagram.com/accounts/login/?next=${encodeURIComponent(ask.url.pathname)}`);
}

function variablesOf(ask: Ask): ReadonlyMap<string, unknown> {
  const text = ask.form.get('variables') ?? '';
  try {
    return new Map(Object.entries(JSON.parse(text) ?? {}));
  } catch {
    return new Map();
  }
}

function graphql(data: unknown, errors?: readonly object[]): Answer {
  return json({ data, ...(errors === undefined ? {} : { errors }), extensions: { is_final: true }, status: 'ok' });
}

function graphqlError(code: number, message: string, field: string): Answer {
  return graphql({ [field]: null }, [{ message, severity: 'CRITICAL', code, path: [field] }]);
}

function graphqlMediaId(ask: Ask, site: InstagramSite): Answer {
  // Without a browser's TLS and its session: a page in place of JSON.
  if (!mayQueryByMediaId(ask, site.tokens.lsd)) return html(loginPage(site.tokens));
  const post = site.findById(String(variablesOf(ask).get('media_id') ?? ''));
  const state = post?.state ?? 'removed';
  if (post === undefined || state === 'removed' || state === 'private') return graphql({ xig_polaris_media: null });
  if (state === 'rate-limited') return json(WAIT, 401);
  const comments = { count: post.counts?.comments ?? null, edges: [], page_info: { has_next_page: false } };
  const media = state === 'public' ? renderProduct(post, 'polaris', site) : null;
  return graphql({
    xig_polaris_media: {
      if_not_gated_logged_out: media,
      comments_connection: comments,
      id: `POLARIS_${pkOf(post.code)}`,
    },
  });
}

function graphqlShortcode(ask: Ask, site: InstagramSite): Answer {
  if (!mayQueryByShortcode(ask)) return html(loginPage(site.tokens));
  const doc = ask.form.get('doc_id') ?? '';
  if (DEAD_DOCS.has(doc)) return graphql({ xdt_shortcode_media: null });
  if (doc !== SHORTCODE_DOC)
    return json({ errors: [{ message: `The GraphQL document with ID ${doc} was not found.`, severity: 'CRITICAL' }] });
  const field = 'xdt_api__v1__media__shortcode__web_info';
  const post = site.find(String(variablesOf(ask).get('shortcode') ?? ''));
  if (post === undefined || post.state === 'removed')
    return graphqlError(4_630_001, 'Media not found or unavailable', field);
  if (post.state === 'rate-limited') return graphqlError(1_675_004, 'Rate limit exceeded', field);
  return graphql({ [field]: post.state === 'public' ? { items: [renderProduct(post, 'web-info', site)] } : null });
}

function answerPage(ask: Ask, site: InstagramSite): Answer {
  if (!maySeePage(ask)) return toLogin(ask);
  const [, form = 'p', code = ''] = /\/(p|reel|reels|tv)\/([\w-]+)\/?$/.exec(ask.url.pathname) ?? [];
  const post = site.find(code.slice(0, PUBLIC_CODE_LENGTH));
  if (post === undefined || post.state === 'removed') return ok(errorPage(site.tokens), site.csrf);
  if (post.state === 'private') return toLogin(ask);
  if (post.state === 'rate-limited') return ok(throttledPage(site.tokens), site.csrf);
  const isClip = post.media.length === 1 && post.media[0]?.kind === 'video';
  if (form !== 'p' && !isClip) return redirect(`https://www.instagram.com/p/${post.code}/`);
  return ok(postPage(post, site.tokens, site), site.csrf);
}

function answerEmbed(ask: Ask, site: InstagramSite): Answer {
  if (!maySeeEmbed(ask)) return html(embedShell());
  const code = ask.url.pathname.split('/')[2] ?? '';
  return html(embedPage(site.find(code.slice(0, PUBLIC_CODE_LENGTH)), site));
}

function answerMediaInfo(ask: Ask, site: InstagramSite): Answer {
  const isMember = (ask.cookies.get('sessionid') ?? '') !== '' && ask.headers['x-ig-app-id'] !== undefined;
  if (!isMember) return toLogin(ask);
  const post = site.findById(ask.url.pathname.split('/')[4]?.split('_')[0] ?? '');
  if (post === undefined || post.state === 'removed' || post.state === 'region-blocked') return json(NOT_FOUND, 404);
  if (post.state === 'private') return json({ message: 'Not authorized to view user', status: 'fail' }, 400);
  if (post.state === 'rate-limited') return json({ message: 'feedback_required', spam: true, status: 'fail' }, 429);
  return json({
    items: [renderProduct(post, 'v1', site)],
    num_results: 1,
    more_available: false,
    auto_load_more_enabled: false,
    status: 'ok',
  });
}

const RULINGS = {
  'age-restricted': 'You must be 18 years old or over to see this video.',
  'region-blocked': 'This video is not available in your country.',
} as const;

function oembedOf(ask: Ask, site: InstagramSite): Answer {
  if (!mayAskOembed(ask)) return json(WAIT, 401);
  const code = /\/(?:p|reel|tv)\/([\w-]+)/.exec(ask.url.searchParams.get('url') ?? '')?.[1] ?? '';
  return answerOembed(ask, site.find(code.slice(0, PUBLIC_CODE_LENGTH)), site);
}

function answerRuling(ask: Ask, site: InstagramSite): Answer {
  if (!mayAskQuestions(ask)) return toLogin(ask);
  const { searchParams } = ask.url;
  const post = site.findById((searchParams.get('target_id') ?? searchParams.get('media_id') ?? '').split('_')[0] ?? '');
  const headers = ask.cookies.has('csrftoken') ? {} : { 'set-cookie': visitorCookies(site.csrf) };
  const state = post?.state;
  if (state !== 'age-restricted' && state !== 'region-blocked') return json({ status: 'ok' }, 200, headers);
  return json({ title: 'Restricted Video', description: RULINGS[state], status: 'fail' }, 200, headers);
}

function answerRoute(ask: Ask, site: InstagramSite): Answer {
  if (!mayAskQuestions(ask)) return toLogin(ask);
  const path = ask.form.get('route_urls[0]') ?? '';
  const post = site.find((path.split('/')[2] ?? '').slice(0, PUBLIC_CODE_LENGTH));
  const policies: Readonly<Record<string, string>> = {
    private: 'polaris.privatePostPage',
    removed: 'polaris.errorPage',
  };
  const tracePolicy = policies[post?.state ?? 'removed'] ?? 'polaris.postPage';
  const props = post === undefined ? {} : { media_id: pkOf(post.code), media_owner_id: post.author.id };
  const result = { type: 'route_definition', exports: { rootView: { props }, tracePolicy }, redirect_result: null };
  const body = {
    payload: { payloads: { [path]: { error: false, result } }, sr_payload: null },
    lid: '7340000000000000001',
  };
  return json(`for (;;);${JSON.stringify(body)}`, 200, { 'content-type': 'application/x-javascript; charset=utf-8' });
}

/** Browsers get a page that finds out by script; others are redirected. */
function answerShare(ask: Ask, site: InstagramSite): Answer {
  const link = site.shortLinks.find(
    one => one.host === 'www.instagram.com' && one.path === ask.url.pathname.replace(/\/?$/, '/'),
  );
  const isBrowser = /^Mozilla\//.test(ask.headers['user-agent'] ?? '') && ask.headers['sec-fetch-mode'] !== 'navigate';
  if (isBrowser) return html(throttledPage(site.tokens));
  if (link === undefined) return html(errorPage(site.tokens), 404);
  return redirect(`https://www.instagram.com${link.target}?igsh=c2FuZGJveA==`);
}

export function answerInstagram(endpoint: InstagramEndpoint, ask: Ask, site: InstagramSite): Answer {
  switch (endpoint) {
    case 'instagram.home':
      return ok(homePage(site.tokens), site.csrf);
    case 'instagram.graphql-media-id':
      return graphqlMediaId(ask, site);
    case 'instagram.oembed':
      return oembedOf(ask, site);
    case 'instagram.media-info':
      return answerMediaInfo(ask, site);
    case 'instagram.ruling':
      return answerRuling(ask, site);
    case 'instagram.route':
      return answerRoute(ask, site);
    case 'instagram.share':
      return answerShare(ask, site);
    default:
      if (endpoint.startsWith('instagram.page.')) return answerPage(ask, site);
      return endpoint.startsWith('instagram.embed.') ? answerEmbed(ask, site) : graphqlShortcode(ask, site);
  }
}

/** The rest of the site: the login page, and a 404 for what is not played. */
export function answerOtherInstagram(ask: Ask, site: InstagramSite): Answer {
  if (ask.url.pathname.startsWith('/accounts/login')) return html(loginPage(site.tokens));
  return html(errorPage(site.tokens), 404);
}
