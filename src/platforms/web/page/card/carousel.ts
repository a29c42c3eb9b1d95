import { button, byId, h, isMotionReduced } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebMedia } from '../base/protocol.ts';
import { text } from '../base/texts.ts';
import { backdrop, type MediaContext, mediaBox, mediaLabel, ratioOf, warm, whenNear } from './media.ts';

export interface CarouselOptions extends MediaContext {
  /** The name of the carousel's files for screen readers. */
  readonly label: string;
  readonly onChange: (index: number) => void;
}

/** With more files than this, only the file's number is shown, since so many dots cannot be counted. */
const MOST_DOTS = 12;

/** A button at the side of the carousel, to the previous or next file. */
function stepButton(to: 'previous' | 'next', onClick: () => void): HTMLButtonElement {
  return button({ class: `icon-button turn-${to}`, 'aria-label': text(to) }, onClick, icon(to));
}

/**
 * Turns off the button that leads no further. If that button had the focus, the other button gets it: a button that is
 * turned off receives no keys, and the arrow keys would stop working.
 */
function limitSteps(previous: HTMLButtonElement, next: HTMLButtonElement, index: number, count: number): void {
  const focused = document.activeElement;
  previous.disabled = index === 0;
  next.disabled = index === count - 1;
  if (focused === previous && previous.disabled) next.focus();
  if (focused === next && next.disabled) previous.focus();
}

/** Several files side by side, moved by swiping, scrolling, buttons or arrow keys. */
export function carousel(items: readonly WebMedia[], options: CarouselOptions): HTMLElement {
  const slides = items.map((media, index) => slideOf(media, index, items.length, options));
  const track = h('div', { class: 'track', tabindex: 0, role: 'group', 'aria-label': text('gallery') }, ...slides);
  const place = h('p', { class: 'place', 'aria-hidden': 'true' });
  const previous = stepButton('previous', () => go(current - 1));
  const next = stepButton('next', () => go(current + 1));
  const dots = items.length > MOST_DOTS ? [] : items.map(() => h('span', { class: 'dot' }));
  let current = -1;
  let isNear = false;

  function go(index: number): void {
    const target = Math.max(0, Math.min(items.length - 1, index));
    track.scrollTo({ left: target * track.clientWidth, behavior: isMotionReduced() ? 'auto' : 'smooth' });
    if (target === current) return;
    // The index changes at once, not when the scroll has ended, so that two quick presses move by two files.
    arrive(target);
    byId('announcer', HTMLParagraphElement).textContent = slides[target]?.getAttribute('aria-label') ?? '';
  }

  function arrive(index: number): void {
    if (index === current) return;
    current = index;
    place.textContent = `${index + 1} / ${items.length}`;
    limitSteps(previous, next, index, items.length);
    for (const [at, dot] of dots.entries()) dot.classList.toggle('on', at === index);
    for (const [at, slide] of slides.entries()) {
      slide.inert = at !== index;
      if (at !== index) for (const player of slide.querySelectorAll<HTMLMediaElement>('video, audio')) player.pause();
    }
    if (isNear) warmAround(slides, index);
    options.onChange(index);
  }

  /**
   * Gives the current video its controls, once it is in place: Chrome makes them only as wide as the part of the video
   * that is in the window when they are laid out, and leaves them so.
   */
  function settle(): void {
    for (const [at, slide] of slides.entries()) {
      for (const video of slide.querySelectorAll('video')) video.controls = at === current;
    }
  }

  let settling: ReturnType<typeof setTimeout> | undefined;
  track.addEventListener('scroll', () => {
    clearTimeout(settling);
    settling = setTimeout(() => {
      if (track.clientWidth === 0) return;
      arrive(Math.round(track.scrollLeft / track.clientWidth));
      settle();
    }, SETTLE_MS);
  });

  const root = h(
    'div',
    { class: 'carousel', role: 'group', 'aria-roledescription': 'carousel', 'aria-label': options.label },
    track,
    place,
    previous,
    next,
    h('div', { class: 'dots', 'aria-hidden': 'true' }, ...dots),
  );
  const [first] = items;
  if (first) root.style.setProperty('--ratio', String(ratioOf(first)));
  root.addEventListener('keydown', event => {
    const target = targetOf(event, current, items.length);
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  });
  arrive(0);
  settle();
  whenNear(root, () => {
    isNear = true;
    warmAround(slides, current);
    const firstVideo = slides[items.findIndex(item => item.kind === 'video')];
    if (firstVideo) warm(firstVideo);
  });
  return root;
}

/** Loads the files next to the current one, so that they are ready when they are shown. */
function warmAround(slides: readonly HTMLElement[], index: number): void {
  for (const slide of slides.slice(Math.max(0, index - 1), index + 2)) warm(slide);
}

/** The index of the file to which a key leads; undefined for a key that leads to none. */
function targetOf({ target, key }: KeyboardEvent, current: number, count: number): number | undefined {
  // In a video or audio player the arrow keys seek.
  if (target instanceof HTMLMediaElement) return undefined;
  return { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: count - 1 }[key];
}

/**
 * A scroll without an event for this long has ended. During a scroll the events follow each other faster, and the wait
 * is too short for a reader to notice.
 */
const SETTLE_MS = 90;

function slideOf(media: WebMedia, index: number, total: number, context: MediaContext): HTMLElement {
  const place = text('itemOf', { n: index + 1, total });
  return h(
    'div',
    {
      class: 'slide',
      role: 'group',
      'aria-roledescription': 'slide',
      'aria-label': mediaLabel(media, place, context.owner),
    },
    backdrop(media),
    mediaBox(media, place, context),
  );
}

/** Shows photos over the whole page. Arrow keys turn to the others; Escape, or a press beside the photo, closes it. */
export function openLightbox(photos: readonly WebMedia[], start: number): void {
  const dialog = byId('lightbox', HTMLDialogElement);
  const image = h('img', { class: 'lightbox-photo', decoding: 'async' });
  const place = h('p', { class: 'lightbox-place', 'aria-live': 'polite' });
  const download = h(
    'a',
    { class: 'icon-button', 'aria-label': text('download'), title: text('download') },
    icon('download'),
  );
  const previous = stepButton('previous', () => step(-1));
  const next = stepButton('next', () => step(1));
  const close = button({ class: 'icon-button', 'aria-label': text('close') }, () => dialog.close(), icon('close'));
  const failed = h('p', {}, text('mediaFailed'));
  const stage = h('div', { class: 'lightbox-stage' }, image, failed);
  let index = start;

  function show(): void {
    const photo = photos[index];
    if (!photo) return;
    showFailed(false);
    image.src = photo.src;
    const words = text('itemOf', { n: index + 1, total: photos.length });
    image.alt = photo.alt || `${text('photo')} ${words}`;
    place.textContent = photos.length > 1 ? words : '';
    download.href = photo.downloadUrl;
    download.download = photo.fileName;
    previous.hidden = next.hidden = photos.length < 2;
    limitSteps(previous, next, index, photos.length);
  }

  function showFailed(isFailed: boolean): void {
    image.hidden = isFailed;
    failed.hidden = !isFailed;
  }

  function step(by: 1 | -1): void {
    index = Math.max(0, Math.min(photos.length - 1, index + by));
    show();
  }

  // All lightboxes share one dialog element, so these handlers replace the handlers of the last lightbox.
  dialog.onkeydown = event => {
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  };
  dialog.onclick = event => {
    if (event.target === dialog || event.target === stage) dialog.close();
  };
  onSwipe(stage, step);
  image.addEventListener('error', () => showFailed(true));
  dialog.replaceChildren(h('div', { class: 'lightbox-bar' }, place, download, close), stage, previous, next);
  show();
  dialog.showModal();
  close.focus();
}

const SWIPE_PX = 48;

function onSwipe(stage: HTMLElement, step: (by: 1 | -1) => void): void {
  let startX: number | undefined;
  const onStart = ({ touches }: TouchEvent): void => {
    startX = touches.length === 1 ? touches[0]?.clientX : undefined;
  };
  const onEnd = ({ changedTouches }: TouchEvent): void => {
    const endX = changedTouches[0]?.clientX;
    if (startX === undefined || endX === undefined || Math.abs(endX - startX) < SWIPE_PX) return;
    step(endX < startX ? 1 : -1);
  };
  stage.addEventListener('touchstart', onStart, { passive: true });
  stage.addEventListener('touchend', onEnd, { passive: true });
}
