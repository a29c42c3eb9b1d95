/** Embeds and pages of Threads as of 2026-09 and 2026-10. */
import type { MediaAddresses } from '../address.ts';
import { escapeHtml, noise, preloaded, scriptJson } from '../answer.ts';
import type { Media } from '../media.ts';
import { pkOf, takenAt } from '../world.ts';
import { THREADS_POSTS, type ThreadsPerson, type ThreadsPost } from './posts.ts';

const SITE = 'https://www.threads.com';

export function threadsUrl({ author, code }: ThreadsPost): string {
  return `${SITE}/@${author.username}/post/${code}`;
}

function document(title: string, body: string): string {
  return `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`;
}

/** For callers that are taken for a browser: it finds out the rest by script. */
export function appShell(): string {
  return document('Threads', `<div id="barcelona-page-layout"></div>${noise(60, 'barcelona.web.BarcelonaFeedRoute')}`);
}

export function unavailableEmbed(): string {
  const words = '<div class="UnavailableContainer"><span class="ErrorText">Thread not available</span></div>';
  return document('Threads', `<div class="EmbedFrame"><div class="OuterContainer">${words}</div></div>`);
}

function shortCount(count: number): string {
  if (count === 0) return '';
  const shown = count < 1_000 ? String(count) : `${Math.floor(count / 100) / 10}K`;
  return `<span class="ActionBarCount">${shown}</span>`;
}

function timestamp(code: string): string {
  const at = new Date(takenAt(pkOf(code)) * 1000);
  const zone = { timeZone: 'America/Los_Angeles' } as const;
  const time = at.toLocaleTimeString('en-US', { ...zone, hour: 'numeric', minute: '2-digit' });
  return `${time} &middot; ${at.toLocaleDateString('en-US', { ...zone, month: 'short', day: 'numeric', year: 'numeric' })}`;
}

function fileHtml(media: Media, addresses: MediaAddresses): string {
  const at = (name: string) => escapeHtml(addresses.of(name));
  if (media.kind === 'image') {
    return `<div class="SingleInnerMediaContainer"><img src="${at(media.best)}" alt="${escapeHtml(media.alt)}"></div>`;
  }
  const source = `<source src="${at(media.best)}" type="video/mp4">`;
  const video = `<video playsinline poster="${at(media.cover)}">${source}</video>`;
  return `<div class="SingleInnerMediaContainer SingleInnerMediaContainerVideo">${video}</div>`;
}

function mediaHtml(post: ThreadsPost, addresses: MediaAddresses): string {
  const files = post.media.map(media => fileHtml(media, addresses));
  if (files.length < 2) return `<div class="SoloMediaContainer">${files.join('')}</div>`;
  const scrolled = files.map(file => `<div class="MediaScrollImageContainer">${file}</div>`).join('');
  return `<div class="MediaScrollContainer">${scrolled}</div>`;
}

type Place = 'asked' | 'parent' | 'quoted';

function postHtml(post: ThreadsPost, place: Place, addresses: MediaAddresses): string {
  const { author, counts, quotes } = post;
  const avatar = escapeHtml(addresses.of(author.avatar));
  const badge = author.verified ? '<span class="VerifiedBadge"></span>' : '';
  const text = escapeHtml(post.text ?? '').replaceAll('\n', '<br>');
  const icons = counts.map(count => `<span class="ActionBarIcon">${shortCount(count)}</span>`).join('');
  const quote = quotes === null ? '' : postHtml(quotes, 'quoted', addresses);
  const body = [
    `<div class="LinkContainer"><a href="${threadsUrl(post)}?xmt=AQ"></a></div>`,
    `<div class="AvatarContainer"><img src="${avatar}"></div>`,
    `<a class="HeaderLink" href="${SITE}/@${author.username}"><span>${author.username}</span></a>${badge}`,
    '<div class="TopicTagWrapper"><a class="HeaderLink" href="/search?q=clay">clay</a></div>',
    `<div class="BodyContainer${place === 'parent' ? ' BodyContainerParent' : ''}">`,
    `<span class="BodyTextContainer">${text}</span>${mediaHtml(post, addresses)}</div>`,
    quote === '' ? '' : `<div class="QuotePostContainer">${quote}</div>`,
    `<span class="Timestamp">${timestamp(post.code)}</span><div class="ActionBarContainer">${icons}</div>`,
  ];
  const frame = { asked: ' OuterContainerFull', parent: '', quoted: ' OuterContainerFull OuterContainerQuotePost' };
  return `<div class="OuterContainer${frame[place]}">${body.join('')}</div>`;
}

export function embedPage(post: ThreadsPost, addresses: MediaAddresses): string {
  const parent = post.repliesTo === null ? '' : postHtml(post.repliesTo, 'parent', addresses);
  return document('Threads', `<div class="EmbedFrame">${parent}${postHtml(post, 'asked', addresses)}</div>`);
}

type Json = Readonly<Record<string, unknown>>;

function mediaJson(media: Media | undefined, addresses: MediaAddresses): Json {
  if (media === undefined) return { media_type: 19, image_versions2: { candidates: [] }, video_versions: null };
  const { width, height } = media;
  const image = media.kind === 'image' ? media.best : media.cover;
  return {
    media_type: media.kind === 'image' ? 1 : 2,
    image_versions2: { candidates: [{ url: addresses.of(image), width, height }] },
    video_versions: media.kind === 'image' ? null : [101, 102].map(type => ({ type, url: addresses.of(media.best) })),
    original_width: width,
    original_height: height,
    accessibility_caption: media.kind === 'image' ? media.alt : null,
  };
}

function userJson({ id, username, name, verified, avatar }: ThreadsPerson, addresses: MediaAddresses): Json {
  const profile_pic_url = addresses.of(avatar);
  return { pk: id, id, username, full_name: name, is_verified: verified, profile_pic_url };
}

function postJson(post: ThreadsPost, addresses: MediaAddresses): Json {
  const pk = pkOf(post.code);
  const [like_count, direct_reply_count, repost_count, reshare_count] = post.counts;
  const [first] = post.media;
  const isAlbum = post.media.length > 1;
  const reel = post.sharesReel ? { pk: `${pk}1`, code: 'DTareelofig', ...mediaJson(first, addresses) } : null;
  return {
    pk,
    id: `${pk}_${post.author.id}`,
    code: post.code,
    user: userJson(post.author, addresses),
    caption: post.text === null ? null : { text: post.text },
    taken_at: takenAt(pk),
    like_count,
    ...mediaJson(post.sharesReel ? undefined : first, addresses),
    ...(isAlbum && { media_type: 8, video_versions: null }),
    carousel_media: isAlbum ? post.media.map(media => mediaJson(media, addresses)) : null,
    text_post_app_info: {
      direct_reply_count,
      repost_count,
      reshare_count,
      quote_count: 0,
      text_fragments: { fragments: [{ fragment_type: 'plaintext', plaintext: post.text }] },
      share_info: { quoted_post: post.quotes === null ? null : postJson(post.quotes, addresses), reposted_post: null },
      linked_inline_media: reel,
    },
  };
}

const QUERY = 'adp_BarcelonaPostPageDirectQueryRelayPreloader_1';

/** Between related posts of others, as pages have them. */
export function postPage(post: ThreadsPost | undefined, addresses: MediaAddresses): string {
  const nodes = post === undefined ? [] : [{ node: { thread_items: [{ post: postJson(post, addresses) }] } }];
  const related = THREADS_POSTS.filter(one => one !== post && !one.isGone).slice(0, 2);
  const threads = related.map(one => ({ thread_items: [{ post: postJson(one, addresses) }] }));
  const others = `<script type="application/json" data-sjs>${scriptJson({ relatedPosts: { threads } })}</script>`;
  return document('Threads', `${preloaded({ data: { edges: nodes } }, QUERY)}${post === undefined ? '' : others}`);
}
