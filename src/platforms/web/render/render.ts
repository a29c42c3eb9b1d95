import type { Action, Block, Card, Heading, Image, PictureBlock, Reply, Text } from '../../../bot/contract/reply.ts';
import { namedLink, shortened, withPictures } from '../../../bot/contract/reply-parts.ts';
import { isOwnPath, isWebAddress } from '../page/base/address.ts';
import type { WebAction, WebBlock, WebCard, WebReply, WebSound } from '../page/base/protocol.ts';
import { REPLY_LIMITS } from '../protocol/limits.ts';
import { imageCardAddress } from './image-cards.ts';
import { type GalleryContext, renderMedia } from './render-gallery.ts';
import { shortenText } from './render-text.ts';

export interface WebRenderContext extends GalleryContext {
  /** The path on this server for another host's image or audio; undefined for a host that this server does not ask. */
  readonly assetAddress: (url: string, kind: 'image' | 'audio') => string | undefined;
}

/** Renders a reply as the page shows it. Pure: what does not fit is shortened with an ellipsis. */
export function renderWebReply(reply: Reply, context: WebRenderContext): WebReply {
  const shown = reply.blocks.flatMap(arranged);
  const blocks = shown.slice(0, REPLY_LIMITS.blocks).map(block => renderBlock(block, context));
  if (shown.length > blocks.length || reply.gallery.length > REPLY_LIMITS.gallery) blocks.push(renderText(['…']));
  const opened = new Set(reply.blocks.flatMap(tokensOf));
  const { afterMs, ...again } = reply.retry ?? {};
  return {
    tone: reply.tone,
    blocks,
    gallery: reply.gallery.slice(0, REPLY_LIMITS.gallery).flatMap(item => renderMedia(item, context)),
    actions: reply.actions
      .filter(action => isShowable(action) && !isRepeated(action, opened))
      .slice(0, REPLY_LIMITS.actions)
      .map(renderAction),
    ...(afterMs !== undefined && { retry: { at: context.now + afterMs, ...again } }),
  };
}

/** A block, or the charts of an image card: the page shows such a card as text and charts instead of the image. */
type Arranged = Block | Extract<WebBlock, { kind: 'charts' }>;

function arranged(block: Block): readonly Arranged[] {
  const charts = block.kind === 'picture' ? (block.charts?.() ?? []) : [];
  const isDrawn = ({ repeats }: PictureBlock) => repeats !== true && charts.length === 0;
  const shown = withPictures([block], isDrawn).filter(each => each.kind !== 'picture' || isDrawn(each));
  return charts.length === 0 ? shown : [...shown, { kind: 'charts', charts }];
}

function renderBlock(block: Arranged, context: WebRenderContext): WebBlock {
  switch (block.kind) {
    case 'charts':
    case 'divider':
      return block;
    case 'heading':
      return renderHeading(block, context);
    case 'text':
      return renderText(block.text, block.folded);
    case 'fields':
      return { kind: 'fields', fields: renderFields(block.fields) };
    case 'image':
      return renderImage(block, context);
    case 'picture': {
      const { key, width, height } = block.picture;
      return {
        kind: 'picture',
        url: imageCardAddress(key),
        alt: shortened(block.alt, REPLY_LIMITS.alt),
        width,
        height,
      };
    }
    case 'sound': {
      const preview = renderPreview(block, context);
      return preview ? { kind: 'sound', sound: preview } : renderText([namedLink(block.url, block.label)]);
    }
    case 'card':
      return { kind: 'card', card: renderCard(block, context) };
  }
}

function renderText(text: Text, folded = false): WebBlock {
  return { kind: 'text', text: shortenText(text, REPLY_LIMITS.text), folded };
}

function renderHeading({ text, image, site }: Heading, context: WebRenderContext): WebBlock {
  const address = image && imageAddress(image, context);
  return {
    kind: 'heading',
    text: shortenText(text, REPLY_LIMITS.heading),
    ...(address !== undefined && { image: address }),
    ...(site && { site }),
  };
}

function renderFields(fields: Extract<Block, { kind: 'fields' }>['fields']) {
  const shown = fields.slice(0, REPLY_LIMITS.fields).map(field => ({
    label: shortened(field.label, REPLY_LIMITS.fieldLabel),
    value: shortenText(field.value, REPLY_LIMITS.fieldValue),
  }));
  return fields.length > shown.length ? [...shown, { label: '…', value: ['…'] }] : shown;
}

/** An image. The page loads nothing from other hosts, so an image that this server does not pass on becomes a link. */
function renderImage(image: Image, context: WebRenderContext): WebBlock {
  const url = imageAddress(image, context);
  const alt = shortened(image.alt, REPLY_LIMITS.alt);
  if (url !== undefined) return { kind: 'image', url, alt, ratio: image.ratio ?? null };
  return renderText([isWebAddress(image.url) ? namedLink(image.url, alt) : alt]);
}

function imageAddress({ url }: Image, { assetAddress }: WebRenderContext): string | undefined {
  return isOwnPath(url) ? url : assetAddress(url, 'image');
}

function renderPreview({ url, label }: WebSound, { assetAddress }: WebRenderContext): WebSound | undefined {
  const path = assetAddress(url, 'audio');
  return path === undefined ? undefined : { url: path, label: shortened(label, REPLY_LIMITS.actionLabel) };
}

function renderCard(card: Card, context: WebRenderContext): WebCard {
  const { title, lines, details = [], image, colour, sound, worth, action } = card;
  const cover = image && imageAddress(image, context);
  const ratio = image?.ratio;
  const alt = shortened(image?.alt ?? '', REPLY_LIMITS.alt);
  const preview = sound && renderPreview(sound, context);
  const link = sound && !preview ? [namedLink(sound.url, sound.label)] : [];
  const all = [...(worth?.lines ?? lines), ...details, link].filter(line => line.length > 0);
  const shown = all.slice(0, REPLY_LIMITS.cardLines).map(line => shortenText(line, REPLY_LIMITS.cardLine));
  return {
    title: shortenText(title, REPLY_LIMITS.heading),
    lines: all.length > shown.length ? [...shown, ['…']] : shown,
    image: image && cover !== undefined ? { url: cover, alt, ...(ratio !== undefined && { ratio }) } : null,
    ...(worth && {
      worth: {
        value: shortened(worth.value, REPLY_LIMITS.fieldLabel),
        detail: shortened(worth.detail ?? '', REPLY_LIMITS.fieldLabel),
        ...(worth.play && { play: worth.play }),
      },
    }),
    colour: colour ?? null,
    sound: preview ?? null,
    action: action && isShowable(action) ? renderAction(action) : null,
  };
}

/** The tokens of a card's button or of a text's links. */
function tokensOf(block: Block): readonly string[] {
  if (block.kind === 'text') return linkTokens(block.text);
  return block.kind === 'card' && block.action?.kind === 'button' ? [block.action.token] : [];
}

function linkTokens(text: Text): readonly string[] {
  return text.flatMap(inline => {
    if (typeof inline === 'string' || !('children' in inline)) return [];
    return inline.kind === 'link' && inline.token !== undefined ? [inline.token] : linkTokens(inline.children);
  });
}

/** True for a menu that only repeats the reply's cards and links. It is for platforms whose cards have no buttons. */
function isRepeated(action: Action, opened: ReadonlySet<string>): boolean {
  return action.kind === 'menu' && action.choices.every(({ token }) => opened.has(token));
}

function isShowable(action: Action): boolean {
  if (action.kind === 'menu') return action.choices.length > 0;
  return action.kind === 'button' || isWebAddress(action.url);
}

function renderAction(action: Action): WebAction {
  const label = shortened(action.label, REPLY_LIMITS.actionLabel);
  if (action.kind !== 'menu') return { ...action, label };
  const choices = action.choices.slice(0, REPLY_LIMITS.choices).map(choice => ({
    label: shortened(choice.isSet === true ? `✓ ${choice.label}` : choice.label, REPLY_LIMITS.choiceLabel),
    detail: shortened(choice.detail ?? '', REPLY_LIMITS.choiceLabel),
    token: choice.token,
  }));
  return { kind: 'menu', label, choices };
}
