import {
  type APIComponentInContainer,
  type APISectionAccessoryComponent,
  type APITextDisplayComponent,
  ComponentType,
} from 'discord.js';
import type { Block, Card, Field, Heading, Image, Text } from '../../../bot/contract/reply.ts';
import { linesOf, link, namedLink } from '../../../bot/contract/reply-parts.ts';
import { DISCORD_LIMITS, SHOWN } from '../api/limits.ts';
import { isMediaAddress, renderButton, renderLink } from './buttons.ts';
import { type CommandIds, commandMention, linkTarget, renderMarkdown, shortenMarkdown } from './markdown-text.ts';

export interface Space {
  readonly text: number;
  readonly components: number;
}

/** How much of a reply's cards a message shows, so that it keeps to Discord's limits. */
export interface CardForm {
  /** The most lines of each card; a longer card loses its last lines. */
  readonly lines: number;
  /** How many cards and headings have an image or button beside them; the rest are text alone. */
  readonly accessories: number;
  readonly separated: boolean;
  /** True for several cards: their lines are small, so that a phone shows more of the list. */
  readonly isList: boolean;
  /**
   * True when long text may stand beside an image, where it does not get the whole width of the message. This saves a
   * component, and is done when the message has too many.
   */
  readonly isTight: boolean;
  readonly commands: CommandIds;
}

/** The names of attachments with drawn image cards, by the card's key. */
export type PictureNames = ReadonlyMap<string, string>;

/** Renders blocks as a container's components; consecutive texts share one component. Long text ends in an ellipsis. */
export function renderContainer(
  blocks: readonly Block[],
  space: Space,
  form: CardForm,
  pictures: PictureNames,
): readonly APIComponentInContainer[] {
  const components: APIComponentInContainer[] = [];
  let lines: string[] = [];
  let [left, framed] = [space.text, 0];
  /** The image that `flush` will place beside the collected lines; undefined for none. */
  let beside: APISectionAccessoryComponent | undefined;

  function write(text: string): void {
    lines.push(text);
    left -= text.length + 1;
  }

  function flush(): void {
    const text = lines.join('\n').trim();
    if (text !== '') components.push(beside ? section(text, beside) : display(text));
    lines = [];
    beside = undefined;
  }

  /** True when `size` more components fit, besides one for the text before them and one for the text behind them. */
  const hasSpaceFor = (size: number) =>
    components.reduce((sum, each) => sum + countComponents(each), size + 2) <= space.components;

  function placeText(block: Block): boolean {
    // Long text gets a component of its own, for the whole width, unless the message has too few components for that.
    const isShort = block.kind === 'heading' || (block.kind === 'text' && block.small === true);
    if (beside !== undefined && !isShort && !form.isTight) flush();
    const text = renderTextBlock(block, form, left - 1);
    if (text !== undefined && text !== '') write(text);
    return text !== undefined;
  }

  function placeHeading(heading: Heading): boolean {
    const image = isFramed(heading) && framed < form.accessories ? thumbnail(heading.image) : undefined;
    if (isFramed(heading)) framed += 1;
    if (image && hasSpaceFor(3)) {
      flush();
      beside = image;
    }
    return placeText(heading);
  }

  function placeCard(card: Card): boolean {
    const position = framed;
    framed += 1;
    const accessory = position < form.accessories ? accessoryOf(card) : undefined;
    const text = renderTextBlock(card, form, left - 1);
    if (text === undefined || text === '' || !hasSpaceFor(4)) return placeText(card);
    const isApart = form.separated && position > 0;
    if (accessory !== undefined || isApart) flush();
    if (isApart) components.push({ type: ComponentType.Separator, divider: true });
    if (accessory === undefined) {
      placeText(card);
      if (form.separated) flush();
      return true;
    }
    components.push(section(text, accessory));
    left -= text.length;
    return true;
  }

  function place(block: Block): boolean {
    if (block.kind === 'card') return placeCard(block);
    if (block.kind === 'heading') return placeHeading(block);
    const component = renderComponent(block, pictures);
    if (component === undefined) return placeText(block);
    if (!hasSpaceFor(1)) return false;
    flush();
    components.push(component);
    return true;
  }

  const isCut = blocks.map(place).includes(false);
  if (isCut && left > 1 && lines.at(-1)?.endsWith('…') !== true) write('…');
  flush();
  return components;
}

/** Counts a component together with the components inside it. */
export function countComponents(component: object): number {
  const nested = 'components' in component && Array.isArray(component.components) ? component.components : [];
  const accessory = 'accessory' in component ? [component.accessory] : [];
  return [...nested, ...accessory].reduce<number>(
    (total, each) => total + (typeof each === 'object' && each !== null ? countComponents(each) : 0),
    1,
  );
}

/** The length of the blocks' text when nothing is cut. */
export function textLength(blocks: readonly Block[], form: CardForm): number {
  return blocks.reduce((total, block) => {
    const text = renderTextBlock(block, form, Number.POSITIVE_INFINITY) ?? '';
    return total + text.length + 1;
  }, 0);
}

export function display(content: string): APITextDisplayComponent {
  return { type: ComponentType.TextDisplay, content };
}

function section(text: string, accessory: APISectionAccessoryComponent): APIComponentInContainer {
  return { type: ComponentType.Section, components: [display(text)], accessory };
}

/** True for a block that may have an image or a button beside it. */
export function isFramed(block: Block): block is Card | Heading {
  return block.kind === 'card' || (block.kind === 'heading' && block.image !== undefined);
}

/** The component beside a card: its cover, or else its button, but no button if a value such as pp needs the width. */
export function accessoryOf({ image, worth, action }: Card): APISectionAccessoryComponent | undefined {
  const cover = thumbnail(image);
  if (cover !== undefined || worth !== undefined) return cover;
  if (action?.kind === 'button') return renderButton(action);
  return action?.kind === 'link' ? renderLink(action)[0] : undefined;
}

function thumbnail(image: Image | undefined): APISectionAccessoryComponent | undefined {
  if (image === undefined || !isMediaAddress(image.url)) return undefined;
  const alt = description(image.alt);
  return { type: ComponentType.Thumbnail, media: { url: image.url }, ...(alt && { description: alt }) };
}

function renderComponent(block: Exclude<Block, Card>, pictures: PictureNames): APIComponentInContainer | undefined {
  switch (block.kind) {
    case 'divider':
      return { type: ComponentType.Separator, divider: true };
    case 'image':
      return isMediaAddress(block.url) ? gallery(block.url, block.alt) : undefined;
    case 'picture': {
      const name = pictures.get(block.picture.key);
      return name === undefined ? undefined : gallery(`attachment://${name}`, block.alt);
    }
    default:
      return undefined;
  }
}

function gallery(url: string, alt: string): APIComponentInContainer {
  const words = description(alt);
  return { type: ComponentType.MediaGallery, items: [{ media: { url }, ...(words && { description: words }) }] };
}

/** The description of an image or video for people who cannot see it, cut to Discord's limit; undefined for none. */
export function description(alt: string | null): string | undefined {
  const text = shortenMarkdown((alt ?? '').trim(), DISCORD_LIMITS.alt);
  return text === '' ? undefined : text;
}

/** The text of a block; undefined when there is no room for any. */
function renderTextBlock(block: Block, form: CardForm, space: number): string | undefined {
  switch (block.kind) {
    case 'heading':
      return space < HEADING.length + 2 ? undefined : renderHeading(block.text, space, form.commands);
    case 'text':
      return space < 2 ? undefined : renderParagraph(block, space, form.commands);
    case 'fields':
      return renderFields(block.fields, space, form.commands);
    case 'card':
      return space < HEADING.length + 2 ? undefined : renderCard(block, form, space);
    case 'image':
      return space < 2 ? undefined : renderMarkdown([namedLink(block.url, block.alt)], space);
    case 'sound':
      return space < 2 ? undefined : renderMarkdown([namedLink(block.url, block.label)], space);
    case 'picture':
      return space < 2 ? undefined : renderMarkdown([block.alt], space);
    case 'divider':
      return '';
  }
}

function renderParagraph(block: Extract<Block, { kind: 'text' }>, space: number, commands: CommandIds): string {
  const { text, folded, small } = block;
  const most = folded ? Math.min(SHOWN.folded, space) : space;
  if (small !== true || space <= SMALL.length + 2) return renderMarkdown(text, most, commands).trim();
  const line = oneLine(text, most - SMALL.length, commands);
  return line === '' ? '' : `${SMALL}${line}`;
}

const SMALL = '-# ';

const HEADING = '### ';

function renderHeading(text: Text, space: number, commands: CommandIds): string {
  const line = oneLine(text, Math.min(SHOWN.heading, space) - HEADING.length, commands);
  return line === '' ? '' : `${HEADING}${line}`;
}

function oneLine(text: Text, max: number, commands: CommandIds): string {
  return renderMarkdown(text, max, commands)
    .replace(/[^\S\u00a0]+/g, ' ')
    .trim();
}

function renderCard(card: Card, form: CardForm, space: number): string {
  const { title, action } = card;
  const mark = form.isList ? SMALL : '';
  const name = action?.kind === 'link' && !hasLink(title) ? [link(action.url, ...title)] : title;
  const written = [renderHeading(name, space, form.commands)];
  let left = space - (written[0]?.length ?? 0) - 1;
  for (const line of linesOf(card).slice(0, form.lines)) {
    if (left < MIN_LINE + mark.length) break;
    const text = oneLine(line, Math.min(SHOWN.cardLine, left) - mark.length, form.commands);
    if (text === '') continue;
    written.push(`${mark}${text}`);
    left -= mark.length + text.length + 1;
  }
  return written.filter(text => text !== '').join('\n');
}

const MIN_LINE = 2;

function hasLink(text: Text): boolean {
  return text.some(
    inline =>
      typeof inline !== 'string' &&
      (inline.kind === 'link'
        ? linkTarget(inline.url) !== undefined
        : 'children' in inline && hasLink(inline.children)),
  );
}

function renderFields(fields: readonly Field[], space: number, commands: CommandIds): string | undefined {
  const lines: string[] = [];
  let left = space;
  for (const field of fields.slice(0, SHOWN.fields)) {
    const text = [labelOf(field, commands), '\u2002', ...field.value];
    if (left < MIN_FIELD) break;
    const line = renderMarkdown(text, Math.min(SHOWN.fieldLabel + SHOWN.fieldValue, left), commands);
    lines.push(line);
    left -= line.length + 1;
  }
  if (lines.length < fields.length && left > 1) lines.push('…');
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The label of a field. A command that can be clicked is written without its options, since Discord shows them. */
function labelOf({ label, command }: Field, commands: CommandIds): Text[number] {
  const isMention = command !== undefined && commandMention(command, commands) !== undefined;
  if (isMention) return { kind: 'command', name: command };
  return { kind: 'strong', children: [shortenMarkdown(label, SHOWN.fieldLabel)] };
}

const MIN_FIELD = 16;
