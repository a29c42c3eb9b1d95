import { type Block, type Card, namedLink, type PictureBlock, type Text } from './reply.ts';

/**
 * Puts behind each image card that is shown its further text; image cards that are not shown are replaced by their
 * text.
 */
export function withPictures(blocks: readonly Block[], isShown: (block: PictureBlock) => boolean): readonly Block[] {
  return blocks.flatMap((block): readonly Block[] => {
    if (block.kind !== 'picture') return [block];
    return isShown(block) ? [block, ...(block.beside ?? [])] : (block.instead ?? [block]);
  });
}

/**
 * Makes rows of a list of several cards: without audio previews and details, which appear when a card is opened. Rows
 * with a value have no cover either: beside it a phone has too little width for their facts.
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

/** The text with each spot of colour kept on the line of the number behind it. */
export function withSpotsKept(text: Text): Text {
  return text.map((inline, index) => {
    const before = text[index - 1];
    const isBehindSpot = typeof before === 'object' && before.kind === 'swatch';
    return isBehindSpot && typeof inline === 'string' ? inline.replace(/^ (?=\d)/, '\u00a0') : inline;
  });
}
