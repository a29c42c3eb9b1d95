import { carousel } from './carousel.ts';
import { button, h, isOwnPath, isWebAddress } from './dom.ts';
import { icon } from './icons.ts';
import { openLightbox } from './lightbox.ts';
import { backdrop, mediaBox, ratioOf, warm, whenNear } from './media.ts';
import type { WebAction, WebBlock, WebInline, WebMedia, WebReply, WebText } from './protocol.ts';
import { language, text } from './texts.ts';

export interface CardContext {
  readonly onAction: (token: string, label: string) => void;
  readonly bringAgain: () => void;
}

/** A reply as a card: the first heading, then the media, then what is said about them, then what can be done. */
export function card(reply: WebReply, context: CardContext): HTMLElement {
  const [first, ...others] = reply.blocks;
  const hasHeading = first?.kind === 'heading';
  const rest = hasHeading ? others : reply.blocks;
  const root = h('article', { class: 'card', 'data-tone': reply.tone, 'aria-label': text('bot') });
  const download = h('a', { class: 'action primary' });
  const media = reply.gallery.length > 0 ? galleryOf(reply.gallery, download, context) : undefined;
  const [cover] = reply.gallery;
  if (cover && cover.kind !== 'audio' && ratioOf(cover) < TALL) root.classList.add('tall');
  if (media) root.classList.add('with-media');

  const actions = [
    ...(media ? [download] : []),
    ...reply.actions.map(action => actionOf(action, context)).filter(shown => shown !== undefined),
  ];
  const body = h(
    'div',
    { class: 'card-body' },
    hasHeading && h('h2', { class: 'card-heading' }, ...inlines(first.text)),
    ...rest.map(blockOf),
    actions.length > 0 && h('p', { class: 'actions' }, ...actions),
  );
  const isTrouble = reply.tone === 'error' || reply.tone === 'notice';
  if (isTrouble || reply.tone === 'success')
    root.append(h('span', { class: 'tone' }, icon(isTrouble ? 'alert' : 'done')));
  root.append(...(media ? [media] : []), body);
  return root;
}

/** Narrower than this by its height, a picture leaves room for words beside it. */
const TALL = 0.85;

/** One sentence for those who listen: what came, not all of it. */
export function summaryOf(reply: WebReply): string {
  const spoken = reply.blocks
    .flatMap(block => (block.kind === 'heading' || block.kind === 'text' ? [plain(block.text)] : []))
    .slice(0, 2);
  const count = reply.gallery.length;
  const media =
    count > 0
      ? `${text(reply.gallery.some(item => item.kind === 'video') ? 'video' : 'photo')}${count > 1 ? ` × ${count}` : ''}`
      : '';
  return [text('bot'), media, ...spoken]
    .filter(part => part !== '')
    .join('. ')
    .slice(0, 240);
}

function plain(content: WebText): string {
  return content
    .map(inline => (typeof inline === 'string' ? inline : inline.kind === 'time' ? '' : plain(inline.children)))
    .join('');
}

function galleryOf(items: readonly WebMedia[], download: HTMLAnchorElement, { bringAgain }: CardContext): HTMLElement {
  const photos = items.filter(item => item.kind === 'image');
  const openPhoto = (media: WebMedia): void => openLightbox(photos, photos.indexOf(media));
  const offer = (index: number): void => {
    const media = items[index];
    if (!media) return;
    download.hidden = Date.now() >= media.expiresAt;
    download.href = media.downloadUrl;
    download.download = media.fileName;
    const label = items.length > 1 ? text('downloadItem', { n: index + 1, total: items.length }) : text('download');
    download.replaceChildren(icon('download'), label);
  };
  const [first] = items;
  offer(0);
  if (items.length > 1 || !first) return carousel(items, { openPhoto, bringAgain, onChange: offer });
  const single = h('div', { class: 'single' }, backdrop(first), mediaBox(first, '', { openPhoto, bringAgain }));
  single.style.setProperty('--ratio', String(ratioOf(first)));
  whenNear(single, () => warm(single));
  return single;
}

function blockOf(block: WebBlock): Node {
  switch (block.kind) {
    case 'heading':
      return h('h3', { class: 'card-subheading' }, ...inlines(block.text));
    case 'text':
      return block.folded
        ? foldedText(block.text)
        : h('p', { class: 'card-text remark', dir: 'auto' }, ...inlines(block.text));
    case 'fields':
      return fieldList(block.fields);
    case 'image':
      return isOwnPath(block.url)
        ? h('img', { class: 'card-image', src: block.url, alt: block.alt, loading: 'lazy' })
        : h('p', {}, block.alt);
    case 'divider':
      return h('hr', { class: 'divider' });
  }
}

type Field = Extract<WebBlock, { kind: 'fields' }>['fields'][number];

/** Figures stand side by side, sentences below each other. */
function fieldList(fields: readonly Field[]): Node {
  const isFigures = fields.every(({ label, value }) => label.length <= 16 && plain(value).length <= 24);
  const rows = fields.map(({ label, value }) => h('div', {}, h('dt', {}, label), h('dd', {}, ...inlines(value))));
  return h('dl', { class: isFigures ? 'figures' : 'rows' }, ...rows);
}

/** The way to the rest of a text is offered only where something is hidden: that depends on the width it has. */
const folds = new ResizeObserver(entries => {
  for (const { target } of entries) {
    if (!target.classList.contains('folded')) continue;
    const toggle = target.nextElementSibling;
    if (toggle instanceof HTMLElement) toggle.hidden = target.scrollHeight <= target.clientHeight + 1;
  }
});

function foldedText(content: WebText): Node {
  const paragraph = h('p', { class: 'card-text folded', dir: 'auto' }, ...inlines(content));
  const label = h('span', {}, text('showMore'));
  const toggle = button({ class: 'fold', 'aria-expanded': 'false', hidden: true }, () => {
    const isFolded = paragraph.classList.toggle('folded');
    toggle.setAttribute('aria-expanded', String(!isFolded));
    label.textContent = text(isFolded ? 'showMore' : 'showLess');
  });
  toggle.append(label, icon('fold'));
  folds.observe(paragraph);
  return h('div', { class: 'foldable' }, paragraph, toggle);
}

function inlines(content: WebText): Node[] {
  return content.map(inlineOf);
}

function inlineOf(inline: WebInline): Node {
  if (typeof inline === 'string') return document.createTextNode(inline);
  switch (inline.kind) {
    case 'strong':
      return h('strong', {}, ...inlines(inline.children));
    case 'emphasis':
      return h('em', {}, ...inlines(inline.children));
    case 'code':
      return h('code', {}, ...inlines(inline.children));
    case 'link':
      return isWebAddress(inline.url)
        ? h(
            'a',
            { href: inline.url, target: '_blank', rel: 'noopener noreferrer nofollow' },
            ...inlines(inline.children),
          )
        : h('span', {}, ...inlines(inline.children));
    case 'time':
      return moment(inline.at, inline.style);
  }
}

function moment(at: number, style: 'relative' | 'date'): Node {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return document.createTextNode('');
  const whole = new Intl.DateTimeFormat(language(), { dateStyle: 'long', timeStyle: 'short' }).format(date);
  const day = new Intl.DateTimeFormat(language(), { dateStyle: 'medium' }).format(date);
  return h('time', { datetime: date.toISOString(), title: whole }, style === 'date' ? day : relative(at));
}

const UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

function relative(at: number): string {
  const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' });
  const distance = at - Date.now();
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000];
  return format.format(Math.round(distance / length), unit);
}

function actionOf(action: WebAction, { onAction }: CardContext): HTMLElement | undefined {
  if (action.kind === 'button') {
    return button({ class: `action ${action.style}` }, () => onAction(action.token, action.label), action.label);
  }
  if (!isWebAddress(action.url)) return undefined;
  return h(
    'a',
    { class: 'action', href: action.url, target: '_blank', rel: 'noopener noreferrer' },
    icon('open'),
    action.label,
  );
}
