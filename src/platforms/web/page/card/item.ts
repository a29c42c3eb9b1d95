import { isOwnPath, isWebAddress } from '../base/address.ts';
import { button, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebAction, WebCard, WebSound, WebText } from '../base/protocol.ts';
import { listed, nameAndValue, text } from '../base/texts.ts';
import { inlines, type OnAction, pill, wordsOf } from './inline.ts';
import { partsOf } from './levels.ts';

/** A list of cards of one size: each has a cover with an audio preview, a title, its values, and a button. */
export function itemList(cards: readonly WebCard[], onAction: OnAction): HTMLElement {
  return h('ul', { class: 'items' }, ...cards.map(card => h('li', {}, item(card, onAction))));
}

function item(card: WebCard, onAction: OnAction): HTMLElement {
  const { title, lines, image, colour, sound, worth, action } = card;
  const cover = image && isOwnPath(image.url) ? coverOf(image) : undefined;
  const [first, ...others] = lines;
  const square = (image?.ratio ?? 2) <= 1.05;
  return h(
    'div',
    { class: `item${colour === null ? '' : ' coloured'}`, '--colour': colour },
    (cover || sound) &&
      h('div', { class: `item-cover${square ? ' square' : ''}` }, cover, sound && previewButton(sound, title)),
    h(
      'div',
      { class: 'item-words' },
      h('h3', { class: 'item-title' }, ...inlines(opening(title, action), onAction)),
      first && firstLine(first, worth, onAction),
      ...others.map(line =>
        h('p', { class: `item-line minor${isReason(line) ? ' brief' : ''}` }, ...inlines(line, onAction)),
      ),
    ),
    worth &&
      h(
        'p',
        { class: 'worth' },
        h('span', { class: 'worth-value' }, worth.value),
        worth.detail !== '' &&
          h('span', { class: `worth-detail${worth.detail.includes('+') ? ' gain' : ''}` }, worth.detail),
      ),
    action ? openerOf(action, wordsOf(title), onAction) : undefined,
  );
}

/** The first line of a card. A play's line has its grade, accuracy and mods at the same position in every card. */
function firstLine(line: WebText, worth: WebCard['worth'], onAction: OnAction): HTMLElement {
  const play = worth?.play;
  if (play === undefined) return h('p', { class: 'item-line' }, ...inlines(line, onAction));
  const [accuracy, ...others] = partsOf(line);
  const parts = [
    pill(play.grade, play.colour),
    ...inlines(accuracy ?? []),
    ...play.mods.map(mod => h('span', { class: 'mod' }, mod)),
    ...others.map(part => h('span', {}, ...inlines(part, onAction))),
  ];
  return h('p', { class: 'item-line play' }, ...parts.flatMap(part => [part, ' ']));
}

/** The title with its links made to do what the card's button does: to open the card on this page. */
function opening(title: WebText, action: WebAction | null): WebText {
  if (action?.kind !== 'button') return title;
  return title.map(inline =>
    typeof inline === 'object' && inline.kind === 'link' ? { token: action.token, ...inline } : inline,
  );
}

/** True for the line that says why a map is recommended, the only line with a link. It may be cut at its end. */
function isReason(line: WebText): boolean {
  return line.some(inline => typeof inline === 'object' && inline.kind === 'link');
}

/** The cover keeps its space if the image does not load, so that the rows do not move. */
function coverOf({ url, alt }: NonNullable<WebCard['image']>): HTMLImageElement {
  const cover = h('img', { src: url, alt, loading: 'lazy', decoding: 'async' });
  cover.addEventListener('error', () => cover.remove(), { once: true });
  return cover;
}

/** The button or link that opens the card; undefined for a menu, and for an address that is not on the web. */
function openerOf(action: WebAction, name: string, onAction: OnAction): HTMLElement | undefined {
  if (action.kind === 'menu') return undefined;
  const label = nameAndValue(action.label, name);
  const attributes = { class: 'item-open', 'aria-label': label, title: action.label };
  if (action.kind === 'button') {
    const open = button(attributes, () => onAction(action.token, label, open), icon('next'));
    open.dataset.name = action.label;
    return open;
  }
  if (!isWebAddress(action.url)) return undefined;
  return h('a', { ...attributes, href: action.url, target: '_blank', rel: 'noopener noreferrer' }, icon('open'));
}

/** A button that plays and pauses an audio preview, which is loaded at the first press; its rim shows the position. */
function previewButton(sound: WebSound, title: WebText = []): HTMLElement | undefined {
  if (!isOwnPath(sound.url)) return undefined;
  // The label includes the card's title, since a list has many previews.
  const name = listed([sound.label, wordsOf(title)]);
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
    const label = state === 'failed' ? text('soundFailed') : nameAndValue(text(isOn ? 'pause' : 'play'), name);
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
