import type { Translator } from '../../i18n/translate.ts';
import type { Action, Block, Card, Choice, Heading, Inline, PictureBlock, Reply, Text, WordBlock } from './reply.ts';

/** A reply with these parts. All parts that are not given are empty or neutral, and the chat may see the reply. */
export function reply(parts: Partial<Reply>): Reply {
  return { tone: 'neutral', blocks: [], gallery: [], actions: [], visibility: 'chat', ...parts };
}

/** Puts the reply's text and files into a spoiler. */
export function hidden(shown: Reply): Reply {
  const { later, quoted, ...now } = shown;
  const better = later?.then(reply => reply && hidden(reply));
  return {
    ...now,
    isHidden: true,
    gallery: shown.gallery.map(item => ({ ...item, spoiler: true })),
    ...(quoted !== undefined && { quoted: hidden(quoted) }),
    ...(better !== undefined && { later: better }),
  };
}

/** True for a notice, and for any other reply that has a button to try again. */
export function isFailure(reply: Reply): boolean {
  return isNotice(reply) || reply.retry !== undefined;
}

/** Says whether a reply is a notice, which has no files or buttons. */
export function isNotice({ tone, gallery, actions }: Reply): boolean {
  return (tone === 'notice' || tone === 'error') && gallery.length === 0 && actions.length === 0;
}

export function textBlock(text: Text): WordBlock {
  return { kind: 'text', text };
}

export function headingBlock(text: Text): Heading {
  return { kind: 'heading', text };
}

export function button(
  label: string,
  token: string,
  style: 'primary' | 'secondary' | 'danger' = 'secondary',
): Extract<Action, { kind: 'button' }> {
  return { kind: 'button', label, token, style };
}

/** A menu with these choices; empty if there are no choices. */
export function menu(label: string, choices: readonly Choice[]): readonly Action[] {
  return choices.length === 0 ? [] : [{ kind: 'menu', label, choices }];
}

const SEPARATOR = ' · ';

/** Joins parts on one line; undefined ones are left out. */
export function joined(parts: readonly (Text | string | undefined)[]): Text {
  return parts
    .filter(part => part !== undefined && part.length > 0)
    .flatMap((part, index): Text => {
      const text = typeof part === 'string' ? [part] : (part ?? []);
      return index === 0 ? text : [SEPARATOR, ...text];
    });
}

/** Joins parts with commas, as the language writes them. */
export function listed(parts: readonly Inline[], { comma }: Pick<Translator, 'comma'>): Text {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part]));
}

/** A name with its value, as the language writes `name: value`. */
export function labelled(name: Text, value: Text, { messages }: Pick<Translator, 'messages'>): Text {
  const between = messages.joining.labelled({ name: '', value: '' });
  return [...name, between, ...value].reduce<Text>((text, part) => {
    const last = text.at(-1);
    return typeof last === 'string' && typeof part === 'string' ? text.with(-1, last + part) : text.concat(part);
  }, []);
}

/** Joins phrases, some of which may have commas of their own; there is at least one. */
export function series(phrases: readonly string[], { messages }: Pick<Translator, 'messages'>): string {
  return phrases.reduce((words, more) => messages.joining.series({ words, more }));
}

/** Cuts a text to at most `max` UTF-16 units, with an ellipsis, but never within a surrogate pair. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept.trimEnd()}…`;
}

/** Joins lines in one block; empty lines are left out. */
export function stacked(lines: readonly Text[]): Text {
  return lines.filter(line => line.length > 0).flatMap((line, index) => (index === 0 ? line : ['\n', ...line]));
}

export function link(url: string, ...children: readonly Inline[]): Extract<Inline, { kind: 'link' }> {
  return { kind: 'link', url, children };
}

/** A link with that name, or with its address where the name is blank. */
export function namedLink(url: string, name: string): Inline {
  return link(url, name.trim() === '' ? url : name);
}

export function strong(...children: readonly Inline[]): Inline {
  return { kind: 'strong', children };
}

/**
 * Puts an image card's further text behind the card if the card is shown; replaces the card by its text if it is not
 * shown.
 */
export function withPictures(blocks: readonly Block[], isShown: (block: PictureBlock) => boolean): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.kind !== 'picture') return [block];
    return isShown(block) ? [block, ...(block.beside ?? [])] : (block.instead ?? [block]);
  });
}

/**
 * Shortens the cards of a list, if there are several, to rows: without audio previews and details, which appear when a
 * card is opened. Rows with a main value (`worth`) have no cover either, because a phone is too narrow for the cover,
 * the facts and the value.
 */
export function asRows(blocks: readonly Block[]): readonly Block[] {
  if (blocks.filter(({ kind }) => kind === 'card').length < 2) return blocks;
  return blocks.map(block => {
    if (block.kind !== 'card') return block;
    const { sound: _, details: __, ...row } = block;
    if (row.worth === undefined) return row;
    const { image: ___, ...facts } = row;
    return facts;
  });
}

/** All lines of a card in order; its audio preview is the last one, as a link. */
export function linesOf({ lines, details = [], sound }: Card): readonly Text[] {
  return [...lines, ...details, ...(sound ? [[namedLink(sound.url, sound.label)]] : [])];
}

/** The text in which each dot of colour stays on one line with the number behind it. */
export function withSpotsKept(text: Text): Text {
  return text.map((inline, index) => {
    const before = text[index - 1];
    const isBehindSpot = typeof before === 'object' && before.kind === 'swatch';
    return isBehindSpot && typeof inline === 'string' ? inline.replace(/^ (?=\d)/, '\u00a0') : inline;
  });
}
