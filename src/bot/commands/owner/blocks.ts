import { type CommandContext, defineCommand } from '../../contract/command.ts';
import { usageError } from '../../contract/usage-error.ts';
import { BLOCK_KINDS, type BlockKind, type BlockList } from '../../stores/block-list.ts';
import { renderBlockChange, renderBlocked } from '../../views/owner/blocks.ts';

const WHICH = {
  kind: { type: 'choice', required: true, choices: BLOCK_KINDS },
  value: { type: 'string', form: 'rest', required: true, maxLength: 500 },
} as const;
const BEARING = { visibility: 'caller', cost: 0 } as const;
/** `platform:id`, `source:id` */
const ID = /^[a-z][a-z0-9]{0,30}:[^\s/]{1,200}$/;

type Extractor = Pick<CommandContext['services']['extractor'], 'postKey' | 'extract'>;

export function createOwnerBlock(blocks: BlockList) {
  return defineCommand({
    name: 'owner block',
    options: WHICH,
    ...BEARING,
    async run({ kind, value }, { services, signal, t }: CommandContext) {
      const id = await idOf(kind, value, services.extractor, signal);
      return renderBlockChange(await blocks.add(kind, id), kind, id, t);
    },
  });
}

export function createOwnerUnblock(blocks: BlockList) {
  return defineCommand({
    name: 'owner unblock',
    options: WHICH,
    ...BEARING,
    async run({ kind, value }, { services, signal, t }: CommandContext) {
      const id = await idOf(kind, value, services.extractor, signal);
      return renderBlockChange((await blocks.remove(kind, id)) ? 'removed' : 'absent', kind, id, t);
    },
  });
}

export function createOwnerBlocked(blocks: BlockList) {
  return defineCommand({
    name: 'owner blocked',
    options: {},
    ...BEARING,
    run: async (_values, { t }: CommandContext) => renderBlocked(await blocks.list(), t),
  });
}

/** A link as its post's `source:id`; all else as it was given. @throws AppError `invalid_request`, or what keeps a short link from being followed */
async function idOf(kind: BlockKind, value: string, extractor: Extractor, signal: AbortSignal): Promise<string> {
  if (ID.test(value)) return value;
  if (kind !== 'link') throw usageError('notBlockId', { kind });
  const known = extractor.postKey(value);
  if (known !== undefined) return known;
  const { post } = await extractor.extract(value, { signal });
  return `${post.source}:${post.id}`;
}
