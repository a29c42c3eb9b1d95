import { h } from '../dom.ts';
import type { WebBlock, WebMedia, WebReply } from '../protocol.ts';
import { text } from '../texts.ts';
import { actionsOf } from './actions.ts';
import { blocksOf } from './blocks.ts';
import { carousel } from './carousel.ts';
import { icon } from './icons.ts';
import { inlines, plain } from './inline.ts';
import type { ItemContext } from './item.ts';
import { openLightbox } from './lightbox.ts';
import { backdrop, mediaBox, ratioOf, warm, whenNear } from './media.ts';

export interface CardContext extends ItemContext {
  readonly bringAgain: () => void;
}

/** A reply as a card: the first heading, then the media, then what is said about them, then what can be done. */
export function card(reply: WebReply, context: CardContext): HTMLElement {
  const { covers, heading, rest } = opening(reply.blocks);
  const root = h('article', { class: 'card', 'data-tone': reply.tone, 'aria-label': text('bot') });
  const download = h('a', { class: 'action primary' });
  const media = reply.gallery.length > 0 ? galleryOf(reply.gallery, download, context) : undefined;
  const [cover] = reply.gallery;
  if (cover && cover.kind !== 'audio' && ratioOf(cover) < TALL) root.classList.add('tall');
  if (media) root.classList.add('with-media');

  if (reply.blocks.some(isWide)) root.classList.add('wide');

  const body = h(
    'div',
    { class: 'card-body' },
    ...blocksOf(covers, context),
    heading && h('h2', { class: 'card-heading' }, ...inlines(heading.text)),
    ...blocksOf(rest, context),
    ...actionsOf(reply.actions, media ? [download] : [], context),
  );
  const isTrouble = reply.tone === 'error' || reply.tone === 'notice';
  if (isTrouble || reply.tone === 'success')
    root.append(h('span', { class: 'tone' }, icon(isTrouble ? 'alert' : 'done')));
  root.append(...(media ? [media] : []), body);
  return root;
}

/** A heading that nothing but pictures stand before is the reply's own. */
function opening(blocks: readonly WebBlock[]) {
  const at = blocks.findIndex(({ kind }) => kind !== 'image' && kind !== 'picture');
  const heading = blocks[at];
  if (heading?.kind !== 'heading') return { covers: [], heading: undefined, rest: blocks };
  return { covers: blocks.slice(0, at), heading, rest: blocks.slice(at + 1) };
}

/** Narrower than this by its height, a picture leaves room for words beside it. */
const TALL = 0.85;

/** What is to be as wide as the conversation, whatever it holds, so that turned pages keep their place. */
function isWide({ kind }: WebBlock): boolean {
  return kind === 'card' || kind === 'picture' || kind === 'image';
}

/** One sentence for those who listen: what came, not all of it. */
export function summaryOf(reply: WebReply): string {
  const spoken = reply.blocks
    .flatMap(block => {
      if (block.kind === 'heading' || block.kind === 'text') return [plain(block.text)];
      return block.kind === 'card' ? [plain(block.card.title)] : [];
    })
    .slice(0, 3);
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
