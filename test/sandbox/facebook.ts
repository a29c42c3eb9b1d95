/** Facebook's pages and short links, as visitors without an account get them. */
import { type Answer, type Ask, escapeHtml, html, noise, preloaded, redirect } from './answer.ts';
import { facebookUrl } from './facebook-media.ts';
import { photoAnswers, playerData, reelAnswers, storyAnswers, watchAnswers } from './facebook-shapes.ts';
import type { RenderContext } from './instagram-product.ts';
import { DECOY, type FacebookPost, type ShortLink } from './world.ts';

export type FacebookEndpoint = 'facebook.page' | 'facebook.embed' | 'facebook.share' | 'facebook.fb-watch';

export interface FacebookSite extends RenderContext {
  readonly posts: readonly FacebookPost[];
  readonly shortLinks: readonly ShortLink[];
}

const SITE = 'https://www.facebook.com';
/** About the size of the scripts around a post's data. */
const PAGE_NOISE_KB = 140;
const ROUTE = 'comet.fbweb.CometVideoHomeRoute';

export function facebookEndpoint(ask: Ask): FacebookEndpoint | undefined {
  if (ask.host === 'fb.watch') return 'facebook.fb-watch';
  const path = ask.url.pathname;
  if (path.startsWith('/share/')) return 'facebook.share';
  if (path.startsWith('/plugins/video.php')) return 'facebook.embed';
  return path === '/' || path.startsWith('/login') ? undefined : 'facebook.page';
}

function page(title: string, head: string, body: string): string {
  return `<!DOCTYPE html><html id="facebook" class="_9dls" lang="en" dir="ltr"><head><meta charset="utf-8" /><title>${escapeHtml(title)}</title>${head}</head><body class="_6s5d _71pn">${body}</body></html>`;
}

export function facebookLogin(): string {
  const form =
    '<form id="login_form" action="/login/device-based/regular/login/" method="post"><button id="loginbutton" name="login">Log in</button></form>';
  return page(
    'Log in to Facebook',
    `<link rel="canonical" href="${SITE}/login/" />`,
    `<div>You must log in to continue.</div>${form}`,
  );
}

/** Answered with status 200. */
function unavailablePage(): string {
  const words = "This content isn't available right now";
  return page(
    'Facebook',
    '',
    `${noise(30, ROUTE)}<div class="uiInterstitialContent"><h2>${words}</h2><p>The owner only shared it with a small group of people, or it's been deleted.</p></div>`,
  );
}

export function blockedPage(): string {
  return page(
    'Error',
    '',
    `${noise(4, ROUTE)}<script type="application/json" data-sjs>{"require":[["CometErrorRoot.react",null,null,[{"__dr":"CometErrorRoot.react"}]]]}</script>`,
  );
}

function answersOf(post: FacebookPost, context: RenderContext): readonly object[] {
  switch (post.form) {
    case 'reel':
      return [...reelAnswers(DECOY, 'legacy', context), ...reelAnswers(post, 'legacy', context)];
    case 'watch':
      return [
        ...watchAnswers(post, post.hasHd ? 'response' : 'direct', context),
        ...reelAnswers(DECOY, 'direct', context),
      ];
    case 'photo':
      return photoAnswers(post, context);
    case 'post':
    case 'group':
      return storyAnswers(post, context);
  }
}

function postPage(post: FacebookPost, context: RenderContext): string {
  const url = facebookUrl(post);
  const title = post.title ?? `${post.owner.name} - ${(post.text ?? '').slice(0, 60)}`;
  const head = `<link rel="canonical" href="${escapeHtml(url)}" /><meta property="og:url" content="${escapeHtml(url)}" /><meta property="og:title" content="${escapeHtml(`${title} | Facebook`)}" />`;
  const scripts = answersOf(post, context).map((data, index) =>
    preloaded(data, `adp_CometRootQueryRelayPreloader_${index}`),
  );
  return page(
    `${title} | Facebook`,
    head,
    `${noise(PAGE_NOISE_KB, ROUTE)}${scripts.join('')}<div id="mount_0_0_sB"></div>`,
  );
}

/** The player for other sites: the configuration of before 2020, written as script rather than as JSON. */
function embedPage(post: FacebookPost, context: RenderContext): string {
  const [data] = playerData(post, context);
  const config = JSON.stringify(data)
    .replace(/"(\w+)":/g, '$1:')
    .replaceAll(':true', ':!0')
    .replaceAll(':false', ':!1');
  const script = `<script>requireLazy(["ServerJS"],function(s){(new s()).handle({instances:[["__inst_0",["VideoConfig","__inst"],[{videoData:[${config}],minQuality:null}],1]]});});</script>`;
  return page(
    post.owner.name,
    '',
    `<a href="${escapeHtml(facebookUrl(post))}">${escapeHtml(post.owner.name)}</a>${script}`,
  );
}

function toLogin(ask: Ask): Answer {
  return redirect(`${SITE}/login/?next=${encodeURIComponent(`${SITE}${ask.url.pathname}${ask.url.search}`)}`);
}

/** Every id that an address names, last first. */
function idsOf(url: URL): readonly string[] {
  const { searchParams, pathname } = url;
  const inner = searchParams.get('href') ?? '';
  if (URL.canParse(inner)) return idsOf(new URL(inner));
  const named = ['v', 'fbid', 'story_fbid', 'video_id', 'multi_permalinks'].flatMap(key => searchParams.get(key) ?? []);
  return [
    ...named,
    ...pathname
      .split('/')
      .filter(part => /^(?:\d{6,20}|pfbid\w+)$/.test(part))
      .reverse(),
  ];
}

function find(ask: Ask, site: FacebookSite): FacebookPost | undefined {
  for (const id of idsOf(ask.url)) {
    const post = site.posts.find(one => one.id === id || one.pfbid === id);
    if (post !== undefined) return post;
  }
  return undefined;
}

function answerPage(ask: Ask, site: FacebookSite): Answer {
  if (ask.host !== 'www.facebook.com') return redirect(`${SITE}${ask.url.pathname}${ask.url.search}`);
  const isNavigation =
    ask.headers['sec-fetch-mode'] === 'navigate' && /^Mozilla\/5\.0 \(/.test(ask.headers['user-agent'] ?? '');
  if (!isNavigation) return toLogin(ask);
  const post = find(ask, site);
  if (post === undefined || post.state === 'removed') return html(unavailablePage());
  if (post.state === 'login-wall') return toLogin(ask);
  const isBareId = /^\/\d+\/?$/.test(ask.url.pathname);
  const isReelElsewhere = post.form === 'reel' && !ask.url.pathname.startsWith('/reel/');
  return isBareId || isReelElsewhere ? redirect(facebookUrl(post)) : html(postPage(post, site));
}

function answerEmbed(ask: Ask, site: FacebookSite): Answer {
  const post = find(ask, site);
  const hasPlayer = post?.state === 'public' && post.media.some(one => one.kind === 'video');
  if (post !== undefined && hasPlayer) return html(embedPage(post, site));
  const words =
    'This Facebook post is no longer available. It may have been removed or the privacy settings of the post may have changed.';
  return html(page('Facebook', '', `<div>${words}</div>`));
}

function shortTarget(ask: Ask, site: FacebookSite, host: ShortLink['host']): string | undefined {
  const path = ask.url.pathname.replace(/\/?$/, '/');
  return site.shortLinks.find(one => one.host === host && one.path === path)?.target;
}

function answerShare(ask: Ask, site: FacebookSite): Answer {
  const target = shortTarget(ask, site, 'www.facebook.com');
  if (target === undefined) return html(unavailablePage());
  const extra = new URLSearchParams({ rdid: 'SaNdBoXrDiD0', share_url: ask.url.href });
  return redirect(`${SITE}${target}${target.includes('?') ? '&' : '?'}${extra}`);
}

function answerFbWatch(ask: Ask, site: FacebookSite): Answer {
  return redirect(`${SITE}${shortTarget(ask, site, 'fb.watch') ?? '/watch/'}`);
}

export function answerFacebook(endpoint: FacebookEndpoint, ask: Ask, site: FacebookSite): Answer {
  if (endpoint === 'facebook.share') return answerShare(ask, site);
  if (endpoint === 'facebook.embed') return answerEmbed(ask, site);
  return endpoint === 'facebook.fb-watch' ? answerFbWatch(ask, site) : answerPage(ask, site);
}

/** The home and login pages. */
export function answerOtherFacebook(): Answer {
  return html(facebookLogin());
}
