/** Instagram's pages, as visitors without an account get them. */
import { type Answer, escapeHtml, html, noise, preloaded, scriptJson } from '../answer.ts';
import type { Photo } from '../media.ts';
import { type InstagramPost, PASSERS_BY } from '../world.ts';
import { renderGraphMedia } from './graph.ts';
import { bestVideoUrl, type RenderContext, renderProduct, renderStranger } from './product.ts';

const POST_ROUTE = 'comet.igweb.PolarisLoggedOutDesktopWWWPostRoute';
const ERROR_ROUTE = 'comet.igweb.PolarisErrorRoute';
const LOGIN_ROUTE = 'comet.igweb.PolarisCAAIGLoginHomepageRoute';
/** About the size of the scripts around a post's data. */
const PAGE_NOISE_KB = 90;

export interface SessionTokens {
  readonly lsd: string;
}

function page(title: string, head: string, body: string): string {
  return `<!DOCTYPE html><html class="_9dls" lang="en" dir="ltr"><head><meta charset="utf-8" /><title>${escapeHtml(title)}</title>${head}</head><body class="_a3wf">${body}</body></html>`;
}

function eqmc(lsd: string): string {
  const value = {
    u: '/ajax/qm/?__a=1&__user=0&__comet_req=7&jazoest=2934',
    e: 'AdSandbox',
    s: 'XPolarisPostController',
    w: 0,
    f: '',
    l: lsd,
  };
  return `<script type="application/json" id="__eqmc">${scriptJson(value)}</script>`;
}

function shell(route: string, { lsd }: SessionTokens, body = '', kilobytes = 4): string {
  return page('Instagram', eqmc(lsd), `${noise(kilobytes, route)}${body}<div id="mount_0_0"></div>`);
}

/** Cookies that a first visit is given. */
export function visitorCookies(csrf: string): readonly string[] {
  const end = 'Path=/; Domain=.instagram.com; Secure; SameSite=None';
  return [
    `csrftoken=${csrf}; Max-Age=31449600; ${end}`,
    `mid=aSandBox0ALAAAEVisitor7machine; Max-Age=34560000; HttpOnly; ${end}`,
    `ig_did=5A0D60B0-0000-4000-8000-00C0FFEE0001; Max-Age=31536000; HttpOnly; ${end}`,
    `ig_nrcb=1; Max-Age=31536000; ${end}`,
  ];
}

export function homePage(tokens: SessionTokens): string {
  const define = `<script>requireLazy(["Env"],function(){});(new ServerJS()).handle({"define":[["LSD",[],{"token":"${tokens.lsd}"},323]]});</script>`;
  return shell(LOGIN_ROUTE, tokens, define, 24);
}

export function loginPage(tokens: SessionTokens): string {
  return shell(LOGIN_ROUTE, tokens);
}

/** Answered with status 200. */
export function errorPage(tokens: SessionTokens): string {
  return shell(ERROR_ROUTE, tokens);
}

/** The post's route without its data: what a throttled visitor gets. */
export function throttledPage(tokens: SessionTokens): string {
  return shell(POST_ROUTE, tokens);
}

function gatedPage(tokens: SessionTokens): string {
  return shell(
    POST_ROUTE,
    tokens,
    preloaded({ xig_polaris_media: { if_not_gated_logged_out: null } }, 'adp_PolarisLoggedOutPost'),
  );
}

function moreByOthers(context: RenderContext): string {
  const edges = PASSERS_BY.photos.map((photo: Photo, index) => ({
    node: renderStranger(PASSERS_BY.author, photo, index + 1, context),
  }));
  return preloaded({ xig_logged_out_related_media: { edges } }, 'adp_PolarisLoggedOutRelated');
}

/** The whole page of a post: other people's posts stand before the one asked for. */
export function postPage(post: InstagramPost, tokens: SessionTokens, context: RenderContext): string {
  if (post.state === 'age-restricted' || post.state === 'region-blocked') return gatedPage(tokens);
  const product = renderProduct(post, 'polaris-page', context);
  const data = preloaded({ xig_polaris_media: { if_not_gated_logged_out: product } }, 'adp_PolarisLoggedOutPost');
  const title = `${post.author.name} on Instagram: "${(post.caption ?? '').slice(0, 80)}"`;
  const meta = `<meta property="og:site_name" content="Instagram" /><meta property="og:url" content="https://www.instagram.com/p/${post.code}/" />`;
  const route = noise(PAGE_NOISE_KB, POST_ROUTE);
  return page(title, `${eqmc(tokens.lsd)}${meta}`, `${route}${moreByOthers(context)}${data}<div id="mount_0_0"></div>`);
}

function embedScript(isSidecar: boolean, context: string | null): string {
  const options = { isRichEmbed: false, isSidecar, isGuideEmbed: false, isProfileEmbed: false, contextJSON: context };
  const value = {
    require: [
      ['PolarisEmbedSimple', 'init', [], [options]],
      ['PolarisEmbedLog', 'init', [], [{}]],
    ],
  };
  return `<script>s.handle(${scriptJson(value)})</script>`;
}

function embedCaption(post: InstagramPost): string {
  const { username } = post.author;
  const words = escapeHtml(post.caption ?? '').replaceAll('\n', '<br />');
  const user = `<a class="CaptionUsername" href="https://www.instagram.com/${username}/">${username}</a>`;
  return `<div class="Caption">${user}<br /><br />${words}<div class="CaptionComments"><a href="https://www.instagram.com/p/${post.code}/">View all comments</a></div></div>`;
}

function embedMedia(post: InstagramPost, context: RenderContext): string {
  const media = post.media[0];
  if (media === undefined) return '';
  const image = escapeHtml(
    context.addresses.of(media.kind === 'video' ? media.cover : media.best, { cacheKey: post.code }),
  );
  const picture = `<div class="EmbeddedMedia"><img class="EmbeddedMediaImage" alt="" src="${image}" /></div>`;
  if (media.kind === 'image') return picture;
  if (post.embed === 'withheld')
    return `${picture}<a class="WatchOnInstagram" href="https://www.instagram.com/p/${post.code}/">Watch on Instagram</a>`;
  return `${picture}<video class="EmbeddedMediaVideo" src="${escapeHtml(bestVideoUrl(media, context))}"></video>`;
}

/** What anyone but a crawler gets for an embed: the frame, to be filled by scripts. */
export function embedShell(): string {
  return page('Instagram', '', noise(4, 'comet.igweb.PolarisEmbedRoute'));
}

/** The captioned embed: data in its script, or only what can be seen, or nothing. */
export function embedPage(post: InstagramPost | undefined, context: RenderContext): string {
  if (post === undefined || post.embed === 'broken') {
    return page(
      'Instagram',
      '',
      `<div class="Embed"><div class="EmbedBrokenMedia"><div class="ebmLogo"></div></div></div>${embedScript(false, null)}`,
    );
  }
  const { username } = post.author;
  const data =
    post.embed === 'context'
      ? JSON.stringify({ gql_data: { shortcode_media: renderGraphMedia(post, context) } })
      : null;
  const header = `<div class="Header"><a class="Username" href="https://www.instagram.com/${username}/"><span class="UsernameText">${username}</span></a></div>`;
  const body = `<div class="Embed" data-media-id="${post.code}">${header}${embedMedia(post, context)}${embedCaption(post)}</div>`;
  return page('Instagram', '', `${body}${embedScript(post.media.length > 1, data)}`);
}

export function ok(body: string, csrf: string): Answer {
  return html(body, 200, { 'set-cookie': visitorCookies(csrf) });
}
