import type { Block, Card } from '../../../bot/contract/reply.ts';
import { linesOf, namedLink } from '../../../bot/contract/reply-parts.ts';
import {
  concat,
  covered,
  EMPTY,
  type FormattedText,
  formatText,
  isWebAddress,
  plainText,
  shorten,
  type TextStyle,
  withinEntities,
  withMenuNames,
} from './formatted-text.ts';

interface Part {
  readonly content: FormattedText;
  readonly folded: boolean;
  /** The line breaks between the previous part and this one. */
  readonly before: string;
}

/**
 * Renders blocks as one text of at most `max` units. A longer text loses the last lines of cards first, then the ends
 * of texts that may be shortened (`folded`).
 * @param isNumbered whether cards have their number, from 1, before their name
 */
export function renderBlocks(
  blocks: readonly Block[],
  style: TextStyle,
  max: number,
  isNumbered = false,
): FormattedText {
  const parts = partsWithin(blocks, style, max, isNumbered);
  let excess = lengthOf(parts) - max;
  const fitted = parts.map(part => {
    const { content, folded, before } = part;
    const cut = folded && excess > 0 ? shorten(content, Math.max(1, content.text.length - excess)) : content;
    excess -= content.text.length - cut.text.length;
    return concat([plainText(before), folded ? quoted(cut) : cut]);
  });
  const whole = shorten(concat(fitted), max);
  return withinEntities(style.isHidden === true ? covered(whole, { type: 'spoiler' }) : whole);
}

function partsWithin(blocks: readonly Block[], style: TextStyle, max: number, isNumbered: boolean): readonly Part[] {
  let lines = Math.max(0, ...blocks.map(block => (block.kind === 'card' ? linesOf(block).length : 0)));
  let parts = partsOf(blocks, style, { lines, isNumbered });
  while (lines > 0 && lengthOf(parts) > max) {
    lines -= 1;
    parts = partsOf(blocks, style, { lines, isNumbered });
  }
  return parts;
}

function lengthOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { content, before }) => sum + before.length + content.text.length, 0);
}

interface CardForm {
  readonly lines: number;
  readonly isNumbered: boolean;
}

function partsOf(blocks: readonly Block[], style: TextStyle, form: CardForm): readonly Part[] {
  const parts: Part[] = [];
  let before = '';
  let cards = 0;
  for (const block of blocks) {
    if (block.kind === 'card') cards += 1;
    const content = block.kind === 'card' ? renderCard(block, style, form, cards) : renderBlock(block, style);
    if (content.text.trim() === '') {
      if (before !== '') before = '\n\n';
      continue;
    }
    const folded = block.kind === 'text' && block.folded === true;
    parts.push({ content, folded, before });
    before = block.kind === 'heading' || folded ? '\n' : '\n\n';
  }
  return parts;
}

function renderBlock(block: Exclude<Block, Card>, style: TextStyle): FormattedText {
  switch (block.kind) {
    case 'heading':
      return covered(formatText(block.text, style), { type: 'bold' });
    case 'text':
      return formatText(block.text, style);
    case 'fields': {
      const colon = style.messages.joining.labelled({ name: '', value: '' });
      return concat(
        block.fields.map(({ label, value }, index) =>
          concat([
            plainText(index === 0 ? '' : '\n'),
            covered(plainText(`${withMenuNames(label, style)}${colon.trimEnd()}`), { type: 'bold' }),
            plainText(colon.slice(colon.trimEnd().length)),
            formatText(value, style),
          ]),
        ),
      );
    }
    case 'image':
      return formatText([namedLink(block.url, block.alt)], style);
    case 'sound':
      return formatText([namedLink(block.url, block.label)], style);
    case 'picture':
      return formatText([block.alt], style);
    case 'divider':
      return EMPTY;
  }
}

/** The number with which a card's title begins: `12` of `12. Paper Comet`; undefined for a title without one. */
export function ownNumber({ title: [first] }: Card): string | undefined {
  return typeof first === 'string' ? /^(\d[\d.,]*)\. $/.exec(first)?.[1] : undefined;
}

/** Renders a card: its name in bold, as a link if there is an address, and below it the lines. */
export function renderCard(
  card: Card,
  style: TextStyle,
  form: CardForm = { lines: Number.POSITIVE_INFINITY, isNumbered: false },
  number = 1,
): FormattedText {
  const { title, action } = card;
  const name = formatText(title, style);
  const leads = name.entities.some(({ type }) => type === 'text_link');
  const led = action?.kind === 'link' && !leads && isWebAddress(action.url);
  const heading = covered(led ? covered(name, { type: 'text_link', url: action.url }) : name, { type: 'bold' });
  const below = linesOf(card)
    .slice(0, form.lines)
    .map(line => concat([plainText('\n'), formatText(line, style)]));
  return concat([plainText(form.isNumbered && ownNumber(card) === undefined ? `${number}. ` : ''), heading, ...below]);
}

const LONG_QUOTE = 280;
const LONG_QUOTE_LINES = 5;

/** A long text as a quote, which Telegram folds; a short text as it is. */
function quoted(content: FormattedText): FormattedText {
  const isLong = content.text.length > LONG_QUOTE || content.text.split('\n').length > LONG_QUOTE_LINES;
  return isLong ? covered(content, { type: 'expandable_blockquote' }) : content;
}
