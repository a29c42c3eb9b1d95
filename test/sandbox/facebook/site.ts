/** Facebook's pages and short links, as visitors without an account get them. */
import { type Answer, type Ask, escapeHtml, html, noise, preloaded, redirect } from '../answer.ts';
import type { RenderContext } from '../instagram/product.ts';
import { DECOY, type FacebookPost, type ShortLink } from '../world.ts';
import { callerOf, type FacebookEndpoint, type PageKind, pageKindOf, showingOf } from './callers.ts';
import { answerOembed } from './graph.ts';
import { facebookUrl } from './media.ts';
import { photoAnswers, playerData, reelAnswers, storyAnswers, watchAnswers } from './shapes.ts';

export interface FacebookSite extends RenderContext {
  readonly posts: readonly FacebookPost[];
  readonly shortLinks: readonly ShortLink[];
  /** Whether visitors come from an address of a data centre. */
  readonly isDataCentre: boolean;
}

const SITE = 'https://www.facebook.com';
/** About the size of the scripts around a post's data. */
const PAGE_NOISE_KB = 140;
const ROUTE = 'comet.fbweb.CometVideoHomeRoute';

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

/** Pages under `/watch` and `/videos` hold the files of another video. */
function answersOf(post: FacebookPost, kind: PageKind, context: RenderContext): readonly object[] {
  if (kind === 'watch' || kind === 'video') return reelAnswers(DECOY, 'direct', context);
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

function titleOf(post: FacebookPost): string {
  return post.title ?? `${post.owner.name} - ${(post.text ?? '').slice(0, 60)}`;
}

function headOf(post: FacebookPost): string {
  const url = escapeHtml(facebookUrl(post));
  return `<link rel="canonical" href="${url}" /><meta property="og:url" content="${url}" /><meta property="og:title" content="${escapeHtml(`${titleOf(post)} | Facebook`)}" />`;
}

/** What link previews are made of. */
function previewPage(post: FacebookPost, { addresses }: RenderContext): string {
  const [first] = post.media;
  const cover = first?.kind === 'video' ? first.cover : first?.small;
  const image = cover === undefined ? '' : escapeHtml(addresses.of(cover, { host: 'scontent-lhr8-2.xx.fbcdn.net' }));
  const isVideo = first?.kind === 'video';
  const oembed = `https://graph.facebook.com/v26.0/oembed_video?url=${encodeURIComponent(facebookUrl(post))}`;
  const more = [
    `<meta property="og:image" content="${image}" />`,
    `<meta property="og:description" content="${escapeHtml(post.text ?? '')}" />`,
    isVideo ? `<link rel="alternate" href="${escapeHtml(oembed)}" title="${escapeHtml(titleOf(post))}" />` : '',
  ];
  return page(`${titleOf(post)} | Facebook`, headOf(post) + more.join(''), noise(PAGE_NOISE_KB, ROUTE));
}

function postPage(post: FacebookPost, kind: PageKind, context: RenderContext): string {
  const scripts = answersOf(post, kind, context).map((data, index) =>
    preloaded(data, `adp_CometRootQueryRelayPreloader_${index}`),
  );
  return page(
    `${titleOf(post)} | Facebook`,
    headOf(post),
    `${noise(PAGE_NOISE_KB, ROUTE)}${scripts.join('')}<div id="mount_0_0_sB"></div>`,
  );
}

/** The player for other sites, in the shape of 2026: its configuration as script, few words in the markup. */
function embedPage(post: FacebookPost, context: RenderContext): string {
  const videoData = playerData(post, context);
  const config = JSON.stringify({ videoData, minQuality: null }).replaceAll('/', '\\/');
  const script = `<script>requireLazy(["ServerJS"],function(s){(new s()).handle({"instances":[["__inst_0",["VideoConfig","__inst"],[${config}],1]]});});</script>`;
  const anchors = `<a href="${SITE}/watch/?ref=embed_video">${escapeHtml(titleOf(post))}</a><a href="${SITE}/watch/${post.owner.username}/?ref=embed_video">${escapeHtml(post.owner.name)}</a>`;
  return page(post.owner.name, '', `${noise(60, 'comet.plugin.VideoEmbed')}${anchors}${script}`);
}

/** Status 400: to a browser's user agent that does not behave like one. */
function errorPage(): Answer {
  return html(page('Error', '', '<h1>Sorry, something went wrong.</h1>'), 400);
}

function toLogin(ask: Ask): Answer {
  return redirect(`${SITE}/login/?next=${encodeURIComponent(`${SITE}${ask.url.pathname}${ask.url.search}`)}`);
}

/** Every id that an address names, last first. */
function idsOf(url: URL): readonly string[] {
  const { searchParams, pathname } = url;
  const inner = searchParams.get('href') ?? searchParams.get('url') ?? '';
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
  // The mobile sites send everyone to the login page.
  if (ask.host !== 'www.facebook.com' && ask.host !== 'facebook.com') return toLogin(ask);
  const showing = showingOf(ask, site.isDataCentre);
  if (showing === 'error') return errorPage();
  if (showing === 'login') return toLogin(ask);
  const post = find(ask, site);
  if (post === undefined || post.state === 'removed') return html(unavailablePage());
  if (post.state === 'login-wall') return toLogin(ask);
  const kind = pageKindOf(ask.url.pathname);
  const isBareId = /^\/\d+\/?$/.test(ask.url.pathname);
  const isReelElsewhere = post.form === 'reel' && kind !== 'reel';
  if (isBareId || isReelElsewhere) return redirect(facebookUrl(post));
  if (showing === 'page') return html(postPage(post, kind, site));
  // Of a photo not even the head says anything.
  return html(post.form === 'photo' ? page('Facebook', '', noise(30, ROUTE)) : previewPage(post, site));
}

function answerEmbed(ask: Ask, site: FacebookSite): Answer {
  const caller = callerOf(ask);
  if (caller === 'other' || caller === 'search') return errorPage();
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
  // Link previews get a page that names the post; everyone else is redirected.
  const post = find({ ...ask, url: new URL(target, SITE) }, site);
  const isPreview = callerOf(ask) === 'crawler' || callerOf(ask) === 'search';
  if (isPreview && post !== undefined) return html(previewPage(post, site));
  const extra = new URLSearchParams({ rdid: 'SaNdBoXrDiD0', share_url: ask.url.href });
  return redirect(`${SITE}${target}${target.includes('?') ? '&' : '?'}${extra}`);
}

function answerFbWatch(ask: Ask, site: FacebookSite): Answer {
  if (site.isDataCentre) return toLogin(ask);
  return redirect(`${SITE}${shortTarget(ask, site, 'fb.watch') ?? '/watch/'}`);
}

export function answerFacebook(endpoint: FacebookEndpoint, ask: Ask, site: FacebookSite): Answer {
  if (endpoint === 'facebook.oembed') return answerOembed(ask, find(ask, site));
  if (endpoint === 'facebook.fb-watch') return answerFbWatch(ask, site);
  if (endpoint.startsWith('facebook.share.')) return answerShare(ask, site);
  return endpoint.startsWith('facebook.embed.') ? answerEmbed(ask, site) : answerPage(ask, site);
}

/** The home and login pages. */
export function answerOtherFacebook(): Answer {
  return html(facebookLogin());
}
