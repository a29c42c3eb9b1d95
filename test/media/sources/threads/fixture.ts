/** Made-up posts as Threads' embeds and pages have them, piece by piece. */
import type { ReadContext } from '../../../../src/media/sources/kit/draft.ts';
import { threadsRefOf } from '../../../../src/media/sources/threads/link.ts';
import { readThreadsPage } from '../../../../src/media/sources/threads/parse.ts';
import { bodyOf } from '../../body-of.ts';

const CODE = 'DZkilnwheel';
const CDN = 'https://scontent-lhr8-1.cdninstagram.com';

/** An address on the CDN, as attributes of a page have it. */
function file(name: string, type = 15): string {
  return name.endsWith('.mp4')
    ? `${CDN}/o1/v/t2/f2/m84/${name}?_nc_cat=1&oh=aa&oe=6BB00003`
    : `${CDN}/v/t51.82787-${type}/${name}?stp=dst-jpg&oh=aa&oe=6BB00001`;
}

const attribute = (url: string) => url.replaceAll('&', '&amp;');

export function photo(name: string, alt = ''): string {
  return `<div class="SingleInnerMediaContainer"><img src="${attribute(file(name))}" alt="${alt}"></div>`;
}

export function video(name: string): string {
  const source = `<source src="${attribute(file(`${name}.mp4`))}" type="video/mp4">`;
  const inner = `<video playsinline poster="${attribute(file(`${name}.jpg`))}">${source}</video>`;
  return `<div class="SingleInnerMediaContainer SingleInnerMediaContainerVideo">${inner}</div>`;
}

export function solo(html: string): string {
  return `<div class="SoloMediaContainer">${html}</div>`;
}

export function album(...files: readonly string[]): string {
  const places = files.map(html => `<div class="MediaScrollImageContainer">${html}</div>`);
  return `<div class="MediaScrollContainer">${places.join('')}</div>`;
}

export interface Drawn {
  readonly code?: string;
  readonly user?: string;
  readonly text?: string;
  readonly media?: string;
  readonly body?: string;
  readonly frame?: string;
  /** Between media and time. */
  readonly more?: string;
  readonly counts?: readonly string[];
}

export function drawn({
  code = CODE,
  user = 'mara.turns.clay',
  text = 'Kiln day',
  media = '',
  body = 'BodyContainer',
  frame = 'OuterContainer OuterContainerFull',
  more = '',
  counts = ['900', '', '88', '12'],
}: Drawn = {}): string {
  const icons = counts.map(
    count => `<span class="ActionBarIcon">${count && `<i class="ActionBarCount">${count}</i>`}</span>`,
  );
  return `<div class="${frame}"><div class="LinkContainer"><a href="https://www.threads.com/@${user}/post/${code}?xmt=AQ"></a></div>
    <div class="AvatarContainer"><img src="${attribute(file(`${user}.jpg`, 19))}"></div>
    <a class="HeaderLink" href="https://www.threads.com/@${user}"><span>${user}</span></a><span class="VerifiedBadge"></span>
    <div class="TopicTagWrapper"><a class="HeaderLink" href="https://www.threads.com/search?q=clay">clay</a></div>
    <div class="${body}"><span class="BodyTextContainer">${text}</span>${media}</div>${more}
    <span class="Timestamp">12:26 PM &middot; Sep 2, 2026</span><div class="ActionBarContainer">${icons.join('')}</div></div>`;
}

export function embed(...posts: readonly string[]): string {
  return `<!DOCTYPE html><html><head><title>Threads</title></head><body><div class="EmbedFrame">${posts.join('')}</div></body></html>`;
}

export type Json = Readonly<Record<string, unknown>>;

export function product(name: string, kind: 'photo' | 'video' = 'photo'): Json {
  return {
    media_type: kind === 'video' ? 2 : 1,
    image_versions2: { candidates: [{ url: file(`${name}.jpg`), width: 720, height: 1280 }] },
    video_versions: kind === 'video' ? [{ type: 101, url: file(`${name}.mp4`) }] : null,
    carousel_media: null,
  };
}

export const WORDS: Json = { media_type: 19, image_versions2: { candidates: [] }, video_versions: null };

export function post(more: Json = {}, info: Json = {}): Json {
  return {
    pk: '3988541129953247296',
    id: '3988541129953247296_77',
    code: CODE,
    user: { pk: '77', username: 'mara.turns.clay', full_name: 'Mara', is_verified: false },
    caption: { text: 'Kiln day' },
    taken_at: 1_788_000_000,
    like_count: 12,
    ...product('own', 'video'),
    text_post_app_info: { direct_reply_count: 3, repost_count: 4, share_info: {}, linked_inline_media: null, ...info },
    ...more,
  };
}

/** Another author's, as related posts and replies are. */
export const STRANGER = post({ code: 'DXsomebody1', pk: '1', id: '1_9', ...product('foreign', 'video') });

export function page(asked: unknown, ...others: readonly unknown[]): string {
  const script = (value: unknown) => `<script type="application/json" data-sjs>${JSON.stringify(value)}</script>`;
  const data = { data: { edges: [{ node: { thread_items: [{ post: asked }] } }] } };
  const threads = others.map(one => ({ thread_items: [{ post: one }] }));
  return `<html><head><title>x</title></head><body>${script({ require: [[{ result: { data } }]] })}${script({ relatedPosts: { threads } })}</body></html>`;
}

export function contextOf(code = CODE): ReadContext {
  const ref = threadsRefOf(code);
  if (ref === undefined) throw new Error(`${code} is no code`);
  return { ref, kind: 'page', strategy: 'test', now: 1_788_100_000_000 };
}

export function read(text: string, { status = 200, url = `https://www.threads.com/t/${CODE}/embed` } = {}) {
  return readThreadsPage({ status, headers: {}, url, body: bodyOf(text) }, contextOf());
}
