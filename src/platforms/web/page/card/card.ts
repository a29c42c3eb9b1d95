import { isOwnPath } from '../base/address.ts';
import { button, h } from '../base/dom.ts';
import { icon } from '../base/icons.ts';
import type { WebBlock, WebMedia, WebReply } from '../base/protocol.ts';
import { listed, text } from '../base/texts.ts';
import { actionsOf } from './actions.ts';
import { blocksOf } from './blocks.ts';
import { carousel, openLightbox } from './carousel.ts';
import { inlines, type OnAction, pill, wordsOf } from './inline.ts';
import { backdrop, isExpired, mediaBox, ratioOf, warm, whenNear } from './media.ts';
import { type MediaTools, mediaTools } from './tools.ts';

type WebHeading = Extract<WebBlock, { kind: 'heading' }>;

export interface CardContext {
  readonly onAction: OnAction;
  readonly bringAgain: () => void;
  /** Shows the card anew, when files that it offers have expired. */
  readonly renew: () => void;
  /** Sends the person's message again; with `link`, only that link. */
  readonly askAgain: (link?: string) => void;
  /** Shows the previous reply, which this one replaced; undefined when it replaced none. */
  readonly goBack: (() => void) | undefined;
}

/** A reply as a card: its files, heading, tools for the files, text, and actions. */
export function replyCard(reply: WebReply, context: CardContext): HTMLElement {
  const { onAction } = context;
  const { covers, heading, rest } = opening(reply.blocks);
  // The card keeps its language, so when the page's language changes later, the card is not laid out anew.
  const { lang } = document.documentElement;
  const name = listed([text('bot'), galleryName(reply.gallery), headingOf(reply)]);
  const root = h('article', { class: 'card', lang, 'data-tone': reply.tone, 'aria-label': name });
  const title = heading ? [headingNode(heading, onAction)] : [];
  const back = context.goBack && button({ class: 'return' }, context.goBack, icon('previous'), text('back'));
  const content = blocksOf(rest, onAction);
  const actions = reply.actions.filter(action => !back || action.kind !== 'button' || !action.isUp);
  const body = h('div', { class: 'card-body' }, back);
  if (reply.gallery.length > 0) {
    const links = reply.actions.filter(action => action.kind === 'link');
    const others = reply.actions.filter(action => action.kind !== 'link');
    const tools = mediaTools({
      items: reply.gallery,
      links,
      caption: captionOf(reply),
      owner: headingOf(reply),
      boxAt: index => root.querySelectorAll('.media')[index],
      renew: context.renew,
    });
    root.append(galleryOf(reply, tools, context));
    root.classList.add('with-media');
    const tall = tallOf(reply.gallery);
    root.classList.toggle('tall', tall !== undefined);
    if (tall) root.style.setProperty('--ratio', String(ratioOf(tall)));
    body.append(...title, ...tools.elements, ...blocksOf(covers, onAction), ...content);
    body.append(...actionsOf(others, onAction));
  } else {
    const kinds = new Set(reply.blocks.map(({ kind }) => kind));
    // With these blocks a card always has the full width, so that every page of a list has the same width.
    root.classList.toggle('wide', kinds.has('card') || kinds.has('picture') || kinds.has('image'));
    root.classList.toggle('pictured', kinds.has('picture') && !kinds.has('card'));
    const again = reply.retry && retryButton(reply.retry, context);
    body.append(...blocksOf(covers, onAction), ...title, ...content, ...actionsOf(actions, onAction, again));
  }
  const isTrouble = reply.tone === 'error' || reply.tone === 'notice';
  if (isTrouble || reply.tone === 'success')
    root.append(h('span', { class: 'tone' }, icon(isTrouble ? 'alert' : 'done')));
  root.append(body);
  return root;
}

function headingNode(heading: WebHeading, onAction: OnAction): HTMLElement {
  const words = inlines(heading.text, onAction);
  const led = portrait(heading);
  if (led === undefined) return h('h2', { class: 'card-heading' }, ...words);
  return h('h2', { class: 'card-heading led' }, led, h('span', {}, ...words));
}

/** The author's avatar with a letter for the site at its corner; without an avatar the letter is shown alone. */
function portrait({ image, site }: WebHeading): HTMLElement | undefined {
  if (image === undefined && site === undefined) return undefined;
  const avatar = image !== undefined && isOwnPath(image) && h('img', { src: image, alt: '', decoding: 'async' });
  if (avatar) avatar.addEventListener('error', () => avatar.remove(), { once: true });
  const mark = site && pill(site.name.slice(0, 1), site.colour);
  mark?.setAttribute('class', 'site-mark');
  // Screen readers skip the avatar, because the text beside it names author and site.
  return h('span', { class: 'portrait', 'aria-hidden': 'true' }, avatar, mark);
}

/** A button for asking again, enabled from the moment when that may help. */
function retryButton({ at, link }: NonNullable<WebReply['retry']>, { askAgain }: CardContext): HTMLElement {
  const again = button({ class: 'action primary' }, () => askAgain(link), icon('again'), text('retry'));
  const waitMs = at - Date.now();
  if (waitMs > 0 && waitMs < LONGEST_TIMER_MS) {
    again.disabled = true;
    setTimeout(() => {
      again.disabled = false;
    }, waitMs);
  }
  return again;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Splits the blocks: the heading of the whole reply, the images before it (`covers`), and all others (`rest`). */
function opening(blocks: readonly WebBlock[]) {
  const at = blocks.findIndex(({ kind }) => kind !== 'image' && kind !== 'picture');
  const heading = blocks[at];
  if (heading?.kind !== 'heading') return { covers: [], heading: undefined, rest: blocks };
  return { covers: blocks.slice(0, at), heading, rest: blocks.slice(at + 1) };
}

/** A file whose width is below this share of its height is shown beside its text. */
const TALL = 0.85;

function tallOf(items: readonly WebMedia[]): WebMedia | undefined {
  const [cover] = items;
  if (cover === undefined || cover.kind === 'audio' || items.every(isExpired)) return undefined;
  return ratioOf(cover) < TALL ? cover : undefined;
}

function captionOf({ blocks }: WebReply): string {
  const caption = blocks.find(block => block.kind === 'text' && block.folded);
  return caption?.kind === 'text' ? wordsOf(caption.text) : '';
}

/** The name of a reply: its heading, else the beginning of its text. */
export function headingOf({ blocks }: WebReply): string {
  const block = blocks.find(({ kind }) => kind === 'heading' || kind === 'text' || kind === 'card');
  if (block?.kind === 'card') return wordsOf(block.card.title);
  return block && 'text' in block ? wordsOf(block.text).slice(0, MAX_NAME).trim() : '';
}

const MAX_NAME = 80;

/** The contents of a gallery in words, such as `3 photos, 2 videos`. */
function galleryName(items: readonly WebMedia[]): string {
  const counts = { image: 'photoCount', video: 'videoCount', audio: 'audioCount' } as const;
  return listed(
    (['image', 'video', 'audio'] as const).map(kind => {
      const n = items.filter(item => item.kind === kind).length;
      return n === 0 ? '' : text(counts[kind], { n });
    }),
  );
}

/** A few sentences for screen readers that sum up a reply. */
export function summaryOf(reply: WebReply): string {
  const spoken = reply.blocks
    .flatMap(block => {
      if (block.kind === 'heading' || block.kind === 'text') return [wordsOf(block.text)];
      if (block.kind === 'picture') return [block.alt];
      return block.kind === 'card' ? [wordsOf(block.card.title)] : [];
    })
    .slice(0, 3);
  return [text('bot'), galleryName(reply.gallery), ...spoken]
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => (/[.!?…。！？]$/.test(part) ? part : `${part}.`))
    .join(' ')
    .slice(0, 240);
}

function galleryOf(reply: WebReply, tools: MediaTools, { bringAgain, renew }: CardContext): HTMLElement {
  const items = reply.gallery;
  const owner = headingOf(reply);
  const photos = items.filter(item => item.kind === 'image' && !item.spoiler);
  // A photo that was hidden as a spoiler is opened alone, since stepping to the next photo could reveal a hidden one.
  const openPhoto = (media: WebMedia): void => {
    if (isExpired(media)) renew();
    else if (media.spoiler) openLightbox([media], 0);
    else openLightbox(photos, photos.indexOf(media));
  };
  const [first] = items;
  // If all of several files have expired, one sentence in a low box says so in place of them.
  if (!first || (items.length > 1 && !items.every(isExpired))) {
    return carousel(items, { owner, openPhoto, bringAgain, label: galleryName(items), onChange: tools.offer });
  }
  tools.offer(0);
  const box = mediaBox(first, '', { owner, openPhoto, bringAgain });
  const single = h('div', { class: 'single', '--ratio': ratioOf(first) }, backdrop(first), box);
  whenNear(single, () => warm(single));
  return single;
}
