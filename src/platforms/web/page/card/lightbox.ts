import { button, byId, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebMedia } from '../base/protocol.ts';
import { text } from '../base/texts.ts';
import { limitSteps, stepButton } from './carousel.ts';

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
  const stage = h('div', { class: 'lightbox-stage' }, image);
  let index = start;

  function show(): void {
    const photo = photos[index];
    if (!photo) return;
    image.src = photo.src;
    const words = text('itemOf', { n: index + 1, total: photos.length });
    image.alt = photo.alt || `${text('photo')} ${words}`;
    place.textContent = photos.length > 1 ? words : '';
    download.href = photo.downloadUrl;
    download.download = photo.fileName;
    previous.hidden = next.hidden = photos.length < 2;
    limitSteps(previous, next, index, photos.length);
  }

  function step(by: 1 | -1): void {
    index = Math.max(0, Math.min(photos.length - 1, index + by));
    show();
  }

  // All lightboxes share one dialog element, so these handlers replace those of the last lightbox.
  dialog.onkeydown = event => {
    if (event.key === 'ArrowLeft') step(-1);
    if (event.key === 'ArrowRight') step(1);
  };
  dialog.onclick = event => {
    if (event.target === dialog || event.target === stage) dialog.close();
  };
  onSwipe(stage, step);
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
