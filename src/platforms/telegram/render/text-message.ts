import type { Action, Block, Card, Image } from '../../../bot/contract/reply.ts';
import { asRows, textBlock, withPictures } from '../../../bot/contract/reply-parts.ts';
import { MESSAGE_LIMITS } from '../api/limits.ts';
import type { Button, Keyboard, LinkPreview } from '../api/methods.ts';
import { ownNumber, renderBlocks } from './block-text.ts';
import { fitsCaption, renderCaption } from './file-fields.ts';
import { type FormattedText, isWebAddress, plainText, type TextStyle } from './formatted-text.ts';
import { renderKeyboard } from './keyboard.ts';

export interface TextPayload {
  readonly kind: 'text';
  readonly content: FormattedText;
  readonly preview: LinkPreview;
  readonly keyboard: Keyboard | undefined;
}

/** The photo of a message: an image at an address, or an image card to be drawn. */
export type Photo = Image | Extract<Block, { kind: 'picture' }>;

export interface PhotoPayload {
  readonly kind: 'photo';
  readonly photo: Photo;
  readonly isHidden: boolean;
  readonly caption: FormattedText;
  readonly keyboard: Keyboard | undefined;
  /** The text that is sent if the photo cannot be loaded or drawn. */
  readonly instead: TextPayload;
}

/** Renders a reply without files: as a photo with a caption, if it has a photo and the text fits, else as text. */
export function renderWords(
  blocks: readonly Block[],
  actions: readonly Action[],
  style: TextStyle,
): readonly (TextPayload | PhotoPayload)[] {
  // An image card becomes the photo wherever it stands in the reply, any other image only at the beginning.
  const photo: Photo | undefined = blocks.find(block => block.kind === 'picture') ?? leadingImage(blocks);
  const all = withPictures(blocks, () => false);
  const instead = renderText(all, actions, style);
  if (photo === undefined) return [instead];
  const words = withPictures(blocks, block => block === photo).filter(block => block !== photo);
  const { isHidden = false } = style;
  const { shown, buttons, numbers } = arranged(words, actions);
  const whole = renderBlocks(shown, style, Number.POSITIVE_INFINITY, numbers.length > 0);
  if (fitsCaption(whole)) {
    const keyboard = renderKeyboard(buttons, { numbers });
    return [{ kind: 'photo', photo, isHidden, caption: whole, keyboard, instead }];
  }
  if (photo.kind === 'image') return [instead];
  const caption = renderCaption(shown.slice(0, 1), style);
  const alone = renderText(photo.instead ?? [textBlock([photo.alt])], [], style);
  const below = shown.length > 1 && shown[0]?.kind === 'heading' ? words.slice(1) : words;
  return [
    { kind: 'photo', photo, isHidden, caption, keyboard: undefined, instead: alone },
    renderText(below, actions, style),
  ];
}

function leadingImage(blocks: readonly Block[]): Image | undefined {
  const first = blocks.find(({ kind }) => kind !== 'divider');
  return first?.kind === 'image' && isWebAddress(first.url) ? first : undefined;
}

/** A message of text. Above it, a preview shows the first image, or the first card's cover. */
export function renderText(blocks: readonly Block[], actions: readonly Action[], style: TextStyle): TextPayload {
  // A preview cannot be in a spoiler, so a hidden message has none.
  const covers = blocks.flatMap(block => (block.kind === 'card' && block.image ? [block.image] : []));
  const first = leadingImage(blocks) ?? covers.find(({ url }) => isWebAddress(url));
  const image = style.isHidden === true ? undefined : first;
  const words = blocks.filter(block => block !== image);
  const { shown, buttons, numbers } = arranged(words, actions);
  const content = renderBlocks(shown, style, MESSAGE_LIMITS.text, numbers.length > 0);
  return {
    kind: 'text',
    content: content.text.trim() === '' ? plainText('…') : content,
    preview: previewOf(image?.url),
    keyboard: renderKeyboard(buttons, { numbers }),
  };
}

export function previewOf(url: string | undefined): LinkPreview {
  return url === undefined ? { is_disabled: true } : { url, prefer_large_media: true, show_above_text: true };
}

interface Arranged {
  readonly shown: readonly Block[];
  readonly buttons: readonly Action[];
  /** The buttons for the numbers of cards, in order; empty if the cards have none. */
  readonly numbers: readonly Button[];
}

/** Turns audio previews into buttons. If numbered buttons open the cards, a menu with the same choices is left out. */
function arranged(blocks: readonly Block[], actions: readonly Action[]): Arranged {
  const listen = blocks.flatMap((block): Action[] =>
    block.kind === 'sound' && isWebAddress(block.url) ? [{ kind: 'link', label: block.label, url: block.url }] : [],
  );
  const shown = asRows(blocks).filter(block => block.kind !== 'sound' || !isWebAddress(block.url));
  const cards = blocks.filter(block => block.kind === 'card');
  const openers = openersOf(cards, actions);
  const opened = new Set(openers);
  const others = actions.filter(
    action => action.kind !== 'menu' || !action.choices.every(({ token }) => opened.has(token)),
  );
  const numbers = cards.flatMap((card, index): readonly Button[] => {
    const token = openers[index];
    return token === undefined ? [] : [{ text: ownNumber(card) ?? `${index + 1}`, callback_data: token }];
  });
  if (cards.length > 1 && numbers.length > 0) return { shown, buttons: [...others, ...listen], numbers };
  const known = new Set(actions.flatMap(action => (action.kind === 'button' ? [action.token] : [])));
  const own = cards.flatMap(({ action }) => (action?.kind === 'button' && !known.has(action.token) ? [action] : []));
  return { shown, buttons: [...own, ...(own.length > 0 ? others : actions), ...listen], numbers: [] };
}

/** The token that opens each card: that of its button, else of its choice in a menu with one choice for each card. */
function openersOf(cards: readonly Card[], actions: readonly Action[]): readonly (string | undefined)[] {
  const menu = actions.find(action => action.kind === 'menu' && action.choices.length === cards.length);
  const choices = menu?.kind === 'menu' ? menu.choices : [];
  return cards.map(({ action }, index) => (action?.kind === 'button' ? action.token : choices[index]?.token));
}
