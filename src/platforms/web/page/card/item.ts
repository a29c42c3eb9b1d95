import { button, h, isOwnPath, isWebAddress } from '../dom.ts';
import type { WebAction, WebCard } from '../protocol.ts';
import { icon } from './icons.ts';
import { inlines, plain } from './inline.ts';
import { previewButton } from './preview.ts';

export interface ItemContext {
  readonly onAction: (token: string, label: string, pressed: HTMLElement) => void;
}

/** Found things below each other, alike in size: a cover to hear, what it is, and the way in. */
export function itemList(cards: readonly WebCard[], context: ItemContext): HTMLElement {
  return h('ul', { class: 'items' }, ...cards.map(card => h('li', {}, item(card, context))));
}

function item({ title, lines, image, colour, sound, action }: WebCard, context: ItemContext): HTMLElement {
  const cover = image && isOwnPath(image.url) ? coverOf(image) : undefined;
  const [first, ...others] = lines;
  const way = action ? wayIn(action, plain(title), context) : undefined;
  const root = h(
    'div',
    { class: 'item' },
    (cover || sound) && h('div', { class: 'item-cover' }, cover, sound && previewButton(sound)),
    h(
      'div',
      { class: 'item-words', dir: 'auto' },
      h('h3', { class: 'item-title' }, ...inlines(title)),
      first && h('p', { class: 'item-line' }, ...inlines(first)),
      ...others.map(line => h('p', { class: 'item-line minor' }, ...inlines(line))),
    ),
    way,
  );
  if (colour !== null) root.style.setProperty('--colour', colour);
  root.classList.toggle('coloured', colour !== null);
  return root;
}

/** The place stays when nothing comes to fill it: a list in which rows jump is worse than a blank. */
function coverOf({ url, alt }: NonNullable<WebCard['image']>): HTMLImageElement {
  const cover = h('img', { src: url, alt, loading: 'lazy', decoding: 'async' });
  cover.addEventListener('error', () => cover.remove(), { once: true });
  return cover;
}

function wayIn(action: WebAction, name: string, { onAction }: ItemContext): HTMLElement | undefined {
  if (action.kind === 'menu') return undefined;
  const attributes = { class: 'item-open', 'aria-label': `${action.label}: ${name}`, title: action.label };
  const words = h('span', { class: 'item-open-words' }, action.label);
  if (action.kind === 'button') {
    const open = button(
      attributes,
      () => onAction(action.token, `${action.label}: ${name}`, open),
      words,
      icon('next'),
    );
    open.dataset.label = action.label;
    return open;
  }
  if (!isWebAddress(action.url)) return undefined;
  return h('a', { ...attributes, href: action.url, target: '_blank', rel: 'noopener noreferrer' }, words, icon('open'));
}
