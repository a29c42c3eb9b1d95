import { drawPicture } from '../../../bot/cards/drawing.ts';
import type { Block } from '../../../bot/contract/reply.ts';
import type { Logger } from '../../../infra/log.ts';
import type { Upload } from '../api/rest.ts';
import { description } from '../render/block-components.ts';

/** The pictures of one reply, drawn. */
export interface Drawings {
  /** Names of their attachments by the picture's key; `prefix` keeps them apart from those of other replies in the message. */
  names(prefix: string): ReadonlyMap<string, string>;
  files(prefix: string): readonly Upload[];
}

export const NO_DRAWINGS: Drawings = { names: () => new Map(), files: () => [] };

/** Those that could not be drawn are left out. Never rejects. */
export async function drawPictures(blocks: readonly Block[], log: Pick<Logger, 'warn'>): Promise<Drawings> {
  const wanted = new Map(blocks.flatMap(block => (block.kind === 'picture' ? [[block.picture.key, block]] : [])));
  const drawn = await Promise.all(
    [...wanted.values()].map(async ({ picture, alt }) => ({
      key: picture.key,
      alt,
      data: await drawPicture(picture, log),
    })),
  );
  const nameOf = (prefix: string, place: number) => `picture-${prefix}${place + 1}.png`;
  return {
    names: prefix =>
      new Map(drawn.flatMap(({ key, data }, place) => (data ? [[key, nameOf(prefix, place)] as const] : []))),
    files: prefix =>
      drawn.flatMap(({ alt, data }, place): Upload[] => {
        if (data === undefined) return [];
        const file = { name: nameOf(prefix, place), content: { data }, mime: 'image/png', bytes: data.length };
        return [{ ...file, spoiler: false, alt: description(alt) ?? '' }];
      }),
  };
}
