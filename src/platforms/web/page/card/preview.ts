import { isOwnPath } from '../base/address.ts';
import { button, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebSound } from '../base/protocol.ts';
import { nameAndValue, text } from '../base/texts.ts';

/** A button that plays and pauses an audio preview, loaded at the first press; the button's rim shows the position. */
export function previewButton(sound: WebSound): HTMLElement | undefined {
  if (!isOwnPath(sound.url)) return undefined;
  const audio = h('audio', { preload: 'none' });
  const toggle = button({ class: 'preview' }, () => {
    if (audio.paused) play();
    else audio.pause();
  });
  const holder = h('span', { class: 'preview-holder' }, audio, toggle);

  function play(): void {
    if (!audio.src) audio.src = sound.url;
    // A preview that failed to load is loaded again.
    if (audio.error) audio.load();
    show('loading');
    // If the preview failed, `audio.error` is set. Otherwise `play` rejects only because the button was pressed again.
    audio.play().catch(() => show(audio.error ? 'failed' : 'idle'));
  }

  function show(state: 'idle' | 'loading' | 'playing' | 'failed'): void {
    if (toggle.dataset.state === state) return;
    toggle.dataset.state = state;
    const isOn = state === 'loading' || state === 'playing';
    const label = state === 'failed' ? text('soundFailed') : nameAndValue(text(isOn ? 'pause' : 'play'), sound.label);
    toggle.setAttribute('aria-label', label);
    toggle.title = label;
    toggle.replaceChildren(icon(state === 'failed' ? 'alert' : isOn ? 'pause' : 'play'));
  }

  function showProgress(): void {
    const part = audio.duration > 0 ? audio.currentTime / audio.duration : 0;
    toggle.style.setProperty('--done', `${(Math.min(1, part) * 100).toFixed(1)}%`);
    if (!audio.paused && toggle.isConnected) requestAnimationFrame(showProgress);
  }

  audio.addEventListener('playing', () => {
    show('playing');
    showProgress();
  });
  audio.addEventListener('pause', () => {
    if (toggle.dataset.state !== 'failed') show('idle');
  });
  audio.addEventListener('ended', () => {
    audio.currentTime = 0;
    show('idle');
    showProgress();
  });
  audio.addEventListener('error', () => show('failed'));
  show('idle');
  return holder;
}

/** The preview button with its label, where there is no cover. */
export function soundRow(sound: WebSound): HTMLElement {
  return h('p', { class: 'sound-row' }, previewButton(sound), h('span', { 'aria-hidden': 'true' }, sound.label));
}
