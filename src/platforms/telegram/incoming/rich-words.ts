import * as z from 'zod';
import type { MessageEntity } from '../api/updates.ts';

/** A node of a rich message. `INNER` lists the properties with inner parts in the order of reading. */
const Node = z.looseObject({ type: z.string().catch(''), url: z.string().optional().catch(undefined) });
const INNER = ['summary', 'text', 'blocks', 'items', 'cells', 'caption', 'credit'] as const;

/** For each kind of text in rich messages, the type of entity with the same meaning. */
const MARKS: Readonly<Record<string, string>> = {
  url: 'text_link',
  code: 'code',
  pre: 'pre',
  spoiler: 'spoiler',
  blockquote: 'blockquote',
  expandable_blockquote: 'blockquote',
  pullquote: 'blockquote',
};

/** The text of a rich message, each block on its own line, and its entities. Offsets count UTF-16 units. */
export function flattenRich(blocks: readonly unknown[]) {
  let text = '';
  const entities: MessageEntity[] = [];

  function read(node: unknown): void {
    if (typeof node === 'string') text += node;
    else if (Array.isArray(node)) node.forEach(read);
    else readNode(Node.safeParse(node).data);
  }

  function readNode(node: z.output<typeof Node> | undefined): void {
    if (node === undefined) return;
    const offset = text.length;
    for (const name of INNER) {
      const inner = node[name];
      if (inner === undefined) continue;
      if (name !== 'text' && text !== '' && !text.endsWith('\n')) text += '\n';
      read(inner);
    }
    const mark = MARKS[node.type];
    const length = text.length - offset;
    if (mark !== undefined && length > 0) entities.push({ type: mark, offset, length, url: node.url });
  }

  for (const block of blocks) {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
    read(block);
  }
  return { text: text.trimEnd(), entities };
}
