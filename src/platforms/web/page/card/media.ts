import { button, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebMedia } from '../base/protocol.ts';
import { listed, type PageTextKey, text } from '../base/texts.ts';

export interface MediaContext {
  /** The name of the files' author; '' when unknown. */
  readonly owner: string;
  readonly openPhoto: (media: WebMedia) => void;
  /** Requests the post again, because the addresses of its files have expired. */
  readonly bringAgain: () => void;
}

const KIND_TEXT = { video: 'video', image: 'photo', audio: 'audio' } as const satisfies Record<
  WebMedia['kind'],
  PageTextKey
>;

/** A description of a file for people who cannot see it. */
export function mediaLabel(media: WebMedia, place: string, owner: string): string {
  return listed([text(KIND_TEXT[media.kind]), place, media.alt, owner]);
}

/** A file's width divided by its height, within limits that suit a chat. */
export function ratioOf(media: WebMedia): number {
  if (media.kind === 'audio') return media.poster === null ? 4 : 1;
  if (!media.width || !media.height) return media.kind === 'video' ? 16 / 9 : 1;
  return Math.min(2.4, Math.max(0.5, media.width / media.height));
}

/** True when the addresses of a file have expired. */
export function isExpired({ expiresAt }: WebMedia): boolean {
  return Date.now() >= expiresAt;
}

/** One file in a box that has its final size before the file is loaded. */
export function mediaBox(media: WebMedia, place: string, context: MediaContext): HTMLElement {
  const box = h('div', { class: `media media-${media.kind}`, '--ratio': ratioOf(media) });
  const fill = (): void => {
    box.classList.toggle('expired', isExpired(media));
    if (isExpired(media)) box.replaceChildren(expiredNote(context));
    else if (media.spoiler && !box.dataset.shown) box.replaceChildren(spoilerCover(media, context.owner, uncover));
    else show();
  };
  const uncover = (): void => {
    show();
    box.querySelector<HTMLElement>('button, video, audio')?.focus();
  };
  const show = (): void => {
    box.dataset.shown = 'true';
    const onError = (): void => box.replaceChildren(failedNote(fill, context));
    box.replaceChildren(...elementsOf(media, place, context, onError));
    if (box.hasAttribute('data-warm')) warm(box);
  };
  fill();
  return box;
}

function elementsOf(media: WebMedia, place: string, context: MediaContext, onError: () => void): HTMLElement[] {
  if (media.kind === 'image') return [photo(media, place, context, onError)];
  const label = mediaLabel(media, place, context.owner);
  return media.kind === 'audio' ? audioOf(media, label, onError) : [videoOf(media, label, onError)];
}

function videoOf(media: WebMedia, label: string, onError: () => void): HTMLVideoElement {
  const video = h('video', {
    controls: true,
    playsinline: true,
    preload: 'none',
    poster: media.poster,
    width: media.width,
    height: media.height,
    'aria-label': label,
  });
  video.addEventListener('error', onError, { once: true });
  // Without a poster, iOS shows nothing until the video plays; `#t=0.001` makes it show the frame at that time.
  video.src = media.poster === null && !media.src.includes('#') ? `${media.src}#t=0.001` : media.src;
  // Browsers stop at the end time in the address (`#t=5,12`) only once, so it is enforced here.
  const [, start, end] = /#t=([\d.]+),([\d.]+)$/.exec(media.src) ?? [];
  if (end !== undefined) keepWithin(video, () => ({ from: Number(start), to: Number(end) }));
  return video;
}

const SHORTEST_REST_S = 0.1;

/** Keeps the player within a part of its video, in seconds, while `part` returns one. */
export function keepWithin(video: HTMLVideoElement, part: () => { from: number; to: number } | undefined): void {
  video.addEventListener('play', () => {
    const { from, to } = part() ?? { from: 0, to: Number.POSITIVE_INFINITY };
    if (video.currentTime < from || video.currentTime >= to - SHORTEST_REST_S) video.currentTime = from;
  });
  video.addEventListener('timeupdate', () => {
    const { to } = part() ?? { to: Number.POSITIVE_INFINITY };
    if (!video.paused && video.currentTime >= to) video.pause();
  });
}

function audioOf(media: WebMedia, label: string, onError: () => void): HTMLElement[] {
  const audio = h('audio', { controls: true, preload: 'metadata', 'aria-label': label });
  audio.addEventListener('error', onError, { once: true });
  audio.src = media.src;
  const cover =
    media.poster === null ? icon('sound') : h('img', { src: media.poster, alt: '', class: 'cover', decoding: 'async' });
  return [h('div', { class: 'sleeve' }, cover), audio];
}

function photo(media: WebMedia, place: string, context: MediaContext, onError: () => void): HTMLButtonElement {
  const image = h('img', {
    alt: mediaLabel(media, place, context.owner),
    width: media.width,
    height: media.height,
    decoding: 'async',
  });
  image.addEventListener('error', onError, { once: true });
  image.src = media.src;
  return button({ class: 'photo', title: text('openPhoto') }, () => context.openPhoto(media), image);
}

/** The cover over a spoiler, which tells nothing about the file's content. */
function spoilerCover(media: WebMedia, owner: string, show: () => void): HTMLButtonElement {
  return button(
    { class: 'spoiler' },
    show,
    icon('hidden'),
    h('span', {}, text('spoiler')),
    h('span', { class: 'unseen' }, mediaLabel({ ...media, alt: '' }, '', owner)),
  );
}

function expiredNote({ bringAgain }: MediaContext): HTMLElement {
  return note('mediaExpired', button({ class: 'action' }, bringAgain, icon('again'), text('bringAgain')));
}

function failedNote(again: () => void, { bringAgain }: MediaContext): HTMLElement {
  const retry = button({ class: 'action' }, again, icon('again'), text('retry'));
  return note(
    'mediaFailed',
    h('p', { class: 'actions' }, retry, button({ class: 'action' }, bringAgain, text('bringAgain'))),
  );
}

function note(key: PageTextKey, below: HTMLElement): HTMLElement {
  return h('div', { class: 'media-note' }, h('p', {}, text(key)), below);
}

/** Switches the video in this box to another file, at the same position. */
export function switchVideo(box: Element | undefined, src: string): void {
  const video = box?.querySelector('video');
  if (!video) return;
  const { currentTime, paused } = video;
  video.src = src;
  video.currentTime = currentTime;
  // If the reader pauses meanwhile, `play` rejects, which is no failure.
  if (!paused) video.play().catch(() => undefined);
}

/** Makes the video in this box load its metadata, so that it starts without that delay when it is played. */
export function warm(box: Element): void {
  box.setAttribute('data-warm', '');
  for (const video of box.querySelectorAll('video')) video.preload = 'metadata';
}

const arrivals = new WeakMap<Element, () => void>();

const observer = new IntersectionObserver(
  entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      arrivals.get(target)?.();
    }
  },
  { rootMargin: '400px' },
);

/** Calls `act` when the element is nearly in view: of a long conversation's videos only near ones should load. */
export function whenNear(element: Element, act: () => void): void {
  arrivals.set(element, act);
  observer.observe(element);
}

/** Pauses all other players when one starts. `play` does not bubble, so it is caught in the capture phase. */
export function playOneAtATime(): void {
  document.addEventListener(
    'play',
    event => {
      for (const playing of document.querySelectorAll<HTMLMediaElement>('video, audio')) {
        if (playing !== event.target) playing.pause();
      }
    },
    true,
  );
}

/**
 * The width and height in pixels to which a file is shrunk for its blurred copy. The tiny copy looks blurred when it is
 * stretched to the box; a blur filter would make the page miss a frame whenever the box scrolls into view.
 */
const PIXELS = 8;
const SMOOTH_PIXELS = 32;
/** The opacity of the blurred copy. */
const LIGHT = 0.6;

/** A blurred copy of a file that is narrower than its box, for its two sides; undefined if no image may be shown. */
export function backdrop(media: WebMedia): HTMLElement | undefined {
  const src = media.kind === 'image' ? media.src : media.poster;
  if (src === null || media.spoiler || isExpired(media)) return undefined;
  const canvas = h('canvas', { class: 'backdrop', width: SMOOTH_PIXELS, height: SMOOTH_PIXELS, 'aria-hidden': 'true' });
  // If the file cannot be loaded the sides stay dark; the file's own element shows the error.
  whenNear(canvas, () => fill(canvas, src).catch(() => undefined));
  return canvas;
}

async function fill(canvas: HTMLCanvasElement, src: string): Promise<void> {
  const file = await (await fetch(src)).blob();
  // A bitmap is decoded in another thread, while drawing an image element would decode the image in the page's own.
  const few = await createImageBitmap(file, { resizeWidth: PIXELS, resizeHeight: PIXELS, resizeQuality: 'medium' });
  const context = canvas.getContext('2d');
  if (!context) return;
  context.imageSmoothingQuality = 'high';
  context.globalAlpha = LIGHT;
  context.drawImage(few, 0, 0, SMOOTH_PIXELS, SMOOTH_PIXELS);
}
