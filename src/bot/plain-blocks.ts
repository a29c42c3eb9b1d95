import type { Action, Block, Text } from './reply.ts';

/** The blocks every face has. */
export type PlainBlock = Extract<Block, { kind: 'heading' | 'text' | 'fields' | 'image' | 'divider' }>;

/** The same content for a face, or a place, without cards, sounds and drawn pictures: nothing said is lost. */
export function plainBlocks(blocks: readonly Block[]): readonly PlainBlock[] {
  return blocks.flatMap((block): readonly PlainBlock[] => {
    switch (block.kind) {
      case 'card':
        return [
          { kind: 'heading', text: block.title },
          { kind: 'text', text: block.lines.flatMap((line, index): Text => (index === 0 ? line : ['\n', ...line])) },
        ];
      case 'picture':
        return [{ kind: 'text', text: [block.alt] }];
      case 'sound':
        return [{ kind: 'text', text: [{ kind: 'link', url: block.url, children: [block.label] }] }];
      default:
        return [block];
    }
  });
}

/** Menus as buttons, and what opens a card after the others, for a face without either. */
export function plainActions(blocks: readonly Block[], actions: readonly Action[]): readonly PlainAction[] {
  const opening = blocks.flatMap(block => (block.kind === 'card' && block.action ? [block.action] : []));
  return [...opening, ...actions].flatMap((action): readonly PlainAction[] =>
    action.kind === 'menu'
      ? action.choices.map(({ label, token }) => ({ kind: 'button', label, token, style: 'secondary' }))
      : [action],
  );
}

export type PlainAction = Exclude<Action, { kind: 'menu' }>;
